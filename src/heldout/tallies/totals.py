"""All that is added up in one pass over the chunks of a table, in memory that does not grow with the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.chunked.column_recipe import Facts, Recipe
from heldout.tallies.cells import Cells, cells_of_sums
from heldout.tallies.grid_counts import Filled
from heldout.tallies.moments import Moments
from heldout.tallies.score_histogram import Binned, BinnedNumbers

RowStatistic = Callable[[Any], Array]
NAMED = 5
"""How many rows are named that give no finite number."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What to add up."""

    cells: bool = False
    """Rows by truth and prediction."""
    bins: bool = False
    """Rows by truth and place of the score on the grid; of several classes, each against the rest by its own score."""
    columns: Mapping[str, RowStatistic] | None = None
    """What rows add to named sums (functions of a module, so that they can travel); `rows` is always made."""
    binned: tuple[str, ...] = ()
    """Which of the columns are also kept by place on the grid: for medians, largest numbers and a look at the tail."""
    draws: int = 0
    """How many hashed Poisson draws of the sums of `columns` and, where rows share units, of the cells."""
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Unbounded:
    """Rows whose number is not finite: how many, and the first few (file, row of the file counted from 1)."""

    count: int
    first: tuple[tuple[str, int], ...]

    def __add__(self, other: Unbounded) -> Unbounded:
        return Unbounded(count=self.count + other.count, first=tuple(sorted(self.first + other.first)[:NAMED]))


@dataclass(frozen=True, kw_only=True)
class Totals:
    """Sums over some chunks; `a + b` are the sums over both."""

    facts: Facts
    rows: int = 0
    """How many rows were added up."""
    weight: float = 0.0
    """The sum of their weights."""
    lightest: float = inf
    """The smallest weight; infinite where rows have none."""
    heaviest: float = -inf
    cells: Array | None = None
    """Counts (or sums of weights) by truth and prediction."""
    cell_squares: Array | None = None
    """The same with squared weights; None where rows have no weights."""
    bins: tuple[Filled, ...] | None = None
    """Negatives and positives by place of the score; of several classes one for each."""
    moments: Moments | None = None
    binned: Mapping[str, Filled] = field(default_factory=dict)
    unbounded: Mapping[str, Unbounded] = field(default_factory=dict)
    """Column → its rows that are not finite, where there are any."""
    drawn: Mapping[str, Array] | None = None
    """Column → its sum in each resample of units."""
    named: bool = False
    """Whether units have names of their own (groups, ids), so that draws do not depend on which file a row is in."""
    drawn_cells: Array | None = None
    """One table of truth and prediction per resample of units."""

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            facts=self.facts + other.facts,
            rows=self.rows + other.rows,
            weight=self.weight + other.weight,
            lightest=min(self.lightest, other.lightest),
            heaviest=max(self.heaviest, other.heaviest),
            cells=_sum(self.cells, other.cells),
            cell_squares=_sum(self.cell_squares, other.cell_squares),
            bins=None
            if self.bins is None or other.bins is None
            else tuple(one + two for one, two in zip(self.bins, other.bins, strict=True)),
            moments=_sum(self.moments, other.moments),
            binned=_by_name(self.binned, other.binned),
            unbounded=_by_name(self.unbounded, other.unbounded),
            drawn=None if self.drawn is None or other.drawn is None else _by_name(self.drawn, other.drawn),
            drawn_cells=_sum(self.drawn_cells, other.drawn_cells),
            named=self.named and other.named,
        )

    @property
    def weighted(self) -> bool:
        """Whether rows weigh differently."""
        return self.lightest < self.heaviest

    @property
    def to_even(self) -> float:
        """What weights are multiplied by so that their mean is one."""
        if self.lightest == self.heaviest > 0:
            return 1 / self.lightest
        return self.rows / self.weight if self.weight > 0 else 1.0

    def evened(self) -> Totals:
        """The same with weights of mean one: weights are importance, and scaling them changes nothing.

        Where all rows weigh the same, the sums are those of rows without weights.
        """
        by, plain = self.to_even, self.lightest == self.heaviest
        if by == 1.0 and not plain:
            return self
        cells = None if self.cells is None else self.cells * by
        return replace(
            self,
            weight=self.weight * by,
            lightest=self.lightest * by,
            heaviest=self.heaviest * by,
            cells=np.rint(cells).astype(np.int64) if plain and cells is not None else cells,
            cell_squares=None if plain or self.cell_squares is None else self.cell_squares * by**2,
            bins=self.bins and tuple(part.scaled(by, plain=plain) for part in self.bins),
            moments=self.moments and self.moments.scaled(by, plain=plain),
            binned={name: part.scaled(by, plain=plain) for name, part in self.binned.items()},
            drawn=self.drawn and {name: part * by for name, part in self.drawn.items()},
            drawn_cells=None if self.drawn_cells is None else self.drawn_cells * by,
        )

    def label_cells(self) -> Cells:
        """Rows by truth and prediction, as every label metric reads them."""
        assert self.cells is not None
        return cells_of_sums(self.cells, self.cell_squares, self.rows)

    def ranking(self, label: int | None = None) -> Binned:
        """Rows by score, as every metric of their order reads them; of several classes one against the rest."""
        assert self.bins is not None
        return Binned(filled=self.bins[0 if len(self.bins) == 1 or label is None else label])

    def ordered(self, name: str = "absolute_errors") -> BinnedNumbers:
        """The numbers of a column by size."""
        return BinnedNumbers(filled=self.binned[name])

    def row_sums(self) -> Any:
        """What rows add to the columns: row by row where they are few, else moments, and the tails of those binned."""
        assert self.moments is not None
        few = self.moments.unit_by_unit()
        if few is not None:
            return replace(few, draws=self.drawn) if self.named else few
        sample = {name: BinnedNumbers(filled=part).evenly() for name, part in self.binned.items()}
        return replace(self.moments, sample=sample, draws=self.drawn)


def _sum(one: Any, two: Any) -> Any:
    return None if one is None or two is None else one + two


def _by_name(one: Mapping[str, Any], two: Mapping[str, Any]) -> dict[str, Any]:
    """Sums by name; what one of the two lacks is the other's."""
    both = {**one, **two}
    return {name: one[name] + two[name] if name in one and name in two else part for name, part in both.items()}


@dataclass(frozen=True, kw_only=True)
class Adding:
    """The work on chunks, which can be pickled: chunks to totals."""

    recipe: Recipe
    wanted: Wanted

    def __call__(self, chunks: Iterable[Chunk]) -> Totals:
        from heldout.tallies.accumulation import totals_of

        return totals_of(chunks, self.recipe, self.wanted)
