"""How far each unit moves the value of a metric: what tests of any smooth metric are made of."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan

import numpy as np

from heldout.batch import Array
from heldout.estimates.question import Question
from heldout.estimates.ranking import contests_of
from heldout.formulas import METRICS, Metric
from heldout.tallies import from_batch as batches
from heldout.tallies.cells import tally_cells
from heldout.tallies.score_columns import ScoreColumns
from heldout.tallies.scores import tally_scores
from heldout.verbs.measurement import Measurement


def unit_influence(measured: Measurement, metric: Metric, label: int | None) -> Array | None:
    """How far each unit moves the value of a metric, units in order; None where the metric is not smooth."""
    if metric.via is not None:
        behind = METRICS[metric.via[0]]
        moved = unit_influence(measured, behind, label)
        return None if moved is None else moved * slope_at(metric.via[1], float(measured.one(behind, label).value))
    if metric.reads in ("ordered", "reliability"):
        return None
    batch = measured.batch
    weight = np.ones(batch.rows) if batch.weight is None else batch.weight
    if metric.reads == "columns":
        tally = ScoreColumns(truth=batch.truth, score=batch.score, weight=weight, unit=batch.unit)  # type: ignore[arg-type]
        moved = contests_of(metric, tally).moved
        return moved if batch.unit is None else np.bincount(batch.unit, weights=moved)
    if metric.reads == "scores":
        order = tally_scores(batch.score, batch.truth == batch.positive, weight, batch.unit)  # type: ignore[arg-type]
        moved = order.influence(Question(metric=metric, tally=order, level=0.95).gradient)
        return moved if batch.unit is not None else _put_back(moved, order.order)
    if metric.reads == "labels" and batch.task != "multilabel":
        tally = tally_cells(batch.truth, batch.prediction, len(batch.labels), weight, batch.unit)  # type: ignore[arg-type, assignment]
    elif metric.reads in ("labels", "marks"):
        tally = batches.label_marks(batch)  # type: ignore[assignment]
    else:
        tally = measured.row_sums(metric)  # type: ignore[assignment]
        metric = measured.over_targets(metric)
    asked = Question(metric=metric, tally=tally, level=0.95, label=label)
    return tally.influence(asked.gradient)  # type: ignore[attr-defined]


def slope_at(function: Callable[[float], float], at: float) -> float:
    """The derivative of a function.

    >>> round(slope_at(lambda x: x**2, 3.0), 6)
    6.0
    """
    step = 1e-6 * max(abs(at), 1e-3)
    try:
        return (function(at + step) - function(at - step)) / (2 * step)
    except ValueError:  # a root at 0: there is nothing below
        return (function(at + step) - function(at)) / step


def _put_back(moved: Array, order: Array | None) -> Array:
    assert order is not None
    found = np.empty_like(moved)
    found[order] = moved
    return found


def influence_variance(moved: Array) -> float:
    """The variance of a value whose units move it so far: n / (n - 1) sum (m - mean m)^2; nan with one unit.

    >>> influence_variance(np.array([-0.5, 0.0, 0.5]))
    0.75
    """
    n = len(moved)
    return float(n / (n - 1) * np.sum((moved - moved.mean()) ** 2)) if n > 1 else nan


def effective_number(parts: Array) -> float:
    """How many equal parts would be as uneven as these: (sum p)^2 / sum p^2; infinite where there is nothing.

    >>> effective_number(np.array([1.0, 1.0, 0.0, 0.0]))
    2.0
    """
    squares = float(np.sum(parts**2))
    return float(np.sum(parts)) ** 2 / squares if squares > 0 else inf


def area_variance(moved: Array, positive: Array) -> float:
    """The variance of an area under the ROC curve: squares added up in each class, each freed of its bias [delong88].

    >>> area_variance(np.array([-0.5, 0.5, 0.25, -0.25]), np.array([True, True, False, False]))
    1.25
    """
    return variance_by_class(*squares_by_class(moved, positive))


def squares_by_class(moved: Array, positive: Array) -> tuple[tuple[int, int], tuple[float, float]]:
    """How many rows are positive and negative, and the sums of squares of how far they move a value."""
    count = int(np.count_nonzero(positive))
    squares = [float(np.sum(moved[chosen] ** 2)) for chosen in (positive, ~positive)]
    return (count, len(positive) - count), (squares[0], squares[1])


def variance_by_class(sizes: tuple[int, int], squares: tuple[float, float]) -> float:
    """Squares added up in each class, each freed of the bias of having estimated its mean; nan with a row of a class.

    >>> variance_by_class((2, 2), (0.5, 0.125))
    1.25
    """
    if min(sizes) < 2:
        return nan
    return sum(part * size / (size - 1) for part, size in zip(squares, sizes, strict=True))
