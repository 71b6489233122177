"""n, sums and sums of products of what units add: everything the delta method needs, in constant memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add

import numpy as np

from heldout.batch import Array, Batch
from heldout.tallies import Drawn, Sums
from heldout.tallies.score_sort import parts
from heldout.tallies.units import COUNTS, Units

SAMPLED = 100_000
"""About how many entries are kept for a look at the tail."""
ROUNDING = 1e-14
"""Sums of products that cancel to less than this part of them are none."""
FEW = 100_000
"""Up to so many units what each adds is kept, so that nothing that needs to see them is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What some units add to each sum, weights included, and where they come from, so that they have one order."""

    place: str
    first: int
    added: Mapping[str, Array]
    names: Array | None = None
    """What the units are called, where they have names: their order is that of the names, wherever they come from."""


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
    kept: tuple[Kept, ...] | None = None
    """What each unit adds, as long as they are few."""
    draws: Sums | None = None
    """The sums in resamples of units, where these were made on the walk."""

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
            self._both_kept(other),
            None if self.draws is None or other.draws is None else _both_drawn(self.draws, other.draws),
        )

    def _both_kept(self, other: Moments) -> tuple[Kept, ...] | None:
        if self.kept is None or other.kept is None or self.units + other.units > FEW:
            return None
        return self.kept + other.kept

    def unit_by_unit(self) -> Units | None:
        """The units themselves, in the order of where they come from; None where they were too many to be kept."""
        if self.kept is None:
            return None
        parts = sorted(self.kept, key=lambda part: (part.place, part.first))
        added = {name: np.concatenate([part.added[name] for part in parts]) for name in self.names}
        called = [part.names for part in parts if part.names is not None]
        if called and len(called) == len(parts):
            order = np.argsort(np.concatenate(called), kind="stable")
            added = {name: column[order] for name, column in added.items()}
        return Units(added, self.squares, self.clustered, self.weighted, draws=self.draws)

    def scaled(self, by: float, *, plain: bool = False) -> Moments:
        """The same with every weight multiplied; `plain`: that makes every weight one, and rows have none."""
        kept = self.kept and tuple(
            replace(part, added={name: column * by for name, column in part.added.items()}) for part in self.kept
        )
        total = self.total * by
        squares = {name: total * by**2 for name, total in self.squares.items()}
        if plain:
            squares = {name: total[self.names.index(name)] for name in squares}
        draws = self.draws and {name: drawn * by for name, drawn in self.draws.items()}
        return replace(
            self,
            total=total,
            products=self.products * by**2,
            squares=squares,
            weighted=self.weighted and not plain,
            kept=kept,
            draws=draws,
        )

    def drawn(self, draws: int, _seed: int) -> list[Drawn]:
        """The sums in resamples of units, which were made on the walk."""
        found = self.draws
        assert found is not None
        assert all(len(part) == draws for part in found.values())
        return [lambda: found]

    def worth(self, names: Sequence[str] = (), label: int | None = None) -> float:  # noqa: ARG002 columns have no classes
        """How many units of equal size the rows of some sums are worth; all rows, without names."""
        return self.worth_of(dict.fromkeys(names or [name for name in self.names if name in COUNTS][:1], 1.0))

    def worth_of(self, slopes: Mapping[str, float], *, others: int = 0, size: float = 0.0) -> float:
        """How many units of equal size the units, and others of one size, are worth by a weighted sum of some columns.

        Where all units have none of it, products of large numbers may leave a last digit of either sign.
        """
        at = [self.names.index(name) for name in slopes]
        slope, part = np.array(list(slopes.values())), self.products[np.ix_(at, at)]
        total, squares = float(slope @ self.total[at]), float(slope @ part @ slope)
        if not squares > ROUNDING * float(np.abs(slope) @ np.abs(part) @ np.abs(slope)):
            return float(self.units if not size else others)
        return (total + others * size) ** 2 / (squares + others * size**2)

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
        # columns without a slope are left out: an infinite loss among them would make everything undefined
        at = [place for place, name in enumerate(self.names) if name in gradient]
        slope = np.array([float(gradient[self.names[place]]) for place in at])
        n = self.units
        return float(n / (n - 1) * slope @ self.products[np.ix_(at, at)] @ slope) if n > 1 else float("nan")


def _both_drawn(one: Sums, two: Sums) -> Sums:
    return {name: drawn + two[name] for name, drawn in one.items()}


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

    def added(where: slice) -> Moments:
        part = batch.part(where)
        made = columns(part)
        sample = {name: column[::every].copy() for name, column in made.items()}
        return replace(row_moments(names, made, part.weight), sample=sample)

    found = [added(part) for part in parts(batch.rows)]
    sample = {name: np.concatenate([some.sample[name] for some in found]) for name in found[0].sample}
    return replace(reduce(add, (replace(some, sample={}) for some in found)), sample=sample)


def row_moments(names: Sequence[str], columns: Mapping[str, Array], weight: Array | None = None) -> Moments:
    """The moments of some rows, each a unit of its own; the column called `rows` is made here.

    >>> row_moments(["losses", "rows"], {"losses": np.array([1.0, 2.0, 6.0])}).total.tolist()
    [9.0, 3.0]
    """
    rows = len(next(iter(columns.values()))) if columns else 0
    room = np.empty((len(names), rows))
    for line, name in zip(room, names, strict=True):
        line[:] = columns.get(name, 1.0)
    with np.errstate(invalid="ignore", over="ignore"):  # an infinite loss is told by its total
        heavy = None if weight is None else room @ weight**2
        room = room if weight is None else room * weight
        total = room.sum(axis=1)
        heavy = total if heavy is None else heavy
        return Moments(
            tuple(names),
            rows,
            total,
            room @ room.T,
            dict(zip(names, heavy, strict=True)),
            weighted=weight is not None,
        )
