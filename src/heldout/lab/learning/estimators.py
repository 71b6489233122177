"""How an estimate of an error does as an estimator: its bias and its variance, in a world where the error is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.lab.learning.decomposition import Measured
from heldout.lab.learning.fits import learner as a_learner
from heldout.lab.learning.gaussians import Gaussians, bayes_error, error_of
from heldout.lab.learning.trials import learnable
from heldout.version import __version__

FEWEST = 20
"""Samples below which a variance says nothing."""
POINTS = 500
"""Points at which the true error of a rule that is not linear is averaged, drawn anew for every sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimator:
    """One way to estimate an error, and what it gives over many samples S."""

    name: str
    """training or holdout."""
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

    def to_dict(self) -> dict[str, Any]:
        measured = {key: getattr(self, key).to_dict() for key in ("mean", "truth", "bias", "variance")}
        return {"name": self.name, "target": self.target, **measured}


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimationBias:
    """Bias and variance of training error and holdout error."""

    learner: str
    world: str
    n: int
    test: int
    """Rows of the n that the holdout keeps for testing."""
    repeats: int
    seed: int
    bayes_error: float
    estimators: tuple[Estimator, ...]
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Estimator:
        """The first estimator of that name."""
        return next(one for one in self.estimators if one.name == name)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: the JSON contract `heldout.estimation-bias/1`."""
        return {
            "schema": "heldout.estimation-bias/1",
            "heldout": __version__,
            "learner": self.learner,
            "world": self.world,
            "n": self.n,
            "test": self.test,
            "repeats": self.repeats,
            "seed": self.seed,
            "bayes_error": self.bayes_error,
            "estimators": [one.to_dict() for one in self.estimators],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        from heldout.report.estimation_bias import estimation_bias_text

        return estimation_bias_text(self.to_dict())


def estimation_bias(
    learner: Any = "linear",
    *,
    world: Any = "gaussian:distance=2",
    n: int = 60,
    test_size: float = 1 / 3,
    repeats: int = 1000,
    random_state: int = 0,
) -> EstimationBias:
    """Bias E[error_S − error_D] and variance Var[error_S] of two estimators: training error and holdout error.

    For each of many samples S of n rows, the training error of the rule learned from S, and the error on the share
    `test_size` of S of the rule learned from the rest, are held against true errors: exact for a linear rule of two
    Gaussian classes, otherwise averaged over points at which the chance of each class is known [mitchell97].

    >>> found = estimation_bias("knn:k=1", n=30, repeats=50)
    >>> found["training"].mean.value, found["training"].bias.value < -0.15
    (0.0, True)
    """
    made, where, seed = a_learner(learner), learnable(world), int(random_state)
    if not isinstance(where, Gaussians):
        fix = "give a world such as gaussian:distance=2"
        raise UsageError(f"the world {where.name} has no classes whose error is known", fix=fix)
    if repeats < FEWEST:
        fix = f"ask for {FEWEST} or more"
        raise UsageError(f"repeats is {repeats}, too few samples for a variance", fix=fix)
    test = round(n * test_size)
    if not 1 <= test < n:
        fix = "such as n=60 with a third for testing"
        raise UsageError(f"{n} rows with the share {test_size:g} for testing leave no rows on one side", fix=fix)
    found = np.array([_one(made.fit, where, n, test, np.random.default_rng([seed, r])) for r in range(repeats)])
    training, holdout, whole, part = found.T
    return EstimationBias(
        learner=made.name,
        world=where.name,
        n=n,
        test=test,
        repeats=repeats,
        seed=seed,
        bayes_error=bayes_error(where)[0],
        estimators=(
            _estimator("training", f"the rule of all {n} rows", training, whole),
            _estimator("holdout", f"the rule of {n - test} rows that it tested", holdout, part),
            _estimator("holdout", f"the rule of all {n} rows", holdout, whole),
        ),
    )


def _one(fit: Any, world: Gaussians, n: int, test: int, rng: np.random.Generator) -> Sequence[float]:
    """Training error, holdout error, true error of the rule of all rows and of the rule of those not held out."""
    X, y = world.sample(n, rng)
    whole, part = fit(X, y), fit(X[test:], y[test:])
    true = (error_of(world, rule, rng, points=POINTS)[0] for rule in (whole, part))
    return [float((whole(X) != y).mean()), float((part(X[:test]) != y[:test]).mean()), *true]


def _estimator(name: str, target: str, estimates: Array, true: Array) -> Estimator:
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
    )


def _mean(values: Array) -> Measured:
    return Measured(value=float(values.mean()), error=float(values.std(ddof=1)) / sqrt(len(values)))
