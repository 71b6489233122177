"""What can be observed of a setting: the features by which a card is found again."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import isfinite
from typing import Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.formulas import Metric
from heldout.lab.worlds import Pair, World, metric_in, world
from heldout.verbs.influence import unit_influence
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

ROWS = 20_000
"""Rows of the one large draw that features come from."""
DIGITS = 3


def features(word: str, n: int, metric: str) -> dict[str, Any]:
    """Events, classes, ties, spread of units, skewness, design effect and autocorrelation, as a card has them.

    >>> features("labels:prevalence=0.1", 100, "recall")["events"] < 5
    True
    """
    place = world(word)
    batch, alone = _pilot(word)
    named = metric_in(place, metric)
    weight = np.ones(batch.rows) if batch.weight is None else batch.weight
    moved = _moved(alone, named)
    return {
        "events": round(n * _rarest(alone, named), DIGITS),
        "classes": len(batch.labels) if batch.task in ("binary", "multiclass", "multilabel") else None,
        "ties": _ties(batch),
        "spread": _spread(place, n),
        "skewness": _rounded(_skewness(moved)),
        "design_effect": _rounded(batch.rows * float(np.sum(weight**2)) / float(weight.sum()) ** 2),
        "autocorrelation": _rounded(_next_to(moved)),
    }


@lru_cache(maxsize=8)
def _pilot(word: str) -> tuple[Batch, Measurement]:
    """A large draw of the first model, and its rows each by itself and unweighted."""
    place, rng = world(word), np.random.default_rng(12)
    drawn = place.draw(ROWS, rng)[place.models[0]] if isinstance(place, Pair) else place.draw(ROWS, rng)
    recipe = place.recipes[0] if isinstance(place, Pair) else place.recipe
    return drawn, Measurement(replace(drawn, unit=None, weight=None), Settings(cost=recipe.cost))


def _rarest(alone: Measurement, metric: Metric) -> float:
    """The share of the rows that are the rarest thing which a metric rests on."""
    batch = alone.batch
    if metric.reads in ("labels", "marks"):
        sums = alone.tally(metric).sums  # type: ignore[attr-defined]
        if metric.one_class:
            cells = [float(sums[name][batch.positive]) for name in metric.needs]
        elif metric.name in ("accuracy", "error_rate") or metric.name.endswith("_micro"):
            cells = [float(np.sum(sums["tp"])), float(np.sum(sums["fn"]))]
        else:
            cells = (np.asarray(sums["tp"]) + np.asarray(sums["fn"])).tolist()
        return min((cell for cell in cells if cell > 0), default=0.0) / batch.rows
    if batch.task in ("binary", "multiclass") and metric.reads in ("scores", "columns", "reliability"):
        sizes = np.bincount(batch.truth, minlength=len(batch.labels))
        return float(sizes.min()) / batch.rows
    if metric.reads in ("losses", "numbers") and metric.needs:
        column = alone.row(metric, metric.needs[0])
        return float(np.mean(column != 0))  # rows that add nothing tell nothing of how large the others are
    return 1.0


def _ties(batch: Batch) -> float:
    """The chance that two rows have the same score."""
    if batch.score is None or batch.score.ndim != 1:
        return 0.0
    counts = np.unique(batch.score, return_counts=True)[1].astype(float)
    return round(float(np.sum(counts * (counts - 1)) / (batch.rows * (batch.rows - 1))), 4)


def _spread(place: World | Pair, n: int) -> float:
    """Coefficient of variation of the sizes of units."""
    unit = place.drawing.units(n)
    if unit is None:
        return 0.0
    sizes = np.bincount(unit)
    return round(float(sizes.std() / sizes.mean()), DIGITS)


def _moved(alone: Measurement, metric: Metric) -> Array | None:
    """How far each row moves the value; None where the metric is not smooth."""
    moved = unit_influence(alone, metric, alone.batch.positive if metric.one_class else None)
    return None if moved is None or moved.ndim != 1 or not np.all(np.isfinite(moved)) else moved - moved.mean()


def _skewness(moved: Array | None) -> float:
    squares = 0.0 if moved is None else float(np.mean(moved**2))
    return float(np.mean(moved**3) / squares**1.5) if moved is not None and squares > 0 else np.nan


def _next_to(moved: Array | None) -> float:
    squares = 0.0 if moved is None else float(np.sum(moved**2))
    return float(np.sum(moved[1:] * moved[:-1]) / squares) if moved is not None and squares > 0 else np.nan


def _rounded(number: float) -> float | None:
    return round(number, DIGITS) if isfinite(number) else None
