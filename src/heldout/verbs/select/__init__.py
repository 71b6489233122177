"""`select`: model selection with an estimate corrected for it."""
