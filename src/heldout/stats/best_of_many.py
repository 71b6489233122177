"""Many differences at once, from the joint influence of the units on them; and the best of many models.

`influence` has a line per unit and a column per value: how far the unit moves the value, so that a value's variance is
n / (n - 1) times the sum of its centred squares. In its place stands what it adds up to (`Joint`) where there are too
many units to keep. Values are jointly normal in the limit; draws are from the multivariate t with n - 1 degrees of
freedom, which is exact for means of normal units and safer for few of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout.batch import Array
from heldout.intervals.resampling import percentile
from heldout.intervals.scales import critical_t
from heldout.intervals.simultaneous import NUMBERS_AT_ONCE

ROUNDING = 1e-12
"""A standard error below this part of the largest influence is what rounding left of zero."""


SQUARED_ROUNDING = 1e-13
"""The same of a variance that is the difference of two sums."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """How far chance moves several values together."""

    units: int
    covariance: Array
    errors: Array
    """The standard error of each value; 0 where nothing but rounding moves it."""
    between: Array
    """The standard error of each value less each other; 0 where nothing but rounding moves the difference."""

    def against(self, base: int) -> Joint:
        """The differences of all other values from one of them."""
        others = np.flatnonzero(np.arange(len(self.errors)) != base)
        turn = np.eye(len(self.errors))[others]
        turn[:, base] = -1.0
        return Joint(
            units=self.units,
            covariance=turn @ self.covariance @ turn.T,
            errors=self.between[others, base],
            between=self.between[np.ix_(others, others)],
        )


def on_few_units(joint: Joint, df: float, seen: float) -> Joint:
    """The same where few units carry the values: fewer degrees of freedom, and a variance of which a share is seen."""
    raised = 1 / np.sqrt(seen)
    return Joint(
        units=max(round(df), 1) + 1,
        covariance=joint.covariance / seen,
        errors=joint.errors * raised,
        between=joint.between * raised,
    )


def joint_of(influence: Array) -> Joint:
    """What the influence of all units on several values adds up to."""
    units, count = influence.shape
    centred = influence - influence.mean(axis=0)
    largest = np.abs(influence).max(axis=0)
    pairs = [_errors(influence - influence[:, [j]], np.maximum(largest, largest[j])) for j in range(count)]
    return Joint(
        units=units,
        covariance=units / max(units - 1, 1) * (centred.T @ centred),
        errors=_errors(influence, largest),
        between=np.array(pairs).reshape(count, count),
    )


def joint_of_sums(units: int, total: Array, products: Array) -> Joint:
    """The same from the sums of how far units move the values, and of the products of these.

    >>> moved = np.array([[-0.2, 0.1], [0.1, 0.1], [0.1, -0.2]])
    >>> summed = joint_of_sums(3, moved.sum(axis=0), moved.T @ moved)
    >>> np.allclose(summed.between, joint_of(moved).between)
    True
    """
    covariance = units / max(units - 1, 1) * (products - np.outer(total, total) / units)
    own = np.diag(covariance)
    apart = own[:, None] + own[None, :] - 2 * covariance
    apart = np.where(apart > SQUARED_ROUNDING * (own[:, None] + own[None, :]), apart, 0.0)
    return Joint(units=units, covariance=covariance, errors=np.sqrt(np.maximum(own, 0.0)), between=np.sqrt(apart))


@dataclass(frozen=True, slots=True, kw_only=True)
class Simultaneous:
    """Intervals that all hold together at the level, and p-values adjusted for their number."""

    values: Array
    lows: Array
    highs: Array
    pvalue: Array
    critical: float
    """Standard errors that every interval reaches to either side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BestSet:
    """Models that cannot be told from the best."""

    best: int
    """Position of the best value seen."""
    members: Array
    """Which models are in the set; it holds the truly best one with the chance that was asked."""
    pvalue: Array
    """Of each model being the best: it is in the set where this is at least 1 - level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Winner:
    """The best of k values, and what picking it has added."""

    best: int
    value: float
    optimism: float
    """How far the winner's value is expected above its own truth, were the values seen the true ones."""
    largest: float
    """The same, were all models equally good: the most it can be."""
    plain: float
    """End of the interval that forgets the choice, on the cautious side."""
    bound: float
    """The same end, valid whichever model is picked."""


def max_t(influence: Array | Joint, values: Array, level: float, *, draws: int, seed: int | None) -> Simultaneous:
    """v_j -+ c error_j, c the level-quantile of max_j |T_j|, and p_j = P(max |T| >= |v_j| / error_j) [westfall93].

    A value that no unit moves is a point with p = 1 at zero, and unknown (nan) elsewhere.

    >>> rng = np.random.default_rng(1)
    >>> losses = rng.normal([0.0, 0.0, 0.5], 1, size=(200, 3))
    >>> found = max_t((losses - losses.mean(axis=0)) / 200, losses.mean(axis=0), 0.95, draws=2000, seed=0)
    >>> 2.3 < found.critical < 2.5, (found.pvalue < 0.05).tolist()
    (True, [False, False, True])
    """
    joint = _summed(influence)
    given, errors, df = np.asarray(values, float), joint.errors, joint.units - 1
    moved = errors > 0
    covariance = joint.covariance[np.ix_(moved, moved)]
    farthest = np.abs(_drawn(covariance, joint.units, draws, seed) / errors[moved]).max(axis=1, initial=0.0)
    critical = critical_t(level, df)
    if moved.any():
        critical = max(critical, percentile(farthest, 2 * level - 1)[1])
    still = np.where(given == 0, 0.0, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = np.where(moved, np.abs(given) / errors, np.nan)
    reach = np.where(moved, critical * errors, still)
    p = np.where(moved, np.maximum(_beyond(farthest, apart), _alone(apart, df)), np.where(given == 0, 1.0, np.nan))
    return Simultaneous(values=given, lows=given - reach, highs=given + reach, pvalue=p, critical=critical)


def best_set(
    influence: Array | Joint, values: Array, level: float, *, higher: bool = True, draws: int, seed: int | None
) -> BestSet:
    """All models j with max_l (v_l - v_j) / error_lj <= the level-quantile of its own joint draws [mogstad24].

    The test of "j is the best" is one-sided and made for each j alone, so the set holds the best one with chance level.

    >>> rng = np.random.default_rng(1)
    >>> right = rng.random((400, 3)) < [0.9, 0.89, 0.7]
    >>> found = best_set((right - right.mean(axis=0)) / 400, right.mean(axis=0), 0.95, draws=2000, seed=0)
    >>> found.members.tolist()
    [True, True, False]
    """
    sign = 1.0 if higher else -1.0
    given, joint = sign * np.asarray(values, float), _summed(influence)
    drawn = _drawn(joint.covariance, joint.units, draws, seed)
    p = np.array([_as_the_best(j, given, joint.between[:, j], drawn) for j in range(len(given))])
    best = int(np.nanargmax(given))
    return BestSet(best=best, members=p >= 1 - level, pvalue=p)


def _as_the_best(j: int, given: Array, errors: Array, drawn: Array) -> float:
    """P-value of model j being the best: how often the draws put another as far ahead of it as was seen."""
    ahead = given - given[j]
    moved = errors > 0
    if np.any(ahead[~moved] > 0):  # another model is ahead on every single unit alike
        return 0.0
    if not moved.any():
        return 1.0
    seen = float(np.max(ahead[moved] / errors[moved]))
    largest = ((drawn[:, moved] - drawn[:, [j]]) / errors[moved]).max(axis=1)
    return float(_beyond(largest, np.array([seen]))[0])


def winner(
    influence: Array | Joint, values: Array, level: float, *, higher: bool = True, draws: int, seed: int | None
) -> Winner:
    """The best value v_J, its optimism E[Z_J*] with J* the best of v + Z, and the bound v_J - q.

    q is the (1 + level) / 2 quantile of max_j Z_j over the models not told from the best at a tenth of 1 - level,
    so the bound is the cautious end of a two-sided interval. Z is not divided by its error: the share that
    is picked is high, its own error is therefore low, and a bound by it does not hold.

    >>> rng = np.random.default_rng(1)
    >>> right = rng.random((200, 20)) < 0.8
    >>> found = winner((right - right.mean(axis=0)) / 200, right.mean(axis=0), 0.95, draws=2000, seed=0)
    >>> 0.04 < found.largest < 0.06, found.bound < found.plain < found.value
    (True, True)
    """
    sign = 1.0 if higher else -1.0
    given, joint = sign * np.asarray(values, float), _summed(influence)
    drawn, best = _drawn(joint.covariance, joint.units, draws, seed), int(np.nanargmax(given))
    picked = np.argmax(given + drawn, axis=1)
    chances = np.array([_as_the_best(j, given, joint.between[:, j], drawn) for j in range(len(given))])
    contending = drawn[:, chances >= (1 - level) / 10]
    plain = critical_t(level, joint.units - 1) * float(joint.errors[best])
    reach = max(plain, percentile(contending.max(axis=1), level)[1])
    return Winner(
        best=best, value=sign * float(given[best]),
        optimism=float(drawn[np.arange(len(drawn)), picked].mean()), largest=float(drawn.max(axis=1).mean()),
        plain=sign * (float(given[best]) - plain), bound=sign * (float(given[best]) - reach),
    )  # fmt: skip


def _errors(influence: Array, largest: Array) -> Array:
    """Standard error of each value, 0 where only rounding of numbers as large as these moves it."""
    units = len(influence)
    centred = influence - influence.mean(axis=0)
    errors = np.sqrt(units / max(units - 1, 1) * np.sum(centred**2, axis=0))
    return np.where(errors > ROUNDING * largest, errors, 0.0)


def _summed(influence: Array | Joint) -> Joint:
    return influence if isinstance(influence, Joint) else joint_of(np.asarray(influence, float))


def _drawn(covariance: Array, units: int, draws: int, seed: int | None) -> Array:
    """Joint draws of what chance adds to the values, a line per resample: multivariate t with their covariance."""
    rng = np.random.default_rng(seed)
    count = len(covariance)
    if count == 0 or units < 2:
        return np.zeros((draws, count))
    sizes, directions = np.linalg.eigh(covariance)
    root = (directions * np.sqrt(np.maximum(sizes, 0.0))) @ directions.T  # symmetric: no sign is left to rounding
    chunk = max(1, NUMBERS_AT_ONCE // count)
    normal = [rng.standard_normal((min(chunk, draws - done), count)) @ root.T for done in range(0, draws, chunk)]
    wider = np.sqrt(rng.chisquare(units - 1, size=(draws, 1)) / (units - 1))
    drawn: Array = np.concatenate(normal) / wider
    return drawn


def _beyond(drawn: Array, seen: Array) -> Array:
    """(1 + how many samples are at least as large) / (draws + 1), of each number seen."""
    ordered = np.sort(drawn)
    return (1 + len(ordered) - np.searchsorted(ordered, seen * (1 - ROUNDING))) / (len(ordered) + 1)


def _alone(statistics: Array, df: float) -> Array:
    """Two-sided p-values of Student's t, each for itself: what no adjusted one can be below."""
    from scipy.special import stdtr

    return np.asarray(2 * stdtr(max(df, 1), -np.abs(statistics)))
