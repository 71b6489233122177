"""Checks on how the rows were collected: leakage, and overlap with the training data."""
