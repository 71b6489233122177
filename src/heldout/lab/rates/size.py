"""How often tests reject: what is true (their size), and what is not (their power)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import nan, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import UsageError, did_you_mean
from heldout.formulas import Metric
from heldout.lab.rates.coverage import DRAWS
from heldout.lab.rates.repetition import check_repeats, monte_carlo_error, plain, repeated
from heldout.lab.simulated_rates import RejectionRates
from heldout.lab.worlds import Pair, metric_in, several_models
from heldout.stats.mcnemar_tests import Method, mcnemar
from heldout.stats.multiplicity import holm
from heldout.stats.outcome import Outcome
from heldout.verbs.compare.many_models import best_of_many
from heldout.verbs.compare.paired_difference import TESTS, difference
from heldout.verbs.compare.unpaired_difference import independent_difference
from heldout.verbs.measurement import Measurement
from heldout.verbs.parameters import documented
from heldout.verbs.settings import Settings

DISCORDANT: dict[str, Method] = {
    "auto": "midp",
    "mcnemar": "midp",
    "exact": "exact",
    "asymptotic": "asymptotic",
    "corrected": "corrected",
}
"""Tests of the rows on which models disagree, by the names that `compare` gives them."""


def discordance(first: float, second: float, correlation: float) -> tuple[float, float]:
    """Chances that the second model alone is right, and that the first alone is.

    Each is right where a normal of its own exceeds a bound; given what the normals share, they are independent.

    >>> [round(share, 4) for share in discordance(0.8, 0.8, 0.0)]
    [0.16, 0.16]
    """
    from scipy.special import ndtr, ndtri

    at = np.linspace(-9, 9, 4001)
    density = np.exp(-(at**2) / 2) / sqrt(2 * pi)
    one, other = (ndtr((sqrt(correlation) * at + ndtri(share)) / sqrt(1 - correlation)) for share in (first, second))
    both = float(np.trapezoid(density * one * other, at))
    return second - both, first - both


def rejected(more: float, less: float, n: int, method: Method, alpha: float) -> float:
    """P(p < alpha) of a McNemar test on n rows, b ~ more and c ~ less: over all (b, c), trinomial.

    >>> round(rejected(0.1, 0.1, 100, "exact", 0.05), 4)
    0.0294
    """
    from scipy.special import gammaln, xlogy

    total = np.arange(n + 1)
    fewer = np.array([_largest(int(m), method, alpha) for m in total])
    kept = fewer >= 0
    b = np.concatenate([np.r_[: k + 1, m - k : m + 1] for m, k in zip(total[kept], fewer[kept], strict=True)] or [[]])
    c = np.repeat(total[kept], 2 * (fewer[kept] + 1)) - b
    ways = gammaln(n + 1) - gammaln(b + 1) - gammaln(c + 1) - gammaln(n - b - c + 1)
    return float(np.sum(np.exp(ways + xlogy(b, more) + xlogy(c, less) + xlogy(n - b - c, 1 - more - less))))


def _largest(total: int, method: Method, alpha: float) -> int:
    """The largest smaller count of so many discordant rows that still rejects; -1 where none does."""
    half = total // 2 + 1
    return bisect_left(range(half), True, key=lambda k: mcnemar(total - k, k, method=method) >= alpha) - 1


SUMS = ("rejected", "undefined", "held", "judged", "width")
MANY = ("max_t", "holm")
"""Corrections for the number of models; the first is what `compare` does."""
KNOWN = ("auto", "unpaired", *TESTS)
COUNTED = 2000
"""Up to so many rows of plain coins every sample is counted."""
EQUAL = 1e-9
"""Models whose true values differ by no more are equally good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How often a test rejected in a world: its size where the models are equally good there, else its power."""

    test: str
    metric: str
    world: str
    n: int
    models: int
    alpha: float
    difference: float
    """How much more the second model really has."""
    rejected: float
    """The share of all repetitions in which the test rejected; one without an answer did not."""
    error: float
    """Monte-Carlo standard error of that share; 0 where all samples were enumerated."""
    undefined: float
    """The share of repetitions in which there was no p-value."""
    coverage: float
    """Coverage of the interval of the difference, where there was one; nan where all samples were enumerated."""
    width: float
    """Its mean width."""
    repeats: int
    """0 where all samples were enumerated."""

    @property
    def word(self) -> str:
        """Where models are equal: `too high` above 1.2 alpha, `timid` below half of it (by 3 errors), else `ok`."""
        if abs(self.difference) > EQUAL:
            return ""
        if self.rejected - 3 * self.error > 1.2 * self.alpha:
            return "too high"
        return "timid" if self.rejected + 3 * self.error < 0.5 * self.alpha else "ok"

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; undefined numbers are None."""
        return plain({**asdict(self), "word": self.word or None})


@documented()
def size(
    tests: str | Sequence[str],
    world: str,
    n: int,
    *,
    metrics: str | Sequence[str] | None = None,
    alpha: float = 0.05,
    repeats: int = 2000,
    random_state: int = 0,
    n_jobs: int = 1,
    n_resamples: int | None = None,
    into: str | Path | None = None,
) -> RejectionRates:
    """Simulated type I error of tests: how often they reject where models are equally good.

    Parameters
    ----------
    tests : str or sequence of str
        Tests by name: "auto" is what `compare` uses for the metric, "unpaired" gives each model rows of its own.
        With more than two models: "max_t" (as `compare` does) or "holm".
    world : str
        The simulation of two or more models, such as "pair-coin:p=0.8".
    n : int
        Number of rows of each data set.
    metrics : str or sequence of str, optional
        Metrics by name (default: the first of the simulation).
    alpha : float, default 0.05
        Level of the tests: they reject where p < alpha.
    repeats : int, default 2000
        Number of simulated data sets; small problems are enumerated instead, and are exact.
    <simulation_seed>
    <processes>
    n_resamples : int, optional
        Number of bootstrap or permutation resamples, for tests that resample (default: 999).
    <into>

    Returns
    -------
    RejectionRates
        One `Size` per metric and test, with its Monte-Carlo error. With more than two models: how often any of them
        is wrongly rejected.

    Raises
    ------
    UsageError
        If the models of the simulation are not equally good, or a name is not known.

    Examples
    --------
    >>> [round(rate.rejected, 4) for rate in size(["mcnemar", "exact"], "pair-coin:p=0.8", 50)]
    [0.0414, 0.0222]
    """
    spent: dict[str, Any] = {
        "repeats": repeats,
        "draws": n_resamples,
        "seed": random_state,
        "jobs": n_jobs,
        "into": into,
    }
    found = _measured(tests, world, n, metric=metrics, alpha=alpha, **spent)
    unequal = [one for one in found if abs(one.difference) > EQUAL]
    if unequal:
        one = unequal[0]
        fix = "leave out gain=, or ask for the power: heldout lab power"
        raise UsageError(f"the models of {world!r} differ by {one.difference:.3g} in {one.metric}", fix=fix)
    return _rates("size", found, world=world, n=n, alpha=alpha, seed=random_state)


@documented()
def power(
    tests: str | Sequence[str],
    world: str,
    n: int,
    *,
    metrics: str | Sequence[str] | None = None,
    alpha: float = 0.05,
    repeats: int = 2000,
    random_state: int = 0,
    n_jobs: int = 1,
    n_resamples: int | None = None,
    into: str | Path | None = None,
) -> RejectionRates:
    """Simulated power of tests: how often they reject where one model is better.

    Parameters
    ----------
    tests : str or sequence of str
        Tests by name: "auto" is what `compare` uses for the metric, "unpaired" gives each model rows of its own.
        With more than two models: "max_t" (as `compare` does) or "holm".
    world : str
        The simulation of two or more models, one of them better, such as "pair-coin:p=0.8,gain=0.05".
    n : int
        Number of rows of each data set.
    metrics : str or sequence of str, optional
        Metrics by name (default: the first of the simulation).
    alpha : float, default 0.05
        Level of the tests: they reject where p < alpha.
    repeats : int, default 2000
        Number of simulated data sets; small problems are enumerated instead, and are exact.
    <simulation_seed>
    <processes>
    n_resamples : int, optional
        Number of bootstrap or permutation resamples, for tests that resample (default: 999).
    <into>

    Returns
    -------
    RejectionRates
        One `Size` per metric and test, with its Monte-Carlo error.

    Raises
    ------
    UsageError
        If a name is not known.

    Examples
    --------
    >>> paired, = power("mcnemar", "pair-coin:p=0.8,gain=0.05", 400)
    >>> round(paired.difference, 3), round(paired.rejected, 2)
    (0.05, 0.64)
    """
    spent: dict[str, Any] = {
        "repeats": repeats,
        "draws": n_resamples,
        "seed": random_state,
        "jobs": n_jobs,
        "into": into,
    }
    found = _measured(tests, world, n, metric=metrics, alpha=alpha, **spent)
    equal = [one for one in found if abs(one.difference) <= EQUAL]
    if equal:
        fix = "write gain=0.05, or ask for the size: heldout lab size"
        raise UsageError(f"the models of {world!r} are equally good in {equal[0].metric}", fix=fix)
    return _rates("power", found, world=world, n=n, alpha=alpha, seed=random_state)


def _rates(question: str, rates: tuple[Size, ...], *, world: str, n: int, alpha: float, seed: int) -> RejectionRates:
    setting = {"question": question, "world": world, "n": n, "models": rates[0].models, "alpha": alpha, "seed": seed}
    return RejectionRates(rates=rates, setting=setting)


def _measured(
    tests: str | Sequence[str],
    world: str,
    n: int,
    *,
    metric: str | Sequence[str] | None,
    alpha: float,
    repeats: int,
    draws: int | None,
    **shared_out: Any,
) -> tuple[Size, ...]:
    if n < 2:
        raise UsageError(f"n is {n}, but must be two rows or more", fix="write n=50 (--n 50)")
    if not 0 < alpha < 0.5:
        raise UsageError(f"alpha is {alpha:g}, which is not a significance level", fix="write a number such as 0.05")
    check_repeats(repeats)
    pair = several_models(world)
    metrics = _metrics(pair, metric)
    names = [tests] if isinstance(tests, str) else list(tests)
    for name in names:
        _known(name, pair, metrics)
    counted = is_counted(pair, names, metrics, n)
    if draws is not None and "auto" not in names and not resamples(pair, names, metrics, n):
        message = f"n_resamples has no effect on {', '.join(names)}, which {'does' if len(names) == 1 else 'do'}"
        raise UsageError(f"{message} not resample", fix="leave out n_resamples")
    if counted:
        return tuple(_counted(pair, n, one.name, name, alpha) for one in metrics for name in names)
    job = Rejections(
        world, n, tuple(one.name for one in metrics), tuple(names), alpha, DRAWS if draws is None else draws
    )
    sums = repeated(job, repeats, **shared_out) / repeats
    facts: dict[str, Any] = {"world": world, "n": n, "models": len(pair.models), "alpha": alpha, "repeats": repeats}
    return tuple(
        _found(name, one.name, pair.truth(one.name), sums[i, j], facts)
        for j, one in enumerate(metrics)
        for i, name in enumerate(names)
    )


def _metrics(pair: Pair, metric: str | Sequence[str] | None) -> list[Metric]:
    names = [next(iter(pair.values[0]))] if metric is None else [metric] if isinstance(metric, str) else list(metric)
    found = [metric_in(pair, name) for name in names]
    for one in found:
        pair.truth(one.name)  # says so where it is not known
    return found


def _known(name: str, pair: Pair, metrics: Sequence[Metric]) -> None:
    """Refuse a test that is not known, or that a metric would leave for its own."""
    many = len(pair.models) > 2
    known = ("auto", *MANY) if many else KNOWN
    if name not in known:
        fix = f"choose one of {', '.join(known)}"
        of = f" for {len(pair.models)} models" if many else ""
        raise UsageError(f"no test{of} is named {name!r}{did_you_mean(name, known)}", fix=fix)
    if many or name in ("auto", "unpaired"):
        return
    drawn = pair.draw(20, np.random.default_rng(0))
    suits, _, words = TESTS[name]
    for one in metrics:
        if not suits(one, Measurement(drawn[pair.models[0]], Settings(cost=pair.recipes[0].cost))):
            raise UsageError(f"{name} is not a test for {one.name} in {pair.name!r}", fix=f"it is for {words}")


def resamples(pair: Pair, tests: Sequence[str], metrics: Sequence[Metric], n: int) -> bool:
    """Whether any of these tests may resample the rows."""
    drawn = {"auto", "unpaired", *MANY, "permutation", "bootstrap"}
    return bool(drawn & set(tests)) and not is_counted(pair, tests, metrics, n)


def is_counted(pair: Pair, tests: Sequence[str], metrics: Sequence[Metric], n: int) -> bool:
    """Whether a sample is one of few kinds: plain coins, and tests of the rows on which they disagree."""
    few = pair.family == "coin" and pair.drawing.plain and len(pair.models) == 2 and n <= COUNTED
    return few and set(tests) <= set(DISCORDANT) and {one.name for one in metrics} <= {"accuracy", "error_rate"}


def _counted(pair: Pair, n: int, metric: str, test: str, alpha: float) -> Size:
    """Every number of rows on which one model only is right, with its probability."""
    shares = [float(values["accuracy"]) for values in pair.values]
    chances = discordance(shares[0], shares[1], pair.correlation)
    return Size(
        test=test,
        metric=metric,
        world=pair.name,
        n=n,
        models=2,
        alpha=alpha,
        difference=pair.truth(metric),
        rejected=rejected(*chances, n, DISCORDANT[test], alpha),
        error=0.0,
        undefined=0.0,
        coverage=nan,
        width=nan,
        repeats=0,
    )


def _found(test: str, metric: str, truth: float, shares: Array, facts: dict[str, Any]) -> Size:
    share, undefined, held, judged, width = (float(part) for part in shares)
    return Size(
        test=test,
        metric=metric,
        difference=truth,
        rejected=share,
        error=monte_carlo_error(share, facts["repeats"]),
        undefined=undefined,
        coverage=held / judged if judged else nan,
        width=width / judged if judged else nan,
        **facts,
    )


@dataclass(frozen=True)
class Rejections:
    """The job behind `size` and `power`: rejections by tests of metrics, on resampled rows each time."""

    world: str
    n: int
    metrics: tuple[str, ...]
    tests: tuple[str, ...]
    alpha: float
    draws: int

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        """Sums by test, metric and what is in `SUMS`."""
        pair = several_models(self.world)
        metrics = [(metric_in(pair, name), pair.truth(name)) for name in self.metrics]
        sums = np.zeros((len(self.tests), len(metrics), len(SUMS)))
        for _ in range(repeats):
            drawn = pair.draw(self.n, rng)
            apart = pair.draw(round(self.n * pair.ratio), rng) if "unpaired" in self.tests else {}
            seed = int(rng.integers(2**31))
            asked = Settings(level=1 - self.alpha, draws=self.draws, seed=seed, cost=pair.recipes[0].cost)
            measured, other = _measurements(drawn, asked), _measurements(apart, asked)
            for i, test in enumerate(self.tests):
                for j, (metric, truth) in enumerate(metrics):
                    found = _tested(test, metric, measured, other)
                    p = _together(test, metric, measured, [one.pvalue for one in found])
                    sums[i, j] += _judged(p, found[0], truth, self.alpha)
        return sums


def _measurements(drawn: dict[str, Batch], asked: Settings) -> dict[str, Measurement]:
    return {name: Measurement(batch, asked) for name, batch in drawn.items()}


def _tested(
    test: str, metric: Metric, measured: dict[str, Measurement], other: dict[str, Measurement]
) -> list[Outcome]:
    """The differences of the later models from the first."""
    base, *names = measured
    if test == "unpaired":
        return [independent_difference(metric, other[names[0]], measured[base])]
    named = test if test in TESTS else None
    return [difference(metric, measured[name], measured[base], named) for name in names]


def _together(test: str, metric: Metric, measured: dict[str, Measurement], given: list[float]) -> Array:
    """P-values, corrected for the number of models where there are several."""
    p = np.array(given)
    if len(p) == 1:
        return p
    if test == "holm":
        known = ~np.isnan(p)
        p[known] = holm(p[known])
        return p
    base, *names = measured
    many = best_of_many(metric, measured, base)
    return p if many is None else np.fmax(p, [many.adjusted[name] for name in names])


def _judged(p: Array, found: Outcome, truth: float, alpha: float) -> Array:
    """What one repetition adds to `SUMS`; ends that differ from the truth by rounding hold it."""
    smallest = np.nanmin(np.append(p, 1.0))
    judged = not np.isnan(found.low + found.high)
    held = judged and found.low - 1e-12 <= truth <= found.high + 1e-12
    width = found.high - found.low if judged else 0.0
    return np.array([smallest < alpha, np.isnan(p).all(), held, judged, width], dtype=float)
