"""A share of rows in the world of coins: peers are asked about every number of rows that are right."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import nan

import numpy as np

from benchmarks.error_rates.line import (
    LEVEL,
    NEGLIGIBLE,
    RESAMPLED,
    SIZES,
    Ends,
    Line,
    guarded,
    interval_line,
)
from heldout import lab
from heldout.batch import Array

WORLDS = ("coin:p=0.5", "coin:p=0.9", "coin:p=0.99")
Rows = tuple[Array, Array]


def rows(right: int, n: int) -> Rows:
    """Truth and prediction of n rows of one class, the first of which are right."""
    return np.ones(n, int), (np.arange(n) < right).astype(int)


@guarded
def statsmodels(right: int, n: int) -> object:
    from statsmodels.stats.proportion import proportion_confint

    return proportion_confint(right, n)


@guarded
def confidenceinterval(right: int, n: int) -> object:
    from confidenceinterval import accuracy_score

    return accuracy_score(*rows(right, n))[1]


@guarded
def pycm(right: int, n: int) -> object:
    from pycm import ConfusionMatrix

    return ConfusionMatrix(matrix={0: {0: 0, 1: 0}, 1: {0: n - right, 1: right}}).CI("Overall ACC")[1]


@guarded
def bootstrap(right: int, n: int) -> object:
    """Its resamples are drawn once for each count, so that what is counted has a little chance in it."""
    from scipy.stats import bootstrap as resampled

    found = resampled((rows(right, n)[1],), np.mean, rng=np.random.default_rng(0))
    return found.confidence_interval


PEERS: dict[tuple[str, str], tuple[Callable[..., Ends], int]] = {
    ("statsmodels", "proportion_confint"): (statsmodels, max(SIZES)),
    ("confidenceinterval", "accuracy_score"): (confidenceinterval, max(SIZES)),
    ("pycm", "CI('Overall ACC')"): (pycm, max(SIZES)),
    ("scipy", "bootstrap (BCa) of the mean"): (bootstrap, RESAMPLED),
}
"""By package and call: its interval for so many right of n, and the most rows it is asked about."""


def lines() -> list[Line]:
    """Ours, and every peer's, in every world at every size."""
    return [line for world in WORLDS for n in SIZES for line in _at(world, n)]


def _at(world: str, n: int) -> list[Line]:
    (ours,) = lab.coverage("auto", world, n, confidence_level=LEVEL)
    facts = {"world": world, "metric": "accuracy", "n": n}
    sums = (ours.coverage, ours.width, 1.0, 1.0)
    found = [interval_line(sums, 0, package="heldout", method="default", **facts)]
    for (package, method), (ends, most) in PEERS.items():
        if n <= most:
            sums = counted(cache_of(ends), ours.truth, n)
            found.append(interval_line(sums, 0, package=package, method=method, **facts))
    return found


@cache
def cache_of(ends: Callable[..., Ends]) -> Callable[..., Ends]:
    """The same, asked once about the same rows."""
    return cache(ends)


def counted(ends: Callable[[int, int], Ends], share: float, n: int) -> tuple[float, float, float, float]:
    """Chance that the interval holds the share, mean width, and chance of an answer: over all counts, binomial.

    >>> from heldout.intervals.shares import normal
    >>> round(counted(lambda right, n: normal(right, n, 0.95), 0.01, 50)[0], 3)
    0.395
    """
    from scipy.stats import binom

    right = np.arange(n + 1)
    chance = binom.pmf(right, n, share)
    asked = chance > NEGLIGIBLE
    low, high = np.array([ends(int(x), n) if ask else (nan, nan) for x, ask in zip(right, asked, strict=True)]).T
    answered = low <= high
    inside = answered & (low - 1e-9 <= share) & (share <= high + 1e-9)
    width = np.where(answered, high - low, 0.0)
    return float(chance @ inside), float(chance @ width), float(chance @ answered), float(chance @ asked)
