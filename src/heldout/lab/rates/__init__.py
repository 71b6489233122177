"""Measured rates: how often intervals hold the truth, and tests reject it."""
