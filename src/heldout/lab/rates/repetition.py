"""One experiment many times: in blocks with seeds of their own, so that no number depends on how work is shared out.

A job is a value that can be called with a generator and a number of repetitions, and gives sums over them as an array.
Sums of blocks are added in the order of the blocks.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from math import isfinite, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO, TypeVar

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError, ended_worker
from heldout.version import __version__
from heldout.worker_processes import apart_from_ctrl_c, end_with

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    class Job(DataclassInstance, Protocol):
        """A frozen dataclass whose fields are its words."""

        def __call__(self, rng: np.random.Generator, repeats: int) -> Array: ...


BLOCK = 100
"""Repetitions of a block. Another number would give other draws."""
Part = tuple[Any, np.random.SeedSequence, int]
K = TypeVar("K")
P = TypeVar("P")
R = TypeVar("R")


def repeated(
    job: Job, repeats: int, *, seed: int | tuple[int, ...] = 0, jobs: int = 1, into: str | Path | None = None
) -> Array:
    """The sums of a job over its repetitions; what the file `into` has is not done again, the rest is added.

    The numbers are those of the seed, whatever `jobs` (processes) is, and wherever a run was interrupted.
    """
    (sums,) = all_repeated([(job, repeats, seed)], jobs=jobs, into=into)
    return sums


def check_repeats(repeats: int) -> None:
    """Raise if there is nothing to repeat; also where all samples are enumerated instead."""
    if repeats < 1:
        raise UsageError(
            f"the repetitions are {repeats}, but must be one or more", fix="leave out repeats for its default"
        )


def all_repeated(
    asked: Sequence[tuple[Job, int, int | tuple[int, ...]]], *, jobs: int = 1, into: str | Path | None = None
) -> list[Array]:
    """The sums of several jobs, each with its repetitions and seed; processes share the blocks of all of them."""
    done = _finished(into)
    keys, missing, blocks = [], {}, []
    for job, repeats, seed in asked:
        check_repeats(repeats)
        counts = [min(BLOCK, repeats - first) for first in range(0, repeats, BLOCK)]
        seeds = np.random.SeedSequence(seed).spawn(len(counts))
        keys.append(_key(job, seed))
        blocks.append(counts)
        for at, count in enumerate(counts):
            if (keys[-1], at, count) not in done:
                missing[keys[-1], at, count] = (job, seeds[at], count)
    with _kept(into) as file:
        for (key, at, count), sums in _shown(spread(_block, missing, jobs), len(missing), asked[0][0]):
            done[key, at, count] = sums
            if file is not None:
                line = {"job": key, "block": at, "repeats": count, "sums": sums.ravel().tolist()}
                words = _words(missing[key, at, count][0])
                file.write(json.dumps({**line, "shape": sums.shape, "words": words}) + "\n")
                file.flush()
    return [
        np.sum([done[key, at, count] for at, count in enumerate(counts)], axis=0)
        for key, counts in zip(keys, blocks, strict=True)
    ]


def plain(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts for JSON: numbers that are none become None.

    >>> plain({"a": float("nan"), "b": 0.5})
    {'a': None, 'b': 0.5}
    """
    return {name: None if isinstance(fact, float) and not isfinite(fact) else fact for name, fact in facts.items()}


def coverage_goal(level: float) -> tuple[float, float]:
    """The coverage allowed at a level, with at least five expected events: at 95% it is 93 to 97.5%.

    >>> coverage_goal(0.95), coverage_goal(0.8)
    ((0.93, 0.975), (0.72, 0.9))
    """
    left = 1 - level
    return round(level - 0.4 * left, 12), round(level + 0.5 * left, 12)


def monte_carlo_error(share: float, repeats: float) -> float:
    """Standard error of a simulated rate; one hit and one miss are added, because 0 of n does not mean a rate of zero.

    >>> round(monte_carlo_error(0.05, 2000), 4), round(monte_carlo_error(0.0, 98), 4)
    (0.0049, 0.0101)
    """
    more = (share * repeats + 1) / (repeats + 2)
    return sqrt(more * (1 - more) / repeats)


def _words(job: Job) -> dict[str, Any]:
    return {"kind": type(job).__name__, **asdict(job)}


def _key(job: Job, seed: int | tuple[int, ...]) -> str:
    """A job's name in a file: a hash of everything that its numbers depend on."""
    text = json.dumps([_words(job), seed, BLOCK, __version__], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _finished(into: str | Path | None) -> dict[tuple[str, int, int], Array]:
    """The blocks that a file has, by job, place and repetitions; a last line that was cut off is not one."""
    if into is None or not Path(into).exists():
        return {}
    found = {}
    for line in Path(into).read_text(encoding="utf-8").splitlines():
        with suppress(ValueError, KeyError, TypeError):  # cut off, or of another file
            one = json.loads(line)
            found[one["job"], one["block"], one["repeats"]] = np.array(one["sums"], dtype=float).reshape(one["shape"])
    return found


@contextmanager
def _kept(into: str | Path | None) -> Iterator[TextIO | None]:
    if into is None:
        yield None
        return
    path = Path(into)
    cut_off = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        if cut_off:
            file.write("\n")
        yield file


def processes(jobs: int) -> int:
    """A number of processes; negative ones count from all cores downwards, as joblib has them.

    >>> processes(3)
    3
    """
    if jobs == 0:
        raise UsageError("n_jobs is 0, but must be a number of processes", fix="write 1, or -1 for every core")
    return jobs if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)


def spread(work: Callable[[P], R], parts: Mapping[K, P], jobs: int) -> Iterator[tuple[K, R]]:
    """What work makes of each part, by the part's key, as they are finished: in `jobs` processes."""
    jobs = processes(jobs)
    if jobs == 1 or len(parts) <= 1:
        for key, part in parts.items():
            yield key, work(part)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    workers = min(jobs, len(parts))
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=end_with, initargs=(os.getpid(),)) as pool:
        with apart_from_ctrl_c():
            waiting = {pool.submit(work, part): key for key, part in parts.items()}
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        except BaseException as problem:  # do not wait for blocks that are not needed any more
            for process in list((getattr(pool, "_processes", None) or {}).values()):
                process.terminate()
            pool.shutdown(cancel_futures=True)
            if isinstance(problem, BrokenProcessPool):
                raise ended_worker() from problem
            raise


def _block(part: Part) -> Array:
    job, seed, repeats = part
    sums: Array = job(np.random.default_rng(seed), repeats)
    return sums


def _shown(blocks: Iterable[tuple[K, Array]], total: int, job: Job) -> Iterator[tuple[K, Array]]:
    """The blocks, counted on stderr where somebody is watching."""
    watched = sys.stderr.isatty() and total > 1
    for done, block in enumerate(blocks, 1):
        if watched:
            bar = "#" * round(30 * done / total)
            sys.stderr.write(f"\r{type(job).__name__.lower()} [{bar:<30}] {done}/{total} blocks")
            sys.stderr.flush()
        yield block
    if watched:
        sys.stderr.write("\r\x1b[K")
