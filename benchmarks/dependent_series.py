"""Series whose mean is 0 and whose values depend on those before, for the table of docs/tutorials/time.md."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.signal import lfilter

Rng = np.random.Generator
Draw = Callable[[Rng, int, int], np.ndarray]
WARM = 200
"""Values that are thrown away before a series begins."""


def recursive(weights: tuple[float, ...], rng: Rng, repeats: int, n: int, *, lognormal: bool = False) -> np.ndarray:
    """x_t = weights · (x_{t-1}, x_{t-2}, …) + shock."""
    size = (repeats, n + WARM)
    shocks = rng.lognormal(size=size) - np.exp(0.5) if lognormal else rng.standard_normal(size)
    return lfilter([1.0], [1.0, *(-weight for weight in weights)], shocks, axis=1)[:, WARM:]


def ahead(steps: int, rng: Rng, repeats: int, n: int) -> np.ndarray:
    """Errors of the best forecast so many steps ahead: a moving average."""
    return lfilter(np.ones(steps), [1.0], rng.standard_normal((repeats, n + steps)), axis=1)[:, steps:]


def unequal_steps(rho: float, rng: Rng, repeats: int, n: int) -> np.ndarray:
    """An autoregression that is seen at random times, one apart on average."""
    carried = rho ** rng.exponential(1.0, (repeats, n))
    shocks = rng.standard_normal((repeats, n))
    series = np.empty((repeats, n))
    series[:, 0] = shocks[:, 0]
    for at in range(1, n):
        series[:, at] = carried[:, at] * series[:, at - 1] + np.sqrt(1 - carried[:, at] ** 2) * shocks[:, at]
    return series


def common_shocks(rho: float, rng: Rng, repeats: int, n: int) -> np.ndarray:
    """The mean of 50 series that share half of their variance."""
    return recursive((rho,), rng, repeats, n) + recursive((rho,), rng, repeats, n) / np.sqrt(50)


def squared(rho: float, rng: Rng, repeats: int, n: int) -> np.ndarray:
    """Squares of an autoregression of variance 1, less their mean."""
    return (1 - rho**2) * recursive((rho,), rng, repeats, n) ** 2 - 1


SERIES: tuple[tuple[str, int, int | None, Draw], ...] = (
    ("independent", 50, None, partial(recursive, ())),
    ("independent", 200, None, partial(recursive, ())),
    ("AR(1), 0.5", 50, None, partial(recursive, (0.5,))),
    ("AR(1), 0.5", 200, None, partial(recursive, (0.5,))),
    ("AR(1), 0.8", 50, None, partial(recursive, (0.8,))),
    ("AR(1), 0.8", 100, None, partial(recursive, (0.8,))),
    ("AR(1), 0.8", 500, None, partial(recursive, (0.8,))),
    ("AR(1), 0.95", 100, None, partial(recursive, (0.95,))),
    ("forecasts 3 ahead", 50, 3, partial(ahead, 3)),
    ("forecasts 6 ahead", 100, 6, partial(ahead, 6)),
    ("AR(1), 0.8, unequal steps", 100, None, partial(unequal_steps, 0.8)),
    ("50 series, common shocks, 0.5", 100, None, partial(common_shocks, 0.5)),
    ("AR(1), 0.5, lognormal shocks", 100, None, partial(recursive, (0.5,), lognormal=True)),
    ("squared AR(1), 0.8", 100, None, partial(squared, 0.8)),
    ("AR(2), 0.5 and 0.3", 100, None, partial(recursive, (0.5, 0.3))),
    ("season of 7, 0.5", 200, None, partial(recursive, (0, 0, 0, 0, 0, 0, 0.5))),
)
"""What the series is, how many values it has, the horizon that may be given, and what draws it."""
