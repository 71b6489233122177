"""Learners over splits of data whose truth is known: what intervals and tests over splits, and choices, are worth."""
