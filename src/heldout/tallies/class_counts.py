"""Counts given class by class instead of rows: (TP, FP, FN, TN) each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout.batch import Array
from heldout.tallies import Drawn, Sums

NAMES = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """One table of four counts per class, the tables drawn independently of each other."""

    counts: Array
    """One line (TP, FP, FN, TN) per class."""

    clustered = False
    weighted = False

    def __add__(self, other: ClassCounts) -> ClassCounts:
        return ClassCounts(self.counts + other.counts)

    @property
    def sums(self) -> Sums:
        return dict(zip(NAMES, self.counts.T, strict=True))

    @property
    def squares(self) -> Sums:
        return self.sums

    @property
    def units(self) -> int:
        return int(self.counts.sum())

    @property
    def lines(self) -> Array:
        return self.counts.ravel()

    def influence(self, gradient: Sums) -> Array:
        shape = (len(self.counts),)
        slopes = [np.broadcast_to(gradient.get(name, 0.0), shape) for name in NAMES]
        return np.stack(slopes, axis=1).ravel()

    def variance(self, gradient: Sums) -> float:
        return float(self.lines @ self.influence(gradient) ** 2)

    def drawn(self, draws: int, seed: int) -> list[Drawn]:
        def made() -> Sums:
            rng = np.random.default_rng(seed)
            tables = [rng.multinomial(int(line.sum()), line / line.sum(), size=draws) for line in self.counts]
            block = np.stack(tables, axis=1)
            return {name: block[:, :, i] for i, name in enumerate(NAMES)}

        return [made]
