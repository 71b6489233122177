"""Coverage of intervals: by enumerating every sample where there are few, else by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import combinations
from math import comb, nan
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.estimates.interval_choice import KINDS, known_method
from heldout.formulas import METRICS, Metric, metric as named_metric
from heldout.intervals.scales import checked_level
from heldout.intervals.shares import SHARES
from heldout.lab.rates.many_samples import Asked as AskedOfSamples, Samples, every_end, stacked_samples
from heldout.lab.rates.repetition import check_repeats, monte_carlo_error, plain, repeated
from heldout.lab.simulated_rates import CoverageRates
from heldout.lab.worlds import World, metric_in, moved, one_model
from heldout.verbs.measurement import DRAWN_METHODS
from heldout.verbs.parameters import documented

FEW_TABLES = 2000
"""Up to so many tables are all gone through: of two classes, those of up to 20 rows."""


def is_of_tables(place: World, methods: tuple[str, ...], metrics: Sequence[str]) -> bool:
    """Whether a table is all that these methods need of the rows of a world for these metrics."""
    counted = all(named_metric(name).reads == "labels" for name in metrics)
    tables = place.recipe.chances is not None and place.drawing.plain
    return tables and counted and not set(methods) & set(DRAWN_METHODS)


def resamples(place: World, methods: Sequence[str], metrics: Sequence[str]) -> bool:
    """Whether any of these methods may resample the rows of a world for these metrics."""
    if _is_counted(place, methods) or is_of_tables(place, tuple(methods), metrics):
        return False
    return bool({"auto", *DRAWN_METHODS} & set(methods))


def is_enumerated(place: World, methods: Sequence[str], metrics: Sequence[str], n: int) -> bool:
    """Whether every sample is gone through instead of being drawn."""
    return _is_counted(place, methods) or (few_tables(place, n) and is_of_tables(place, tuple(methods), metrics))


def few_tables(place: World, n: int) -> bool:
    """Whether n rows of a world of tables can be one of few tables only.

    >>> from heldout.lab.worlds import one_model
    >>> [few_tables(one_model("labels"), n) for n in (20, 21)]
    [True, False]
    """
    chances = place.recipe.chances
    if chances is None or place.drawing.fixed:
        return False
    cells = np.count_nonzero(chances)
    return comb(n + cells - 1, cells - 1) <= FEW_TABLES


def every_table(chances: Array, n: int) -> tuple[Array, Array]:
    """All tables of n rows, and how likely each is: the multinomial law of these chances.

    >>> tables, likely = every_table(np.array([[0.5, 0.0], [0.25, 0.25]]), 2)
    >>> tables[0].tolist(), likely.round(6).tolist()
    ([[0, 0], [0, 2]], [0.0625, 0.125, 0.0625, 0.25, 0.25, 0.25])
    """
    from scipy.special import gammaln

    cells = np.flatnonzero(chances)
    # n rows and the bars between cells, in any order
    bars = np.array(list(combinations(range(n + len(cells) - 1), len(cells) - 1)), dtype=int)
    ends = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, n + len(cells) - 1)))
    counts = np.diff(ends, axis=1) - 1
    ways = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1)
    likely = np.exp(ways + counts @ np.log(chances.flat[cells]))
    tables = np.zeros((len(counts), chances.size), dtype=int)
    tables[:, cells] = counts
    return tables.reshape(-1, *chances.shape), likely


SUMS = ("held", "below", "above", "width", "answered")
STEPS = 41
"""True values of a window where every sample is counted."""
DRAWS = 999
"""Resamples of methods that resample, unless another number is asked for."""
FEW_STEPS = 5
"""The same where samples are drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How often a method's interval contained the true value in a world."""

    method: str
    metric: str
    world: str
    n: int
    level: float
    truth: float
    coverage: float
    """The share of repetitions whose interval contained the true value; with a window, the mean over it."""
    error: float
    """Monte-Carlo standard error of that share; 0 where all samples were enumerated."""
    width: float
    """The mean width."""
    below: float
    """The share of repetitions in which the whole interval lay below the truth."""
    above: float
    undefined: float
    """The share of repetitions without an interval, which are counted nowhere else."""
    minimum: float
    """The lowest coverage in the window; without one, the coverage itself."""
    repeats: int
    """0 where all samples were enumerated."""

    @property
    def word(self) -> str:
        """`too low` or `wide` where coverage lies outside the goal by more than two Monte-Carlo errors, else `ok`.

        At 95% the goal is 93 to 97.5%: as far from the level as 0.4 and 0.5 of what is left of it.
        """
        left = 1 - self.level
        if self.coverage + 2 * self.error < self.level - 0.4 * left:
            return "too low"
        return "wide" if self.coverage - 2 * self.error > self.level + 0.5 * left else "ok"

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; undefined numbers are None."""
        return plain({**asdict(self), "word": self.word})


@documented()
def coverage(
    methods: str | Sequence[str],
    world: str,
    n: int,
    *,
    metrics: str | Sequence[str] | None = None,
    confidence_level: float = 0.95,
    repeats: int = 10_000,
    random_state: int = 0,
    n_jobs: int = 1,
    window: float | None = None,
    n_resamples: int | None = None,
    into: str | Path | None = None,
) -> CoverageRates:
    """Simulated coverage of confidence intervals: how often they contain the true value.

    Parameters
    ----------
    methods : str or sequence of str
        Interval methods by name; "auto" is the default of the metric.
    world : str
        The simulation, such as "coin:p=0.01"; `heldout lab world` lists all.
    n : int
        Number of rows of each data set.
    metrics : str or sequence of str, optional
        Metrics by name (default: the first of the simulation).
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.
    repeats : int, default 10000
        Number of simulated data sets; small problems are enumerated instead, and are exact.
    <simulation_seed>
    <processes>
    window : float, optional
        Average over true values up to this share smaller and larger, such as 0.2: the coverage for shares jumps
        between neighbouring true values.
    n_resamples : int, optional
        Number of bootstrap resamples, for methods that resample (default: 999).
    <into>

    Returns
    -------
    CoverageRates
        One `Coverage` per metric and method, with its Monte-Carlo error.

    Raises
    ------
    UsageError
        If a name is not known, a method does not suit the metric, or a number is out of range.

    Examples
    --------
    >>> [f"{rate.method} {rate.coverage:.3f}" for rate in coverage(["normal", "clopper_pearson"], "coin:p=0.01", 50)]
    ['normal 0.395', 'clopper_pearson 0.986']
    """
    if n < 1:
        raise UsageError(f"n is {n}, but must be one row or more", fix="write n=50 (--n 50)")
    check_repeats(repeats)
    checked_level(confidence_level)
    first = one_model(world)
    chosen = _metrics(first, metrics)
    named = [known_method(name) for name in ([methods] if isinstance(methods, str) else methods)]
    for one in chosen:
        for name in named:
            _suiting(name, one)
    of_tables = is_of_tables(first, tuple(named), [one.name for one in chosen])
    if n_resamples is not None and "auto" not in named and not resamples(first, named, [one.name for one in chosen]):
        message = f"n_resamples has no effect on {', '.join(named)}, which {'does' if len(named) == 1 else 'do'}"
        raise UsageError(f"{message} not resample", fix="leave out n_resamples")
    draws = DRAWS if n_resamples is None else n_resamples
    words = [world] if window is None else [moved(world, factor) for factor in _factors(first, window)]
    if _is_counted(first, named):
        parts = [_counted(word, n, chosen, named, confidence_level) for word in words]
        done = 0
    elif few_tables(first, n) and of_tables:
        parts = [_over_tables(word, n, chosen, named, confidence_level) for word in words]
        done = 0
    else:
        done = repeats
        parts = []
        for step, word in enumerate(words):
            job = Holding(word, n, tuple(one.name for one in chosen), tuple(named), confidence_level, draws)
            own = random_state if window is None else (random_state, step)  # worlds of a window share no draw
            parts.append(repeated(job, repeats, seed=own, jobs=n_jobs, into=into))
    facts = {"world": world, "n": n, "level": confidence_level, "repeats": done}
    rates = tuple(
        _found(name, one.name, first.truth(one.name), [part[i, j] for part in parts], facts)
        for j, one in enumerate(chosen)
        for i, name in enumerate(named)
    )
    return CoverageRates(
        rates=rates, setting={"world": world, "n": n, "level": confidence_level, "window": window, "seed": random_state}
    )


def _metrics(first: World, metric: str | Sequence[str] | None) -> list[Metric]:
    names = [next(iter(first.values))] if metric is None else [metric] if isinstance(metric, str) else list(metric)
    found = [metric_in(first, name) for name in names]
    for one in found:
        first.truth(one.name)  # says so where it is not known
    return found


def _suiting(method: str, metric: Metric) -> None:
    """Refuse a method that a metric would leave for its default."""
    behind = METRICS[metric.via[0]] if metric.via else metric
    if method not in KINDS[behind.interval]:
        known = f"it has {', '.join(KINDS[behind.interval])}"
        raise UsageError(f"{method} is not an interval method for {metric.name}", fix=known)


def _factors(first: World, window: float) -> Array:
    if not 0 < window < 1:
        raise UsageError(f"the window is {window:g}, but must lie between 0 and 1", fix="for 20% write 0.2")
    return np.linspace(1 - window, 1 + window, STEPS if first.family == "coin" else FEW_STEPS)


def _is_counted(first: World, methods: Sequence[str]) -> bool:
    """Whether a sample is one of n + 1 kinds: a plain coin, and intervals made of counts."""
    return first.family == "coin" and first.drawing.plain and all(name in SHARES or name == "auto" for name in methods)


def _counted(word: str, n: int, metrics: Sequence[Metric], methods: Sequence[str], level: float) -> Array:
    """`SUMS` over all samples, each with its probability."""
    truths = [one_model(word).truth(one.name) for one in metrics]
    return np.array([[_enumerated(truth, n, name, level) for truth in truths] for name in methods])


@lru_cache(maxsize=64)
def _ends(method: str, n: int, level: float) -> tuple[Array, Array]:
    """The ends of a share's interval for every number of successes: the same in all worlds."""
    interval = SHARES["wilson" if method == "auto" else method]
    low, high = np.array([interval(x, n, level) for x in range(n + 1)]).T
    return low, high


def _enumerated(truth: float, n: int, method: str, level: float) -> list[float]:
    """Exact sums for a share: each number of successes with its binomial probability.

    >>> round(_enumerated(0.01, 50, "wilson", 0.95)[0], 3)
    0.911
    """
    from scipy.special import gammaln, xlog1py, xlogy

    counts = np.arange(n + 1)
    ways = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1)
    chance = np.exp(ways + xlogy(counts, truth) + xlog1py(n - counts, -truth))
    low, high = _ends(method, n, level)
    below, above = float(chance @ (high < truth)), float(chance @ (low > truth))
    return [1 - below - above, below, above, float(chance @ (high - low)), 1.0]


def _over_tables(word: str, n: int, metrics: Sequence[Metric], methods: Sequence[str], level: float) -> Array:
    """`SUMS` over all tables of truths and predictions, each with its probability."""
    place = one_model(word)
    assert place.recipe.chances is not None
    tables, likely = every_table(place.recipe.chances, n)
    names = [one.name for one in metrics]
    samples = Samples(
        count=len(tables), rows=n, tables=tables, facts=place.recipe.facts, asked=AskedOfSamples(level=level)
    )
    held = held_sums(every_end(samples, names, methods), _truths(place, names))
    return np.asarray(np.tensordot(likely, held, axes=1))


def _truths(place: World, names: Sequence[str]) -> Array:
    return np.array([place.truth(name) for name in names])


@dataclass(frozen=True)
class Holding:
    """The job behind `coverage`: intervals of methods for metrics, on resampled rows each time."""

    world: str
    n: int
    metrics: tuple[str, ...]
    methods: tuple[str, ...]
    level: float
    draws: int

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        """Sums by method, metric and what is in `SUMS`."""
        place = one_model(self.world)
        batches, seeds = [], []
        for _ in range(repeats):
            batches.append(place.draw(self.n, rng))
            seeds.append(int(rng.integers(2**31)))
        samples = stacked_samples(place, batches, AskedOfSamples(level=self.level, draws=self.draws))
        # where nothing resamples, no seed matters, and tables that are alike are answered once
        each = 0 if is_of_tables(place, self.methods, self.metrics) else np.array(seeds)
        ends = every_end(samples, self.metrics, self.methods, each)
        return np.asarray(held_sums(ends, _truths(place, self.metrics)).sum(axis=0))


def held_sums(ends: Array, truths: Array) -> Array:
    """What intervals add to `SUMS`; ends that differ from the truth by rounding hold it.

    >>> held_sums(np.array([[0.2, 0.5]]), np.array([0.6])).tolist()
    [[0.0, 1.0, 0.0, 0.3, 1.0]]
    """
    low, high = ends[..., 0], ends[..., 1]
    answered = low <= high
    slack = 1e-9 * np.maximum(np.abs(truths), 1e-3)
    below, above = answered & (high < truths - slack), answered & (low > truths + slack)
    width = np.subtract(high, low, out=np.zeros_like(high), where=answered)
    return np.stack([answered & ~below & ~above, below, above, width, answered], axis=-1).astype(float)


def _found(method: str, metric: str, truth: float, parts: Sequence[Array], facts: dict[str, Any]) -> Coverage:
    """A window's sums as one result."""
    repeats = facts["repeats"]
    held, below, above, width, answered = np.sum(parts, axis=0)
    # enumerated probabilities add up to less than 0 or more than 1 by rounding
    rate = min(max(held / answered, 0.0), 1.0) if answered else nan
    each = [min(max(part[0] / part[4], 0.0), 1.0) if part[4] else nan for part in parts]
    return Coverage(
        method=method,
        metric=metric,
        truth=truth,
        coverage=float(rate),
        error=monte_carlo_error(rate, answered) if repeats and answered else 0.0,
        width=float(width / answered) if answered else nan,
        below=float(below / answered) if answered else nan,
        above=float(above / answered) if answered else nan,
        undefined=float(1 - answered / (len(parts) * (repeats or 1))),
        minimum=float(np.nanmin([*each, 1.0])),
        **facts,
    )
