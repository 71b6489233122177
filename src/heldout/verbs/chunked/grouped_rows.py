"""Rows that share units, wherever they lie: what units add, and how far they move metrics of the order of scores."""

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
from heldout.verbs.chunked.pass_over_chunks import Walked
from heldout.verbs.measurement import CLASS_SCORES


@dataclass(frozen=True, kw_only=True)
class SharedNumbers(BinnedNumbers):
    """Numbers by size, of rows that share units: enough for the largest of them."""

    shared_by: int

    clustered = True

    @property
    def units(self) -> int:
        """How many units share the rows."""
        return self.shared_by


@dataclass(frozen=True)
class ByUnit:
    """Sums over units, from a second walk; a third one tells of scores, once somebody asks."""

    found: Walked
    metrics: tuple[Metric, ...]
    """The metrics that will be asked for."""

    @cached_property
    def moments(self) -> Moments:
        """Over units, weights of mean one."""
        found = self.found
        made = found.stream.grouped(UnitAdding(recipe=found.recipe, wanted=found.wanted))
        return made.scaled(found.totals.to_even)

    @property
    def units(self) -> int:
        """How many there are."""
        return self.moments.units

    @cached_property
    def even(self) -> Totals:
        """The totals of all rows, weights of mean one."""
        return self.found.totals.evened()

    def label_cells(self) -> GroupedCells:
        """Rows by truth and prediction, and how much units differ in them."""
        even = self.even
        assert even.cells is not None
        made = grouped_cells(even.cells, even.cell_squares, even.rows, self.moments)
        return replace(made, draws=even.drawn_cells)

    def row_sums(self) -> Units | Moments:
        """What units add to the columns: each unit where they are few, else moments."""
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
        """Rows by score, whose variance is that over units."""

        def spread(gradient: Sums) -> float:
            for some in self._steps:
                for name, slope in some.slopes.items():
                    if some.label == label and all(np.array_equal(slope[kind], gradient[kind]) for kind in slope):
                        return self._moved.variance({some.column(name): np.ones(())})
            return float("nan")

        return replace(self.even.ranking(label), spread=spread, shared_by=self.units)

    @cached_property
    def _moved(self) -> Moments:
        """Over units, of how far each moves every metric of the order of scores: one walk for all of them."""
        found = self.found
        made = found.stream.grouped(UnitMoving(recipe=found.recipe, steps=self._steps))
        return made.scaled(found.totals.to_even)

    @cached_property
    def _steps(self) -> tuple[Steps, ...]:
        """The slopes of every metric that will be asked for, or of the one its interval comes from."""
        batch = self.found.reading.batch
        several = batch.task == "multiclass"
        asked = [METRICS[name] for name in CLASS_SCORES] if several else self.metrics
        behind = [METRICS[one.via[0]] if one.via else one for one in asked if one.reads == "scores"]
        ranked = [one for one in dict.fromkeys(behind) if one.slopes is not None]
        return tuple(_steps(self.even, label, ranked) for label in (range(len(batch.labels)) if several else [None]))


def _steps(even: Totals, label: int | None, ranked: list[Metric]) -> Steps:
    tally = even.ranking(label)
    up, down = tally.sums["positives"], tally.sums["negatives"]
    slopes = {one.name: one.slopes(up, down) for one in ranked if one.slopes is not None and up.any() and down.any()}
    return Steps(place=tally.filled.place, slopes=slopes, label=label)
