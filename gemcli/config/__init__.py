"""What the user and the machine say about how to work: paths, settings."""
