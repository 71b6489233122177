"""Which of two models has which rows right: what McNemar's test counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout.batch import Array, Batch


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Rows by who has them right."""

    table: Array
    """A line per class: how many rows both models have right, the first alone, the second alone, none."""
    differ: bool
    """Whether the models say different things of any row, right or wrong."""

    def __add__(self, other: Agreement) -> Agreement:
        """Both parts."""
        return Agreement(table=self.table + other.table, differ=self.differ or other.differ)

    def side(self, positive: int, *, is_positive: bool) -> Array:
        """The line of the positive class, or that of all others."""
        chosen: Array = self.table[positive]
        return chosen if is_positive else self.table.sum(axis=0) - chosen


def tally_agreement(first: Batch, second: Batch) -> Agreement:
    """Count the rows of each class by who has them right.

    >>> truth = np.array([1, 1, 0])
    >>> one = Batch(task="binary", truth=truth, prediction=np.array([1, 0, 0]), labels=(0, 1))
    >>> other = Batch(task="binary", truth=truth, prediction=np.array([1, 1, 1]), labels=(0, 1))
    >>> tally_agreement(one, other).table.tolist()
    [[0, 1, 0, 0], [1, 0, 1, 0]]
    """
    assert first.prediction is not None
    assert second.prediction is not None
    place = 4 * first.truth.astype(np.int64) + 2 * (first.prediction != first.truth)
    place += second.prediction != first.truth
    table = np.bincount(place, minlength=4 * len(first.labels)).reshape(-1, 4)
    return Agreement(table=table, differ=not np.array_equal(first.prediction, second.prediction))
