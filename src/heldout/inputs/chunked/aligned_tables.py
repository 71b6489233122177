"""Tables with the same rows in the same order: beside each piece of the first, the same rows of the others."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from heldout.errors import DataError
from heldout.inputs.chunked.chunked_table import Part, Parted, Piece, pieces

JOIN = (
    "join them into one table with a column for each model, and compare its columns: "
    "--model NAME=COLUMN (compare(table, {'name': 'column', …}))"
)
"""What to do with tables whose rows are not the same ones in the same order."""


@dataclass(frozen=True, kw_only=True)
class Lengths:
    """How many rows each file has; two of them add up."""

    rows: Mapping[str, int]

    def __add__(self, other: Lengths) -> Lengths:
        both = {**self.rows, **other.rows}
        return Lengths(rows={place: self.rows.get(place, 0) + other.rows.get(place, 0) for place in both})


def lengths(some: Iterable[Piece]) -> Lengths:
    """Count the rows of pieces: the work of a walk over files that do not say how many they have."""
    found = Lengths(rows={})
    for piece in some:
        found += Lengths(rows={piece.place: piece.batch.num_rows})
    return found


def lengths_of(source: Parted) -> Lengths | None:
    """How many rows each file has, where all of them say so without being read."""
    known = [(part.place, part.rows) for part in source.parts]
    found: dict[str, int] = {}
    for place, rows in known:
        if rows is None:
            return None
        found[place] = found.get(place, 0) + rows
    return Lengths(rows=found)


@dataclass(frozen=True, kw_only=True)
class Beside:
    """Another table, whose rows can be read from any of them on."""

    parts: tuple[Part, ...]
    starts: tuple[int, ...]
    """How many rows come before each part."""
    columns: tuple[str, ...]

    def from_row(self, row: int) -> Iterator[Piece]:
        """The rows from one on, counted from 0 over all files."""
        at = bisect_right(self.starts, row) - 1
        skipped = row - self.starts[at]
        for part in self.parts[at:]:
            for piece in pieces(part, self.columns):
                size = piece.batch.num_rows
                if skipped < size:
                    yield _cut(piece, skipped, size - skipped)
                skipped = max(skipped - size, 0)


def beside(source: Parted, counted: Lengths, columns: Sequence[str]) -> Beside:
    """A table that will be read beside another."""
    before = rows_before(source, counted)
    starts = tuple(before[part.place] + part.first for part in source.parts)
    # whole paths: a worker may run in another folder
    parts = tuple(replace(part, path=str(Path(part.path).absolute())) for part in source.parts)
    return Beside(parts=parts, starts=starts, columns=tuple(columns))


def rows_before(source: Parted, counted: Lengths) -> dict[str, int]:
    """How many rows come before each file."""
    places = list(dict.fromkeys(part.place for part in source.parts))
    return dict(zip(places, accumulate((counted.rows.get(place, 0) for place in places), initial=0), strict=False))


@dataclass(frozen=True, kw_only=True)
class Alongside:
    """How the rows of other tables are found beside those of the first; a value that can travel."""

    starts: Mapping[str, int]
    """How many rows of the first table come before each of its files."""
    others: tuple[Beside, ...]

    def __call__(self, some: Iterable[Piece]) -> Iterator[tuple[Piece, ...]]:
        """Each piece with the same rows of every other table; cut wherever a piece of any of them ends."""
        rest: list[Iterator[Piece]] = []
        left: list[Piece] = []
        expected = -1
        for piece in some:
            row, own = self.starts[piece.place] + piece.first, piece
            if row != expected:
                rest = [other.from_row(row) for other in self.others]
                left = [_next(rows) for rows in rest] if own.batch.num_rows else []
            expected = row + own.batch.num_rows
            while own.batch.num_rows:
                left = [one if one.batch.num_rows else _next(rows) for one, rows in zip(left, rest, strict=True)]
                size = min(one.batch.num_rows for one in (own, *left))
                yield tuple(_cut(one, 0, size) for one in (own, *left))
                own, *left = (_cut(one, size, one.batch.num_rows - size) for one in (own, *left))


def _next(rows: Iterator[Piece]) -> Piece:
    """The next piece that has rows."""
    for piece in rows:
        if piece.batch.num_rows:
            return piece
    raise DataError("a table ended before the others did", code="H101", fix=JOIN)


def _cut(piece: Piece, first: int, count: int) -> Piece:
    """Some of the rows of a piece."""
    if not first and count == piece.batch.num_rows:
        return piece
    return replace(piece, batch=piece.batch.slice(first, count), first=piece.first + first)
