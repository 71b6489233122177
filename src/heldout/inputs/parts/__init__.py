"""Tables in parts: files too large to be read at once, or many of them, read piece by piece."""
