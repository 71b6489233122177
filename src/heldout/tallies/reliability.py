"""Probabilities against what happened."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from heldout.batch import Array
from heldout.tallies import joined
from heldout.tallies.score_sort import parts

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
    moved: Array | None = None
    """How far each unit moves the coefficients, a line per coefficient; kept where rows share units."""
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
    if _separated(chance, happened, weight):
        return _undefined(notes, "the scores separate the classes, so the slope has no finite value")
    start = _started(chance, happened, weight)
    found = None if start is None else _newton(chance, happened, weight, start)
    if found is None:
        return _undefined(notes, "the scores separate the classes, so the slope has no finite value")
    at, curvature = found
    errors, moved = _sandwich(chance, happened, weight, unit, at, curvature)
    return Recalibration(coefficients=at, errors=errors, moved=moved, notes=notes)


def _separated(chance: Array, happened: Array, weight: Array | None) -> bool:
    """Whether some probability has all that happened on its one side and all that did not on its other.

    Then the likelihood grows with the slope without end [albert84]. Probabilities are compared as the fit sees them,
    taken from the edges; a row of weight 0 separates nothing.
    """
    counted = np.ones(len(chance), bool) if weight is None else weight > 0
    happens, not_happens = (counted & (happened == outcome) for outcome in (1, 0))
    lows, highs = (
        [float(np.clip(end(chance, where=where, initial=start), EDGE, 1 - EDGE)) for where in (happens, not_happens)]
        for end, start in ((np.min, 1.0), (np.max, 0.0))
    )
    return highs[1] <= lows[0] or highs[0] <= lows[1]


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
) -> tuple[Array, Array | None]:
    """Errors from what each unit moves the slope of the likelihood, and its curvature; and how far units move both."""
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
    return errors, None if units is None else bread @ units


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
