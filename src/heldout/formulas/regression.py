"""Formulas on sums of errors; several targets give one value each."""

from __future__ import annotations

import numpy as np

from heldout.batch import Array


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
    return 1 - squared_errors / (squared_targets - targets**2 / rows)


def mean_error(errors: Array, rows: Array) -> Array:
    """Mean of t - p: positive where predictions are too low."""
    return errors / rows


def pinball(pinball_losses: Array, rows: Array) -> Array:
    """Mean loss of a predicted quantile: q times the shortfall, or 1 - q times the excess."""
    return pinball_losses / rows


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
