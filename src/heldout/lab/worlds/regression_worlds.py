"""Simulations of numbers: truth is a signal and noise, a model predicts the signal with errors of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import exp, pi, sqrt

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError, did_you_mean
from heldout.lab.worlds.recipe import Recipe, between


def amounts(*, spread: float = 1.0, noise: float = 0.2, own: float = 0.2) -> Recipe:
    """Truth is exp(spread z + noise w); the model sees z and says exp(spread z + own e)."""
    between(-1e-12, 2, spread=spread, noise=noise, own=own)

    def truth(shared: Array) -> Array:
        return np.exp(spread * shared[0] + noise * shared[1])

    def said(shared: Array, own_normals: Array) -> dict[str, Array]:
        return {"prediction": np.exp(spread * shared[0] + own * own_normals[0])}

    return Recipe(
        about=f"amounts whose logarithm has a spread of {spread:g} that the model sees and one of {noise:g} that it "
        f"does not; its own logarithm is off by {own:g}",
        task="regression",
        shared=2,
        own=1,
        truth=truth,
        said=said,
        values=lambda: {**amount_values(noise, own), **deviance_values(spread, noise, own)},
        facts={"labels": ("y",)},
    )


def amount_values(noise: float, own: float) -> dict[str, float]:
    """Mean errors as shares of the truth; prediction over truth is R, and ln R is N(0, noise² + own²).

    What the model sees cancels. Total error over total truth is the same mean with rows drawn by their truth, which
    moves ln R by -noise².

    >>> {name: round(value, 4) for name, value in amount_values(0.3, 0.0).items()}
    {'mape': 0.2467, 'mspe': 0.1052, 'rmspe': 0.3243, 'wmape': 0.2358}
    """
    variance = noise**2 + own**2
    squared = 1 - 2 * exp(variance / 2) + exp(2 * variance)
    return {
        "mape": _mean_distance(0.0, variance),
        "mspe": squared,
        "rmspe": sqrt(squared),
        "wmape": _mean_distance(-(noise**2), variance),
    }


def deviance_values(spread: float, noise: float, own: float) -> dict[str, float]:
    """Mean deviances, with T = exp(spread z + noise w) and P = exp(spread z + own e): E T ln(T/P) = noise² E T.

    The squared logarithmic error has no closed form: Gauss-Hermite quadrature over the three normals.

    >>> round(deviance_values(1.0, 0.0, 0.3)["gamma_deviance"], 4)
    0.0921
    """
    from scipy.special import roots_hermitenorm

    truth, said = (exp((spread**2 + part**2) / 2) for part in (noise, own))
    nodes, weights = roots_hermitenorm(60)
    weights = weights / weights.sum()
    signal = spread * nodes[:, None]
    truths, predictions = np.log1p(np.exp(signal + noise * nodes)), np.log1p(np.exp(signal + own * nodes))
    # given z, truth and prediction are independent: E (a - b)² = E a² - 2 E a E b + E b²
    squared = truths**2 @ weights - 2 * (truths @ weights) * (predictions @ weights) + predictions**2 @ weights
    msle = float(weights @ squared)
    return {
        "poisson_deviance": 2 * (noise**2 * truth - truth + said),
        "gamma_deviance": 2 * (exp((noise**2 + own**2) / 2) - 1),
        "msle": msle,
        "rmsle": sqrt(msle),
    }


def _mean_distance(mean: float, variance: float) -> float:
    """E |R - 1| where ln R is normal: twice E (R - 1)+, less E (R - 1).

    >>> _mean_distance(0.0, 0.0)
    0.0
    """
    from scipy.special import ndtr

    if variance == 0:
        return abs(exp(mean) - 1)
    spread, expected = sqrt(variance), exp(mean + variance / 2)
    over = expected * ndtr((mean + variance) / spread) - ndtr(mean / spread)
    return float(2 * over - (expected - 1))


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


def _lognormal(z: Array) -> Array:
    """Log-normal with spread 1, moved and scaled."""
    return (np.exp(z) - np.exp(0.5)) / sqrt((np.e - 1) * np.e)


def _exponential(z: Array) -> Array:
    from scipy.special import log_ndtr

    return np.asarray(-log_ndtr(-z) - 1)


def _gamma(z: Array) -> Array:
    """Gamma of shape 1/2: the square of a normal, moved and scaled."""
    from scipy.special import chdtri, ndtr

    return np.asarray((chdtri(1, ndtr(-z)) - 1) / sqrt(2))


def _zeros(z: Array) -> Array:
    """Nothing in 7 of 10 rows, else exponential on either side."""
    from scipy.special import ndtr

    tail = np.minimum(ndtr(-np.abs(z)) / 0.15, 1.0)
    return np.sign(z) * -np.log(tail) / sqrt(2 * 0.3)


NOISES: dict[str, Callable[[Array], Array]] = {
    "normal": _normal,
    "t3": _t3,
    "laplace": _laplace,
    "skewed": _skewed,
    "lognormal": _lognormal,
    "exponential": _exponential,
    "gamma": _gamma,
    "zeros": _zeros,
}
"""Noise of mean 0 and variance 1, from a standard normal."""


def numbers(*, noise: str = "normal", signal: float = 1.0, own: float = 0.0, knows: float = 0.0) -> Recipe:
    """Truth is signal z + noise of variance 1; the model says signal z + knows noise + own e."""
    if noise not in NOISES:
        fix = f"choose one of {', '.join(NOISES)}"
        raise UsageError(f"no noise is named {noise!r}{did_you_mean(noise, NOISES)}", fix=fix)
    between(-1e-12, 1e6, signal=signal, own=own)
    between(-1e-12, 1, knows=knows)
    law = NOISES[noise]
    known = f", knows {knows:g} of the noise" if knows else ""
    off = f"the model is off by {own:g} more{known}"
    return Recipe(
        about=f"truth is a signal of spread {signal:g} and {noise} noise of spread 1; {off}",
        task="regression",
        shared=2,
        own=1,
        truth=lambda shared: signal * shared[0] + law(shared[1]),
        said=lambda shared, own_normals: {
            "prediction": signal * shared[0] + own * own_normals[0] + (knows * law(shared[1]) if knows else 0.0)
        },
        values=lambda: _values(law, signal, own, 1 - knows),
        accuracy=1e-3 if noise == "t3" else 1e-5,
        facts={"labels": ("y",)},
    )


@lru_cache(maxsize=256)
def _values(law: Callable[[Array], Array], signal: float, own: float, unknown: float = 1.0) -> dict[str, float]:
    """Mean losses of the error, unknown law(z) - own e; the variance of every law is 1."""
    at = np.linspace(-8.5, 8.5, 8000)
    mass = np.exp(-(at**2) / 2) / sqrt(2 * pi) * (at[1] - at[0])
    noise = law(at)
    mse = unknown**2 + own**2
    mae = _mean_size(unknown * noise, own, mass)
    middle = _median(noise, signal, mass) if signal else float(law(np.zeros(1))[0])
    return {
        "mse": mse,
        "rmse": sqrt(mse),
        "mae": mae,
        "median_absolute_error": _median_size(unknown * noise, own, mass),
        "mean_error": 0.0,
        "r2": 1 - mse / (signal**2 + 1),
        "explained_variance": 1 - mse / (signal**2 + 1),
        "d2_absolute_error": 1 - mae / _mean_size(noise - middle, signal, mass),
    }


def _mean_size(noise: Array, spread: float, mass: Array) -> float:
    """E |noise + spread e|: over the normal e in closed form, over the noise by its masses."""
    from scipy.special import ndtr

    if spread == 0:
        return float(mass @ np.abs(noise))
    density = np.exp(-((noise / spread) ** 2) / 2) / sqrt(2 * pi)
    return float(mass @ (2 * spread * density + noise * (2 * ndtr(noise / spread) - 1)))


def _median(noise: Array, spread: float, mass: Array) -> float:
    """The median of noise + spread e."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    return float(brentq(lambda m: mass @ ndtr((m - noise) / spread) - 0.5, -10, 10))


def _median_size(noise: Array, spread: float, mass: Array) -> float:
    """The median of |noise + spread e|."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    sizes = np.abs(noise)
    if spread == 0:  # sizes may come in twos, which are taken together
        order = np.argsort(sizes)
        two = sizes[order].reshape(-1, 2).mean(axis=1), mass[order].reshape(-1, 2).sum(axis=1)
        return float(np.interp(0.5, np.cumsum(two[1]) - two[1] / 2, two[0]))
    highest = 2 * sqrt(float(mass @ noise**2) + spread**2)  # Chebyshev: three quarters or more are below
    return float(brentq(lambda m: mass @ (ndtr((m - sizes) / spread) - ndtr((-m - sizes) / spread)) - 0.5, 0, highest))
