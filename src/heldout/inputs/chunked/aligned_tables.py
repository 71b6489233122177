"""Tables with the same rows in the same order: each chunk of the first table, with the same rows of the others."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from heldout.errors import DataError
from heldout.inputs.chunked.chunked_table import Chunk, ChunkedTable, FileChunk, read_chunks

SAME_ORDER = "write the same rows in the same order into every file, for example sorted by id"
"""The fix for tables whose rows are not the same ones in the same order."""


@dataclass(frozen=True, kw_only=True)
class FileLengths:
    """Number of rows of each file; `a + b` adds them up."""

    rows: Mapping[str, int]

    def __add__(self, other: FileLengths) -> FileLengths:
        both = {**self.rows, **other.rows}
        return FileLengths(rows={place: self.rows.get(place, 0) + other.rows.get(place, 0) for place in both})


def count_rows(chunks: Iterable[Chunk]) -> FileLengths:
    """Count the rows of each file, for files that do not store the number."""
    total = FileLengths(rows={})
    for chunk in chunks:
        total += FileLengths(rows={chunk.place: chunk.batch.num_rows})
    return total


def known_lengths(source: ChunkedTable) -> FileLengths | None:
    """Number of rows of each file, if all of them store it; else None."""
    rows: dict[str, int] = {}
    for file_chunk in source.file_chunks:
        if file_chunk.rows is None:
            return None
        rows[file_chunk.place] = rows.get(file_chunk.place, 0) + file_chunk.rows
    return FileLengths(rows=rows)


@dataclass(frozen=True, kw_only=True)
class OtherTable:
    """A table that is read beside another, from any row on."""

    file_chunks: tuple[FileChunk, ...]
    starts: tuple[int, ...]
    """Number of rows that come before each file chunk."""
    columns: tuple[str, ...]

    def from_row(self, row: int) -> Iterator[Chunk]:
        """The rows from this one on, counted from 0 over all files."""
        at = bisect_right(self.starts, row) - 1
        skipped = row - self.starts[at]
        for file_chunk in self.file_chunks[at:]:
            for chunk in read_chunks(file_chunk, self.columns):
                size = chunk.batch.num_rows
                if skipped < size:
                    yield _slice(chunk, skipped, size - skipped)
                skipped = max(skipped - size, 0)


def other_table(source: ChunkedTable, lengths: FileLengths, columns: Sequence[str]) -> OtherTable:
    """A table to be read beside another."""
    before = rows_before(source, lengths)
    starts = tuple(before[file_chunk.place] + file_chunk.first for file_chunk in source.file_chunks)
    # absolute paths: a worker may run in another folder
    chunks = tuple(replace(chunk, path=str(Path(chunk.path).absolute())) for chunk in source.file_chunks)
    return OtherTable(file_chunks=chunks, starts=starts, columns=tuple(columns))


def rows_before(source: ChunkedTable, lengths: FileLengths) -> dict[str, int]:
    """Number of rows that come before each file."""
    places = list(dict.fromkeys(file_chunk.place for file_chunk in source.file_chunks))
    return dict(zip(places, accumulate((lengths.rows.get(place, 0) for place in places), initial=0), strict=False))


@dataclass(frozen=True, kw_only=True)
class AlignedTables:
    """Where the rows of other tables are beside those of the first; can be pickled."""

    starts: Mapping[str, int]
    """Number of rows of the first table that come before each of its files."""
    others: tuple[OtherTable, ...]
    fix: str = SAME_ORDER
    """The fix where their rows are not the same."""

    def __call__(self, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, ...]]:
        """Each chunk with the same rows of every other table, cut where a chunk of any of them ends."""
        readers: list[Iterator[Chunk]] = []
        rest: list[Chunk] = []
        expected = -1
        for chunk in chunks:
            row, own = self.starts[chunk.place] + chunk.first, chunk
            if row != expected:
                readers = [other.from_row(row) for other in self.others]
                rest = [self._next(reader) for reader in readers] if own.batch.num_rows else []
            expected = row + own.batch.num_rows
            while own.batch.num_rows:
                rest = [
                    left if left.batch.num_rows else self._next(rows) for left, rows in zip(rest, readers, strict=True)
                ]
                size = min(each.batch.num_rows for each in (own, *rest))
                yield tuple(_slice(each, 0, size) for each in (own, *rest))
                own, *rest = (_slice(each, size, each.batch.num_rows - size) for each in (own, *rest))

    def _next(self, reader: Iterator[Chunk]) -> Chunk:
        """The next chunk that has rows."""
        for chunk in reader:
            if chunk.batch.num_rows:
                return chunk
        raise DataError("a table has fewer rows than the first one", code="H101", fix=self.fix)


def _slice(chunk: Chunk, first: int, count: int) -> Chunk:
    """Some of the rows of a chunk."""
    if not first and count == chunk.batch.num_rows:
        return chunk
    return replace(chunk, batch=chunk.batch.slice(first, count), first=chunk.first + first)
