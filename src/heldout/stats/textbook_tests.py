"""Textbook tests, each with its decision in words and the size of the effect beside the p-value.

To fail to reject is not to accept: the interval of the effect says what else is possible.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import erfc, log, nan, sqrt
from typing import Literal

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.intervals.shares import clopper_pearson
from heldout.stats.argument_checks import (
    MOST_TRIALS,
    checked_alpha,
    checked_alternative,
    checked_counts,
    checked_mean,
    checked_share,
    checked_sigmas,
    counts_in,
    numbers_in,
)
from heldout.stats.independent_samples import newcombe, wald
from heldout.stats.noncentrality_interval import noncentrality

Alternative = Literal["two-sided", "greater", "less"]

SAME = 1e-7
"""Outcomes whose probabilities differ by less than this part are equally probable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a test found, and what follows at level alpha."""

    test: str
    statistic: float
    pvalue: float
    alpha: float
    effect: str
    """What `value` measures."""
    value: float
    low: float
    high: float
    level: float
    """Of the interval. It excludes the null hypothesis where the test rejects, as far as both look at the same side."""
    df: float = nan
    power: float = nan
    """Chance of rejecting if the alternative that was named is true; 1 - beta."""
    standard_error: float = nan
    """Of the effect, where the statistic is the effect by its standard error."""

    @property
    def decision(self) -> str:
        """Either "reject" or "fail to reject" the null hypothesis."""
        return "reject" if self.pvalue <= self.alpha else "fail to reject"

    @property
    def beta(self) -> float:
        """Chance of failing to reject if the alternative that was named is true."""
        return 1 - self.power


def binomial(
    x: int,
    n: int,
    p0: float,
    *,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    against: float | None = None,
) -> Decision:
    """Exact test of a share being p0: the probability of the outcomes that are as extreme as x [clopper34].

    Two-sided, as extreme means no more probable. The effect is the share with Clopper and Pearson's interval, one-sided
    where the test is. `against` is a share for which the power is wanted.

    >>> found = binomial(15, 20, 0.5, alternative="greater", alpha=0.01)
    >>> round(found.pvalue, 4), found.decision
    (0.0207, 'fail to reject')
    """
    checked_alpha(alpha)
    checked_counts([x], n)
    for name, share in (("p0", p0), ("against", against)):
        if share is not None:
            checked_share(share, name)
    checked_alternative(alternative)
    if n > MOST_TRIALS:
        fix = "evaluate_counts(wrong=..., of=...) gives the share with its interval"
        raise UsageError(f"n is {n:,}, too many for the exact test", fix=fix)
    x, n = int(x), int(n)
    tails = binomial_tails(n, p0, alternative)
    low, high = clopper_pearson(x, n, 1 - alpha if alternative == "two-sided" else 1 - 2 * alpha)
    power = nan if against is None else float(_binomial_chances(n, against)[tails <= alpha].sum())
    return Decision(
        test=f"exact binomial, {alternative}", statistic=x, pvalue=float(tails[x]), alpha=alpha, effect="share",
        level=1 - alpha, value=x / n, low=0.0 if alternative == "less" else low,
        high=1.0 if alternative == "greater" else high, power=power,
    )  # fmt: skip


def _binomial_chances(n: int, share: float) -> Array:
    """P(X = 0), ..., P(X = n)."""
    from scipy.special import gammaln, xlog1py, xlogy

    x = np.arange(n + 1)
    ways = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    return np.exp(ways + xlogy(x, share) + xlog1py(n - x, -share))


def binomial_tails(n: int, share: float, alternative: Alternative) -> Array:
    """The p-value of every possible count."""
    from scipy.special import bdtr

    x = np.arange(n + 1)
    if alternative == "less":
        return np.asarray(bdtr(x, n, share), float)
    if alternative == "greater":  # the same tail, counted from the other end
        return np.asarray(bdtr(n - x, n, 1 - share), float)
    chances = _binomial_chances(n, share)
    order = np.argsort(chances)
    sums = np.cumsum(chances[order])
    last = np.searchsorted(chances[order], chances * (1 + SAME), side="right") - 1
    return np.minimum(sums[last], 1.0)


def chi_square(observed: Array, expected: Array | None = None, *, alpha: float = 0.05) -> Decision:
    """Goodness of fit, sum((o - e)^2 / e) with k - 1 degrees of freedom; equal shares without `expected` [pearson00].

    `expected` may be counts or shares. The effect is Cohen's w = sqrt(chi^2 / n); its interval, at 1 - alpha, is that
    of the noncentral chi-square and excludes 0 exactly where the test rejects [feldman98]. It ends at the largest w
    that the expected shares allow, sqrt((1 - p) / p) of the smallest share p.

    >>> found = chi_square(np.array([10, 15, 8, 20]))
    >>> round(found.statistic, 3), round(found.pvalue, 3), found.decision
    (6.547, 0.088, 'fail to reject')
    """
    checked_alpha(alpha)
    seen = counts_in(observed, 1)
    shares = np.ones(len(seen)) if expected is None else _shares(expected, len(seen))
    awaited = shares / shares.sum() * seen.sum()
    found = _chi_squared(seen, awaited, len(seen) - 1, 1.0, ("chi-square, goodness of fit", "Cohen's w", alpha))
    # no shares are further off than all rows in the category that is expected least
    return replace(found, high=min(found.high, max(found.value, sqrt(shares.sum() / shares.min() - 1))))


def _shares(expected: Array, categories: int) -> Array:
    shares = numbers_in(expected, "the expected counts")
    if shares.shape != (categories,):
        message = f"{categories} counts were observed, but {shares.size} are expected"
        raise UsageError(message, fix="give one expected number for each count")
    if shares.min() <= 0:
        fix = "leave out or join categories that cannot occur"
        raise DataError(f"a count of {shares.min():g} cannot be expected", code="H110", fix=fix)
    return shares


def chi_square_table(table: Array, *, alpha: float = 0.05) -> Decision:
    """Independence of lines and columns, sum((o - e)^2 / e), e = line sum x column sum / n [pearson00].

    The effect is Cramér's V = sqrt(chi^2 / (n (min(lines, columns) - 1))), its interval that of `chi_square`. No
    continuity correction.

    >>> found = chi_square_table(np.array([[12, 7, 3], [5, 9, 14]]))
    >>> round(found.statistic, 3), round(found.pvalue, 5), found.decision
    (9.669, 0.00795, 'reject')
    """
    checked_alpha(alpha)
    seen = counts_in(table, 2)
    for side, sums in (("line", seen.sum(axis=1)), ("column", seen.sum(axis=0))):
        if sums.min() == 0:
            message = f"{side} {int(sums.argmin()) + 1} of the table holds no count"
            raise DataError(message, code="H110", fix=f"leave the {side} out")
    awaited = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / seen.sum()
    lines, columns = seen.shape
    words = ("chi-square, independence", "Cramér's V", alpha)
    return _chi_squared(seen, awaited, (lines - 1) * (columns - 1), min(lines, columns) - 1, words)


def _chi_squared(seen: Array, awaited: Array, df: float, largest: float, words: tuple[str, str, float]) -> Decision:
    """Pearson's statistic, its tail, and the effect sqrt(chi^2 / (n x largest)) with its interval."""
    from scipy.special import chdtrc

    test, effect, alpha = words
    statistic = float(np.sum((seen - awaited) ** 2 / awaited))
    scale = float(seen.sum()) * largest
    low, high = (sqrt(end / scale) for end in noncentrality(statistic, df, 1 - alpha))
    return Decision(
        test=test, statistic=statistic, pvalue=float(chdtrc(df, statistic)), alpha=alpha, df=df, effect=effect,
        value=sqrt(statistic / scale), low=low, high=high, level=1 - alpha,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LikelihoodRatio:
    """Two simple hypotheses about a normal standard deviation."""

    decision: Decision
    log_ratio: float
    """log of the likelihood under the alternative over that under the null hypothesis."""
    critical: float
    """The sum of squares from which on (up to which, for a smaller alternative) the null hypothesis is rejected."""


def likelihood_ratio_normal(
    data: Array, sigma0: float, sigma1: float, *, mean: float = 0.0, alpha: float = 0.05
) -> LikelihoodRatio:
    """The most powerful test of sd = sigma0 against sd = sigma1, the mean known: by sum((x - mean)^2) / sigma0^2.

    Under the null hypothesis it is chi-square [neyman33].

    Large sums reject where sigma1 is the larger one, small sums otherwise. The effect is the ratio of the variance seen
    to sigma0^2. The test looks to one side only, so each end of the interval is a bound at 1 - alpha, and the interval
    has level 1 - 2 alpha: the end on the side of sigma0 passes 1 exactly where the test rejects. Power and beta are
    those at sigma1.

    >>> found = likelihood_ratio_normal(np.array([0.3, -1.2, 2.2, 0.8, -1.9, 0.1, 2.7, -0.4]), 1, 2)
    >>> round(found.log_ratio, 4), round(found.decision.pvalue, 4), round(found.decision.power, 3)
    (1.2348, 0.0206, 0.868)
    """
    from scipy.special import chdtr, chdtrc, chdtri

    checked_alpha(alpha)
    checked_sigmas(sigma0, sigma1)
    checked_mean(mean)
    x = numbers_in(data, "the data").ravel() - mean
    if not len(x):
        raise DataError("there is no number to test", code="H112", fix="give at least one")
    n, squares, larger = len(x), float(np.sum(x**2)), sigma1 > sigma0
    tail = chdtrc if larger else chdtr
    cut = float(chdtri(n, alpha if larger else 1 - alpha))
    statistic = squares / sigma0**2
    found = Decision(
        test="likelihood ratio, normal variance", statistic=statistic, pvalue=float(tail(n, statistic)), alpha=alpha,
        df=n, effect="variance / variance under the null hypothesis", value=statistic / n,
        low=statistic / float(chdtri(n, alpha)), high=statistic / float(chdtri(n, 1 - alpha)), level=1 - 2 * alpha,
        power=float(tail(n, cut * sigma0**2 / sigma1**2)),
    )  # fmt: skip
    log_ratio = n * log(sigma0 / sigma1) + squares / 2 * (1 / sigma0**2 - 1 / sigma1**2)
    return LikelihoodRatio(decision=found, log_ratio=log_ratio, critical=cut * sigma0**2)


def two_proportions(
    x1: float,
    n1: float,
    x2: float,
    n2: float,
    *,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    textbook: bool = False,
) -> Decision:
    """Equality of two independent shares: z = (p1 - p2) / sqrt(p (1 - p) (1 / n1 + 1 / n2)), p the share of both.

    z^2 is the chi-square of the table of four. The effect is p1 - p2 with Newcombe's interval [newcombe98b], one-sided
    where the test is. `textbook` gives each share its own variance, and Wald's interval [mitchell97].

    >>> found = two_proportions(30, 100, 20, 100)
    >>> round(found.statistic, 3), round(found.pvalue, 4), found.decision
    (1.633, 0.1025, 'fail to reject')
    >>> found = two_proportions(30, 100, 20, 100, alternative="greater", textbook=True)
    >>> round(found.statistic, 3), round(found.pvalue, 4)
    (1.644, 0.0501)
    """
    checked_alpha(alpha)
    checked_alternative(alternative)
    checked_counts([x1], n1)
    checked_counts([x2], n2)
    one, other, pooled = x1 / n1, x2 / n2, (x1 + x2) / (n1 + n2)
    own = one * (1 - one) / n1 + other * (1 - other) / n2
    error = sqrt(own if textbook else pooled * (1 - pooled) * (1 / n1 + 1 / n2))
    z = (one - other) / error if error > 0 else 0.0
    two_sided = alternative == "two-sided"
    low, high = (wald if textbook else newcombe)(x1, n1, x2, n2, 1 - alpha if two_sided else 1 - 2 * alpha)
    tails = {"two-sided": erfc(abs(z) / sqrt(2)), "greater": erfc(z / sqrt(2)) / 2, "less": erfc(-z / sqrt(2)) / 2}
    return Decision(
        test=f"z, {'unpooled' if textbook else 'pooled'}" + ("" if two_sided else f", {alternative}"), statistic=z,
        pvalue=tails[alternative], alpha=alpha, effect="difference of shares", value=one - other,
        low=-1.0 if alternative == "less" else max(low, -1.0), high=1.0 if alternative == "greater" else min(high, 1.0),
        level=1 - alpha, standard_error=error,
    )  # fmt: skip
