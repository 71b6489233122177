"""Two models on the same rows, each right or wrong.

Of n rows, b are right by the first model only and c by the second only; the difference of the two shares of right rows
is (b - c) / n. The other rows say nothing about its sign. Counts may be fractional, as in `heldout.intervals.shares`.
"""

from __future__ import annotations

from math import erfc, isnan, nan, sqrt
from typing import Literal

from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.scales import critical_z, edge
from heldout.intervals.shares import wilson

PrecisionCounts = tuple[float, float]
"""True positives and predicted positives, of a model or of the rows that both models predict positive."""


def kosinski(first: PrecisionCounts, second: PrecisionCounts, both: PrecisionCounts) -> float:
    """Kosinski's test that two models have the same precision on the same rows.

    The weighted generalized score z^2 = (p1 - p2)^2 / ((p (1 - p) - 2 c) (1/n1 + 1/n2)), where p is the share in both
    samples together and c = (x (1 - p)^2 + (n - x) p^2) / (n1 + n2) over the n rows that both models predict positive,
    x of them rightly. Without such rows it is the pooled z of two independent shares. For negative predictive values,
    give the counts of the negative class.

    Parameters
    ----------
    first, second : (float, float)
        True positives and predicted positives of each model.
    both : (float, float)
        The same two counts over the rows that both models predict positive.

    Returns
    -------
    float
        Two-sided p-value; 1 where the models predict the same rows positive, nan where one of them predicts none.

    References
    ----------
    A. S. Kosinski (2013). A weighted generalized score statistic for comparison of predictive values of diagnostic
    tests. Statistics in Medicine 32(6), 964–977. [kosinski13]

    Examples
    --------
    >>> round(kosinski((65, 68), (66, 84), (64, 66)), 6)
    0.000305
    """
    (x1, n1), (x2, n2), (x, n) = first, second, both
    if n1 == 0 or n2 == 0:
        return nan
    apart, share = x1 / n1 - x2 / n2, (x1 + x2) / (n1 + n2)
    shared = (x * (1 - share) ** 2 + (n - x) * share**2) / (n1 + n2)
    variance = (share * (1 - share) - 2 * shared) * (1 / n1 + 1 / n2)
    return erfc(abs(apart) / sqrt(2 * variance)) if variance > 1e-15 else 1.0


Method = Literal["midp", "exact", "asymptotic", "corrected"]


def mcnemar(b: float, c: float, *, method: Method = "midp") -> float:
    """McNemar's test that two models get equally many of the same rows right.

    Parameters
    ----------
    b : float
        Number of rows that only the first model gets right.
    c : float
        Number of rows that only the second model gets right.
    method : {"midp", "exact", "asymptotic", "corrected"}, default "midp"
        With k = min(b, c) and X binomial(b + c, 1/2): "exact" is 2 P(X <= k), "midp" is P(X <= k) + P(X < k),
        "asymptotic" the chi-square tail of (b - c)^2 / (b + c), "corrected" that of (|b - c| - 1)^2 / (b + c).

    Returns
    -------
    float
        Two-sided p-value; 1 where the models never disagree, nan where a count is nan.

    References
    ----------
    Q. McNemar (1947). Note on the sampling error of the difference between correlated proportions or percentages.
    Psychometrika 12(2), 153–157. [mcnemar47]

    M. W. Fagerland, S. Lydersen, P. Laake (2013). The McNemar test for binary matched-pairs data: mid-p and
    asymptotic are better than exact conditional. BMC Medical Research Methodology 13, 91. [fagerland13]

    A. L. Edwards (1948). Note on the "correction for continuity" in testing the significance of the difference
    between correlated proportions. Psychometrika 13(3), 185–187. [edwards48]

    Examples
    --------
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


def tango(b: float, c: float, n: float, confidence_level: float = 0.95) -> Interval:
    """Tango's score interval for the difference of two paired shares, (b - c) / n.

    It contains all D with |b - c - n D| <= z sqrt(n (2 q + D (1 - D))). q is the most likely share of c-rows given D,
    (sqrt(B^2 - 4 A C) - B) / (2 A) with A = 2 n, B = (2 n - b + c) D - b - c and C = -c D (1 - D). It is informative
    even where the models never disagree.

    Parameters
    ----------
    b : float
        Number of rows that only the first model gets right.
    c : float
        Number of rows that only the second model gets right.
    n : float
        Number of all rows.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    (float, float)
        Low and high end of (b - c) / n; (-1, 1) where there are no rows.

    References
    ----------
    T. Tango (1998). Equivalence test and confidence interval for the difference in proportions for the
    paired-sample design. Statistics in Medicine 17(8), 891–908. [tango98]

    Examples
    --------
    >>> [round(end, 4) for end in tango(12, 2, 50, 0.95)]
    [0.0611, 0.3447]
    >>> [round(end, 4) for end in tango(0, 0, 54, 0.95)]
    [-0.0664, 0.0664]
    """
    if n == 0:
        return -1.0, 1.0
    if isnan(b + c + n):
        return UNDEFINED
    z, value = critical_z(confidence_level), (b - c) / n

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


def newcombe_paired(
    a: float, b: float, c: float, d: float, confidence_level: float = 0.95, *, correction: bool = True
) -> Interval:
    """Newcombe's interval for the difference of two paired shares.

    It is his method 10. With p1 = (a + b) / n, p2 = (a + c) / n and their Wilson limits l and u, the low end is p1 -
    p2 - sqrt((p1 - l1)^2 - 2 phi (p1 - l1) (u2 - p2) + (u2 - p2)^2); the high end likewise from u1 and l2. phi is the
    correlation of the two models' rows.

    Parameters
    ----------
    a : float
        Number of rows that both models get right.
    b : float
        Number of rows that only the first model gets right.
    c : float
        Number of rows that only the second model gets right.
    d : float
        Number of rows that both models get wrong.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.
    correction : bool, default True
        Whether a positive correlation phi gets Newcombe's continuity correction.

    Returns
    -------
    (float, float)
        Low and high end of (b - c) / (a + b + c + d); (-1, 1) where there are no rows.

    References
    ----------
    R. G. Newcombe (1998). Improved confidence intervals for the difference between binomial proportions based on
    paired data. Statistics in Medicine 17(22), 2635–2650. [newcombe98c]

    Examples
    --------
    >>> [round(end, 4) for end in newcombe_paired(36, 12, 2, 0, 0.95)]
    [0.0569, 0.3404]
    """
    n = a + b + c + d
    if n == 0:
        return -1.0, 1.0
    first, second = (a + b) / n, (a + c) / n
    (low1, high1), (low2, high2) = wilson(a + b, n, confidence_level), wilson(a + c, n, confidence_level)
    phi = _phi(a, b, c, d, corrected=correction)

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


def agresti_min(b: float, c: float, n: float, confidence_level: float = 0.95) -> Interval:
    """Agresti and Min's interval for the difference of two paired shares, (b - c) / n.

    It is Wald's interval after half a row was added to each of the four cells: b + 1/2, c + 1/2, n + 2.

    Parameters
    ----------
    b : float
        Number of rows that only the first model gets right.
    c : float
        Number of rows that only the second model gets right.
    n : float
        Number of all rows.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    (float, float)
        Low and high end of (b - c) / n, within -1 and 1.

    References
    ----------
    A. Agresti, Y. Min (2005). Simple improved confidence intervals for comparing matched proportions. Statistics in
    Medicine 24(5), 729–740. [agresti05]

    Examples
    --------
    >>> [round(end, 4) for end in agresti_min(12, 2, 50, 0.95)]
    [0.056, 0.3286]
    """
    b, c, n = b + 0.5, c + 0.5, n + 2
    value = (b - c) / n
    reach = critical_z(confidence_level) * sqrt(b + c - (b - c) ** 2 / n) / n
    return max(value - reach, -1.0), min(value + reach, 1.0)
