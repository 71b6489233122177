"""What a row adds to sums over predicted numbers."""

from __future__ import annotations

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import DataError
from heldout.rows import prediction_of


def rows(batch: Batch) -> Array:
    """One: the row itself."""
    return np.ones(batch.truth.shape)


def errors(batch: Batch) -> Array:
    """Truth minus prediction."""
    return batch.truth - prediction_of(batch)


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
    return pinball_loss(errors(batch), quantile)


def pinball_loss(shortfall: Array, quantile: float) -> Array:
    """Q times a shortfall, or 1 - q times an excess."""
    return np.maximum(quantile * shortfall, (quantile - 1) * shortfall)


def squared_log_errors(batch: Batch) -> Array:
    """Squared distance between ln(1 + truth) and ln(1 + prediction)."""
    _all_above(batch, "msle", -1.0, -1.0)
    return (np.log1p(batch.truth) - np.log1p(prediction_of(batch))) ** 2


def tweedie_deviances(batch: Batch, power: float) -> Array:
    """Unit deviance of the Tweedie family with variance mean**power: 0 normal, 1 Poisson, 2 gamma [jorgensen87]."""
    if power != 0:
        # a power below 0 takes any truth, one below 2 a truth of zero
        lowest = -np.inf if power < 0 else np.nextafter(0, -1) if power < 2 else 0.0
        _all_above(batch, f"the Tweedie deviance of power {power:g}", lowest, 0.0)
    return deviances(batch.truth, prediction_of(batch), power)


def poisson_deviances(batch: Batch) -> Array:
    """Unit deviance of the Poisson family: 2 (t ln(t / p) - t + p)."""
    return tweedie_deviances(batch, 1)


def gamma_deviances(batch: Batch) -> Array:
    """Unit deviance of the gamma family: 2 (ln(p / t) + t / p - 1)."""
    return tweedie_deviances(batch, 2)


def deviances(truth: Array, mean: Array, power: float) -> Array:
    """Unit deviances of truths against means, for one power of the Tweedie family."""
    if power == 0:
        with np.errstate(over="ignore"):
            return (truth - mean) ** 2
    if power == 1:
        from scipy.special import xlogy

        return np.asarray(2 * (xlogy(truth, truth / mean) - truth + mean))
    if power == 2:
        return 2 * (np.log(mean / truth) + truth / mean - 1)
    inside = np.maximum(truth, 0) if power < 0 else truth
    return 2 * (
        inside ** (2 - power) / ((1 - power) * (2 - power))
        - truth * mean ** (1 - power) / (1 - power)
        + mean ** (2 - power) / (2 - power)
    )


def _all_above(batch: Batch, name: str, lowest_truth: float, lowest_prediction: float) -> None:
    """Refuse numbers for which a metric is not defined."""
    sides = (("true", batch.truth, lowest_truth), ("predicted", prediction_of(batch), lowest_prediction))
    for word, values, lowest in sides:
        outside = values[values <= lowest]
        if outside.size:
            bound = "0 or more" if -1 < lowest < 0 else f"above {lowest:g}"
            raise DataError(
                f"{name} needs {word} values {bound}, and {outside.size:,} are not, such as {outside[0]:.6g}",
                fix="use mse or mae, which take any numbers",
            )
