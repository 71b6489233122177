"""What every threshold would do: the ROC curve, its convex hull, and metrics along the sweep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.curves.bands import GRID, Curve, banded, class_covariance, grid_places
from heldout.curves.threshold_table import thresholds_of
from heldout.errors import UsageError
from heldout.formulas import metric
from heldout.formulas.ranking import densities_at, roc_points
from heldout.intervals.shares import clopper_pearson, wilson
from heldout.intervals.simultaneous import sidak
from heldout.tallies.reliability import Reliability
from heldout.tallies.scores import Scores


def cost_curve(tally: Scores, *, level: float, seed: int) -> Curve:
    """The least normalised expected cost over thresholds: (1 - TPR) x + FPR (1 - x) [drummond06].

    x = p C_FN / (p C_FN + (1 - p) C_FP) is the operating condition: prevalence and costs in one number. The curve is
    the lower envelope of one straight line per threshold.
    """
    fpr, tpr = roc_points(tally.positives, tally.negatives)
    x = np.linspace(0, 1, GRID)
    best = np.array([int(np.argmin((1 - tpr) * at + fpr * (1 - at))) for at in x])
    y = (1 - tpr[best]) * x + fpr[best] * (1 - x)
    places = len(tally.values) - best
    covariance = class_covariance(tally, places, -x, 1 - x)
    smaller = float(min(tally.positives.sum(), tally.negatives.sum()))
    known = _cost_band(tally, x, level) if _two_classes(tally) else None
    band = banded(x, y, covariance, level=level, seed=seed, at_edge=max(smaller, 1.0), together=known)
    if known is not None:  # the threshold of a single point is chosen among all of them, too
        band |= {"low": band["band_low"], "high": band["band_high"]}
    thresholds = np.concatenate([[np.inf], tally.values[::-1]])[best]
    return Curve(
        name="cost",
        x="probability_cost",
        y="expected_cost",
        points={"threshold": thresholds, "probability_cost": x, "expected_cost": y},
        band=band,
        level=level,
        method="local levels per class",
        notes=("the threshold of each point was chosen on the same rows, so the cost looks lower than it is",),
    )


def _cost_band(tally: Scores, x: Array, level: float) -> tuple[Array, Array]:
    """A band of the least cost that holds at all conditions at once.

    Where both rates are within their bands at every threshold, the least cost is at least the least of the lowest costs
    and at most the least of the highest ones, whichever threshold is the best.
    """
    known = thresholds_of(tally, level=level)
    low, high = (
        np.array([float(np.min((1 - recall) * at + (1 - specificity) * (1 - at))) for at in x])
        for recall, specificity in (
            (known.recall_high, known.specificity_high),
            (known.recall_low, known.specificity_low),
        )
    )
    # calling everything or nothing positive is a threshold, too
    return low, np.minimum(high, np.minimum(x, 1 - x))


def calibration_curve(tally: Reliability, *, level: float, seed: int, bins: int = 10, equal: str = "mass") -> Curve:
    """Mean probability and share that happened in each bin, with Wilson intervals, and a band of all bins together."""
    del seed
    found = tally.binned(bins, equal=equal)
    chance, happened = found.chances / found.rows, found.happened / found.rows
    # rows that share units or have weights are worth fewer rows
    spread = np.diag(found.covariance) / found.rows**2
    plain = happened * (1 - happened)
    worth = found.rows
    if tally.clustered or tally.weighted:
        worth = np.where(
            (spread > 0) & (plain > 0), np.minimum(plain / np.where(spread > 0, spread, 1), found.rows), found.rows
        )
    columns = {"x": chance, "y": happened}
    # far out in the tails, where all bins together are, Wilson's interval of a few rows covers too rarely
    for names, each, interval in (
        (("low", "high"), level, wilson),
        (("band_low", "band_high"), sidak(level, len(chance)), clopper_pearson),
    ):
        ends = [interval(share * n, n, each) for share, n in zip(happened.tolist(), worth.tolist(), strict=True)]
        columns[names[0]], columns[names[1]] = (np.array(part) for part in zip(*ends, strict=True))
    return Curve(
        name="calibration",
        x="chance",
        y="happened",
        points={"chance": chance, "happened": happened, "rows": found.rows},
        band=columns,
        level=level,
        method="Wilson in bins, all bins Clopper-Pearson",
    )


def precision_recall_curve(tally: Scores, *, level: float, seed: int) -> Curve:
    """Precision against recall from (0, 1) on, with bands of precision at the threshold of a given recall."""
    total, rest = tally.positives_below[-1], tally.negatives_below[-1]
    found, wrong = (total - tally.positives_below)[-2::-1], (rest - tally.negatives_below)[-2::-1]
    precision = found + wrong
    np.divide(found, precision, out=precision)
    recall = found / total if total else np.full(len(found), np.nan)
    band = {}
    if total > 0 and rest > 0:
        at = np.linspace(0, 1, GRID)[1:-1]  # where every positive is found hangs on the lowest one alone
        # the highest threshold that reaches the recall
        places = np.clip(grid_places(recall[::-1], at) - 1, 0, len(recall) - 1)
        places = np.where(recall[::-1][places] < at - 1e-12, np.maximum(places - 1, 0), places)
        tp, fp = found[::-1][places], wrong[::-1][places]
        at_threshold = tp / (tp + fp)
        # precision = TP / (TP + FP): how it moves with recall and with the false positive rate
        on_fpr = -tp * rest / (tp + fp) ** 2
        dense_positive, dense_negative = densities_at(tally.positives_below, tally.negatives_below, places)
        on_recall = -on_fpr * dense_negative / dense_positive
        covariance = class_covariance(tally, places, on_recall, on_fpr)
        # drawing rows, not classes: how many positives there are is random too
        share = total / (total + rest)
        mixed = at_threshold * (1 - at_threshold)
        if not (tally.clustered or tally.weighted):
            covariance = covariance + np.outer(mixed, mixed) / (share * (1 - share) * (total + rest))
        edge = max(float(np.min(tp + fp)), 1.0)
        known = _precision_band(tally, at, level)
        band = banded(at, at_threshold, covariance, level=level, seed=seed, at_edge=edge, together=known)
    return Curve(
        name="precision_recall",
        x="recall",
        y="precision",
        points={
            "threshold": np.concatenate([[np.inf], tally.values[::-1]]),
            "recall": np.concatenate([[0.0], recall]),
            "precision": np.concatenate([[1.0], precision]),
        },
        band=band,
        level=level,
        method="local levels per class",
        notes=(f"a predictor without skill has precision {total / (total + rest):.3g} at every recall",),
    )


def gain_curve(tally: Scores, *, level: float, seed: int) -> Curve:
    """Share of the positives among the rows with the highest scores, by the share of the rows taken."""
    below = tally.positives_below + tally.negatives_below
    total, rest = tally.positives_below[-1], tally.negatives_below[-1]
    taken = _share_from(below)
    gained = _share_from(tally.positives_below) if total else np.full(len(taken), np.nan)
    band = {}
    if total > 0 and rest > 0:
        depth = np.linspace(0, 1, GRID)[1:]
        places = np.minimum(grid_places(taken[:0:-1], depth), len(below) - 2)
        dense_positive, dense_negative = densities_at(tally.positives_below, tally.negatives_below, places)
        mix = dense_positive * total / (dense_positive * total + dense_negative * rest)
        covariance = class_covariance(tally, places, 1 - mix, -mix * rest / total)
        if not (tally.clustered or tally.weighted):
            # drawing rows, not classes: how many positives there are is random too, and moves the cut
            share = total / (total + rest)
            above = 1 - tally.positives_below[places] / total
            alarms = 1 - tally.negatives_below[places] / rest
            moved = mix / share * (above - alarms)
            covariance = covariance + np.outer(moved, moved) * share * (1 - share) / (total + rest)
        shown, edge = np.interp(depth, taken, gained), min(total, rest)
        known = _gain_band(tally, depth, level)
        band = banded(depth, shown, covariance, level=level, seed=seed, at_edge=edge, together=known)
    return Curve(
        name="gain",
        x="taken",
        y="gained",
        points={"threshold": np.concatenate([[np.inf], tally.values[::-1]]), "taken": taken, "gained": gained},
        band=band,
        level=level,
        method="local levels per class",
    )


def lift_curve(tally: Scores, *, level: float, seed: int) -> Curve:
    """How many times denser positives are among the rows with the highest scores, by the share of the rows taken."""
    gain = gain_curve(tally, level=level, seed=seed)
    taken = gain.points["taken"][1:]
    points = {
        "threshold": gain.points["threshold"][1:],
        "taken": taken,
        "lift": gain.points["gained"][1:] / taken,
    }
    band = {name: column if name == "x" else column / gain.band["x"] for name, column in gain.band.items()}
    return replace(gain, name="lift", y="lift", points=points, band=band)


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
        # densities can make the interval at one point wider than what all points allow, where the curve is steep
        shown = np.interp(at, fpr, tpr)
        known = _roc_band(tally, at, shown, level)
        band = banded(at, shown, covariance, level=level, seed=seed, at_edge=smaller, together=known)
        band["low"][0] = band["band_low"][0] = 0.0  # a curve that starts at the origin may rise as fast as it likes
    return Curve(
        name="roc",
        x="fpr",
        y="tpr",
        points={"threshold": np.concatenate([[np.inf], tally.values[::-1]]), "fpr": fpr, "tpr": tpr},
        band=band,
        level=level,
        method="local levels per class",
    )


EASED, AT_MOST = 12.0, 0.55
"""Both bands missing the curve in the directions that add up is rarer than either missing: measured, each may miss so
many times as often as the band made of both, up to this share more."""


def _roc_band(tally: Scores, at: Array, shown: Array, level: float) -> tuple[Array, Array]:
    """A band of recall that holds at all false positive rates at once; `shown` is the recall seen there.

    Bands of the two rates have equal local levels [aldor13] and hold at every threshold. At a false positive rate x,
    recall is at least the least one of the last threshold whose rate is at most x for sure, and
    at most the largest one of the first threshold whose rate is at least x for sure.
    """
    miss = 1 - level
    eased = 1 - min(EASED * miss, AT_MOST + miss)
    known = _once(tally, f"thresholds at {eased:g}", lambda: thresholds_of(tally, level=eased))
    # by falling threshold, from calling nothing positive to calling everything positive
    recall_low, recall_high = known.recall_low[::-1], known.recall_high[::-1]
    fpr_low, fpr_high = 1 - known.specificity_high[::-1], 1 - known.specificity_low[::-1]
    last = np.searchsorted(np.maximum.accumulate(fpr_high), at, side="right") - 1
    low = np.where(last >= 0, np.maximum.accumulate(recall_low)[np.maximum(last, 0)], 0.0)
    first = np.searchsorted(np.maximum.accumulate(fpr_low), at, side="left")
    inside = first < len(fpr_low)
    high = np.where(inside, recall_high[np.minimum(first, len(fpr_low) - 1)], 1.0)
    return np.minimum(low, shown), np.maximum(high, shown)


def _once(tally: Scores, name: str, made: Callable[[], Any]) -> Any:
    """What several curves of the same scores need, made once."""
    if name not in tally.__dict__:
        tally.__dict__[name] = made()
    return tally.__dict__[name]


FINE = 400
"""Places of the false positive rate, besides an even grid, from which bands of other curves are made."""


Region = tuple[Array, Array, Array, tuple[float, float]]
"""False positive rates, the least and the largest recall there, and the least and the largest prevalence."""


def _region(tally: Scores, level: float) -> Region:
    """What ROC curve and prevalence may be."""
    found: Region = _once(tally, f"region at {level:g}", lambda: _made_region(tally, level))
    return found


def _made_region(tally: Scores, level: float) -> Region:
    """The region of ROC curve and prevalence.

    Precision-recall and gain curves are functions of both, so that their bands hold where these do.
    """
    fpr, tpr = _roc_points(tally)
    places = fpr if len(fpr) <= FINE else fpr[np.linspace(0, len(fpr) - 1, FINE).astype(int)]
    at = np.unique(np.concatenate([places, np.linspace(0, 1, GRID)]))
    low, high = _roc_band(tally, at, np.interp(at, fpr, tpr), level)
    total, rest = float(tally.positives_below[-1]), float(tally.negatives_below[-1])
    rows = min(total + rest, float(tally.units))
    weight = getattr(tally, "weight", None)  # sums of places, of rows in chunks, have none
    if weight is not None:
        rows = min(rows, float(weight.sum() ** 2 / np.sum(weight**2)))
    return at, low, high, wilson(total / (total + rest) * rows, rows, level)


def _precision_band(tally: Scores, recall: Array, level: float) -> tuple[Array, Array]:
    """A band of precision that holds at all recalls at once."""
    at, low, high, (rare, common) = _region(tally, level)
    # the false positive rate at a recall is beyond the rates at which recall is lower for sure
    least = np.where((first := np.searchsorted(high, recall)) > 0, at[np.maximum(first - 1, 0)], 0.0)
    last = np.searchsorted(np.maximum.accumulate(low), recall)
    most = np.where(last < len(at), at[np.minimum(last, len(at) - 1)], 1.0)
    return tuple(
        share * recall / (share * recall + (1 - share) * alarms) for share, alarms in ((rare, most), (common, least))
    )  # type: ignore[return-value]


def _gain_band(tally: Scores, depth: Array, level: float) -> tuple[Array, Array]:
    """A band of the share of positives that holds at all depths at once."""
    at, low, high, shares = _region(tally, level)

    def along(recall: Array) -> list[Array]:
        """The curve of gain of a ROC curve, at the least and at the largest prevalence."""
        x, y = np.concatenate([[0.0], at]), np.concatenate([[0.0], recall])
        return [np.interp(depth, share * y + (1 - share) * x, y) for share in shares]

    return np.min(along(np.maximum.accumulate(low)), axis=0), np.max(along(np.maximum.accumulate(high)), axis=0)


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
        raise UsageError(
            f"{found.name} is not a metric of labels, so it has no value at a threshold",
            fix="choose a metric of labels, such as f1, precision or recall",
        )
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
        return _share_from(tally.negatives_below), _share_from(tally.positives_below)


def _share_from(below: Array) -> Array:
    """Which share of all lies at a score or above it, by falling score."""
    share = below[::-1] / below[-1]
    return np.subtract(1, share, out=share)


def _two_classes(tally: Scores) -> bool:
    return bool(tally.positives_below[-1] > 0 and tally.negatives_below[-1] > 0)
