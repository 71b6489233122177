"""The engine on Dask: tasks and totals are futures of its scheduler, units meet in the shuffle of its frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

from heldout.engines import Progress, Work, cores, units
from heldout.engines.tasks import added, arrow_chunks, for_workers, not_empty, of_rows, table_of, worked
from heldout.engines.tree import TASKS, Hands, all_done, tree_sum
from heldout.errors import EngineError, UsageError
from heldout.inputs.formats.frames import LAZY_PLACES
from heldout.tallies.moments import Moments

Total = TypeVar("Total")

ANSWER = 30
"""Seconds a scheduler has to answer."""
ALONE = 60
"""Seconds without any worker after which an error is raised."""
BUCKETS = 512
"""Units are shuffled into at most this many partitions."""


@dataclass(frozen=True, slots=True)
class OnDask:
    """A scheduler at an address, the client that is active, or processes of this machine."""

    address: str | None = None
    name: str = "dask"

    @contextmanager
    def running(self) -> Iterator[None]:
        """One client, and its cluster, for all walks."""
        with client_of(self.address) as client, client.as_current():
            yield

    def summed(self, source: Any, columns: Sequence[str], work: Work[Total], progress: Progress | None = None) -> Total:
        """The sum of the work on all chunks, added up by the workers."""
        with client_of(self.address) as client, _named_failures(client):
            hands = _hands(client, work, columns)
            found = _tasks(source, columns)
            weights = [len(task) for task in found] if found and isinstance(found[0], tuple) else []
            return not_empty(tree_sum(found, hands, weights=weights, progress=progress).result(), source)

    def grouped(
        self, source: Any, columns: Sequence[str], work: Work[Any], progress: Progress | None = None
    ) -> Moments:
        """Moments over units, which Dask's own shuffle brings together."""
        import dask
        import dask.dataframe as dd

        with client_of(self.address) as client, _named_failures(client):
            hands = _hands(client, _Frames(work), columns)
            found = _tasks(source, columns)
            futures = [hands.start(task) for task in found]
            all_done(futures, hands, progress)
            sizes = client.gather(client.map(_size, futures, pure=False))
            futures = [one for one, size in zip(futures, sizes, strict=True) if size]
            if not futures:
                return not_empty(None, source)
            if sum(sizes) <= units.MEET:
                return client.submit(_meeting, futures, pure=False).result()
            meta = client.submit(_empty, futures[0], pure=False).result()
            frame = dd.from_delayed(futures, meta=meta, verify_meta=False)
            met = frame.shuffle(on="unit", npartitions=min(len(found), BUCKETS))
            some = [dask.delayed(_moments)(part) for part in met.to_delayed()]
            root = client.compute(dask.delayed(added)(some))
            hands.wait([root])
            return root.result()


def _tasks(source: Any, columns: Sequence[str]) -> list[Any]:
    """Parts of files, or the partitions of a Dask frame."""
    table = table_of(source, "dask")
    return for_workers(table, TASKS) if table is not None else source[list(columns)].to_delayed()


def _hands(client: Any, work: Any, columns: Sequence[str]) -> Hands:
    import dask

    names = tuple(columns)
    sent = client.submit(_itself, work, pure=False)  # once to the cluster, however many tasks there are

    def start(task: Any) -> Any:
        if isinstance(task, tuple):
            return client.submit(worked, sent, task, names, pure=False)
        return client.compute(dask.delayed(_worked_frame)(sent, task, names))

    def join(some: list[Any]) -> Any:
        return client.submit(added, some, pure=False)

    def wait(some: list[Any]) -> list[Any]:
        finished = _finished(client, some)
        for future in finished:
            if future.status != "finished":
                future.result()  # raises what the worker raised
        return finished

    return Hands(start=start, join=join, wait=wait, at_once=2 * sum(client.nthreads().values()))


def _finished(client: Any, some: list[Any]) -> list[Any]:
    """Those that are done or failed; waits for the first, as long as there is somebody at work."""
    import distributed

    since = monotonic()
    while True:
        try:
            return list(distributed.wait(some, timeout=5, return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            if client.nthreads():
                since = monotonic()
            elif monotonic() - since > ALONE:
                raise EngineError(
                    f"the Dask cluster has had no worker for {ALONE} seconds",
                    code="H317",
                    fix="start workers and run again",
                ) from None


@contextmanager
def client_of(address: str | None) -> Iterator[Any]:
    """A client: of the address, else the active one, else of DASK_SCHEDULER_ADDRESS, else of a cluster of processes."""
    import dask
    import distributed

    if address is None:
        try:
            active = distributed.Client.current()
        except ValueError:
            pass
        else:
            _some_worker(active)
            yield active
            return
    named = address or dask.config.get("scheduler-address", None)
    if named is None:
        with (
            distributed.LocalCluster(
                n_workers=cores(), threads_per_worker=1, processes=True, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            yield client
        return
    try:
        client = distributed.Client(named, timeout=ANSWER, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler answers at {named!r}: {error}",
            code="H317",
            fix="check the address, or start `dask scheduler`",
        ) from error
    with client:
        _some_worker(client)
        yield client


def _some_worker(client: Any) -> None:
    try:
        client.wait_for_workers(1, timeout=ALONE)
    except TimeoutError:
        raise EngineError(
            f"the Dask cluster has had no worker for {ALONE} seconds", code="H317", fix="start workers and run again"
        ) from None


@contextmanager
def _named_failures(client: Any) -> Iterator[None]:
    """What Dask raises when it gives up, in our words."""
    from concurrent.futures import CancelledError

    import distributed
    from distributed.comm import CommClosedError

    try:
        with client.as_current():
            yield
    except distributed.KilledWorker as error:
        raise EngineError(
            f"a task of Dask ended its worker again and again: {error}",
            code="H317",
            fix="give workers more memory, or look into their logs",
        ) from error
    except (CancelledError, distributed.CancelledError, CommClosedError) as error:
        raise EngineError(
            f"the Dask scheduler at {client.scheduler.address if client.scheduler else '?'} was lost: {error}",
            code="H317",
            fix="start it again and run again",
        ) from error


@dataclass(frozen=True, slots=True)
class _Frames:
    """A work whose table becomes a pandas frame, which is what Dask shuffles."""

    work: Any

    def __call__(self, chunks: Any) -> Any:
        return units.plain(self.work(chunks)).to_pandas()


def _itself(work: Any) -> Any:
    return work


def _worked_frame(work: Any, frame: Any, columns: tuple[str, ...]) -> Any:
    import pyarrow as pa

    table = pa.Table.from_pandas(frame[list(columns)], preserve_index=False)
    return of_rows(work, arrow_chunks(table, LAZY_PLACES["dask"]))


def _size(frame: Any) -> int:
    return 0 if frame is None else max(int(frame.memory_usage(deep=True).sum()), 1)


def _meeting(frames: list[Any]) -> Moments:
    import pyarrow as pa

    return units.met([pa.Table.from_pandas(frame, preserve_index=False) for frame in frames])


def _empty(frame: Any) -> Any:
    return frame.iloc[:0]


def _moments(frame: Any) -> Moments:
    return _meeting([frame])
