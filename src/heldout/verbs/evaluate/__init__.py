"""`evaluate`: one model's metrics with confidence intervals."""
