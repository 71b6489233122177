"""How often intervals over splits hold an error that is known: of the learner, of the final model, of their target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isnan, nan
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.lab.folds.split_interval_methods import LAYOUTS, Method, Seen, methods as named_methods
from heldout.lab.folds.split_size import checked
from heldout.lab.folds.test_rows import Layout
from heldout.lab.folds.true_errors import Noise, World, expected_error, ground, learner_of, true_errors
from heldout.lab.folds.vectorised_fits import Model, Said
from heldout.lab.rates.repetition import monte_carlo_error, plain, repeated
from heldout.lab.simulated_rates import SplitCoverageRates
from heldout.verbs.parameters import documented

LEARNER = "this learner"
SUMS = ("answered", "value", "half_width", "learner", "model", "target")


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitCoverage:
    """How often an interval over splits held the error of the learner, of the model of all rows, and of its target."""

    method: str
    splits: str
    learner: str
    stable: bool
    world: str
    n: int
    level: float
    target: str
    """Whose error the interval is for."""
    truth: float
    """The learner's error: that of its models of n rows, on average."""
    mean: float
    """The mean of the estimates."""
    half_width: float
    """The mean of half the interval's width."""
    covers_learner: float
    """The share of intervals that held the learner's error."""
    covers_model: float
    """The share that held the error of the model of all n rows of the same sample."""
    covers_target: float
    """The share that held the error of the target."""
    error: float
    """Monte-Carlo standard error of `covers_target`; the other shares have about the same."""
    undefined: float
    """The share of repetitions without an interval, which are counted nowhere else."""
    repeats: int

    @property
    def word(self) -> str:
        """`too low` or `wide` where `covers_target` is outside the goal by more than two errors, else `ok`.

        At 95% the goal is 93 to 97.5%, as for intervals of one model.
        """
        left = 1 - self.level
        if self.covers_target + 2 * self.error < self.level - 0.4 * left:
            return "too low"
        return "wide" if self.covers_target - 2 * self.error > self.level + 0.5 * left else "ok"

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; undefined numbers are None."""
        return plain({**asdict(self), "word": self.word})


@documented(repeats=1000)
def split_coverage(
    methods: str | Sequence[str] = (),
    *,
    models: str | Sequence[str] = "least_squares",
    world: str = "noise:features=20",
    n: int = 100,
    confidence_level: float = 0.95,
    repeats: int = 1000,
    random_state: int = 0,
    n_jobs: int = 1,
    into: str | Path | None = None,
) -> SplitCoverageRates:
    """Simulated coverage of confidence intervals over splits, where a learner's error is known.

    On noise the error of least squares is exact: 1 + |b|² of a fitted plane, (1 + 1 / n) (1 + p / (n - p - 2)) of the
    learner. In a simulation of classes it is averaged over data sets.

    Parameters
    ----------
    methods : str or sequence of str, default ()
        Methods with their splits, such as "corrected_t" or "naive_fold_interval@shuffle:25x0.1" (default: all).
    models : str or sequence of str, default "least_squares"
        Learners: "least_squares" for the simulation of noise; for classes "linear", "knn", "tree", any name of
        `learner`, or an import path.
    world : str, default "noise:features=20"
        The simulation: noise, or classes such as "gaussian:distance=2".
    n : int, default 100
        Number of rows of each data set.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.
    <repeats>
    <simulation_seed>
    <processes>
    <into>

    Returns
    -------
    SplitCoverageRates
        One `SplitCoverage` per learner and method: how often the interval contains the error of the learner and
        that of the model, with Monte-Carlo errors.

    Raises
    ------
    UsageError
        If a name is not known, or a number is out of range.

    Examples
    --------
    >>> rate, = split_coverage("naive_fold_interval@shuffle:25x0.1", confidence_level=0.9, repeats=40)
    >>> rate.covers_learner < 0.8
    True
    """
    chosen = named_methods([methods] if isinstance(methods, str) else list(methods))
    where = ground(world)
    checked(n, confidence_level, "level", 1.0)
    names = [models] if isinstance(models, str) else list(models)
    found: list[SplitCoverage] = []
    for name in names:
        fitted = learner_of(name, where)
        truth = expected_error(name, where.name, n, seed=random_state, jobs=n_jobs, into=into).value
        job = SplitIntervals(name, where.name, n, tuple(one.name for one in chosen), confidence_level, truth)
        sums = repeated(job, repeats, seed=random_state, jobs=n_jobs, into=into)
        facts: dict[str, Any] = {"learner": name, "stable": fitted.stable, "world": where.name, "n": n, "truth": truth}
        facts |= {"level": confidence_level, "repeats": repeats}
        found += [_found(one, part, facts) for one, part in zip(chosen, sums, strict=True)]
    return SplitCoverageRates(rates=tuple(found), setting={"level": confidence_level, "seed": random_state})


def _found(one: Method, sums: Array, facts: dict[str, Any]) -> SplitCoverage:
    answered, *others = (float(part) for part in sums)
    value, half_width, of_learner, of_model, of_target = (part / answered if answered else nan for part in others)
    return SplitCoverage(
        method=one.method,
        splits=one.splits,
        target=one.target,
        mean=value,
        half_width=half_width,
        covers_learner=of_learner,
        covers_model=of_model,
        covers_target=of_target,
        error=monte_carlo_error(of_target, answered) if answered else nan,
        undefined=1 - answered / facts["repeats"],
        **facts,
    )


@dataclass(frozen=True)
class SplitIntervals:
    """The job behind `split_coverage`."""

    learner: str
    world: str
    n: int
    methods: tuple[str, ...]
    level: float
    truth: float

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        """Sums by method and what is in `SUMS`."""
        chosen, where = named_methods(self.methods), ground(self.world)
        fitted = learner_of(self.learner, where)
        sums = np.zeros((len(chosen), len(SUMS)))
        for _ in range(repeats):
            X, y = where.sample(self.n, rng)
            seed = int(rng.integers(2**31))
            whole = float(true_errors(where, fitted.fit(X, y, np.ones((1, self.n), int)), rng)[0])
            for word in {one.splits for one in chosen}:
                # splits of one kind are the same whatever other intervals are asked for
                own = np.random.default_rng([seed, list(LAYOUTS).index(word)])
                seen, said = _seen(fitted, (X, y), LAYOUTS[word](self.n, own), isinstance(where, Noise))
                on_these = [(at, one) for at, one in enumerate(chosen) if one.splits == word]
                of_models = _of_models([one for _, one in on_these], where, said, own)
                for at, one in on_these:
                    aimed = self.truth if one.target == LEARNER else of_models
                    sums[at] += _judged(one, seen, (self.truth, whole, aimed), self.level)
        return sums


def _seen(fitted: Model, sample: tuple[Array, Array], layout: Layout, squared: bool) -> tuple[Seen, Said]:
    """Losses over splits, and the rules behind them."""
    X, y = sample
    said = fitted.fit(X, y, layout.learned)
    told = said(X)

    def loss(truth: Array, prediction: Array) -> Array:
        return (truth - prediction) ** 2 if squared else (truth != prediction).astype(float)

    return Seen(layout=layout, losses=loss(y, told), every=lambda: loss(y[:, None], told[0])), said


def _of_models(chosen: Sequence[Method], where: World, said: Said, rng: np.random.Generator) -> float:
    """The mean true error of the models of all splits, where an interval is for it."""
    wanted = any(one.target != LEARNER for one in chosen)
    return float(true_errors(where, said, rng).mean()) if wanted else nan


def _judged(one: Method, seen: Seen, truths: tuple[float, float, float], level: float) -> Array:
    """What one repetition adds to `SUMS`."""
    found = one.found(seen, level)
    if isnan(found.low + found.high):
        return np.zeros(len(SUMS))
    held = [float(found.low <= truth <= found.high) for truth in truths]
    return np.array([1.0, found.value, (found.high - found.low) / 2, *held])
