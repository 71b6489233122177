"""Bias and variance of estimators of an error, in simulations where the error is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.lab.folds.failures import BOOTSTRAP, bootstrapped, cross_validated
from heldout.lab.folds.vectorised_fits import many_fits
from heldout.lab.learning.bias_variance_result import Measured
from heldout.lab.learning.function_world import Function
from heldout.lab.learning.gaussian_world import Gaussians, bayes_error, error_of
from heldout.lab.learning.repeated_fits import learnable
from heldout.lab.learning.small_learners import learner as a_learner
from heldout.lab.rates.repetition import BLOCK, spread
from heldout.verbs.result import Result

if TYPE_CHECKING:
    from heldout.charts.plot import Plot

FEWEST = 20
"""Samples below which a variance says nothing."""
POINTS = 500
"""Points at which the true error of a rule that is not linear is averaged, drawn anew for every sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimator:
    """One way to estimate an error, and what it gives over many samples S."""

    name: str
    """training, holdout, 10-fold, leave-one-out, out of bag (e0), .632 or .632+."""
    target: str
    """Whose true error it is held against."""
    mean: Measured
    """E[error_S]."""
    truth: Measured
    """E[error_D], the true error of the target."""
    bias: Measured
    """E[error_S − error_D]: below zero it is optimistic."""
    variance: Measured
    """Var[error_S] over samples."""
    squared: Measured
    """E[(error_S − error_D)²]: how far off it is, bias and variance together."""
    folds: int | None = None
    """Of cross-validation."""

    def to_dict(self) -> dict[str, Any]:
        measured = {key: getattr(self, key).to_dict() for key in ("mean", "truth", "bias", "variance", "squared")}
        return {"name": self.name, "folds": self.folds, "target": self.target, **measured}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class EstimationBias(Result):
    """Bias and variance of estimates of an error."""

    kind = "estimation-bias"

    learner: str
    world: str
    n: int
    test: int
    """Rows of the n that the holdout keeps for testing."""
    repeats: int
    seed: int
    loss: str
    """zero-one for classes, squared for numbers."""
    bayes_error: float
    """The error of the best rule there is."""
    estimators: tuple[Estimator, ...]
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Estimator:
        """The first estimator of that name."""
        return next(one for one in self.estimators if one.name == name)

    @property
    def by_folds(self) -> tuple[Estimator, ...]:
        """Cross-validation by the number of folds, fewest first: what a picture of the choice of K shows."""
        return tuple(sorted((one for one in self.estimators if one.folds), key=lambda one: one.folds or 0))

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "learner": self.learner,
            "world": self.world,
            "n": self.n,
            "test": self.test,
            "repeats": self.repeats,
            "seed": self.seed,
            "loss": self.loss,
            "bayes_error": self.bayes_error,
            "estimators": [one.to_dict() for one in self.estimators],
            "notes": list(self.notes),
        }

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """The mean of each estimate beside the truth; bias and spread against the number of folds."""
        from heldout.charts.plot import Plot
        from heldout.lab.bias_charts import estimation_bias_figure, folds_figure

        folds = {"fold_choice": lambda: folds_figure(d)} if self.by_folds else {}
        return Plot(views={"estimates": lambda: estimation_bias_figure(d), **folds})


def estimation_bias(
    model: Any = "linear",
    *,
    world: Any = "gaussian:distance=2",
    n: int = 60,
    test_size: float = 1 / 3,
    folds: Sequence[int | str] = (),
    n_resamples: int = 0,
    repeats: int = 1000,
    random_state: int = 0,
    n_jobs: int = 1,
) -> EstimationBias:
    """Bias and variance of error estimates: training error, holdout, cross-validation and bootstrap.

    For each simulated data set S of n rows the estimates are compared with true errors: exact for a linear classifier
    of two Gaussian classes, otherwise averaged over points at which the probability of each class is known. The
    holdout is compared with the classifier of the training rows, all others with that of all rows.

    Parameters
    ----------
    model : str, Learner or estimator, default "linear"
        The learner: a name such as "poly:degree=3" or "knn:k=1", or an object with fit and predict. A fresh copy is
        fitted each time.
    world : str, Gaussians or Function, default "gaussian:distance=2"
        The simulation that rows come from: of classes, or of numbers such as "sine:noise=0.3", whose error is squared.
    n : int, default 60
        Number of rows of each data set.
    test_size : float, default 1/3
        Share of the rows that the holdout tests.
    folds : sequence of int or "loo", default ()
        Numbers of folds for cross-validation; "loo" is leave-one-out (default: no cross-validation).
    n_resamples : int, default 0
        Number of bootstrap samples for e0, .632 and .632+ (default: none of them).
    repeats : int, default 1000
        Number of simulated data sets.
    random_state : int, default 0
        Seed of the simulation; the same seed gives the same numbers.
    n_jobs : int, default 1
        Processes; the numbers do not depend on it.

    Returns
    -------
    EstimationBias
        Each estimator by name, with its mean, bias E[error_S − error_D], variance and their Monte-Carlo errors.

    Raises
    ------
    UsageError
        If the simulation has no classes, or there are too few rows or repeats.

    References
    ----------
    T. M. Mitchell (1997). Machine Learning. McGraw-Hill. [mitchell97]

    B. Efron, R. Tibshirani (1997). Improvements on cross-validation: the .632+ bootstrap method. Journal of the
    American Statistical Association 92(438), 548–560. [efron97]

    Examples
    --------
    >>> result = estimation_bias("knn:k=1", n=30, repeats=50)
    >>> result["training"].mean.value, result["training"].bias.value < -0.15
    (0.0, True)
    """
    made, where = a_learner(model), learnable(world)
    if not isinstance(where, (Gaussians, Function)):
        fix = "give a world such as gaussian:distance=2 or sine:noise=0.3"
        raise UsageError(f"the true error in the world {where.name} is not known", fix=fix)
    if isinstance(where, Function) and (folds or n_resamples):
        fix = "leave out folds and n_resamples, or take a world of classes such as gaussian:distance=2"
        raise UsageError(f"{where.name} is of numbers, and folds and bootstrap are simulated for classes", fix=fix)
    if not isfinite(n * test_size):
        raise UsageError(
            f"test_size is {test_size:g}, but must be a share between 0 and 1", fix="for a third write 0.33"
        )
    counts, test = tuple(_count(one, n) for one in folds), round(n * test_size)
    _checked(n, test, test_size, n_resamples, repeats)
    asked = Asked(model, where, n, test, counts, n_resamples, int(random_state), repeats)
    blocks = dict(spread(_block, {start: (asked, start) for start in range(0, repeats, BLOCK)}, n_jobs))
    return EstimationBias(
        learner=made.name,
        world=where.name,
        n=n,
        test=test,
        repeats=repeats,
        seed=asked.seed,
        loss="squared" if isinstance(where, Function) else "zero-one",
        bayes_error=where.noise**2 if isinstance(where, Function) else bayes_error(where)[0],
        estimators=_estimators(asked, np.concatenate([blocks[start] for start in sorted(blocks)])),
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be drawn and estimated."""

    learner: Any
    world: Gaussians | Function
    n: int
    test: int
    counts: tuple[int, ...]
    """Numbers of folds."""
    draws: int
    seed: int
    repeats: int


def _checked(n: int, test: int, test_size: float, draws: int, repeats: int) -> None:
    if repeats < FEWEST:
        fix = f"ask for {FEWEST} or more"
        raise UsageError(f"repeats is {repeats}, too few samples for a variance", fix=fix)
    if not 1 <= test < n:
        fix = "such as n=60 with a third for testing"
        raise UsageError(f"{n} rows with the share {test_size:g} for testing leave no rows on one side", fix=fix)
    if draws < 0:
        raise UsageError(f"n_resamples is {draws}, but must be 0 or more", fix="such as 50, or 0 for no bootstrap")


def _count(given: int | str, n: int) -> int:
    """A number of folds, from a number or the word loo."""
    text = str(given).strip().lower()
    if text != "loo" and not (text.isdecimal() and 2 <= int(text) <= n):
        raise UsageError(f"{given} is not a number of folds for {n} rows", fix=f"give 2 to {n}, or loo")
    return n if text == "loo" else int(text)


def _named(count: int, n: int) -> str:
    return "leave-one-out" if count == n else f"{count}-fold"


def _block(part: tuple[Asked, int]) -> Array:
    """Up to `BLOCK` samples from a number on, a line each."""
    asked, start = part
    made = a_learner(asked.learner)
    fit = many_fits(made)
    lines = []
    for number in range(start, min(start + BLOCK, asked.repeats)):
        rng = np.random.default_rng([asked.seed, number])
        X, y = asked.world.sample(asked.n, rng)
        line = _one(made.fit, asked.world, (X, y), asked.test, rng)
        # drawn apart, so that training and holdout are the same whatever else is asked for
        own = np.random.default_rng([asked.seed, number, 1])
        line += cross_validated(fit, X, y, asked.counts, own) if asked.counts else []
        line += bootstrapped(fit, X, y, asked.draws, own) if asked.draws else []
        lines.append(line)
    return np.array(lines)


def _one(
    fit: Any, world: Gaussians | Function, sample: tuple[Array, Array], test: int, rng: np.random.Generator
) -> list[float]:
    """Training error, holdout error, true error of the rule of all rows and of the rule of those not held out."""
    X, y = sample
    whole, part = fit(X, y), fit(X[test:], y[test:])
    true = (_true_error(world, rule, rng) for rule in (whole, part))
    loss = _squared if isinstance(world, Function) else _zero_one
    return [loss(whole(X), y), loss(part(X[:test]), y[:test]), *true]


def _zero_one(said: Array, y: Array) -> float:
    return float((said != y).mean())


def _squared(said: Array, y: Array) -> float:
    return float(((said - y) ** 2).mean())


def _true_error(world: Gaussians | Function, rule: Any, rng: np.random.Generator) -> float:
    """On new rows: of numbers σ² + E[(f(x) − ŷ(x))²], x over its whole range."""
    if isinstance(world, Gaussians):
        return error_of(world, rule, rng, points=POINTS)[0]
    x = world.midpoints(POINTS)
    return world.noise**2 + _squared(rule(x[:, None]), world.f(x))


def _estimators(asked: Asked, found: Array) -> tuple[Estimator, ...]:
    """What the columns of all samples give as estimators."""
    training, holdout, whole, part, *others = found.T
    n, every = asked.n, f"the rule of all {asked.n} rows"
    names = [*(_named(count, n) for count in asked.counts), *(BOOTSTRAP if asked.draws else ())]
    return (
        _estimator("training", every, training, whole),
        _estimator("holdout", f"the rule of {n - asked.test} rows that it tested", holdout, part),
        _estimator("holdout", every, holdout, whole),
        *(_estimator(name, every, one, whole, count) for name, one, count in zip_longest(names, others, asked.counts)),
    )


def _estimator(name: str, target: str, estimates: Array, true: Array, folds: int | None = None) -> Estimator:
    squares = (estimates - estimates.mean()) ** 2
    lost = len(estimates) / (len(estimates) - 1)
    variance = Measured(value=float(squares.mean()) * lost, error=float(squares.std(ddof=1)) / sqrt(len(squares)))
    return Estimator(
        name=name,
        target=target,
        mean=_mean(estimates),
        truth=_mean(true),
        bias=_mean(estimates - true),
        variance=variance,
        squared=_mean((estimates - true) ** 2),
        folds=folds,
    )


def _mean(values: Array) -> Measured:
    return Measured(value=float(values.mean()), error=float(values.std(ddof=1)) / sqrt(len(values)))
