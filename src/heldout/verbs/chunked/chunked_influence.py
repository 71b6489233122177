"""Influence of rows on differences of models, in chunks: slopes at the totals, and one more pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any, cast

import numpy as np

from heldout.batch import Array
from heldout.estimates.question import Question
from heldout.estimates.rounding import at_most
from heldout.formulas import Metric
from heldout.tallies.cells import Agreement, Cells
from heldout.tallies.moments import Moments
from heldout.tallies.paired_totals import Moves, PairedTotals
from heldout.tallies.score_histogram import Binned
from heldout.verbs.chunked.chunked_measurement import NOTHING, ChunkedMeasurement, off_by
from heldout.verbs.chunked.needed_sums import behind, column_name, row_statistics
from heldout.verbs.compare.model_pair import STILL, Apart, Both
from heldout.verbs.influence import slope_at
from heldout.verbs.measurement import Measurement

Gradient = Mapping[str, Array]
SUMMED = ("losses", "numbers")


def in_lines(metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics that are smooth in the rows, in the order of their influence: labels, scores, sums."""
    kinds = [("labels",), ("scores",), SUMMED]
    return [metric for kind in kinds for metric in metrics if behind(metric).reads in kind]


def moves_of(measured: ChunkedMeasurement, metrics: Sequence[Metric]) -> Moves:
    """The influence of a row on each metric of a model; zero for a metric that the model lacks or that is nan."""
    own = {metric.name for metric in measured.metrics()}
    slopes = [_gradient(measured, metric) if metric.name in own else None for metric in metrics]
    batch = measured.batch
    pairs = list(zip(metrics, slopes, strict=True))
    labels, scores, sums = (
        [(metric, slope) for metric, slope in pairs if behind(metric).reads in kind]
        for kind in (("labels",), ("scores",), SUMMED)
    )
    place, ranks = _ranks(measured, scores)
    summed = [metric for metric, slope in sums if slope is not None]
    functions = row_statistics(summed, batch, measured.settings)
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
    """The slopes of a metric at the totals of a model; None if the metric is not finite."""
    if not isfinite(measured.value(metric)):
        return None
    label = measured.batch.positive if metric.one_class else None
    own = behind(metric)
    gradient = Question(metric=own, tally=measured.tally(own, label), level=0.95, label=label).gradient
    if metric.via is None:
        return gradient
    slope = slope_at(metric.via[1], float(measured.one(own, label).value))
    return {name: slopes * slope for name, slopes in gradient.items()}


Slopes = Sequence[tuple[Metric, Gradient | None]]


def _cells(classes: int, pairs: Slopes) -> Array:
    """The slopes of metrics of labels by truth and prediction."""
    truth, prediction = np.divmod(np.arange(classes**2), max(classes, 1))
    each = Cells(classes=classes, truth=truth, prediction=prediction, rows=np.ones(classes**2), units=classes**2)
    none = np.zeros(classes**2)
    return np.array([none if slope is None else each.influence(slope) for _, slope in pairs]).reshape(
        len(pairs), classes**2
    )


def _ranks(measured: Measurement, pairs: Slopes) -> tuple[Array, Array]:
    """The bins that hold rows, and the slopes of metrics of scores there: for negatives, then for positives."""
    known = next((metric for metric, slope in pairs if slope is not None), None)
    if known is None:
        return np.zeros(0, dtype=np.int32), np.zeros((len(pairs), 0))
    place = cast("Binned", measured.tally(behind(known))).filled.place
    none = np.zeros(2 * len(place))
    lines = [none if slope is None else np.concatenate([slope["negatives"], slope["positives"]]) for _, slope in pairs]
    return place, np.array(lines)


def _sums(columns: Sequence[str], pairs: Slopes) -> Array:
    """The slopes of metrics of sums by column; the number of rows comes last."""
    slopes = np.zeros((len(pairs), len(columns) + 1))
    for line, (metric, slope) in enumerate(pairs):
        for name, part in (slope or {}).items():
            column = column_name(behind(metric), name)
            slopes[line, columns.index(column) if column in columns else -1] = float(part)
    return slopes


@dataclass(frozen=True)
class ChunkedPair(Both):
    """Two models on the same rows, which were added up chunk by chunk."""

    moved: Mapping[str, Apart]
    """By metric: the influence of units on its difference."""
    agreed: Agreement | None

    def apart(self, metric: Metric) -> Apart | None:
        """The influence of units on the difference of a metric; None if the metric is not smooth."""
        return self.moved.get(metric.name)

    @property
    def agreement(self) -> Agreement:
        """Which rows each model has right."""
        assert self.agreed is not None
        return self.agreed

    @property
    def differ(self) -> bool:
        """Whether the predictions of the models differ in any row."""
        return self.agreed is not None and self.agreed.differ

    def notes(self, metric: Metric) -> tuple[str, ...]:
        """How far the exact difference may be off: as far as both values together."""
        if metric.reads != "scores":
            return ()
        off = sum(off_by(metric, one.tally(metric)) for one in (self.a, self.b))
        return (f"binned: the exact difference lies within ±{at_most(off)}",) if off > NOTHING else ()


def apart_in_rows(totals: PairedTotals, other: int, metrics: Sequence[Metric]) -> dict[str, Apart]:
    """The influence of rows on the differences of one model from the baseline."""
    rows = int(totals.sizes.sum())
    return {
        metric.name: Apart(
            units=rows,
            variance=_variance(rows, float(total.sum()), float(squares.sum())),
            moves=bool(largest > STILL),
            sizes=(int(totals.sizes[0]), int(totals.sizes[1])),
            squares=(float(squares[0]), float(squares[1])),
        )
        for metric, total, squares, largest in zip(
            metrics, totals.total[other], totals.squares[other], totals.largest[other], strict=True
        )
    }


def apart_in_units(moments: Moments, other: int, metrics: Sequence[Metric]) -> dict[str, Apart]:
    """The influence of units on the differences of one model from the baseline."""
    apart = {}
    for line, metric in enumerate(metrics):
        at = moments.names.index(f"d{other + 1} {line}")
        total, squares = float(moments.total[at]), float(moments.products[at, at])
        variance = _variance(moments.units, total, squares)
        moves = squares > moments.units * STILL**2
        apart[metric.name] = Apart(units=moments.units, variance=variance, moves=moves)
    return apart


def _variance(units: int, total: float, squares: float) -> float:
    """The variance n / (n - 1) sum (m - mean m)^2, from the sums of m and of m^2."""
    return units / (units - 1) * max(squares - total**2 / units, 0.0) if units > 1 else nan


def named_columns(moments: Moments, names: Sequence[str]) -> tuple[Array, Array]:
    """Totals and products of some columns."""
    at = np.array([moments.names.index(name) for name in names], dtype=int)
    return moments.total[at], moments.products[np.ix_(at, at)]


def any_disagreement(moments: Moments, other: int) -> Agreement:
    """Whether a model's predictions differ from the baseline's, where rows share units and nothing more is counted."""
    rows: Any = moments.total[moments.names.index(f"x{other + 1}")]
    return Agreement(table=np.zeros((0, 4), dtype=np.int64), differ=bool(rows > 0))
