"""A learner fitted again and again, on training sets of one world or on bootstrap draws of one data set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.lab.learning.function_world import FUNCTIONS, Function
from heldout.lab.learning.gaussian_world import Gaussians, gaussian
from heldout.lab.learning.small_learners import Learner, Rule
from heldout.lab.name_parsing import meant

Design = Literal["fixed", "random"]
MIDPOINTS = 50
"""Points at which rules are compared where x is drawn anew for every training set."""
SAMPLED = 400
"""Points drawn where there is more than one feature to integrate over."""


@runtime_checkable
class Classes(Protocol):
    """A world of classes whose chances at every point are known."""

    @property
    def name(self) -> str: ...
    @property
    def classes(self) -> int: ...
    def sample(self, rows: int, rng: np.random.Generator) -> tuple[Array, Array]: ...
    def posterior(self, X: Array) -> Array: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """What the rules of many training sets say at the same points."""

    points: Array
    """Features, one line per point."""
    said: Array
    """One line per training set, one column per point."""
    counts: Array | None = None
    """Whether a prediction counts (the row was not trained on); None: all do."""
    truth: Array
    """Numbers: what y is on average at each point, or the y seen. Classes: the chance of each, one column per class."""
    noise: Array | None
    """Numbers: the variance of y at each point; None where it is not known."""
    fresh: Array | None = None
    """A y of its own for every prediction, to measure the error without knowing its parts."""
    sampled: bool
    """Whether the points are a sample, or stand for all points."""
    rows: int
    """Rows of a training set."""


MAKERS: dict[str, Callable[..., Any]] = {**FUNCTIONS, "gaussian": gaussian}


def learnable(given: Any) -> Function | Gaussians | Classes:
    """A world with features to learn from, by its word or itself.

    >>> learnable("sine:noise=0.3").name, learnable("gaussian:distance=3,dimensions=1").name
    ('sine:noise=0.3', 'gaussian:distance=3,dimensions=1')
    """
    if isinstance(given, str):
        made: Function | Gaussians = meant(given, MAKERS, "world to learn from")
        return made
    if isinstance(given, (Function, Classes)):
        return given
    fix = f"give one of {', '.join(sorted(MAKERS))}, or a value with sample and posterior"
    raise UsageError(f"a world of type {type(given).__name__} has no features to learn from", fix=fix)


def of_function(
    learner: Learner, world: Function, *, n: int, repeats: int, points: int | None, design: Design, seed: int
) -> Trials:
    """Rules of training sets of y = f(x) + ε: x fixed at even steps, or drawn anew for every set."""
    fixed = design == "fixed"
    at = world.grid(n) if fixed and points is None else world.midpoints(points or MIDPOINTS)
    said = np.empty((repeats, len(at)))
    fresh = np.empty_like(said)
    for number in range(repeats):
        rng = np.random.default_rng([seed, number])
        x = world.grid(n) if fixed else rng.uniform(world.low, world.high, n)
        said[number] = _numbers(learner.fit(x[:, None], world.observed(x, rng)), at[:, None])
        fresh[number] = world.observed(at, rng)
    noise = np.full(len(at), world.noise**2)
    return Trials(points=at[:, None], said=said, truth=world.f(at), noise=noise, fresh=fresh, sampled=False, rows=n)


def of_classes(learner: Learner, world: Classes, *, n: int, repeats: int, points: int | None, seed: int) -> Trials:
    """Rules of training sets of a world of classes, at points drawn once."""
    rng = np.random.default_rng([seed, repeats])
    at, _ = world.sample(points or SAMPLED, rng)
    chances = world.posterior(at)
    said = np.empty((repeats, len(at)), int)
    for number in range(repeats):
        X, y = world.sample(n, np.random.default_rng([seed, number]))
        said[number] = _classes(learner.fit(X, y), at, world.classes)
    upto = chances.cumsum(axis=1)
    fresh = (rng.random((repeats, len(at), 1)) > upto[:, :-1]).sum(axis=2)
    return Trials(points=at, said=said, truth=chances, noise=None, fresh=fresh, sampled=True, rows=n)


def of_rows(learner: Learner, X: Array, y: Array, *, classes: int, repeats: int, seed: int) -> Trials:
    """Rules of bootstrap draws of these rows, each judged on the rows that it was not trained on [efron79]."""
    rows = len(y)
    said = np.zeros((repeats, rows), int if classes else float)
    counts = np.zeros((repeats, rows), bool)
    for number in range(repeats):
        drawn = np.random.default_rng([seed, number]).integers(0, rows, rows)
        left = np.bincount(drawn, minlength=rows) == 0
        rule = learner.fit(X[drawn], y[drawn])
        if left.any():
            said[number, left] = _classes(rule, X[left], classes) if classes else _numbers(rule, X[left])
        counts[number] = left
    judged = counts.sum(axis=0) >= 2
    if not judged.any():
        raise DataError(
            f"no row was left out of two of {repeats} bootstrap samples", code="H310", fix="ask for more repeats"
        )
    truth = np.eye(classes)[y] if classes else y.astype(float)
    return Trials(
        points=X[judged], said=said[:, judged], counts=counts[:, judged], truth=truth[judged], noise=None,
        sampled=True, rows=rows,
    )  # fmt: skip


def _numbers(rule: Rule, X: Array) -> Array:
    said = np.asarray(rule(X), float)
    if said.shape != (len(X),):
        raise UsageError(f"the learner predicts values of shape {said.shape} for {len(X)} rows", fix="one per row")
    return said


def _classes(rule: Rule, X: Array, classes: int) -> Array:
    said = np.asarray(rule(X))
    if said.shape != (len(X),) or not np.isin(said, np.arange(classes)).all():
        raise UsageError(
            f"the learner predicts something else than one of the classes 0 to {classes - 1} for each of {len(X)} rows",
            fix="fit it to classes: its predict must give the labels it has seen",
        )
    return said.astype(int)
