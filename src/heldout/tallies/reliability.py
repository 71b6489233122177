"""Probabilities against what happened."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from heldout.batch import Array
from heldout.tallies import joined
from heldout.tallies.recalibration import Recalibration, recalibrated


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins:
    """Sums over bins of probability: rows, probability, what happened; and the covariance of the bins' gaps."""

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

    def binned(self, count: int = 15, *, equal: str = "mass") -> Bins:
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
