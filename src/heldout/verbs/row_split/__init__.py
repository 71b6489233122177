"""`split`: rows into training, validation and test parts, or into folds."""
