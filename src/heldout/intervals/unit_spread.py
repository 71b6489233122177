"""Student's t on how far independent units move a value, adjusted for skewness and for units of unequal size.

One mechanism for every smooth metric, for rows, clusters and weighted rows alike. Three sums over units are all that it
needs, so rows read in chunks give the same numbers as rows in memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import cbrt, inf, nan, sqrt

import numpy as np

from heldout.batch import Array
from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.scales import critical_t

FLAT = 1e-7
"""A skewness below this changes no printed digit."""
MANY = 100
"""From so many degrees of freedom on, Student's t is nearly normal: the interval is that of all units."""
NEARLY_ALL = 0.9
"""Where units show more than this share of the variance, and are many, it is not corrected."""
FEWEST_CARRIERS = 3
"""Below so many effective units that a value rests on, its variance collapses and no test is made.

With negative rows in 1, 2 and 3 of 60 clusters, tests of equal specificity reject far too often.
"""
LEAST_SEEN = 0.5
"""Where units show less than this share of the variance, it is known from the rarest kind of rows alone.

With one of four classes in 1 of 60 clusters, tests of equal balanced accuracy reject far too often.
"""
HALF_SHOWN = 10.0
"""With so many effective units, half of what units of unequal size may not show of the variance is added."""
WHOLE = 1 - 1e-9
"""A unit with more than this share of all rows cannot be left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carriers:
    """The units that a value rests on."""

    df: float
    """Degrees of freedom that their variance has."""
    seen: float = 1.0
    """The share of the variance that they show, where it is not that of all units."""
    fewest: float = inf
    """Effective units of the kind of rows that lies in fewest of them; infinite where all units count."""

    @property
    def too_few(self) -> bool:
        """Whether they are too few to say anything about the variance, so that no test is made."""
        return self.df + 1 < FEWEST_CARRIERS


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitSpread:
    """How much a value varies because its units do."""

    units: int
    variance: float
    """The squared standard error of the value."""
    skewness: float = 0.0
    """Skewness of the value: sum (m - mean m)^3 / (sum (m - mean m)^2)^1.5, m how far a unit moves it."""
    df: float = inf
    """Degrees of freedom: units less one, or as many as the units have that carry the value [carter17]."""

    carriers: Carriers | None = None
    """The units that carry the value, where not all do."""

    @property
    def error(self) -> float:
        """The standard error of the value."""
        return sqrt(self.variance) if self.variance >= 0 else nan


def carriers(worth: Array, of_all: float) -> Carriers:
    """The units behind a value that rests on several kinds of rows, such as those of each class.

    Rows of a kind that lie in m effective units are taken to vary by 1 / m, of which m units show m - 1 parts of m,
    with m - 1 degrees of freedom; these are joined by Satterthwaite's rule [satterthwaite46]. Where they show nearly
    all, with at least 100 degrees of freedom or half of those that all units have, all units count.

    >>> few, enough = carriers(np.array([4.0, 400.0]), 404.0), carriers(np.array([200.0, 204.0]), 404.0)
    >>> round(few.df, 1), round(few.seen, 2), enough.df, enough.seen
    (3.1, 0.75, 403.0, 1.0)
    """
    worth = worth[np.isfinite(worth)]
    if not len(worth):
        return Carriers(df=of_all - 1)
    parts = (1 / worth) / np.sum(1 / worth)
    shown = parts * (worth - 1) / worth
    seen, spread = float(shown.sum()), float(np.sum(parts * shown / worth))
    df = min(seen**2 / spread if seen > LEAST_SEEN else worth.min() - 1, of_all - 1)
    if seen > NEARLY_ALL and df >= min((of_all - 1) / 2, MANY):
        return Carriers(df=of_all - 1)
    return Carriers(df=df, seen=seen, fewest=float(worth.min()))


def fewest_of(each: Iterable[Carriers]) -> Carriers:
    """Those that show least: what differs by the rounding of weights is equal, or the order of rows would decide."""
    return min(each, key=lambda one: (round(one.df, 9), round(one.seen, 9)))


def spread_of_units(moved: Array, sizes: Array | None = None) -> UnitSpread:
    """The spread of a value from how far each unit moves it, and how large units are.

    A large unit pulls the value towards itself, so that it seems to move it less than it does. So what it moves is
    divided by the root of 1 less its share (CR2) [bell02]. With 8 clusters of 1 to 50 rows, dividing by 1 less the
    share (CR3, the jackknife) hardly ever rejects; without either, tests reject too often.

    Parameters
    ----------
    moved
        How far each unit moves the value.
    sizes
        A line per class that the value rests on (one line if it rests on all rows), with the weight of each unit's
        rows of that class. None: all units are alike.

    Examples
    --------
    >>> spread_of_units(np.array([-0.5, 0.0, 0.5])).variance
    0.75
    >>> even = spread_of_units(np.array([-0.5, 0.0, 0.5]), np.array([[2.0, 2.0, 2.0]]))
    >>> round(even.variance, 6), round(even.df, 6)
    (0.75, 2.0)
    """
    n = len(moved)
    if sizes is not None and n > 1:
        totals = sizes.sum(axis=1, keepdims=True)
        shares = sizes / np.where(totals > 0, totals, 1.0)
        moved = moved * np.sqrt((1 - 1 / n) / (1 - np.minimum(shares.max(axis=0), WHOLE)))
    centred = moved - moved.mean() if n else moved
    squared = centred * centred
    return _spread(n, float(np.sum(squared)), float(squared @ centred), n - 1.0)


def spread_of_sums(units: int, total: float, squares: float, cubes: float, df: float | None = None) -> UnitSpread:
    """The same from the sums of m, m^2 and m^3 over units.

    >>> spread_of_sums(3, 0.0, 0.5, 0.0).variance
    0.75
    """
    mean = total / units if units else nan
    centred = max(squares - total * mean, 0.0)
    third = cubes - 3 * mean * squares + 2 * units * mean * mean * mean
    return _spread(units, centred, third, units - 1.0 if df is None else df)


def _spread(units: int, squares: float, cubes: float, df: float) -> UnitSpread:
    if units < 2:
        return UnitSpread(units=units, variance=nan, df=0.0)
    scale = squares**1.5 if squares < 1e200 else inf  # a power of Python's floats may overflow
    skewness = cubes / scale if scale > 0 else 0.0
    return UnitSpread(units=units, variance=units / (units - 1) * squares, skewness=skewness, df=df)


def hidden_by_weights(moved: Array, weights: Array, rows: Array | float = 1.0) -> float:
    """How much variance rows of unequal weight may not show.

    A few heavy rows make most of the variance, and those of a sample may all happen to move the value little. If heavy
    rows moved it as far as others by unit of weight, u = m / w, the variance would be sum w^2 (sum w u^2 / sum w). How
    much more that is counts by 1 / (1 + (k / 10)^2). k is the number of effective rows, (sum w)^2 / sum w^2, and lower
    where few of them move the value at all.

    Parameters
    ----------
    moved
        How far each row moves the value.
    weights
        What each row weighs; rows of weight 0 are left out.
    rows
        How many rows each line stands for.

    Examples
    --------
    >>> moved, weights = np.array([1.0, -1.0, 0.0]), np.array([1.0, 1.0, 8.0])
    >>> round(hidden_by_weights(moved, weights), 2), hidden_by_weights(moved, np.ones(3))
    (11.19, 0.0)
    """
    mass = rows * weights
    with np.errstate(all="ignore"):  # what overflows counts in full, what underflows not at all
        squares = np.divide(moved, weights, out=np.zeros(len(moved)), where=weights > 0) ** 2
        return hidden_in_sums(
            float(mass.sum()), float(mass @ weights), float(mass @ squares), float(mass @ squares**2),
            float((mass * weights) @ squares),
        )  # fmt: skip


def hidden_in_sums(weight: float, squared: float, second: float, fourth: float, shown: float) -> float:
    """The same from sums over rows: of w, w^2, w u^2, w u^4 and m^2."""
    if not (second > 0 and 0 < fourth < inf):
        return 0.0
    return counted(squared * second / weight - shown, weight / squared * second / fourth * second)


def hidden_by_sizes(moved: Array, sizes: Array, alone: Array) -> float:
    """The same of clusters of unequal size.

    If rows were alike in all clusters, a cluster's m^2 would be a + c (s^2 - a): a if its rows were independent, s^2 if
    they all moved the value together, c their correlation. It is found from clusters weighted by size.

    Parameters
    ----------
    moved
        How far each cluster moves the value.
    sizes
        s, sums of w over each cluster's rows times the root mean square by which a unit of weight moves the value.
    alone
        a, the same with sums of w^2 and the mean square.

    Examples
    --------
    Clusters of two rows that move the value together, and one of eight whose rows do not.

    >>> moved, rows = np.array([2.0, -2.0, 2.0, -2.0, 0.0]), np.array([2.0, 2.0, 2.0, 2.0, 8.0])
    >>> round(hidden_by_sizes(moved, np.sqrt(0.5) * rows, 0.5 * rows), 2)
    23.4
    """
    holds = sizes > 0
    moved, sizes, alone = moved[holds], sizes[holds], alone[holds]
    if not len(sizes) or not np.isfinite(sizes).all() or np.ptp(sizes) == 0:
        return 0.0
    pairs = np.maximum(sizes**2 - alone, 0.0)
    together = 0.0
    if pairs.any():
        found = float(((moved**2 - alone) / sizes).sum() / (pairs / sizes).sum())
        # no less than leaves every cluster half of the variance of independent rows
        together = min(max(found, -1 / float((2 * pairs / alone).max())), 1.0)
    expected = alone + together * pairs
    root, relative = np.sqrt(expected), moved**2 / expected
    fourth = float(root @ relative**2)
    effective = float(root.sum() / expected.sum() * (root @ relative) ** 2) / fourth if fourth > 0 else 0.0
    return counted(float(expected.sum() - moved @ moved), effective)


def sizes_of_clusters(weights: Array, squared: Array, second: Array) -> tuple[Array, Array]:
    """The sizes of clusters and what their rows would move alone, from sums over their rows, a line for each class.

    Sums of w, of w^2, and of w u^2, u how far a unit of a row's weight moves the value; rows of a class are alike.

    >>> sizes_of_clusters(np.array([[1.0, 3.0]]), np.array([[1.0, 5.0]]), np.array([[9.0, 27.0]]))
    (array([3., 9.]), array([ 9., 45.]))
    """
    total = weights.sum(axis=1)
    typical = np.divide(second.sum(axis=1), total, out=np.zeros(len(total)), where=total > 0)
    return np.sqrt(typical) @ weights, typical @ squared


def counted(hidden: float, effective: float) -> float:
    """What of a variance that is not shown counts, with so many effective units."""
    return max(hidden, 0.0) / (1 + (effective / HALF_SHOWN) ** 2)


def skew_adjusted_t(value: float, spread: UnitSpread, level: float) -> Interval:
    """The wider, at each end, of Student's interval and of the one by Hall's transformation of t [hall92].

    With g(t) = t + k t^2 / 3 + k^2 t^3 / 27 + k / 6, k the skewness, g(t) is closer to Student's t than t itself. Where
    units are skewed, Student's interval alone is too short on one side; where they are symmetric with long tails, the
    transformation alone takes chance for skewness. Together they hold.

    >>> [round(end, 3) for end in skew_adjusted_t(1.0, UnitSpread(units=30, variance=0.04, skewness=0.3, df=29), 0.95)]
    [0.591, 1.562]
    """
    error = spread.error
    if not (spread.df > 0 and 0 < error < inf):
        return UNDEFINED
    reach = critical_t(level, spread.df)
    return (
        value - error * max(reach, _untransformed(reach, spread.skewness)),
        value + error * max(reach, -_untransformed(-reach, spread.skewness)),
    )


def skew_adjusted_pvalue(value: float, spread: UnitSpread) -> float:
    """The two-sided p-value of the value being 0: 1 less the lowest level at which `skew_adjusted_t` holds 0.

    >>> p = skew_adjusted_pvalue(0.5, UnitSpread(units=30, variance=0.04, skewness=-0.3, df=29))
    >>> low, _ = skew_adjusted_t(0.5, UnitSpread(units=30, variance=0.04, skewness=-0.3, df=29), 1 - p)
    >>> round(p, 4), abs(low) < 1e-9
    (0.0706, True)
    """
    from scipy.special import stdtr

    error = spread.error
    if not (spread.df > 0 and 0 < error < inf):
        return nan
    t = value / error
    sign = -1.0 if t < 0 else 1.0
    least = min(abs(t), max(sign * _transformed(t, spread.skewness), 0.0))
    return float(2 * stdtr(spread.df, -least))


def _transformed(t: float, skewness: float) -> float:
    """Hall's transformation of t: its skewness is gone."""
    return t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6


def _untransformed(x: float, skewness: float) -> float:
    """The t that Hall's transformation takes to x."""
    if abs(skewness) < FLAT:
        return x
    return 3 / skewness * (cbrt(1 + skewness * (x - skewness / 6)) - 1)
