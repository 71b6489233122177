"""Tables of decided labels: confusion matrices, and a report on every class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from heldout.batch import Array, Label
from heldout.errors import UsageError
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import Side
from heldout.estimates.rounding import number
from heldout.formulas import METRICS
from heldout.metrics.class_averages import Average, ZeroDivision, choose, class_scores
from heldout.metrics.documentation import documented
from heldout.metrics.precision_recall import has_fractions, support_of
from heldout.metrics.reading import Options, RandomState, dense, read_labels, restricted, within


def confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[Label] | None = None,
    sample_weight: ArrayLike | None = None,
    normalize: Literal["true", "pred", "all"] | None = None,
) -> Array:
    """Rows counted by true class (row of the matrix) and predicted class (column), as an array without intervals.

    Intervals of the diagonal: `recall_score(..., average=None)` for normalize='true', `precision_score(...,
    average=None)` for normalize='pred', `accuracy_score` for its sum. Of another cell: make the two classes a question
    of their own, such as `recall_score(y_true == 'a', y_pred == 'b')`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    labels : list of labels, default: None
        Classes of the matrix, in this order; rows with another label are left out. None: all labels, sorted.
    sample_weight : array-like of shape (n_samples,), default: None
        Weight of each row.
    normalize : {'true', 'pred', 'all'} or None, default: None
        Divide by the sum of each row of the matrix, of each column, or of all cells; 0/0 is 0. None: counts.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Counts as integers; floats where rows have weights that are not integers, or where normalized.

    Raises
    ------
    UsageError
        Where y_true has several columns, or none of its labels is in labels.

    See Also
    --------
    heldout.evaluate : Its `confusion` is this matrix, its `classes` have the metrics of every class with intervals.
    heldout.evaluate_confusion : All metrics from a confusion matrix.

    Examples
    --------
    >>> from heldout.metrics import confusion_matrix
    >>> confusion_matrix(["cat", "ant", "cat", "cat", "ant"], ["ant", "ant", "cat", "cat", "cat"])
    array([[1, 1],
           [1, 2]])
    """
    within(normalize, "normalize", (None, "true", "pred", "all"))
    rows = read_labels(y_true, y_pred, Options(sample_weight, *_plain()))
    if rows.batch.task == "multilabel":
        raise UsageError(
            f"a confusion matrix needs one label per row, and y_true has {rows.batch.truth.shape[1]} columns",
            fix="use multilabel_confusion_matrix",
        )
    rows = restricted(rows, labels, "y_true")
    found = rows.measured(METRICS["accuracy"]).confusion()
    assert found is not None
    counts = found * rows.each_weighs
    if normalize is None:
        return counts if has_fractions(sample_weight) else np.rint(counts).astype(np.int64)
    axis = {"true": 1, "pred": 0, "all": None}[normalize]
    total = counts.sum(axis=axis, keepdims=True)
    return np.divide(counts, total, out=np.zeros_like(counts), where=total != 0)


def multilabel_confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[Label] | None = None,
    samplewise: bool = False,
) -> Array:
    """Confusion matrix [[TN, FP], [FN, TP]] of each class against the rest, as an array without intervals.

    Intervals of what is made of the four counts: `precision_score`, `recall_score` and `jaccard_score` with
    `average=None`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True labels, or 0/1 columns.
    y_pred : array-like
        Predicted labels, in the shape of y_true.
    sample_weight : array-like of shape (n_samples,), default: None
        Weight of each row.
    labels : list of labels, default: None
        Classes, in this order; None: all labels, sorted. Of 0/1 columns: their numbers.
    samplewise : bool, default: False
        One matrix for each row instead of each label; only for 0/1 columns.

    Returns
    -------
    ndarray of shape (n_classes, 2, 2)
        One matrix per class, or per row where samplewise.

    Raises
    ------
    UsageError
        Where samplewise is True and rows have one label each, or labels are not columns of y_true.

    See Also
    --------
    heldout.evaluate : Its `classes` have the metrics of every class with intervals.

    Examples
    --------
    >>> from heldout.metrics import multilabel_confusion_matrix
    >>> multilabel_confusion_matrix([[1, 0], [0, 1]], [[1, 0], [1, 1]]).tolist()
    [[[0, 1], [0, 1]], [[1, 0], [0, 1]]]
    """
    rows, chosen = choose(read_labels(y_true, y_pred, Options(sample_weight, *_plain())), labels)
    batch = rows.batch
    if samplewise:
        if batch.task != "multilabel":
            raise UsageError(
                "samplewise is True, which is for several 0/1 labels per row, and y_true has one column",
                fix="pass samplewise=False",
            )
        assert batch.prediction is not None
        truth, prediction = batch.truth[:, chosen], batch.prediction[:, chosen]
        cells = [(1 - truth) * (1 - prediction), (1 - truth) * prediction, truth * (1 - prediction), truth * prediction]
        weight = rows.each_weighs if batch.weight is None else batch.weight
        counts = np.stack([cell.sum(axis=1) * weight for cell in cells], axis=1)
        if batch.numbers is not None:  # rows of weight zero have matrices of zeros
            every = np.zeros((np.shape(dense(y_true))[0], 4))
            every[batch.numbers - 1] = counts
            counts = every
    else:
        sums = rows.measured(METRICS["precision"]).labels.sums
        scale = rows.total / batch.rows
        counts = np.stack([np.asarray(sums[name])[chosen] * scale for name in ("tn", "fp", "fn", "tp")], axis=1)
    whole = counts if has_fractions(sample_weight) else np.rint(counts).astype(np.int64)
    return whole.reshape(-1, 2, 2)


def _plain() -> tuple[Any, ...]:
    """Options of functions that estimate nothing."""
    return None, 0.95, "auto", "two-sided", 2000, 0


@documented
def classification_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Sequence[Label] | None = None,
    target_names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: ZeroDivision = "warn",
    groups: ArrayLike | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: RandomState = 0,
) -> str | dict[str, Any]:
    """Precision, recall and F1 of every class and their averages, each with its confidence interval.

    Parameters
    ----------
    target_names : list of str, default: None
        Names to print instead of the labels, in the order of labels.
    digits : int, default: 2
        Decimals in the text. The dict has all digits.
    output_dict : bool, default: False
        Return a dict instead of a text.

    Returns
    -------
    str or dict
        A table as text; or class name, 'accuracy', 'macro avg' and 'weighted avg' → precision, recall, f1-score (each
        an Estimate) and support.

    Examples
    --------
    >>> from heldout.metrics import classification_report
    >>> print(classification_report(["a", "b", "a", "b", "b"], ["a", "b", "b", "b", "b"]))
                          precision             recall           f1-score    support
    <BLANKLINE>
               a  1.00 [0.21, 1.00]  0.50 [0.09, 0.91]  0.67 [0.17, 0.95]          2
               b  0.75 [0.30, 0.95]  1.00 [0.44, 1.00]  0.86 [0.46, 0.98]          3
    <BLANKLINE>
        accuracy                                        0.80 [0.38, 0.96]          5
       macro avg  0.88 [0.56, 0.98]  0.75 [0.40, 0.95]  0.76 [0.32, 0.96]          5
    weighted avg  0.85 [0.60, 0.96]  0.80 [0.38, 0.96]  0.78 [0.32, 0.96]          5
    <BLANKLINE>
    """
    options = Options(sample_weight, groups, confidence_level, method, side, n_resamples, random_state)
    rows = read_labels(y_true, y_pred, options)
    several = rows.batch.task == "multilabel"
    listed = list(rows.batch.labels) if labels is None else np.asarray(labels).tolist()
    names = _names(listed, target_names)
    whole = not several and set(map(str, listed)) >= set(map(str, rows.batch.labels))
    support = support_of(*choose(rows, labels), sample_weight)

    def scores(average: Average) -> list[Any]:
        return [
            class_scores(rows, METRICS[name], labels=labels, pos_label=1, average=average, zero_division=zero_division)
            for name in ("precision", "recall", "f1")
        ]

    lines: dict[str, list[Any]] = {
        name: list(line) for name, *line in zip(names, *scores(None), support.tolist(), strict=False)
    }
    averages = ("micro", "macro", "weighted", *(("samples",) if several else ()))
    total = float(support.sum()) if has_fractions(sample_weight) else int(support.sum())
    for average in averages:
        name = "accuracy" if average == "micro" and whole else f"{average} avg"
        lines[name] = [*scores(average), total]
    if output_dict:
        return _as_dict(lines)
    return _as_text(lines, len(names), digits)


def _names(labels: list[Any], target_names: Sequence[str] | None) -> list[str]:
    if target_names is None:
        return [str(label) for label in labels]
    if len(target_names) != len(labels):
        raise UsageError(
            f"target_names has {len(target_names)} names, and there are {len(labels)} classes: {labels[:10]}",
            fix="pass one name per class, or labels= with the classes that the names are for",
        )
    return [str(name) for name in target_names]


HEADS = ("precision", "recall", "f1-score", "support")


def _as_dict(lines: dict[str, list[Any]]) -> dict[str, Any]:
    report: dict[str, Any] = {
        name: dict(zip(HEADS, (*line[:3], float(line[3])), strict=True)) for name, line in lines.items()
    }
    if "accuracy" in report:
        report["accuracy"] = report["accuracy"]["precision"]
    return report


def _as_text(lines: dict[str, list[Any]], classes: int, digits: int) -> str:
    """The table; classes first, then averages. Of accuracy, which all three columns have, one is shown."""
    width = max(*(len(name) for name in lines), len("weighted avg"))
    cells = {name: [_interval(one, digits) for one in line[:3]] for name, line in lines.items()}
    if "accuracy" in cells:
        cells["accuracy"] = ["", "", cells["accuracy"][2]]
    wide = max(len(cell) for line in cells.values() for cell in line)
    wide = max(wide, len("f1-score"))
    text = f"{'':>{width}}" + "".join(f"  {head:>{wide}}" for head in HEADS[:3]) + f"  {HEADS[3]:>9}\n\n"
    for at, (name, line) in enumerate(lines.items()):
        gap = "\n" if at == classes else ""
        text += gap + f"{name:>{width}}" + "".join(f"  {cell:>{wide}}" for cell in cells[name]) + f"  {line[3]:>9}\n"
    return text


def _interval(estimate: Estimate, digits: int) -> str:
    value, low, high = (number(x, f".{digits}f") for x in (estimate.value, estimate.low, estimate.high))
    return f"{value} [{low}, {high}]"
