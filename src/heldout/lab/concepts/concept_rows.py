"""Rows of a concept from a file: attributes, and a target that says yes or no; without one, a row is a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.inputs.columns.column_names import first_twice, named_column, named_columns
from heldout.inputs.columns.column_values import Column, blank, positions
from heldout.inputs.columns.label_column import kind, typed
from heldout.inputs.columns.number_parsing import NUMBER
from heldout.inputs.columns.positive_class import no_like, positive_of, two_labels, yes_like
from heldout.inputs.formats.files import Source, Table, read_file
from heldout.inputs.message_text import listed, rows_named, rows_where
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
    twice = first_twice(names)
    if twice is not None:
        raise DataError(
            f"{table.place} has the column {twice!r} twice", code="H106", fix="rename or remove one of the two"
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConceptFile:
    """Rows on the domain that their own values make."""

    domain: Domain
    point: Array
    """The position of each row's point."""
    label: Array
    """1 positive, 0 negative, −1 where the target is empty: a question."""
    labels: tuple[Label, Label]
    """How the file calls the negative and the positive class."""
    target: str
    sources: tuple[Source, ...]
    notes: tuple[str, ...] = ()


def read_concept(
    path: str | Path, *, target: str, attributes: Sequence[str] | None = None, positive: Label | None = None
) -> ConceptFile:
    """The rows in a file; the domain is every combination of the values that occur."""
    table = read_rows(path)
    goal = named_column(table.names, target, table.place, "the target")
    chosen = named_columns(table.names, list(attributes or ()), table.place, "an attribute")
    others = chosen or tuple(at for at in range(len(table.names)) if at != goal)
    if not others:
        raise DataError(
            f"{table.place} has no column beside {target!r}", code="H106", fix="give at least one attribute"
        )
    where, point = placed(table, others)
    said = values_of(table, goal, gaps=True)
    if len(said.known) > 2 or not said.known:
        has = f"{len(said.known)} classes ({listed(said.known)})" if said.known else "no label at all"
        raise DataError(f"{table.place}: {said.name} has {has}, and a concept has two", code="H104", fix=TWO)
    both = two_labels(said.known, positive)
    yes = positive_of(both, positive)
    code = np.array([both.index(label) for label in said.known])
    guessed = positive is None and not (yes_like(both[yes]) or no_like(both[1 - yes]))
    return ConceptFile(
        domain=where,
        point=point,
        label=np.where(said.codes < 0, -1, (code[said.codes] == yes).astype(np.intp)),
        labels=(both[1 - yes], both[yes]),
        target=said.name,
        sources=table.sources,
        notes=(f"{both[yes]} was taken for the positive class: --positive names another",) if guessed else (),
    )


def order_notes(where: Domain, space: str) -> tuple[str, ...]:
    """In which order intervals take text values, which a file gives none: for spaces made of intervals.

    >>> (note,) = order_notes(domain({"size": ["large", "medium", "small"], "x": [1, 2, 3]}), "rectangles")
    >>> note.partition(":")[0]
    "intervals of size take its values in alphabetical order ('large', 'medium', 'small')"
    """
    if not space.startswith(("rectangles", "unions")):
        return ()
    return tuple(
        f"intervals of {name} take its values in alphabetical order ({listed(known)}): encode them as numbers for "
        f"another order"
        for name, known in zip(where.attributes, where.values, strict=True)
        if len(known) > 2 and any(isinstance(value, str) for value in known)
    )


TWO = "write yes and no, or 1 and 0; leave the target empty where a prediction is asked for"


def known_concept(text: str, where: Domain) -> Array:
    """Which points belong to a concept such as "x=2..5,colour=red": a value or an interval of values per attribute.

    >>> from heldout.lab.concepts.domains import domain
    >>> known_concept("x=1..2", domain({"x": [0, 1, 2], "y": ["a", "b"]})).tolist()
    [False, False, True, True, True, True]
    """
    inside = np.ones(where.points, dtype=bool)
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, wanted = (piece.strip() for piece in part.partition("="))
        if not equals or not wanted:
            raise UsageError(f"--concept {part!r} is not ATTRIBUTE=VALUE", fix="such as x=2..5,colour=red")
        if name not in where.attributes:
            hint = did_you_mean(name, where.attributes)
            raise UsageError(
                f"--concept: there is no attribute {name!r}{hint}", fix=f"choose of {', '.join(where.attributes)}"
            )
        at = where.attributes.index(name)
        known = [str(value) for value in where.values[at]]
        low, _, high = (piece.strip() for piece in wanted.partition(".."))
        for end in filter(None, (low, high)):
            if end not in known:
                fix = f"choose of {', '.join(known[:12])}"
                raise UsageError(f"--concept: {name} has no value {end!r}{did_you_mean(end, known)}", fix=fix)
        first, last = known.index(low), known.index(high or low)
        if last < first:
            raise UsageError(f"--concept: {wanted} ends before it begins", fix=f"write {name}={high}..{low}")
        codes = where.codes[:, at]
        inside &= (codes >= first) & (codes <= last)
    return inside
