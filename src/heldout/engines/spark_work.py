"""What workers of Spark do: Arrow batches in, Arrow batches out."""

from __future__ import annotations

import base64
import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from heldout.engines.tasks import Task, of_rows, worked
from heldout.engines.units import met, plain
from heldout.errors import HeldoutError
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.formats.frames import LAZY_PLACES

Batches = Iterable[Any]
SCHEMA = "at long, total binary"
"""A total, pickled, and its place among the others."""
MARK = "heldout-error:"
"""Spark passes on the text of an error only; ours travel in it."""


def totals_of(
    batches: Batches, *, work: Callable[..., Any], tasks: Sequence[Task] | None, columns: tuple[str, ...]
) -> Iterator[Any]:
    """The total of each task whose number comes in; without tasks, that of the rows that come in."""
    for at, found in _made(batches, work, tasks, columns):
        yield _line(at, found)


def tables_of(
    batches: Batches, *, work: Callable[..., Any], tasks: Sequence[Task] | None, columns: tuple[str, ...]
) -> Iterator[Any]:
    """The tables by unit of each task whose number comes in; without tasks, that of the rows that come in."""
    for _, found in _made(batches, work, tasks, columns):
        yield from plain(found).to_batches()


def total_of(batches: Batches) -> Iterator[Any]:
    """The sum of the totals that come in, one at a time."""
    total, first = None, 0
    for batch in batches:
        for at, line in zip(batch.column("at").to_pylist(), batch.column("total"), strict=True):
            one = pickle.loads(line.as_buffer())  # noqa: S301  # we made it
            total, first = (one, at) if total is None else (total + one, min(at, first))
    if total is not None:
        yield _line(first, total)


def moments_of(batches: Batches) -> Iterator[Any]:
    """The moments of units, all of whose lines come in here."""
    import pyarrow as pa

    found = list(batches)
    if found:
        yield _line(_partition(), met([pa.Table.from_batches(found)]))


def _made(
    batches: Batches, work: Callable[..., Any], tasks: Sequence[Task] | None, columns: tuple[str, ...]
) -> Iterator[tuple[int, Any]]:
    with _carrying():
        if tasks is None:
            made = iter([(_partition(), of_rows(work, _chunks(batches)))])
        else:
            numbers = (at for batch in batches for at in batch.column(0).to_pylist())
            made = ((at, worked(work, tasks[at], columns)) for at in numbers)
        for at, found in made:
            if found is not None:  # a partition without rows adds nothing
                yield at, found


def _chunks(batches: Batches) -> Iterator[Chunk]:
    first = 0
    for batch in batches:
        if batch.num_rows:
            yield Chunk(batch=batch, place=f"partition {_partition()} of {LAZY_PLACES['spark']}", first=first)
        first += batch.num_rows


def _partition() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else context.partitionId()


def _line(at: int, total: Any) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_pydict({"at": pa.array([at], pa.int64()), "total": pa.array([pickle.dumps(total)])})


@contextmanager
def _carrying() -> Iterator[None]:
    try:
        yield
    except HeldoutError as error:
        packed = base64.b64encode(pickle.dumps(error)).decode()
        raise RuntimeError(f"{error}\n{MARK}{packed};") from error


def carried(text: str) -> HeldoutError | None:
    """The error a worker raised, out of what Spark says about it; None where it was none of ours.

    >>> from heldout.errors import DataError
    >>> try:
    ...     with _carrying():
    ...         raise DataError("a.parquet is cut off", code="H100", fix="copy it again")
    ... except RuntimeError as error:
    ...     print(repr(carried(f"PythonException: {error}")))
    DataError('a.parquet is cut off')
    """
    found = re.search(rf"{MARK}([A-Za-z0-9+/=]+);", text)
    return None if found is None else pickle.loads(base64.b64decode(found[1]))  # noqa: S301  # we made it
