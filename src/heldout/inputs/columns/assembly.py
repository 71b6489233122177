"""Columns by role → a batch: what is common to every task."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from heldout.batch import Array, Batch, Segment, differing_weights
from heldout.errors import DataError, UsageError
from heldout.inputs.columns.class_batch import Judged, classified
from heldout.inputs.columns.column import Column, blank, positions
from heldout.inputs.columns.label_column import missing_labels
from heldout.inputs.columns.number_parsing import as_numbers, as_scores
from heldout.inputs.columns.target_batch import multilabelled, regressed
from heldout.inputs.columns.task_guess import family
from heldout.inputs.formats.files import Source
from heldout.inputs.reading import Check, Choices, Parts, Reading, checked, fault, option
from heldout.inputs.wording import names_listed, quoted, rows_named, rows_where


def without_gaps(parts: Parts, on_nan: str) -> tuple[Parts, tuple[Check, ...]]:
    """The parts without rows that lack a value: an error that names them, or a note of how many were dropped."""
    rows = len(parts.truth[0])
    labels = {id(column) for column in (*parts.truth, *parts.prediction)}
    found = {}
    for column in (column for column in parts.columns() if not column.gapless):
        mask = missing_labels(column) if id(column) in labels else blank(column)
        if mask.any():
            found[column.name] = (column, mask)
    if not found:
        return parts, ()
    texts = [text for name, (column, mask) in found.items() for text in _told(name, column, mask, parts.first)]
    if on_nan == "error":
        raise fault(
            parts,
            f"{'; '.join(texts[:6])}. Rows are never dropped silently",
            code="H305",
            fix=f"complete the values, or drop these rows with {option(parts, 'on_nan', 'drop')}",
        )
    gone = np.logical_or.reduce([mask for _, mask in found.values()])
    if gone.all():
        raise fault(parts, f"no row is complete: {'; '.join(texts[:6])}", code="H305", fix="complete the values")
    verb = "was" if gone.sum() == 1 else "were"
    note = f"{int(gone.sum()):,} of {rows:,} rows {verb} dropped: {'; '.join(texts[:6])}"
    kept = replace(parts.take(~gone), rows=rows_where(~gone) + parts.first)
    return kept, (Check(code="H305", text=note),)


def _told(name: str, column: Column, mask: Array, first: int) -> list[str]:
    infinite = (
        np.isinf(column.values)
        if column.words is None and column.values.dtype.kind == "f"
        else np.zeros(len(mask), bool)
    )
    texts = []
    if (mask & ~infinite).any():
        texts.append(f"{name} is missing in {rows_named(rows_where(mask & ~infinite) + first)}")
    if infinite.any():
        texts.append(f"{name} is infinite (inf) in {rows_named(rows_where(infinite) + first)}")
    return texts


def assembled(parts: Parts, choices: Choices, sources: tuple[Source, ...] = ()) -> Reading:
    """The reading of columns whose roles are known."""
    checked(choices)
    _same_length(parts)
    kind = _located(parts, lambda: family(parts, choices.task, choices.of))
    _fitting_choices(kind, choices)
    parts, checks = _with_predictions(parts, kind, choices)
    parts = _located(parts, lambda: _numeric(parts, kind))
    whole = parts
    parts, dropped = without_gaps(parts, choices.on_nan if choices.of is None else "drop")
    weights_fit(parts, some=choices.of is not None)
    judged = {"labels": classified, "multilabel": multilabelled, "regression": regressed}[kind](parts, choices)
    commas = tuple(
        Check(code="H111", text=f"{column.name} is written with decimal commas; they are read as points")
        for column in whole.columns()
        if column.decimal_comma
    )
    return Reading(
        batch=_batch(parts, judged),
        columns=_echoed(parts, judged),
        checks=(*checks, *commas, *(dropped if choices.of is None else ()), *judged.checks),
        sources=sources,
        threshold=judged.threshold,
        ids=_ids(parts),
        rows=parts.rows,
    )


def _located(parts: Parts, step: Any) -> Any:
    """The step's answer; its error with the name of the source in front, if it lacks one."""
    try:
        return step()
    except DataError as error:
        if parts.place and not error.message.startswith(parts.place):
            raise fault(parts, error.message, code=error.code, fix=error.fix) from error
        raise


def _same_length(parts: Parts) -> None:
    rows = len(parts.truth[0])
    for column in (*parts.columns(), *parts.segments):
        if len(column) != rows:
            raise fault(
                parts,
                f"{parts.truth[0].name} has {rows:,} rows and {column.name} has {len(column):,}",
                code="H112",
                fix="pass columns of one length",
            )
    if not rows:
        place = parts.place or parts.truth[0].name
        raise DataError(f"{place} has no rows", code="H112", fix="export the predictions again")


def _fitting_choices(kind: str, choices: Choices) -> None:
    if kind == "regression":
        for name, value in (
            ("positive class", choices.positive),
            ("threshold", choices.threshold),
            ("link", choices.link),
        ):
            if value is not None:
                raise UsageError(
                    f"a {name} ({quoted(value)}) was given, and the task is regression",
                    code="H107",
                    fix="leave it out, or name the task",
                )
    if choices.threshold is not None and not _is_number(choices.threshold):
        raise UsageError(
            f"the threshold {choices.threshold!r} is not a finite number", code="H108", fix="give a number such as 0.5"
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and bool(np.isfinite(value))


def _with_predictions(parts: Parts, kind: str, choices: Choices) -> tuple[Parts, tuple[Check, ...]]:
    """The parts with what the task can use: a threshold wins over a column of predictions nobody named."""
    checks: tuple[Check, ...] = ()
    scored = parts.score is not None or bool(parts.classes)
    if kind == "regression" and scored:
        used = [c.name for c in (parts.score, *parts.classes.values()) if c is not None]
        checks = (Check(code="H111", text=f"{names_listed(used)}: not used, because the task is regression"),)
        parts = replace(parts, score=None, classes={}, prefix="")
    if choices.threshold is not None and scored and parts.prediction:
        if "pred" in parts.asked:
            raise UsageError(
                f"predictions ({parts.prediction[0].name}) and a threshold ({choices.threshold}) were both given",
                code="H106",
                fix="give one of the two",
            )
        names = _names(parts.prediction)
        checks = (Check(code="H111", text=f"{names}: not used, because a threshold was given"),)
        parts = replace(parts, prediction=())
    if not parts.prediction and (kind == "regression" or (parts.score is None and not parts.classes)):
        raise _no_prediction(parts, kind)
    return parts, checks


def _no_prediction(parts: Parts, kind: str) -> DataError:
    truth = _names(parts.truth)
    if parts.door == "arrays":
        return DataError(
            "there are no predictions: y_pred, y_score and y_proba are all missing"
            if kind != "regression"
            else "there are no predicted numbers: y_pred is missing",
            code="H106",
            fix="pass y_pred=, y_score= or y_proba=" if kind != "regression" else "pass y_pred=",
        )
    several = f"; {', '.join(parts.models[:6])} may be predictions of several models" if parts.models else ""
    example = option(parts, "pred", parts.models[0] if parts.models else "NAME")
    return fault(
        parts,
        f"the truth is {truth}, and there is no column of predictions (looked for y_pred, prediction, pred, yhat; "
        f"y_score, score, prob, proba, p; p_<class>){several}",
        code="H106",
        fix=f"name it with {example} or --score NAME",
    )


def _numeric(parts: Parts, kind: str) -> Parts:
    """The parts with every column that must hold numbers read as numbers."""
    numeric = kind != "labels"
    return replace(
        parts,
        truth=tuple(as_numbers(c) for c in parts.truth) if numeric else parts.truth,
        prediction=tuple(as_numbers(c) for c in parts.prediction) if numeric else parts.prediction,
        score=None if parts.score is None else as_scores(parts.score),
        classes={name: as_numbers(c) for name, c in parts.classes.items()},
        weight=None if parts.weight is None else as_numbers(parts.weight),
    )


def weights_fit(parts: Parts, *, some: bool = False) -> None:
    """Raise where a weight is negative, or where all are zero and these are not only `some` of the rows."""
    if parts.weight is None:
        return
    values = parts.weight.values
    if (values < 0).any():
        at = int(np.flatnonzero(values < 0)[0])
        raise fault(
            parts,
            f"the weight in {parts.weight.name} is {values[at]:.6g} in row {parts.row(at)}, and must be zero or more",
            code="H109",
            fix="remove the row, or give it the weight 0",
        )
    if not some and not values.sum() > 0:
        raise fault(
            parts, f"every weight in {parts.weight.name} is zero", code="H109", fix="give at least one row a weight"
        )


def _batch(parts: Parts, judged: Judged) -> Batch:
    return replace(
        judged.batch,
        weight=differing_weights(None if parts.weight is None else parts.weight.values),
        unit=None if parts.group is None else positions(parts.group)[1].astype(np.int64),
        segments={column.name: segment(column) for column in parts.segments},
    )


def segment(column: Column) -> Segment:
    """A column as named subsets: numbers by size, text by code point, rows without a value in a subset of their own."""
    values, codes = positions(column)
    order = sorted(range(len(values)), key=lambda at: values[at])
    rank = np.append(np.argsort(np.array(order, np.int64)), len(order)) if order else np.array([0])
    gone = blank(column)
    names = [str(values[at]) for at in order]
    found: Array = np.where(gone, len(names), rank[codes])
    if gone.any():
        names.append("(missing)")
    return Segment(codes=found, names=tuple(names))


def _ids(parts: Parts) -> Array | None:
    """The ids, each once; the column may repeat only where it is also the group."""
    if parts.id is None:
        return None
    values, codes = positions(parts.id)
    counts = np.bincount(codes, minlength=len(values))
    if counts.max() > 1 and (parts.group is None or parts.group.name != parts.id.name):
        twice = np.flatnonzero(counts > 1)
        first = int(np.flatnonzero(counts[codes] > 1)[0])
        again = rows_where(codes == codes[first])
        if parts.rows is not None:
            again = parts.rows[again - 1]
        count = f"{len(twice):,} ids occur" if len(twice) > 1 else "1 id occurs"
        raise fault(
            parts,
            f"{count} more than once (at most {counts.max()} times): "
            f"{parts.id.name} {quoted(values[codes[first]])} is in {rows_named(again)}, and these are not independent",
            code="H105",
            fix=f"{option(parts, 'group', parts.id.name)} (intervals that allow for it), or remove the duplicates",
        )
    return np.array(values, dtype=object if parts.id.words is not None else None)[codes]


def _echoed(parts: Parts, judged: Judged) -> dict[str, str]:
    """The columns in use, by role."""
    found = {"truth": _names(parts.truth)}
    if judged.used_prediction:
        found["pred"] = _names(parts.prediction)
    if judged.used_score == "score" and parts.score is not None:
        found["score"] = parts.score.name
    elif judged.used_score:
        found["score" if parts.prefix == "y_score" else "prob"] = parts.prefix
    for role, column in (("group", parts.group), ("weight", parts.weight), ("id", parts.id)):
        if column is not None:
            found[role] = column.name
    if parts.segments:
        found["segment"] = ", ".join(column.name for column in parts.segments)
    return found


def _names(columns: tuple[Column, ...]) -> str:
    """Names side by side; the columns of one array by the name of the array."""
    return ", ".join(dict.fromkeys(column.name.split("[:, ")[0] for column in columns))
