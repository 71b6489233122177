"""Measured error rates: what the lab found, shipped as data, and the functions that read it."""

from heldout.cards.lookup import Card, CardKey, SplitCard, found_card, split_interval_card, split_test_card

__all__ = [
    "Card",
    "CardKey",
    "SplitCard",
    "found_card",
    "split_interval_card",
    "split_test_card",
]
