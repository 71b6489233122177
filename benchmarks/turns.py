"""Taking turns: calls are timed one after the other, round by round, so that a busy minute meets all of them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The least of several times, and the first answer."""

    seconds: float
    spent: float
    """All times together."""
    runs: int
    answer: Any


def take_turns(
    calls: Mapping[str, Callable[[], Any]],
    *,
    budget: float,
    rounds: int,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, Timing]:
    """The least time of each call over at most `rounds` turns; who has spent `budget` seconds drops out.

    >>> ticks = iter([0, 5, 5, 6, 6, 9, 9, 11])
    >>> found = take_turns({"a": int, "b": str}, budget=60, rounds=2, clock=lambda: next(ticks))
    >>> [(name, timing.seconds, timing.runs) for name, timing in found.items()]
    [('a', 3, 2), ('b', 1, 2)]
    """
    found: dict[str, Timing] = {}
    for _ in range(rounds):
        for name, call in calls.items():
            before = found.get(name)
            if before is not None and before.spent >= budget:
                continue
            seconds, answer = _timed(call, clock)
            if before is None:
                found[name] = Timing(seconds=seconds, spent=seconds, runs=1, answer=answer)
            else:
                found[name] = replace(
                    before,
                    seconds=min(before.seconds, seconds),
                    spent=before.spent + seconds,
                    runs=before.runs + 1,
                )
    return found


def _timed(call: Callable[[], Any], clock: Callable[[], float]) -> tuple[float, Any]:
    gc.collect()
    was_on = gc.isenabled()
    gc.disable()  # a collection in the middle would be charged to whoever happens to run
    try:
        start = clock()
        answer = call()
        return clock() - start, answer
    finally:
        if was_on:
            gc.enable()
