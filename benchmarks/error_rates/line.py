"""One measured number, and what all of them have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from math import nan

import numpy as np

from heldout.batch import Array
from heldout.lab.rates.repetition import monte_carlo_error

LEVEL = 0.95
ALPHA = 0.05
SEED = 0
SIZES = (20, 50, 100, 500, 2000)
REPEATS = {20: 2000, 50: 2000, 100: 2000, 500: 2000, 2000: 500}
"""Repetitions by number of rows, where samples are drawn."""
RESAMPLED = 100
"""The bootstrap takes too long with more rows than these."""
RESAMPLED_REPEATS = 500
"""Repetitions of the bootstrap, where samples are drawn."""
NEGLIGIBLE = 1e-11
"""Samples that are less likely are not counted."""
BY_HAND = "by hand"
"""The package of what people do without one."""

Ends = tuple[float, float]
NONE: Ends = (nan, nan)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """How often an interval held the truth, or a test rejected that two models are equally good."""

    question: str
    """`interval`, `size` or `power`."""
    world: str
    metric: str
    n: int
    package: str
    method: str
    rate: float
    error: float
    """Monte-Carlo standard error; 0 where every sample was counted."""
    width: float | None
    """Mean width of the intervals."""
    undefined: float
    """Share of samples without an answer, which count as no interval and as no rejection."""
    repeats: int
    """0 where every sample was counted."""


def interval_line(sums: Iterable[float], repeats: int, **facts: object) -> Line:
    """The line of an interval from sums over repetitions: held, width, answered, and asked.

    >>> interval_line([90, 20.0, 100, 100], 100, world="w", metric="m", n=20, package="p", method="x").rate
    0.9
    """
    held, width, answered, asked = (float(part) for part in sums)
    rate = held / answered if answered else nan
    return Line(
        question="interval",
        rate=rate,
        error=monte_carlo_error(rate, answered) if repeats and answered else 0.0,
        width=width / answered if answered else None,
        undefined=1 - answered / asked if asked else 1.0,
        repeats=repeats,
        **facts,  # type: ignore[arg-type]
    )


def held(ends: Ends, truth: float) -> Array:
    """What one interval adds to the sums; ends that differ from the truth by rounding hold it.

    >>> held((0.2, 0.4), 0.3).tolist(), held((float("nan"), 0.4), 0.3).tolist()
    ([1.0, 0.2, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0])
    """
    low, high = ends
    if not low <= high:
        return np.array([0.0, 0.0, 0.0, 1.0])
    return np.array([low - 1e-9 <= truth <= high + 1e-9, high - low, 1.0, 1.0])


def guarded(call: Callable[..., object]) -> Callable[..., Ends]:
    """The two ends that a peer gives; none where it gives words or fails."""

    @wraps(call)
    def ends(*given: object) -> Ends:
        try:
            low, high = call(*given)  # type: ignore[misc]
            return float(low), float(high)
        except Exception:  # noqa: BLE001  # peers may raise anything
            return NONE

    return ends
