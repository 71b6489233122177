"""What one worker does at a time: the work on some consecutive file chunks, or on the rows of a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import islice
from operator import add
from pathlib import Path
from typing import Any, TypeVar

from heldout.errors import DataError, UsageError
from heldout.inputs.chunked.chunked_table import CHUNK_ROWS, Chunk, ChunkedTable, FileChunk, read_chunks
from heldout.inputs.formats.frames import lazy_frame

Total = TypeVar("Total")
Task = tuple[FileChunk, ...]

ENGINE_OF = {"duckdb": "local", "dask": "dask", "spark": "spark"}
"""Kind of a lazy frame → the engine that can read it."""


def tasks(source: ChunkedTable, most: int) -> list[Task]:
    """The file chunks in at most that many runs of neighbours.

    The runs do not depend on the number of workers, so sums do not either.

    >>> chunks = tuple(FileChunk(path=f"{name}.parquet") for name in "abcde")
    >>> table = ChunkedTable(place="", names=(), file_chunks=chunks, rows=None, size=0, paths=())
    >>> [len(task) for task in tasks(table, 3)]
    [2, 2, 1]
    """
    each = -(-len(source.file_chunks) // most)
    return [source.file_chunks[at : at + each] for at in range(0, len(source.file_chunks), each)]


def for_workers(source: ChunkedTable, most: int) -> list[Task]:
    """The same with absolute paths: a worker may run in another folder."""
    return [
        tuple(replace(chunk, path=str(Path(chunk.path).absolute())) for chunk in task) for task in tasks(source, most)
    ]


def rows_of(task: Task, columns: Sequence[str], done: Callable[[], None] | None = None) -> Iterator[Chunk]:
    """The chunks of a task; `done` is called after each file chunk."""
    for file_chunk in task:
        yield from read_chunks(file_chunk, columns)
        if done is not None:
            done()


def worked(work: Callable[[Iterator[Chunk]], Total], task: Task, columns: Sequence[str]) -> Total | None:
    """What the work gives of a task: what travels to a worker."""
    return of_rows(work, rows_of(task, columns))


def of_rows(work: Callable[[Iterator[Chunk]], Total], rows: Iterator[Chunk]) -> Total | None:
    """What the work gives of some rows; None where there is not one.

    >>> of_rows(list, iter([])) is None
    True
    """
    head = list(islice(rows, 1))
    return work(_again(head, rows)) if head else None


def _again(head: list[Chunk], rows: Iterator[Chunk]) -> Iterator[Chunk]:
    yield head.pop()  # no other reference may keep the chunk in memory
    yield from rows


def added(some: Iterable[Total | None]) -> Total | None:
    """The sum of some totals: what travels to a worker.

    >>> added([1, None, 2])
    3
    """
    there = (one for one in some if one is not None)
    first = next(there, None)
    return first if first is None else reduce(add, there, first)


def not_empty(total: Total | None, source: Any) -> Total:
    """The total of a source, or an error where it has no rows."""
    if total is None:
        place = getattr(source, "place", None) or "the frame"
        raise DataError(f"{place} has no rows", code="H112", fix="check how it was filtered")
    return total


def arrow_chunks(table: Any, place: str) -> Iterator[Chunk]:
    """The rows of an Arrow table, some at a time."""
    first = 0
    for batch in table.to_batches(max_chunksize=CHUNK_ROWS):
        yield Chunk(batch=batch, place=place, first=first)
        first += batch.num_rows


def frame_of(source: Any) -> str | None:
    """The engine that can read a frame (a DuckDB relation, a Dask or a Spark frame); None for anything else.

    >>> frame_of([1, 2]) is None
    True
    """
    frame = lazy_frame(source)
    return None if frame is None else ENGINE_OF[frame.kind]


def table_of(source: Any, engine: str) -> ChunkedTable | None:
    """The chunked table; None if the source is a frame that the engine can read."""
    if isinstance(source, ChunkedTable):
        return source
    reader = frame_of(source)
    if reader != engine:
        kind = f"{type(source).__module__}.{type(source).__qualname__}"
        raise UsageError(
            f"the engine {engine} cannot read a {kind}",
            fix=f"leave out the engine: {reader} is used" if reader else "give files",
        )
    return None
