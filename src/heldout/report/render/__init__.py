"""One module for each output format: a document, or records, as text."""
