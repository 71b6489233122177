"""Curves as data, with bands: pointwise, and simultaneous (valid for all points of the curve at once).

>>> found = roc([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
>>> found.points["fpr"].tolist(), found.points["tpr"].tolist()
([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from heldout.batch import Batch
from heldout.curves.bands import Curve
from heldout.curves.curve_points import (
    calibration_curve,
    convex_hull_curve,
    cost_curve,
    gain_curve,
    lift_curve,
    precision_recall_curve,
    roc_curve,
    sweep_table,
)
from heldout.errors import UsageError, did_you_mean
from heldout.inputs import from_arrays
from heldout.tallies.from_batch import reliability, reliability_of, score_order
from heldout.tallies.score_histogram import Binned
from heldout.tallies.scores import Scores

__all__ = ["Curve", "calibration", "convex_hull", "cost", "curve", "gain", "lift", "precision_recall", "roc", "sweep"]

CURVES: dict[str, Callable[..., Curve]] = {
    "roc": roc_curve,
    "precision_recall": precision_recall_curve,
    "gain": gain_curve,
    "lift": lift_curve,
    "calibration": calibration_curve,
    "cost": cost_curve,
    "convex_hull": convex_hull_curve,
    "sweep": sweep_table,
}


def curve(
    name: str, batch: Batch, *, level: float = 0.95, seed: int = 0, order: Scores | None = None, **options: Any
) -> Curve:
    """A curve of a batch of binary scores, by name; `order` is the batch in the order of its scores, if it is known."""
    _known(name)
    if batch.score is None:
        raise UsageError(f"the {name} curve needs a score column")
    if name == "calibration" and not batch.probabilities:
        raise UsageError("the calibration curve needs probabilities")
    if batch.task != "binary" and name != "calibration":
        raise UsageError(f"the {name} curve is for binary data, not {batch.task}")
    if batch.task != "binary":
        return calibration_curve(reliability(batch), level=level, seed=seed, **options)
    order = score_order(batch) if order is None else order
    tally = reliability_of(order) if name == "calibration" else order
    return CURVES[name](tally, level=level, seed=seed, **options)


def curve_in_parts(name: str, order: Binned | None, *, level: float = 0.95, seed: int = 0, **options: Any) -> Curve:
    """A curve of binary scores that were counted by their places on a grid: exact at every threshold between places."""
    _known(name)
    if order is None or name == "calibration":
        raise UsageError(
            f"the {name} curve needs all rows in memory at once, and they were read in parts",
            fix="give them all the memory they need with memory=, and no engine",
        )
    return CURVES[name](order, level=level, seed=seed, **options)


def _known(name: str) -> None:
    if name not in CURVES:
        raise UsageError(
            f"no curve is named {name!r}{did_you_mean(name, CURVES)}", fix=f"choose one of {', '.join(CURVES)}"
        )


def roc(y_true: Any, y_score: Any, **options: Any) -> Curve:
    """False positive rate against recall, from (0, 0) to (1, 1), ties grouped."""
    return _drawn("roc", y_true, y_score, options)


def precision_recall(y_true: Any, y_score: Any, **options: Any) -> Curve:
    """Recall against precision, from recall 0 to recall 1."""
    return _drawn("precision_recall", y_true, y_score, options)


def gain(y_true: Any, y_score: Any, **options: Any) -> Curve:
    """Share of the rows, by falling score, against the share of the positives among them."""
    return _drawn("gain", y_true, y_score, options)


def lift(y_true: Any, y_score: Any, **options: Any) -> Curve:
    """Share of the rows, by falling score, against how many times denser positives are among them."""
    return _drawn("lift", y_true, y_score, options)


def calibration(y_true: Any, y_score: Any, **options: Any) -> Curve:
    """Mean probability against the share that happened, in bins."""
    return _drawn("calibration", y_true, y_score, options)


def cost(y_true: Any, y_score: Any, **options: Any) -> Curve:
    """Probability cost against the least normalised expected cost over thresholds [drummond06]."""
    return _drawn("cost", y_true, y_score, options)


def convex_hull(y_true: Any, y_score: Any, **options: Any) -> Curve:
    """Corners of the convex hull of the ROC curve: the thresholds that are best under some costs."""
    return _drawn("convex_hull", y_true, y_score, options)


def sweep(y_true: Any, y_score: Any, **options: Any) -> Curve:
    """Counts and any label metrics at every threshold, from none predicted positive to all."""
    return _drawn("sweep", y_true, y_score, options)


def _drawn(name: str, y_true: Any, y_score: Any, options: dict[str, Any]) -> Curve:
    beside = {key: options.pop(key) for key in ("sample_weight", "groups", "pos_label") if key in options}
    reading = from_arrays(y_true, y_score=y_score, **beside)
    level, seed = options.pop("confidence_level", 0.95), options.pop("random_state", 0)
    return curve(name, reading.batch, level=level, seed=seed, **options)
