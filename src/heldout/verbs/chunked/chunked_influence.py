"""How far rows that are not in memory move the differences of models: slopes at the totals, and one more walk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.estimates.question import Question
from heldout.estimates.rounding import at_most
from heldout.formulas import Metric
from heldout.tallies.cells import Agreement, Cells
from heldout.tallies.moments import Moments
from heldout.tallies.paired_totals import PairedTotals
from heldout.tallies.row_influence import Moves
from heldout.verbs.chunked.chunked_measurement import NOTHING, StreamedMeasurement, off_by
from heldout.verbs.chunked.needed_sums import behind, column_name, columns_for
from heldout.verbs.compare.model_pair import STILL, Apart, Both
from heldout.verbs.influence import slope_at
from heldout.verbs.measurement import Measurement

Gradient = Mapping[str, Array]
SUMMED = ("losses", "numbers")


def in_lines(metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics that rows move smoothly, in the order of the lines of their moves: labels, scores, sums."""
    kinds = [("labels",), ("scores",), SUMMED]
    return [metric for kind in kinds for metric in metrics if behind(metric).reads in kind]


def moves_of(measured: StreamedMeasurement, metrics: Sequence[Metric]) -> Moves:
    """How far a row moves each metric of a model; a metric that the model has not, or not a number, stays still."""
    own = {metric.name for metric in measured.metrics()}
    slopes = [_gradient(measured, metric) if metric.name in own else None for metric in metrics]
    batch = measured.batch
    told = list(zip(metrics, slopes, strict=True))
    labels, scores, sums = (
        [(metric, slope) for metric, slope in told if behind(metric).reads in kind]
        for kind in (("labels",), ("scores",), SUMMED)
    )
    place, ranks = _ranks(measured, scores)
    summed = [metric for metric, slope in sums if slope is not None]
    functions = columns_for(summed, batch, measured.settings)
    used = dict.fromkeys(column_name(one, name) for metric in summed for one in [behind(metric)] for name in one.needs)
    columns = {name: functions[name] for name in used if name in functions}
    return Moves(
        says=batch.prediction is not None and batch.task in ("binary", "multiclass"),
        classes=len(batch.labels),
        cells=_cells(len(batch.labels), labels),
        filled=place,
        ranks=ranks,
        columns=columns,
        sums=_sums(list(columns), sums),
        scale=measured.scale,
    )


def _gradient(measured: Measurement, metric: Metric) -> Gradient | None:
    """The slopes of a metric at the totals of a model; None where it has no finite value."""
    if not isfinite(measured.value(metric)):
        return None
    label = measured.batch.positive if metric.one_class else None
    own = behind(metric)
    found = Question(metric=own, tally=measured.tally(own, label), level=0.95, label=label).gradient
    if metric.via is None:
        return found
    slope = slope_at(metric.via[1], float(measured.one(own, label).value))
    return {name: part * slope for name, part in found.items()}


Slopes = Sequence[tuple[Metric, Gradient | None]]


def _cells(classes: int, told: Slopes) -> Array:
    """The slopes of metrics of labels by truth and prediction."""
    truth, prediction = np.divmod(np.arange(classes**2), max(classes, 1))
    each = Cells(classes=classes, truth=truth, prediction=prediction, rows=np.ones(classes**2), units=classes**2)
    none = np.zeros(classes**2)
    return np.array([none if slope is None else each.influence(slope) for _, slope in told]).reshape(
        len(told), classes**2
    )


def _ranks(measured: Measurement, told: Slopes) -> tuple[Array, Array]:
    """The filled places, and the slopes of metrics of scores there: of negative rows, then of positive rows."""
    known = next((metric for metric, slope in told if slope is not None), None)
    if known is None:
        return np.zeros(0, dtype=np.int32), np.zeros((len(told), 0))
    place = measured.tally(behind(known)).filled.place
    none = np.zeros(2 * len(place))
    lines = [none if slope is None else np.concatenate([slope["negatives"], slope["positives"]]) for _, slope in told]
    return place, np.array(lines)


def _sums(columns: Sequence[str], told: Slopes) -> Array:
    """The slopes of metrics of sums by column; the number of rows comes last."""
    found = np.zeros((len(told), len(columns) + 1))
    for line, (metric, slope) in enumerate(told):
        for name, part in (slope or {}).items():
            column = column_name(behind(metric), name)
            found[line, columns.index(column) if column in columns else -1] = float(part)
    return found


@dataclass(frozen=True)
class StreamedBoth(Both):
    """Two models on the same rows, which were added up part by part."""

    moved: Mapping[str, Apart]
    """By metric: how far units move its difference."""
    agreed: Agreement | None

    def apart(self, metric: Metric) -> Apart | None:
        """How far units move the difference of a metric; None where the metric is not smooth."""
        return self.moved.get(metric.name)

    @property
    def agreement(self) -> Agreement:
        """Who has which rows right."""
        assert self.agreed is not None
        return self.agreed

    @property
    def differ(self) -> bool:
        """Whether the models say different things of any row."""
        return self.agreed is not None and self.agreed.differ

    def notes(self, metric: Metric) -> tuple[str, ...]:
        """How far the exact difference may be off: as far as both values together."""
        if metric.reads != "scores":
            return ()
        off = sum(off_by(metric, one.tally(metric)) for one in (self.a, self.b))
        return (f"binned: the exact difference lies within ±{at_most(off)}",) if off > NOTHING else ()


def apart_in_rows(found: PairedTotals, other: int, metrics: Sequence[Metric]) -> dict[str, Apart]:
    """How far rows move the differences of one model from the baseline."""
    rows = int(found.sizes.sum())
    return {
        metric.name: Apart(
            units=rows,
            variance=_variance(rows, float(total.sum()), float(squares.sum())),
            moves=bool(largest > STILL),
            sizes=(int(found.sizes[0]), int(found.sizes[1])),
            squares=(float(squares[0]), float(squares[1])),
        )
        for metric, total, squares, largest in zip(
            metrics, found.total[other], found.squares[other], found.largest[other], strict=True
        )
    }


def apart_in_units(found: Moments, other: int, metrics: Sequence[Metric]) -> dict[str, Apart]:
    """How far units move the differences of one model from the baseline."""
    apart = {}
    for line, metric in enumerate(metrics):
        at = found.names.index(f"d{other + 1} {line}")
        total, squares = float(found.total[at]), float(found.products[at, at])
        variance = _variance(found.units, total, squares)
        moves = squares > found.units * STILL**2
        apart[metric.name] = Apart(units=found.units, variance=variance, moves=moves)
    return apart


def _variance(units: int, total: float, squares: float) -> float:
    """The variance n / (n - 1) sum (m - mean m)^2, from the sums of m and of m^2."""
    return units / (units - 1) * max(squares - total**2 / units, 0.0) if units > 1 else nan


def named_columns(found: Moments, names: Sequence[str]) -> tuple[Array, Array]:
    """Totals and products of some columns."""
    at = np.array([found.names.index(name) for name in names], dtype=int)
    return found.total[at], found.products[np.ix_(at, at)]


def said_differently(found: Moments, other: int) -> Agreement:
    """Whether a model says anything else than the baseline, where rows share units and nothing more is counted."""
    rows: Any = found.total[found.names.index(f"x{other + 1}")]
    return Agreement(table=np.zeros((0, 4), dtype=np.int64), differ=bool(rows > 0))
