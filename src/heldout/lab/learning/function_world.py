"""Simulations of numbers: y = f(x) + ε, x even over an interval, ε normal. The best prediction is f(x) itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi, sqrt

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import UsageError
from heldout.lab.name_parsing import Range, spelled, within

SHAPES: dict[str, Callable[[Array], Array]] = {
    "flat": np.zeros_like,
    "sine": lambda x: np.sin(2 * pi * x),
    "slope": lambda x: x,
    "square": np.square,
    "step": lambda x: np.where(x < 0.5, 0.0, 1.0),
}
"""The functions f by name."""
RANGES = {"noise": Range(0, 1_000), "low": Range(-1_000, 1_000), "high": Range(-1_000, 1_000)}
"""What the parameters may be."""
MIDPOINTS = 20_000
"""Midpoints over which the variance of f(x) is summed; off by less than 1e-8 for these functions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """y = f(x) + ε with x uniform on [low, high] and ε normal with standard deviation `noise`."""

    shape: str
    noise: float = 0.3
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        within(self.shape, RANGES, {"noise": self.noise, "low": self.low, "high": self.high})
        if not self.low < self.high:
            raise UsageError(f"low {self.low:g} is not below high {self.high:g}", fix="leave both out for 0 and 1")

    @property
    def name(self) -> str:
        """Its word."""
        ends = {} if (self.low, self.high) == (0.0, 1.0) else {"low": self.low, "high": self.high}
        return spelled(self.shape, noise=self.noise, **ends)

    def f(self, x: Array) -> Array:
        """The mean of y at x.

        Parameters
        ----------
        x : ndarray
            Places on the axis.

        Returns
        -------
        ndarray
            f(x).
        """
        return SHAPES[self.shape](np.asarray(x, float))

    def grid(self, points: int) -> Array:
        """Evenly spaced points from end to end.

        Parameters
        ----------
        points : int
            Number of points.

        Returns
        -------
        ndarray
            The points.
        """
        return np.linspace(self.low, self.high, points)

    def midpoints(self, points: int) -> Array:
        """Midpoints of equal parts: the mean over them is the integral over x, by the midpoint rule.

        Parameters
        ----------
        points : int
            Number of parts.

        Returns
        -------
        ndarray
            The points.
        """
        return self.low + (self.high - self.low) * (np.arange(points) + 0.5) / points

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
            X with one column, and y.
        """
        x = rng.uniform(self.low, self.high, rows)
        return x[:, None], self.observed(x, rng)

    def observed(self, x: Array, rng: np.random.Generator) -> Array:
        """Simulate y at given x.

        Parameters
        ----------
        x : ndarray
            Places on the axis.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        ndarray
            f(x) with fresh noise.
        """
        return self.f(x) + self.noise * rng.standard_normal(x.shape)

    def draw(self, rows: int, rng: np.random.Generator) -> Batch:
        """Simulate rows with the best possible prediction, f(x).

        Parameters
        ----------
        rows : int
            Number of rows.
        rng : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        Batch
            Truth and predictions.
        """
        x, y = self.sample(rows, rng)
        return Batch(task="regression", truth=y, prediction=self.f(x[:, 0]), labels=("y",))

    def truth(self, metric: str) -> float:
        """True value of a metric of the best prediction: mse = σ², mae = σ √(2/π), r2 = 1 − σ² / Var(y).

        Parameters
        ----------
        metric : str
            Name of the metric.

        Returns
        -------
        float
            The true value.

        Raises
        ------
        UsageError
            If the true value of the metric is not known.

        Examples
        --------
        >>> round(Function(shape="sine", noise=0.3).truth("mse"), 3)
        0.09
        """
        variance = self.noise**2
        spread = float(np.var(self.f(self.midpoints(MIDPOINTS)))) + variance
        known = {
            "mae": self.noise * sqrt(2 / pi),
            "mse": variance,
            "r2": 1 - variance / spread if spread > 0 else float("nan"),
            "rmse": self.noise,
        }
        if metric not in known:
            fix = f"choose one of {', '.join(known)}"
            raise UsageError(f"the true {metric} of the world {self.name} is not known", fix=fix)
        return known[metric]


def _maker(shape: str) -> Callable[..., Function]:
    def made(noise: float = 0.3, low: float = 0.0, high: float = 1.0) -> Function:
        return Function(shape=shape, noise=noise, low=low, high=high)

    made.__doc__ = f"To learn from: y = f(x) + noise on [low, high], f of the shape {shape}."
    return made


FUNCTIONS: dict[str, Callable[..., Function]] = {shape: _maker(shape) for shape in SHAPES}
"""The family by the names of its functions, each with the parameters noise, low and high."""
