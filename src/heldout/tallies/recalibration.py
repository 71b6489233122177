"""The logistic fit of what happened on the logit of the probability: intercept, slope and their sandwich errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout.batch import Array

EDGE = 1e-15
"""Probabilities of exactly 0 or 1 have no logit; they are taken this far inside."""
FARTHEST = 1e4
"""A coefficient beyond this is on its way to infinity: the scores separate the classes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalibration:
    """Coefficients (intercept, slope), their errors, and what a reader must know."""

    coefficients: Array
    errors: Array
    notes: tuple[str, ...] = ()


def recalibrated(chance: Array, happened: Array, weight: Array | None, unit: Array | None) -> Recalibration:
    """Maximum likelihood of P(happened) = 1 / (1 + exp(-(a + b logit(chance)))).

    >>> rng = np.random.default_rng(0)
    >>> chance = rng.random(4000)
    >>> found = recalibrated(chance, (rng.random(4000) < chance).astype(float), None, None)
    >>> bool(abs(found.coefficients[1] - 1) < 3 * found.errors[1])
    True
    """
    inside = np.clip(chance, EDGE, 1 - EDGE)
    outside = int(np.count_nonzero(inside != chance))
    notes = (f"{outside} probabilities of exactly 0 or 1 were taken as 1e-15 from it",) if outside else ()
    if np.ptp(happened) == 0 or np.ptp(inside) == 0:
        return _undefined(notes, "one outcome only" if np.ptp(happened) == 0 else "all probabilities are equal")
    logit = np.log(inside) - np.log1p(-inside)
    found = _newton(logit, happened, weight)
    if found is None:
        return _undefined(notes, "the scores separate the classes, so the slope has no finite value")
    at, curvature = found
    off = happened - _expected(logit, at)
    errors = _sandwich(np.stack([off, off * logit]), weight, unit, curvature)
    return Recalibration(coefficients=at, errors=errors, notes=notes)


def _undefined(notes: tuple[str, ...], why: str) -> Recalibration:
    nothing = np.full(2, np.nan)
    return Recalibration(coefficients=nothing, errors=nothing, notes=(*notes, f"undefined: {why}"))


def _newton(logit: Array, happened: Array, weight: Array | None) -> tuple[Array, Array] | None:
    """The point where the slope of the likelihood vanishes, and its curvature there; None where it runs away.

    The likelihood is concave: a step that would make its slope longer is halved until it does not.
    """
    at = np.zeros(2)
    slope, curvature = _slope_and_curvature(logit, happened, weight, at)
    for _ in range(100):
        if not np.all(np.isfinite(curvature)) or np.linalg.cond(curvature) > 1e14:
            return None
        step = np.linalg.solve(curvature, slope)
        size = 1.0
        while True:
            ahead = _slope_and_curvature(logit, happened, weight, at + size * step)
            if np.linalg.norm(ahead[0]) <= np.linalg.norm(slope) or size < 1e-4:
                break
            size /= 2
        at, (slope, curvature) = at + size * step, ahead
        if np.max(np.abs(at)) > FARTHEST:
            return None
        if np.max(np.abs(size * step)) < 1e-10 * max(1.0, float(np.max(np.abs(at)))):
            break
    return at, curvature


def _slope_and_curvature(logit: Array, happened: Array, weight: Array | None, at: Array) -> tuple[Array, Array]:
    expected = _expected(logit, at)
    off = happened - expected
    spread = expected * (1 - expected)
    if weight is not None:
        off, spread = off * weight, spread * weight
    bent = spread * logit
    mixed = float(bent.sum())
    return np.array([off.sum(), off @ logit]), np.array([[spread.sum(), mixed], [mixed, bent @ logit]])


def _sandwich(moved: Array, weight: Array | None, unit: Array | None, curvature: Array) -> Array:
    """Errors from what each unit moves the slope of the likelihood, and its curvature."""
    if weight is not None:
        moved = moved * weight
    if unit is not None:
        moved = np.stack([np.bincount(unit, weights=part) for part in moved])
    n = moved.shape[1]
    bread = np.linalg.inv(curvature)
    return np.sqrt(np.diag(bread @ (moved @ moved.T) @ bread) * n / max(n - 1, 1))


def _expected(logit: Array, at: Array) -> Array:
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-(at[0] + at[1] * logit)))
