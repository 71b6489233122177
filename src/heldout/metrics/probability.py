"""Metrics of predicted probabilities and decision values: log loss, Brier score, their D² scores, hinge loss."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import nan
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from heldout.batch import Array, Label
from heldout.errors import UsageError
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import Side
from heldout.estimates.value_with_interval import rescaled, with_value
from heldout.inputs.message_text import MOST, listed as few
from heldout.inputs.read_arrays import in_class_order
from heldout.metrics.documentation import documented
from heldout.metrics.reading import (
    Options,
    RandomState,
    Rows,
    aligned_rows,
    dense,
    floats,
    instead,
    read,
    read_probability,
    read_score,
    sorted_labels,
    width,
    within,
)

NAMES = ("y_true", "y_proba")
"""Arguments for truth and probabilities, as messages name them."""


@documented
def log_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike | None = None,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[Label] | None = None,
    y_pred: Any = "deprecated",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Mean of -ln p, p being the probability given to the true class.

    As in scikit-learn, probabilities are kept a rounding error away from 0 and 1; where that makes an infinite loss
    finite, a note says so. `heldout.evaluate` clips nothing.

    Parameters
    ----------
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Predicted probabilities: of the positive class, or one column per class in sorted order of the labels. It must
        be given; its default, None, stands for the use of its former name.
    labels : list of labels, default: None
        All classes, sorted; needed where y_true lacks one of them.
    y_pred : array-like, default: 'deprecated'
        The former name of y_proba: it works with a FutureWarning.

    Examples
    --------
    >>> from heldout.metrics import log_loss
    >>> log_loss(["spam", "ham", "ham", "spam"], [[0.1, 0.9], [0.9, 0.1], [0.8, 0.2], [0.35, 0.65]])
    0.22 [0.00, 1.06]
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    given = _renamed(y_proba, y_pred)
    rows, clipped = _clipped(_read(y_true, given, options, labels=labels), np.asarray(given).dtype)
    loss = rows.estimate("log_loss")
    if clipped:
        note = f"{clipped} rows gave probability 0 to the true class: the log loss is infinite without clipping"
        loss = with_value(loss, loss.value, notes=(*loss.notes, note))
    return loss if normalize else rescaled(loss, rows.total)


@documented
def brier_score_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    scale_by_half: bool | Literal["auto"] = "auto",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Mean squared distance between probabilities and what happened.

    Parameters
    ----------
    pos_label : label, default: None
        The class whose probability y_proba is, where it has one column; None: 1, or the larger of two numbers.
    labels : list of labels, default: None
        All classes, sorted; needed where y_true lacks one that y_proba has a column for.
    scale_by_half : bool or 'auto', default: 'auto'
        True: half of the sum over classes, at most 1. False: the whole sum, at most 2. 'auto': True for two classes.

    Examples
    --------
    >>> from heldout.metrics import brier_score_loss
    >>> brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3])
    0.037 [0.000, 0.380]
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    within(scale_by_half, "scale_by_half", ("auto", True, False))
    rows = _read_squared(y_true, y_proba, options, pos_label, labels)
    if rows.batch.task == "binary":
        squared = rows.estimate("brier")
        return squared if scale_by_half else rescaled(squared, 2)
    whole = rows.estimate("quadratic_loss")
    half = len(rows.batch.labels) == 2 if scale_by_half == "auto" else scale_by_half
    return rescaled(whole, 0.5) if half else whole


@documented
def d2_log_loss_score(
    y_true: ArrayLike,
    y_proba: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[Label] | None = None,
    y_pred: Any = "deprecated",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Share of the log loss of always predicting the class shares of y_true that is saved.

    Parameters
    ----------
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes)
        Predicted probabilities: of the positive class, or one column per class in sorted order of the labels. It must
        be given; its default, None, stands for the use of its former name.
    labels : list of labels, default: None
        All classes, sorted; needed where y_true lacks one of them.
    y_pred : array-like, default: 'deprecated'
        The former name of y_proba: it works with a FutureWarning.

    Examples
    --------
    >>> from heldout.metrics import d2_log_loss_score
    >>> round(float(d2_log_loss_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3])), 4)
    0.7149
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    given = _renamed(y_proba, y_pred)
    rows, _ = _clipped(_read(y_true, given, options, labels=labels), np.asarray(given).dtype)
    return _of_two_rows(rows, "d2_log_loss")


@documented
def d2_brier_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Share of the Brier score of always predicting the class shares of y_true that is saved.

    Parameters
    ----------
    pos_label : label, default: None
        The class whose probability y_proba is, where it has one column; None: 1, or the larger of two numbers.
    labels : list of labels, default: None
        All classes, sorted; needed where y_true lacks one that y_proba has a column for.

    Examples
    --------
    >>> from heldout.metrics import d2_brier_score
    >>> round(float(d2_brier_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3])), 4)
    0.85
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    return _of_two_rows(_read_squared(y_true, y_proba, options, pos_label, labels), "d2_brier")


@documented
def hinge_loss(
    y_true: ArrayLike,
    pred_decision: ArrayLike,
    *,
    labels: Sequence[Label] | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> Estimate:
    """Mean of max(0, 1 - margin); the margin is ±score, or the true class's score less the highest other one.

    Parameters
    ----------
    pred_decision : array-like of shape (n_samples,) or (n_samples, n_classes)
        Decision values, as decision_function gives them.
    labels : list of labels, default: None
        All classes, sorted; needed where y_true lacks one of three or more.

    Examples
    --------
    >>> from heldout.metrics import hinge_loss
    >>> round(float(hinge_loss([-1, 1, 1], [-2.18, 2.36, 0.09])), 2)
    0.3
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    listed = sorted_labels(labels)
    if width(pred_decision) > 1 or (listed is not None and len(listed) > 2):
        rows = read(
            y_true, options, called=("y_true", "pred_decision"), y_score=pred_decision, labels=listed, task="multiclass"
        )
    else:
        rows = read_score(y_true, "pred_decision", pred_decision, options)
        if len(np.unique(np.asarray(y_true))) < 2:
            raise UsageError(
                "y_true has one class only, so it is not known which sign of pred_decision is right",
                fix="evaluate rows of both classes",
            )
    return rows.estimate("hinge_loss")


def _renamed(y_proba: ArrayLike | None, y_pred: Any) -> ArrayLike:
    if not (isinstance(y_pred, str) and y_pred == "deprecated"):
        if y_proba is not None:
            raise UsageError(
                "y_pred and y_proba were both given, and y_pred is the former name of y_proba",
                fix="pass y_proba= only",
            )
        # the caller of the public function is two frames above
        warnings.warn("y_pred was renamed to y_proba: pass y_proba=", FutureWarning, stacklevel=3)
        return cast("ArrayLike", y_pred)
    if y_proba is None:
        raise UsageError("y_proba is missing", fix="pass y_proba=")
    return y_proba


def _read(y_true: Any, y_proba: Any, options: Options, *, labels: Sequence[Label] | None) -> Rows:
    """Rows with a probability for every class; of two classes, with that of the later one in sort order."""
    y_true = dense(y_true)
    if width(y_true) > 1:
        y_true, labels = _from_one_hot(y_true, y_proba, labels)
    listed = sorted_labels(labels)
    if listed is None:
        _known_classes(y_true, width(y_proba))
    elif len(listed) < 2:
        raise UsageError(
            f"labels is {listed}, and two or more classes are needed", fix="pass labels= with all classes, sorted"
        )
    if width(y_proba) == 1:
        return read_probability(y_true, "y_proba", y_proba, options, labels=listed)
    y_true, y_proba, options = aligned_rows(y_true, "y_proba", y_proba, options)
    if hasattr(type(y_proba), "columns"):  # columns with names are matched with the classes, or refused
        listed = list(
            read(y_true, options, called=NAMES, y_proba=y_proba, labels=listed, task="multiclass").batch.labels
        )
        y_proba = in_class_order("y_proba", y_proba, listed)
    given = np.ascontiguousarray(floats("y_proba", y_proba))  # sums must not depend on the layout in memory
    if given.shape[1] == 2 and np.abs(given.sum(axis=1) - 1).max(initial=0.0) < 1e-15:
        rows = read(y_true, options, called=NAMES, y_proba=given, labels=listed, task="binary")
        return rows.changed(positive=1, score=np.clip(rows.kept(given[:, 1]), 0, 1), prediction=None)
    rows = read(y_true, options, called=NAMES, y_proba=given, labels=listed, task="multiclass")
    # probabilities that sum to one but for rounding are taken as they are, as scikit-learn does
    return rows.changed(score=np.clip(rows.kept(given), 0, 1))


def _from_one_hot(y_true: Any, y_proba: Any, labels: Any) -> tuple[Array, list[Label]]:
    """Labels 0, 1, … from one 0/1 column per class, and all of them, as there may be columns without a row."""
    indicator = np.asarray(y_true)
    columns, probabilities = indicator.shape[1], max(width(y_proba), 2)
    if labels is not None:
        raise UsageError(
            f"y_true has {columns} one-hot columns, and labels is for one label per row", fix="pass labels=None"
        )
    fix = "pass one label per row"
    strange = np.flatnonzero(~np.isin(indicator, (0, 1)).all(axis=1))
    if strange.size:
        raise UsageError(
            f"y_true has {columns} columns, and row {strange[0] + 1} has other values than 0 and 1", fix=fix
        )
    ones = indicator.astype(int).sum(axis=1)
    if np.any(ones != 1):
        first = int(np.argmax(ones != 1))
        raise UsageError(
            f"y_true has {columns} columns, and row {first + 1} has {ones[first]} ones: of one-hot columns every row "
            "has one",
            fix=fix,
        )
    if columns != probabilities:
        raise UsageError(
            f"y_true has {columns} columns and y_proba has {width(y_proba)}", fix="pass one column per class in both"
        )
    return indicator.astype(int).argmax(axis=1), list(range(columns))


def _known_classes(y_true: Any, columns: int) -> None:
    """Refuse fewer classes than there are probabilities: which others there are is not known."""
    values = np.asarray(y_true)
    if values.size and np.all(values == values.flat[0]):
        raise UsageError(
            f"y_true has one label only ({values.flat[0]}), so the classes of y_proba are not known",
            fix="pass labels= with all classes, sorted",
        )
    if columns == 1:
        return
    # missing values are refused later, with their rows
    found = [one for one in set(values.tolist()) if one is not None and one == one]  # noqa: PLR0124 nan is not itself
    if 0 < len(found) < columns:
        listed = few(sorted(found), MOST)
        raise UsageError(
            f"y_true has {len(found)} classes ({listed}) and y_proba has {columns} columns, so that the "
            "classes of the columns are not known",
            fix=f"pass labels= with all {columns} classes, sorted",
        )


def _read_squared(
    y_true: Any, y_proba: Any, options: Options, pos_label: Label | None, labels: Sequence[Label] | None
) -> Rows:
    """The same for squared losses, whose positive class can be chosen where there is one column."""
    if width(y_proba) > 1:
        return _read(y_true, y_proba, options, labels=labels)
    if width(dense(y_true)) > 1:
        raise UsageError(
            f"y_true has {width(dense(y_true))} columns and y_proba has 1", fix="pass one column per class in both"
        )
    if pos_label is None and np.asarray(y_true).dtype.kind in "OUS":
        found = sorted(set(np.asarray(y_true).tolist()))[:10]
        raise UsageError(
            f"y_true has the labels {found}, and it is not known which of them y_proba is the probability of",
            fix=f"pass pos_label={found[-1]!r}",
        )
    return read_probability(y_true, "y_proba", y_proba, options, pos_label=pos_label)


def _clipped(rows: Rows, dtype: Any) -> tuple[Rows, int]:
    """Probabilities at least a rounding error away from 0 and 1, and how many rows that makes finite."""
    from heldout.rows.probabilities import chance_of_truth

    score = rows.batch.score
    assert score is not None
    infinite = int(np.count_nonzero(chance_of_truth(rows.batch) == 0))
    # float32 probabilities of 1 are known to seven digits only, and so is what is left to 1
    margin = np.finfo(dtype if dtype in (np.float16, np.float32) else np.float64).eps
    return rows.changed(score=np.clip(score, margin, 1 - margin)), infinite


def _of_two_rows(rows: Rows, name: str) -> Estimate:
    """A share of explained loss, which one row does not have."""
    found = rows.estimate(name)
    if rows.batch.rows > 1:
        return found
    return instead(with_value(found, nan), nan, warn=True, why=f"{name} is not defined for one row")
