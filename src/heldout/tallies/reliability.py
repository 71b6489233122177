"""Probabilities against what happened."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from heldout.batch import Array
from heldout.tallies import joined
from heldout.tallies.recalibration import Recalibration, recalibrated


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins:
    """Sums over bins of probability: rows, probability, what happened; and the covariance of the bins' gaps."""

    edges: Array
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
    """A probability per row and whether what it spoke of happened; weights and units as in a batch."""

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
        return Reliability(
            chance=np.concatenate([self.chance, other.chance]),
            happened=np.concatenate([self.happened, other.happened]),
            weight=joined(self.weight, other.weight),
            unit=joined(self.unit, other.unit, self.units),
        )

    def binned(self, count: int = 15, *, equal: str = "mass") -> Bins:
        """Put rows into bins of equal mass (or equal width) by their probability.

        Equal values stay together; where there are at most `count` distinct values, each is a bin of its own. A value
        on an edge belongs to the lower bin.
        """
        edges = self._edges(count, equal)
        place = np.searchsorted(edges[1:-1], self.chance, side="left")
        size = len(edges) - 1
        weight = np.ones(len(place)) if self.weight is None else self.weight

        def total(column: Array) -> Array:
            return np.bincount(place, weights=column, minlength=size)

        rows = total(weight)
        filled = rows > 0
        happened = total(weight * self.happened)
        covariance = self._covariance(place, size, weight, happened / np.where(filled, rows, 1))
        return Bins(
            edges=edges,
            rows=rows[filled],
            chances=total(weight * self.chance)[filled],
            happened=happened[filled],
            covariance=covariance[np.ix_(filled, filled)],
        )

    def _edges(self, count: int, equal: str) -> Array:
        if equal == "width":
            return np.linspace(0, 1, count + 1)
        distinct = np.unique(self.chance) if len(self.chance) <= 100_000 else self.chance[:0]
        if 0 < len(distinct) <= count:
            return np.concatenate([[-np.inf], (distinct[1:] + distinct[:-1]) / 2, [np.inf]])
        ordered = np.sort(self.chance)
        ends = np.array_split(np.arange(len(ordered)), count)
        inner = [(ordered[end[-1]] + ordered[min(end[-1] + 1, len(ordered) - 1)]) / 2 for end in ends[:-1] if len(end)]
        return np.concatenate([[-np.inf], np.unique(inner), [np.inf]])

    def _covariance(self, place: Array, size: int, weight: Array, share: Array) -> Array:
        """Of the sums of (happened - probability) in the bins, drawing rows or units within bins.

        What a row adds is counted from the share that happened in its bin; n / (n - 1) pays for having estimated that.
        """
        gap = weight * (self.happened - share[place])
        if self.unit is None:
            present = np.bincount(place, minlength=size)
            return np.diag(np.bincount(place, weights=gap**2, minlength=size) * present / np.maximum(present - 1, 1))
        keys, inverse = np.unique(self.unit * size + place, return_inverse=True)
        moved = np.zeros((self.units, size))
        moved[keys // size, keys % size] = np.bincount(inverse, weights=gap)
        present = np.bincount(keys % size, minlength=size)
        paid = np.sqrt(present / np.maximum(present - 1, 1))
        return moved.T @ moved * np.outer(paid, paid)
