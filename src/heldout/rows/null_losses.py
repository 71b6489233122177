"""What a row adds to the loss of a null model: the dummy model, or chance agreement.

The constant is fitted to all rows of the batch, so these need every row at once. Its loss is least there: to first
order a unit moves the sum as if the constant were fixed, which is what the delta method and the jackknife need.
"""

from __future__ import annotations

import numpy as np

from heldout.batch import Array, Batch
from heldout.rows import prediction_of
from heldout.rows.numbers import deviances, pinball_loss
from heldout.rows.probabilities import log_losses_at


def null_pinball(batch: Batch, quantile: float) -> Array:
    """Pinball loss of always predicting the quantile of these rows."""
    return pinball_loss(batch.truth - _quantile(batch.truth, batch.weight, quantile), quantile)


def null_deviances(batch: Batch, power: float) -> Array:
    """Tweedie deviance of always predicting the mean of these rows."""
    return deviances(batch.truth, np.average(batch.truth, axis=0, weights=batch.weight), power)


def null_log_losses(batch: Batch) -> Array:
    """-ln of the share that the row's class has among these rows."""
    shares = _class_shares(batch)
    # a class without a share has only rows of weight zero: whatever they lose counts nothing, but 0 times inf is nan
    return log_losses_at(np.where(shares > 0, shares, 1.0)[batch.truth])


def null_quadratic_losses(batch: Batch) -> Array:
    """Squared distance between the shares of classes among these rows and the truth, summed over classes."""
    shares = _class_shares(batch)
    return np.asarray(shares @ shares + 1 - 2 * shares[batch.truth])


def null_rank_disagreements(batch: Batch, power: float) -> Array:
    """The disagreement of a row if truth and prediction were independent with the margins a and b of these rows.

    For a row with truth i and prediction j: (W b)_i + (W a)_j - a W b, where W has the distances of classes. Over all
    rows that adds up to n a W b, and it is the first-order expansion of a W b in the margins.
    """
    size = len(batch.labels)
    actual, predicted = (_shares(codes, size, batch.weight) for codes in (batch.truth, prediction_of(batch)))
    at = np.arange(size, dtype=float)
    # a W b for all classes at once would take size² numbers: one line of W at a time does
    from_predicted = np.array([np.abs(at - k) ** power @ predicted for k in range(size)])
    from_actual = np.array([np.abs(at - k) ** power @ actual for k in range(size)])
    return np.asarray(from_predicted[batch.truth] + from_actual[prediction_of(batch)] - actual @ from_predicted)


def _class_shares(batch: Batch) -> Array:
    return _shares(batch.truth, len(batch.labels), batch.weight)


def _shares(codes: Array, size: int, weight: Array | None) -> Array:
    counts = np.bincount(codes, weights=weight, minlength=size)
    return counts / counts.sum()


def _quantile(values: Array, weight: Array | None, level: float) -> Array:
    """The quantile of each column by weight: the lowest value that reaches the level, or midway where two do."""
    if values.ndim == 2:
        return np.array([_quantile(column, weight, level) for column in values.T])
    if weight is None:
        return np.asarray(np.quantile(values, level, method="averaged_inverted_cdf"))
    order = np.argsort(values, kind="stable")
    mass = weight[order]
    order, mass = order[mass > 0], mass[mass > 0]
    reached = np.cumsum(mass)
    wanted = level * reached[-1]
    lower, upper = (min(int(np.searchsorted(reached, at)), len(order) - 1) for at in _around(wanted, reached[-1]))
    return np.asarray((values[order[lower]] + values[order[upper]]) / 2)


def _around(wanted: float, total: float) -> tuple[float, float]:
    """Just below and just above a sum of weights, as far as rounding goes."""
    return wanted - 1e-12 * total, wanted + 1e-12 * total
