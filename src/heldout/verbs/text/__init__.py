"""`text`: generated texts against references."""
