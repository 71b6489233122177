"""What a test of one difference gives, before any correction for other tests; p-values from intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, isnan, log10, nan

import numpy as np

from heldout.intervals import Interval
from heldout.intervals.scales import STEPS, critical_z, edge

LEAST = 1e-15
"""Beyond this a level cannot be told from 1."""
MOST = 1 - 1e-9
"""Beyond this an interval is a point."""


def inverted(interval: Callable[[float], Interval], *, least: float = LEAST, steps: int = STEPS) -> float:
    """The p-value of there being no difference: 1 less the lowest level at which the interval holds 0.

    By construction it is below 1 - level just where the interval at that level leaves 0 out. It is never below `least`.
    `steps` is how often the level is halved in: 24 give six digits.

    >>> from heldout.stats.independent_samples import newcombe, wald
    >>> round(inverted(lambda level: wald(30, 100, 20, 100, level)), 4)  # the textbook's z
    0.1002
    >>> round(inverted(lambda level: newcombe(30, 100, 20, 100, level)), 4)
    0.103
    """

    def holds(alpha: float) -> bool:
        low, high = interval(1 - alpha)
        return low <= 0 <= high

    if isnan(sum(interval(0.95))):
        return float("nan")
    if not holds(least):
        return least
    if holds(MOST):
        return 1.0
    return float(10 ** edge(lambda power: holds(10**power), log10(MOST), log10(least), steps))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A difference with its confidence interval, and the p-value of the hypothesis that it is zero."""

    value: float
    """First minus second, or whatever else the test is about."""
    low: float
    high: float
    pvalue: float
    test: str
    """What was done, as printed beside the number."""
    level: float = nan
    statistic: float = nan
    df: float | None = None
    """Degrees of freedom, where the test has any."""
    error: float = nan
    """Standard error of the difference."""
    notes: tuple[str, ...] = ()
    in_time: Mapping[str, float | int | None] | None = None
    """Where rows have times: autocorrelation at lag 1, effective number of times, degrees of freedom, horizon."""
    size: float | None = None
    """Units in each of two independent samples that the standard error is worth; None: both models saw the same."""
    interval_at: Callable[[float], Interval] | None = field(default=None, compare=False, repr=False)
    """The interval of the same test at another level; None where the test has it at one level only."""
    wider: float = 1.0
    """How many times as wide the interval is as that of a single look, where it allows for several."""


def within(outcome: Outcome, low: float, high: float) -> Outcome:
    """The outcome with an interval that ends where the difference of two values between `low` and `high` must.

    >>> far = Outcome(value=0.1, low=-3.0, high=0.4, pvalue=0.5, test="t", interval_at=lambda level: (-9.0, 9.0))
    >>> near = within(far, 0.0, 1.0)
    >>> near.low, near.high, near.interval_at(0.99)
    (-1.0, 0.4, (-1.0, 1.0))
    """
    most, inner = high - low, outcome.interval_at

    def ended(ends: Interval) -> Interval:
        first, last = (float(np.clip(end, -most, most)) for end in ends)
        return first, last

    first, last = ended((outcome.low, outcome.high))
    at = None if inner is None else lambda level: ended(inner(level))
    return replace(outcome, low=first, high=last, interval_at=at)


def untested(value: float, why: str) -> Outcome:
    """A difference that cannot be tested, and why."""
    return Outcome(value=value, low=nan, high=nan, pvalue=nan, test="none", notes=(why,))


def no_difference(why: str, *, units: float = inf, span: float = 1.0, level: float = 0.95) -> Outcome:
    """A difference that is exactly zero because nothing differs between the two, on so many units.

    A unit not seen may still differ, by `span` at most: the interval is what a share of units that differ, none of
    which was seen, can come to. Without a number of units it is a point, without a finite span undefined.

    >>> found = no_difference("identical predictions", units=100, level=0.9)
    >>> round(found.low, 4), round(found.high, 4)
    (-0.0295, 0.0295)
    """

    def at(level: float) -> Interval:
        reach = span * _unseen(units, level) if 0 < span < inf else nan
        return -reach, reach

    low, high = at(level)
    return Outcome(value=0.0, low=low, high=high, pvalue=1.0, test="identical", error=0.0, notes=(why,), interval_at=at)


def _unseen(units: float, level: float) -> float:
    """The largest share of differing units that may show none among so many.

    It is the wider of Tango's score interval without discordant rows [tango98] and of the exact one: at a share just
    beyond the score bound at 90%, no unit differs in 7% of samples instead of 5%.
    """
    if units == inf:
        return 0.0
    square = critical_z(level) ** 2
    return max(square / (units + square), 1 - ((1 - level) / 2) ** (1 / units))
