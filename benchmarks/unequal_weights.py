"""Rows of very unequal weight and clusters of very unequal size: how often gates and comparisons err.

Gates pass a candidate that is worse by exactly the margin; models differ on a tenth of the rows. Comparisons find a
difference between equal models of which one wins on heavy rows only, and the other on the rest only.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

import heldout
from heldout.intervals import unit_spread

MARGIN, APART = 0.05, 0.1
Array = np.ndarray
Rng = np.random.Generator


def heavy(share: float, times: float, n: int, rng: Rng) -> dict[str, Array]:
    """Independent rows of which some weigh more."""
    return {"sample_weight": np.where(rng.random(n) < share, times, 1.0)}


def lognormal(spread: float, n: int, rng: Rng) -> dict[str, Array]:
    return {"sample_weight": rng.lognormal(0, spread, n)}


def clusters(share: float, rows: int, n: int, rng: Rng) -> dict[str, Array]:
    """Clusters of 2 rows, and some that are larger; models differ on all rows of a cluster or on none."""
    return {"groups": np.repeat(np.arange(n), np.where(rng.random(n) < share, rows, 2))}


CASES: dict[str, tuple[Any, float, float, int]] = {
    "200 rows, 10% of them 10 times as heavy": (heavy, 0.1, 10.0, 200),
    "200 rows, 5% of them 20 times as heavy": (heavy, 0.05, 20.0, 200),
    "1,000 rows, 2% of them 50 times as heavy": (heavy, 0.02, 50.0, 1000),
    "200 rows, lognormal weights (sigma 1.5)": (lognormal, 1.5, 0.0, 200),
    "40 clusters, 10% of them of 50 rows, others of 2": (clusters, 0.1, 50, 40),
    "100 clusters, 5% of them of 200 rows, others of 2": (clusters, 0.05, 200, 100),
    "100 clusters, 10% of them of 50 rows, others of 2": (clusters, 0.1, 50, 100),
}
WINS = {
    "200 rows, 10% of them 10 times as heavy, won by one model": (0.1, 10.0, 200),
    "200 rows, 5% of them 20 times as heavy, won by one model": (0.05, 20.0, 200),
    "60 rows, 10% of them 10 times as heavy, won by one model": (0.1, 10.0, 60),
}
"""The winner of heavy rows is right, and the other wrong, on a fifth of them."""
METHODS = ("as shown", "with what heavy units may hide")


def gated(case: str, rng: Rng) -> bool:
    """Whether a candidate that is worse by the margin passes."""
    kind, *facts, n = CASES[case]
    given = kind(facts[0], n, rng) if kind is lognormal else kind(*facts, n, rng)
    unit = given.get("groups", np.arange(n))
    drawn = rng.random(n)[unit]  # of all rows of a cluster at once
    better, worse = (APART + MARGIN) / 2, APART
    both = rng.random(len(unit)) < 0.9
    old = np.where(drawn < better, True, np.where(drawn < worse, False, both))
    new = np.where(drawn < better, False, np.where(drawn < worse, True, both))
    truth = rng.integers(0, 2, len(unit))
    models = {name: np.where(right, truth, 1 - truth) for name, right in (("old", old), ("new", new))}
    return heldout.gate(truth, models, primary="accuracy", margin=MARGIN, pos_label=1, **given).verdict == "PASS"


def told_apart(case: str, rng: Rng) -> bool:
    """Whether equal models, of which one wins on heavy rows and the other on light ones, differ significantly."""
    share, times, n = WINS[case]
    weight = np.where(rng.random(n) < share, times, 1.0)
    won, lost = weight > 1, 0.2 * share * times / (1 - share)
    apart = rng.random(n) < np.where(won, 0.2, lost)
    both, truth = rng.random(n) < 0.9, rng.integers(0, 2, n)
    rights = {"heavy": np.where(apart, won, both), "light": np.where(apart, ~won, both)}
    models = {name: np.where(right, truth, 1 - truth) for name, right in rights.items()}
    found = heldout.compare(truth, models, metrics="accuracy", pos_label=1, sample_weight=weight)
    return bool(found.differences[0].pvalue < 0.05)


METRICS = ("accuracy", "mcc", "kappa", "brier", "log_loss", "f1")


def scored(n: int, rng: Rng) -> dict[str, Array]:
    """Probabilities of a model, and 5% of the rows 20 times as heavy as others."""
    truth = (rng.random(n) < 0.4).astype(int)
    score = 1 / (1 + np.exp(-1.2 * (2 * truth - 1 + rng.standard_normal(n))))
    return {"y_true": truth, "y_score": score, **heavy(0.05, 20.0, n, rng)}


def evaluated(given: dict[str, Array]) -> dict[str, Any]:
    found = heldout.evaluate(**given, pos_label=1, metrics=list(METRICS))
    return {name: found[name] for name in METRICS}


@contextmanager
def nothing_hidden() -> Iterator[None]:
    """The variance that units show, and nothing else."""
    own = unit_spread.counted
    unit_spread.counted = lambda _hidden, _effective: 0.0
    try:
        yield
    finally:
        unit_spread.counted = own


def cases(repeats: int = 2000) -> Iterator[tuple[str, int, str, list[bool]]]:
    """A line per case and method: which samples passed, or differed significantly."""
    for case, (*_, n) in (CASES | WINS).items():
        measure = gated if case in CASES else told_apart
        for method in METHODS:
            rng = np.random.default_rng([n, len(case)])
            with nothing_hidden() if method == METHODS[0] else nullcontext():
                hits = [measure(case, rng) for _ in range(repeats)]
            yield case, n, method, hits


def coverage_cases(repeats: int = 1000, n: int = 100) -> Iterator[tuple[str, int, str, list[bool]]]:
    """A line per metric and method: which 95% intervals hold the value of a million rows."""
    known = {name: float(value) for name, value in evaluated(scored(1_000_000, np.random.default_rng(1))).items()}
    for method in METHODS:
        rng = np.random.default_rng(n)
        with nothing_hidden() if method == METHODS[0] else nullcontext():
            found = [evaluated(scored(n, rng)) for _ in range(repeats)]
        for name in METRICS:
            yield name, n, method, [bool(one[name].low <= known[name] <= one[name].high) for one in found]
