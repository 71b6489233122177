"""Errors and deviances of predicted numbers, of one target or several."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import Side
from heldout.estimates.value_with_interval import with_value
from heldout.formulas import METRICS
from heldout.formulas.families import floored_mape, pinball, tweedie_deviance
from heldout.metrics.documentation import documented
from heldout.metrics.multioutput import MultiOutput, one_target, over_outputs
from heldout.metrics.reading import Options, RandomState, read_numbers


@documented
def mean_absolute_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutput = "uniform_average",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """Mean of |t - p|.

    Examples
    --------
    >>> from heldout.metrics import mean_absolute_error
    >>> mean_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.50 [0.00, 1.15]
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    return over_outputs(read_numbers(y_true, y_pred, options), METRICS["mae"], multioutput)


@documented
def mean_squared_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutput = "uniform_average",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """Mean of (t - p)².

    Examples
    --------
    >>> from heldout.metrics import mean_squared_error
    >>> float(mean_squared_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]))
    0.375
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    return over_outputs(read_numbers(y_true, y_pred, options), METRICS["mse"], multioutput)


@documented
def root_mean_squared_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutput = "uniform_average",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """Root of the mean of (t - p)².

    Examples
    --------
    >>> from heldout.metrics import root_mean_squared_error
    >>> round(float(root_mean_squared_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])), 4)
    0.6124
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    return over_outputs(read_numbers(y_true, y_pred, options), METRICS["rmse"], multioutput)


@documented
def mean_squared_log_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutput = "uniform_average",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """Mean of (ln(1 + t) - ln(1 + p))²; all numbers must be above -1.

    Examples
    --------
    >>> from heldout.metrics import mean_squared_log_error
    >>> round(float(mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8])), 4)
    0.0397
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    return over_outputs(read_numbers(y_true, y_pred, options), METRICS["msle"], multioutput)


@documented
def root_mean_squared_log_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutput = "uniform_average",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """Root of the mean of (ln(1 + t) - ln(1 + p))²; all numbers must be above -1.

    Examples
    --------
    >>> from heldout.metrics import root_mean_squared_log_error
    >>> round(float(root_mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8])), 4)
    0.1993
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    return over_outputs(read_numbers(y_true, y_pred, options), METRICS["rmsle"], multioutput)


@documented
def mean_absolute_percentage_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutput = "uniform_average",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """Mean of |t - p| / |t|; as in scikit-learn, |t| is 2.2e-16 at least, and a note says where a target is zero.

    One target of zero makes the mean huge: `mean_absolute_error` is the better choice there.

    Examples
    --------
    >>> from heldout.metrics import mean_absolute_percentage_error
    >>> round(float(mean_absolute_percentage_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])), 4)
    0.3274
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = read_numbers(y_true, y_pred, options)
    tiny = np.abs(rows.batch.truth) < np.finfo(float).eps
    if not np.any(tiny):
        return over_outputs(rows, METRICS["mape"], multioutput)
    found = over_outputs(rows, floored_mape(), multioutput)
    if isinstance(found, Estimate):
        return _noted_zeros(found, tiny)
    return [_noted_zeros(one, of_target) for one, of_target in zip(found, np.atleast_2d(tiny.T), strict=True)]


def _noted_zeros(estimate: Estimate, tiny: Array) -> Estimate:
    """The estimate with a note on rows whose target is zero, or a rounding error away from it."""
    rows = np.flatnonzero(tiny if tiny.ndim == 1 else tiny.any(axis=1)) + 1
    if not rows.size:
        return estimate
    which = f"row {rows[0]} has" if rows.size == 1 else f"{rows.size} rows have"
    first = "" if rows.size == 1 else f", the first of them row {rows[0]}"
    note = (
        f"{which} a target of zero{first}: errors there are divided by 2.2e-16 instead; mean_absolute_error needs no "
        "division"
    )
    return with_value(estimate, estimate.value, notes=(*estimate.notes, note))


@documented
def median_absolute_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    multioutput: MultiOutput = "uniform_average",
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """The middle of |t - p|: half of the rows are off by less.

    Examples
    --------
    >>> from heldout.metrics import median_absolute_error
    >>> float(median_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]))
    0.5
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    return over_outputs(read_numbers(y_true, y_pred, options), METRICS["median_absolute_error"], multioutput)


@documented
def max_error(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """The largest |t - p|; its interval has no upper end, because a new row may exceed it.

    Examples
    --------
    >>> from heldout.metrics import max_error
    >>> float(max_error([3, 2, 7, 1], [4, 2, 7, 1]))
    1.0
    """
    options = Options(None, groups, confidence_level, method, side, n_resamples, random_state)
    rows = one_target(read_numbers(y_true, y_pred, options), "max_error")
    return rows.estimate("max_error")


@documented
def mean_pinball_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    alpha: float = 0.5,
    multioutput: MultiOutput = "uniform_average",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """Mean loss of a predicted quantile: alpha times a shortfall, or 1 - alpha times an excess.

    Parameters
    ----------
    alpha : float, default: 0.5
        Level of the predicted quantile, in [0, 1].

    Examples
    --------
    >>> from heldout.metrics import mean_pinball_loss
    >>> round(float(mean_pinball_loss([1, 2, 3], [0, 2, 3], alpha=0.9)), 4)
    0.3
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    if not 0 <= alpha <= 1:
        raise UsageError(f"alpha is {alpha!r}, but must lie in [0, 1]", fix="pass alpha=0.5 for the median")
    return over_outputs(read_numbers(y_true, y_pred, options), pinball(alpha), multioutput)


@documented
def mean_poisson_deviance(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Mean Poisson deviance: mean of 2 (t ln(t / p) - t + p).

    Examples
    --------
    >>> from heldout.metrics import mean_poisson_deviance
    >>> round(float(mean_poisson_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0])), 4)
    1.426
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    return one_target(read_numbers(y_true, y_pred, options), "mean_poisson_deviance").estimate("poisson_deviance")


@documented
def mean_gamma_deviance(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Mean gamma deviance: mean of 2 (ln(p / t) + t / p - 1); all numbers must be above 0.

    Examples
    --------
    >>> from heldout.metrics import mean_gamma_deviance
    >>> round(float(mean_gamma_deviance([2, 0.5, 1, 4], [0.5, 0.5, 2.0, 2.0])), 4)
    1.0569
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    return one_target(read_numbers(y_true, y_pred, options), "mean_gamma_deviance").estimate("gamma_deviance")


@documented
def mean_tweedie_deviance(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    power: float = 0,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Mean deviance of the Tweedie family, whose variance is mean**power.

    Parameters
    ----------
    power : float, default: 0
        0 is the squared error, 1 Poisson, 2 gamma, 3 inverse Gaussian; 0 or less, or 1 or more.

    Examples
    --------
    >>> from heldout.metrics import mean_tweedie_deviance
    >>> round(float(mean_tweedie_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0], power=1)), 4)
    1.426
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = one_target(read_numbers(y_true, y_pred, options), "mean_tweedie_deviance")
    return rows.estimate(tweedie_deviance(tweedie_power(power)))


def tweedie_power(power: float) -> float:
    """Refuse a power for which there is no Tweedie distribution."""
    if 0 < power < 1:
        raise UsageError(f"power is {power!r}, but must be 0 or less, or 1 or more", fix="pass power=1 for Poisson")
    return power
