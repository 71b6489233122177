"""What decisions cost in each row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout.batch import Array, Batch


@dataclass(frozen=True, eq=False)
class CostOfPrediction:
    """What the prediction of each row costs."""

    cost: Array

    def __call__(self, batch: Batch) -> Array:
        """The entry of the cost matrix at truth and prediction.

        >>> two = Batch(task="binary", truth=np.array([0, 1]), prediction=np.array([1, 1]), labels=(0, 1), positive=1)
        >>> CostOfPrediction(np.array([[0.0, 1.0], [5.0, 0.0]]))(two).tolist()
        [1.0, 0.0]
        """
        return np.asarray(self.cost[batch.truth, batch.prediction], dtype=float)


@dataclass(frozen=True, eq=False)
class CostOfLeastRisk:
    """What the prediction of least expected cost costs in each row."""

    cost: Array

    def __call__(self, batch: Batch) -> Array:
        """The entry of the cost matrix at truth and at the prediction that the probabilities suggest."""
        return np.asarray(self.cost[batch.truth, minimum_risk(batch, self.cost)], dtype=float)


def minimum_risk(batch: Batch, cost: Array) -> Array:
    """The prediction of least expected cost under the batch's probabilities: argmin over c' of sum_c p(c) cost(c, c').

    >>> two = Batch(task="binary", truth=np.array([0, 1]), score=np.array([0.1, 0.3]), labels=(0, 1), positive=1)
    >>> minimum_risk(two, np.array([[0, 1], [5, 0]])).tolist()  # a miss costs five false alarms
    [0, 1]
    """
    assert batch.score is not None
    chances = batch.score
    if chances.ndim == 1:
        columns = [chances, 1 - chances] if batch.positive == 0 else [1 - chances, chances]
        chances = np.stack(columns, axis=1)
    expected = chances @ cost
    # rounding must not decide a tie: the class of higher probability wins it
    best = expected.min(axis=1, keepdims=True)
    tied = expected <= best + 1e-12 * np.maximum(np.abs(best), 1e-300)
    return np.where(tied, chances, -1.0).argmax(axis=1)
