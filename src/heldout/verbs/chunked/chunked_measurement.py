"""Estimates from sums over chunks: the same metrics and intervals as from rows, wherever sums are enough."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.estimates.ranking import ENOUGH, MANY
from heldout.estimates.rounding import at_most
from heldout.formulas import Metric
from heldout.tallies import Tally
from heldout.tallies.grouped_cells import GroupedCells
from heldout.tallies.moments import Moments
from heldout.tallies.score_histogram import Binned, BinnedNumbers
from heldout.tallies.totals import Totals
from heldout.tallies.units import Units
from heldout.verbs.chunked.grouped_rows import ByUnit
from heldout.verbs.chunked.needed_sums import RANKED, behind, column_name, metrics_from_sums, sums_of_metric
from heldout.verbs.measurement import CLASS_SCORES, DRAWN_METHODS, Measurement, infinite_note

NOTHING = 1e-12
"""A bound below this is rounding: every bin holds one distinct score, or one class."""


@dataclass(frozen=True)
class ChunkedMeasurement(Measurement):
    """Estimates of metrics from totals; `given` is the batch of the sample rows."""

    totals: Totals
    by_unit: ByUnit | None = None
    """Sums over units, where rows share units."""
    in_memory_fix: str = ""
    """The fix for what needs all rows in memory."""

    @property
    def scale(self) -> float:
        """The mean weight."""
        return 1 / self.totals.to_even

    @property
    def weighted(self) -> bool:
        """Whether rows weigh differently, in all chunks together."""
        return self.totals.weighted

    @property
    def batch(self) -> Batch:
        """The batch of the sample rows: what the columns mean, not how many rows there are."""
        return self.given

    @property
    def rows(self) -> int:
        """Number of rows that were added up."""
        return self.totals.rows

    @property
    def units(self) -> int:
        """Number of units."""
        return self.rows if self.by_unit is None else self.by_unit.units

    @property
    def positives(self) -> int | None:  # type: ignore[override]
        """Number of positive rows; None if only their weights were added up."""
        if self.totals.bins is not None:
            return int(self.totals.bins[0].rows[1])
        if self.even.cells is None or self.weighted:
            return None
        return int(self.even.cells[self.batch.positive].sum())

    def confusion(self) -> Array | None:
        """Rows by truth and prediction, with the weights that were given where these differ."""
        cells = self.totals.cells if self.weighted else self.even.cells
        return None if cells is None else cells.astype(float)

    def class_weights(self) -> Array:
        """Total weight of each class."""
        if self.even.cells is not None:
            return self.even.cells.sum(axis=1).astype(float)
        assert self.even.bins is not None
        masses = [bins.mass.sum(axis=1) for bins in self.even.bins]
        if self.batch.task != "binary":
            return np.array([float(positive) for _, positive in masses])
        weights = np.asarray(masses[0], dtype=float)
        return weights if self.batch.positive == 1 else weights[::-1]

    def sums_of_mean(self) -> dict[str, Array] | None:
        """The sums of a dummy model that always predicts the mean, from the spread of the targets."""
        if self.batch.task != "regression" or self.even.moments is None:
            return None
        known = self.even.moments.sums
        if not {"targets", "squared_targets"} <= set(known):
            return None
        spread = known["squared_targets"] - known["targets"] ** 2 / known["rows"]
        return {
            "rows": known["rows"],
            "targets": known["targets"],
            "squared_targets": known["squared_targets"],
            "errors": np.zeros(()),
            "squared_errors": spread,
        }

    def metrics(self) -> list[Metric]:
        """The metrics of `overall` that sums over chunks give."""
        return metrics_from_sums(self, grouped=self.grouped, fix="")

    @property
    def grouped(self) -> bool:
        """Whether rows share units."""
        return self.by_unit is not None

    def left_out(self) -> list[str]:
        """The metrics that need all rows in memory."""
        kept = {metric.name for metric in self.metrics()}
        several = [f"{name} of each class" for name in CLASS_SCORES] if self._unranked else []
        return [metric.name for metric in super().metrics() if metric.name not in kept] + several

    @property
    def _unranked(self) -> bool:
        """Whether there are scores of too many classes to rank each against the rest."""
        batch = self.batch
        return batch.task == "multiclass" and batch.score is not None and len(batch.labels) > RANKED

    def _lacks(self, metric: Metric) -> tuple[str, str] | None:
        if metric.name in CLASS_SCORES and self._unranked:
            return f"{RANKED} classes at most, where rows are read in chunks", self.in_memory_fix
        return super()._lacks(metric)

    def _as_measured(self, metric: Metric) -> Metric:
        """The metric itself: tables of labels are added up only where a metric of labels was asked for."""
        return metric

    def tally(self, metric: Metric, label: int | None = None) -> Tally:
        """The tally that a metric reads."""
        if metric.reads == "labels":
            return self.labels
        if metric.reads == "scores":
            return self._binned(label)
        if metric.reads == "ordered":
            return self.even.ordered() if self.by_unit is None else self.by_unit.ordered()
        return sums_of_metric(self._added, metric)

    @cached_property
    def even(self) -> Totals:
        """The totals with weights of mean 1."""
        return self.totals.evened()

    @cached_property
    def labels(self) -> Any:
        return self.even.label_cells() if self.by_unit is None else self.by_unit.label_cells()

    @property
    def order(self) -> Binned | None:
        """The histogram of the scores, for curves; None unless there are two classes, no weights and no groups."""
        if self.batch.task != "binary" or self.totals.bins is None or self.weighted or self.grouped:
            return None
        binned = self._binned(None)
        return binned if all(counts.any() for counts in binned.sums.values()) else None

    def _binned(self, label: int | None) -> Binned:
        key = f"bins {label}"
        if key not in self.made:
            rows, even = self.by_unit, self.even
            self.made[key] = even.ranking(label) if rows is None else rows.ranking(label)
        binned: Binned = self.made[key]
        return binned

    @cached_property
    def _added(self) -> Units | Moments:
        rows, even = self.by_unit, self.even
        sums: Units | Moments = even.row_sums() if rows is None else rows.row_sums()
        return sums

    def _method(self, metric: Metric, tally: Tally) -> str:
        """The requested method, or the nearest one that needs no rows."""
        return _without_rows(self.settings.method, tally, behind(metric))

    def _notes(self, metric: Metric, tally: Tally | None = None) -> tuple[str, ...]:
        notes = super()._notes(metric, tally)
        if tally is None:
            return notes
        notes += _bound(metric, tally)
        requested, used = self.settings.method, self._method(metric, tally)
        if requested == "auto" != used:
            rough = f"this interval is by influence, and rough with fewer than {ENOUGH} rows of a class"
            return (f"resampling needs all rows in memory: {rough}", *notes)
        if requested in ("auto", used):
            return notes
        return (f"{requested} needs all rows in memory, and they are read in chunks; another interval is given", *notes)

    def _zero_target(self, metric: Metric) -> str | None:
        divided = {"relative_errors", "squared_relative_errors"} & set(metric.needs)
        zeros = next((self.totals.unbounded[name] for name in divided if name in self.totals.unbounded), None)
        if zeros is None:
            return None
        place, row = zeros.first[0]
        return f"row {row} of {place} has a target of zero, so {metric.name} divides by zero ({zeros.count} such rows)"

    def _not_finite(self, metric: Metric) -> list[str]:
        rows = self.totals.unbounded.get(column_name(metric, metric.needs[0]))
        if rows is None:
            return []
        if metric.needs[0] != "log_losses":
            return [f"overflow: the squared error of row {rows.first[0][1]} of {rows.first[0][0]} is too large"]
        named = ", ".join(f"{row} of {place}" for place, row in rows.first)
        named += ", …" if rows.count > len(rows.first) else ""
        return [infinite_note(f"row {named}", rows.count)]


def _without_rows(method: str, tally: Tally, metric: Metric) -> str:
    """The method; if it needs the rows, the nearest one that does not."""
    if isinstance(tally, Binned) and tally.clustered:
        if method == "auto" and _would_resample(metric, tally):
            return "wilson"
        return "auto" if method in DRAWN_METHODS else method
    # with so many units, how far each moves the value is not kept
    many = isinstance(tally, Moments) or (isinstance(tally, GroupedCells) and tally.moments.kept is None)
    if many and method == "bca":
        return "percentile"
    return "auto" if isinstance(tally, Moments) and method == "bootstrap_t" else method


def _would_resample(metric: Metric, tally: Binned) -> bool:
    """Whether the default interval of a metric that hangs on one threshold resamples clusters: with few rows."""
    if metric.interval != "ranking" or tally.rows >= MANY or tally.filled.rows.min() >= ENOUGH:
        return False
    by_gap = metric.name == "ks" and tally.filled.rows.min() >= 2
    return not (by_gap and float(metric(tally.sums)) not in (0.0, 1.0))


def _bound(metric: Metric, tally: Tally) -> tuple[str, ...]:
    off = off_by(metric, tally)
    return (f"binned: the exact value lies within ±{at_most(off)}",) if off > NOTHING else ()


def off_by(metric: Metric, tally: Tally) -> float:
    """How far the exact value may be off, because numbers in one bin count as equal."""
    if isinstance(tally, BinnedNumbers) and metric.interval == "middle":
        low, high = tally.median_between()
    elif isinstance(tally, Binned) and metric.within is not None and tally.positives.any() and tally.negatives.any():
        low, high = metric.within(tally.positives, tally.negatives)
    else:
        return 0.0
    value = float(metric(tally.sums))
    return float(max(high - value, value - low))
