"""The engine on Ray: tasks and totals are its remote objects, units meet in the shuffle of Ray Data."""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import add
from time import monotonic
from typing import Any, TypeVar

from heldout.engines import Progress, Work, units
from heldout.engines.tasks import Task, added, for_workers, not_empty, table_of, worked
from heldout.engines.tree import TASKS, Hands, all_done, tree_sum
from heldout.errors import EngineError, HeldoutError, UsageError
from heldout.tallies.moments import Moments

Total = TypeVar("Total")

ALONE = 60
"""Seconds without any processor after which an error is raised."""
TRIES = 3
"""How often units are shuffled anew where a worker is lost in the middle of it."""
BUCKETS = 512
"""Units are shuffled into at most this many partitions."""
BUCKET = 2**25
"""of about so many bytes."""


@dataclass(frozen=True, slots=True)
class OnRay:
    """A cluster at an address, the one this process is connected to, or processes of this machine."""

    address: str | None = None
    name: str = "ray"

    def running(self) -> AbstractContextManager[Any]:
        """One connection for all walks."""
        return connected(self.address)

    def summed(self, source: Any, columns: Sequence[str], work: Work[Total], progress: Progress | None = None) -> Total:
        """The sum of the work on all chunks, added up by the workers."""
        with connected(self.address) as ray, _named_failures(ray):
            found = _tasks(source)
            weights = [len(task) for task in found]
            total, _ = tree_sum(found, _hands(ray, work, columns), weights=weights, progress=progress)
            return not_empty(ray.get(total), source)

    def grouped(
        self, source: Any, columns: Sequence[str], work: Work[Any], progress: Progress | None = None
    ) -> Moments:
        """Moments over units, which the shuffle of Ray Data brings together."""
        with connected(self.address) as ray, _named_failures(ray):
            found = _tasks(source)
            hands = _hands(ray, _Plain(work), columns)
            futures = [hands.start(task) for task in found]
            all_done(futures, hands, progress)
            sizes = ray.get([end for _, end in futures])
            tables = [table for (table, _), size in zip(futures, sizes, strict=True) if size]
            if not tables:
                return not_empty(None, source)
            if sum(sizes) <= units.MEET:
                return ray.get(ray.remote(_meeting).remote(*tables))
            return _again(ray, lambda: _shuffled(tables))


def _tasks(source: Any) -> list[Task]:
    table = table_of(source, "ray")
    assert table is not None  # Ray reads no frame
    return for_workers(table, TASKS)


def _hands(ray: Any, work: Any, columns: Sequence[str]) -> Hands:
    """Futures are pairs: the total, which stays where it is, and the bytes of a table, which tell how it went."""
    names, sent = tuple(columns), ray.put(work)
    begin, join = ray.remote(num_returns=2)(_begun), ray.remote(num_returns=2)(_joined)

    def wait(some: list[Any]) -> list[Any]:
        ends = _finished(ray, [end for _, end in some])
        ray.get(list(ends))  # raises what the worker raised
        return [one for one in some if one[1] in ends]

    return Hands(
        start=lambda task: begin.remote(sent, task, names),
        join=lambda some: join.remote(*(total for total, _ in some)),
        wait=wait,
        at_once=2 * int(ray.cluster_resources().get("CPU", 1)),
    )


def _finished(ray: Any, ends: list[Any]) -> set[Any]:
    since = monotonic()
    while True:
        done, _ = ray.wait(ends, num_returns=1, timeout=5)
        if done:
            done, _ = ray.wait(ends, num_returns=len(ends), timeout=0)
            return set(done)
        if ray.cluster_resources().get("CPU", 0):
            since = monotonic()
        elif monotonic() - since > ALONE:
            raise EngineError(
                f"the Ray cluster has had no processor for {ALONE} seconds",
                code="H317",
                fix="start workers and run again",
            )


def _shuffled(tables: list[Any]) -> Moments:
    """The moments of each part after the shuffle, added up here: they are few and small."""
    from ray.data import DataContext, from_arrow_refs

    context = DataContext.get_current()
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    rows = from_arrow_refs(tables)
    partitions = min(max(len(tables), -(-rows.size_bytes() // BUCKET)), BUCKETS)
    found = rows.repartition(partitions, keys=["unit"]).map_batches(_moments, batch_size=None, batch_format="pyarrow")
    return reduce(add, (pickle.loads(line["moments"]) for line in found.take_all()))  # noqa: S301  # we made it


def _again(ray: Any, shuffle: Callable[[], Moments]) -> Moments:
    """The shuffle, anew where it lost a worker: its partitions are held by actors, which Ray does not restart."""
    for left in reversed(range(TRIES)):
        try:
            return shuffle()
        except ray.exceptions.RayError as error:
            if left == 0 or isinstance(error, ray.exceptions.RayTaskError):
                raise
    raise AssertionError


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """Ray: connected to the address, else as it is, else to RAY_ADDRESS, else with processes of this machine."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    if ray.is_initialized():
        yield ray
        return
    try:
        ray.init(
            address=address, log_to_driver=False, include_dashboard=None if address else False,
            logging_level=logging.WARNING,
        )  # fmt: skip
    except (ConnectionError, TimeoutError, ValueError, RuntimeError) as error:
        raise UsageError(
            f"no Ray cluster answers at {address or os.environ.get('RAY_ADDRESS')!r}: {error}",
            code="H317",
            fix="check the address, or start `ray start --head`",
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


@contextmanager
def _named_failures(ray: Any) -> Iterator[None]:
    """What a worker raised, as it raised it; what Ray raises when it gives up, in our words."""
    try:
        yield
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, HeldoutError):
            raise error.cause from None
        raise
    except ray.exceptions.RayError as error:
        raise EngineError(
            f"Ray gave up: {str(error).splitlines()[0]}",
            code="H317",
            fix="give workers more memory, or look into their logs",
        ) from error


@dataclass(frozen=True, slots=True)
class _Plain:
    """A work whose units are as a shuffle needs them."""

    work: Any

    def __call__(self, chunks: Any) -> Any:
        return units.plain(self.work(chunks))


def _begun(work: Any, task: Task, columns: tuple[str, ...]) -> tuple[Any, int]:
    total = worked(work, task, columns)
    return total, 0 if total is None else max(getattr(total, "nbytes", 1), 1)


def _joined(*some: Any) -> tuple[Any, int]:
    return added(some), 1


def _meeting(*tables: Any) -> Moments:
    return units.met(tables)


def _moments(table: Any) -> dict[str, Any]:
    return {"moments": [pickle.dumps(units.met([table]))]} if table.num_rows else {"moments": []}
