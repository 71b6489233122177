"""`heldout.plan`: sample size and power."""
