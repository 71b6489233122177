"""What rows add, as values that can travel to other machines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout.batch import Array, Batch
from heldout.verbs.measurement import minimum_risk


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


def zero_targets(batch: Batch) -> Array:
    """One where the target is zero, so that a percentage error is undefined."""
    return (batch.truth == 0).astype(float)
