"""File and frame formats: each becomes a table, a list of objects, texts or counts."""
