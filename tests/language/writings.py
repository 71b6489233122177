"""Sentences that two systems wrote, one of them with more mistakes."""

from __future__ import annotations

import numpy as np

WORDS = tuple(f"{a}{b}{c}" for a in "bdfklmnprst" for b in "aeiou" for c in ("n", "s", "", "lt"))
MARKS = (".", "!", "?", ", so.", " (again).")


def sentences(count, seed=0):
    rng = np.random.default_rng(seed)
    made = [" ".join(rng.choice(WORDS, rng.integers(3, 15))) for _ in range(count)]
    return [f"{text.capitalize()}{rng.choice(MARKS)}" for text in made]


def garbled(texts, share, seed=0):
    """The texts with this share of the words replaced, and now and then one left out."""
    rng = np.random.default_rng([seed, 1])

    def word(old):
        luck = rng.random()
        return old if luck > share else "" if luck < share / 4 else str(rng.choice(WORDS))

    return [" ".join(word(old) for old in text.split(" ")) for text in texts]
