"""Probabilities against what happened."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from heldout.batch import Array
from heldout.tallies import effective_units, joined
from heldout.tallies.score_sort import parts

EDGE = 1e-15
"""Probabilities of exactly 0 or 1 have no logit; they are taken this far inside."""
ENOUGH = 1e-6
"""A step of this part of the coefficients ends the search; the next one would be about its square."""
MANY = 200_000
"""From this many rows on, the search starts at the answer of a tenth of them."""
FARTHEST = 1e4
"""A coefficient beyond this is on its way to infinity: the scores separate the classes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalibration:
    """Coefficients (intercept, slope), their errors, and what a reader must know."""

    coefficients: Array
    errors: Array
    moved: Array | None = None
    """How far each unit moves the coefficients, a line per coefficient; kept where rows share units."""
    notes: tuple[str, ...] = ()


def recalibrated(chance: Array, happened: Array, weight: Array | None, unit: Array | None) -> Recalibration:
    """Maximum likelihood of P(happened) = 1 / (1 + exp(-(a + b logit(chance)))); chances are in rising order.

    >>> rng = np.random.default_rng(0)
    >>> chance = np.sort(rng.random(4000))
    >>> found = recalibrated(chance, (rng.random(4000) < chance).astype(float), None, None)
    >>> bool(abs(found.coefficients[1] - 1) < 3 * found.errors[1])
    True
    """
    inside = bisect_right(chance, 1 - EDGE, key=float) - bisect_left(chance, EDGE, key=float)
    outside = len(chance) - inside
    notes = (f"{outside} probabilities of exactly 0 or 1 were taken as 1e-15 from it",) if outside else ()
    if happened.all() or not happened.any() or chance[0] == chance[-1]:
        one = happened.all() or not happened.any()
        return _undefined(notes, "one outcome only" if one else "all probabilities are equal")
    if _separated(chance, happened, weight):
        return _undefined(notes, "the scores separate the classes, so the slope has no finite value")
    found = _newton(chance, happened, weight, _started(chance, happened, weight))
    if found is None:
        return _undefined(notes, "the scores separate the classes, so the slope has no finite value")
    at, here = found
    bread = np.linalg.inv(here.curvature)
    moved = None if unit is None else bread @ _unit_slopes(chance, happened, weight, unit, at)
    n, spread = (len(chance), bread @ here.squares @ bread) if moved is None else (moved.shape[1], moved @ moved.T)
    with np.errstate(invalid="ignore"):  # rounding where classes are all but separated
        errors = np.sqrt(np.diag(spread) * n / max(n - 1, 1))
    return Recalibration(coefficients=at, errors=errors, moved=moved, notes=notes)


class _Likelihood(NamedTuple):
    """The slope of the likelihood at a point, its curvature, and the squares of what each row adds to the slope."""

    slope: Array
    curvature: Array
    squares: Array


def _separated(chance: Array, happened: Array, weight: Array | None) -> bool:
    """Whether some probability has all that happened on its one side and all that did not on its other.

    Then the likelihood grows with the slope without end [albert84]. Probabilities are compared as the fit sees them,
    taken from the edges; a row of weight 0 separates nothing.
    """
    happens = happened == 1
    sides = (happens, ~happens) if weight is None else (happens & (weight > 0), ~happens & (weight > 0))
    if not all(side.any() for side in sides):
        return True
    inside = np.clip([[chance[np.argmax(side)], chance[-1 - np.argmax(side[::-1])]] for side in sides], EDGE, 1 - EDGE)
    (low, high), (other_low, other_high) = inside
    return bool(other_high <= low or high <= other_low)


def _logit(chance: Array) -> Array:
    """ln(p / (1 - p)), probabilities at the edge taken from it; made part by part, never kept."""
    inside = np.clip(chance.astype(float), EDGE, 1 - EDGE)
    return np.log(inside / (1 - inside))


def _started(chance: Array, happened: Array, weight: Array | None) -> Array:
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


def _newton(chance: Array, happened: Array, weight: Array | None, at: Array) -> tuple[Array, _Likelihood] | None:
    """The point where the slope of the likelihood vanishes, and the likelihood there; None where it runs away.

    The likelihood is concave: a step that would make its slope longer is halved until it does not.
    """
    here = _likelihood(chance, happened, weight, at)
    for _ in range(100):
        if not np.all(np.isfinite(here.curvature)) or np.linalg.cond(here.curvature) > 1e14:
            return None
        step = np.linalg.solve(here.curvature, here.slope)
        size = 1.0
        while True:
            ahead = _likelihood(chance, happened, weight, at + size * step)
            if np.linalg.norm(ahead.slope) <= np.linalg.norm(here.slope) or size < 1e-4:
                break
            size /= 2
        at, here = at + size * step, ahead
        if np.max(np.abs(at)) > FARTHEST:
            return None
        if np.max(np.abs(size * step)) < ENOUGH * max(1.0, float(np.max(np.abs(at)))):
            break
    return at, here


def _likelihood(chance: Array, happened: Array, weight: Array | None, at: Array) -> _Likelihood:
    def added(part: slice) -> Array:
        x = _logit(chance[part])
        expected = _expected(x, at)
        off, spread = happened[part] - expected, expected * (1 - expected)
        if weight is not None:
            off, spread = off * weight[part], spread * weight[part]
        turned, bent = off * x, spread * x
        slopes = off.sum(), turned.sum()
        return np.array([*slopes, spread.sum(), bent.sum(), bent @ x, off @ off, off @ turned, turned @ turned])

    sums = np.sum([added(part) for part in parts(len(chance))], axis=0)
    return _Likelihood(sums[:2], sums[[2, 3, 3, 4]].reshape(2, 2), sums[[5, 6, 6, 7]].reshape(2, 2))


def _unit_slopes(chance: Array, happened: Array, weight: Array | None, unit: Array, at: Array) -> Array:
    """What each unit adds to the slope of the likelihood."""
    slopes = np.zeros((2, int(unit.max()) + 1))
    for part in parts(len(chance)):
        x = _logit(chance[part])
        off = happened[part] - _expected(x, at)
        off = off if weight is None else off * weight[part]
        slopes += [np.bincount(unit[part], weights=line, minlength=slopes.shape[1]) for line in (off, off * x)]
    return slopes


def _expected(logit: Array, at: Array) -> Array:
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-(at[0] + at[1] * logit)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins:
    """Sums over bins of probability: rows, probability, what happened; and the covariance of the bins' gaps."""

    counts: Array
    """How many rows each bin has, whatever they weigh."""
    rows: Array
    chances: Array
    happened: Array
    covariance: Array

    @property
    def gaps(self) -> Array:
        """Sums of (happened - probability)."""
        return self.happened - self.chances


@dataclass(frozen=True, kw_only=True)
class Reliability:
    """Probabilities in rising order, whether what each spoke of happened, and weights and units in that order."""

    chance: Array
    happened: Array
    weight: Array | None = None
    unit: Array | None = None

    @cached_property
    def recalibration(self) -> Recalibration:
        """The logistic fit behind calibration slope and intercept."""
        return recalibrated(self.chance, self.happened, self.weight, self.unit)

    @property
    def units(self) -> int:
        return len(self.chance) if self.unit is None else int(self.unit.max()) + 1

    @property
    def clustered(self) -> bool:
        return self.unit is not None

    @property
    def weighted(self) -> bool:
        return self.weight is not None

    def worth(self, names: Sequence[str] = (), label: int | None = None) -> float:  # noqa: ARG002 two outcomes only
        """How many units of equal size the rows are worth that happened or did not; all rows, without names."""
        if self.unit is None and self.weight is None:
            return float(self.units)
        chosen = np.ones(len(self.happened)) if len(names) != 1 else self.happened == (names[0] == "positives")
        mass = chosen if self.weight is None else chosen * self.weight
        return effective_units(mass if self.unit is None else np.bincount(self.unit, mass, self.units), self.units)

    def __add__(self, other: Reliability) -> Reliability:
        """Both parts; their units are different units."""
        return tally_reliability(
            np.concatenate([self.chance, other.chance]),
            np.concatenate([self.happened, other.happened]),
            joined(self.weight, other.weight),
            joined(self.unit, other.unit, self.units),
        )

    def binned(self, count: int = 15, equal: str = "mass") -> Bins:
        """Put rows into bins of equal mass (or equal width) by their probability.

        Equal values stay together; where there are at most `count` distinct values, each is a bin of its own. A value
        on an edge belongs to the lower bin.
        """
        cuts = self._cuts(count, equal)
        ends = np.concatenate([[0], cuts, [len(self.chance)]])
        slices = [slice(first, last) for first, last in pairwise(ends.tolist()) if last > first]
        sums = np.array([self._added(part) for part in slices])
        rows, chances, happened = sums.T
        return Bins(
            counts=np.array([part.stop - part.start for part in slices]),
            rows=rows,
            chances=chances,
            happened=happened,
            covariance=self._covariance(slices, happened / np.where(rows > 0, rows, 1)),
        )

    def _added(self, part: slice) -> tuple[float, float, float]:
        """Rows, probability and what happened in a part."""
        chance, happened = self.chance[part], self.happened[part]
        if self.weight is None:
            return float(len(chance)), float(chance.sum(dtype=float)), float(np.count_nonzero(happened))
        weight = self.weight[part]
        return float(weight.sum()), float(weight @ chance), float(weight @ happened)

    def _cuts(self, count: int, equal: str) -> Array:
        """Where one bin ends and the next begins."""
        if equal == "width":
            return np.searchsorted(self.chance, np.linspace(0, 1, count + 1)[1:-1], side="right")
        apart = self._distinct(count)
        if apart is not None:
            return apart
        rows = len(self.chance)
        inner = np.cumsum(np.full(count, rows // count) + (np.arange(count) < rows % count))[:-1]
        return np.unique(np.searchsorted(self.chance, self.chance[inner - 1], side="right"))

    def _distinct(self, most: int) -> Array | None:
        """Where each distinct value ends, where there are at most so many."""
        ends: list[int] = []
        at = 0
        while at < len(self.chance) and len(ends) <= most:
            at = int(np.searchsorted(self.chance, self.chance[at], side="right"))
            ends.append(at)
        return np.array(ends[:-1], dtype=int) if len(ends) <= most else None

    def _covariance(self, slices: list[slice], share: Array) -> Array:
        """Of the sums of (happened - probability) in the bins, drawing rows or units within bins.

        What a row adds is counted from the share that happened in its bin; n / (n - 1) pays for having estimated that.
        """
        if self.unit is None:
            return np.diag([self._spread(part, mean) for part, mean in zip(slices, share.tolist(), strict=True)])
        moved = np.zeros((self.units, len(slices)))
        present = np.zeros(len(slices))
        for place, part in enumerate(slices):
            gap = self.happened[part] - share[place]
            gap = gap if self.weight is None else gap * self.weight[part]
            moved[:, place] = np.bincount(self.unit[part], weights=gap, minlength=self.units)
            present[place] = len(np.unique(self.unit[part]))
        paid = np.sqrt(present / np.maximum(present - 1, 1))
        return moved.T @ moved * np.outer(paid, paid)

    def _spread(self, part: slice, mean: float) -> float:
        rows = part.stop - part.start
        if self.weight is None:
            return rows * mean * (1 - mean) * rows / max(rows - 1, 1)
        gap = self.weight[part] * (self.happened[part] - mean)
        return float(gap @ gap) * rows / max(rows - 1, 1)


def tally_reliability(
    chance: Array, happened: Array, weight: Array | None = None, unit: Array | None = None
) -> Reliability:
    """Put rows in the order of their probabilities.

    >>> tally_reliability(np.array([0.9, 0.1]), np.array([True, False])).chance.tolist()
    [0.1, 0.9]
    """
    order = np.argsort(chance, kind="stable")
    return Reliability(
        chance=chance[order],
        happened=happened[order],
        weight=None if weight is None else weight[order],
        unit=None if unit is None else unit[order],
    )
