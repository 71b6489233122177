"""What every threshold would do: the ROC curve, its convex hull, and metrics along the sweep."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heldout.batch import Array
from heldout.curves.bands import GRID, Curve, banded, class_covariance, grid_places
from heldout.errors import UsageError
from heldout.formulas import metric
from heldout.formulas.ranking import densities_at
from heldout.tallies.scores import Scores


def roc_curve(tally: Scores, *, level: float, seed: int) -> Curve:
    """Recall against false positive rate, with bands of recall at given false positive rates."""
    fpr, tpr = _roc_points(tally)
    band = {}
    if _two_classes(tally):
        at = np.linspace(0, 1, GRID)
        places = grid_places(1 - tally.negatives_below[:-1] / tally.negatives_below[-1], at)
        positive, negative = densities_at(tally.positives_below, tally.negatives_below, places)
        covariance = class_covariance(tally, places, np.ones(GRID), -positive / negative)
        smaller = min(tally.positives_below[-1], tally.negatives_below[-1])
        band = banded(at, np.interp(at, fpr, tpr), covariance, level=level, seed=seed, at_edge=smaller)
        band["low"][0] = band["band_low"][0] = 0.0  # a curve that starts at the origin may rise as fast as it likes
    return Curve(
        name="roc",
        x="fpr",
        y="tpr",
        points={"threshold": np.concatenate([[np.inf], tally.values[::-1]]), "fpr": fpr, "tpr": tpr},
        band=band,
        level=level,
        method="influence, sup-t",
    )


def convex_hull_curve(tally: Scores, *, level: float, seed: int) -> Curve:
    """The corners of the least concave curve above the ROC curve."""
    del seed
    fpr, tpr = _roc_points(tally)
    kept = _hull(fpr, tpr)
    thresholds = np.concatenate([[np.inf], tally.values[::-1]])
    points = {"threshold": thresholds[kept], "fpr": fpr[kept], "tpr": tpr[kept]}
    return Curve(name="convex_hull", x="fpr", y="tpr", points=points, level=level)


def sweep_table(tally: Scores, *, level: float, seed: int, metrics: Sequence[str] = ()) -> Curve:
    """Counts at every threshold (scores at or above it are positive), and label metrics of them."""
    del seed
    tp = np.concatenate([[0.0], np.cumsum(tally.positives[::-1])])
    fp = np.concatenate([[0.0], np.cumsum(tally.negatives[::-1])])
    counts = {"tp": tp, "fp": fp, "fn": tp[-1] - tp, "tn": fp[-1] - fp}
    points = {
        "threshold": np.concatenate([[np.inf], tally.values[::-1]]),
        **counts,
        "share": (tp + fp) / (tp[-1] + fp[-1]),
        "likelihood_ratio": _likelihood_ratios(tally),
    }
    for name in metrics:
        points[name] = _along(name, counts)
    notes = ("a threshold chosen here and judged on the same rows looks better than it is",)
    return Curve(
        name="sweep", x="threshold", y=metrics[0] if metrics else "tp", points=points, level=level, notes=notes
    )


def _along(name: str, counts: dict[str, Array]) -> Array:
    found = metric(name)
    if found.reads != "labels":
        raise UsageError(f"{found.name} is not a metric of labels, so it has no value at a threshold")
    if found.one_class:
        return found(counts)
    both = {
        name: np.stack([counts[other], counts[name]], axis=-1)
        for name, other in (("tp", "tn"), ("fp", "fn"), ("fn", "fp"), ("tn", "tp"))
    }
    return found(both)


def _hull(x: Array, y: Array) -> Array:
    """Positions of the corners of the upper hull, by Andrew's sweep over points sorted by x, then y.

    Only points where the curve turns down can be corners, and these are few: the loop is over them.
    """
    rise, run = np.diff(y), np.diff(x)
    steeper = rise[:-1] * run[1:] > rise[1:] * run[:-1]
    corners: list[int] = []
    for at in np.concatenate([[0], np.flatnonzero(steeper) + 1, [len(x) - 1]]).tolist():
        while len(corners) >= 2 and _turns_left(x, y, corners[-2], corners[-1], at):
            corners.pop()
        corners.append(at)
    return np.array(corners)


def _turns_left(x: Array, y: Array, a: int, b: int, c: int) -> bool:
    return bool((x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a]) >= -1e-15)


def _likelihood_ratios(tally: Scores) -> Array:
    """How many times denser positives are than negatives around each threshold; none above all scores."""
    if not _two_classes(tally):
        return np.full(len(tally.values) + 1, np.nan)
    every = np.arange(len(tally.values))
    positive, negative = densities_at(tally.positives_below, tally.negatives_below, every)
    return np.concatenate([[np.nan], (positive / negative)[::-1]])


def _roc_points(tally: Scores) -> tuple[Array, Array]:
    """False positive rate and recall from (0, 0) to (1, 1), by falling score; undefined for a class without rows."""
    with np.errstate(divide="ignore", invalid="ignore"):
        fpr = 1 - tally.negatives_below[::-1] / tally.negatives_below[-1]
        return fpr, 1 - tally.positives_below[::-1] / tally.positives_below[-1]


def _two_classes(tally: Scores) -> bool:
    return bool(tally.positives_below[-1] > 0 and tally.negatives_below[-1] > 0)
