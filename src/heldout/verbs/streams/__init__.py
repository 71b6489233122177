"""Verbs on tables in parts: nothing is ever whole in memory."""
