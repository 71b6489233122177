"""One division of the rows into what is learned from and what is tested."""

from __future__ import annotations

from dataclasses import dataclass

from heldout.batch import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Positions of the training rows and of the test rows; within a repeat a row is tested at most once."""

    train: Array
    test: Array
    repeat: int
    fold: int
