"""Worlds of numbers: truth is a signal and noise, a model says the signal and something of its own."""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError, did_you_mean
from heldout.lab.worlds.recipe import Recipe, between


def _normal(z: Array) -> Array:
    return z


def _t3(z: Array) -> Array:
    """Student's t with 3 degrees of freedom, of variance 1."""
    from scipy.special import ndtr, stdtrit

    # through the tail, because a chance near 1 has lost its digits
    return np.asarray(np.sign(z) * -stdtrit(3, ndtr(-np.abs(z))) / sqrt(3))


def _laplace(z: Array) -> Array:
    from scipy.special import log_ndtr

    return np.asarray(-np.sign(z) * (log_ndtr(-np.abs(z)) + np.log(2)) / sqrt(2))


def _skewed(z: Array) -> Array:
    """Log-normal with spread 1/2, moved and scaled to mean 0 and variance 1."""
    return (np.exp(z / 2) - np.exp(1 / 8)) / sqrt((np.exp(1 / 4) - 1) * np.exp(1 / 4))


NOISES: dict[str, Callable[[Array], Array]] = {
    "normal": _normal,
    "t3": _t3,
    "laplace": _laplace,
    "skewed": _skewed,
}
"""Noise of mean 0 and variance 1, from a standard normal."""


def numbers(*, noise: str = "normal", signal: float = 1.0, own: float = 0.0) -> Recipe:
    """Truth is signal z + noise of variance 1; the model says signal z + own e."""
    if noise not in NOISES:
        fix = f"choose one of {', '.join(NOISES)}"
        raise UsageError(f"no noise is named {noise!r}{did_you_mean(noise, NOISES)}", fix=fix)
    between(-1e-12, 1e6, signal=signal, own=own)
    law = NOISES[noise]
    return Recipe(
        about=f"truth is a signal of spread {signal:g} and {noise} noise of spread 1; the model is off by {own:g} more",
        task="regression",
        shared=2,
        own=1,
        truth=lambda shared: signal * shared[0] + law(shared[1]),
        said=lambda shared, own_normals: {"prediction": signal * shared[0] + own * own_normals[0]},
        values=lambda: _values(law, signal, own),
        accuracy=1e-3 if noise == "t3" else 1e-5,
        facts={"labels": ("y",)},
    )


def _values(law: Callable[[Array], Array], signal: float, own: float) -> dict[str, float]:
    """Mean losses of the error, law(z) - own e; the variance of every law is 1."""
    mse = 1 + own**2
    sizes, mass = _sizes(law, own)
    return {
        "mse": mse,
        "rmse": sqrt(mse),
        "mae": float(sizes @ mass),
        "median_absolute_error": _middle(sizes, mass),
        "mean_error": 0.0,
        "r2": 1 - mse / (signal**2 + 1),
    }


def _middle(sizes: Array, mass: Array) -> float:
    """The median; errors come in twos of one size, which are taken together."""
    order = np.argsort(sizes)
    two = sizes[order].reshape(-1, 2).mean(axis=1), mass[order].reshape(-1, 2).sum(axis=1)
    return float(np.interp(0.5, np.cumsum(two[1]) - two[1] / 2, two[0]))


def _sizes(law: Callable[[Array], Array], own: float) -> tuple[Array, Array]:
    """Absolute errors on a grid of both normals, and their masses."""
    at = np.linspace(-8.5, 8.5, 8000)
    mass = np.exp(-(at**2) / 2) / sqrt(2 * pi) * (at[1] - at[0])
    if own == 0:
        return np.abs(law(at)), mass
    few = np.linspace(-7, 7, 281)
    weight = np.exp(-(few**2) / 2) / sqrt(2 * pi) * (few[1] - few[0])
    return np.abs(law(at)[:, None] - own * few).ravel(), np.outer(mass, weight).ravel()
