"""Intervals for a mean over units, or a ratio of two sums over units."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from math import expm1, log1p, nan, sqrt
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.resampling import percentile
from heldout.intervals.scales import critical_t, critical_z, edge
from heldout.intervals.shares import effective_wilson, wilson
from heldout.weights import content_order


def quantile(sorted_values: Array, q: float, level: float) -> tuple[Interval, float]:
    """The l-th and u-th smallest values with P(l <= X < u) >= level, X binomial(n, q), and this chance [david03].

    Each tail is at most (1 - level) / 2. Where so few values allow no such bound the extreme value stands in, and the
    chance returned is below the level; a single value gives (nan, nan) and 0. With ties the chance is at least the one
    returned.

    >>> quantile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.5, 0.95)
    ((2.0, 9.0), 0.978515625)
    """
    from scipy.special import bdtr

    n, tail = len(sorted_values), (1 - level) / 2
    if n == 0:
        return UNDEFINED, nan

    def at_most(count: int) -> float:
        return float(bdtr(count, n, q)) if count >= 0 else 0.0

    def more_than(count: int) -> float:
        return float(bdtr(n - 1 - count, n, 1 - q)) if count < n else 0.0

    first = bisect_left(range(n), True, key=lambda count: at_most(count) > tail)
    last = bisect_left(range(n), True, key=lambda count: more_than(count) <= tail) + 1
    first, last = min(max(first, 1), n), max(min(last, n), 1)
    if first == last:  # one value holds nothing between
        return UNDEFINED, 0.0
    chance = 1 - at_most(first - 1) - more_than(last - 1)
    return (float(sorted_values[first - 1]), float(sorted_values[last - 1])), chance


def exceedance(n: float, level: float) -> float:
    """With this confidence a new row exceeds the largest of n rows with at most the chance 1 - (1 - level)^(1 / n).

    >>> round(exceedance(100, 0.95), 4)
    0.0295
    """
    return -expm1(log1p(-level) / n) if n > 0 else 1.0


WEIGHTS_AT_ONCE = 2_000_000
"""Unit weights held in memory together: 16 MB as drawn, and as much again as floats."""

FEW_UNITS = 100
"""Up to so many units draws are kept: segments of one size, drawn from one seed, are drawn alike."""

ROUNDING = 1e-13
"""A sum of squares below this part of its largest term is what rounding left of zero."""


def student(mean: float, error: float, df: float, level: float) -> Interval:
    """Student's interval: mean -+ t error, t with df degrees of freedom; (nan, nan) without an error [student08].

    >>> [round(end, 4) for end in student(0.017, 0.006867, 9, 0.95)]
    [0.0015, 0.0325]
    """
    if not (df > 0 and 0 < error < float("inf")):
        return UNDEFINED
    reach = critical_t(level, df) * error
    return mean - reach, mean + reach


MOST_ADDED = 5.0
"""Half a row is added at each value that a row can take, this many rows at most."""


def mean_of_values(mean: float, variance: float, rows: float, values: Array, level: float) -> Interval:
    """Effective-n Wilson for the mean of rows that take one of a few known values, between the least and the largest.

    The variance is at least that with half a row added at every value, as for the cells of a table [haldane56]: a value
    that none of the rows took may be taken by others. `variance` is that of the mean.

    >>> costs = np.array([0.0, 1.0, 5.0])
    >>> [round(end, 3) for end in mean_of_values(0.0, 0.0, 100, costs, 0.95)]
    [0.0, 0.161]
    >>> [round(end, 3) for end in mean_of_values(0.35, 0.0113, 100, costs, 0.95)]
    [0.192, 0.622]
    """
    low, high = float(np.min(values)), float(np.max(values))
    span = high - low
    if not rows > 0:  # what counts as a row where the variance is beyond the largest number
        return low, high
    share, places = min(max((mean - low) / span, 0.0), 1.0), (np.asarray(values, float) - low) / span
    more = min(0.5 * len(places), MOST_ADDED)
    scatter = variance * rows / (span * span) if variance > 0 else 0.0
    middle = (rows * share + more * float(places.mean())) / (rows + more)
    square = (rows * (share**2 + scatter) + more * float(np.mean(places**2))) / (rows + more)
    within, apart = middle * (1 - middle), square - middle**2
    trials = rows * within / apart if min(within, apart) > 0 else float(rows)
    spread = share * (1 - share) / trials
    ends = effective_wilson(
        share, max(variance / (span * span) if variance > 0 else 0.0, spread), level, at_edge=trials
    )
    return low + span * ends[0], low + span * ends[1]


LARGEST = 1e140
"""Beyond this (and below one over it), values are divided by the largest first: squares would leave the floats."""


def mean_of_counts(counts: Array, values: Array, level: float) -> Interval:
    """Score interval for the mean of rows that take few known values, from how many rows took each.

    An end is the mean m at which n (mean - m)^2 = z^2 variance(m), the variance being that of the likeliest law of
    these values with mean m. Of two values this is Wilson's interval. The law may give a value that no row took a
    chance, so the dearest cost that was not yet paid counts. Where effective-n Wilson is wider, its end holds.

    >>> [round(end, 3) for end in mean_of_counts(np.array([9, 3]), np.array([0.0, 1.0]), 0.95)]
    [0.089, 0.532]
    >>> [round(end, 3) for end in mean_of_counts(np.array([98, 2, 0]), np.array([0.0, 1.0, 50.0]), 0.95)]
    [0.0, 1.869]
    """
    places, rows = np.asarray(values, dtype=float), float(np.sum(counts))
    low, high = float(places[0]), float(places[-1])
    largest = max(abs(low), abs(high))
    if largest > LARGEST or 0 < largest < 1 / LARGEST:
        down, up = mean_of_counts(counts, places / largest, level)
        return down * largest, up * largest
    mean = min(max(float(counts @ places) / rows, low), high)
    if len(places) == 2:
        share = wilson(float(counts[1]), rows, level)
        return low + (high - low) * share[0], low + (high - low) * share[1]
    variance = float(counts @ (places - mean) ** 2) / rows**2
    wide = mean_of_values(mean, variance, rows, places, level)
    down = -_score_end(counts[::-1], -places[::-1], -mean, level)
    return min(wide[0], down), max(wide[1], _score_end(counts, places, mean, level))


def _score_end(counts: Array, values: Array, mean: float, level: float) -> float:
    """The upper end of a score interval; values rise, and `mean` is that of the counts.

    The likeliest law with a mean above `mean` weighs each row by 1 / (1 - u (value - mean) / (top - mean)), u from 0 to
    1 [owen88]. Where no row took the top value and the mean must rise further, a chance of u - 1 goes to it.
    """
    top, limit = float(values[-1]), critical_z(level) ** 2 / float(np.sum(counts))
    if not mean < top:
        return top
    taken = np.flatnonzero(counts)
    each, places = np.asarray(counts, dtype=float)[taken], np.asarray(values, dtype=float)[taken]
    apart = (places - mean) / (top - mean)

    def law(u: float) -> tuple[float, float]:
        heavy = each / np.maximum(1 - min(u, 1.0) * apart, 1e-300)
        rest = max(u - 1, 0.0)
        chances = heavy / heavy.sum() * (1 - rest)
        at = float(chances @ places) + rest * top
        return at, float(chances @ (places - at) ** 2) + rest * (top - at) * (top - at)

    def inside(u: float) -> bool:
        at, variance = law(u)
        return (at - mean) ** 2 <= limit * variance

    return law(edge(inside, outside=2.0, within=0.0, steps=45))[0]


def bootstrap_t(
    numerators: Array, denominators: Array, level: float, *, draws: int, rng: np.random.Generator
) -> tuple[Interval, int]:
    """(v - q_high(t*) error, v - q_low(t*) error) for v = sum(num) / sum(den), and how many were left out [hall88].

    t* = (v* - v) / error* over units drawn with replacement, error^2 = n / (n - 1) sum((num - v den)^2) / sum(den)^2.
    A plain mean has denominators of one. Draws without an error say nothing and are dropped. Fewer than two units,
    or no spread at all: ((nan, nan), draws).

    >>> losses = np.array([0.1, 0.0, 0.2, 0.1, 0.9, 0.0, 0.3, 0.1, 0.4, 0.2])
    >>> (low, high), dropped = bootstrap_t(losses, np.ones(10), 0.95, draws=999, rng=np.random.default_rng(1))
    >>> round(low, 2), round(high, 2), dropped
    (0.08, 0.67, 0)
    """
    units, total = len(numerators), float(np.sum(denominators))
    if units < 2 or total == 0:
        return UNDEFINED, draws
    value = float(np.sum(numerators)) / total
    apart = numerators - value * denominators
    squares = float(np.sum(apart**2))
    if not squares > ROUNDING**2 * float(np.sum(numerators**2)):
        return UNDEFINED, draws
    error = sqrt(units / (units - 1) * squares) / abs(total)
    # the mirror image of the numbers is drawn alike: turned round, an interval is the same one turned round
    order = content_order(apart * (1.0 if value >= 0 else -1.0), denominators)
    studentised = _studentised(apart[order], denominators[order], draws, rng)
    low, high = percentile(studentised, level)
    dropped = int(np.count_nonzero(np.isnan(studentised)))
    if not low < high:  # two units: every resample that is left is the rows themselves
        return UNDEFINED, dropped
    return (value - high * error, value - low * error), dropped


def _studentised(apart: Array, denominators: Array, draws: int, rng: np.random.Generator) -> Array:
    """(v* - v) / error* of every resample, nan where one has no error.

    `apart` is num - v den, so that v* - v is a ratio of sums as well and no large numbers cancel.
    """
    units = len(apart)
    terms = np.column_stack([apart, denominators, apart**2, apart * denominators, denominators**2])
    chunk = max(1, WEIGHTS_AT_ONCE // units)
    sums = np.concatenate([_counts(units, min(chunk, draws - done), rng) @ terms for done in range(0, draws, chunk)])
    over, total, squares, products, weights = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = over / total
        spread = squares - 2 * moved * products + moved**2 * weights
        known = spread > ROUNDING * squares
        errors = np.sqrt(units / (units - 1) * np.where(known, spread, np.nan)) / np.abs(total)
        studentised: Array = moved / errors
    return studentised


def _counts(units: int, draws: int, rng: np.random.Generator) -> Array:
    """How often each unit comes in each resample of as many units."""
    state = rng.bit_generator.state
    if units > FEW_UNITS or draws >= WEIGHTS_AT_ONCE // FEW_UNITS or state["bit_generator"] != "PCG64":
        return rng.multinomial(units, np.full(units, 1 / units), size=draws)
    kept, rng.bit_generator.state = _kept_counts(units, draws, state["state"]["state"], state["state"]["inc"])
    return kept


@lru_cache(maxsize=128)
def _kept_counts(units: int, draws: int, state: int, inc: int) -> tuple[Array, Any]:
    """The same from the state of a generator, in single bytes; and the state it is left in."""
    source = np.random.PCG64()
    source.state = {**source.state, "state": {"state": state, "inc": inc}}
    drawn = np.random.Generator(source).multinomial(units, np.full(units, 1 / units), size=draws)
    return drawn.astype(np.uint8), source.state
