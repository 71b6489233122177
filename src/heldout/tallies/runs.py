"""Rows by rising score, taken together as far as no metric of the order can tell them apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from heldout import weights
from heldout.batch import Array
from heldout.tallies import Drawn, Sums
from heldout.weights import Block

KEPT_AT_MOST = 10_000_000
"""How many sums of draws are kept for the next metric."""


@dataclass(frozen=True, kw_only=True)
class Runs:
    """How many positive and negative rows each run has, by rising score; every row is a unit of its own."""

    positives: Array
    negatives: Array

    clustered = False
    weighted = False

    @property
    def sums(self) -> Sums:
        return {"positives": self.positives, "negatives": self.negatives}

    @property
    def squares(self) -> Sums:
        return self.sums

    @cached_property
    def sizes(self) -> tuple[float, float]:
        """How many rows are positive, and how many negative."""
        return float(self.positives.sum()), float(self.negatives.sum())

    @property
    def units(self) -> int:
        return round(sum(self.sizes))

    rows = units

    @property
    def lines(self) -> Array:
        return np.concatenate([self.positives, self.negatives])

    def influence(self, gradient: Sums) -> Array:
        """How far one row of each line moves the value: the positive, then the negative rows of each run."""
        return np.concatenate([gradient["positives"], gradient["negatives"]])

    def variance(self, gradient: Sums) -> float:
        """Sum of squared influence, each class freed of the bias of having estimated its mean."""
        if min(self.sizes) < 2:
            return float("nan")
        found = [float(np.einsum("i,i,i", self.sums[name], gradient[name], gradient[name])) for name in self.sums]
        return sum(part * size / (size - 1) for part, size in zip(found, self.sizes, strict=True))

    def drawn(self, draws: int, seed: int) -> list[Drawn]:
        """Draws within each class, so that no draw lacks one.

        All metrics of a tally see the same draws. They are kept where they are small, so that they are drawn once.
        """
        if (draws, seed) not in self._kept:
            self._kept[draws, seed] = self._blocks(draws, seed)
        return self._kept[draws, seed]

    @cached_property
    def _kept(self) -> dict[tuple[int, int], list[Drawn]]:
        return {}

    def _blocks(self, draws: int, seed: int) -> list[Drawn]:
        size = weights.lines_at_once(2 * max(len(self.positives), self.units))
        small = 2 * draws * len(self.positives) <= KEPT_AT_MOST

        def both(more: Block, less: Block) -> Drawn:
            def made() -> Sums:
                return {"positives": more(), "negatives": less()}

            return cache(made) if small else made

        positives = weights.bootstrap(self.positives, draws, [seed, 1], size)
        return [
            both(*pair)
            for pair in zip(positives, weights.bootstrap(self.negatives, draws, [seed, 0], size), strict=True)
        ]
