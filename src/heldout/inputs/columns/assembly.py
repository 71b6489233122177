"""Columns by role to a reading: what every task has in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from heldout.batch import Array, Batch, Segment, TimeOrder, differing_weights
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.inputs.columns.class_batch import class_reading
from heldout.inputs.columns.column_values import Column, blank, positions
from heldout.inputs.columns.label_column import kind, missing_labels, typed
from heldout.inputs.columns.number_parsing import as_numbers, as_scores
from heldout.inputs.columns.role_columns import Origin, RoleColumns, joined_names
from heldout.inputs.columns.task_guess import Family, task_family
from heldout.inputs.columns.time_column import as_times
from heldout.inputs.formats.files import Source
from heldout.inputs.message_text import listed, names_listed, quoted, rows_named, rows_where
from heldout.inputs.reading import Check, Choices, Reading

TASKS = ("binary", "multiclass", "multilabel", "regression")
MOST_GAPS = 6
"""Number of columns with missing values that a message names."""


def assembled(columns: RoleColumns, choices: Choices, sources: tuple[Source, ...] = ()) -> Reading:
    """Read columns whose roles are known: find the task, check every value, and build the batch."""
    _known_choices(choices)
    _times_are_there(columns, choices)
    _same_length(columns)
    with columns.origin.naming_errors():
        family = task_family(columns, choices.task, choices.of)
    _fitting_choices(family, columns.origin, choices)
    columns, checks = _usable_outputs(columns, family, choices)
    with columns.origin.naming_errors():
        columns = _with_numbers(columns, family)
    commas = tuple(
        Check(code="H111", text=f"{column.name} is written with decimal commas; they are read as points")
        for column in columns.complete()
        if column.decimal_comma
    )
    columns = _in_time(columns, choices)
    columns, dropped = without_gaps(columns, choices.on_nan if choices.of is None else "drop")
    check_weights(columns.origin, columns.weight, all_rows=choices.of is None)
    columns, weightless = _without_weightless(columns)
    reading = _reader(family)(columns, choices)
    batch = replace(
        reading.batch,
        weight=differing_weights(None if columns.weight is None else columns.weight.values),
        unit=_units(columns),
        time=_time_order(columns, choices),
        segments={column.name: segment(column) for column in columns.segments},
        numbers=columns.origin.rows,
        clip=choices.clip or 0.0,
    )
    return replace(
        reading,
        batch=batch,
        columns={**reading.columns, **_other_columns(columns)},
        checks=(
            *(*checks, *commas, *((*dropped, *weightless) if choices.of is None else ()), *reading.checks),
            *(() if reading.batch.score is None else _link_checks(columns, choices)),
            *_clip_checks(batch),
        ),
        sources=sources,
        ids=_ids(columns),
        rows=columns.origin.rows,
        dated=columns.dated,
        unused=_unused(choices) if reading.batch.score is None else (),
    )


def _unused(choices: Choices) -> tuple[str, ...]:
    """What was decided about scores, where there are none."""
    return tuple(name for name in ("threshold", "link", "clip") if getattr(choices, name) is not None)


def _clip_checks(batch: Batch) -> tuple[Check, ...]:
    """A note that log losses were limited; raise where no probability could be."""
    if not batch.clip or batch.score is None:
        return ()
    if not batch.probabilities:
        fix = "leave it out, or convert logits into probabilities with --link logit (link='logit')"
        raise UsageError("clip has no effect: the scores are not probabilities", fix=fix)
    ends = f"[{batch.clip:g}, {1 - batch.clip:g}]"
    return (Check(code="H111", text=f"log losses count probabilities as if they lay in {ends}: --clip (clip=)"),)


def _link_checks(columns: RoleColumns, choices: Choices) -> tuple[Check, ...]:
    """Notes on scores that a link turned into probabilities."""
    if choices.link is None:
        return ()
    checks: tuple[Check, ...] = ()
    scores = list(columns.classes.values()) or [column for column in (columns.score,) if column is not None]
    if choices.of is None and all(column.bounds[0] >= 0 and column.bounds[1] <= 1 for column in scores):
        names = names_listed([column.name for column in scores])
        verb = "lies" if len(scores) == 1 else "lie"
        text = f"{names} {verb} in [0, 1], so these look like probabilities, not logits: leave out --link (link=)"
        checks = (Check(code="H306", text=text),)
    if choices.threshold is not None:
        text = f"the threshold {choices.threshold:g} is on the scale of probabilities, to which logits are converted"
        checks = (*checks, Check(code="H111", text=text, labels=True))
    return checks


def _reader(family: Family) -> Callable[[RoleColumns, Choices], Reading]:
    """The function that reads columns of this family."""
    if family == "labels":
        return class_reading
    from heldout.inputs.columns.target_batch import multilabel_reading, regression_reading

    return multilabel_reading if family == "multilabel" else regression_reading


def _known_choices(choices: Choices) -> None:
    """Raise if a choice is not one of those that exist."""
    known: dict[str, tuple[str | None, Sequence[str]]] = {
        "task": (choices.task, TASKS),
        "on_nan": (choices.on_nan, ("error", "drop")),
        "link": (choices.link, ("logit",)),
    }
    for name, (value, allowed) in known.items():
        if value is not None and value not in allowed:
            hint = did_you_mean(str(value), allowed)
            raise UsageError(f"{name} {value!r} is not known{hint}", fix=f"choose one of {', '.join(allowed)}")
    known_clip(choices.clip)


def known_clip(clip: Any) -> None:
    """Raise if it is not a probability below one half."""
    if clip is None:
        return
    if isinstance(clip, bool) or not isinstance(clip, (int, float, np.number)) or not 0 < clip < 0.5:
        raise UsageError(f"clip is {clip!r}, but must be a probability between 0 and 0.5", fix="for example 1e-6")


def _same_length(columns: RoleColumns) -> None:
    rows = len(columns.truth[0])
    for column in (*columns.complete(), *columns.segments):
        if len(column) != rows:
            raise columns.origin.error(
                f"{columns.truth[0].name} has {rows:,} rows and {column.name} has {len(column):,}",
                code="H112",
                fix="pass columns of one length",
            )
    if not rows:
        place = columns.origin.place or columns.truth[0].name
        raise DataError(f"{place} has no rows", code="H112", fix="export the predictions again")


def _fitting_choices(family: Family, origin: Origin, choices: Choices) -> None:
    """Raise if a choice has no meaning for the task."""
    if family == "regression":
        named = {
            "positive class": choices.positive,
            "threshold": choices.threshold,
            "link": choices.link,
            "clip": choices.clip,
        }
        for name, value in named.items():
            if value is not None:
                raise UsageError(
                    f"a {name} ({quoted(value)}) was given, and the task is regression",
                    code="H107",
                    fix=f"leave it out, or state the task: {origin.option('task', 'binary')}",
                )
        if choices.labels is not None:
            raise UsageError(
                f"labels ({listed(choices.labels)}) were given, and the task is regression",
                code="H107",
                fix=f"leave them out, or state the task: {origin.option('task', 'multiclass')}",
            )
    threshold = choices.threshold
    if threshold is not None and not (isinstance(threshold, (int, float, np.number)) and np.isfinite(threshold)):
        raise UsageError(
            f"the threshold {threshold!r} is not a finite number", code="H108", fix="give a number such as 0.5"
        )


def _usable_outputs(columns: RoleColumns, family: Family, choices: Choices) -> tuple[RoleColumns, tuple[Check, ...]]:
    """The outputs that the task can use; a threshold replaces a column of predictions that the caller did not name."""
    checks: tuple[Check, ...] = ()
    scored = columns.score is not None or bool(columns.classes)
    if family == "regression" and scored:
        unused = [c.name for c in (columns.score, *columns.classes.values()) if c is not None]
        if columns.prediction and {"score", "prob_prefix"} & columns.named:
            raise UsageError(
                f"scores ({names_listed(unused)}) were given, and the task is regression",
                code="H107",
                fix=f"leave them out, or state the task: {columns.origin.option('task', 'binary')}",
            )
        text = f"{names_listed(unused)}: not used, because the task is regression"
        if choices.task is None:
            text += f"; {columns.origin.option('task')} states another"
        checks = (Check(code="H111", text=text),)
        columns = replace(columns, score=None, classes={}, prefix="")
    if choices.threshold is not None and scored and columns.prediction:
        if "pred" in columns.named:
            raise UsageError(
                f"predictions ({columns.prediction[0].name}) and a threshold ({choices.threshold}) were both given",
                code="H106",
                fix="give one of the two",
            )
        names = joined_names(columns.prediction)
        checks = (Check(code="H111", text=f"{names}: not used, because a threshold was given"),)
        columns = replace(columns, prediction=())
    if not columns.prediction and (family == "regression" or (columns.score is None and not columns.classes)):
        raise _no_prediction(columns, family)
    return columns, checks


def _no_prediction(columns: RoleColumns, family: Family) -> DataError:
    origin = columns.origin
    if origin.kind == "arrays":
        if family == "regression":
            return DataError("there are no predicted numbers: y_pred is missing", code="H106", fix="pass y_pred=")
        return DataError(
            "there are no predictions: y_pred, y_score and y_proba are all missing",
            code="H106",
            fix="pass y_pred=, y_score= or y_proba=",
        )
    several = f"; {', '.join(columns.models[:6])} may be predictions of several models" if columns.models else ""
    example = origin.option("pred", columns.models[0] if columns.models else "NAME")
    return origin.error(
        f"the truth is {joined_names(columns.truth)}, and there is no column of predictions (looked for y_pred, "
        f"prediction, pred, yhat; y_score, score, prob, proba, p; p_<class>){several}",
        code="H106",
        fix=f"name it with {example} or {origin.option('score', 'NAME')}",
    )


def _with_numbers(columns: RoleColumns, family: Family) -> RoleColumns:
    """Parse every column that must hold numbers."""
    numeric = family != "labels"
    return replace(
        columns,
        truth=tuple(as_numbers(c) for c in columns.truth) if numeric else columns.truth,
        prediction=tuple(as_numbers(c) for c in columns.prediction) if numeric else columns.prediction,
        score=None if columns.score is None else as_scores(columns.score),
        classes={name: as_numbers(c) for name, c in columns.classes.items()},
        weight=None if columns.weight is None else as_numbers(columns.weight),
        time=None if columns.time is None else as_times(columns.time),
    )


def _units(columns: RoleColumns) -> Array | None:
    """Clusters of rows: those of one time, of all series [driscoll98], times in order; else of one group."""
    if columns.time is not None:
        return np.unique(columns.time.values, return_inverse=True)[1].astype(np.int64)
    return None if columns.group is None else _numbered(columns.group)


def _numbered(group: Column) -> Array:
    """Each row's position among the groups: numbers by size, also where a file has them as text."""
    codes = positions(group)[1].astype(np.int64)
    if group.words is None:
        return codes
    import pyarrow as pa

    used = group.words.take(pa.array(np.unique(group.values[group.values >= 0])))
    for number in (pa.int64(), pa.uint64(), pa.float64()):
        with suppress(pa.ArrowInvalid):
            sizes = used.cast(number).to_numpy(zero_copy_only=False)
            rank = np.empty(len(sizes) + 1, np.int64)
            rank[np.argsort(sizes, kind="stable")] = np.arange(len(sizes))
            rank[-1] = -1
            return rank[codes]
    return codes


def _time_order(columns: RoleColumns, choices: Choices) -> TimeOrder | None:
    if columns.time is None:
        return None
    if columns.series is None:
        return TimeOrder(horizon=choices.horizon)
    names, codes = positions(columns.series)
    times = np.unique(columns.time.values, return_inverse=True)[1]
    pairs = len(np.unique(times * len(names) + codes))
    if len(names) > 1 and pairs == times.max() + 1:
        raise columns.origin.error(
            f"no time of {columns.time.name} is shared by two of the {len(names):,} series in {columns.series.name}, "
            "so that rows of one series cannot be told from what all series share",
            code="H318",
            fix="round the times to a common period such as the day, or measure each series by itself",
        )
    return TimeOrder(horizon=choices.horizon, series=len(names))


def _times_are_there(columns: RoleColumns, choices: Choices) -> None:
    """Raise if series or a horizon are given, and no times."""
    for name, value in (("series", columns.series), ("horizon", choices.horizon)):
        if value is not None and columns.time is None:
            fix = f"name them with {columns.origin.option('time')}, or leave it out"
            raise UsageError(f"{name} has no effect without times", fix=fix)


def _in_time(columns: RoleColumns, choices: Choices) -> RoleColumns:
    """The columns without groups that are the series; raise if times, horizon and groups do not go together."""
    origin, horizon = columns.origin, choices.horizon
    if columns.time is None:
        return columns
    whole = isinstance(horizon, (int, np.integer)) and not isinstance(horizon, bool)
    if horizon is not None and not (whole and horizon >= 1):
        raise UsageError(
            f"horizon is {horizon!r}, but must be a whole number of steps, 1 or more",
            fix=f"for forecasts of the next time write {origin.option('horizon', 1)}",
        )
    if horizon is not None and 2 * horizon > len(np.unique(columns.time.values)):
        raise UsageError(
            f"horizon is {horizon}, more than half of the {len(np.unique(columns.time.values)):,} times",
            fix="give the number of steps that the forecasts look ahead, or more times",
        )
    if columns.group is None:
        return columns
    if columns.series is None or not _same_division(columns.group, columns.series):
        name = columns.group.name
        raise UsageError(
            f"rows have times ({columns.time.name}) and groups ({name}), and dependence can be allowed for in one way",
            fix=f"if every group is a series of its own, name it as such: {_series_option(origin, name)}; otherwise "
            "leave out the times or the groups",
        )
    return replace(columns, group=None)


def _series_option(origin: Origin, name: str) -> str:
    return origin.option("series") if origin.kind == "arrays" else origin.option("series", name)


def _same_division(one: Column, other: Column) -> bool:
    """Whether two columns divide the rows in the same way."""
    first, second = positions(one)[1], positions(other)[1]
    pairs = np.unique(np.stack([first, second]), axis=1).shape[1]
    return pairs == len(np.unique(first)) == len(np.unique(second))


def without_gaps(columns: RoleColumns, on_nan: str) -> tuple[RoleColumns, tuple[Check, ...]]:
    """The columns without rows that lack a value: an error that names them, or a note of how many were dropped."""
    origin, rows = columns.origin, len(columns.truth[0])
    labels = {id(column) for column in (*columns.truth, *columns.prediction)}
    gaps = {}
    for column in (column for column in columns.complete() if not column.gapless):
        mask = missing_labels(column) if id(column) in labels else blank(column)
        if mask.any():
            gaps[column.name] = (column, mask)
    if not gaps:
        return columns, ()
    texts = [text for name, (column, mask) in gaps.items() for text in _gap_texts(name, column, mask, origin.first)]
    if on_nan == "error":
        raise gap_error(origin, texts)
    gone = np.logical_or.reduce([mask for _, mask in gaps.values()])
    if gone.all():
        raise origin.error(
            f"no row is complete: {'; '.join(texts[:MOST_GAPS])}", code="H305", fix="complete the values"
        )
    verb = "was" if gone.sum() == 1 else "were"
    note = f"{int(gone.sum()):,} of {rows:,} rows {verb} dropped: {'; '.join(texts[:MOST_GAPS])}"
    kept = replace(columns.take(~gone), origin=replace(origin, rows=rows_where(~gone) + origin.first))
    return kept, (Check(code="H305", text=note),)


def _without_weightless(columns: RoleColumns) -> tuple[RoleColumns, tuple[Check, ...]]:
    """The columns without rows of weight zero, which are no rows: as units they would move every interval."""
    origin, weight = columns.origin, columns.weight
    if weight is None or (weight.values > 0).all() or not (weight.values > 0).any():
        return columns, ()
    kept = weight.values > 0
    numbers = rows_where(kept) + origin.first if origin.rows is None else origin.rows[kept]
    check = weightless_rows(weight.name, int(np.count_nonzero(~kept)), len(kept))
    return replace(columns.take(kept), origin=replace(origin, rows=numbers)), (check,)


def weightless_rows(name: str, count: int, rows: int) -> Check:
    """The note on rows of weight zero.

    >>> weightless_rows("weight", 1, 20).text
    '1 of 20 rows has weight 0 (weight) and is left out'
    """
    verbs = ("has", "is") if count == 1 else ("have", "are")
    return Check(code="H111", text=f"{count:,} of {rows:,} rows {verbs[0]} weight 0 ({name}) and {verbs[1]} left out")


def gap_error(origin: Origin, texts: Sequence[str]) -> DataError:
    """The error for missing values; `texts` say where they are."""
    return origin.error(
        f"{'; '.join(texts[:MOST_GAPS])}. Rows are never dropped silently",
        code="H305",
        fix=f"complete the values, or drop these rows with {origin.option('on_nan', 'drop')}",
    )


def _gap_texts(name: str, column: Column, mask: Array, first: int) -> list[str]:
    infinite = (
        np.isinf(column.values)
        if column.words is None and column.values.dtype.kind == "f"
        else np.zeros(len(mask), bool)
    )
    return gap_texts(name, mask & ~infinite, infinite, first)


def gap_texts(name: str, missing: Array, infinite: Array, first: int) -> list[str]:
    """Where a column is missing and where it is infinite, in words; `first` rows come before."""
    texts = []
    if missing.any():
        texts.append(f"{name} is missing in {rows_named(rows_where(missing) + first)}")
    if infinite.any():
        texts.append(f"{name} is infinite (inf) in {rows_named(rows_where(infinite) + first)}")
    return texts


UNLIKE = 1e12
"""Weights that differ by more leave less than four digits of the lightest rows in sums of all."""


def check_weights(origin: Origin, weight: Column | None, *, all_rows: bool) -> None:
    """Raise if a weight is negative, or if these are all rows and every weight is zero."""
    if weight is None:
        return
    values = weight.values
    if (values < 0).any():
        at = int(np.flatnonzero(values < 0)[0])
        raise origin.error(
            f"the weight in {weight.name} is {values[at]:.6g} in row {origin.row(at)}, and must be zero or more",
            code="H109",
            fix="remove the row, or give it the weight 0",
        )
    if all_rows and not (values > 0).any():
        raise origin.error(
            f"every weight in {weight.name} is zero", code="H109", fix="give at least one row a positive weight"
        )
    heavy = values[values > 0]
    if heavy.size and heavy.max() / UNLIKE > heavy.min():
        at = int(np.argmax(values))
        raise origin.error(
            f"the weights in {weight.name} go from {heavy.min():.6g} to {values[at]:.6g} (row {origin.row(at)}): "
            "beside the heaviest, the lightest rows are lost in rounding",
            code="H109",
            fix="check the weights, or remove rows that hardly count",
        )


def segment(column: Column) -> Segment:
    """A column as named subgroups: numbers by size, text by code point, rows without a value in their own subgroup."""
    values, codes = positions(column)
    if column.words is not None and kind(values) == "float":
        whole = [str(typed(value, "whole")) for value in values]
        values = whole if len(set(whole)) == len(values) else values
    sizes = _as_numbers(values)
    order = sorted(range(len(values)), key=lambda at: (sizes[at], values[at]))
    rank = np.append(np.argsort(np.array(order, np.int64)), len(order)) if order else np.array([0])
    gone = blank(column)
    names = [str(values[at]) for at in order]
    ranked: Array = np.where(gone, len(names), rank[codes])
    if gone.any():
        names.append("(missing)")
    return Segment(codes=ranked, names=tuple(names))


def _as_numbers(values: Sequence[Any]) -> Sequence[float]:
    """Numbers that are written as text, as in CSV; zeros if one of the texts cannot be read as a number."""
    try:
        numbers = [float(value) if str(value).strip() else 0.0 for value in values]
    except (TypeError, ValueError):
        return [0.0] * len(values)
    return numbers if all(map(isfinite, numbers)) else [0.0] * len(values)


def _ids(columns: RoleColumns) -> Array | None:
    """The ids; an id may occur twice only where the id column is also the group."""
    if columns.id is None:
        return None
    origin, name = columns.origin, columns.id.name
    values, codes = positions(columns.id)
    counts = np.bincount(codes, minlength=len(values))
    if counts.max() > 1 and (columns.group is None or columns.group.name != name):
        repeated = np.flatnonzero(counts > 1)
        first = int(np.flatnonzero(counts[codes] > 1)[0])
        rows = np.flatnonzero(codes == codes[first]) + 1
        if origin.rows is not None:
            rows = origin.rows[rows - 1]
        count = f"{len(repeated):,} ids occur" if len(repeated) > 1 else "1 id occurs"
        raise origin.error(
            f"{count} more than once (at most {counts.max()} times): "
            f"{name} {quoted(values[codes[first]])} is in {rows_named(rows)}, and these are not independent",
            code="H105",
            fix=f"{origin.option('group', name)} for cluster-robust intervals, or remove the duplicates",
        )
    return np.array(values, dtype=object if columns.id.words is not None else None)[codes]


def _other_columns(columns: RoleColumns) -> dict[str, str]:
    """Role → column name of the group, the weight, the id, the time, the series and the segments."""
    names = {}
    for role in ("group", "weight", "id", "time", "series"):
        column = getattr(columns, role)
        if column is not None:
            names[role] = column.name
    if columns.segments:
        names["segment"] = ", ".join(column.name for column in columns.segments)
    return names
