"""Metrics of several targets: each of them, or their mean."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.estimates import Estimate
from heldout.estimates.value_with_interval import with_value
from heldout.formulas import Metric
from heldout.formulas.regression import over_targets
from heldout.metrics.reading import Rows, within

MultiOutput = Literal["raw_values", "uniform_average"] | ArrayLike


MultiOutputVariance = Literal["raw_values", "uniform_average", "variance_weighted"] | ArrayLike | None


def over_outputs(rows: Rows, metric: Metric, multioutput: MultiOutputVariance) -> Estimate | list[Estimate]:
    """A metric of one target; of several, each of them or their mean."""
    weights = target_weights(rows, multioutput)
    if isinstance(multioutput, str) and multioutput == "raw_values":
        return _each(rows, metric)
    if rows.batch.truth.ndim == 1 or weights is None:
        return rows.estimate(metric)
    if metric.reads == "ordered":
        return mean_of_targets(_each(rows, metric), weights)
    return rows.estimate(over_targets(metric, weights))


def _each(rows: Rows, metric: Metric) -> list[Estimate]:
    return (
        [rows.estimate(metric)] if rows.batch.truth.ndim == 1 else rows.each(metric, range(rows.batch.truth.shape[1]))
    )


def mean_of_targets(estimates: list[Estimate], weights: Array | None) -> Estimate:
    """The weighted mean of values whose intervals do not add up: the mean of their ends."""
    value, low, high = (
        float(np.average([getattr(one, end) for one in estimates], weights=weights)) for end in ("value", "low", "high")
    )
    words = f"mean of the targets' intervals ({estimates[0].method})"
    return with_value(estimates[0], value, low=low, high=high, method=words, measured_as=None)


def target_weights(rows: Rows, multioutput: MultiOutputVariance) -> Array | None:
    """The weights of the targets; None for their plain mean."""
    if multioutput is None or isinstance(multioutput, str):
        within(multioutput, "multioutput", ("uniform_average", "raw_values"))
        return None
    weights = np.asarray(multioutput, dtype=float)
    count = 1 if rows.batch.truth.ndim == 1 else rows.batch.truth.shape[1]
    if weights.shape != (count,):
        raise UsageError(
            f"multioutput has {weights.size} weights, and y_true has {count} column{'s' if count > 1 else ''}",
            fix="pass multioutput='uniform_average', or one weight per column",
        )
    if weights.sum() == 0:
        raise UsageError(
            f"multioutput is {weights.tolist()}, and weights that sum to 0 have no mean", fix="change them"
        )
    return weights


def one_target(rows: Rows, name: str) -> Rows:
    """Refuse several targets."""
    if rows.batch.truth.ndim == 2:
        raise UsageError(
            f"{name} is for one target, and y_true has {rows.batch.truth.shape[1]} columns",
            fix="call it for each column",
        )
    return rows
