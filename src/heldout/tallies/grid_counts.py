"""How many rows lie at each place of the grid: dense while rows are added, only the filled places when it travels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from heldout.batch import Array
from heldout.tallies.grid import AT_ONCE, GRID, places, places_between


@dataclass(frozen=True, kw_only=True)
class Filled:
    """The filled places of the grid, and how much lies there of each kind of row; `a + b` is what lies there of both.

    >>> one = filled_by(np.array([0.1, 0.9]), np.array([0, 1]), 2)
    >>> two = filled_by(np.array([0.9]), np.array([1]), 2)
    >>> (one + two).mass.tolist()
    [[1, 0], [0, 2]]
    """

    place: Array
    """Rising."""
    mass: Array
    """One line per kind of row (negatives, positives; or all): counts, or sums of weights."""
    squares: Array | None
    """The same with squared weights; None where rows have no weights."""
    rows: Array
    """How many rows there are of each kind."""
    least: float = np.inf
    largest: float = -np.inf

    def __add__(self, other: Filled) -> Filled:
        joined = np.concatenate([self.place, other.place])
        order = np.argsort(joined, kind="stable")  # of two sorted columns this is a merge
        ranked = joined[order]
        new = np.ones(len(ranked), dtype=bool)
        np.not_equal(ranked[1:], ranked[:-1], out=new[1:])
        place, at = ranked[new], np.empty(len(ranked), dtype=np.int64)
        at[order] = np.cumsum(new) - 1
        mine, theirs = np.split(at, [len(self.place)])

        def both(one: Array, two: Array) -> Array:
            total = np.zeros((len(one), len(place)), dtype=one.dtype)
            for line, own, others in zip(total, one, two, strict=True):  # NumPy is slow at placing several at once
                line[mine] = own
                line[theirs] += others
            return total

        return Filled(
            place=place,
            mass=both(self.mass, other.mass),
            squares=None if self.squares is None or other.squares is None else both(self.squares, other.squares),
            rows=self.rows + other.rows,
            least=min(self.least, other.least),
            largest=max(self.largest, other.largest),
        )

    def scaled(self, by: float, *, plain: bool = False) -> Filled:
        """The same with every weight multiplied; `plain`: that makes every weight one, and rows are counted."""
        if self.squares is None:
            return self
        if plain:
            return replace(self, mass=np.rint(self.mass * by).astype(np.int64), squares=None)
        return replace(self, mass=self.mass * by, squares=self.squares * by**2)


@dataclass(frozen=True, kw_only=True)
class Room:
    """Every place of the grid, filled in place: a new one is all zeros, of which only what is touched takes memory."""

    mass: Array
    squares: Array | None
    rows: Array
    ends: Array
    """The least and the largest number so far."""


def room(kinds: int, *, weighted: bool) -> Room:
    """An empty grid for one kind of rows, or two."""
    return Room(
        mass=np.zeros((kinds, GRID), dtype=float if weighted else np.int64),
        squares=np.zeros((kinds, GRID)) if weighted else None,
        rows=np.zeros(kinds, dtype=np.int64),
        ends=np.array([np.inf, -np.inf]),
    )


def fill(where: Room, numbers: Array, kind: Array | None = None, weight: Array | None = None) -> None:
    """Add rows to their places; the second kind of rows is where `kind` is true."""
    for first in range(0, len(numbers), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        least, largest = numbers[some].min(), numbers[some].max()
        at = places_between(numbers[some], least, largest)
        if kind is not None:
            shift = kind[some].astype(np.int32)
            shift *= np.int32(GRID)
            at += shift
        if where.squares is None:
            np.add.at(where.mass.reshape(-1), at, 1)
        else:
            assert weight is not None
            heavy = weight[some].astype(float, copy=False)
            np.add.at(where.mass.reshape(-1), at, heavy)
            np.add.at(where.squares.reshape(-1), at, heavy**2)
            weighs = numbers[some][heavy > 0]  # a row of no weight is no largest one
            least, largest = weighs.min(initial=np.inf), weighs.max(initial=-np.inf)
        where.ends[:] = min(where.ends[0], least), max(where.ends[1], largest)
    ones = 0 if kind is None else np.count_nonzero(kind)
    where.rows[:] += [len(numbers) - ones, ones][: len(where.rows)]


def filled(where: Room) -> Filled:
    """The places that hold something."""
    if where.ends[0] > where.ends[1]:  # nothing that weighs
        span = slice(0, 0)
    else:
        first, last = places(where.ends)
        span = slice(int(first), int(last) + 1)
    mass = where.mass[:, span]
    some = np.flatnonzero(mass.any(axis=0))
    return Filled(
        place=(some + span.start).astype(np.int32),
        mass=mass[:, some],
        squares=None if where.squares is None else where.squares[:, span][:, some],
        rows=where.rows.copy(),
        least=float(where.ends[0]),
        largest=float(where.ends[1]),
    )


def filled_by(numbers: Array, kind: Array | None = None, kinds: int = 1, weight: Array | None = None) -> Filled:
    """What rows in memory fill.

    >>> filled_by(np.array([0.5, 0.5, 2.0])).mass.tolist()
    [[2, 1]]
    """
    where = room(kinds, weighted=weight is not None)
    fill(where, numbers, kind, weight)
    return filled(where)
