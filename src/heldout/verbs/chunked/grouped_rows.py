"""Sums over units (clusters) whose rows lie in several chunks, for cluster-robust intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from heldout.formulas import METRICS, Metric
from heldout.tallies import Sums
from heldout.tallies.grouped_cells import GroupedCells, grouped_cells
from heldout.tallies.moments import Moments
from heldout.tallies.score_histogram import Binned, BinnedNumbers
from heldout.tallies.totals import Totals
from heldout.tallies.unit_sums import Steps, UnitAdding, UnitMoving
from heldout.tallies.units import Units
from heldout.verbs.chunked.needed_sums import ChunkPass
from heldout.verbs.measurement import CLASS_SCORES


@dataclass(frozen=True, kw_only=True)
class SharedNumbers(BinnedNumbers):
    """Numbers by size, of rows that share units: enough for the largest number."""

    shared_by: int

    clustered = True

    @property
    def units(self) -> int:
        """Number of units that share the rows."""
        return self.shared_by


@dataclass(frozen=True)
class ByUnit:
    """Sums over units, from a second pass; metrics of ranked scores need a third one."""

    result: ChunkPass
    metrics: tuple[Metric, ...]
    """The metrics that will be computed."""

    @cached_property
    def moments(self) -> Moments:
        """Moments over units, with weights of mean 1."""
        result = self.result
        moments = result.table.grouped(UnitAdding(recipe=result.recipe, wanted=result.sums))
        return moments.scaled(result.totals.to_even)

    @property
    def units(self) -> int:
        """Number of units."""
        return self.moments.units

    @cached_property
    def even(self) -> Totals:
        """The totals of all rows, with weights of mean 1."""
        return self.result.totals.evened()

    def label_cells(self) -> GroupedCells:
        """Rows by truth and prediction, and how they vary between units."""
        even = self.even
        assert even.cells is not None
        made = grouped_cells(even.cells, even.cell_squares, even.rows, self.moments)
        return replace(made, draws=even.drawn_cells)

    def row_sums(self) -> Units | Moments:
        """What units add to the sums: each unit if they are few, else moments."""
        even = self.even
        assert even.moments is not None
        squares = {name: even.moments.squares.get(name, np.zeros(())) for name in self.moments.names}
        whole = replace(self.moments, squares=squares, weighted=even.moments.weighted, draws=even.drawn)
        few = whole.unit_by_unit()
        return whole if few is None else few

    def ordered(self) -> SharedNumbers:
        """Absolute errors by size."""
        return SharedNumbers(filled=self.even.ordered().filled, shared_by=self.units)

    def ranking(self, label: int | None) -> Binned:
        """Rows by score, with the variance over units."""

        def moved(gradient: Sums) -> tuple[Moments, str] | None:
            for some in self._steps:
                for name, slope in some.slopes.items():
                    if some.label == label and all(np.array_equal(slope[kind], gradient[kind]) for kind in slope):
                        return self._moved, some.column(name)
            return None

        return replace(self.even.ranking(label), moved=moved, shared_by=self.units, effective=self._effective(label))

    def _effective(self, label: int | None) -> dict[str, float]:
        """How many units of equal size all rows, and those of a class and of the others, are worth."""
        positive = self.result.reading.batch.positive if label is None else label
        sides = {"positives": {f"actual {positive}": 1.0}, "negatives": {"rows": 1.0, f"actual {positive}": -1.0}}
        return {"rows": self.moments.worth()} | {name: self.moments.worth_of(side) for name, side in sides.items()}

    @cached_property
    def _moved(self) -> Moments:
        """Moments over units of their influence on every metric of ranked scores: one pass for all of them."""
        result = self.result
        moved = result.table.grouped(UnitMoving(recipe=result.recipe, steps=self._steps))
        return moved.scaled(result.totals.to_even)

    @cached_property
    def _steps(self) -> tuple[Steps, ...]:
        """The slopes of every metric that will be computed, or of the one that its interval is computed from."""
        batch = self.result.reading.batch
        several = batch.task == "multiclass"
        metrics = [METRICS[name] for name in CLASS_SCORES] if several else self.metrics
        behind = [METRICS[one.via[0]] if one.via else one for one in metrics if one.reads == "scores"]
        ranked = [one for one in dict.fromkeys(behind) if one.slopes is not None]
        return tuple(_steps(self.even, label, ranked) for label in (range(len(batch.labels)) if several else [None]))


def _steps(even: Totals, label: int | None, ranked: list[Metric]) -> Steps:
    tally = even.ranking(label)
    up, down = tally.sums["positives"], tally.sums["negatives"]
    slopes = {one.name: one.slopes(up, down) for one in ranked if one.slopes is not None and up.any() and down.any()}
    return Steps(place=tally.filled.place, slopes=slopes, label=label)
