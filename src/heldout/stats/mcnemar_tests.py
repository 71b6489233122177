"""Two models on the same rows, each right or wrong.

Of n rows, b are right by the first model only and c by the second only; the difference of the two shares of right rows
is (b - c) / n. The other rows say nothing about its sign. Counts may be fractional, as in `heldout.intervals.shares`.
"""

from __future__ import annotations

from math import erfc, isnan, sqrt
from typing import Literal

from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.critical_values import critical_z, edge
from heldout.intervals.shares import wilson

Method = Literal["midp", "exact", "asymptotic", "corrected"]


def mcnemar(b: float, c: float, *, method: Method = "midp") -> float:
    """Two-sided p-value of b and c being equally likely; 1 where the models never disagree [mcnemar47].

    With k = min(b, c) and X binomial(b + c, 1/2): "exact" is 2 P(X <= k), "midp" P(X <= k) + P(X < k) [fagerland13],
    "asymptotic" the chi-square tail of (b - c)^2 / (b + c), "corrected" that of (|b - c| - 1)^2 / (b + c) [edwards48].

    >>> round(mcnemar(25, 15), 6), round(mcnemar(25, 15, method="exact"), 6)
    (0.117275, 0.15386)
    >>> mcnemar(0, 0)
    1.0
    """
    total, fewer = b + c, min(b, c)
    if isnan(total):
        return float("nan")
    if total == 0:
        return 1.0
    if method in ("asymptotic", "corrected"):
        apart = abs(b - c) - (1 if method == "corrected" else 0)
        # The tail of chi-square with one degree of freedom beyond x^2 is the normal's beyond |x|, twice.
        return erfc(max(apart, 0.0) / sqrt(2 * total))
    up_to, below = _up_to(fewer, total), _up_to(fewer - 1, total)
    return float(min(1.0, 2 * up_to if method == "exact" else up_to + below))


def _up_to(count: float, trials: float) -> float:
    """P(X <= count) for a fair coin, as the incomplete beta function it is."""
    from scipy.special import betainc

    return float(betainc(trials - count, count + 1, 0.5)) if count > -1 else 0.0


def fewest_discordant(method: Method, alpha: float) -> int:
    """The fewest rows on which the models must disagree before any outcome can reject: least m, p(m, 0) <= alpha.

    >>> fewest_discordant("midp", 0.05), fewest_discordant("exact", 0.05)
    (5, 6)
    """
    count = 1
    while mcnemar(count, 0, method=method) > alpha:
        count += 1
    return count


def tango(b: float, c: float, n: float, level: float) -> Interval:
    """Score interval for (b - c) / n: all D with |b - c - n D| <= z sqrt(n (2 q + D (1 - D))) [tango98].

    q is the likeliest share of c-rows given D, (sqrt(B^2 - 4 A C) - B) / (2 A) with A = 2 n,
    B = (2 n - b + c) D - b - c and C = -c D (1 - D). It is informative even where the models never disagree.

    >>> [round(end, 4) for end in tango(12, 2, 50, 0.95)]
    [0.0611, 0.3447]
    >>> [round(end, 4) for end in tango(0, 0, 54, 0.95)]
    [-0.0664, 0.0664]
    """
    if n == 0:
        return -1.0, 1.0
    if isnan(b + c + n):
        return UNDEFINED
    z, value = critical_z(level), (b - c) / n

    def accepted(difference: float) -> bool:
        apart = b - c - n * difference
        return apart**2 <= z**2 * n * _score_variance(b, c, n, difference)

    return edge(accepted, -1.0, value), edge(accepted, 1.0, value)


def _score_variance(b: float, c: float, n: float, difference: float) -> float:
    """2 q + D (1 - D), the variance of one row's difference at its likeliest value given D."""
    linear = (2 * n - b + c) * difference - b - c
    constant = -c * difference * (1 - difference)
    share = (sqrt(max(linear**2 - 8 * n * constant, 0.0)) - linear) / (4 * n)
    return max(2 * share + difference * (1 - difference), 0.0)


def newcombe_paired(a: float, b: float, c: float, d: float, level: float, *, corrected: bool = True) -> Interval:
    """Wilson's limits of both shares, joined with their correlation: Newcombe's method 10 [newcombe98c].

    a rows are right by both, d by neither. With p1 = (a + b) / n, p2 = (a + c) / n and their Wilson limits l, u:
    low = p1 - p2 - sqrt((p1 - l1)^2 - 2 phi (p1 - l1) (u2 - p2) + (u2 - p2)^2), high likewise from u1 and l2.
    phi is the correlation, continuity corrected where positive, unless corrected=False.

    >>> [round(end, 4) for end in newcombe_paired(36, 12, 2, 0, 0.95)]
    [0.0569, 0.3404]
    """
    n = a + b + c + d
    if n == 0:
        return -1.0, 1.0
    first, second = (a + b) / n, (a + c) / n
    (low1, high1), (low2, high2) = wilson(a + b, n, level), wilson(a + c, n, level)
    phi = _phi(a, b, c, d, corrected=corrected)

    def reach(one: float, other: float) -> float:
        return sqrt(max(one**2 - 2 * phi * one * other + other**2, 0.0))

    value = first - second
    return value - reach(first - low1, high2 - second), value + reach(high1 - first, second - low2)


def _phi(a: float, b: float, c: float, d: float, *, corrected: bool) -> float:
    """The correlation of the two models' rows; corrected, a positive ad - bc gives up n / 2, and at most all of it."""
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return 0.0
    product = a * d - b * c
    if product > 0 and corrected:
        product = max(product - (a + b + c + d) / 2, 0.0)
    return product / sqrt(margins)


def agresti_min(b: float, c: float, n: float, level: float) -> Interval:
    """Wald's interval after half a row was added to each of the four cells: b + 1/2, c + 1/2, n + 2 [agresti05].

    >>> [round(end, 4) for end in agresti_min(12, 2, 50, 0.95)]
    [0.056, 0.3286]
    """
    b, c, n = b + 0.5, c + 0.5, n + 2
    value = (b - c) / n
    reach = critical_z(level) * sqrt(max(b + c - (b - c) ** 2 / n, 0.0)) / n
    return max(value - reach, -1.0), min(value + reach, 1.0)
