"""The engine of one machine: threads over file chunks, whose sums are added in the order of the chunks."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Lock
from typing import Any, TypeVar

import numpy as np

from heldout.batch import Array
from heldout.engines import Progress, Work, cores
from heldout.engines.tasks import added, not_empty, of_rows, rows_of, table_of, tasks
from heldout.engines.units import UNIT, by_unit, plain, unit_moments
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.chunked.sample_rows import duckdb_chunks
from heldout.inputs.chunked.unit_hashes import unit_hashes
from heldout.tallies.moments import Moments

SHELVES = 128
"""Units are spread over so many folders; those of one must fit into memory."""
MIXED = np.uint64(0xFF51AFD7ED558CCD)
"""An odd number that brings what low bits say into the high ones."""


def shelve(table: Any, folder: Path, number: int) -> None:
    """Write the lines of a table to files of that number, one in the folder of each shelf."""
    import pyarrow as pa

    shelf = _shelf(table.column(UNIT).combine_chunks())
    order = np.argsort(shelf, kind="stable")
    ends = np.searchsorted(shelf[order], np.arange(SHELVES + 1))
    lines = table.take(pa.array(order))
    for at in np.flatnonzero(np.diff(ends)).tolist():
        place = folder / str(at)
        place.mkdir(exist_ok=True)
        some = lines.slice(ends[at], ends[at + 1] - ends[at])
        with pa.ipc.new_file(str(place / f"{number}.arrow"), some.schema) as file:
            file.write_table(some)


def shelved(folder: Path) -> Iterator[Any]:
    """The sums by unit of one shelf after the other; every unit is on one shelf only."""
    import pyarrow as pa

    for place in sorted(folder.iterdir()):
        tables = []
        for path in sorted(place.iterdir()):
            with pa.ipc.open_file(str(path)) as file:
                tables.append(file.read_all())
        yield by_unit(pa.concat_tables(tables))


def _shelf(unit: Any) -> Array:
    with np.errstate(over="ignore"):
        mixed = unit_hashes(unit) * MIXED
    return ((mixed ^ (mixed >> np.uint64(32))) * MIXED >> np.uint64(57)).astype(np.int64)


GATHERED = 1 << 26
"""How many bytes of tables are load_chunks before they are added up."""
MOST = 1 << 28
"""How many bytes sums by unit may take in memory."""


def together(tables: Iterable[Any], *, gathered: int = GATHERED, most: int = MOST) -> Iterator[Any]:
    """The sums by unit over all tables: every unit is in one of those given back, whichever it came from.

    >>> import pyarrow as pa
    >>> tables = [pa.table({"unit": ["a", "b"], "rows": [1, 2]}), pa.table({"unit": ["b", "c"], "rows": [3, 4]})]
    >>> [table.sort_by("unit").to_pydict() for table in together(tables)]
    [{'unit': ['a', 'b', 'c'], 'rows': [1, 5, 4]}]
    """
    import pyarrow as pa

    kept: list[Any] = []
    held = full = 0
    with ExitStack() as disk:
        folder = None
        for table in tables:
            kept.append(plain(table))
            if sum(one.nbytes for one in kept) <= max(2 * held, gathered):
                continue
            kept = [by_unit(pa.concat_tables(kept))]
            held = kept[0].nbytes
            if held > most:
                folder = folder or Path(disk.enter_context(TemporaryDirectory(prefix="heldout-units-")))
                shelve(kept[0], folder, full)
                kept, held, full = [], 0, full + 1
        rest = by_unit(pa.concat_tables(kept)) if kept else None
        if folder is None:
            yield from [] if rest is None else [rest]
            return
        if rest is not None:
            shelve(rest, folder, full)
        yield from shelved(folder)


Total = TypeVar("Total")

TASKS = 256
"""A large table is processed in at most this many runs of file chunks; each starts with empty sums."""


@dataclass(frozen=True, slots=True)
class Local:
    """Threads of this process: reading Parquet and adding arrays both leave Python to other threads."""

    workers: int | None = None
    """Number of threads (default: one per core)."""
    name: str = "local"

    def running(self) -> AbstractContextManager[Any]:
        """Nothing to start: every pass starts its own threads."""
        return nullcontext()

    def summed(self, source: Any, columns: Sequence[str], work: Work[Total], progress: Progress | None = None) -> Total:
        """The sum of the work on all chunks, always in the order of the chunks, so that it is always the same."""
        with self._made(source, columns, work, progress) as found:
            return not_empty(added(found), source)

    def grouped(
        self, source: Any, columns: Sequence[str], work: Work[Any], progress: Progress | None = None
    ) -> Moments:
        """Moments over units."""
        with self._made(source, columns, work, progress) as found:
            tables = (one for one in found if one is not None)
            return not_empty(added(map(unit_moments, together(tables))), source)

    @contextmanager
    def _made(
        self, source: Any, columns: Sequence[str], work: Work[Total], progress: Progress | None
    ) -> Iterator[Iterator[Total | None]]:
        """What the work gives of each task, one after the other."""
        table = table_of(source, self.name)
        if table is None:
            yield iter([of_rows(work, duckdb_chunks(source, columns))])
            return
        stop = Event()
        done = counter(progress, len(table.file_chunks))
        jobs = [partial(of_rows, work, _until(rows_of(task, columns, done), stop)) for task in tasks(table, TASKS)]
        workers = min(self.workers or cores(), len(jobs))
        with ThreadPoolExecutor(workers) as pool:
            try:
                yield in_order(pool, jobs, workers + 1)
            finally:
                stop.set()  # after an error or an interrupt do not wait for what is still being read


def in_order(pool: ThreadPoolExecutor, jobs: Iterable[Callable[[], Total]], ahead: int) -> Iterator[Total]:
    """The results in the order of the jobs, of which no more than `ahead` are begun before one is taken."""
    waiting: deque[Future[Total]] = deque()
    try:
        for job in jobs:
            waiting.append(pool.submit(job))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def counter(progress: Progress | None, chunks: int) -> Callable[[], None] | None:
    """A function that reports one more file chunk as done, from any thread."""
    if progress is None:
        return None
    lock, seen = Lock(), [0]

    def done() -> None:
        with lock:
            seen[0] += 1
            progress(seen[0], chunks)

    return done


def _until(some: Iterator[Chunk], stop: Event) -> Iterator[Chunk]:
    for chunk in some:
        if stop.is_set():
            return
        yield chunk
