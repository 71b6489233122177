"""n, sums and sums of products of what units add: everything the delta method needs, in constant memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout.batch import Array
from heldout.tallies import Sums
from heldout.tallies.units import Units


@dataclass(frozen=True, slots=True)
class Moments:
    """Number of units, total and sum of products of the columns of `names`, one number each."""

    names: tuple[str, ...]
    units: int
    total: Array
    products: Array
    squares: Sums
    clustered: bool = False
    weighted: bool = False

    def __add__(self, other: Moments) -> Moments:
        """Both parts; their units are different units."""
        return Moments(
            self.names,
            self.units + other.units,
            self.total + other.total,
            self.products + other.products,
            {name: self.squares[name] + other.squares[name] for name in self.squares},
            self.clustered or other.clustered,
            self.weighted or other.weighted,
        )

    @property
    def sums(self) -> Sums:
        return dict(zip(self.names, self.total, strict=True))

    def variance(self, gradient: Sums) -> float:
        """The variance of a formula with this gradient: no unit needs to be seen again.

        >>> from heldout.tallies.units import tally_units
        >>> units = tally_units({"rows": np.ones(3), "losses": np.array([1.0, 2.0, 6.0])})
        >>> slope = {"rows": -1.0, "losses": 1 / 3}  # of the mean, 3, at three rows
        >>> bool(np.isclose(moments(units).variance(slope), units.variance(slope)))
        True
        """
        slope = np.array([float(gradient.get(name, 0.0)) for name in self.names])
        n = self.units
        return float(n / (n - 1) * slope @ self.products @ slope) if n > 1 else float("nan")


def moments(tally: Units) -> Moments:
    """The moments of a tally of units."""
    names = tuple(tally.added)
    matrix = np.stack([tally.added[name] for name in names], axis=1)
    return Moments(
        names, len(matrix), matrix.sum(axis=0), matrix.T @ matrix, tally.squares, tally.clustered, tally.weighted
    )
