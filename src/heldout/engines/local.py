"""The engine of one machine: threads over parts, sums in the order of the parts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from threading import Event, Lock
from typing import Any, TypeVar

from heldout.engines import Progress, Work, cores
from heldout.engines.gathering import together
from heldout.engines.tasks import added, in_parts, not_empty, of_rows, rows_of, tasks
from heldout.engines.units import unit_moments
from heldout.inputs.parts.part import Piece
from heldout.inputs.parts.relations import relation_pieces
from heldout.tallies.moments import Moments

Total = TypeVar("Total")

TASKS = 256
"""The parts of a large table are worked on in so many runs at most: each begins with empty sums."""


@dataclass(frozen=True, slots=True)
class Local:
    """Threads of this process: reading Parquet and adding arrays both leave Python to other threads."""

    workers: int | None = None
    """How many threads; one per core unless given."""
    name: str = "local"

    def running(self) -> AbstractContextManager[Any]:
        """Threads are started for each walk: that costs nothing."""
        return nullcontext()

    def summed(self, source: Any, columns: Sequence[str], work: Work[Total], progress: Progress | None = None) -> Total:
        """The sum of the work on every part; always in the order of the parts, so that it is always the same."""
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
        parts = in_parts(source, self.name)
        if parts is None:
            yield iter([of_rows(work, relation_pieces(source, columns))])
            return
        stop = Event()
        done = counter(progress, len(parts.parts))
        jobs = [partial(of_rows, work, _until(rows_of(task, columns, done), stop)) for task in tasks(parts, TASKS)]
        workers = min(self.workers or cores(), len(jobs))
        with ThreadPoolExecutor(workers) as pool:
            try:
                yield in_order(pool, jobs, workers + 1)
            finally:
                stop.set()  # after an error or an interrupt nobody waits for what is still being read


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


def counter(progress: Progress | None, parts: int) -> Callable[[], None] | None:
    """What tells the progress that one more part is done, from any thread."""
    if progress is None:
        return None
    lock, seen = Lock(), [0]

    def done() -> None:
        with lock:
            seen[0] += 1
            progress(seen[0], parts)

    return done


def _until(some: Iterator[Piece], stop: Event) -> Iterator[Piece]:
    for piece in some:
        if stop.is_set():
            return
        yield piece
