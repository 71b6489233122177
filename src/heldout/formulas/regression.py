"""Formulas on sums of errors; several targets give one value each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import signature

import numpy as np

from heldout.batch import Array
from heldout.formulas.metric_type import Metric


def mae(absolute_errors: Array, rows: Array) -> Array:
    """Mean absolute error: mean of |t - p|."""
    return absolute_errors / rows


def mse(squared_errors: Array, rows: Array) -> Array:
    """Mean squared error: mean of (t - p)²."""
    return squared_errors / rows


def rmse(squared_errors: Array, rows: Array) -> Array:
    """Root of the mean squared error."""
    return np.sqrt(squared_errors / rows)


def mape(relative_errors: Array, rows: Array) -> Array:
    """Mean absolute error as a share of the truth: mean of |t - p| / |t|; undefined where a target is zero."""
    return relative_errors / rows


def floored_mape(floored_relative_errors: Array, rows: Array) -> Array:
    """Mean absolute error as a share of the truth, whose size counts as 2.2e-16 at least."""
    return floored_relative_errors / rows


def mspe(squared_relative_errors: Array, rows: Array) -> Array:
    """Mean squared error as a share of the truth: mean of ((t - p) / t)²; undefined where a target is zero."""
    return squared_relative_errors / rows


def rmspe(squared_relative_errors: Array, rows: Array) -> Array:
    """Root of the mean squared percentage error."""
    return np.sqrt(squared_relative_errors / rows)


def wmape(absolute_errors: Array, absolute_targets: Array) -> Array:
    """Total absolute error as a share of the total size of the truth: sum |t - p| / sum |t|."""
    return absolute_errors / absolute_targets


def r2(squared_errors: Array, targets: Array, squared_targets: Array, rows: Array) -> Array:
    """Share of the spread of the truth that is explained: 1 - sum (t - p)² / sum (t - mean t)²."""
    return 1 - squared_errors / spread_of_targets(targets, squared_targets, rows)


def explained_variance(
    errors: Array, squared_errors: Array, targets: Array, squared_targets: Array, rows: Array
) -> Array:
    """Share of the variance of the truth that is explained, a constant error set aside: 1 - Var(t - p) / Var(t)."""
    return 1 - (squared_errors - errors**2 / rows) / spread_of_targets(targets, squared_targets, rows)


ROUNDING = 1e-12
"""What is left of a difference of two sums that are equal but for less than this part of them is rounding."""


def spread_of_targets(targets: Array, squared_targets: Array, rows: Array) -> Array:
    """The sum of squared distances of the truth from its mean; 0 where it is constant, with weights too.

    >>> float(spread_of_targets(np.array(0.3), np.array(0.03), np.array(3.0)))
    0.0
    """
    found = squared_targets - targets**2 / rows
    return np.asarray(np.where(found > ROUNDING * squared_targets, found, 0.0))


def mean_error(errors: Array, rows: Array) -> Array:
    """Mean of truth minus prediction, t - p: positive where predictions are too low; bias, p - t, is its negative."""
    return errors / rows


def pinball(pinball_losses: Array, rows: Array) -> Array:
    """Mean loss of a predicted quantile: q times the shortfall, or 1 - q times the excess."""
    return pinball_losses / rows


def over_targets(metric: Metric, weights: Array | None = None) -> Metric:
    """The mean of a metric over targets, plain or with these weights."""

    def formula(**sums: Array) -> Array:
        return np.asarray(np.average(metric.formula(**sums), axis=-1, weights=weights))

    formula.__signature__ = metric.signature  # type: ignore[attr-defined]
    formula.__doc__ = f"Mean over targets: {metric.definition}"
    return replace(metric, formula=formula, interval="average", via=None, joint=True)


def pooled_explained(metric: Metric) -> Metric:
    """The mean of a share of explained variance over targets by their variance: residual and total spread are added."""

    def formula(**sums: Array) -> Array:
        spread = spread_of_targets(sums["targets"], sums["squared_targets"], sums["rows"])
        explained = np.where(spread > 0, metric.formula(**sums) * spread, 0.0)
        return explained.sum(axis=-1) / spread.sum(axis=-1)

    formula.__signature__ = metric.signature  # type: ignore[attr-defined]
    formula.__doc__ = f"Mean over targets by their variance: {metric.definition}"
    return replace(metric, formula=formula, interval="average", via=None, joint=True)


def finite(formula: Callable[..., Array]) -> Callable[..., Array]:
    """A share of explained loss with 1 in the place of 0/0 and 0 in the place of -inf, where the truth is constant."""

    def made(**sums: Array) -> Array:
        value = formula(**sums)
        return np.where(np.isnan(value), 1.0, np.where(np.isneginf(value), 0.0, value))

    made.__signature__ = signature(formula)  # type: ignore[attr-defined]
    made.__doc__ = formula.__doc__
    return made


def msle(squared_log_errors: Array, rows: Array) -> Array:
    """Mean squared logarithmic error: mean of (ln(1 + t) - ln(1 + p))²; all numbers must be above -1."""
    return squared_log_errors / rows


def rmsle(squared_log_errors: Array, rows: Array) -> Array:
    """Root of the mean squared logarithmic error."""
    return np.sqrt(squared_log_errors / rows)


def poisson_deviance(poisson_deviances: Array, rows: Array) -> Array:
    """Mean Poisson deviance: mean of 2 (t ln(t / p) - t + p); truth 0 or more, predictions above 0 [jorgensen87]."""
    return poisson_deviances / rows


def gamma_deviance(gamma_deviances: Array, rows: Array) -> Array:
    """Mean gamma deviance: mean of 2 (ln(p / t) + t / p - 1); all numbers must be above 0 [jorgensen87]."""
    return gamma_deviances / rows


def tweedie_deviance(deviances: Array, rows: Array) -> Array:
    """Mean Tweedie deviance, for a variance of mean**power: 0 is squared error, 1 Poisson, 2 gamma [jorgensen87]."""
    return deviances / rows


def median_absolute_error(ordered: Array, mass: Array) -> Array:
    """The middle of |t - p|: half of the rows are off by less.

    >>> median_absolute_error(np.array([1.0, 2.0, 4.0, 8.0]), np.ones(4))
    array(3.)
    """
    reached = np.cumsum(mass, axis=-1)
    half = reached[..., -1:] / 2
    lower = np.argmax(reached >= half * (1 - 1e-12), axis=-1)
    upper = np.argmax(reached > half * (1 + 1e-12), axis=-1)
    middle: Array = (ordered[lower] + ordered[upper]) / 2
    return np.asarray(middle)


def max_error(ordered: Array, mass: Array) -> Array:
    """The largest |t - p|."""
    last = mass.shape[-1] - 1 - np.argmax(mass[..., ::-1] > 0, axis=-1)
    return np.asarray(ordered[last])
