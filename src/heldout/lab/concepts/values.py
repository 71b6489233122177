"""A column of a file as positions among its distinct values, in order: numbers by size, words by letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import DataError
from heldout.inputs.columns import Column, blank, positions
from heldout.inputs.files import Table, read_file
from heldout.inputs.labels import kind, typed
from heldout.inputs.numbers import NUMBER
from heldout.inputs.wording import rows_named, rows_where
from heldout.lab.concepts.domains import Domain, domain


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Values:
    """The distinct values of a column in order, and each row's position among them (−1: nothing was written)."""

    name: str
    known: tuple[Label, ...]
    codes: Array


def read_rows(path: str | Path) -> Table:
    """The table in a file, which must have a row."""
    try:
        table = read_file(path)
    except DataError as problem:
        if " is empty" not in problem.message:
            raise
        raise DataError(problem.message, code=problem.code, fix="write a header and at least one row") from None
    if not table.names or not len(table.raw[0]):
        raise DataError(f"{table.place} has no rows", code="H112", fix="write at least one row below the header")
    return table


def values_of(table: Table, at: int, *, gaps: bool = False) -> Values:
    """The values of one column; nothing written is an error unless gaps are allowed."""
    column: Column = table.column(at)
    name, missing = table.names[at].strip(), blank(column)
    if missing.any() and not gaps:
        raise DataError(
            f"{table.place}: {name} is missing in {rows_named(rows_where(missing))}",
            code="H305",
            fix="write a value in every row",
        )
    words, codes = positions(column.take(~missing))
    labels = _typed(words)
    distinct = sorted(set(labels), key=lambda label: (isinstance(label, str), label))
    place = {label: i for i, label in enumerate(distinct)}
    found = np.full(len(missing), -1)
    found[~missing] = np.array([place[label] for label in labels], dtype=np.intp)[codes] if len(labels) else -1
    return Values(name=name, known=tuple(distinct), codes=found)


def placed(table: Table, attributes: Sequence[int]) -> tuple[Domain, Array]:
    """The domain that the values of these columns make, and the position of each row's point in it."""
    columns = [values_of(table, at) for at in attributes]
    names = [one.name for one in columns]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise DataError(
            f"{table.place} has the column {twice[0]!r} twice", code="H106", fix="rename or remove one of the two"
        )
    where = domain({one.name: one.known for one in columns})
    return where, np.ravel_multi_index(tuple(one.codes for one in columns), where.shape)


def _typed(words: Sequence[Any]) -> list[Label]:
    """Spellings as whole numbers, truth values or decimals where all of them are, else as text.

    >>> _typed(["2", "10"]), _typed(["0.5", "1"]), _typed(["01", "1"]), _typed([" a", "b"])
    ([2, 10], [0.5, 1.0], ['01', '1'], ['a', 'b'])
    """
    if not all(isinstance(word, str) for word in words):
        return list(words)
    found = kind(words)
    if found in ("whole", "float", "bool"):
        return [typed(word, "bool" if found == "bool" else "whole") for word in words]
    import re

    plain = [word.strip() for word in words]
    if all(re.match(NUMBER, word) for word in plain) and len({float(word) for word in plain}) == len(set(plain)):
        return [float(word) for word in plain]
    return list(plain)
