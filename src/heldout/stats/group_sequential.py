"""Planned looks at growing data: boundaries by alpha spending, and what they cost.

Between looks the standardised difference moves like a random walk with steps as large as the share of the rows that was
added. How likely it is to have crossed a boundary is found look by look, by numerical integration [armitage69].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import e, log, sqrt
from typing import Literal

import numpy as np

from heldout.batch import Array

Spending = Literal["obrien-fleming", "pocock"]
NODES = 96
"""Points of the integration at each look."""
FAR = 8.5
"""Standard errors beyond which nothing happens."""
MOST_LOOKS = 50
LEAST_STEP = 0.002
"""Share of the rows between looks below which the points of the integration are too far apart for the boundaries."""
LEAST = 1e-9
"""The smallest error rate that p-values are looked up for."""


def _obrien_fleming(share: float, alpha: float) -> float:
    """2 - 2 Phi(z / sqrt(t)), z the normal quantile at 1 - alpha / 2: hardly any of the error rate early [lan83]."""
    from scipy.special import ndtr, ndtri

    return float(2 * ndtr(ndtri(alpha / 2) / sqrt(share)))


def _pocock(share: float, alpha: float) -> float:
    """Alpha log(1 + (e - 1) t): about as much at every look [lan83]."""
    return alpha * log(1 + (e - 1) * share)


SPENDING: dict[str, Callable[[float, float], float]] = {"obrien-fleming": _obrien_fleming, "pocock": _pocock}
"""How much of a one-sided error rate may be spent when a share of the rows is there."""


@lru_cache(maxsize=1024)
def boundaries(fractions: tuple[float, ...], alpha: float, spending: str = "obrien-fleming") -> tuple[float, ...]:
    """How many standard errors a difference must reach at each look, two-sided error `alpha` in all.

    >>> [round(z, 3) for z in boundaries((0.2, 0.4, 0.6, 0.8, 1.0), 0.05)]
    [4.877, 3.357, 2.68, 2.29, 2.031]
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr, ndtri

    found: list[float] = []
    spent, walk = 0.0, _Walk.start(0.0)
    for share in fractions:
        due = max(SPENDING[spending](share, alpha / 2) - spent, 1e-300)
        spent += due
        if walk.share == 0:
            edge = float(-ndtri(due)) if due > ndtr(-FAR) else FAR
        else:
            reached = walk.above(FAR, share) < due < walk.above(0.0, share)
            edge = float(brentq(_beyond, 0.0, FAR, (walk, share, due))) if reached else FAR
        found.append(edge)
        walk = walk.on(edge, share)
    return tuple(found)


def _beyond(edge: float, walk: _Walk, share: float, due: float) -> float:
    """The chance to be above an edge, less what is due."""
    return walk.above(edge, share) - due


def crossing(fractions: Sequence[float], edges: Sequence[float], drift: float = 0.0) -> tuple[Array, Array]:
    """The chance to cross first at each look, above and below; `drift` is the expected statistic at the last row.

    >>> above, below = crossing([0.2, 0.4, 0.6, 0.8, 1.0], [2.413] * 5)  # Pocock's constant
    >>> round(float((above + below).sum()), 4)
    0.05
    """
    above, below, walk = [], [], _Walk.start(drift)
    for share, edge in zip(fractions, edges, strict=True):
        above.append(walk.above(edge, share))
        below.append(walk.below(edge, share))
        walk = walk.on(edge, share)
    return np.array(above), np.array(below)


def drift_for(fractions: tuple[float, ...], edges: tuple[float, ...], power: float) -> float:
    """The expected statistic with all rows for which the upper boundary is crossed with this power."""
    from scipy.optimize import brentq

    def short(drift: float) -> float:
        return float(crossing(fractions, edges, drift)[0].sum()) - power

    return float(brentq(short, 0.0, 20.0))


def repeated_pvalue(pvalue: float, fractions: tuple[float, ...], look: int, spending: str) -> float:
    """The p-value of a look that may be held against the error rate of all looks.

    It is the least error rate in all with which the boundary at this look would have been reached.

    >>> round(repeated_pvalue(0.022, (0.2, 0.4, 0.6, 0.8, 1.0), 4, "obrien-fleming"), 3)
    0.05
    """
    if not pvalue < 1:
        return pvalue  # also where it is undefined
    alphas, levels = _nominal_levels(fractions[:look], spending)
    if not len(levels):  # a look so early that its boundary is beyond reach at every error rate
        return 1.0
    return float(np.exp(np.interp(log(max(pvalue, 1e-300)), levels, alphas, right=0.0)))


@lru_cache(maxsize=64)
def _nominal_levels(fractions: tuple[float, ...], spending: str) -> tuple[Array, Array]:
    """Logarithms of error rates in all, and of those of the last of these looks alone."""
    from scipy.special import ndtr

    alphas = np.concatenate([np.geomspace(LEAST, 0.01, 16), np.linspace(0.015, 0.1, 18), np.linspace(0.12, 0.999, 20)])
    last = np.array([boundaries(fractions, float(alpha), spending)[-1] for alpha in alphas])
    known = last < FAR  # beyond, the boundary is not known, and no smaller error rate may be claimed
    return np.log(alphas[known]), np.log(2 * ndtr(-last[known]))


class _Walk:
    """The statistic times the root of the share of rows, as far as no boundary was crossed: points and their masses."""

    def __init__(self, points: Array, masses: Array, share: float, drift: float) -> None:
        self.points, self.masses, self.share, self.drift = points, masses, share, drift

    @classmethod
    def start(cls, drift: float) -> _Walk:
        return cls(np.zeros(1), np.ones(1), 0.0, drift)

    def _steps(self, at: Array | float, share: float) -> Array:
        """How many standard deviations a step from each point to a place is."""
        step = share - self.share
        away = np.subtract.outer(np.asarray(at, float), self.points) - self.drift * step
        return np.asarray(away / sqrt(step))

    def above(self, edge: float, share: float) -> float:
        """The chance to have crossed nothing so far, and to be above the edge then."""
        from scipy.special import ndtr

        return float(ndtr(-self._steps(edge * sqrt(share), share)) @ self.masses)

    def below(self, edge: float, share: float) -> float:
        """The chance to have crossed nothing so far, and to be below the negative edge then."""
        from scipy.special import ndtr

        return float(ndtr(self._steps(-edge * sqrt(share), share)) @ self.masses)

    def on(self, edge: float, share: float) -> _Walk:
        """The walk at the next look, where it stays between the edges."""
        nodes, weights = _nodes()
        half = edge * sqrt(share)
        points, step = half * nodes, share - self.share
        density = np.exp(-0.5 * self._steps(points, share) ** 2) @ self.masses / sqrt(2 * np.pi * step)
        return _Walk(points, half * weights * density, share, self.drift)


@lru_cache(maxsize=1)
def _nodes() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights
