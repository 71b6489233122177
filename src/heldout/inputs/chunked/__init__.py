"""Out-of-core tables: files read in chunks, with the meaning of the columns decided once."""
