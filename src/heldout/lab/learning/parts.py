"""The parts of an expected loss, point by point: formulas on sums over training sets.

Every formula takes sums that may have leading axes (one line per draw), and its parts, each with its sign, add up to
the whole. Parts that are squares of means are freed from the bias that a finite number of training sets gives them;
what one loses the other gains, so that the sum stays what it is. A bias² may then come out a little below zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from heldout.batch import Array

Parts = Mapping[str, Array]


def squared(sets: Array, mean: Array, square: Array, truth: Array, noise: Array | None) -> Parts:
    """E(y − ŷ)² = Var(y) + (E ŷ − E y)² + Var(ŷ): noise, bias² and variance [geman92].

    `sets` counts training sets, `mean` and `square` are the means over them of ŷ and ŷ². Without the noise, `truth` is
    the y seen, and bias² has the noise within it.

    >>> parts = squared(np.array([2.0]), np.array([1.0]), np.array([2.0]), np.array([0.0]), np.array([0.5]))
    >>> {name: part.tolist() for name, part in parts.items()}
    {'noise': [0.5], 'bias²': [0.0], 'variance': [2.0]}
    """
    spread = np.maximum(square - mean**2, 0.0)
    lent = spread / (sets - 1)
    bias = (mean - truth) ** 2 - lent
    if noise is None:
        return {"bias² and noise": bias, "variance": spread + lent}
    return {"noise": noise + np.zeros_like(bias), "bias²": bias, "variance": spread + lent}


def domingos(_sets: Array, shares: Array, chances: Array) -> Parts:
    """Loss = noise + bias + unbiased variance − biased variance, at the main prediction [domingos00].

    The main prediction is the most frequent one, bias is 1 where it is not the best class y*. Variance is the share of
    other predictions: where the main one is right it adds to the loss; where it is wrong only what hits y* matters, and
    is taken off. The noise part is what noise adds, P(y ≠ ŷ) − P(y* ≠ ŷ): for two classes (2 P(ŷ = y*) − 1) P(y ≠ y*).

    >>> parts = domingos(np.array([4.0]), np.array([[0.25, 0.75]]), np.array([[0.9, 0.1]]))
    >>> {name: round(float(part[0]), 3) for name, part in parts.items()}
    {'noise': -0.05, 'bias': 1.0, 'unbiased variance': 0.0, 'biased variance': -0.25}
    """
    best = chances.argmax(axis=-1)[..., None]
    hits = np.take_along_axis(shares, np.broadcast_to(best, (*shares.shape[:-1], 1)), axis=-1)[..., 0]
    wrong = shares.argmax(axis=-1) != best[..., 0]
    loss = 1 - (shares * chances).sum(axis=-1)
    return {
        "noise": loss - (1 - hits),
        "bias": wrong.astype(float),
        "unbiased variance": np.where(wrong, 0.0, 1 - hits),
        "biased variance": np.where(wrong, -hits, 0.0),
    }


def kohavi_wolpert(sets: Array, shares: Array, chances: Array) -> Parts:
    """Loss = ½(1 − Σ p²) + ½ Σ (p − q)² + ½(1 − Σ q²): noise, bias² and variance [kohavi96].

    p is the chance of each class, q the share of rules that predict it.

    >>> parts = kohavi_wolpert(np.array([4.0]), np.array([[0.25, 0.75]]), np.array([[0.9, 0.1]]))
    >>> {name: round(float(part[0]), 4) for name, part in parts.items()}
    {'noise': 0.09, 'bias²': 0.36, 'variance': 0.25}
    """
    spread = (1 - (shares**2).sum(axis=-1)) / 2
    lent = spread / (sets - 1)
    noise = (1 - (chances**2).sum(axis=-1)) / 2
    bias = ((chances - shares) ** 2).sum(axis=-1) / 2 - lent
    return {"noise": noise + np.zeros_like(bias), "bias²": bias, "variance": spread + lent}


ZERO_ONE: dict[str, Callable[[Array, Array, Array], Parts]] = {"Domingos": domingos, "Kohavi–Wolpert": kohavi_wolpert}
"""The decompositions of zero-one loss, by those who proposed them."""
