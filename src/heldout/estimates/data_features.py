"""The features of data that decide how well an interval does on them, read off the tally of a metric."""

from __future__ import annotations

from math import nan, sqrt
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.cards.features import Features
from heldout.estimates.question import Question
from heldout.estimates.ranking import contests_of
from heldout.formulas import METRICS, Metric
from heldout.tallies import Sums, Tally
from heldout.tallies.cells import Cells
from heldout.tallies.grouped_cells import GroupedCells
from heldout.tallies.moments import Moments
from heldout.tallies.reliability import Reliability
from heldout.tallies.score_columns import ScoreColumns
from heldout.tallies.units import COUNTS, Units

LARGE = 100_000
"""From so many units on, skewness no longer matters and is not computed."""


def data_features(metric: Metric, tally: Tally, *, label: int | None = None, skewed: bool = True) -> Features:
    """What of these data matters for the interval of a metric; without skewness where that is not wanted.

    >>> from heldout.tallies.cells import cells_of_counts
    >>> found = data_features(METRICS["accuracy"], cells_of_counts(np.array([[90, 3], [2, 5]])))
    >>> found.units, found.events, found.classes
    (100, 5.0, 2.0)
    """
    return features_of(Question(metric=metric, tally=tally, level=0.95, label=label), skewed=skewed)


def features_of(asked: Question, *, skewed: bool = True, autocorrelation: float = 0.0) -> Features:
    """The same of a question that was asked already, whose sums and gradient are known."""
    tally = asked.tally
    with np.errstate(all="ignore"):
        return Features(
            units=tally.units,
            events=_events(asked),
            classes=_classes(asked),
            ties=_ties(tally),
            unit_spread=_unit_spread(tally),
            skewness=_skewness(asked) if skewed and tally.units < LARGE else nan,
            design_effect=_design_effect(tally),
            autocorrelation=autocorrelation,
        )


def _events(asked: Question) -> float:
    """The smallest count that the metric rests on."""
    metric, tally = asked.metric, asked.tally
    if isinstance(tally, Reliability):
        return _smaller(float(np.count_nonzero(tally.happened)), len(tally.happened))
    if isinstance(tally, ScoreColumns):
        return float(tally.sizes.min())
    ranked = _ranked(tally)
    if ranked:
        return min(float(np.sum(part)) for part in ranked.values())
    if isinstance(tally, Cells | GroupedCells) or metric.reads == "marks":
        return _of_cells(metric, {name: np.asarray(part, dtype=float) for name, part in asked.sums.items()})
    if isinstance(tally, Units) and metric.interval != "corpus" and tally.units < LARGE:
        return float(
            np.min([np.sum(tally.lines[_differs(column)]) for column in _columns(metric, tally)] or [tally.units])
        )
    return float(tally.units)


def _of_cells(metric: Metric, sums: dict[str, Array]) -> float:
    """Of label metrics: right and wrong rows, the cells of the class, or the smallest class of a mean."""
    behind = METRICS[metric.via[0]] if metric.via else metric
    if metric.one_class:
        return float(min(np.min(sums[name]) for name in metric.needs if name in sums))
    if behind.interval == "share":
        right, wrong = float(np.sum(sums["tp"])), float(np.sum(sums["fn"]))
        return min(right, wrong)
    if np.size(sums["tp"]) == 2:
        return float(min(np.min(sums[name]) for name in ("tp", "fp", "fn", "tn") if name in sums))
    if metric.name.endswith(("_micro", "_samples")):
        return float(min(np.sum(sums[name]) for name in ("tp", "fp", "fn") if name in sums))
    there = sums["tp"] + sums.get("fn", np.zeros(1))
    if metric.name.startswith("precision") and "fp" in sums:
        there = np.minimum(there, sums["tp"] + sums["fp"])
    return float(np.min(there))


def _columns(metric: Metric, tally: Units) -> list[Array]:
    """What units add to the sums of losses: the numerators."""
    named = [name for name in metric.needs if name != "rows" and name in tally.added]
    return [tally.added[name] for name in named if tally.added[name].ndim == 1]


def _differs(column: Array) -> Array:
    """Which units add something other than nothing."""
    return np.asarray(column != 0)


def _smaller(part: float, whole: float) -> float:
    return min(part, whole - part)


def _classes(asked: Question) -> float:
    tally = asked.tally
    if isinstance(tally, Cells | GroupedCells | ScoreColumns):
        return 2.0 if asked.metric.one_class else float(tally.classes)
    if asked.metric.reads == "marks" or isinstance(tally, Units):
        widths = [np.shape(part)[-1] for part in asked.summed.sums.values() if np.ndim(part) == 1]
        return float(max(widths, default=1))
    return 1.0


def _ranked(tally: Any) -> Sums:
    """Rows of both classes at each distinct score, of tallies that keep the order of scores; of others nothing."""
    sums: Sums = getattr(tally, "sums", {})
    return sums if sums.keys() == {"positives", "negatives"} else {}


def _ties(tally: Any) -> float:
    """Share of rows whose score a row of the other class has, too: other ties do not change a ranking's value."""
    ranked = _ranked(tally)
    if not ranked:
        return 0.0
    positives, negatives = ranked.values()
    both = (positives > 0) & (negatives > 0)
    total = float(np.sum(positives) + np.sum(negatives))
    return float(np.sum(positives[both]) + np.sum(negatives[both])) / total if total else 0.0


def _unit_spread(tally: Any) -> float:
    """Coefficient of variation of the rows per unit."""
    if not tally.clustered:
        return 0.0
    if isinstance(tally, Cells) and tally.unit is not None:
        rows = np.bincount(tally.unit, weights=tally.rows, minlength=tally.units)
    elif isinstance(tally, Units):
        if "rows" not in tally.added or tally.weighted:
            return nan
        rows = (
            np.repeat(tally.added["rows"], tally.lines.astype(int)) if tally.alike is not None else tally.added["rows"]
        )
    elif getattr(tally, "unit", None) is not None:
        rows = np.bincount(tally.unit, minlength=tally.units)
    elif hasattr(tally, "worth"):  # of sums over chunks: n / (1 + cv^2) units of equal size
        return sqrt(max(tally.units / tally.worth() - 1, 0.0))
    else:
        return nan
    mean = float(np.mean(rows))
    return float(np.std(rows)) / mean if mean else nan


def _design_effect(tally: Any) -> float:
    """How much weights raise the variance of a mean: n sum w^2 / (sum w)^2."""
    if not tally.weighted:
        return 1.0
    if isinstance(tally, Units | Moments):  # of clusters their rows are not known
        counted = next((name for name in COUNTS if name in tally.squares), None)
        if counted is None or tally.clustered or np.ndim(tally.squares[counted]):
            return nan
        return float(tally.units * tally.squares[counted] / tally.sums[counted] ** 2)
    weight = getattr(tally, "weight", None)
    if weight is None:
        return nan
    rows = tally.rows if isinstance(tally, Cells) else np.ones(len(weight))
    return float(np.sum(rows) * np.sum(rows * weight**2) / np.sum(rows * weight) ** 2)


def _skewness(asked: Question) -> float:
    """Absolute skewness of how far units move the value; nan where the metric is not smooth."""
    tally: Any = asked.tally
    if isinstance(tally, ScoreColumns):
        moved, lines = contests_of(asked.metric, tally).moved, None
        if tally.unit is not None:
            moved = np.bincount(tally.unit, weights=moved, minlength=tally.units)
    elif hasattr(tally, "influence") and (asked.metric.reads != "scores" or asked.metric.slopes is not None):
        moved, lines = tally.influence(asked.gradient), tally.lines
    else:
        return nan
    return skewness(moved, lines)


def skewness(values: Array, counts: Array | None = None) -> float:
    """Absolute skewness of values, each counted so often; 0 where they do not vary.

    >>> skewness(np.array([-1.0, 0.0, 1.0])), round(skewness(np.array([0.0, 1.0]), np.array([90, 10])), 3)
    (0.0, 2.667)
    """
    lines = np.ones(len(values)) if counts is None else counts
    total = float(np.sum(lines))
    if not total:
        return nan
    apart = values - float(lines @ values) / total
    variance = float(lines @ apart**2) / total
    if not variance > 0:
        return 0.0 if variance == 0 else nan
    return abs(float(lines @ apart**3) / total) / variance / sqrt(variance)
