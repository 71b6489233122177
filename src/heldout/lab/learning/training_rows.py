"""Rows to learn from: features as numbers and the truth as classes or numbers, out of arrays, frames and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import DataError, UsageError
from heldout.inputs.columns.column_names import named_column
from heldout.inputs.columns.column_values import Column, blank, column, positions
from heldout.inputs.columns.label_column import kind, missing_labels, typed
from heldout.inputs.columns.number_parsing import numbers_or_none
from heldout.inputs.formats.files import Source, Table
from heldout.inputs.formats.frames import table
from heldout.inputs.message_text import names_listed, rows_named, rows_where

Kind = Literal["classes", "numbers"]
LEVELS = 20
"""Texts of a column up to so many become columns of 0 and 1; more are names or ids."""
LARGEST = 1e100
"""Features beyond this are errors: squares of distances between rows overflow."""
CLASSES = 50
"""The largest number of classes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Features, one line per row, and the truth."""

    X: Array
    truth: Array
    """Positions in `labels`; numbers where there are no labels."""
    labels: tuple[Label, ...]
    names: tuple[str, ...]
    """The columns that the features come from."""
    dimensions: int
    """Directions in which rows differ: columns that vary, and for texts one fewer than there are."""
    notes: tuple[str, ...]
    sources: tuple[Source, ...]


def rows_to_learn(
    X: Any, y: Any = None, *, target: str | None = None, drop: Sequence[str] = (), kind: Kind | None = None
) -> Rows:
    """Features and truth from X and y, or from one table (a path, a frame, a dict) and the name of its target.

    The truth is classes or numbers as `kind` says; without it, numbers where some have a fraction.

    >>> rows = rows_to_learn({"size": [1.0, 2.0], "color": ["red", "blue"], "kind": ["a", "b"]}, target="kind")
    >>> rows.X.tolist(), rows.truth.tolist(), rows.dimensions
    ([[1.0, 1.0, 0.0], [2.0, 0.0, 1.0]], [0, 1], 2)
    """
    if (y is None) == (target is None):
        raise UsageError("the truth is needed once", fix="give y, or the name of the target column of a table")
    source = _table(X)
    at = None if target is None else named_column(source.names, target, source.place, "the target")
    gone = {at, *(named_column(source.names, name, source.place, "leaving out") for name in drop)}
    features = [source.column(one) for one in range(len(source.names)) if one not in gone]
    truth = column("y", y) if at is None else source.column(at)
    _even(features, truth, source.place)
    if (kind or _kind(truth)) == "classes":
        labels, values = _classes(truth, source.place)
    else:
        labels, values = (), _truth_numbers(truth, source.place)
    matrix, dimensions, notes = _matrix(features, source.place)
    return Rows(
        X=matrix, truth=values, labels=labels, names=tuple(one.name for one in features),
        dimensions=dimensions, notes=notes, sources=source.sources,
    )  # fmt: skip


def _even(features: Sequence[Column], truth: Column, place: str) -> None:
    if not features:
        raise DataError(f"{place} has no column beside the target", code="H106", fix="keep some features")
    if len(truth) == 0 or any(len(one) != len(truth) for one in features):
        lengths = sorted({len(one) for one in (*features, truth)})
        seen = f"columns of {' and '.join(map(str, lengths))} rows" if lengths != [0] else "no row"
        raise DataError(f"{place} has {seen}", code="H112", fix="give one value per row and column")


def _kind(truth: Column) -> Kind:
    found = numbers_or_none(truth)
    if found is None:
        return "classes"
    known = found[np.isfinite(found)]
    return "numbers" if (known != np.rint(known)).any() or len(np.unique(known)) > CLASSES else "classes"


def _truth_numbers(truth: Column, place: str) -> Array:
    found = _numbers(truth, place)
    if found is None:
        fix = "take zero-one loss, or name a column of numbers"
        raise DataError(f"{place}: {truth.name} is text, and squared loss needs numbers", code="H108", fix=fix)
    return found


def _table(X: Any) -> Table:
    """A table; a matrix has columns x1, x2 and so on."""
    if isinstance(X, (str, Path, dict)) or hasattr(X, "columns") or hasattr(X, "__arrow_c_stream__"):
        return table(X)
    matrix = np.asarray(X)
    if matrix.ndim != 2:
        raise DataError(
            f"X has {matrix.ndim} dimension{'s' * (matrix.ndim != 1)} (shape {matrix.shape}), and needs two",
            code="H107",
            fix="pass one line per row and one column per feature",
        )
    return Table(
        place="X", names=tuple(f"x{at + 1}" for at in range(matrix.shape[1])), raw=tuple(np.ascontiguousarray(matrix.T))
    )


def _classes(truth: Column, place: str) -> tuple[tuple[Label, ...], Array]:
    _complete(truth, missing_labels(truth), place)
    names, codes = positions(truth)
    if not 2 <= len(names) <= CLASSES:
        wrong = "one class only" if len(names) == 1 else f"{len(names):,} different values, too many for classes"
        fix = "name the column of classes" if len(names) == 1 else f"take a target of at most {CLASSES} classes"
        raise DataError(f"{place}: {truth.name} has {wrong}", code="H104" if len(names) == 1 else "H107", fix=fix)
    if truth.words is not None:
        names = [typed(name, kind(names)) for name in names]
    labels = sorted(set(names))  # "1" and " 1" are one class
    return tuple(labels), np.array([labels.index(name) for name in names])[codes]


def _matrix(features: Sequence[Column], place: str) -> tuple[Array, int, tuple[str, ...]]:
    columns, dimensions, coded, still = [], 0, [], []
    for one in features:
        found = _numbers(one, place)
        if found is None:
            found = _indicators(one, place)
            coded.append(one.name)
        varied = int((np.ptp(found, axis=0) > 0).sum())
        dimensions += varied if found.ndim == 1 or varied < 2 else varied - 1
        if varied == 0:
            still.append(one.name)
        columns.append(found.reshape(len(one), -1))
    notes = [f"{names_listed(coded)}: texts became columns of 0 and 1"] if coded else []
    notes += [f"{names_listed(still)}: the same in every row"] if still else []
    return np.concatenate(columns, axis=1), dimensions, tuple(notes)


def _numbers(one: Column, place: str) -> Array | None:
    """The column as numbers, none missing; None where it is text."""
    found = numbers_or_none(one)
    _complete(one, blank(one) if found is None else ~np.isfinite(found), place)
    if found is not None and (np.abs(found) > LARGEST).any():
        beyond = rows_where(np.abs(found) > LARGEST)
        text = f"{place}: {one.name} is {found[beyond[0] - 1]:g} in row {beyond[0]}, and squares of distances overflow"
        raise DataError(text, code="H108", fix="check how the column was computed, or leave out the row")
    return found


def _indicators(one: Column, place: str) -> Array:
    names, codes = positions(one)
    if len(names) > LEVELS:
        raise DataError(
            f"{place}: {one.name} has {len(names):,} different texts, which say nothing about nearness",
            code="H108",
            fix=f"leave it out (--drop {one.name}), or write it as a number",
        )
    return np.eye(len(names))[codes]


def _complete(one: Column, missing: Array, place: str) -> None:
    if missing.any():
        raise DataError(
            f"{place}: {one.name} is missing or infinite in {rows_named(rows_where(missing))}",
            code="H305",
            fix="complete the values, or leave out these rows or this column",
        )
