"""How far each unit moves the value of a metric: what tests of any smooth metric are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from math import isfinite, nan

import numpy as np

from heldout.batch import Array
from heldout.cards.features import Features
from heldout.estimates.data_features import LARGE, data_features, skewness
from heldout.estimates.question import Question
from heldout.estimates.ranking import contests_of
from heldout.formulas import METRICS, Metric
from heldout.formulas.ranking import roc_auc_moves
from heldout.intervals.long_run import long_run
from heldout.tallies import from_batch as batches
from heldout.tallies.cells import Cells, tally_cells
from heldout.tallies.score_columns import ScoreColumns
from heldout.tallies.scores import tally_scores
from heldout.verbs.measurement import Measurement


def is_smooth(metric: Metric) -> bool:
    """Whether single units move the value of a metric smoothly: only then a difference has a paired test."""
    behind = metric if metric.via is None else METRICS[metric.via[0]]
    return behind.reads not in ("ordered", "reliability")


def unit_influence(measured: Measurement, metric: Metric, label: int | None) -> Array | None:
    """How far each unit moves the value of a metric, units in order; None where the metric is not smooth."""
    if metric.via is not None:
        behind = METRICS[metric.via[0]]
        moved = unit_influence(measured, behind, label)
        return None if moved is None else moved * slope_at(metric.via[1], measured.value(behind))
    if not is_smooth(metric):
        return None
    batch = measured.batch
    weight = np.ones(batch.rows) if batch.weight is None else batch.weight
    if metric.reads == "columns":
        tally = ScoreColumns(truth=batch.truth, score=batch.score, weight=weight, unit=batch.unit)  # type: ignore[arg-type]
        moved = contests_of(metric, tally).moved
        return moved if batch.unit is None else np.bincount(batch.unit, weights=moved)
    if metric.reads == "scores":
        assert batch.score is not None
        if metric.name == "roc_auc" and batch.weight is None and batch.unit is None:
            return roc_auc_moves(batch.score, batch.truth == batch.positive)
        order = tally_scores(batch.score, batch.truth == batch.positive, batch.weight, batch.unit, keep_order=True)
        moved = order.influence(Question(metric=metric, tally=order, level=0.95).gradient)
        return moved if batch.unit is not None else _put_back(moved, order.order)
    classes = len(batch.labels)
    if metric.reads == "labels" and batch.task != "multilabel":
        if batch.unit is None and classes <= MOST_CLASSES:  # rows of a cell move it alike
            moved = cell_influence(classes, _slopes(measured, metric, label))
            moved = moved[batch.truth.astype(np.intp) * classes + batch.prediction]  # type: ignore[operator]
            return moved if batch.weight is None else moved * batch.weight
        tally = tally_cells(batch.truth, batch.prediction, classes, weight, batch.unit)  # type: ignore[arg-type, assignment]
    elif metric.reads in ("labels", "marks"):
        tally = batches.label_marks(batch)  # type: ignore[assignment]
    else:
        tally = measured.row_sums(metric)  # type: ignore[assignment]
        metric = measured.over_targets(metric)
    asked = Question(metric=metric, tally=tally, level=0.95, label=label)
    return tally.influence(asked.gradient)  # type: ignore[attr-defined]


TWICE = 2.0
"""A row without which a metric is undefined moves it twice as far as its influence says, as one of two rows does."""
MOST_CLASSES = 50
"""Up to so many classes a row of every cell is left out in turn; beyond, its influence stands in."""


def gradient_at(measured: Measurement, metric: Metric) -> dict[str, Array] | None:
    """The slopes of a metric at the sums of a model; None if the metric is not finite."""
    if not isfinite(measured.value(metric)):
        return None
    label = measured.batch.positive if metric.one_class else None
    own = METRICS[metric.via[0]] if metric.via else metric
    gradient = _slopes(measured, own, label)
    if metric.via is None:
        return gradient
    slope = slope_at(metric.via[1], measured.value(own))
    return {name: slopes * slope for name, slopes in gradient.items()}


def _slopes(measured: Measurement, metric: Metric, label: int | None) -> dict[str, Array]:
    """The same, worked out once for all tests of a model."""
    key = f"slopes {label} {metric.name}"
    if key not in measured.made:
        asked = Question(metric=metric, tally=measured.tally(metric, label), level=0.95, label=label)
        measured.made[key] = asked.gradient
    slopes: dict[str, Array] = measured.made[key]
    return slopes


@lru_cache(maxsize=8)
def _each_cell(classes: int) -> tuple[Cells, dict[str, Array]]:
    """A row of every cell, by truth * classes + prediction, and what it adds to the sums of each class."""
    truth, said = np.divmod(np.arange(classes**2), max(classes, 1))
    actual, named = np.eye(classes)[truth], np.eye(classes)[said]
    hit = actual * named
    added = {"tp": hit, "fp": named - hit, "fn": actual - hit, "tn": 1 - actual - named + hit}
    return Cells(classes=classes, truth=truth, prediction=said, rows=np.ones(classes**2), units=classes**2), added


def cell_influence(classes: int, gradient: Mapping[str, Array] | None) -> Array:
    """How far a row moves a metric of labels, by truth * classes + prediction; 0 without slopes."""
    if gradient is None:
        return np.zeros(classes**2)
    if classes <= MOST_CLASSES:
        return _each_cell(classes)[0].influence(gradient)
    truth, said = np.divmod(np.arange(classes**2), classes)
    each = Cells(classes=classes, truth=truth, prediction=said, rows=np.ones(classes**2), units=classes**2)
    return each.influence(gradient)


def cell_moves(measured: Measurement, metric: Metric) -> Array:
    """How far a row moves a metric of labels when left out: (n - 1) / n (v - v without it), by cell as above.

    A row of a rare class moves a metric farther than its influence says: at 6 positive rows of 60, Student's t on
    influence rejects too often, on rows left out less, and adjusted for skewness least. For rows that count one
    each. Where classes are many, its influence stands in.
    """
    classes, rows = len(measured.batch.labels), measured.rows
    gradient = gradient_at(measured, metric)
    influence = cell_influence(classes, gradient)
    if gradient is None or classes > MOST_CLASSES:
        return influence
    label = measured.batch.positive if metric.one_class else None
    sums = measured.tally(METRICS[metric.via[0]] if metric.via else metric, label).sums  # type: ignore[attr-defined]
    one_row = _each_cell(classes)[1]
    if label is not None:
        one_row = {name: part[:, label] for name, part in one_row.items()}
        sums = {name: part[..., label] for name, part in sums.items()}
    with np.errstate(divide="ignore", invalid="ignore"):  # nan: the metric is undefined without the row
        without = np.asarray(metric({name: sums[name] - part for name, part in one_row.items()}), dtype=float)
        moved = (rows - 1) / rows * (float(metric(sums)) - without)
    return np.where(np.isfinite(moved), moved, TWICE * influence)


def slope_at(function: Callable[[float], float], at: float) -> float:
    """The derivative of a function, by a five-point rule as that of a metric: a shorter step would lose digits.

    >>> round(slope_at(lambda x: x**2, 3.0), 9)
    6.0
    """
    step = 1e-3 * max(abs(at), 1e-3)
    try:
        more, less, far, back = (function(at + times * step) for times in (1, -1, 2, -2))
        return (8 * (more - less) - (far - back)) / (12 * step)
    except ValueError:  # a root at 0: there is nothing below
        step *= 1e-3
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


def area_variance(moved: Array, positive: Array) -> float:
    """The variance of an area under the ROC curve: squares summed in each class, corrected for bias [delong88].

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
    """Squares summed in each class, corrected for the estimated mean; nan with one row of a class.

    >>> variance_by_class((2, 2), (0.5, 0.125))
    1.25
    """
    if min(sizes) < 2:
        return nan
    return sum(part * size / (size - 1) for part, size in zip(squares, sizes, strict=True))


def pair_features(
    metric: Metric, first: Measurement, second: Measurement, known_skewness: float | None = None
) -> Features:
    """What of two models on the same rows matters for a test of their difference.

    Counts are those of the model that has fewer of what the metric rests on. Of losses there is the skewness of the
    differences between the models, unit by unit, which is known already where rows are read in chunks; other metrics
    are bounded, and their counts say as much.
    """
    label = first.batch.positive if metric.one_class else None
    one, other = (
        data_features(metric, measured.tally(metric, label), label=label, skewed=False) for measured in (first, second)
    )
    losses = metric.reads in ("losses", "numbers") and first.batch.truth.ndim == 1 and one.units < LARGE
    serial = first.batch.time is not None
    compared = serial or (losses and known_skewness is None)
    apart = _unit_differences(metric, first, second, label) if compared else None
    found = known_skewness if apart is None else skewness(apart)
    return replace(
        one,
        events=min(one.events, other.events),
        ties=max(one.ties, other.ties),
        skewness=found if losses and found is not None else nan,
        autocorrelation=(nan if apart is None else long_run(apart).autocorrelation) if serial else 0.0,
    )


def _unit_differences(metric: Metric, first: Measurement, second: Measurement, label: int | None) -> Array | None:
    """How much farther each unit moves the value of one model than that of the other; None where that is not known."""
    with np.errstate(invalid="ignore", over="ignore"):  # an infinite loss has no influence
        moved = [unit_influence(measured, metric, label) for measured in (first, second)]
    if moved[0] is None or moved[1] is None or len(moved[0]) != len(moved[1]):
        return None
    return moved[0] - moved[1]
