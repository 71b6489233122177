"""Two models on the same rows, each right or wrong: how often tests reject, every sample counted.

Tests of the rows on which the models disagree depend on two counts, b (the second alone is right) and c. Tests that
forget that the rows are the same depend on how many rows each model got right.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

import numpy as np

from benchmarks.error_rates.line import ALPHA, BY_HAND, LEVEL, NEGLIGIBLE, SIZES, Line
from heldout import lab
from heldout.batch import Array
from heldout.intervals.shares import wilson
from heldout.lab.rates.size import discordance
from heldout.lab.worlds import Pair, several_models

WORLDS = ("pair-coin:p=0.8", "pair-coin:p=0.95", "pair-coin:p=0.8,gain=0.05")


def mlxtend(b: int, c: int, **how: bool) -> float:
    from mlxtend.evaluate import mcnemar

    with np.errstate(divide="ignore", invalid="ignore"):
        return float(mcnemar(np.array([[0, b], [c, 0]]), **how)[1])


def statsmodels(b: int, c: int, **how: bool) -> float:
    from statsmodels.stats.contingency_tables import mcnemar

    with np.errstate(divide="ignore", invalid="ignore"):
        return float(mcnemar(np.array([[0, b], [c, 0]]), **how).pvalue)


DISCORDANT: dict[tuple[str, str], Callable[[int, int], float]] = {
    ("mlxtend", "mcnemar"): mlxtend,
    ("mlxtend", "mcnemar, exact=True"): lambda b, c: mlxtend(b, c, exact=True),
    ("statsmodels", "mcnemar"): statsmodels,
    ("statsmodels", "mcnemar, exact=False"): lambda b, c: statsmodels(b, c, exact=False),
}
"""By package and call: the p-value for b and c."""


def unpaired_z(first: int, second: int, n: int) -> float:
    """The p-value of two independent shares."""
    from statsmodels.stats.proportion import proportions_ztest

    with np.errstate(divide="ignore", invalid="ignore"):
        return float(proportions_ztest([first, second], [n, n])[1])


def overlap(first: int, second: int, n: int) -> float:
    """1 where the models' own intervals overlap, else 0: a p-value for those who look at intervals only.

    >>> overlap(10, 40, 50), overlap(30, 35, 50)
    (0.0, 1.0)
    """
    fewer, more = sorted((first, second))
    return float(wilson(fewer, n, LEVEL)[1] >= wilson(more, n, LEVEL)[0])


UNPAIRED: dict[tuple[str, str], Callable[[int, int, int], float]] = {
    ("statsmodels", "proportions_ztest (unpaired)"): unpaired_z,
    (BY_HAND, "95% intervals do not overlap"): overlap,
}
"""By package and call: the p-value for so many rows right by the first model, by the second, and of all."""


def by_discordance(p: Callable[[int, int], float], more: float, less: float, n: int) -> tuple[float, float]:
    """P(p < alpha) for b ~ more and c ~ less of n rows, and the chance that there is no p-value.

    For each b + c the test rejects up to some smaller count, which is looked for; all counts above it do not reject.

    >>> from heldout.stats.mcnemar_tests import mcnemar
    >>> round(by_discordance(lambda b, c: mcnemar(b, c, method="exact"), 0.1, 0.1, 100)[0], 4)
    0.0294
    """
    from scipy.stats import binom

    share, chances = more / (more + less), binom.pmf(np.arange(n + 1), n, more + less)
    rejected = undefined = 0.0
    for total in np.flatnonzero(chances > NEGLIGIBLE).tolist():
        at = bisect_left(range(total // 2 + 1), True, key=lambda k: not p(total - k, k) < ALPHA)
        if at:
            tails = binom.cdf(at - 1, total, share) + binom.sf(total - at, total, share)
            rejected += chances[total] * min(tails, 1.0)
        elif np.isnan(p(total, 0)):
            undefined += chances[total]
    return float(rejected), float(undefined)


def both_right(first: float, both: float, second: float, n: int) -> Array:
    """P(x, y): x of n rows right by the first model and y by the second; of a row, `both` is the chance that both are.

    >>> chances = both_right(0.8, 0.7, 0.85, 30)
    >>> round(float(chances.sum()), 9), round(float((chances.sum(axis=0) * np.arange(31)).sum()), 6)
    (1.0, 25.5)
    """
    from scipy.stats import binom

    counts = np.arange(n + 1)
    chances = np.zeros((n + 1, n + 1))
    of_first = binom.pmf(counts, n, first)
    for x in np.flatnonzero(of_first > NEGLIGIBLE):
        with_it = binom.pmf(counts[: x + 1], x, both / first)
        without = binom.pmf(counts[: n - x + 1], n - x, (second - both) / (1 - first))
        chances[x] = of_first[x] * np.convolve(with_it, without)
    return chances


def by_counts(p: Callable[[int, int, int], float], chances: Array, n: int) -> tuple[float, float]:
    """The chance of the counts for which p < alpha, and of those without a p-value.

    >>> by_counts(lambda x, y, n: float("nan") if x == y else 0.0, np.full((2, 2), 0.25), 1)
    (0.5, 0.5)
    """
    likely = np.argwhere(chances > NEGLIGIBLE / n)
    values = np.array([p(x, y, n) for x, y in likely.tolist()])
    weights = chances[tuple(likely.T)]
    return float(weights @ (values < ALPHA)), float(weights @ np.isnan(values))


def lines() -> list[Line]:
    """Ours, and every peer's, in every world at every size."""
    return [line for world in WORLDS for n in SIZES for line in _at(several_models(world), n)]


def _at(pair: Pair, n: int) -> list[Line]:
    ask = lab.power if pair.truth("accuracy") else lab.size
    (ours,) = ask("auto", pair.name, n, alpha=ALPHA)
    rates = {("heldout", "default"): (ours.rejected, ours.undefined)}
    first, second = (float(values["accuracy"]) for values in pair.values)
    more, less = discordance(first, second, pair.correlation)
    for name, p in DISCORDANT.items():
        rates[name] = by_discordance(p, more, less, n)
    chances = both_right(first, first - less, second, n)
    for name, unpaired in UNPAIRED.items():
        rates[name] = by_counts(unpaired, chances, n)
    return [
        Line(
            question="power" if pair.truth("accuracy") else "size", world=pair.name, metric="accuracy", n=n,
            package=package, method=method, rate=rate, error=0.0, width=None, undefined=undefined, repeats=0,
        )
        for (package, method), (rate, undefined) in rates.items()
    ]  # fmt: skip
