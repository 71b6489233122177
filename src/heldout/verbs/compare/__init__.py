"""`compare` and `compare_fold_scores`: differences of models, with tests and verdicts."""
