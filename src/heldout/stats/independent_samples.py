"""Two samples that share no row: the first minus the second."""

from __future__ import annotations

from math import acos, copysign, cos, erfc, isnan, nan, pi, sqrt

from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.means import student
from heldout.intervals.scales import critical_z, edge
from heldout.intervals.shares import mover, wilson
from heldout.stats.outcome import Outcome

ValueWithInterval = tuple[float, float, float]
"""A value, its low and its high end."""


def combined(first: ValueWithInterval, second: ValueWithInterval) -> Interval:
    """MOVER: v1 - v2 - sqrt((v1 - l1)^2 + (u2 - v2)^2), and high from u1 and l2; for any two estimates [zou08].

    >>> [round(end, 3) for end in combined((0.8, 0.692, 0.877), (0.6, 0.490, 0.700))]
    [0.053, 0.334]
    """
    values, lows, highs = zip(first, second, strict=True)
    return mover([1, -1], values, lows, highs)  # type: ignore[arg-type]


def newcombe(x1: float, n1: float, x2: float, n2: float, confidence_level: float = 0.95) -> Interval:
    """Newcombe's interval for the difference of two independent shares.

    It is his method 10: Wilson's limits of both shares, combined by MOVER. `compare` uses it for unpaired samples.

    Parameters
    ----------
    x1, x2 : float
        Number of successes in each sample.
    n1, n2 : float
        Number of rows in each sample.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    (float, float)
        Low and high end of the first share minus the second; (-1, 1) where a sample has no rows.

    References
    ----------
    R. G. Newcombe (1998). Interval estimation for the difference between independent proportions: comparison of
    eleven methods. Statistics in Medicine 17(8), 873–890. [newcombe98b]

    Examples
    --------
    >>> [round(end, 4) for end in newcombe(56, 70, 48, 80, 0.95)]
    [0.0524, 0.3339]
    """
    if n1 == 0 or n2 == 0:
        return -1.0, 1.0
    return combined((x1 / n1, *wilson(x1, n1, confidence_level)), (x2 / n2, *wilson(x2, n2, confidence_level)))


def miettinen_nurminen(x1: float, n1: float, x2: float, n2: float, confidence_level: float = 0.95) -> Interval:
    """Miettinen and Nurminen's score interval for the difference of two independent shares.

    It contains all D with (p1 - p2 - D)^2 <= z^2 N / (N - 1) (r1 (1 - r1) / n1 + r2 (1 - r2) / n2), where N = n1 + n2
    and r1 = r2 + D are the most likely shares that differ by D.

    Parameters
    ----------
    x1, x2 : float
        Number of successes in each sample.
    n1, n2 : float
        Number of rows in each sample.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    (float, float)
        Low and high end of the first share minus the second; (-1, 1) where a sample has no rows.

    References
    ----------
    O. Miettinen, M. Nurminen (1985). Comparative analysis of two rates. Statistics in Medicine 4(2), 213–226.
    [miettinen85]

    Examples
    --------
    >>> [round(end, 4) for end in miettinen_nurminen(56, 70, 48, 80, 0.95)]
    [0.0528, 0.3382]
    """
    if n1 == 0 or n2 == 0:
        return -1.0, 1.0
    z, value, total = critical_z(confidence_level), x1 / n1 - x2 / n2, n1 + n2

    def accepted(difference: float) -> bool:
        second = _likeliest_second(x1, n1, x2, n2, difference)
        first = min(max(second + difference, 0.0), 1.0)
        variance = first * (1 - first) / n1 + second * (1 - second) / n2
        return (value - difference) ** 2 <= z**2 * variance * total / (total - 1)

    return edge(accepted, -1.0, value), edge(accepted, 1.0, value)


def _likeliest_second(x1: float, n1: float, x2: float, n2: float, difference: float) -> float:
    """The root in range of the cubic that the likelihood's slope is, by Viète's cosine."""
    total, hits = n1 + n2, x1 + x2
    square = (n1 + 2 * n2) * difference - total - hits
    linear = (n2 * difference - total - 2 * x2) * difference + hits
    constant = x2 * difference * (1 - difference)
    centre = square / (3 * total)
    q = centre**3 - linear * square / (6 * total**2) + constant / (2 * total)
    p = copysign(sqrt(max(centre**2 - linear / (3 * total), 0.0)), q)
    angle = acos(min(max(q / p**3, -1.0), 1.0)) if p else pi / 2
    return min(max(2 * p * cos((pi + angle) / 3) - centre, 0.0, -difference), 1.0, 1 - difference)


def agresti_caffo(x1: float, n1: float, x2: float, n2: float, confidence_level: float = 0.95) -> Interval:
    """Agresti and Caffo's interval for the difference of two independent shares.

    It is Wald's interval after one success and one failure were added to each sample.

    Parameters
    ----------
    x1, x2 : float
        Number of successes in each sample.
    n1, n2 : float
        Number of rows in each sample.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    (float, float)
        Low and high end of the first share minus the second.

    References
    ----------
    A. Agresti, B. Caffo (2000). Simple and effective confidence intervals for proportions and differences of
    proportions result from adding two successes and two failures. The American Statistician 54(4), 280–288.
    [agresti00]

    Examples
    --------
    >>> [round(end, 4) for end in agresti_caffo(30, 100, 20, 100, 0.95)]
    [-0.0208, 0.2169]
    """
    return wald(x1 + 1, n1 + 2, x2 + 1, n2 + 2, confidence_level)


def wald(x1: float, n1: float, x2: float, n2: float, level: float) -> Interval:
    """p1 - p2 -+ z sqrt(p1 (1 - p1) / n1 + p2 (1 - p2) / n2); a point where both shares are 0 or 1.

    >>> [round(end, 4) for end in wald(30, 100, 20, 100, 0.95)]
    [-0.0192, 0.2192]
    """
    if n1 == 0 or n2 == 0:
        return UNDEFINED
    value, error = _unpooled(x1, n1, x2, n2)
    reach = critical_z(level) * error
    return value - reach, value + reach


def _unpooled(x1: float, n1: float, x2: float, n2: float) -> tuple[float, float]:
    """The difference of two shares and its standard error, each share with its own variance."""
    p1, p2 = x1 / n1, x2 / n2
    return p1 - p2, sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)


def textbook_z(x1: float, n1: float, x2: float, n2: float, confidence_level: float = 0.95) -> Outcome:
    """The textbook's z test that two independent shares are equal, with Wald's interval.

    z = (p1 - p2) / sqrt(p1 (1 - p1) / n1 + p2 (1 - p2) / n2). The interval is too short for small samples and for
    shares near 0 or 1; `newcombe` is better there.

    Parameters
    ----------
    x1, x2 : float
        Number of successes in each sample.
    n1, n2 : float
        Number of rows in each sample.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    Outcome
        The difference, its interval, z and the two-sided p-value; nan where both shares are 0 or 1.

    References
    ----------
    T. M. Mitchell (1997). Machine Learning. McGraw-Hill. [mitchell97]

    Examples
    --------
    >>> outcome = textbook_z(30, 100, 20, 100, 0.95)
    >>> round(outcome.statistic, 2), round(outcome.pvalue, 4)
    (1.64, 0.1002)
    """
    value, error = _unpooled(x1, n1, x2, n2)
    low, high = wald(x1, n1, x2, n2, confidence_level)
    z = value / error if error > 0 else nan
    notes = () if error > 0 else ("both shares are 0 or 1: the textbook's standard error is 0",)
    return Outcome(
        value=value, low=low, high=high, level=confidence_level, statistic=z, pvalue=erfc(abs(z) / sqrt(2)),
        test="z, unpooled", notes=notes,
    )  # fmt: skip


def welch(  # noqa: PLR0917  (two samples, each with the same three numbers)
    mean1: float, var1: float, n1: float, mean2: float, var2: float, n2: float, *, confidence_level: float = 0.95
) -> Outcome:
    """Welch's t test that two independent means are equal.

    t = (m1 - m2) / sqrt(v1 / n1 + v2 / n2) with Welch's degrees of freedom; variances may differ.

    Parameters
    ----------
    mean1, mean2 : float
        Mean of each sample.
    var1, var2 : float
        Variance of the values in each sample, with n - 1 in the denominator.
    n1, n2 : float
        Number of rows in each sample.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    Outcome
        The first mean minus the second, its interval, t, its degrees of freedom and the two-sided p-value.

    References
    ----------
    B. L. Welch (1947). The generalization of "Student's" problem when several different population variances are
    involved. Biometrika 34(1–2), 28–35. [welch47]

    Examples
    --------
    >>> outcome = welch(20.6, 7.9, 10, 22.1, 3.8, 12)
    >>> round(outcome.statistic, 3), round(outcome.pvalue, 3)
    (-1.426, 0.174)
    """
    return _two_means(mean1 - mean2, (var1 / n1, n1), (var2 / n2, n2), confidence_level, "Welch's t")


def unpaired_areas(a1: float, v1: float, a2: float, v2: float, n1: float, n2: float, *, level: float) -> Outcome:  # noqa: PLR0917  (two areas, two variances, two sizes)
    """D = (A1 - A2) / sqrt(v1 + v2) with (v1 + v2)^2 / (v1^2 / (n1 - 1) + v2^2 / (n2 - 1)) degrees of freedom.

    v are the variances of the areas, as DeLong has them [delong88], n the rows of each sample.

    >>> found = unpaired_areas(0.8236788618, 0.00146991471, 0.7313685637, 0.00266868246, 113, 113, level=0.95)
    >>> round(found.statistic, 6), round(found.pvalue, 6)
    (1.434906, 0.152825)
    """
    return _two_means(a1 - a2, (v1, n1), (v2, n2), level, "DeLong, unpaired")


def _two_means(
    value: float, first: tuple[float, float], second: tuple[float, float], level: float, test: str
) -> Outcome:
    """Student's t for the difference of two means, each given by its squared standard error and its size."""
    from scipy.special import stdtr

    (square1, n1), (square2, n2) = first, second
    variance = square1 + square2
    if isnan(value) or not variance > 0 or min(n1, n2) < 2:
        why = "fewer than two rows in a sample" if min(n1, n2) < 2 else "no variance in either sample"
        return Outcome(value=value, low=nan, high=nan, level=level, pvalue=nan, statistic=nan, test=test, notes=(why,))
    df = variance**2 / (square1**2 / (n1 - 1) + square2**2 / (n2 - 1))
    statistic = value / sqrt(variance)
    low, high = student(value, sqrt(variance), df, level)
    p = float(2 * stdtr(df, -abs(statistic)))
    return Outcome(value=value, low=low, high=high, level=level, pvalue=p, statistic=statistic, test=test, df=df)
