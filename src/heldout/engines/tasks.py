"""What one worker does at a time: the work on some consecutive parts, or on the rows of a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import islice
from operator import add
from pathlib import Path
from typing import Any, TypeVar

from heldout.errors import DataError, UsageError
from heldout.inputs.chunked.chunked_table import PIECE, Part, Parted, Piece, pieces
from heldout.inputs.chunked.lazy_frames import relation

Total = TypeVar("Total")
Task = tuple[Part, ...]

WALKED = {"duckdb": "local", "dask": "dask", "spark": "spark"}
"""Kind of a frame → the engine that can walk it."""


def tasks(source: Parted, most: int) -> list[Task]:
    """The parts in at most that many runs of neighbours: whatever the number of workers, so that sums are the same.

    >>> parts = tuple(Part(path=f"{name}.parquet") for name in "abcde")
    >>> table = Parted(place="", names=(), parts=parts, rows=None, size=0, paths=())
    >>> [len(task) for task in tasks(table, 3)]
    [2, 2, 1]
    """
    each = -(-len(source.parts) // most)
    return [source.parts[at : at + each] for at in range(0, len(source.parts), each)]


def for_workers(source: Parted, most: int) -> list[Task]:
    """The same with whole paths: a worker may run in another folder."""
    return [tuple(replace(part, path=str(Path(part.path).absolute())) for part in task) for task in tasks(source, most)]


def rows_of(task: Task, columns: Sequence[str], done: Callable[[], None] | None = None) -> Iterator[Piece]:
    """The pieces of every part of a task; `done` is told whenever a part is."""
    for part in task:
        yield from pieces(part, columns)
        if done is not None:
            done()


def worked(work: Callable[[Iterator[Piece]], Total], task: Task, columns: Sequence[str]) -> Total | None:
    """What the work gives of a task: what travels to a worker."""
    return of_rows(work, rows_of(task, columns))


def of_rows(work: Callable[[Iterator[Piece]], Total], rows: Iterator[Piece]) -> Total | None:
    """What the work gives of some rows; None where there is not one.

    >>> of_rows(list, iter([])) is None
    True
    """
    head = list(islice(rows, 1))
    return work(_again(head, rows)) if head else None


def _again(head: list[Piece], rows: Iterator[Piece]) -> Iterator[Piece]:
    yield head.pop()  # nobody else may hold on to it: a piece takes some memory
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
        raise DataError(f"{place} has no rows", code="H112", fix="look at what it was filtered by")
    return total


def table_pieces(table: Any, place: str) -> Iterator[Piece]:
    """The rows of an Arrow table, some at a time."""
    first = 0
    for batch in table.to_batches(max_chunksize=PIECE):
        yield Piece(batch=batch, place=place, first=first)
        first += batch.num_rows


def frame_of(source: Any) -> str | None:
    """The engine that can walk a frame (a DuckDB relation, a Dask or a Spark frame); None: this is no such frame.

    >>> frame_of([1, 2]) is None
    True
    """
    found = relation(source)
    return None if found is None else WALKED[found.kind]


def in_parts(source: Any, engine: str) -> Parted | None:
    """The source where it is in parts, None where it is a frame that the engine can walk."""
    if isinstance(source, Parted):
        return source
    walks = frame_of(source)
    if walks != engine:
        kind = f"{type(source).__module__}.{type(source).__qualname__}"
        raise UsageError(
            f"the engine {engine} cannot walk a {kind}",
            fix=f"leave out the engine: {walks} is taken" if walks else "give files",
        )
    return None
