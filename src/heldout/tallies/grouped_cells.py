"""Label metrics where rows share units that lie in several parts: sums over units, and sums of their products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from heldout.batch import Array
from heldout.tallies import Drawn, Sums
from heldout.tallies.cells import ROUNDING, Cells, cells_of_sums
from heldout.tallies.moments import Kept, Moments

KINDS = ("actual", "said", "hit")
"""What is counted of each class: rows that are of it, rows that were said to be, rows that are both."""


def cell_columns(classes: int) -> list[str]:
    """The names of what a unit adds: how many of its rows are of each class, were said to be, and are both.

    >>> cell_columns(2)
    ['actual 0', 'actual 1', 'said 0', 'said 1', 'hit 0', 'hit 1']
    """
    return [f"{kind} {k}" for kind in KINDS for k in range(classes)]


@dataclass(frozen=True, kw_only=True)
class GroupedCells:
    """The confusion matrix of all rows, and how much units differ in what label metrics are made of.

    What a unit adds to the true and false positives and negatives of a class is a sum of the three counts of the class
    and its number of rows: products of these over units give the variance of every formula.
    """

    cells: Cells
    """All rows, as if each were a unit."""
    moments: Moments
    """Over units, of the columns `cell_columns` names (and perhaps of others)."""
    added: float = 0.0
    """How many rows, each a unit of its own, were added to every cell."""
    draws: Array | None = None
    """One confusion matrix per resample of units."""

    clustered = True

    @property
    def weighted(self) -> bool:
        return self.cells.weighted

    @property
    def classes(self) -> int:
        return self.cells.classes

    @property
    def units(self) -> int:
        return self.moments.units + (self.classes**2 if self.added else 0)

    def worth(self, names: Sequence[str] = (), label: int | None = None) -> float:
        """How many units of equal size the rows in some cells of a class are worth; all rows, without names."""
        rows, rest = {f"actual {k}": 1.0 for k in range(self.classes)}, self.classes - 1
        if not names or label is None:
            return self.moments.worth_of(rows, others=self.classes**2, size=self.added)
        actual, said, hit = f"actual {label}", f"said {label}", f"hit {label}"
        cells: dict[str, dict[str, float]] = {
            "tp": {hit: 1.0},
            "fn": {actual: 1.0, hit: -1.0},
            "fp": {said: 1.0, hit: -1.0},
            "tn": {**rows, actual: 0.0, said: -1.0, hit: 1.0},
        }
        slopes: dict[str, float] = {}
        for name in names:
            for column, slope in cells[name].items():
                slopes[column] = slopes.get(column, 0.0) + slope
        others = sum({"tp": 1, "fn": rest, "fp": rest, "tn": rest**2}[name] for name in names)
        return self.moments.worth_of(slopes, others=others, size=self.added)

    def worth_by_class(self, names: Sequence[str]) -> Array:
        """The same of every class; infinite where a class has no such row."""
        sums = np.sum([self.sums[name] for name in names], axis=0)
        return np.array([self.worth(names, k) if sums[k] > 0 else np.inf for k in range(self.classes)])

    @property
    def counts(self) -> Array:
        return self.cells.counts

    @property
    def sums(self) -> Sums:
        return self.cells.sums

    @property
    def squares(self) -> Sums:
        return self.cells.squares

    def variance(self, gradient: Sums) -> float:
        """The sum of squared influence of the units, corrected for the bias of having estimated their mean."""
        n = self.units
        if n < 2:
            return float("nan")
        slope = self._slope(gradient)
        at = [self.moments.names.index(name) for name in cell_columns(self.classes)]
        own = float(slope @ self.moments.products[np.ix_(at, at)] @ slope)
        return n / (n - 1) * (own + self.added**2 * float(np.sum(self._of_cells(slope) ** 2)))

    @property
    def lines(self) -> Array:
        return np.ones(self.units)

    def influence(self, gradient: Sums) -> Array:
        """How far each unit moves the value; only where units are so few that each is kept."""
        units, slope = self.moments.unit_by_unit(), self._slope(gradient)
        assert units is not None
        own = units.influence(dict(zip(cell_columns(self.classes), slope, strict=True)))
        return np.concatenate([own, self.added * self._of_cells(slope).ravel()]) if self.added else own

    def against_rest(self, label: int) -> GroupedCells:
        """The same rows with two classes: the others (0) and the label (1)."""
        names = self.moments.names
        two = np.zeros((6, len(names)))
        for line, kind in enumerate(KINDS):
            mine = names.index(f"{kind} {label}")
            two[2 * line + 1, mine] = 1.0
            if kind != "hit":
                two[2 * line, [names.index(f"{kind} {k}") for k in range(self.classes) if k != label]] = 1.0
        # right about the others: all rows, less those that are of the class, or said to be, or both
        two[4] = two[0] + two[3] * -1 + two[5]
        moments = replace(
            self.moments,
            names=tuple(cell_columns(2)),
            total=two @ self.moments.total,
            products=two @ self.moments.products @ two.T,
            squares={},
            sample={},
            kept=self.moments.kept and tuple(_combined(part, names, two) for part in self.moments.kept),
        )
        return GroupedCells(cells=self.cells.against_rest(label), moments=moments)

    def smoothed(self, each: float = 1.0) -> GroupedCells:
        """The same with half a unit more in every cell, of which each counts as much as so many rows."""
        return replace(self, cells=self.cells.smoothed(each), added=self.added + 0.5 * each)

    def drawn(self, draws: int, _seed: int) -> list[Drawn]:
        """The sums in resamples of units, which were made on the walk."""
        assert self.draws is not None
        assert len(self.draws) == draws
        hits = np.diagonal(self.draws, axis1=1, axis2=2)
        wrong = self.draws * (1 - np.eye(self.classes))
        missed, false, rows = wrong.sum(axis=2), wrong.sum(axis=1), self.draws.sum(axis=(1, 2))[:, None]
        rest = rows - hits - missed - false
        rest = np.where(rest < ROUNDING * rows, 0.0, rest)  # weights that cancel leave a last digit
        return [lambda: {"tp": hits, "fp": false, "fn": missed, "tn": rest}]

    def _slope(self, gradient: Sums) -> Array:
        """How far one row of each class, said to be of it, or both, moves the value."""
        slope = {name: np.broadcast_to(gradient.get(name, 0.0), (self.classes,)) for name in ("tp", "fp", "fn", "tn")}
        quiet = float(slope["tn"].sum())  # every row has one class: it goes with the counts of classes
        return np.concatenate(
            [
                quiet + slope["fn"] - slope["tn"],
                slope["fp"] - slope["tn"],
                slope["tp"] - slope["fn"] - slope["fp"] + slope["tn"],
            ]
        )

    def _of_cells(self, slope: Array) -> Array:
        """How far one row of each cell moves the value."""
        actual, said, hit = np.split(slope, 3)
        return actual[:, None] + said[None, :] + np.diag(hit)


def _combined(part: Kept, names: Sequence[str], two: Array) -> Kept:
    """What units add to the counts of two classes, from what they add to those of several."""
    added = np.stack([part.added[name] for name in names])
    return replace(part, added=dict(zip(cell_columns(2), two @ added, strict=True)))


def grouped_cells(counts: Array, squares: Array | None, rows: int, moments: Moments) -> GroupedCells:
    """Sums of all rows by truth and prediction, and moments over units, as a tally."""
    return GroupedCells(cells=cells_of_sums(counts, squares, rows), moments=moments)
