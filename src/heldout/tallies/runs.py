"""Rows by rising score, taken together as far as no metric of the order can tell them apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from heldout import weights
from heldout.batch import Array
from heldout.tallies import Sums

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

    def drawn(self, draws: int, seed: int) -> Iterator[Sums]:
        """Draws within each class, so that no draw lacks one.

        All metrics of a tally see the same draws. They are kept where they are small, so that they are drawn once.
        """
        if 2 * draws * len(self.positives) > KEPT_AT_MOST:
            yield from self._drawn_anew(draws, seed)
            return
        if (draws, seed) not in self._kept:
            self._kept[draws, seed] = list(self._drawn_anew(draws, seed))
        yield from self._kept[draws, seed]

    @cached_property
    def _kept(self) -> dict[tuple[int, int], list[Sums]]:
        return {}

    def _drawn_anew(self, draws: int, seed: int) -> Iterator[Sums]:
        rng = np.random.default_rng(seed)
        size = weights.lines_at_once(2 * max(len(self.positives), self.units))
        pairs = zip(
            weights.bootstrap(self.positives, draws, rng, size),
            weights.bootstrap(self.negatives, draws, rng, size),
            strict=True,
        )
        for more, less in pairs:
            yield {"positives": more, "negatives": less}
