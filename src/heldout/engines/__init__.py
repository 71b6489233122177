"""Where chunks are processed: in this process, or by Dask, Ray or Spark. Because tallies add, an engine is a sum."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any, Protocol, TypeVar

from heldout.errors import UsageError, did_you_mean
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.optional_packages import require
from heldout.tallies.moments import Moments

Total = TypeVar("Total")
Work = Callable[[Iterable[Chunk]], Total]
"""What is done with chunks; it can be pickled, and its results add up with `+`."""
Progress = Callable[[int, int], None]
"""Called with the number of file chunks that are done, and the number of all."""

ENGINES = {
    "local": ("heldout.engines.local", "Local", ()),
    "dask": ("heldout.engines.on_dask", "OnDask", ("distributed", "dask")),
    "ray": ("heldout.engines.on_ray", "OnRay", ("ray",)),
    "spark": ("heldout.engines.on_spark", "OnSpark", ("pyspark",)),
}
"""Name → its module, the engine in it, and the packages without which it cannot be had."""


class Engine(Protocol):
    """Something that processes all chunks of a table and adds up the results."""

    @property
    def name(self) -> str:
        """What it is called: local, dask, ray or spark."""
        ...

    def running(self) -> AbstractContextManager[Any]:
        """As long as this is open, one cluster does all the work: one that has to be started is started once."""
        ...

    def summed(self, source: Any, columns: Sequence[str], work: Work[Total], progress: Progress | None = None) -> Total:
        """The sum of the work on all chunks."""
        ...

    def grouped(
        self, source: Any, columns: Sequence[str], work: Work[Any], progress: Progress | None = None
    ) -> Moments:
        """The sums by unit, as `Moments` over units, of work that gives an Arrow table (`unit` and columns of numbers).

        The engine's own shuffle brings the rows of a unit together.
        """
        ...


def engine(name: str | None = None, address: str | None = None) -> Engine:
    """The engine of that name: local (unless named), dask, ray or spark.

    >>> engine().name
    'local'
    """
    known = available(name, address)
    module, kind, _ = ENGINES[known]
    made = getattr(import_module(module), kind)
    return made() if known == "local" else made(address=address)


def available(name: str | None, address: str | None = None) -> str:
    """The engine's name, where it is known, its packages are there and the address is one it can have."""
    known = "local" if name is None else name
    if known not in ENGINES:
        raise UsageError(
            f"no engine is called {known!r}{did_you_mean(str(known), ENGINES)}",
            fix="take one of local, dask, ray, spark",
        )
    if known == "local" and address is not None:
        raise UsageError(
            f"the local engine has no address, but {address!r} was given",
            fix="name the engine that listens there: dask, ray or spark",
        )
    for package in ENGINES[known][2]:
        require(package, f"the engine {known} needs")
    return known


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
