"""`validate`, `learning_curve`, `choose_folds`: learners with data."""
