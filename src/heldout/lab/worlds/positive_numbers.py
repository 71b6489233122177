"""Worlds of positive numbers: what counts is by how much of the truth a model is off."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np

from heldout.batch import Array
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
        values=lambda: amount_values(noise, own),
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
