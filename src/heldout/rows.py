"""What one row adds to each sum: functions from a batch to a column, one entry (or one line) per row."""

from __future__ import annotations

from collections.abc import Collection
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


def tp(batch: Batch) -> Array:
    """One where the label is there and was said to be there."""
    return batch.truth * _prediction(batch)


def fp(batch: Batch) -> Array:
    """One where the label is not there and was said to be there."""
    return (1 - batch.truth) * _prediction(batch)


def fn(batch: Batch) -> Array:
    """One where the label is there and was not said to be there."""
    return batch.truth * (1 - _prediction(batch))


def tn(batch: Batch) -> Array:
    """One where the label is not there and was not said to be there."""
    return (1 - batch.truth) * (1 - _prediction(batch))


def exact_matches(batch: Batch) -> Array:
    """One where every label of the row is right."""
    return np.all(batch.truth == _prediction(batch), axis=1).astype(float)


def wrong_marks(batch: Batch) -> Array:
    """Share of the row's labels that are wrong."""
    return np.mean(batch.truth != _prediction(batch), axis=1)


def _prediction(batch: Batch) -> Array:
    assert batch.prediction is not None
    return batch.prediction


def chance_of_truth(batch: Batch) -> Array:
    """The probability that the model gave to what happened.

    >>> one = Batch(task="binary", truth=np.array([1, 0]), score=np.array([0.9, 0.2]), labels=(0, 1), positive=1)
    >>> chance_of_truth(one).tolist()
    [0.9, 0.8]
    """
    score = _score(batch)
    if score.ndim == 1:
        return np.abs(score - (batch.truth != batch.positive))
    return score[np.arange(len(score)), batch.truth]


def log_losses(batch: Batch) -> Array:
    """-ln p of what happened; infinite where p is zero."""
    return log_losses_at(chance_of_truth(batch))


def quadratic_losses(batch: Batch) -> Array:
    """Squared distance between the probabilities and what happened, summed over classes: between 0 and 2."""
    score = _score(batch)
    if score.ndim == 1:
        return 2 * brier_losses(batch)
    return np.einsum("ij,ij->i", score, score) + 1 - 2 * chance_of_truth(batch)


def brier_losses(batch: Batch) -> Array:
    """Squared distance between the probability of the positive class and 1 or 0."""
    return (1 - chance_of_truth(batch)) ** 2


def losses(batch: Batch, names: Collection[str]) -> dict[str, Array]:
    """Several of these at once: what happened is looked up once."""
    chance = chance_of_truth(batch)
    made = {"log_losses": lambda: log_losses_at(chance), "brier_losses": lambda: (1 - chance) ** 2}
    if _score(batch).ndim == 1:
        made["quadratic_losses"] = lambda: 2 * (1 - chance) ** 2
    else:
        made["quadratic_losses"] = lambda: quadratic_losses(batch)
    return {name: made[name]() for name in names if name in made}


def log_losses_at(chance: Array) -> Array:
    """-ln p, infinite at zero."""
    with np.errstate(divide="ignore"):
        found = np.log(chance)
    np.negative(found, out=found)
    found += 0.0  # no -0.0 where p is one
    return found


def confidence(batch: Batch) -> Array:
    """The probability whose calibration is judged: of the positive class, or of the likeliest class."""
    score = _score(batch)
    return score if score.ndim == 1 else score.max(axis=1)


def confirmed(batch: Batch) -> Array:
    """Whether what `confidence` spoke of happened."""
    score = _score(batch)
    return batch.truth == (batch.positive if score.ndim == 1 else score.argmax(axis=1))


def _score(batch: Batch) -> Array:
    assert batch.score is not None
    return batch.score.astype(float, copy=False)


def rows(batch: Batch) -> Array:
    """One: the row itself."""
    return np.ones(batch.truth.shape)


def errors(batch: Batch) -> Array:
    """Truth minus prediction."""
    assert batch.prediction is not None
    return batch.truth - batch.prediction


def absolute_errors(batch: Batch) -> Array:
    """Distance between truth and prediction."""
    return np.abs(errors(batch))


def squared_errors(batch: Batch) -> Array:
    """Squared distance between truth and prediction; infinite where it overflows."""
    with np.errstate(over="ignore"):
        return errors(batch) ** 2


def relative_errors(batch: Batch) -> Array:
    """Distance between truth and prediction as a share of the truth; the door has refused targets of zero."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return absolute_errors(batch) / np.abs(batch.truth)


def squared_relative_errors(batch: Batch) -> Array:
    """The relative error, squared."""
    with np.errstate(over="ignore"):
        return relative_errors(batch) ** 2


def targets(batch: Batch) -> Array:
    """The truth, counted from its mean: no metric here depends on the origin, and large offsets would cost digits."""
    return batch.truth - (batch.truth.mean(axis=0) if batch.origin is None else batch.origin)


def squared_targets(batch: Batch) -> Array:
    """The truth counted from its mean, squared."""
    with np.errstate(over="ignore"):
        return targets(batch) ** 2


def absolute_targets(batch: Batch) -> Array:
    """The size of the truth."""
    return np.abs(batch.truth)


def pinball(batch: Batch, quantile: float) -> Array:
    """Loss of a predicted quantile: q times the shortfall, or 1 - q times the excess."""
    off = errors(batch)
    return np.maximum(quantile * off, (quantile - 1) * off)
