"""What each unit adds to each sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from heldout import weights
from heldout.batch import Array
from heldout.tallies import Drawn, Sums, effective_units, of_blocks

COUNTS = ("rows", "counted_rows")
"""Columns with how many rows a unit has."""


@dataclass(frozen=True, slots=True)
class Units:
    """Named columns with one line per unit: what the unit's rows add, weights included."""

    added: Mapping[str, Array]
    squares: Sums
    """Totals with squared weights: they tell how many equal weights the weights are worth."""
    clustered: bool = False
    weighted: bool = False
    alike: Array | None = None
    """How many units each line stands for; None: one."""
    draws: Sums | None = None
    """The sums in draws that were made on a walk, by a hash of each unit's name; None: units are drawn here."""

    def __add__(self, other: Units) -> Units:
        """Both parts; their units are different units."""
        return Units(
            {name: np.concatenate([column, other.added[name]]) for name, column in self.added.items()},
            {name: total + other.squares[name] for name, total in self.squares.items()},
            self.clustered or other.clustered,
            self.weighted or other.weighted,
            None if self.alike is None and other.alike is None else np.concatenate([self.lines, other.lines]),
        )

    @property
    def sums(self) -> Sums:
        if self.alike is None:
            return {name: column.sum(axis=0) for name, column in self.added.items()}
        return {name: np.tensordot(self.alike, column, axes=1) for name, column in self.added.items()}

    @property
    def units(self) -> int:
        return self._length if self.alike is None else round(float(self.alike.sum()))

    @property
    def _length(self) -> int:
        return len(next(iter(self.added.values())))

    @property
    def lines(self) -> Array:
        return np.ones(self._length) if self.alike is None else self.alike

    def worth(self, names: Sequence[str] = (), label: int | None = None) -> float:
        """How many units of equal size the rows of some sums are worth; all rows, without names."""
        named = names or [name for name in COUNTS if name in self.added][:1]
        columns = [self.added[name] for name in named if self.alike is None]
        columns = [column[:, label] if column.ndim == 2 and label is not None else column for column in columns]
        known = bool(columns) and columns[0].ndim == 1
        return effective_units(sum(columns[1:], columns[0]) if known else None, self.units)

    def worth_by_class(self, names: Sequence[str]) -> Array:
        """The same of every column of these sums; infinite where it is empty."""
        sizes = np.sum([self.added[name] for name in names], axis=0)
        total, squares = sizes.sum(axis=0), (sizes**2).sum(axis=0)
        return np.divide(total**2, squares, out=np.full(len(total), np.inf), where=squares > 0)

    def influence(self, gradient: Sums) -> Array:
        """How far a unit of each line moves the value."""
        total = np.zeros(self._length)
        for name, slope in gradient.items():
            column = self.added[name]
            total += column * slope if column.ndim == 1 else column @ slope
        return total

    def variance(self, gradient: Sums) -> float:
        n, moved = self.units, self.influence(gradient)
        squares = moved @ moved if self.alike is None else self.alike @ moved**2
        return float(n / (n - 1) * squares) if n > 1 else float("nan")

    def column(self, name: str) -> Array:
        """What each unit adds to one sum."""
        return self.added[name] if self.alike is None else np.repeat(self.added[name], self.alike.astype(int), axis=0)

    def drawn(self, draws: int, seed: int) -> list[Drawn]:
        made = self.draws
        if made is not None:
            assert all(len(part) == draws for part in made.values())
            return [lambda: made]
        order = weights.content_order(self.lines, *self.added.values())
        added = {name: column[order] for name, column in self.added.items()}
        return of_blocks(weights.bootstrap(self.lines[order], draws, [seed]), replace(self, added=added).at)

    def at(self, block: Array) -> Sums:
        """The sums if unit u counted block[d, u] times, for every resample d."""
        counts = block.astype(float, copy=False)
        with np.errstate(invalid="ignore"):  # an infinite loss that is drawn no times has no sum
            return {name: counts @ column for name, column in self.added.items()}


def tally_units(columns: Mapping[str, Array], weight: Array | None = None, unit: Array | None = None) -> Units:
    """Add up what the rows of each unit add.

    >>> tally = tally_units({"errors": np.array([1.0, 2.0, 3.0])}, unit=np.array([0, 0, 1]))
    >>> tally.added["errors"].tolist(), tally.units
    ([3.0, 3.0], 2)
    """
    added = {name: _weighed(column, weight) for name, column in columns.items()}
    squares = {
        name: (column.sum(axis=0) if weight is None else np.tensordot(weight, column, axes=1))
        for name, column in added.items()
    }
    if unit is not None:
        added = {name: _grouped(column, unit) for name, column in added.items()}
    return Units(added, squares, unit is not None, weight is not None)


def _weighed(column: Array, weight: Array | None) -> Array:
    column = column.astype(float, copy=False)
    if weight is None:
        return column
    with np.errstate(invalid="ignore"):  # an infinite loss that weighs nothing is told by its total
        return (column.T * weight).T


def _grouped(column: Array, unit: Array) -> Array:
    count = int(unit.max()) + 1
    if column.ndim == 1:
        return np.bincount(unit, weights=column, minlength=count)
    return np.stack([np.bincount(unit, weights=part, minlength=count) for part in column.T], axis=1)
