"""Front ends without a screen of their own."""
