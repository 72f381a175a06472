"""Tool calls from the model's wish to its answer."""
