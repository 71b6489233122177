"""Texts against references: n-grams, edits and embeddings, as what each segment adds. Algorithms only."""
