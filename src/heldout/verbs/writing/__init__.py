"""Texts against references: BLEU and its kin with intervals, and whether one system writes better than another."""
