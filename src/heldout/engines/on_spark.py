"""The engine on Spark: workers see Arrow batches through `mapInArrow`, totals and units meet in Spark's own shuffle."""

from __future__ import annotations

import os
import pickle
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from threading import Event, Thread
from typing import Any, TypeVar

from heldout.engines import Progress, Work
from heldout.engines.spark_work import SCHEMA, carried, moments_of, tables_of, total_of, totals_of
from heldout.engines.tasks import arrow_chunks, for_workers, not_empty, table_of
from heldout.engines.tree import FAN, TASKS
from heldout.engines.units import plain
from heldout.errors import EngineError, UsageError
from heldout.inputs.chunked.chunked_table import read_chunks
from heldout.inputs.formats.frames import LAZY_PLACES
from heldout.tallies.moments import Moments

Total = TypeVar("Total")

LOCAL = "local[*,4]"
"""All cores of this machine; a task may fail three times, as on a cluster."""
BUCKETS = 512
"""Units are shuffled into at most this many partitions."""
PARTITIONS = 32
"""How many partitions a frame is taken to have where it cannot be asked: any number adds up to the same."""
CONNECT = "pyspark.sql.connect"
"""The package of a session that is the client of a server, and has no Java beside it."""
EVERY = 0.5
"""Seconds between two looks at how far Spark is."""
PROBE = 1000
"""How many rows of a frame show what a work makes of them."""


@dataclass(frozen=True, slots=True)
class OnSpark:
    """A master, a Spark Connect server (sc://…), the session that is active, or the cores of this machine."""

    address: str | None = None
    name: str = "spark"

    def running(self) -> AbstractContextManager[Any]:
        """One session for all passes."""
        return session_of(None, self.address)

    def summed(self, source: Any, columns: Sequence[str], work: Work[Total], progress: Progress | None = None) -> Total:
        """The sum of the work on all chunks, added up by the workers."""
        with session_of(source, self.address) as spark, _named_failures():
            rows, tasks, count = _begun(spark, source, columns)
            totals = rows.mapInArrow(partial(totals_of, work=work, tasks=tasks, columns=tuple(columns)), SCHEMA)
            with _watched(spark, count, progress):
                return not_empty(_sum(totals, count), source)

    def grouped(
        self, source: Any, columns: Sequence[str], work: Work[Any], progress: Progress | None = None
    ) -> Moments:
        """Moments over units, which Spark's own shuffle brings together."""
        from pyspark.sql.pandas.types import from_arrow_schema

        with session_of(source, self.address) as spark, _named_failures():
            rows, tasks, count = _begun(spark, source, columns)
            made = from_arrow_schema(_probed(source, columns, work).schema)
            lines = rows.mapInArrow(partial(tables_of, work=work, tasks=tasks, columns=tuple(columns)), made)
            met = lines.repartition(min(count, BUCKETS), "unit").mapInArrow(moments_of, SCHEMA)
            with _watched(spark, count, progress):
                return not_empty(_sum(met, min(count, BUCKETS)), source)


def _begun(spark: Any, source: Any, columns: Sequence[str]) -> tuple[Any, Any, int]:
    """A Spark frame with one line per task, each in its own partition, or the frame itself; the tasks; how many."""
    table = table_of(source, "spark")
    if table is None:
        rows = _some(source, columns)
        connect = type(spark).__module__.startswith(CONNECT)
        return rows, None, PARTITIONS if connect else max(rows.rdd.getNumPartitions(), 1)
    tasks = for_workers(table, TASKS)
    return spark.range(0, len(tasks), 1, len(tasks)), tasks, len(tasks)


def _some(frame: Any, columns: Sequence[str]) -> Any:
    return frame.select(*(f"`{name}`" for name in columns))


def _sum(totals: Any, count: int) -> Any:
    """The sum of a frame of totals: FAN of them are added up by one worker, until one is left."""
    level = count
    while level > 1:
        level = -(-level // FAN)
        totals = totals.repartition(level, totals["at"] % level).mapInArrow(total_of, SCHEMA)
    found = totals.collect()
    return pickle.loads(found[0]["total"]) if found else None  # noqa: S301  # we made it


@contextmanager
def _watched(spark: Any, tasks: int, progress: Progress | None) -> Iterator[None]:
    """Tell how many tasks of the first stage are done; a client of Spark Connect sees only the end."""
    ended = Event()

    def watch() -> None:
        tracker, seen = spark.sparkContext.statusTracker(), 0
        while not ended.wait(EVERY):
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            done = [stage.numCompletedTasks for stage in stages if stage is not None and stage.numTasks == tasks]
            if progress is not None and done and seen < max(done) < tasks:
                seen = max(done)
                progress(seen, tasks)

    connect = type(spark).__module__.startswith(CONNECT)
    watcher = Thread(target=watch, daemon=True) if progress is not None and not connect else None
    if watcher is not None:
        watcher.start()
    try:
        yield
    finally:
        ended.set()
        if watcher is not None:
            watcher.join()
    if progress is not None:
        progress(tasks, tasks)


def _probed(source: Any, columns: Sequence[str], work: Work[Any]) -> Any:
    """What the work makes of a few rows: Spark wants to know the columns before it begins."""
    table = table_of(source, "spark")
    if table is None:
        some = arrow_chunks(_some(source, columns).limit(PROBE).toArrow(), LAZY_PLACES["spark"])
    else:
        some = islice(read_chunks(table.file_chunks[0], columns), 1)
    return plain(work(some))


@contextmanager
def session_of(source: Any, address: str | None) -> Iterator[Any]:
    """A session: the frame's own, the active one, or one that lasts as long as the work."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        with _any_session(source, address) as spark:
            yield spark


@contextmanager
def _any_session(source: Any, address: str | None) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    own = getattr(source, "sparkSession", None)
    # a session is active in the thread that made it, and there for all others too
    active = own or SparkSession.getActiveSession() or getattr(SparkSession, "_instantiatedSession", None)
    if active is not None:
        if own is None:
            _same_master(active, address)
        yield active
        return
    spark = _session(address)
    try:
        yield spark
    finally:
        spark.stop()


def _session(address: str | None) -> Any:
    """A new session, quiet, for an address, else for SPARK_REMOTE, else for this machine."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    named = address or os.environ.get("SPARK_REMOTE") or LOCAL
    builder = SparkSession.builder.appName("heldout")
    if named.startswith("sc://"):
        builder = builder.remote(named)
    else:
        if named.startswith("local"):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # Spark would take whichever python3 it finds
        builder = builder.master(named).config("spark.log.level", "ERROR")
        builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    try:
        return builder.getOrCreate()
    except (PySparkException, RuntimeError, OSError) as error:
        raise UsageError(
            f"no Spark answers at {named!r}: {str(error).splitlines()[0]}",
            code="H317",
            fix="check the address; Spark on this machine needs Java 17 or newer (Debian: default-jre-headless)",
        ) from error


def _same_master(active: Any, address: str | None) -> None:
    if address is None or not hasattr(active, "sparkContext") or address.startswith("sc://"):
        return
    master = active.sparkContext.master
    if master != address:
        raise UsageError(
            f"a Spark session with the master {master!r} is active, and {address!r} was asked for",
            fix="stop that session, or leave out the address",
        )


@contextmanager
def _named_failures() -> Iterator[None]:
    """What a worker raised, as it raised it; what Spark raises when it gives up, in our words."""
    from pyspark.errors import PySparkException

    try:
        from py4j.protocol import Py4JJavaError
    except ModuleNotFoundError:  # a client of Spark Connect has no Java
        Py4JJavaError = PySparkException
    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        text = str(error)
        found = carried(text)
        if found is not None:
            raise found from None
        raise EngineError(
            f"Spark gave up: {text.strip().splitlines()[0]}", code="H317", fix="look into the logs of its executors"
        ) from error
