"""What a row adds to the sums behind regression metrics; several targets give one column each."""

from __future__ import annotations

import numpy as np

from heldout.batch import Array, Batch


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
