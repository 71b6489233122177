"""`evaluate` and `compare` on tables that are read in chunks."""
