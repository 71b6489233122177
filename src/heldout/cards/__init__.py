"""Measured error rates: what the lab found, shipped as data, and the function that reads it."""

from heldout.cards.card import Card, interval_card, rejection_card

__all__ = ["Card", "interval_card", "rejection_card"]
