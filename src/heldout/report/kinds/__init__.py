"""One module for each kind of result: its document and its records."""
