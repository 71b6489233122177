"""Rates that pages and docstrings state and no other file has: simulated here, in minutes, by `make page-rates`.

The file docs/measured/page-rates.json has a line per case, number of units and method: how often it rejected a true
null at 5%, or covered the truth at 95%, or found a difference (power), with its Monte-Carlo standard error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

import heldout
from benchmarks import few_clusters, known_misses, unequal_weights
from benchmarks.dependent_series import SERIES
from heldout.intervals.confidence_sequences import asymptotic_pvalue, betting_pvalue
from heldout.intervals.long_run import long_run
from heldout.intervals.scales import critical_t
from heldout.intervals.unit_spread import skew_adjusted_pvalue, spread_of_units
from heldout.lab.rates import outside_data
from heldout.planning import areas_power, hanley_mcneil_power
from heldout.stats.distribution_shift import shifts

TARGET = Path(__file__).parents[1] / "docs" / "measured" / "page-rates.json"
Rng = np.random.Generator
Array = np.ndarray
Line = dict[str, Any]
ALPHA = 0.05


def line(area: str, case: str, n: int, method: str, hits: Any, **more: float) -> Line:
    """A rate with its Monte-Carlo error."""
    rate, repeats = float(np.mean(hits)), len(hits)
    error = float(np.sqrt((rate * repeats + 1) * (repeats - rate * repeats + 1) / (repeats + 2) ** 3))
    place = {"area": area, "case": case, "n": n, "method": method}
    return {**place, "rate": round(rate, 4), "error": round(error, 4), "repeats": repeats, **more}


def t_rejects(values: Array) -> bool:
    """Whether Student's t rejects a mean of 0."""
    n = len(values)
    return bool(abs(values.mean()) > critical_t(0.95, n - 1) * values.std(ddof=1) / np.sqrt(n))


# Means of values that depend on those before.
def fixed_b(values: Array) -> bool:
    """Newey and West's variance with a bandwidth of 1.3 root n, and fixed-b critical values for Bartlett weights."""
    n = len(values)
    reach = int(np.ceil(1.3 * np.sqrt(n)))
    centred = values - values.mean()
    sums = [centred[lag:] @ centred[: n - lag] / n for lag in range(reach + 1)]
    variance = sums[0] + 2 * sum((1 - lag / (reach + 1)) * sums[lag] for lag in range(1, reach + 1))
    b = reach / n
    critical = 1.96 + 2.9694 * b + 0.4160 * b**2 - 0.5324 * b**3
    return bool(abs(values.mean()) > critical * np.sqrt(max(variance, 0.0) / n))


def reach_of(values: Array, horizon: int | None = None) -> float:
    """Half of the width of the interval of the mean."""
    found = long_run(values / len(values), horizon)
    return critical_t(0.95, found.df) * np.sqrt(found.variance)


def time(repeats: int = 10_000) -> Iterator[Line]:
    for case, n, horizon, draw in SERIES:
        rng = np.random.default_rng([n, len(case)])
        series = draw(rng, repeats, n)
        means = series.mean(axis=1)
        known = 1.96 * means.std()
        own = np.array([reach_of(one) for one in series])
        out = partial(line, "time", case, n)
        yield out("taken for independent", [t_rejects(one) for one in series])
        yield out("cosines alone", [abs(one.mean()) > reach_of(one, 1) for one in series])
        yield out("fixed-b Bartlett", [fixed_b(one) for one in series])
        yield out("this", np.abs(means) > own, width=round(float(np.median(own) / known), 3))
        if horizon:
            given = np.array([reach_of(one, horizon) for one in series])
            yield out("with --horizon", np.abs(means) > given, width=round(float(np.median(given) / known), 3))
        if case.startswith("squared"):  # the values are squares less their mean of 1
            shifted = means + 1
            yield out("on the log scale", np.abs(np.log(shifted)) > own / shifted)


# Means of skewed differences.
def log_loss(rng: Rng, n: int) -> Array:
    """Both models are right on 85% of rows; one gives them 97%, the other what has the same mean loss."""
    wanted = -0.85 * np.log(0.97) - 0.15 * np.log(0.03)
    modest = brentq(lambda chance: -0.85 * np.log(chance) - 0.15 * np.log(1 - chance) - wanted, 0.3, 0.85)
    sure, less = (np.where(rng.random(n) < 0.85, chance, 1 - chance) for chance in (0.97, modest))
    return np.log(less) - np.log(sure)


def zero_inflated(rng: Rng, n: int) -> Array:
    return rng.binomial(1, 0.1, n) * rng.exponential(10, n) - np.abs(rng.standard_normal(n)) * np.sqrt(np.pi / 2)


def squared_lognormal(rng: Rng, n: int) -> Array:
    return np.exp(2 * rng.standard_normal(n)) - np.e**2 * rng.standard_normal(n) ** 2


def normal(rng: Rng, n: int) -> Array:
    return rng.standard_normal(n)


SKEWED: tuple[tuple[str, Callable[[Rng, int], Array], tuple[int, ...]], ...] = (
    ("log loss, one model too sure of itself", log_loss, (15, 30, 60)),
    ("absolute errors, one model zero-inflated", zero_inflated, (15, 30, 60, 200)),
    ("squared lognormal errors against normal ones", squared_lognormal, (30, 60, 600)),
    ("normal differences", normal, (15, 600)),
)


def skewness(repeats: int = 6000) -> Iterator[Line]:
    for case, draw, sizes in SKEWED:
        for n in sizes:
            rng = np.random.default_rng([n, len(case)])
            drawn = [draw(rng, n) for _ in range(repeats)]
            found = [skew_adjusted_pvalue(float(one.mean()), spread_of_units(one / n)) < ALPHA for one in drawn]
            yield line("skewness", case, n, "Student's t", [t_rejects(one) for one in drawn])
            yield line("skewness", case, n, "skewness-adjusted t", found)


# A confidence sequence, looked at from 50 to 5,000 rows.
LOOKS = np.unique(np.geomspace(50, 5000, 60).astype(int))


def disagreeing(share: float, rng: Rng, n: int) -> Array:
    return rng.choice([-1.0, 0.0, 1.0], n, p=[share / 2, 1 - share, share / 2])


def rare_loss(rng: Rng, n: int) -> Array:
    return np.where(rng.random(n) < 0.02, -0.98, 0.02)


def lognormal_pair(rng: Rng, n: int) -> Array:
    return rng.lognormal(size=n) - rng.lognormal(size=n)


def lognormal_alone(rng: Rng, n: int) -> Array:
    return rng.lognormal(size=n) - np.exp(0.5)


def mostly_zero(rng: Rng, n: int) -> Array:
    return rng.binomial(1, 0.1, n) * rng.exponential(1, n) - 0.1


def far_off(rng: Rng, n: int) -> Array:
    return (np.where(rng.random(n) < 0.1, 5.0, 1.0) * rng.standard_normal(n)) ** 2 - 3.4


SEQUENCES: tuple[tuple[str, str, Callable[[Rng, int], Array]], ...] = (
    ("models disagree on 1% of the rows", "betting", partial(disagreeing, 0.01)),
    ("on 5%", "betting", partial(disagreeing, 0.05)),
    ("on 40%", "betting", partial(disagreeing, 0.4)),
    ("small gains, a large loss in 2% of the rows", "betting", rare_loss),
    ("normal", "asymptotic", normal),
    ("lognormal less lognormal", "asymptotic", lognormal_pair),
    ("lognormal", "asymptotic", lognormal_alone),
    ("nine of ten zero", "asymptotic", mostly_zero),
    ("squared errors, a tenth far off", "asymptotic", far_off),
)


def asymptotic(rows: Array) -> float:
    """Anytime-valid p-value, with the skewness of the rows themselves."""
    found = spread_of_units(rows / len(rows))
    return asymptotic_pvalue(float(rows.mean()), found.error, len(rows), found.skewness * np.sqrt(len(rows)))


def sequences(repeats: int = 1000) -> Iterator[Line]:
    tests: dict[str, Callable[[Array], float]] = {"betting": betting_pvalue, "asymptotic": asymptotic}
    for case, kind, draw in SEQUENCES:
        rng = np.random.default_rng(len(case))
        drawn = [draw(rng, LOOKS[-1]) for _ in range(repeats)]
        found = [any(tests[kind](one[:n]) < ALPHA for n in LOOKS) for one in drawn]
        yield line("sequences", case, int(LOOKS[-1]), kind, found)


# Tests of two models on few rows of a class.
def few_of_a_class(repeats: int = 1000) -> Iterator[Line]:
    """Equal models at different operating points, and areas near 1 of models that spread differently."""
    points = outside_data.operating_points
    settings = (
        ("equal f1, 10% positive", points(0.1, (0.9, 0.3), (0.6, 0.162962963)), 60, "f1"),
        ("equal f1, 10% positive", points(0.1, (0.9, 0.3), (0.6, 0.162962963)), 30, "f1"),
        ("equal balanced accuracy, 10% positive", points(0.1, (0.9, 0.3), (0.7, 0.1)), 60, "balanced_accuracy"),
        ("equal balanced accuracy, 10% positive", points(0.1, (0.9, 0.3), (0.7, 0.1)), 30, "balanced_accuracy"),
        ("near 1, AUC 0.96, 5% positive", outside_data.same_area(0.05, 0.96, 3.0), 400, "roc_auc"),
        ("near 1, AUC 0.97, 5% positive", outside_data.same_area(0.05, 0.97, 3.0), 400, "roc_auc"),
        ("near 1, AUC 0.99, 5% positive", outside_data.same_area(0.05, 0.99, 3.0), 400, "roc_auc"),
        ("near 1, AUC 0.97, 20% positive", outside_data.same_area(0.2, 0.97, 3.0), 75, "roc_auc"),
    )
    for case, draw, n, metric in settings:
        rng, found = np.random.default_rng([n, len(case)]), []
        while len(found) < repeats:
            given = draw(rng, n)
            if given["y_true"].sum() >= 2:
                found.append(compared(given, metric))
        yield line("few", case, n, "default", found)


def compared(given: dict[str, Any], metric: str) -> bool:
    """Whether two models differ significantly, by the default test."""
    told = heldout.compare(given["y_true"], given["models"], primary=metric, metrics=metric)
    return bool(told[metric].pvalue < ALPHA)


# The power of a plan for areas where scores are not what the plan takes for granted.
Scores = Callable[[Rng, Array, float], Array]


def normals(spread: float, rng: Rng, truth: Array, area: float) -> Array:
    """Scores with this area, of which positives spread so many times as far."""
    return rng.normal(truth * ndtri(area) * np.sqrt(1 + spread**2), np.where(truth == 1, spread, 1.0))


def exponentials(rng: Rng, truth: Array, area: float) -> Array:
    return rng.exponential(np.where(truth == 1, area / (1 - area), 1.0))


PLANS: tuple[tuple[str, Callable[..., float], str, Scores], ...] = (
    ("binormal", areas_power, "normal, equal spread", partial(normals, 1.0)),
    ("binormal", areas_power, "normal, positives 1.5 times as far", partial(normals, 1.5)),
    ("binormal", areas_power, "normal, positives 0.7 times as far", partial(normals, 0.7)),
    ("binormal", areas_power, "exponential", exponentials),
    ("hanley_mcneil", hanley_mcneil_power, "exponential", exponentials),
    ("hanley_mcneil", hanley_mcneil_power, "normal, equal spread", partial(normals, 1.0)),
)


def plans(repeats: int = 500) -> Iterator[Line]:
    """Two models whose areas are 0.75 and 0.85, with the rows that give a planned power of 80%."""
    for method, power, scores, draw in PLANS:
        for prevalence in (0.1, 0.5, 0.9):
            n = next(n for n in range(20, 9999, 5) if power(0.75, 0.85, prevalence * n, (1 - prevalence) * n,
                                                            level=0.95) >= 0.8)  # fmt: skip
            rng = np.random.default_rng([n, len(scores)])
            truth = (np.arange(n) < round(prevalence * n)).astype(int)
            found = [
                compared({"y_true": truth, "models": {"a": draw(rng, truth, 0.75), "b": draw(rng, truth, 0.85)}},
                         "roc_auc")
                for _ in range(repeats)
            ]  # fmt: skip
            yield line("plans", f"{scores}, {prevalence:g} positive", n, method, found)


# Average precision of a ranked list.
def ranked(repeats: int = 500) -> Iterator[Line]:
    """Objects found with a chance of 0.9 or 0.6, and false detections; scores are normal, and apart by 1 or 2.5."""
    for objects in (12, 25, 60, 150):
        for chance, apart in ((0.6, 1.0), (0.97, 2.5)):
            rng = np.random.default_rng([objects, int(100 * chance)])
            truth = float(np.mean([average_precision(*listed(rng, 2000, chance, apart), 2000) for _ in range(50)]))
            found = []
            for _ in range(repeats):
                correct, score = listed(rng, objects, chance, apart)
                ap = heldout.detect_ranked(correct, objects, score=score, n_resamples=400)["AP"]
                found.append(ap.low <= truth <= ap.high)
            yield line("ranked", f"found {chance:.0%}, scores {apart:g} apart, AP {truth:.2f}", objects, "AP", found)


def listed(rng: Rng, objects: int, chance: float, apart: float) -> tuple[Array, Array]:
    """Whether each detection found an object, and its score; the first one did, so that there is a list."""
    hits, false = max(rng.binomial(objects, chance), 1), rng.poisson(0.4 * objects)
    correct = np.repeat([1, 0], [hits, false])
    return correct, rng.normal(apart * correct)


def average_precision(correct: Array, score: Array, objects: int) -> float:
    ordered = correct[np.argsort(-score)]
    return float((ordered * np.cumsum(ordered) / np.arange(1, len(ordered) + 1)).sum() / objects)


# Distribution shift where there is none.
def heavy(rng: Rng, n: int) -> dict[str, Array]:
    return {name: rng.standard_t(2, n) for name in "abcd"}


def ties(rng: Rng, n: int) -> dict[str, Array]:
    return {name: rng.poisson(1.0, n).astype(float) for name in "abcd"}


def correlated(rng: Rng, n: int) -> dict[str, Array]:
    common = rng.standard_normal(n)
    return {name: common + 0.3 * rng.standard_normal(n) for name in "abcdef"}


def levels(rng: Rng, n: int) -> dict[str, Array]:
    return {name: np.array([f"level {k}" for k in rng.zipf(1.8, n) % 40]) for name in "ab"}


def shift(repeats: int = 300) -> Iterator[Line]:
    for draw in (heavy, ties, correlated, levels):
        for n in (100, 400):
            rng = np.random.default_rng([n, len(draw.__name__)])
            pairs = ((draw(rng, n), draw(rng, n)) for _ in range(repeats))
            found = [min(one.adjusted for one in shifts(a, b, seed=0, level=0.95)) < ALPHA for a, b in pairs]
            yield line("shift", draw.__name__, n, "all tests", found)


def misses() -> Iterator[Line]:
    """What does not hold."""
    yield from (line("misses", *case) for case in known_misses.cases())


def carriers() -> Iterator[Line]:
    """Metrics that rest on few of the clusters."""
    yield from (line("carriers", *case) for case in few_clusters.cases())


def weights() -> Iterator[Line]:
    """Rows of very unequal weight, and clusters of very unequal size."""
    yield from (line("weights", *case) for case in unequal_weights.cases())


def weighted_intervals() -> Iterator[Line]:
    """Intervals of rows of very unequal weight."""
    yield from (line("weighted intervals", *case) for case in unequal_weights.coverage_cases())


PARTS = {"time": time, "skewness": skewness, "sequences": sequences, "few": few_of_a_class, "plans": plans,
         "ranked": ranked, "shift": shift, "misses": misses, "carriers": carriers,
         "weights": weights, "weighted intervals": weighted_intervals}  # fmt: skip


def write(names: list[str]) -> None:
    """Measure these parts, and keep what the file has of the others."""
    kept = json.loads(TARGET.read_text(encoding="utf-8"))["results"] if TARGET.exists() else []
    results = [one for name, part in PARTS.items()
               for one in (part() if name in names else [one for one in kept if one["area"] == name])]  # fmt: skip
    lines = ",\n  ".join(json.dumps(one) for one in results)
    text = f'{{"heldout": "{heldout.__version__}", "alpha": {ALPHA}, "results": [\n  {lines}\n]}}\n'
    TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1:] or list(PARTS))
