"""The logistic fit of what happened on the logit of the probability: intercept, slope and their sandwich errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout.batch import Array
from heldout.tallies.ordering import parts

EDGE = 1e-15
"""Probabilities of exactly 0 or 1 have no logit; they are taken this far inside."""
ENOUGH = 1e-9
"""A step of this part of the coefficients ends the search; the next one would be its square."""
MANY = 200_000
"""From this many rows on, the search starts at the answer of a tenth of them."""
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
    outside = sum(_at_edge(chance[part]) for part in parts(len(chance)))
    notes = (f"{outside} probabilities of exactly 0 or 1 were taken as 1e-15 from it",) if outside else ()
    if happened.all() or not happened.any() or chance.min() == chance.max():
        one = happened.all() or not happened.any()
        return _undefined(notes, "one outcome only" if one else "all probabilities are equal")
    start = _started(chance, happened, weight)
    found = None if start is None else _newton(chance, happened, weight, start)
    if found is None:
        return _undefined(notes, "the scores separate the classes, so the slope has no finite value")
    at, curvature = found
    errors = _sandwich(chance, happened, weight, unit, at, curvature)
    return Recalibration(coefficients=at, errors=errors, notes=notes)


def _at_edge(chance: Array) -> int:
    return int(np.count_nonzero(chance < EDGE)) + int(np.count_nonzero(chance > 1 - EDGE))


def _logit(chance: Array) -> Array:
    """ln(p / (1 - p)), probabilities at the edge taken from it; made part by part, never kept."""
    inside = np.clip(chance.astype(float), EDGE, 1 - EDGE)
    return np.log(inside / (1 - inside))


def _started(chance: Array, happened: Array, weight: Array | None) -> Array | None:
    """Where to start: at the answer of a tenth of many rows, spread evenly, else at zero."""
    if len(chance) < MANY:
        return np.zeros(2)
    few = slice(None, None, len(chance) // (MANY // 10))
    if happened[few].all() or not happened[few].any():
        return np.zeros(2)
    found = _newton(chance[few], happened[few], None if weight is None else weight[few], np.zeros(2))
    return np.zeros(2) if found is None else found[0]


def _undefined(notes: tuple[str, ...], why: str) -> Recalibration:
    nothing = np.full(2, np.nan)
    return Recalibration(coefficients=nothing, errors=nothing, notes=(*notes, f"undefined: {why}"))


def _newton(chance: Array, happened: Array, weight: Array | None, at: Array) -> tuple[Array, Array] | None:
    """The point where the slope of the likelihood vanishes, and its curvature there; None where it runs away.

    The likelihood is concave: a step that would make its slope longer is halved until it does not.
    """
    slope, curvature = _slope_and_curvature(chance, happened, weight, at)
    for _ in range(100):
        if not np.all(np.isfinite(curvature)) or np.linalg.cond(curvature) > 1e14:
            return None
        step = np.linalg.solve(curvature, slope)
        size = 1.0
        while True:
            ahead = _slope_and_curvature(chance, happened, weight, at + size * step)
            if np.linalg.norm(ahead[0]) <= np.linalg.norm(slope) or size < 1e-4:
                break
            size /= 2
        at, (slope, curvature) = at + size * step, ahead
        if np.max(np.abs(at)) > FARTHEST:
            return None
        if np.max(np.abs(size * step)) < ENOUGH * max(1.0, float(np.max(np.abs(at)))):
            break
    return at, curvature


def _slope_and_curvature(chance: Array, happened: Array, weight: Array | None, at: Array) -> tuple[Array, Array]:
    def added(part: slice) -> Array:
        x = _logit(chance[part])
        expected = _expected(x, at)
        off, spread = happened[part] - expected, expected * (1 - expected)
        if weight is not None:
            off, spread = off * weight[part], spread * weight[part]
        bent = spread * x
        return np.array([off.sum(), off @ x, spread.sum(), bent.sum(), bent @ x])

    first, second, even, mixed, steep = np.sum([added(part) for part in parts(len(chance))], axis=0)
    return np.array([first, second]), np.array([[even, mixed], [mixed, steep]])


def _sandwich(  # noqa: PLR0917 the fit has this many parts
    chance: Array, happened: Array, weight: Array | None, unit: Array | None, at: Array, curvature: Array
) -> Array:
    """Errors from what each unit moves the slope of the likelihood, and its curvature."""
    meat = np.zeros((2, 2))
    units = None if unit is None else np.zeros((2, int(unit.max()) + 1))
    for part in parts(len(chance)):
        x = _logit(chance[part])
        off = happened[part] - _expected(x, at)
        off = off if weight is None else off * weight[part]
        moved = np.stack([off, off * x])
        if units is None or unit is None:
            meat += moved @ moved.T
        else:
            units += [np.bincount(unit[part], weights=line, minlength=units.shape[1]) for line in moved]
    n = len(chance) if units is None else units.shape[1]
    meat = meat if units is None else units @ units.T
    bread = np.linalg.inv(curvature)
    with np.errstate(invalid="ignore"):  # rounding where classes are all but separated
        errors: Array = np.sqrt(np.diag(bread @ meat @ bread) * n / max(n - 1, 1))
    return errors


def _expected(logit: Array, at: Array) -> Array:
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-(at[0] + at[1] * logit)))
