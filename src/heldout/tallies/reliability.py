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
"""From this many rows on, the search starts at the answer of a tenth of them, and points stand for blocks of rows."""
BLOCKS = 512, 32
"""How many neighbours make a block; where so many are too wide, the next number, and then every row counts itself."""
WIDEST = 1e-3
"""How wide a block may be, in logits where the slope is 1 or less: two points then stand for it to rounding."""
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
    found = _fitted(chance, happened, weight)
    if found is None:
        return _undefined(notes, "the scores separate the classes, so the slope has no finite value")
    at, curvature, points = found
    bread = np.linalg.inv(curvature)
    if unit is None:
        if weight is not None:
            points = _points(chance, happened, weight**2, at)
        n, moved, spread = len(chance), None, bread @ _squares(points, at) @ bread
    else:
        moved = bread @ _unit_slopes(chance, happened, weight, unit, at)
        n, spread = moved.shape[1], moved @ moved.T
    with np.errstate(invalid="ignore"):  # rounding where classes are all but separated
        errors = np.sqrt(np.diag(spread) * n / max(n - 1, 1))
    return Recalibration(coefficients=at, errors=errors, moved=moved, notes=notes)


class _Points(NamedTuple):
    """Logits, whether what each spoke of happened, and how much each weighs."""

    logit: Array
    happened: Array
    weight: Array


class _Likelihood(NamedTuple):
    """The slope of the likelihood at a point, and its curvature."""

    slope: Array
    curvature: Array


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


def _fitted(chance: Array, happened: Array, weight: Array | None) -> tuple[Array, Array, _Points] | None:
    """The most likely coefficients, the curvature of the likelihood there, and its points; None where it has no top."""
    at = _started(chance, happened, weight)
    while True:
        points = _points(chance, happened, weight, at)
        found = _newton(points, at)
        if found is None:
            return None
        steeper = abs(found[0][1]) > 2 * max(1.0, abs(at[1]))
        at = found[0]
        if not steeper or len(chance) < MANY:
            return *found, points


def _started(chance: Array, happened: Array, weight: Array | None) -> Array:
    """Where to start: at the answer of a tenth of many rows, spread evenly, else at zero."""
    if len(chance) < MANY:
        return np.zeros(2)
    few = slice(None, None, len(chance) // (MANY // 10))
    if happened[few].all() or not happened[few].any():
        return np.zeros(2)
    found = _newton(_rows(chance[few], happened[few], None if weight is None else weight[few]), np.zeros(2))
    return np.zeros(2) if found is None else found[0]


def _points(chance: Array, happened: Array, weight: Array | None, at: Array) -> _Points:
    """Points that stand for the rows, where the slope is not much more than here."""
    if len(chance) < MANY:
        return _rows(chance, happened, weight)
    return _summarised(chance, happened, weight, WIDEST / max(1.0, abs(float(at[1]))))


def _rows(chance: Array, happened: Array, weight: Array | None) -> _Points:
    """Every row as a point; probabilities at the edge are taken from it."""
    inside = np.clip(chance.astype(float), EDGE, 1 - EDGE)
    return _Points(np.log(inside / (1 - inside)), happened, np.ones(len(chance)) if weight is None else weight)


def _summarised(chance: Array, happened: Array, weight: Array | None, widest: float) -> _Points:
    """Few points that stand for many rows in rising order: sums of smooth functions of the logit are the same.

    Of the rows of a block that had one outcome, two points of Gaussian quadrature have the weight, the mean, the
    variance and the third moment [golub69]. What they leave out is at most the fourth derivative times the fourth power
    of the width, divided by 1,536: less than rounding.
    """
    found = []
    for part in parts(len(chance)):
        columns = [chance[part], happened[part], *([] if weight is None else [weight[part]])]
        for size in BLOCKS:
            whole = len(columns[0]) // size * size
            blocks = [column[:whole].reshape(-1, size) for column in columns]
            low, high = np.clip(blocks[0][:, [0, -1]].T.astype(float), EDGE, 1 - EDGE)
            narrow = high - low <= widest * low * (1 - high)
            found += _two_points(*(column[narrow] for column in blocks))
            columns = [
                np.concatenate([column[~narrow].ravel(), rest[whole:]])
                for column, rest in zip(blocks, columns, strict=True)
            ]
        found.append(_rows(columns[0], columns[1], columns[2] if len(columns) == 3 else None))
    return _Points(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _two_points(chance: Array, happened: Array, weight: Array | None = None) -> list[_Points]:
    """Two points for each line of neighbours and outcome."""
    inside = np.clip(chance.astype(float), EDGE, 1 - EDGE)
    middle = inside[:, inside.shape[1] // 2]
    off = inside - middle[:, None]
    squared = off * off
    found = []
    for outcome in (0, 1):
        chosen = (happened == outcome).astype(float)
        if weight is not None:
            chosen *= weight
        mass, shifted = chosen.sum(axis=1), chosen * off
        some = mass > 0
        # not by a product of matrices, which rounds by the number of threads
        sums = np.einsum("ij->i", shifted), np.einsum("ij,ij->i", shifted, off), np.einsum("ij,ij->i", shifted, squared)
        mean, second, third = (column[some] / mass[some] for column in sums)
        variance = np.maximum(second - mean**2, 0)
        third -= mean * (3 * variance + mean**2)
        # the third moment of values that are all but equal is rounding
        lean = np.divide(third, 2 * variance, out=np.zeros_like(mean), where=variance > 1e-9 * second)
        reach = np.sqrt(lean**2 + variance)
        share = np.divide(lean + reach, 2 * reach, out=np.full_like(mean, 0.5), where=reach > 0)
        for away, part in ((lean - reach, share), (lean + reach, 1 - share)):
            moved = mean + away
            # as far from 1 as from 0: the sum of middle and moved would be rounded
            logit = np.log((middle[some] + moved) / ((1 - middle[some]) - moved))
            found.append(_Points(logit, np.full(len(logit), float(outcome)), part * mass[some]))
    return found


def _undefined(notes: tuple[str, ...], why: str) -> Recalibration:
    nothing = np.full(2, np.nan)
    return Recalibration(coefficients=nothing, errors=nothing, notes=(*notes, f"undefined: {why}"))


def _newton(points: _Points, at: Array) -> tuple[Array, Array] | None:
    """Where the slope of the likelihood vanishes, and the curvature there; None where it runs away.

    The likelihood is concave: a step that would make its slope longer is halved until it does not.
    """
    here = _likelihood(points, at)
    for _ in range(100):
        if not np.all(np.isfinite(here.curvature)) or np.linalg.cond(here.curvature) > 1e14:
            return None
        step = np.linalg.solve(here.curvature, here.slope)
        size = 1.0
        while True:
            ahead = _likelihood(points, at + size * step)
            if np.linalg.norm(ahead.slope) <= np.linalg.norm(here.slope) or size < 1e-4:
                break
            size /= 2
        at, here = at + size * step, ahead
        if np.max(np.abs(at)) > FARTHEST:
            return None
        if np.max(np.abs(size * step)) < ENOUGH * max(1.0, float(np.max(np.abs(at)))):
            break
    return at, here.curvature


def _likelihood(points: _Points, at: Array) -> _Likelihood:
    def added(part: slice) -> tuple[float, ...]:
        x, happened, weight = (column[part] for column in points)
        expected = _expected(x, at)
        off, spread = (happened - expected) * weight, expected * (1 - expected) * weight
        bent = spread * x
        return off.sum(), np.einsum("i,i", off, x), spread.sum(), bent.sum(), np.einsum("i,i", bent, x)

    sums = np.sum([added(part) for part in parts(len(points.logit))], axis=0)
    return _Likelihood(sums[:2], sums[[2, 3, 3, 4]].reshape(2, 2))


def _squares(points: _Points, at: Array) -> Array:
    """Sums of squares and products of what each row adds to the slope of the likelihood."""
    off = points.weight * (points.happened - _expected(points.logit, at)) ** 2
    turned = off * points.logit
    return np.array([off.sum(), turned.sum(), turned.sum(), np.einsum("i,i", turned, points.logit)]).reshape(2, 2)


def _unit_slopes(chance: Array, happened: Array, weight: Array | None, unit: Array, at: Array) -> Array:
    """What each unit adds to the slope of the likelihood."""
    slopes = np.zeros((2, int(unit.max()) + 1))
    for part in parts(len(chance)):
        x, outcome, mass = _rows(chance[part], happened[part], None if weight is None else weight[part])
        off = (outcome - _expected(x, at)) * mass
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
