"""Rows of several models that are the same: found by id, by what they ask or by position, and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import DataError, UsageError
from heldout.inputs import Check, Reading
from heldout.inputs.message_text import names_listed


@dataclass(frozen=True, kw_only=True)
class MatchedRows:
    """The rows that all models have, in one order."""

    batches: dict[str, Batch]
    only: dict[str, int]
    """Rows of each model that have no partner."""
    matched_by: str
    checks: tuple[Check, ...] = ()


def matched_rows(readings: Mapping[str, Reading], on_missing: str) -> MatchedRows:
    """The same rows of every model; raise if truths, weights, times, groups or segments differ."""
    first, *others = readings
    ids: Array | None = None
    names = {name: one.sources[0].path if one.sources else name for name, one in readings.items()}
    refuse_some_ids({names[name]: one.ids is not None for name, one in readings.items()})
    if readings[first].ids is not None:
        matched_by, checks = _matched_by(readings)
        batches, only, ids = _by_id(readings, on_missing, matched_by)
        if matched_by == "id":
            batches = {name: replace(batch, ids=ids) for name, batch in batches.items()}
    else:
        matched_by, checks = "position", ()
        batches, only = _by_position(readings), dict.fromkeys(readings, 0)
        if on_missing != "error":
            fix = "leave out --on-missing (on_missing=), or name the ids with --id (id=)"
            raise UsageError("on_missing has no effect: the rows have no ids and are matched by position", fix=fix)
    weighed = {name: _with_ones(readings[name], batch) for name, batch in batches.items()}
    for other in others:
        same_question(batches[other], batches[first])
        checks += _read_alike(first, batches[first], other, batches[other])
        _same_truth(first, batches[first], other, batches[other], ids)
        _same_weights(first, weighed[first], other, weighed[other], ids)
        _same_times(first, batches[first], other, batches[other], ids)
        _same_groups(first, batches[first], other, batches[other], ids)
        _same_segments(first, batches[first], other, batches[other], ids)
    return MatchedRows(batches=batches, only=only, matched_by=matched_by, checks=checks)


def refuse_some_ids(has_ids: Mapping[str, bool]) -> None:
    """Raise if some models have ids and others have none: the order of their rows may not be the same."""
    lacking = [name for name, there in has_ids.items() if not there]
    having = [name for name, there in has_ids.items() if there]
    if having and lacking:
        raise DataError(
            f"{names_listed(having)} {'has' if len(having) == 1 else 'have'} an id column and {names_listed(lacking)} "
            f"{'has' if len(lacking) == 1 else 'have'} none, so it is not known which rows are the same",
            code="H101",
            fix="write the ids into every file; or leave them out of all, if the rows are in the same order",
        )


def _matched_by(readings: Mapping[str, Reading]) -> tuple[str, tuple[Check, ...]]:
    """By what rows with ids are matched: by what they ask, where logs tell it and an id asks something else in each."""
    first, *others = readings
    for other in others:
        one, two = readings[first], readings[other]
        if one.contents is None or two.contents is None:
            continue
        asked = dict(zip(np.asarray(one.ids).astype(str).tolist(), one.contents.tolist(), strict=True))
        pairs = zip(np.asarray(two.ids).astype(str).tolist(), two.contents.tolist(), strict=True)
        differ = [name for name, content in pairs if asked.get(name, content) != content]
        if differ:
            count = f"{len(differ):,} id{' is' if len(differ) == 1 else 's are'}"
            text = f"{count} of another question in {other} than in {first} (first: {differ[0]})"
            if not set(one.contents) & set(two.contents):
                raise DataError(
                    f"{text}, and the two logs have no question in common",
                    code="H101",
                    fix="evaluate both models on the same questions",
                )
            return "content", (Check(code="H101", text=f"{text}: rows are matched by what they ask"),)
    return "id", ()


def _by_id(
    readings: Mapping[str, Reading], on_missing: str, matched_by: str
) -> tuple[dict[str, Batch], dict[str, int], Array]:
    """The rows that all models have, by their ids or by the hashes of what they ask."""
    keys = {name: one.ids if matched_by == "id" else one.contents for name, one in readings.items()}
    ids = {name: _numbered(np.asarray(column).astype(str)) for name, column in keys.items()}
    shared = ids[next(iter(ids))]
    for column in ids.values():
        shared = shared[np.isin(shared, column)]
    only = {name: len(column) - len(shared) for name, column in ids.items()}
    if not len(shared):
        raise _nothing_shared(ids, "id" if matched_by == "id" else "question")
    if any(only.values()) and on_missing == "error":
        raise _unmatched(ids, shared, "ids" if matched_by == "id" else "questions")
    batches = {}
    for name, column in ids.items():
        order = np.argsort(column, kind="stable")
        batches[name] = readings[name].batch.take(order[np.searchsorted(column[order], shared)])
    return batches, only, shared


def _numbered(ids: Array) -> Array:
    """Ids; the second and later rows of one id get a number, so that they are matched in order."""
    order = np.argsort(ids, kind="stable")
    ranked = ids[order]
    starts = np.concatenate([[0], np.flatnonzero(ranked[1:] != ranked[:-1]) + 1])
    if len(starts) == len(ids):
        return ids
    before = np.empty(len(ids), int)
    before[order] = np.arange(len(ids)) - np.repeat(starts, np.diff(starts, append=len(ids)))
    return np.where(before == 0, ids, np.char.add(np.char.add(ids, ", "), (before + 1).astype(str)))


def _nothing_shared(ids: dict[str, Array], what: str) -> DataError:
    """The error for models of which no row is the same: no choice of rows can match them."""
    some = ", ".join(f"{column[0]} in {name}" for name, column in ids.items() if len(column))
    text = f"the models have no {what} in common, such as {some}"
    return DataError(text, code="H101", fix=f"score the same rows with every model, and write every {what} alike")


def _unmatched(ids: dict[str, Array], shared: Array, what: str) -> DataError:
    sizes = ", ".join(f"{len(column):,} in {name}" for name, column in ids.items())
    missing = [label for column in ids.values() for label in column[~np.isin(column, shared)].tolist()]
    some = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
    return DataError(
        f"{what} do not match: {sizes} ({len(missing):,} without a partner, such as {some})",
        code="H101",
        fix="score the same rows with every model, or pass --on-missing intersect (on_missing='intersect')",
    )


def _by_position(readings: Mapping[str, Reading]) -> dict[str, Batch]:
    for name, one in readings.items():
        if any(check.code == "H305" for check in one.checks):
            raise DataError(
                f"rows of {name} were dropped, and without ids the others cannot be matched",
                code="H101",
                fix="complete the values, or give every model an id column and on_missing='intersect'",
            )
    rows = {name: one.batch.rows for name, one in readings.items()}
    if len(set(rows.values())) > 1:
        sizes = ", ".join(f"{count:,} rows in {name}" for name, count in rows.items())
        raise DataError(
            f"the models have different numbers of rows and no id to match them by: {sizes}",
            code="H101",
            fix="add an id column to every file, or score the same rows",
        )
    return {name: one.batch for name, one in readings.items()}


def same_question(batch: Batch, first: Batch) -> None:
    """Raise unless two models have the same task and classes; False and True are 0 and 1."""
    same = set(map(str, batch.labels)) == set(map(str, first.labels)) or set(batch.labels) == set(first.labels)
    if batch.task != first.task or not same:
        raise DataError(
            f"the models have different tasks or classes: {first.task} with {list(first.labels)[:5]}, "
            f"and {batch.task} with {list(batch.labels)[:5]}",
            code="H107",
            fix=f"compare predictions of the same task and classes, or state the task: --task {first.task} "
            f"(task={first.task!r})",
        )


def _read_alike(one: str, first: Batch, other: str, second: Batch) -> tuple[Check, ...]:
    """A note where one model writes its classes as truth values and the other as numbers."""
    if set(map(str, first.labels)) == set(map(str, second.labels)):
        return ()
    text = (
        f"the classes of {one} are {names_listed(list(map(str, first.labels)))}, those of {other} "
        f"{names_listed(list(map(str, second.labels)))}: True is read as 1 and False as 0"
    )
    return (Check(code="H111", text=text),)


def _same_truth(one: str, first: Batch, other: str, second: Batch, ids: Array | None) -> None:
    differs = first.truth != second.truth
    rows = np.flatnonzero(differs if differs.ndim == 1 else differs.any(axis=1))
    if len(rows):
        at = int(rows[0])
        raise DataError(
            f"{one} and {other} have different truths in {_counted(rows)} "
            f"({_first(ids, at)}, {_shown(first, at)} and {_shown(second, at)})",
            code="H101",
            fix="use one truth for all models, and check that the rows are the same",
        )


def _with_ones(reading: Reading, batch: Batch) -> Batch:
    """The rows with the weights of one that a column gave, which count as none elsewhere."""
    given = batch.weight is None and "weight" in reading.columns
    return replace(batch, weight=np.ones(batch.rows)) if given else batch


def _same_weights(one: str, first: Batch, other: str, second: Batch, ids: Array | None) -> None:
    """Raise unless rows weigh the same under both models, where both say what they weigh."""
    if second.weight is None or (first.weight is not None and np.array_equal(first.weight, second.weight)):
        return
    if first.weight is None and np.all(second.weight == 1):
        return
    if first.weight is None:
        raise DataError(
            f"{other} has weights and {one} has none", code="H101", fix=f"give the rows of {one} the same weights"
        )
    at = int(np.flatnonzero(first.weight != second.weight)[0])
    values = f"{first.weight[at]:.6g} and {second.weight[at]:.6g}"
    raise DataError(
        f"{one} and {other} have different weights ({_first(ids, at)}, {values})",
        code="H101",
        fix="use one weight per row for all models, and check that the rows are the same",
    )


def _same_times(one: str, first: Batch, other: str, second: Batch, ids: Array | None) -> None:
    """Raise if matched rows are not in the same order of time under both models."""
    if first.time is None or first.unit is None or second.unit is None:
        return
    rows = np.flatnonzero(first.unit != second.unit)
    if len(rows):
        raise DataError(
            f"{one} and {other} have different times in {_counted(rows)} ({_first(ids, rows[0])})",
            code="H101",
            fix="use one time for all models, and check that the rows are the same",
        )


def _same_groups(one: str, first: Batch, other: str, second: Batch, ids: Array | None) -> None:
    """Raise unless the same rows share a group under both models, where both have groups."""
    if second.unit is None or first.time is not None or second.time is not None:
        return
    if first.unit is None:
        raise DataError(
            f"{other} has groups and {one} has none", code="H101", fix=f"give the rows of {one} the same groups"
        )
    rows = np.flatnonzero(_first_of_group(first.unit) != _first_of_group(second.unit))
    if len(rows):
        raise DataError(
            f"{one} and {other} have different groups ({_first(ids, rows[0])})",
            code="H101",
            fix="use one group per row for all models, and check that the rows are the same",
        )


def _first_of_group(unit: Array) -> Array:
    """For each row the first row of its group: equal where groups are, whatever they are called.

    >>> _first_of_group(np.array([2, 0, 2, 1])).tolist()
    [0, 1, 0, 3]
    """
    _, first, group = np.unique(unit, return_index=True, return_inverse=True)
    places: Array = first[group]
    return places


def _same_segments(one: str, first: Batch, other: str, second: Batch, ids: Array | None) -> None:
    """Raise if a row is in one subgroup under one model and in another under the other."""
    for name in first.segments.keys() & second.segments.keys():
        # a column of whole numbers that lacks some is one of floats
        values = [
            np.array([value.removesuffix(".0") for value in batch.segments[name].names], object)[
                batch.segments[name].codes
            ]
            for batch in (first, second)
        ]
        rows = np.flatnonzero(values[0] != values[1])
        if len(rows):
            at = int(rows[0])
            raise DataError(
                f"{one} and {other} have different segments in {name} in {_counted(rows)} "
                f"({_first(ids, at)}, {values[0][at]!r} and {values[1][at]!r})",
                code="H101",
                fix=f"use one {name} per row for all models, and check that the rows are the same",
            )


def _counted(rows: Array) -> str:
    return f"{len(rows):,} row{'' if len(rows) == 1 else 's'}"


def _first(ids: Array | None, at: int) -> str:
    """The first row that differs, by id where rows were matched by it."""
    return f"first: row {at + 1}" if ids is None else f"first: id {ids[at]}"


def _shown(batch: Batch, at: int) -> str:
    value = batch.truth[at]
    return repr(batch.labels[int(value)]) if batch.task in ("binary", "multiclass") else str(value)
