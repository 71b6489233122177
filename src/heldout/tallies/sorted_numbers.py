"""Numbers in rising order: for medians and extremes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout import weights
from heldout.batch import Array
from heldout.tallies import Drawn, Sums, joined, of_blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """Values in rising order, the weight of each and, where rows share units, its unit."""

    values: Array
    weight: Array | None = None
    unit: Array | None = None
    units: int = 0

    @property
    def clustered(self) -> bool:
        return self.unit is not None

    @property
    def weighted(self) -> bool:
        return self.weight is not None

    @property
    def sums(self) -> Sums:
        return {"ordered": self.values, "mass": np.ones(len(self.values)) if self.weight is None else self.weight}

    def __add__(self, other: Ordered) -> Ordered:
        """Both parts; their units are different units."""
        values = np.concatenate([self.values, other.values])
        order = np.argsort(values, kind="stable")

        weight, unit = joined(self.weight, other.weight), joined(self.unit, other.unit, self.units)
        return Ordered(
            values=values[order],
            weight=None if weight is None else weight[order],
            unit=None if unit is None else unit[order],
            units=self.units + other.units,
        )

    def drawn(self, draws: int, seed: int) -> list[Drawn]:
        return of_blocks(weights.bootstrap(np.ones(self.units), draws, [seed]), self._at)

    def _at(self, block: Array) -> Sums:
        mass = block if self.unit is None else block[:, self.unit]
        return {"ordered": self.values, "mass": mass if self.weight is None else mass * self.weight}


def tally_ordered(values: Array, weight: Array | None = None, unit: Array | None = None) -> Ordered:
    """Put numbers in rising order."""
    if weight is None and unit is None:
        return Ordered(values=np.sort(values), units=len(values))
    order = np.argsort(values, kind="stable")
    return Ordered(
        values=values[order],
        weight=None if weight is None else weight[order],
        unit=None if unit is None else unit[order],
        units=len(values) if unit is None else int(unit.max()) + 1,
    )
