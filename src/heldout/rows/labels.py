"""What a row adds to sums over decided labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from heldout.batch import Array, Batch
from heldout.rows import prediction_of


def tp(batch: Batch) -> Array:
    """One where the label is there and was said to be there."""
    return batch.truth * prediction_of(batch)


def fp(batch: Batch) -> Array:
    """One where the label is not there and was said to be there."""
    return (1 - batch.truth) * prediction_of(batch)


def fn(batch: Batch) -> Array:
    """One where the label is there and was not said to be there."""
    return batch.truth * (1 - prediction_of(batch))


def tn(batch: Batch) -> Array:
    """One where the label is not there and was not said to be there."""
    return (1 - batch.truth) * (1 - prediction_of(batch))


COUNTS = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
"""What labels of a row are, by truth and prediction."""


def exact_matches(batch: Batch) -> Array:
    """One where every label of the row is right."""
    return np.all(batch.truth == prediction_of(batch), axis=1).astype(float)


def wrong_marks(batch: Batch) -> Array:
    """Share of the row's labels that are wrong."""
    return np.mean(batch.truth != prediction_of(batch), axis=1)


def rank_disagreements(batch: Batch, power: float) -> Array:
    """How many places apart the true and the predicted class are in the order of the labels, to a power."""
    return np.abs(batch.truth.astype(float) - prediction_of(batch)) ** power


def every_row(batch: Batch) -> Array:
    """One for each row."""
    return np.ones(batch.rows)


def row_value(batch: Batch, formula: Callable[..., Array], needs: tuple[str, ...], undefined: float) -> Array:
    """A formula on the true and false positives and negatives among the labels of each row."""
    counts = {name: COUNTS[name](batch).sum(axis=1).astype(float) for name in needs}
    with np.errstate(divide="ignore", invalid="ignore"):
        values = formula(**counts)
    return np.where(np.isnan(values), undefined, values)


def row_is_defined(batch: Batch, formula: Callable[..., Array], needs: tuple[str, ...]) -> Array:
    """One for the rows on which the formula is not 0/0."""
    return (~np.isnan(row_value(batch, formula, needs, np.nan))).astype(float)


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
