"""The same rows under several models: matched by id where there is one, by position otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from heldout import inputs
from heldout.batch import Array, Batch, Label
from heldout.errors import DataError, UsageError
from heldout.inputs import Check, Reading, Source


@dataclass(frozen=True, kw_only=True)
class Paired:
    """One batch per model, row by row the same rows with the same truth, weights and units."""

    batches: dict[str, Batch]
    by: str
    """How rows were matched: id or position."""
    only: dict[str, int]
    """How many rows of each model had no partner and were left out."""
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()
    columns: dict[str, dict[str, str]] | None = None
    threshold: float | None = None


def paired(readings: Mapping[str, Reading], *, on_missing: str = "error") -> Paired:
    """Match the rows of several readings."""
    if on_missing not in ("error", "intersect"):
        raise UsageError(f"on_missing is {on_missing!r}, but must be 'error' or 'intersect'")
    names = list(readings)
    if len(names) < 2:
        raise UsageError(f"{len(names)} model was given, and a comparison needs two", fix="name another model or file")
    with_ids = [name for name in names if readings[name].ids is not None]
    if len(with_ids) == len(names):
        batches, only = _by_id(readings, on_missing)
    else:
        batches, only = _by_position(readings), dict.fromkeys(names, 0)
    first = batches[names[0]]
    batches = {name: _alike(batch, first) for name, batch in batches.items()}
    for name in names[1:]:
        _same_truth(names[0], first, name, batches[name])
    return Paired(
        batches=batches,
        by="id" if len(with_ids) == len(names) else "position",
        only=only,
        checks=tuple(dict.fromkeys(check for one in readings.values() for check in one.checks)),
        sources=tuple(source for one in readings.values() for source in one.sources),
        columns={name: one.columns for name, one in readings.items()},
        threshold=readings[names[0]].threshold,
    )


def _by_id(readings: Mapping[str, Reading], on_missing: str) -> tuple[dict[str, Batch], dict[str, int]]:
    ids = {name: _numbered(np.asarray(one.ids).astype(str)) for name, one in readings.items()}
    shared = ids[next(iter(ids))]
    for column in ids.values():
        shared = shared[np.isin(shared, column)]
    only = {name: len(column) - len(shared) for name, column in ids.items()}
    if any(only.values()) and on_missing == "error":
        raise _unmatched(ids, shared)
    if not len(shared):
        raise DataError("the models have no id in common", code="H101", fix="score the same rows with every model")
    batches = {}
    for name, column in ids.items():
        order = np.argsort(column, kind="stable")
        batches[name] = readings[name].batch.take(order[np.searchsorted(column[order], shared)])
    return batches, only


def _numbered(ids: Array) -> Array:
    """Ids, those that occur again with how often they occurred before: several rows of one id are matched in order."""
    order = np.argsort(ids, kind="stable")
    ranked = ids[order]
    starts = np.concatenate([[0], np.flatnonzero(ranked[1:] != ranked[:-1]) + 1])
    if len(starts) == len(ids):
        return ids
    before = np.empty(len(ids), int)
    before[order] = np.arange(len(ids)) - np.repeat(starts, np.diff(starts, append=len(ids)))
    return np.where(before == 0, ids, np.char.add(np.char.add(ids, ", "), (before + 1).astype(str)))


def _unmatched(ids: dict[str, Array], shared: Array) -> DataError:
    sizes = ", ".join(f"{len(column):,} in {name}" for name, column in ids.items())
    missing = [label for column in ids.values() for label in column[~np.isin(column, shared)].tolist()]
    some = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
    return DataError(
        f"ids do not match: {sizes} ({len(missing):,} without a partner, such as {some})",
        code="H101",
        fix="score the same rows with every model, or pass --on-missing intersect (on_missing='intersect')",
    )


def _by_position(readings: Mapping[str, Reading]) -> dict[str, Batch]:
    rows = {name: one.batch.rows for name, one in readings.items()}
    if len(set(rows.values())) > 1:
        sizes = ", ".join(f"{count:,} rows in {name}" for name, count in rows.items())
        raise DataError(
            f"the models have different numbers of rows and no id to match them by: {sizes}",
            code="H101",
            fix="add an id column to every file, or score the same rows",
        )
    return {name: one.batch for name, one in readings.items()}


def _alike(batch: Batch, first: Batch) -> Batch:
    """The batch with the first one's weights, units and segments, and its order of labels."""
    if batch.task != first.task or set(map(str, batch.labels)) != set(map(str, first.labels)):
        raise DataError(
            f"the models answer different questions: {first.task} with {list(first.labels)[:5]}, "
            f"and {batch.task} with {list(batch.labels)[:5]}",
            code="H107",
            fix="compare predictions of the same task and classes",
        )
    return replace(batch, weight=first.weight, unit=first.unit, segments=first.segments)


def _same_truth(one: str, first: Batch, other: str, second: Batch) -> None:
    differs = first.truth != second.truth
    rows = np.flatnonzero(differs if differs.ndim == 1 else differs.any(axis=1))
    if len(rows):
        at = int(rows[0])
        raise DataError(
            f"{one} and {other} have different truths in {len(rows):,} rows (first: row {at + 1}, "
            f"{_shown(first, at)} and {_shown(second, at)})",
            code="H101",
            fix="use one truth for all models, and check that the rows are the same",
        )


def _shown(batch: Batch, at: int) -> str:
    value = batch.truth[at]
    return repr(batch.labels[int(value)]) if batch.task in ("binary", "multiclass") else str(value)


def read_models(y_true: Any, models: Mapping[str, Any] | None, options: dict[str, Any]) -> dict[str, Reading]:
    """One reading per model: from files and frames that have their own truth, or from arrays beside one truth."""
    if models is None:
        if not isinstance(y_true, Mapping):
            raise UsageError("compare needs models", fix="pass compare(y_true, {'a': …}) or compare({'a': file, …})")
        return {str(name): _table(source, options) for name, source in y_true.items()}
    if y_true is None:
        return {str(name): _table(source, options) for name, source in models.items()}
    readings = {str(name): _arrays(y_true, values, options) for name, values in models.items()}
    labels: tuple[Label, ...] = tuple(dict.fromkeys(label for one in readings.values() for label in one.batch.labels))
    if all(len(one.batch.labels) == len(labels) for one in readings.values()):
        return readings
    known = sorted(labels, key=lambda label: (str(type(label)), label))
    return {str(name): _arrays(y_true, values, {**options, "labels": known}) for name, values in models.items()}


def _table(source: Any, options: dict[str, Any]) -> Reading:
    named: dict[str, Any] = {
        key: options.get(key) for key in ("truth", "pred", "score", "prob_prefix", "group", "weight", "id")
    }
    decided: dict[str, Any] = {key: options.get(key) for key in ("labels", "threshold", "task", "link", "log")}
    on_nan = options.get("on_nan") or "error"
    return inputs.read(source, **named, positive=options.get("pos_label"), on_nan=on_nan, **decided)


def _arrays(y_true: Any, values: Any, options: dict[str, Any]) -> Reading:
    array, truth = np.asarray(values), np.asarray(y_true)
    numbers = options.get("task") == "regression" or (
        truth.dtype.kind == "f" and bool(np.any(truth != np.round(truth)))
    )
    if numbers or array.dtype.kind != "f":
        beside = {"y_pred": values}
    else:
        beside = {"y_proba": values} if array.ndim == 2 else {"y_score": values}
    named = {"sample_weight": options.get("sample_weight"), "groups": options.get("groups")}
    decided = {key: options.get(key) for key in ("pos_label", "labels", "threshold", "task", "link")}
    return inputs.from_arrays(y_true, **beside, **named, on_nan=options.get("on_nan") or "error", **decided)
