"""`heldout.test`: textbook tests of counts and numbers, each with its hypotheses and its decision in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import erfc, isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.errors import DataError
from heldout.inputs import Source
from heldout.stats import textbook_tests
from heldout.stats.argument_checks import numbers_in
from heldout.stats.textbook_tests import Alternative, Decision, LikelihoodRatio
from heldout.verbs.parameters import with_hints
from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.plot import Plot

RELATIONS = {"two-sided": "is not", "greater": "is greater than", "less": "is less than"}
FEW = 5
"""Expected counts below this make a chi-square or normal tail rough."""
ROUGH = f"a count of fewer than {FEW} is expected somewhere: the p-value is rough"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class TextbookTest(Result):
    """A test with its hypotheses in words, the effect and its interval, the p-value and the decision."""

    kind = "test"

    test: str
    """binomial, chi2, lr or proportions."""
    found: Decision
    null: str
    alternative: str
    at: float
    """The effect if the null hypothesis is true."""
    symbol: str
    """The name of the statistic."""
    power_at: str | None = None
    """The alternative for which the power is known."""
    likelihood: LikelihoodRatio | None = None
    trials: int = 0
    """Of the binomial test."""
    against: float | None = None
    """The share for which its power is known."""
    own_notes: tuple[str, ...] = ()
    """Notes on this test; `notes` has those on reading the decision too."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know when reading the decision."""
        return (*self.own_notes, *_reading_notes(self.found, self.at))

    @property
    def statistic(self) -> float:
        """The test statistic."""
        return self.found.statistic

    @property
    def pvalue(self) -> float:
        """The p-value."""
        return self.found.pvalue

    @property
    def decision(self) -> str:
        """Either "reject" or "fail to reject" the null hypothesis at level alpha."""
        return self.found.decision

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary; undefined numbers are None."""
        found, ratio = self.found, self.likelihood
        return {
            "test": self.test,
            "method": found.test,
            "null": self.null,
            "alternative": self.alternative,
            "decision": found.decision,
            "alpha": found.alpha,
            "pvalue": found.pvalue,
            "effect": {
                "name": found.effect,
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "level": round(found.level, 12),
            },
            "symbol": self.symbol,
            "statistic": found.statistic,
            "standard_error": found.standard_error if isfinite(found.standard_error) else None,
            "df": found.df if isfinite(found.df) else None,
            "power": found.power if isfinite(found.power) else None,
            "beta": found.beta if isfinite(found.power) else None,
            "power_at": self.power_at,
            "log_ratio": None if ratio is None else ratio.log_ratio,
            "critical": None if ratio is None else ratio.critical,
            "notes": list(self.notes),
        }

    def charts(self, d: Mapping[str, Any]) -> Plot:  # noqa: ARG002 the test itself has what it takes
        """The critical region; of the binomial test also its power."""
        from heldout.verbs.textbook_charts import textbook_charts

        return textbook_charts(self)


@with_hints
def binomial(
    x: int,
    n: int,
    p: float = 0.5,
    *,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    against: float | None = None,
) -> TextbookTest:
    """Test whether x of n agree with a share, by the exact binomial test.

    Parameters
    ----------
    x : int
        Number of successes.
    n : int
        Number of trials.
    p : float, default 0.5
        The share under the null hypothesis.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        The alternative hypothesis.
    alpha : float, default 0.05
        Type I error at which the null hypothesis is rejected.
    against : float, optional
        Also the power if this is the true share.

    Returns
    -------
    TextbookTest
        The decision, the effect with its interval, and the p-value.

    Examples
    --------
    >>> tested = binomial(15, 20, alternative="greater", alpha=0.01)
    >>> round(tested.pvalue, 4), tested.decision
    (0.0207, 'fail to reject')
    """
    found = textbook_tests.binomial(x, n, p, alternative=alternative, alpha=alpha, against=against)
    return TextbookTest(
        test="binomial",
        found=found,
        null=f"the share is {p:g}",
        alternative=f"the share {RELATIONS[alternative]} {p:g}",
        at=p,
        symbol="x",
        power_at=None if against is None else f"the share is {against:g}",
        trials=int(n),
        against=against,
    )


@with_hints
def chi_square(observed: Any, expected: Any = None, *, alpha: float = 0.05) -> TextbookTest:
    """Test whether counts agree with expected counts or shares, by Pearson's chi-square; a table, whether independent.

    Parameters
    ----------
    observed : array-like of int
        Counts by category; or a table of counts, whose rows and columns are tested for independence.
    expected : array-like of float, optional
        Expected counts or shares, one per category (default: all equal). Not for a table.
    alpha : float, default 0.05
        Type I error at which the null hypothesis is rejected.

    Returns
    -------
    TextbookTest
        The decision, the effect (Cohen's w, or Cramér's V of a table) with its interval, and the p-value.

    Examples
    --------
    >>> tested = chi_square([10, 15, 8, 20])
    >>> round(tested.statistic, 3), round(tested.pvalue, 3)
    (6.547, 0.088)
    """
    counts = numbers_in(observed, "the counts")
    if counts.ndim == 2:
        if expected is not None:
            raise DataError("a table has no expected counts: they follow from its margins", fix="leave out expected")
        found = textbook_tests.chi_square_table(counts, alpha=alpha)
        least = float(np.outer(counts.sum(axis=1), counts.sum(axis=0)).min() / counts.sum())
        null, other, notes = "rows and columns are independent", "they are not", []
    else:
        found = textbook_tests.chi_square(counts, None if expected is None else np.asarray(expected), alpha=alpha)
        shares = np.ones(len(counts)) if expected is None else np.asarray(expected, float)
        least = float(shares.min() / shares.sum() * counts.sum())
        null = "all counts are equally likely" if expected is None else "the counts follow the expected shares"
        other = "they are not" if expected is None else "they do not"
        notes = [] if expected is None else _sums_differ(float(shares.sum()), float(counts.sum()))
    rough = (ROUGH,) if least < FEW else ()
    return TextbookTest(
        test="chi2", found=found, null=null, alternative=other, at=0, symbol="chi2", own_notes=(*notes, *rough)
    )


def _sums_differ(expected: float, observed: float) -> list[str]:
    """A note where the expected numbers add up neither to one nor to what was observed."""
    if min(abs(expected - 1), abs(expected - observed) / observed) < 0.005:
        return []
    return [f"the expected numbers add up to {expected:g}, the observed ones to {observed:g}: taken as shares"]


@with_hints
def likelihood_ratio(
    data: Any,
    sigma0: float,
    sigma1: float,
    *,
    mean: float = 0.0,
    alpha: float = 0.05,
    sources: Sequence[Source] = (),
) -> TextbookTest:
    """Test which of two standard deviations normal numbers with a known mean have, by the likelihood ratio.

    Parameters
    ----------
    data : array-like of float
        The numbers.
    sigma0 : float
        The standard deviation under the null hypothesis.
    sigma1 : float
        The standard deviation under the alternative.
    mean : float, default 0
        The mean, under both hypotheses.
    alpha : float, default 0.05
        Type I error at which the null hypothesis is rejected.
    sources : sequence, optional
        The file that the numbers come from, for the result's provenance.

    Returns
    -------
    TextbookTest
        The decision of the most powerful test there is, its power, and the log likelihood ratio.

    Examples
    --------
    >>> likelihood_ratio([0.3, -1.2, 2.2, 0.8, -1.9, 0.1, 2.7, -0.4], 1, 2).decision
    'reject'
    """
    ratio = textbook_tests.likelihood_ratio_normal(np.asarray(data), sigma0, sigma1, mean=mean, alpha=alpha)
    of = "" if mean == 0 else f" around {mean:g}"
    null, other = (f"the standard deviation{of} is {sigma:g}" for sigma in (sigma0, sigma1))
    return TextbookTest(
        test="lr", found=ratio.decision, null=null, alternative=other, at=1, symbol="chi2", power_at=other,
        likelihood=ratio, sources=tuple(sources),
    )  # fmt: skip


@with_hints
def proportions(
    x1: int,
    n1: int,
    x2: int,
    n2: int,
    *,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    textbook: bool = False,
) -> TextbookTest:
    """Test whether the shares x1 of n1 and x2 of n2 of two independent samples are equal, by a z test.

    Parameters
    ----------
    x1, x2 : int
        Successes in each sample.
    n1, n2 : int
        Trials in each sample.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        The alternative hypothesis: that the shares differ, or that the first is greater, or less.
    alpha : float, default 0.05
        Type I error at which the null hypothesis is rejected.
    textbook : bool, default False
        Each share with its own variance and Wald's interval, instead of the pooled z and Newcombe's interval.

    Returns
    -------
    TextbookTest
        The decision, the difference of shares with its interval and standard error, and the p-value.

    Examples
    --------
    >>> tested = proportions(45, 100, 60, 100)
    >>> round(tested.statistic, 3), round(tested.pvalue, 4)
    (-2.124, 0.0337)
    >>> proportions(30, 100, 20, 100, alternative="greater").decision
    'fail to reject'
    """
    found = textbook_tests.two_proportions(x1, n1, x2, n2, alternative=alternative, alpha=alpha, textbook=textbook)
    if found.standard_error == 0 and textbook:
        fix = "leave out textbook=True (--textbook)"
        raise DataError("both shares are 0 or 1, so the textbook's standard error is 0", fix=fix)
    pooled = (x1 + x2) / (n1 + n2)
    rough = min(pooled, 1 - pooled) * min(n1, n2) < FEW
    others = {"two-sided": "they are not", "greater": "the first is greater", "less": "the first is less"}
    notes = (*_first_greater(x1 / n1, n1, x2 / n2, n2, pooled=not textbook), *([ROUGH] if rough else []))
    return TextbookTest(
        test="proportions", found=found, null="the two shares are equal", alternative=others[alternative], at=0,
        symbol="z", own_notes=notes,
    )  # fmt: skip


def _first_greater(one: float, n1: int, other: float, n2: int, *, pooled: bool) -> list[str]:
    """The level of the one-sided interval that ends at 0, by each share's own variance: textbooks' P(d > 0)."""
    error = sqrt(one * (1 - one) / n1 + other * (1 - other) / n2)
    if error == 0:
        return []
    level = 0.5 * erfc(-(one - other) / error / sqrt(2))
    read = f"d > 0 at a one-sided level of {level:.3g}, which textbooks write as P(d > 0)"
    by = "by each share's own variance " if pooled else ""
    return [f"{by}the standard error of the difference d is {error:.3g}; {read}"]


def _reading_notes(found: Decision, at: float) -> list[str]:
    """What the decision does not say, and where it and the interval seem to disagree."""
    notes = []
    rejected = found.decision == "reject"
    if found.level < 1 - 1.5 * found.alpha:
        bound = f"{100 * (1 - found.alpha):g}%"
        notes.append(f"the test is one-sided: each end of the interval by itself is a {bound} bound")
    if found.value > found.high:
        notes.append("the effect seen lies above its interval because chance alone adds to it: trust the interval")
    elif rejected == (found.low <= at <= found.high):
        notes.append(f"test and interval ask differently: one of them excludes {at:g} and the other does not")
    if not rejected:
        notes.append("to fail to reject is not to accept: the interval says what else is possible")
    return notes
