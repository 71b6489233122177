"""n, sums and sums of products of what units add: everything the delta method needs, in constant memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from heldout.batch import Array, Batch
from heldout.tallies import Sums
from heldout.tallies.ordering import parts
from heldout.tallies.units import Units

SAMPLED = 100_000
"""About how many entries are kept for a look at the tail."""


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
    sample: Mapping[str, Array] = field(default_factory=dict)
    """Some of the entries of each column, evenly spread: for a look at its tail."""

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
            {name: np.concatenate([some, other.sample[name]]) for name, some in self.sample.items()},
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
    matrix = np.stack(list(tally.added.values()), axis=1)
    return Moments(
        tuple(tally.added),
        len(matrix),
        matrix.sum(axis=0),
        matrix.T @ matrix,
        tally.squares,
        tally.clustered,
        tally.weighted,
    )


def tally_moments(batch: Batch, names: Sequence[str], columns: Callable[[Batch], Mapping[str, Array]]) -> Moments:
    """The moments of what rows add, part by part, so that no column is ever whole; each row is a unit of its own.

    `columns` gives the named columns of a part; the one called `rows` is made here.
    """
    every = max(batch.rows // SAMPLED, 1)

    def added(where: slice) -> tuple[Array, Array, Array, dict[str, Array]]:
        part = batch.part(where)
        made = columns(part)
        room = np.ones((len(names), part.rows))
        for name, column in made.items():
            room[names.index(name)] = column
        sample = {name: column[::every].copy() for name, column in made.items()}
        heavy = room.sum(axis=1) if part.weight is None else room @ part.weight**2
        with np.errstate(invalid="ignore", over="ignore"):  # an infinite loss is told by its total
            room = room if part.weight is None else room * part.weight
            return room.sum(axis=1), room @ room.T, heavy, sample

    found = [added(part) for part in parts(batch.rows)]
    total = np.sum([sums for sums, _, _, _ in found], axis=0)
    products = np.sum([squares for _, squares, _, _ in found], axis=0)
    heavy = np.sum([weighed for _, _, weighed, _ in found], axis=0)
    sample = {name: np.concatenate([some[name] for _, _, _, some in found]) for name in found[0][3]}
    return Moments(
        tuple(names),
        batch.rows,
        total,
        products,
        dict(zip(names, heavy, strict=True)),
        weighted=batch.weight is not None,
        sample=sample,
    )
