"""Measured rates: how often intervals contain the true value, and tests reject it."""
