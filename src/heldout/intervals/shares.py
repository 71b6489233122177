"""Intervals for a share: `successes` of `trials` independent rows.

All have one signature. Both counts may be fractional (weighted or clustered rows count as fewer than they are); the
binomial tails are then read as the incomplete beta functions they are for whole counts. Without trials every share is
possible: (0, 1). In these formulas x is successes, n is trials, p = x / n and z the normal quantile of the level.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import wraps
from math import ceil, exp, expm1, inf, isnan, log1p, nan, sqrt
from typing import Protocol

import numpy as np

from heldout.batch import Array
from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.scales import critical_t, critical_z, edge, on_logit


def mover(coefficients: Array, values: Array, lows: Array, highs: Array) -> Interval:
    """For v = sum(c v_k): v - sqrt(sum((c v_k - its low)^2)) and v + sqrt(sum((its high - c v_k)^2)) [zou08].

    The low of a part c v_k is the smaller of c low and c high, its high the larger. This gives balanced accuracy
    (coefficients 1 / K) and differences of independent shares (1 and -1).

    >>> [round(end, 3) for end in mover([1, -1], [0.8, 0.6], [0.692, 0.490], [0.877, 0.700])]
    [0.053, 0.334]
    """
    c, v = np.asarray(coefficients, float), np.asarray(values, float)
    ends = np.stack([c * np.asarray(lows, float), c * np.asarray(highs, float)])
    total = float(np.sum(c * v))
    below = float(np.sqrt(np.sum((c * v - ends.min(axis=0)) ** 2)))
    above = float(np.sqrt(np.sum((ends.max(axis=0) - c * v) ** 2)))
    return total - below, total + above


EQUAL = 1e-12
"""Part of a number of rows that may be rounding."""
ROUNDING = 1e-24
"""A variance below this (a standard error of 1e-12) is what rounding left of zero."""


def effective_trials(value: float, variance: float) -> float:
    """How many independent rows would give a share this variance: v (1 - v) / variance; nan for 0 / 0.

    >>> effective_trials(0.5, 0.0025)
    100.0
    """
    spread = value * (1 - value)
    if variance == 0:
        return inf if spread > 0 else nan
    return spread / variance


def effective_wilson(value: float, variance: float, level: float, *, at_edge: float) -> Interval:
    """Wilson's interval with n = v (1 - v) / variance; n = at_edge where the variance vanishes or v is 0 or 1.

    `at_edge` is the number of units the metric rests on, for example those of the smaller class.

    >>> [round(end, 3) for end in effective_wilson(0.5, 0.0025, 0.95, at_edge=40)]
    [0.404, 0.596]
    >>> [round(end, 3) for end in effective_wilson(1.0, 0.0, 0.95, at_edge=40)]
    [0.912, 1.0]
    """
    if isnan(value):
        return UNDEFINED
    share = min(max(value, 0.0), 1.0)
    known = variance > ROUNDING and 0 < share < 1  # false for nan too
    trials = effective_trials(share, variance) if known else at_edge
    return wilson(share * trials, trials, level)


def clustered_trials(share: float, trials: float, variance: float, units: float, level: float) -> float:
    """Independent rows that rows in units are worth: n / (deff (t / z)^2), t with units - 1 degrees of freedom.

    deff = max(1, variance / (p (1 - p) / n)), with the variance of the share over units; at p = 0 and 1, where that is
    0 / 0, deff = n / units. The ratio of quantiles pays for a variance known from few units; one unit is worth nothing.

    >>> round(clustered_trials(0.8, 400, 0.0016, 20, 0.95), 1)
    87.7
    """
    t = critical_t(level, units - 1)
    ratio = critical_z(level) / t if t > 0 else 1.0  # a level so low that both quantiles are 0
    if not 0 < share < 1 or isnan(variance):
        return min(trials, units) * ratio**2
    return weighted_trials(share, trials, variance) * ratio**2


def weighted_trials(share: float, trials: float, variance: float) -> float:
    """Independent rows of equal weight that a share is worth by its linearised variance: p (1 - p) / variance.

    `trials` is Kish's number, (sum w)^2 / sum w^2. It is right where weights have nothing to do with being right, and
    too large where they follow difficulty: with weight 9 on the hardest fiftieth of the rows its interval is too narrow
    at every n. It is kept as the most that rows are worth, because the variance is badly known from few errors
    [korn98].

    >>> [round(weighted_trials(*facts)) for facts in ((0.8, 400, 0.0016), (0.8, 400, 0.0001), (1.0, 400, 0.0))]
    [100, 400, 400]
    """
    if not (0 < share < 1 and variance > 0):
        return trials
    worth = share * (1 - share) / variance
    return float(np.where(worth < trials * (1 - EQUAL), worth, trials))  # equal weights miss Kish's number by rounding


class ShareInterval(Protocol):
    """An interval for a share."""

    def __call__(self, successes: float, trials: float, confidence_level: float = 0.95) -> Interval: ...


Tail = Callable[[int, float], float]


def _answered(formula: ShareInterval) -> ShareInterval:
    """The formula where there are trials; before that every share is possible."""

    @wraps(formula)
    def interval(successes: float, trials: float, confidence_level: float = 0.95) -> Interval:
        if trials == 0:
            return 0.0, 1.0
        if isnan(successes) or isnan(trials):
            return UNDEFINED
        # Weighted counts can miss the ends by a rounding error.
        low, high = formula(min(max(float(successes), 0.0), float(trials)), float(trials), confidence_level)
        return float(low), float(high)

    return interval


@_answered
def wilson(successes: float, trials: float, confidence_level: float = 0.95) -> Interval:
    """Wilson's score interval for a share.

    It contains all shares t with (p - t)^2 <= z^2 t (1 - t) / n. It is the default for shares: its coverage is near
    its level on average, also near 0 and 1; at single shares near the ends it can be 10 points lower.

    Parameters
    ----------
    successes : float
        Number of successes, from 0 to `trials`. It may be fractional, as for weighted rows.
    trials : float
        Number of independent rows. It may be fractional.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    (float, float)
        Low and high end; (0, 1) where there are no trials, (nan, nan) where a count is nan.

    References
    ----------
    E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference. Journal of the
    American Statistical Association 22(158), 209–212. [wilson27]

    Examples
    --------
    >>> [round(end, 4) for end in wilson(12, 40, 0.95)]
    [0.1807, 0.4543]
    """
    z = critical_z(confidence_level)
    return _score_low(successes, trials, z), _score_high(successes, trials, z)


def _score_low(x: float, n: float, z: float) -> float:
    """The smaller root of (n + z^2) t^2 - (2 x + z^2) t + x^2 / n, written so that small shares keep their digits."""
    return x * (x / n) / (x + z**2 / 2 + z * sqrt(x * (n - x) / n + z**2 / 4))


def _score_high(x: float, n: float, z: float) -> float:
    """The larger root, exactly 1 where every row is a success."""
    return (x + z**2 / 2 + z * sqrt(x * (n - x) / n + z**2 / 4)) / (n + z**2) if x < n else 1.0


@_answered
def wilson_cc(successes: float, trials: float, confidence_level: float = 0.95) -> Interval:
    """Score interval, continuity corrected: Wilson's ends at x - c and x + c, c = min(1/2, |x - n/2|) [newcombe98].

    The correction is the one of R's `prop.test`, which never carries a count past the middle; an end is 0 or 1 where
    the corrected count leaves the range.

    >>> [round(end, 4) for end in wilson_cc(12, 40, 0.95)]
    [0.1709, 0.4671]
    """
    z = critical_z(confidence_level)
    step = min(0.5, abs(successes - trials / 2))
    fewer, more = max(successes - step, 0.0), min(successes + step, trials)
    return _score_low(fewer, trials, z), _score_high(more, trials, z)


@_answered
def clopper_pearson(successes: float, trials: float, confidence_level: float = 0.95) -> Interval:
    """Clopper and Pearson's exact interval for a share.

    It contains the shares for which neither P(X >= x) nor P(X <= x) is below (1 - confidence_level) / 2. Its coverage
    is at least its level at every share, and mostly more.

    Parameters
    ----------
    successes : float
        Number of successes, from 0 to `trials`. It may be fractional, as for weighted rows.
    trials : float
        Number of independent rows. It may be fractional.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    (float, float)
        Low and high end; (0, 1) where there are no trials, (nan, nan) where a count is nan.

    References
    ----------
    C. J. Clopper, E. S. Pearson (1934). The use of confidence or fiducial limits illustrated in the case of the
    binomial. Biometrika 26(4), 404–413. [clopper34]

    Examples
    --------
    >>> [round(end, 4) for end in clopper_pearson(0, 20, 0.95)]
    [0.0, 0.1684]
    """
    from scipy.special import betainccinv, betaincinv

    tail, failures = (1 - confidence_level) / 2, trials - successes
    low = betaincinv(successes, failures + 1, tail) if successes > 0 else 0.0
    high = betainccinv(successes + 1, failures, tail) if failures > 0 else 1.0
    return low, high


@_answered
def midp(successes: float, trials: float, confidence_level: float = 0.95) -> Interval:
    """Central mid-p interval: as Clopper-Pearson, but the count seen adds half its probability to a tail [lancaster61].

    >>> [round(end, 4) for end in midp(12, 40, 0.95)]
    [0.1738, 0.4542]
    """
    x, n, both = successes, trials, 1 - confidence_level
    low, high = clopper_pearson(x, n, confidence_level)
    return (
        edge(lambda p: _at_least(x, n, p) + _at_least(x + 1, n, p) >= both, low, x / n),
        edge(lambda p: _at_most(x, n, p) + _at_most(x - 1, n, p) >= both, high, x / n),
    )


@_answered
def blaker(successes: float, trials: float, confidence_level: float = 0.95) -> Interval:
    """Blaker's exact interval for a share.

    It is made from one tail plus the largest opposite tail that is no larger. It lies within Clopper and Pearson's
    interval, and its coverage is still at least its level. The shares it accepts can have gaps; the interval runs from
    the first to the last of them.

    Parameters
    ----------
    successes : float
        Number of successes, from 0 to `trials`. It may be fractional, as for weighted rows.
    trials : float
        Number of independent rows. It may be fractional.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    (float, float)
        Low and high end; (0, 1) where there are no trials, (nan, nan) where a count is nan.

    References
    ----------
    H. Blaker (2000). Confidence curves and improved exact confidence intervals for discrete distributions. Canadian
    Journal of Statistics 28(4), 783–798. [blaker00]

    Examples
    --------
    >>> [round(end, 4) for end in blaker(12, 40, 0.95)]
    [0.1672, 0.4616]
    """
    x, n = successes, trials
    low, high = clopper_pearson(x, n, confidence_level)

    def above(more: int, share: float) -> float:
        return _at_least(x + more, n, share)

    def below(less: int, share: float) -> float:
        return _at_most(x - less, n, share)

    def end(near: Tail, far: Tail, outside: float) -> float:
        return edge(_accepted(near, far, outside, 1 - confidence_level, ceil(n)), outside, x / n)

    return end(above, below, low), end(below, above, high)


def _accepted(near: Tail, far: Tail, outside: float, both: float, counts: int) -> Callable[[float], bool]:
    """Whether the near tail at a share, plus the largest opposite tail that is no larger, reach `both`.

    Going inwards from `outside` (Clopper-Pearson's end) the near tail grows and the opposite one shrinks, until the
    next count joins it: at the share where this larger tail equals the near one. There the sum is twice the near tail,
    hence enough. Up to there the sum falls before it rises, so that it reaches `both` once; what lies further inwards
    does not matter for the end.
    """
    joined = bisect_left(range(1, counts + 1), True, key=lambda count: far(count, outside) <= both / 2) + 1
    return lambda share: far(joined - 1, share) <= near(0, share) or near(0, share) + far(joined, share) >= both


@_answered
def likelihood_ratio(successes: float, trials: float, confidence_level: float = 0.95) -> Interval:
    """Shares t whose deviance 2 [x ln(p / t) + (n - x) ln((1 - p) / (1 - t))] is at most z^2 [wilks38].

    >>> [round(end, 4) for end in likelihood_ratio(12, 40, 0.95)]
    [0.1735, 0.4514]
    """
    x, n, most = successes, trials, critical_z(confidence_level) ** 2 / 2
    if x == 0:
        return 0.0, -expm1(-most / n)
    if x == n:
        return exp(-most / n), 1.0
    share = x / n

    def inside(t: float) -> bool:
        # Relative changes, because the logarithms of the shares themselves would cancel in large samples.
        rise, fall = (t - share) / share, (share - t) / (1 - share)
        return min(rise, fall) > -1 and x * log1p(rise) + (n - x) * log1p(fall) >= -most

    return edge(inside, 0.0, share), edge(inside, 1.0, share)


@_answered
def logit(successes: float, trials: float, confidence_level: float = 0.95) -> Interval:
    """Normal interval on the log odds: ln(p / (1 - p)) -+ z / sqrt(n p (1 - p)); at p = 0 and 1 Clopper-Pearson.

    >>> [round(end, 4) for end in logit(12, 40, 0.95)]
    [0.1789, 0.4573]
    """
    if successes <= 0 or successes >= trials:
        return clopper_pearson(successes, trials, confidence_level)
    share = successes / trials
    return on_logit(share, sqrt(share * (1 - share) / trials), confidence_level)


@_answered
def jeffreys(successes: float, trials: float, confidence_level: float = 0.95) -> Interval:
    """Jeffreys' interval for a share.

    Its ends are the equal-tailed quantiles of Beta(x + 1/2, n - x + 1/2); the low end is 0 at x = 0, the high end 1 at
    x = n.

    Parameters
    ----------
    successes : float
        Number of successes, from 0 to `trials`. It may be fractional, as for weighted rows.
    trials : float
        Number of independent rows. It may be fractional.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    (float, float)
        Low and high end; (0, 1) where there are no trials, (nan, nan) where a count is nan.

    References
    ----------
    L. D. Brown, T. T. Cai, A. DasGupta (2001). Interval estimation for a binomial proportion. Statistical Science
    16(2), 101–133. [brown01]

    Examples
    --------
    >>> [round(end, 4) for end in jeffreys(0, 20, 0.95)]
    [0.0, 0.1166]
    """
    from scipy.special import betainccinv, betaincinv

    a, b, tail = successes + 0.5, trials - successes + 0.5, (1 - confidence_level) / 2
    share = successes / trials  # held always, which at 0 and 1 is the rule for the ends
    return min(betaincinv(a, b, tail), share), max(betainccinv(a, b, tail), share)


@_answered
def agresti_coull(successes: float, trials: float, confidence_level: float = 0.95) -> Interval:
    """Agresti and Coull's interval for a share.

    It is the normal interval after z^2 / 2 successes and as many failures were added. It can leave [0, 1].

    Parameters
    ----------
    successes : float
        Number of successes, from 0 to `trials`. It may be fractional, as for weighted rows.
    trials : float
        Number of independent rows. It may be fractional.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    (float, float)
        Low and high end; (0, 1) where there are no trials, (nan, nan) where a count is nan.

    References
    ----------
    A. Agresti, B. A. Coull (1998). Approximate is better than "exact" for interval estimation of binomial
    proportions. The American Statistician 52(2), 119–126. [agresti98]

    Examples
    --------
    >>> [round(end, 4) for end in agresti_coull(12, 40, 0.95)]
    [0.1797, 0.4553]
    """
    z = critical_z(confidence_level)
    return normal(successes + z**2 / 2, trials + z**2, confidence_level)


@_answered
def normal(successes: float, trials: float, confidence_level: float = 0.95) -> Interval:
    """Wald's normal interval for a share; do not use it for small samples.

    It is p -+ z sqrt(p (1 - p) / n). It is a single point at 0 and 1, it can leave [0, 1], and its coverage is below
    its level. `wilson` is better.

    Parameters
    ----------
    successes : float
        Number of successes, from 0 to `trials`. It may be fractional, as for weighted rows.
    trials : float
        Number of independent rows. It may be fractional.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    (float, float)
        Low and high end; (0, 1) where there are no trials, (nan, nan) where a count is nan.

    References
    ----------
    L. D. Brown, T. T. Cai, A. DasGupta (2001). Interval estimation for a binomial proportion. Statistical Science
    16(2), 101–133. [brown01]

    Examples
    --------
    >>> [round(end, 3) for end in normal(12, 40, 0.95)]
    [0.158, 0.442]
    """
    share = successes / trials
    reach = critical_z(confidence_level) * sqrt(max(share * (1 - share), 0.0) / trials)
    return share - reach, share + reach


def _at_least(count: float, trials: float, share: float) -> float:
    """P(X >= count) of a binomial count."""
    from scipy.special import betainc

    if count <= 0:
        return 1.0
    return float(betainc(count, trials - count + 1, share)) if count < trials + 1 else 0.0


def _at_most(count: float, trials: float, share: float) -> float:
    """P(X <= count) of a binomial count."""
    from scipy.special import betaincc

    if count >= trials:
        return 1.0
    return float(betaincc(count + 1, trials - count, share)) if count > -1 else 0.0


SHARES: dict[str, ShareInterval] = {
    "wilson": wilson,
    "wilson_cc": wilson_cc,
    "clopper_pearson": clopper_pearson,
    "midp": midp,
    "blaker": blaker,
    "likelihood_ratio": likelihood_ratio,
    "logit": logit,
    "jeffreys": jeffreys,
    "agresti_coull": agresti_coull,
    "normal": normal,
}
"""Every interval for a share, by the name `method=` takes."""

ALIASES: dict[str, str] = {
    "score": "wilson",
    "exact": "clopper_pearson",
    "beta": "clopper_pearson",
    "mid_p": "midp",
    "lrt": "likelihood_ratio",
    "wald": "normal",
    "asymptotic": "normal",
}
"""Names other tools give to the same intervals."""
