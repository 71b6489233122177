"""Curves as data, with bands: pointwise, and simultaneous (valid for all points of the curve at once).

>>> curve = roc([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
>>> curve.points["fpr"].tolist(), curve.points["tpr"].tolist()
([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from heldout.batch import Batch, Label
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
from heldout.inputs.index_alignment import warn_of_other_order
from heldout.tallies.from_batch import reliability, reliability_of, score_order
from heldout.tallies.score_histogram import Binned
from heldout.tallies.scores import Scores

__all__ = ["Curve", "calibration", "convex_hull", "cost", "gain", "lift", "precision_recall", "roc", "sweep"]

CurveName = Literal["roc", "precision_recall", "gain", "lift", "calibration", "cost", "convex_hull", "sweep"]
Equal = Literal["mass", "width"]

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
OPTIONS: dict[str, tuple[str, ...]] = {"calibration": ("bins", "equal"), "sweep": ("metrics",)}
"""What a curve takes besides the level and the seed."""


def curve_of_batch(
    name: str, batch: Batch, *, level: float = 0.95, seed: int = 0, order: Scores | None = None, **options: Any
) -> Curve:
    """A curve of a batch of binary scores, by name; `order` is the batch in the order of its scores, if it is known."""
    _known(name, options)
    if batch.score is None:
        raise UsageError(f"the {name} curve needs a score column", fix="name the scores with --score COLUMN (y_score=)")
    if name == "calibration" and not batch.probabilities:
        raise UsageError(
            "the calibration curve needs probabilities",
            fix="give predicted probabilities; logits become probabilities with --link logit (link='logit')",
        )
    if batch.task != "binary" and name != "calibration":
        raise UsageError(
            f"the {name} curve is for binary data, not {batch.task}",
            fix="choose the calibration curve, or one class against the rest",
        )
    if batch.task != "binary":
        return calibration_curve(reliability(batch), level=level, seed=seed, **options)
    order = score_order(batch) if order is None else order
    tally = reliability_of(order) if name == "calibration" else order
    return CURVES[name](tally, level=level, seed=seed, **options)


def curve_of_chunks(name: str, order: Binned | None, *, level: float = 0.95, seed: int = 0, **options: Any) -> Curve:
    """A curve of binary scores from their histogram: exact at every threshold between two bins."""
    _known(name, options)
    if order is None or name == "calibration":
        raise UsageError(
            f"the {name} curve needs all rows in memory at once, and they were read in chunks",
            fix="give them all the memory they need with --memory SIZE (memory=), and no engine",
        )
    return CURVES[name](order, level=level, seed=seed, **options)


def _known(name: str, options: Mapping[str, Any]) -> None:
    """Refuse an unknown curve, and an option that it does not take."""
    if name not in CURVES:
        raise UsageError(
            f"no curve is named {name!r}{did_you_mean(name, CURVES)}", fix=f"choose one of {', '.join(CURVES)}"
        )
    for option in options:
        if option not in OPTIONS.get(name, ()):
            raise UsageError(f"the {name} curve takes no {option}", fix=f"leave {option} out")


def roc(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    pos_label: Label | None = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> Curve:
    """ROC curve: recall against the false positive rate, with bands.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels of two classes.
    y_score : array-like of shape (n_rows,)
        Scores of the positive class; the higher, the more likely.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row (default: all alike).
    groups : array-like of shape (n_rows,), optional
        Cluster of each row: the bands are cluster-robust (default: rows are independent).
    pos_label : label, optional
        The positive class (default: 1, True or "yes"-like, else the last in order).
    confidence_level : float, default 0.95
        Confidence level of the bands, between 0 and 1.
    random_state : int, default 0
        Seed of the simulation behind the simultaneous band.

    Returns
    -------
    Curve
        Its `points` have the columns "threshold", "fpr" and "tpr", from (0, 0) to (1, 1); tied scores are one
        point. `band` has "x", "y", the pointwise band "low" and "high", and the simultaneous band "band_low" and
        "band_high".

    Raises
    ------
    DataError
        Where the arrays cannot be read: lengths differ, a value is missing or infinite.
    UsageError
        Where there are not two classes.

    Examples
    --------
    >>> curve = roc([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    >>> curve.points["fpr"].tolist(), curve.points["tpr"].tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    return curve_of_batch(
        "roc", _read(y_true, y_score, sample_weight, groups, pos_label), level=confidence_level, seed=random_state
    )


def precision_recall(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    pos_label: Label | None = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> Curve:
    """Precision-recall curve, with bands of precision at given recalls.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels of two classes.
    y_score : array-like of shape (n_rows,)
        Scores of the positive class; the higher, the more likely.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row (default: all alike).
    groups : array-like of shape (n_rows,), optional
        Cluster of each row: the bands are cluster-robust (default: rows are independent).
    pos_label : label, optional
        The positive class (default: 1, True or "yes"-like, else the last in order).
    confidence_level : float, default 0.95
        Confidence level of the bands, between 0 and 1.
    random_state : int, default 0
        Seed of the simulation behind the simultaneous band.

    Returns
    -------
    Curve
        Its `points` have the columns "threshold", "recall" and "precision", from recall 0 to recall 1. `band` has
        "x", "y", the pointwise band "low" and "high", and the simultaneous band "band_low" and "band_high".

    Raises
    ------
    DataError
        Where the arrays cannot be read: lengths differ, a value is missing or infinite.
    UsageError
        Where there are not two classes.

    Examples
    --------
    >>> curve = precision_recall([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    >>> curve.points["recall"].tolist(), curve.points["precision"].round(2).tolist()
    ([0.0, 0.5, 1.0, 1.0], [1.0, 1.0, 0.67, 0.5])
    """
    return curve_of_batch(
        "precision_recall",
        _read(y_true, y_score, sample_weight, groups, pos_label),
        level=confidence_level,
        seed=random_state,
    )


def gain(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    pos_label: Label | None = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> Curve:
    """Cumulative gain: the share of positives found among the rows with the highest scores.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels of two classes.
    y_score : array-like of shape (n_rows,)
        Scores of the positive class; the higher, the more likely.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row (default: all alike).
    groups : array-like of shape (n_rows,), optional
        Cluster of each row: the bands are cluster-robust (default: rows are independent).
    pos_label : label, optional
        The positive class (default: 1, True or "yes"-like, else the last in order).
    confidence_level : float, default 0.95
        Confidence level of the bands, between 0 and 1.
    random_state : int, default 0
        Seed of the simulation behind the simultaneous band.

    Returns
    -------
    Curve
        Its `points` have the columns "threshold", "taken" (the share of the rows) and "gained" (the share of the
        positives). `band` has "x", "y", the pointwise band "low" and "high", and the simultaneous band "band_low"
        and "band_high".

    Raises
    ------
    DataError
        Where the arrays cannot be read: lengths differ, a value is missing or infinite.
    UsageError
        Where there are not two classes.

    Examples
    --------
    >>> curve = gain([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    >>> curve.points["taken"].tolist(), curve.points["gained"].tolist()
    ([0.0, 0.25, 0.75, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    return curve_of_batch(
        "gain", _read(y_true, y_score, sample_weight, groups, pos_label), level=confidence_level, seed=random_state
    )


def lift(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    pos_label: Label | None = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> Curve:
    """Lift: how many times more frequent positives are among the rows with the highest scores than overall.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels of two classes.
    y_score : array-like of shape (n_rows,)
        Scores of the positive class; the higher, the more likely.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row (default: all alike).
    groups : array-like of shape (n_rows,), optional
        Cluster of each row: the bands are cluster-robust (default: rows are independent).
    pos_label : label, optional
        The positive class (default: 1, True or "yes"-like, else the last in order).
    confidence_level : float, default 0.95
        Confidence level of the bands, between 0 and 1.
    random_state : int, default 0
        Seed of the simulation behind the simultaneous band.

    Returns
    -------
    Curve
        Its `points` have the columns "threshold", "taken" (the share of the rows) and "lift". `band` has "x", "y",
        the pointwise band "low" and "high", and the simultaneous band "band_low" and "band_high".

    Raises
    ------
    DataError
        Where the arrays cannot be read: lengths differ, a value is missing or infinite.
    UsageError
        Where there are not two classes.

    Examples
    --------
    >>> curve = lift([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    >>> curve.points["taken"].tolist(), curve.points["lift"].round(2).tolist()
    ([0.25, 0.75, 1.0], [2.0, 1.33, 1.0])
    """
    return curve_of_batch(
        "lift", _read(y_true, y_score, sample_weight, groups, pos_label), level=confidence_level, seed=random_state
    )


def calibration(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    pos_label: Label | None = None,
    bins: int = 10,
    equal: Equal = "mass",
    confidence_level: float = 0.95,
) -> Curve:
    """Calibration curve (reliability diagram): mean predicted probability against observed frequency.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels.
    y_score : array-like of shape (n_rows,) or (n_rows, n_classes)
        Predicted probabilities: of the positive class, or one column per class.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row (default: all alike).
    groups : array-like of shape (n_rows,), optional
        Cluster of each row: the bands are cluster-robust (default: rows are independent).
    pos_label : label, optional
        The positive class (default: 1, True or "yes"-like, else the last in order).
    bins : int, default 10
        Number of bins at most; equal probabilities share a bin.
    equal : {"mass", "width"}, default "mass"
        Whether bins hold equally many rows, or are equally wide.
    confidence_level : float, default 0.95
        Confidence level of the bands, between 0 and 1.

    Returns
    -------
    Curve
        Its `points` have the columns "chance" (mean predicted probability), "happened" (observed frequency) and
        "rows", one line per bin. Bands are Wilson intervals. `band` has "x", "y", the pointwise band "low" and
        "high", and the simultaneous band "band_low" and "band_high".

    Raises
    ------
    DataError
        Where the arrays cannot be read: lengths differ, a value is missing or infinite.
    UsageError
        Where the scores are not probabilities.

    Examples
    --------
    >>> curve = calibration([0, 1, 0, 1], [0.2, 0.2, 0.6, 0.9], bins=3)
    >>> curve.points["chance"].round(2).tolist(), curve.points["happened"].tolist()
    ([0.2, 0.6, 0.9], [0.5, 0.0, 1.0])
    """
    return curve_of_batch(
        "calibration",
        _read(y_true, y_score, sample_weight, groups, pos_label),
        level=confidence_level,
        bins=bins,
        equal=equal,
    )


def cost(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    pos_label: Label | None = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> Curve:
    """Cost curve: the least normalised expected cost at each operating condition.

    The operating condition x = p C_FN / (p C_FN + (1 - p) C_FP) has prevalence p and costs in one number; the cost is
    the least (1 - TPR) x + FPR (1 - x) over thresholds. Each threshold is chosen on the same rows, so that the cost
    looks lower than it is.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels of two classes.
    y_score : array-like of shape (n_rows,)
        Scores of the positive class; the higher, the more likely.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row (default: all alike).
    groups : array-like of shape (n_rows,), optional
        Cluster of each row: the bands are cluster-robust (default: rows are independent).
    pos_label : label, optional
        The positive class (default: 1, True or "yes"-like, else the last in order).
    confidence_level : float, default 0.95
        Confidence level of the bands, between 0 and 1.
    random_state : int, default 0
        Seed of the simulation behind the simultaneous band.

    Returns
    -------
    Curve
        Its `points` have the columns "threshold", "probability_cost" and "expected_cost". `band` has "x", "y", the
        pointwise band "low" and "high", and the simultaneous band "band_low" and "band_high".

    Raises
    ------
    DataError
        Where the arrays cannot be read: lengths differ, a value is missing or infinite.
    UsageError
        Where there are not two classes.

    References
    ----------
    C. Drummond, R. C. Holte (2006). Cost curves: an improved method for visualizing classifier performance. Machine
    Learning 65(1), 95–130. [drummond06]

    Examples
    --------
    >>> curve = cost([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    >>> float(curve.points["expected_cost"].max().round(3))
    0.25
    """
    return curve_of_batch(
        "cost", _read(y_true, y_score, sample_weight, groups, pos_label), level=confidence_level, seed=random_state
    )


def convex_hull(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    pos_label: Label | None = None,
) -> Curve:
    """Convex hull of the ROC curve: the thresholds that are best under some costs.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels of two classes.
    y_score : array-like of shape (n_rows,)
        Scores of the positive class; the higher, the more likely.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row (default: all alike).
    pos_label : label, optional
        The positive class (default: 1, True or "yes"-like, else the last in order).

    Returns
    -------
    Curve
        Its `points`, the corners of the hull, have the columns "threshold", "fpr" and "tpr". There are no bands.

    Raises
    ------
    DataError
        Where the arrays cannot be read: lengths differ, a value is missing or infinite.
    UsageError
        Where there are not two classes.

    Examples
    --------
    >>> curve = convex_hull([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    >>> curve.points["fpr"].tolist(), curve.points["tpr"].tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    return curve_of_batch("convex_hull", _read(y_true, y_score, sample_weight, None, pos_label))


def sweep(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    pos_label: Label | None = None,
    metrics: Sequence[str] = (),
) -> Curve:
    """Counts and label metrics at every threshold, from no row predicted positive to all.

    Do not choose a threshold here and evaluate it on the same rows: it looks better than it is.
    `heldout.choose_threshold` corrects for that.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels of two classes.
    y_score : array-like of shape (n_rows,)
        Scores of the positive class; the higher, the more likely.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row (default: all alike).
    pos_label : label, optional
        The positive class (default: 1, True or "yes"-like, else the last in order).
    metrics : sequence of str, default ()
        Metrics of labels, such as "f1" and "mcc", computed at every threshold.

    Returns
    -------
    Curve
        Its `points` have the columns "threshold", "tp", "fp", "fn", "tn", "share" (of rows predicted positive),
        "likelihood_ratio", and one per metric. There are no bands.

    Raises
    ------
    DataError
        Where the arrays cannot be read: lengths differ, a value is missing or infinite.
    UsageError
        Where there are not two classes.

    Examples
    --------
    >>> curve = sweep([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8], metrics=["f1"])
    >>> curve.points["tp"].tolist(), curve.points["f1"].round(3).tolist()
    ([0.0, 1.0, 2.0, 2.0], [0.0, 0.667, 0.8, 0.667])
    """
    return curve_of_batch("sweep", _read(y_true, y_score, sample_weight, None, pos_label), metrics=metrics)


def __dir__() -> list[str]:
    """Public names only."""
    return list(__all__)


def _read(y_true: Any, y_score: Any, sample_weight: Any, groups: Any, pos_label: Label | None) -> Batch:
    reading = from_arrays(
        y_true, y_score=y_score, sample_weight=sample_weight, groups=groups, pos_label=pos_label, doubts=False
    )
    warn_of_other_order(reading.checks)
    return reading.batch
