"""Simulations with normal features: classes with known Bayes error, and two exchangeable blocks of features."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, log, pi, sqrt
from typing import Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import UsageError
from heldout.lab.learning.small_learners import LinearRule, Rule
from heldout.lab.name_parsing import Range, spelled, within


@dataclass(frozen=True, slots=True, kw_only=True)
class Twins:
    """Two classes and two blocks of features that have the same distribution.

    In each block of `features` the second class lies `distance` away; given the class, the blocks are independent.
    Swapping the blocks changes nothing in the distribution, so that any learner trained on the first block has the same
    expected error as the same learner trained on the second: every rejection of that is an error of the test.
    """

    features: int
    distance: float
    prevalence: float
    gain: float = 0.0
    """How much further apart the classes lie in the second block: 0 for twins alike."""

    @property
    def name(self) -> str:
        """The word for this world."""
        more = {"gain": self.gain} if self.gain else {}
        return spelled("twins", features=self.features, distance=self.distance, prevalence=self.prevalence, **more)

    def posterior_of(self, X: Array, block: int) -> Array:
        """p(c | x) of what one block says.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            Points, both blocks side by side.
        block : {0, 1}
            The block.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            One column per class.
        """
        from scipy.special import expit

        step = (self.distance + block * self.gain) / sqrt(self.features)
        inside = X[:, self.blocks[block]]
        odds = step * (inside.sum(axis=1) - self.features * step / 2) + log(self.prevalence / (1 - self.prevalence))
        positive = expit(odds)
        return np.column_stack([1 - positive, positive])

    @property
    def blocks(self) -> tuple[slice, slice]:
        """The columns of either block."""
        return slice(0, self.features), slice(self.features, 2 * self.features)

    @property
    def bayes_error(self) -> float:
        """The error of the best rule that sees both blocks."""
        return _between((1 - self.prevalence, self.prevalence), hypot(self.distance, self.distance + self.gain))

    def sample(self, rows: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Simulate what a learner sees.

        Parameters
        ----------
        rows : int
            Number of rows.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        (ndarray, ndarray)
            Features of both blocks side by side, and classes 0 and 1.
        """
        y = (rng.random(rows) < self.prevalence).astype(int)
        X = rng.standard_normal((rows, 2 * self.features))
        steps = np.repeat([self.distance, self.distance + self.gain], self.features) / sqrt(self.features)
        return X + steps * y[:, None], y


TWIN_RANGES = {
    "features": Range(1, 1_000),
    "distance": Range(0, 1_000, closed="high"),
    "prevalence": Range(0, 1, closed="neither"),
    "gain": Range(0, 1_000),
}
"""What the parameters of twins may be."""


def twins(features: int = 5, distance: float = 1.5, prevalence: float = 0.5, gain: float = 0.0) -> Twins:
    """Two classes and two exchangeable blocks of features: learners on either block are equally good, without a gain.

    Parameters
    ----------
    features : int, default 5
        Number of features of each block.
    distance : float, default 1.5
        Distance between the means of the classes, in each block.
    prevalence : float, default 0.5
        Probability of the positive class.
    gain : float, default 0.0
        How much further apart the classes lie in the second block: with a gain a learner on it is better.

    Returns
    -------
    Twins
        The simulation, for `split_size`; with a gain, for `split_power`.

    Raises
    ------
    UsageError
        If a parameter is out of range.

    Examples
    --------
    >>> world = twins()
    >>> X, y = world.sample(4, np.random.default_rng(0))
    >>> X[:, world.blocks[1]].shape, round(world.bayes_error, 4)
    ((4, 5), 0.1444)
    """
    given = {"features": features, "distance": distance, "prevalence": prevalence, "gain": gain}
    within("twins", TWIN_RANGES, given)
    return Twins(features=int(features), distance=float(distance), prevalence=float(prevalence), gain=float(gain))


REACH = 9.0
"""How many standard deviations around its means a world is integrated: what lies beyond is below 1e-18."""
STEPS = {1: 400_000, 2: 800}
"""Steps per axis of the midpoint rule, by the number of dimensions."""
DRAWN = 200_000
"""Points drawn where there are more dimensions than that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussians:
    """Classes c = 0, 1, … with chance `priors[c]`, normal with mean `means[c]` and covariance `covariances[c]`."""

    name: str
    means: tuple[tuple[float, ...], ...]
    covariances: tuple[tuple[tuple[float, ...], ...], ...]
    priors: tuple[float, ...]

    @property
    def classes(self) -> int:
        return len(self.priors)

    @property
    def dimensions(self) -> int:
        return len(self.means[0])

    def sample(self, rows: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Simulate what a learner sees.

        Parameters
        ----------
        rows : int
            Number of rows.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        (ndarray, ndarray)
            Features, one row each, and classes as whole numbers.
        """
        y = rng.choice(self.classes, rows, p=self.priors)
        roots = np.linalg.cholesky(np.array(self.covariances))[y]
        return np.array(self.means)[y] + np.einsum("rij,rj->ri", roots, rng.standard_normal((rows, self.dimensions))), y

    def log_joint(self, X: Array) -> Array:
        """Logarithm of p(x, c).

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            One column per class.
        """
        columns = []
        for mean, covariance, prior in zip(self.means, self.covariances, self.priors, strict=True):
            root = np.linalg.cholesky(np.array(covariance))
            away = np.linalg.solve(root, (X - np.array(mean)).T)
            volume = 2 * np.log(np.diag(root)).sum() + self.dimensions * log(2 * pi)
            columns.append(log(prior) - ((away**2).sum(axis=0) + volume) / 2)
        return np.stack(columns, axis=1)

    def posterior(self, X: Array) -> Array:
        """p(c | x).

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            One column per class.
        """
        joint = self.log_joint(X)
        share = np.exp(joint - joint.max(axis=1, keepdims=True))
        return share / share.sum(axis=1, keepdims=True)

    def bayes(self, X: Array) -> Array:
        """The Bayes classifier: the class with the largest p(x, c).

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            Points.

        Returns
        -------
        ndarray of int
            Class of each point.
        """
        return self.log_joint(X).argmax(axis=1)

    def draw(self, rows: int, rng: np.random.Generator) -> Batch:
        """Simulate rows with the prediction of the Bayes classifier.

        Parameters
        ----------
        rows : int
            Number of rows.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        Batch
            Truth and predictions; for two classes also p(1 | x) as the score.
        """
        X, y = self.sample(rows, rng)
        shares = self.posterior(X)
        two = self.classes == 2
        return Batch(
            task="binary" if two else "multiclass",
            truth=y,
            prediction=shares.argmax(axis=1),
            score=shares[:, 1] if two else shares,
            probabilities=True,
            labels=tuple(range(self.classes)),
            positive=1 if two else None,
        )

    def truth(self, metric: str) -> float:
        """True value of a metric of the Bayes classifier.

        Parameters
        ----------
        metric : {"accuracy", "error_rate"}
            Name of the metric.

        Returns
        -------
        float
            The true value; `error_rate` is the Bayes error.

        Raises
        ------
        UsageError
            If the true value of the metric is not known.
        """
        error = bayes_error(self)[0]
        known = {"accuracy": 1 - error, "error_rate": error}
        if metric not in known:
            fix = f"choose one of {', '.join(known)}"
            raise UsageError(f"the true {metric} of the world {self.name} is not known", fix=fix)
        return known[metric]


GAUSSIAN_RANGES = {
    "distance": Range(0, 1_000),
    "dimensions": Range(1, 1_000),
    "classes": Range(2, 100),
    "prevalence": Range(0, 1, closed="neither"),
    "spread": Range(0, 1_000, closed="high"),
}
"""What the parameters of Gaussian classes may be; with a distance of 0 the means are equal."""


def gaussian(
    distance: float = 2.0, dimensions: int = 2, classes: int = 2, prevalence: float = 0.5, spread: float = 1.0
) -> Gaussians:
    """Gaussian classes whose means stand in a line along the first axis.

    Parameters
    ----------
    distance : float, default 2.0
        Distance between neighbouring means, 0 or more.
    dimensions : int, default 2
        Number of features.
    classes : int, default 2
        Number of classes, 2 or more.
    prevalence : float, default 0.5
        Probability of the last class; the others share the rest.
    spread : float, default 1.0
        Standard deviation of the last class; that of the others is 1.

    Returns
    -------
    Gaussians
        The simulation, for `world=`.

    Raises
    ------
    UsageError
        If a parameter is out of range.

    Examples
    --------
    >>> from heldout import lab
    >>> world = lab.gaussian(distance=2.0)
    >>> world.name, round(lab.bayes_error(world), 6)
    ('gaussian:distance=2', 0.158655)
    """
    chosen = {"distance": distance, "dimensions": dimensions, "classes": classes}
    within("gaussian", GAUSSIAN_RANGES, {**chosen, "prevalence": prevalence, "spread": spread})
    last = classes - 1
    given = {"dimensions": (dimensions, 2), "classes": (classes, 2), "prevalence": (prevalence, 0.5)}
    told: dict[str, float] = {key: one for key, (one, usual) in given.items() if one != usual}
    if spread != 1:
        told["spread"] = spread
    one = np.eye(dimensions)
    return Gaussians(
        name=spelled("gaussian", distance=distance, **told),
        means=tuple((c * distance, *[0.0] * (dimensions - 1)) for c in range(classes)),
        covariances=tuple(_plain(one * (spread**2 if c == last else 1)) for c in range(classes)),
        priors=tuple(prevalence if c == last else (1 - prevalence) / last for c in range(classes)),
    )


def bayes_error(world: Gaussians) -> tuple[float, float]:
    """The least error of any rule, 1 − E[max_c p(c | x)], and how far it may be off.

    In closed form for two classes of equal covariance: π0 Φ(−Δ/2 − t/Δ) + π1 Φ(−Δ/2 + t/Δ), Δ the Mahalanobis
    distance and t = ln(π0 / π1) [fukunaga90]. Otherwise by the midpoint rule in up to two dimensions, off by what
    halving the steps changes, and beyond by drawing points, off by three standard errors.

    >>> error, off = bayes_error(gaussian(distance=0.0, dimensions=1, spread=2.0))
    >>> round(error, 5), off < 1e-6
    (0.33866, True)
    """
    if world.classes == 2 and world.covariances[0] == world.covariances[1]:
        return _closed_form(world), 0.0
    if world.dimensions not in STEPS:
        return error_of(world, world.bayes, np.random.default_rng(0), points=DRAWN)
    fine, coarse = (_integrated(world, STEPS[world.dimensions] // part) for part in (1, 2))
    return fine, abs(fine - coarse)


def _closed_form(world: Gaussians) -> float:
    apart = np.subtract(*np.array(world.means))
    delta = sqrt(apart @ np.linalg.solve(np.array(world.covariances[0]), apart))
    return _between((world.priors[0], world.priors[1]), delta)


def _between(priors: tuple[float, float], delta: float) -> float:
    """The Bayes error of two normals of equal covariance, `delta` apart."""
    from scipy.special import ndtr

    first, second = priors
    if delta == 0:
        return min(first, second)
    t = log(first / second)
    return float(first * ndtr(-delta / 2 - t / delta) + second * ndtr(-delta / 2 + t / delta))


def linear_error(world: Gaussians, rule: LinearRule) -> float:
    """The true error of "class 1 where w·x + b > 0": π0 Φ((w·μ0 + b)/s0) + π1 Φ(−(w·μ1 + b)/s1), s² = wᵀΣw.

    >>> round(linear_error(gaussian(distance=2.0), LinearRule(weights=(1.0, 0.0), offset=-1.0)), 6)
    0.158655
    """
    from scipy.special import ndtr

    w = np.array(rule.weights)
    error = 0.0
    for sign, mean, covariance, prior in zip((1, -1), world.means, world.covariances, world.priors, strict=True):
        height, s = sign * (w @ np.array(mean) + rule.offset), sqrt(w @ np.array(covariance) @ w)
        # a rule that looks at nothing is right or wrong for sure; at height 0 it says 0
        error += prior * (float(ndtr(height / s)) if s > 0 else float(height > 0 or (height == 0 and sign < 0)))
    return error


def error_of(world: Gaussians, rule: Rule, rng: np.random.Generator, *, points: int = 2_000) -> tuple[float, float]:
    """The true error of a rule, E[1 − p(rule(x) | x)], and how far it may be off.

    Exact for a linear rule of two classes. For any other rule `points` are drawn, but not their labels, since p(c | x)
    is known; it may be off by three standard errors.
    """
    if isinstance(rule, LinearRule) and world.classes == 2:
        return linear_error(world, rule), 0.0
    X, _ = world.sample(points, rng)
    wrong = 1 - np.take_along_axis(world.posterior(X), np.asarray(rule(X), int)[:, None], axis=1)[:, 0]
    return float(wrong.mean()), 3 * float(wrong.std()) / sqrt(points)


def _integrated(world: Gaussians, steps: int) -> float:
    """∫ Σ_c p(x, c) − max_c p(x, c) dx by the midpoint rule."""
    means, widest = np.array(world.means), sqrt(max(np.linalg.eigvalsh(np.array(c)).max() for c in world.covariances))
    low, high = means.min(axis=0) - REACH * widest, means.max(axis=0) + REACH * widest
    axes = [a + (b - a) * (np.arange(steps) + 0.5) / steps for a, b in zip(low, high, strict=True)]
    X = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    joint = np.exp(world.log_joint(X))
    return float((joint.sum(axis=1) - joint.max(axis=1)).sum() * np.prod((high - low) / steps))


def _plain(matrix: Array) -> Any:
    return tuple(tuple(float(x) for x in line) for line in matrix)
