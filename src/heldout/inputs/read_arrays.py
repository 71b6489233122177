"""`from_arrays`: truth and predictions as arrays, series or lists to a reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import DataError, UsageError
from heldout.inputs.columns.assembly import assembled
from heldout.inputs.columns.column_names import meaningful_names, named_after
from heldout.inputs.columns.column_values import Column, column
from heldout.inputs.columns.role_columns import Origin, RoleColumns
from heldout.inputs.columns.time_column import time_column
from heldout.inputs.formats.files import Table
from heldout.inputs.formats.frames import table
from heldout.inputs.index_alignment import aligned
from heldout.inputs.message_text import names_listed
from heldout.inputs.reading import Choices, Reading


def from_arrays(
    y_true: Any,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    y_proba: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    time: Any = None,
    series: Any = None,
    horizon: int | None = None,
    segments: Any = None,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    threshold: float | None = None,
    task: str | None = None,
    on_nan: str = "error",
    link: str | None = None,
    clip: float | None = None,
    origin: Origin | None = None,
    truth_name: str = "y_true",
    doubts: bool = True,
    as_sorted: bool = False,
) -> Reading:
    """Read arrays, truth first, as scikit-learn has them.

    Parameters
    ----------
    y_true : array, series, list or frame
        The truth; several columns are several labels or targets.
    y_pred, y_score, y_proba : array, series, list or frame, optional
        Predicted labels or numbers; scores; probabilities, one column per class. At most one of the last two.
    sample_weight, groups, segments : array, optional
        Weight and cluster of each row, and columns that divide the rows into subgroups.
    time, series, horizon : array, array and int, optional
        Time of each row and series that it is of; steps ahead of the forecasts.
    pos_label, labels, threshold, task, on_nan, link, clip : optional
        What the values mean, as in `heldout.evaluate`.
    origin : Origin, optional
        How messages write options (default: as arguments of arrays).
    truth_name : str, default "y_true"
        Name of the truth in messages.
    doubts : bool, default True
        Whether values that may not mean what they are given for are an error: predictions that share no label with the
        truth, scores that are higher for the negative class. False where a convention says what they mean.
    as_sorted : bool, default False
        Whether scores of classes without names are in the sorted order of the labels, as scikit-learn has them, though
        `labels` are given. Without `labels` they always are.

    Returns
    -------
    Reading
        The batch, the arrays it came from, and what was noticed.

    Raises
    ------
    UsageError
        If options exclude each other.
    DataError
        If the arrays cannot be evaluated: lengths differ, or a value is missing or cannot be read.

    See Also
    --------
    heldout.inputs.read : the same for files and frames.

    Examples
    --------
    >>> from_arrays([0, 1, 1, 0], [0, 1, 0, 0]).batch.prediction.tolist()
    [0, 1, 0, 0]
    """
    if y_true is None:
        fix = "pass the true labels or numbers first, or a table that has them"
        raise UsageError(f"{truth_name} is None, but must be the true labels or numbers", code="H106", fix=fix)
    if y_score is not None and y_proba is not None:
        raise UsageError(
            "y_score and y_proba were both given", code="H106", fix="give the probabilities as y_proba only"
        )
    rows, moved = aligned(
        {
            truth_name: y_true, "y_pred": y_pred, "y_score": y_score, "y_proba": y_proba, "groups": groups,
            "sample_weight": sample_weight, "segments": segments, "time": time, "series": series,
        }
    )  # fmt: skip
    truths = array_columns(truth_name, rows[truth_name])
    score_name = "y_proba" if y_proba is not None else "y_score"
    scores = array_columns(score_name, rows[score_name])
    targets = _targets(truths, y_true)
    single = len(scores) == 1 and len(truths) == 1
    class_names = () if single else _names(rows[score_name])
    if class_names:
        scores = tuple(replace(c, name=f"{score_name}[{name!r}]") for c, name in zip(scores, class_names, strict=True))
    if class_names and len(truths) > 1:
        scores, class_names = _in_target_order(score_name, scores, class_names, targets), ()
    predictions = _predictions(truths, array_columns("y_pred", rows["y_pred"]))
    if len(predictions) > 1:
        predictions = _in_target_order("y_pred", predictions, _names(rows["y_pred"]), targets)
    columns = RoleColumns(
        origin=origin or Origin(kind="arrays"),
        truth=truths,
        prediction=predictions,
        score=scores[0] if single else None,
        classes={} if single else dict(zip(class_names or map(str, range(len(scores))), scores, strict=True)),
        in_order=not class_names,
        numbered="" if single or class_names or len(truths) > 1 else _numbered(rows[score_name]),
        prefix="" if single else score_name,
        probability=y_proba is not None,
        targets=targets,
        group=None if groups is None else column("groups", rows["groups"]),
        weight=None if sample_weight is None else column("sample_weight", rows["sample_weight"]),
        time=None if time is None else time_column("time", rows["time"]),
        series=None if series is None else column("series", rows["series"]),
        segments=() if segments is None else _segments(rows["segments"]),
        named=frozenset(("pred",) if y_pred is not None else ()) | frozenset(("score",) if scores else ()),
    )
    choices = Choices(
        positive=pos_label, labels=labels, threshold=threshold, task=task, on_nan=on_nan, link=link, doubts=doubts,
        clip=clip, horizon=horizon, as_sorted=as_sorted,
    )  # fmt: skip
    reading = assembled(columns, choices)
    return replace(reading, checks=(*moved, *reading.checks)) if moved else reading


def _names(values: Any) -> tuple[str, ...]:
    """The names of the columns of a frame; none where it is an array, or where they have no names."""
    if not _is_frame(values):
        return ()
    names = table(values).names
    return names if meaningful_names(names) else ()


def _numbered(values: Any) -> Literal["", "named", "default"]:
    """Whether the columns of a frame are called 0, 1, …: by the caller, or by default."""
    if not _is_frame(values) or list(table(values).names) != [str(at) for at in range(values.shape[1])]:
        return ""
    return "default" if type(values.columns).__name__ == "RangeIndex" else "named"


def in_class_order(name: str, values: Any, labels: Sequence[Label]) -> Array:
    """Scores of classes as an array with one column per label, in the order of the labels; a frame by its names.

    >>> in_class_order("y_proba", {"b": [0.9], "a": [0.1]}, ["a", "b"]).tolist()
    [[0.1, 0.9]]
    """
    rows = table(values) if isinstance(values, Mapping) else values
    names = _names(rows)
    if not names and _is_frame(rows) and set(table(rows).names) == {str(label) for label in labels}:
        names = table(rows).names  # 0, 1, …, which are the classes
    class_of = named_after(names, labels)
    if not class_of:
        return np.asarray(values)
    place = {label: at for at, label in enumerate(class_of.values())}
    columns = array_columns(name, rows)
    return np.column_stack([columns[place[str(label)]].values for label in labels])


def _in_target_order(
    name: str, columns: tuple[Column, ...], names: tuple[str, ...], targets: tuple[str, ...]
) -> tuple[Column, ...]:
    """One output per truth in the order of the truths, where the columns of both have names."""
    if not names or not meaningful_names(targets) or len(names) != len(targets):
        return columns
    target_of = named_after(names, targets)
    if set(target_of.values()) != set(targets):
        raise DataError(
            f"the columns of {name} ({names_listed(names)}) are not named after those of the truth "
            f"({names_listed(targets)})",
            code="H106",
            fix=f"rename them, or pass {name} as an array (.to_numpy()) with columns in the order of the truth",
        )
    place = {target_of[column_name]: at for at, column_name in enumerate(names)}
    return tuple(columns[place[target]] for target in targets)


def array_columns(name: str, values: Any) -> tuple[Column, ...]:
    """One column per column of the array; none if nothing was given.

    >>> [column.name for column in array_columns("y_true", np.eye(2))]
    ['y_true[:, 0]', 'y_true[:, 1]']
    """
    if values is None:
        return ()
    sides = _matrix(name, values)
    if sides is None:
        return (column(name, values),)
    if sides.ndim != 2 or sides.shape[1] == 0:
        raise DataError(
            f"{name} has the shape {sides.shape}, and one column, or one per class, is needed",
            code="H107",
            fix=f"pass {name} with one row per row and at most one column per class, label or target",
        )
    if sides.shape[1] == 1:
        return (column(name, sides[:, 0]),)
    sides = np.asfortranarray(sides)  # every later step reads whole columns
    return tuple(column(f"{name}[:, {at}]", sides[:, at]) for at in range(sides.shape[1]))


def _matrix(name: str, values: Any) -> Array | None:
    """The values as an array where they have more than one dimension, else None."""
    if _is_frame(values):
        rows = table(values)
        sides = [rows.column(at) for at in range(len(rows.names))]
        if not sides or any(side.words is not None for side in sides):
            return np.array([[]]) if not sides else _texts(name, sides)
        return np.column_stack([side.values for side in sides])
    if not isinstance(values, np.ndarray) and isinstance(values, Sequence) and len(values) and _nested(values[0]):
        try:
            values = np.array(values)
        except ValueError as error:
            raise DataError(
                f"the rows of {name} differ in length", code="H112", fix="pass a rectangular array"
            ) from error
    return values if isinstance(values, np.ndarray) and values.ndim != 1 else None


def _is_frame(values: Any) -> bool:
    return (hasattr(type(values), "columns") and hasattr(values, "shape")) or isinstance(values, Table)


def _nested(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray)) and not isinstance(value, str)


def _texts(name: str, sides: list[Column]) -> Array | None:
    if len(sides) == 1:
        texts: Array = np.array([*sides[0].texts(), None], dtype=object)
        return texts[sides[0].values][:, None]
    raise DataError(
        f"{name} has {len(sides)} columns that hold text", code="H107", fix=f"pass {name} as one column of labels"
    )


def _predictions(truths: tuple[Column, ...], predictions: tuple[Column, ...]) -> tuple[Column, ...]:
    if predictions and len(predictions) != len(truths):
        hint = "y_proba= or y_score=" if len(truths) == 1 else "one column per target"
        raise UsageError(
            f"y_true has {len(truths)} column{'s' if len(truths) > 1 else ''} and y_pred has {len(predictions)}",
            code="H106",
            fix=f"pass {hint}" if len(truths) > 1 else f"pass scores or probabilities per class as {hint}",
        )
    return predictions


def _targets(truths: tuple[Column, ...], y_true: Any) -> tuple[str, ...]:
    """Names of several truths: the columns of a frame, else their positions."""
    if len(truths) == 1:
        return ()
    if hasattr(type(y_true), "columns"):
        return table(y_true).names
    return tuple(str(at) for at in range(len(truths)))


def _segments(segments: Any) -> tuple[Column, ...]:
    """Columns that divide the rows: a frame, a dict of arrays, or one array."""
    if isinstance(segments, Mapping) or hasattr(type(segments), "columns") or isinstance(segments, Table):
        rows = table(segments)
        return tuple(rows.column(at) for at in range(len(rows.names)))
    name = getattr(segments, "name", None)
    return (column(name if isinstance(name, str) and name else "segment", segments),)
