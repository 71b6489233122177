"""What models really err in worlds to learn from: each model, and a learner's models on average."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.lab.folds.test_rows import averages, moments
from heldout.lab.folds.vectorised_fits import Model, Said, least_squares, model
from heldout.lab.learning.bias_variance_result import Measured
from heldout.lab.learning.gaussian_world import Gaussians, bayes_error, gaussian
from heldout.lab.name_parsing import Range, meant, spelled, within
from heldout.lab.rates.repetition import repeated

POINTS = 2000
"""Points at which rules of classes are judged, drawn anew for every sample."""
SAMPLES = 2000
"""Samples over which the error of a learner is averaged, where there is no formula."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """y is normal noise of variance 1, and none of the normal features has to do with it."""

    features: int

    @property
    def name(self) -> str:
        """The word for this world."""
        return spelled("noise", features=self.features)

    def sample(self, rows: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Features, one line per row, and y."""
        return rng.standard_normal((rows, self.features)), rng.standard_normal(rows)


World = Noise | Gaussians


def noise(features: int = 20) -> Noise:
    """Features that say nothing about y.

    >>> noise().name
    'noise:features=20'
    """
    within("noise", {"features": Range(1, 1_000)}, {"features": features})
    return Noise(features=features)


def ground(word: str) -> World:
    """The world that a word stands for.

    >>> ground("noise").name, ground("gaussian:distance=1.5,dimensions=5").name
    ('noise:features=20', 'gaussian:distance=1.5,dimensions=5')
    """
    families: dict[str, Callable[..., World]] = {"noise": noise, "gaussian": gaussian}
    made: World = meant(word, families, "world to learn from")
    return made


def learner_of(name: str, world: World) -> Model:
    """The learner of that name, for this world: noise is learned by least squares, classes by the others."""
    if isinstance(world, Noise):
        if name != "least_squares":
            raise UsageError(
                f"{name} learns classes, and {world.name} has none", fix="take least_squares, or the world gaussian"
            )
        return Model(name=name, stable=True, fit=least_squares)
    if world.classes != 2:
        raise UsageError(f"{world.name} has {world.classes} classes, not two", fix="leave out classes=")
    return model(name)


def true_errors(world: World, said: Said, rng: np.random.Generator) -> Array:
    """The error of each rule on new rows of the world.

    Of a plane on noise 1 + |b|² with all its coefficients. Of rules of classes the Bayes error + E[max p − p(said)],
    averaged over drawn points at which the chances p are known.

    >>> rules = lambda at: np.stack([np.zeros(len(at)), at[:, 0] + 2])
    >>> true_errors(noise(features=1), rules, np.random.default_rng(0)).tolist()
    [1.0, 6.0]
    """
    if isinstance(world, Noise):
        at = said(np.concatenate([np.zeros((1, world.features)), np.eye(world.features)]))
        found: Array = 1 + at[:, 0] ** 2 + ((at[:, 1:] - at[:, :1]) ** 2).sum(axis=1)
        return found
    X, _ = world.sample(POINTS, rng)
    chances = world.posterior(X)
    lost = chances.max(axis=1) - chances[np.arange(len(X)), said(X)]
    judged: Array = bayes_error(world)[0] + lost.mean(axis=1)
    return judged


def expected_error(
    learner: str, world: str, n: int, *, seed: int = 0, jobs: int = 1, into: str | Path | None = None
) -> Measured:
    """The mean error of a learner's models of n rows on new rows.

    Of least squares on noise (1 + 1 / n) (1 + p / (n − p − 2)), exactly; else over samples, all rows in one part.

    >>> round(expected_error("least_squares", "noise:features=20", 100).value, 4)
    1.269
    """
    where = ground(world)
    if isinstance(where, Noise):
        p = where.features
        if n < p + 3:
            fix = f"take {p + 3} or more"
            raise UsageError(f"least squares of {p} features on {n} rows has no mean error", fix=fix)
        return Measured(value=(1 + 1 / n) * (1 + p / (n - p - 2)), error=0.0)
    sums = repeated(TrueErrors(learner, where.name, n), SAMPLES, seed=seed, jobs=jobs, into=into)
    return averages(sums[:, None], SAMPLES)[0]


@dataclass(frozen=True)
class TrueErrors:
    """The job behind `expected_error`: sums of the true error of the rule of all rows, and of its square."""

    learner: str
    world: str
    n: int

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        where = ground(self.world)
        fit = learner_of(self.learner, where).fit
        found = np.empty(repeats)
        for at in range(repeats):
            X, y = where.sample(self.n, rng)
            found[at] = true_errors(where, fit(X, y, np.ones((1, self.n), int)), rng)[0]
        return moments(found)
