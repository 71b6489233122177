"""Shares of explained loss of predicted numbers: R², explained variance and D² scores."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, isnan, nan

import numpy as np
from numpy.typing import ArrayLike

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import Side
from heldout.estimates.value_with_interval import with_value
from heldout.formulas import METRICS, Metric
from heldout.formulas.families import d2_pinball, d2_tweedie
from heldout.formulas.regression import finite, pooled_explained
from heldout.metrics.documentation import documented
from heldout.metrics.multioutput import (
    MultiOutput,
    MultiOutputVariance,
    mean_of_targets,
    one_target,
    over_outputs,
    target_weights,
)
from heldout.metrics.reading import Options, RandomState, Rows, instead, read_numbers
from heldout.metrics.regression import tweedie_power


@documented
def r2_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutputVariance = "uniform_average",
    force_finite: bool = True,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """Share of the spread of y_true that is explained: 1 - sum (t - p)² / sum (t - mean t)².

    Parameters
    ----------
    multioutput : {'uniform_average', 'raw_values', 'variance_weighted'}, None or array-like of shape (n_outputs,)
        Of several targets: their plain mean (also None), a list with one estimate per target, a mean by the variance of
        each target, or a mean with these weights (default: 'uniform_average').

    Examples
    --------
    >>> from heldout.metrics import r2_score
    >>> round(float(r2_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])), 4)
    0.9486
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = read_numbers(y_true, y_pred, options)
    of_targets = "uniform_average" if multioutput is None else multioutput
    return _explained(rows, METRICS["r2"], of_targets, force_finite=force_finite, variance=True)


@documented
def explained_variance_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    multioutput: MultiOutputVariance = "uniform_average",
    force_finite: bool = True,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate | list[Estimate]:
    """Share of the variance of y_true that is explained, a constant error set aside: 1 - Var(t - p) / Var(t).

    Parameters
    ----------
    multioutput : {'uniform_average', 'raw_values', 'variance_weighted'}, None or array-like of shape (n_outputs,)
        Of several targets: their plain mean (also None), a list with one estimate per target, a mean by the variance of
        each target, or a mean with these weights (default: 'uniform_average').

    Examples
    --------
    >>> from heldout.metrics import explained_variance_score
    >>> round(float(explained_variance_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])), 4)
    0.9572
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = read_numbers(y_true, y_pred, options)
    return _explained(rows, METRICS["explained_variance"], multioutput, force_finite=force_finite, variance=True)


@documented
def d2_absolute_error_score(
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
    """Share of the absolute error of always predicting the median of y_true that is saved.

    Examples
    --------
    >>> from heldout.metrics import d2_absolute_error_score
    >>> round(float(d2_absolute_error_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])), 4)
    0.7647
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    return _explained(read_numbers(y_true, y_pred, options), METRICS["d2_absolute_error"], multioutput)


@documented
def d2_pinball_score(
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
    """Share of the pinball loss of always predicting the alpha quantile of y_true that is saved.

    Parameters
    ----------
    alpha : float, default: 0.5
        Level of the predicted quantile, in [0, 1].

    Examples
    --------
    >>> from heldout.metrics import d2_pinball_score
    >>> round(float(d2_pinball_score([1, 2, 3], [1, 3, 3], alpha=0.9)), 4)
    0.6667
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    if not 0 <= alpha <= 1:
        raise UsageError(f"alpha is {alpha!r}, but must lie in [0, 1]", fix="pass alpha=0.5 for the median")
    return _explained(read_numbers(y_true, y_pred, options), d2_pinball(alpha), multioutput)


@documented
def d2_tweedie_score(
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
    """Share of the Tweedie deviance of always predicting the mean of y_true that is saved.

    Parameters
    ----------
    power : float, default: 0
        0 is R², 1 Poisson, 2 gamma, 3 inverse Gaussian; 0 or less, or 1 or more.

    Examples
    --------
    >>> from heldout.metrics import d2_tweedie_score
    >>> round(float(d2_tweedie_score([0.5, 1, 2.5, 7], [1, 1, 5, 3.5], power=1)), 4)
    0.4879
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = one_target(read_numbers(y_true, y_pred, options), "d2_tweedie_score")
    found = _explained(rows, d2_tweedie(tweedie_power(power)), "uniform_average", force_finite=False)
    assert isinstance(found, Estimate)
    return found


def _explained(
    rows: Rows,
    metric: Metric,
    multioutput: MultiOutputVariance,
    *,
    force_finite: bool = True,
    variance: bool = False,
) -> Estimate | list[Estimate]:
    """A share of explained loss; where the truth is constant, 1 or 0 in the place of nan or -inf."""
    if rows.batch.rows < 2 and metric.name != "explained_variance":  # of one row, scikit-learn's is 1
        why = f"{metric.name} is not defined for one row"
        undefined = instead(with_value(rows.estimate(metric), nan), nan, warn=True, why=why)
        return [undefined] if isinstance(multioutput, str) and multioutput == "raw_values" else undefined
    if variance and isinstance(multioutput, str) and multioutput == "variance_weighted":
        constant = np.ptp(rows.batch.truth, axis=0) == 0
        if np.all(constant) or rows.batch.truth.ndim == 1:
            multioutput = "uniform_average"  # as in scikit-learn: no target has a weight
        else:
            return _weighted_by_variance(rows, metric, constant, force_finite=force_finite)
    if rows.batch.truth.ndim == 2:
        by_target = _by_target(rows, metric)
        if not np.any(np.isfinite(by_target)):
            return _none_defined(rows, metric, multioutput, force_finite=force_finite)
        if force_finite and not np.all(np.isfinite(by_target)):
            metric = replace(metric, formula=finite(metric.formula))
    found = over_outputs(rows, metric, multioutput)
    if isinstance(found, list):
        return [_filled(one, force_finite=force_finite) for one in found]
    return _filled(found, force_finite=force_finite)


def _weighted_by_variance(rows: Rows, metric: Metric, constant: Array, *, force_finite: bool) -> Estimate:
    """The mean over targets by their variance; without force_finite, undefined where a target is constant."""
    pooled = rows.estimate(pooled_explained(metric))
    if force_finite or not constant.any():
        return _filled(pooled, force_finite=force_finite)
    note = f"column {int(np.argmax(constant))} of y_true is constant, so that its {metric.name} and its weight are 0/0"
    low, high = metric.range
    return with_value(pooled, nan, low=low, high=high, notes=(*pooled.notes, note))


def _by_target(rows: Rows, metric: Metric) -> Array:
    """The value of each target."""
    return metric(rows.measured(metric).row_sums(metric).sums)


def _none_defined(
    rows: Rows, metric: Metric, multioutput: MultiOutputVariance, *, force_finite: bool
) -> Estimate | list[Estimate]:
    """The same where no target has a value of its own: each, or the mean of what is put in its place."""
    each = over_outputs(rows, metric, "raw_values")
    assert isinstance(each, list)
    filled = [_filled(one, force_finite=force_finite) for one in each]
    if isinstance(multioutput, str) and multioutput == "raw_values":
        return filled
    return mean_of_targets(filled, target_weights(rows, multioutput))


def _filled(found: Estimate, *, force_finite: bool) -> Estimate:
    if isfinite(found.value) or not force_finite:
        return found
    value = 1.0 if isnan(found.value) else 0.0
    return instead(with_value(found, nan), value, why=f"{found.name} is undefined, because y_true is constant")
