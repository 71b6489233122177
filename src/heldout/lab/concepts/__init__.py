"""Finite concepts: joint tables, hypothesis spaces, version spaces, overfitting by definition."""
