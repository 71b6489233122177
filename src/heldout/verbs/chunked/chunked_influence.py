"""Influence of rows on differences of models, in chunks: slopes at the totals, and one more pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, cast

import numpy as np

from heldout.batch import Array
from heldout.estimates.data_features import data_features, skewness
from heldout.estimates.rounding import at_most
from heldout.formulas import Metric
from heldout.intervals.unit_spread import (
    UnitSpread,
    hidden_by_sizes,
    hidden_in_sums,
    sizes_of_clusters,
    spread_of_sums,
    spread_of_units,
)
from heldout.tallies.cells import Agreement
from heldout.tallies.moments import Moments
from heldout.tallies.paired_totals import SIDES, Moves, PairedTotals
from heldout.tallies.score_histogram import Binned
from heldout.verbs.chunked.chunked_measurement import NOTHING, ChunkedMeasurement, off_by
from heldout.verbs.chunked.needed_sums import behind, column_name, row_statistics
from heldout.verbs.compare.model_pair import (
    MANY,
    RANKED,
    STILL,
    Apart,
    Both,
    carriers_of,
    class_df,
    class_factors,
    kinds_of,
    raised,
    sides_of,
    with_carriers,
)
from heldout.verbs.influence import cell_influence, cell_moves, gradient_at
from heldout.verbs.measurement import Measurement

Gradient = Mapping[str, Array]
SUMMED = ("losses", "numbers")


def in_lines(metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics that are smooth in the rows, in the order of their influence: labels, scores, sums."""
    kinds = [("labels",), ("scores",), SUMMED]
    return [metric for kind in kinds for metric in metrics if behind(metric).reads in kind]


def smooth_metrics(measured: ChunkedMeasurement) -> list[Metric]:
    """The metrics of a model that are smooth in the rows, with those that its roots are roots of."""
    asked = measured.metrics()
    named = {metric.name for metric in asked}
    squares = [behind(metric) for metric in asked if metric.via and metric.via[1] is sqrt]
    return in_lines([*asked, *(metric for metric in squares if metric.name not in named)])


def moves_of(measured: ChunkedMeasurement, metrics: Sequence[Metric], *, raises: bool) -> Moves:
    """The influence of a row on each metric of a model; zero for a metric that the model lacks or that is nan.

    `raises`: rows are taken to move an area farther where few of them rank wrong, as in memory.
    """
    own = {metric.name for metric in smooth_metrics(measured)}
    slopes = [gradient_at(measured, metric) if metric.name in own else None for metric in metrics]
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
        left_out=None if measured.weighted or measured.grouped else _left_out(measured, labels),
        filled=place,
        ranks=ranks,
        columns=columns,
        sums=_sums(list(columns), sums),
        scale=measured.scale,
        raised=_raised(measured, [*scores, *sums]) if raises else None,
    )


Slopes = Sequence[tuple[Metric, Gradient | None]]


def _cells(classes: int, pairs: Slopes) -> Array:
    """The slopes of metrics of labels by truth and prediction."""
    lines = [cell_influence(classes, slope) for _, slope in pairs]
    return np.array(lines).reshape(len(pairs), classes**2)


def _left_out(measured: ChunkedMeasurement, pairs: Slopes) -> Array:
    """How far a row moves metrics of labels when it is left out, by truth and prediction."""
    classes = len(measured.batch.labels)
    none = np.zeros(classes**2)
    lines = [none if slope is None else cell_moves(measured, metric) for metric, slope in pairs]
    return np.array(lines).reshape(len(pairs), classes**2)


def _ranks(measured: Measurement, pairs: Slopes) -> tuple[Array, Array]:
    """The bins that hold rows, and the slopes of metrics of scores there: for negatives, then for positives."""
    known = next((metric for metric, slope in pairs if slope is not None), None)
    if known is None:
        return np.zeros(0, dtype=np.int32), np.zeros((len(pairs), 0))
    place = cast("Binned", measured.tally(behind(known))).filled.place
    none = np.zeros(2 * len(place))
    lines = [none if slope is None else np.concatenate([slope["negatives"], slope["positives"]]) for _, slope in pairs]
    return place, np.array(lines)


def _raised(measured: ChunkedMeasurement, pairs: Slopes) -> Array | None:
    """How much farther rows are taken to move each metric, a line each; None where none is an area."""
    if measured.weighted or measured.grouped:
        return None
    areas = [behind(metric).name == "roc_auc" and slope is not None for metric, slope in pairs]
    factors = [raised(measured, metric) if area else 1.0 for (metric, _), area in zip(pairs, areas, strict=True)]
    return np.array(factors)[:, None] if any(areas) else None


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
            return super().notes(metric)
        off = sum(off_by(metric, one.tally(metric)) for one in (self.a, self.b))
        return (f"binned: the exact difference lies within ±{at_most(off)}",) if off > NOTHING else ()


def apart_in_rows(
    totals: PairedTotals, other: int, metrics: Sequence[Metric], both: tuple[ChunkedMeasurement, ChunkedMeasurement]
) -> dict[str, Apart]:
    """The influence of rows on the differences of one model from the baseline; `both` are the two, measured."""
    apart = {}
    for line, metric in enumerate(metrics):
        spread = _spread_in_rows(metric, totals, (other, line), both)
        apart[metric.name] = Apart(
            spread=spread,
            moves=bool(totals.largest[other, line] > STILL),
            sizes=(int(totals.sizes[0]), int(totals.sizes[1])),
            squares=(float(totals.powers[1, other, line, 0]), float(totals.powers[1, other, line, 1])),
            tail=_tail(metric, both),
            skewness=abs(spread.skewness) * sqrt(spread.units),
        )
    return apart


def _tail(metric: Metric, both: Sequence[ChunkedMeasurement]) -> float:
    """The larger skewness of how far units move the loss of one model alone, where rows are few."""
    own = behind(metric)
    if own.reads not in SUMMED or both[0].rows >= MANY or not _is_defined(metric, both):
        return 0.0
    return max(data_features(own, measured.tally(own)).skewness for measured in both)


def _spread_in_rows(
    metric: Metric,
    totals: PairedTotals,
    at: tuple[int, int],
    both: tuple[ChunkedMeasurement, ChunkedMeasurement],
) -> UnitSpread:
    """How much a difference varies, from the sums of m, m^2 and m^3 over the rows of each side."""
    rows, df, powers = int(totals.sizes.sum()), None, totals.powers[:, *at]
    if not both[0].weighted and metric.reads in RANKED and totals.sizes.min() > 0:
        powers = powers * class_factors(totals.sizes) ** np.arange(1, 4)[:, None]
        df = class_df(totals.sizes)
    total, squares, cubes = powers.sum(axis=1).tolist()
    spread = spread_of_sums(rows, total, squares, cubes, df)
    if not both[0].weighted or not _is_defined(metric, both):
        return spread
    sides = kinds_of(metric, both[0].batch)
    sums = np.concatenate([totals.masses, totals.even[:, *at], totals.powers[1:2, *at]])
    each = [sums[:, [side]] for side in sides] or [sums]
    hidden = sum(hidden_in_sums(*part.sum(axis=1).tolist()) for part in each)
    spread = replace(spread, variance=spread.variance + hidden)
    return with_carriers(spread, carriers_of(metric, *both), by_class=both[0].batch.task == "binary")


def _of_sides(sides: Sequence[int], columns: Sequence[Array]) -> Array:
    """The columns of these sides, or their sum where there are none."""
    return np.stack([columns[side] for side in sides] or [np.sum(columns, axis=0)])


def _is_defined(metric: Metric, both: Sequence[ChunkedMeasurement]) -> bool:
    """Whether both models have the metric."""
    return all(any(own.name == metric.name for own in smooth_metrics(measured)) for measured in both)


def apart_in_units(
    moments: Moments, other: int, metrics: Sequence[Metric], both: tuple[ChunkedMeasurement, ChunkedMeasurement]
) -> dict[str, Apart]:
    """The influence of units on the differences of one model from the baseline; `both` are the two, measured."""
    units = moments.unit_by_unit()
    apart = {}
    for line, metric in enumerate(metrics):
        name = f"d{other + 1} {line}"
        at = moments.names.index(name)
        total, squares = float(moments.total[at]), float(moments.products[at, at])
        moves = squares > moments.units * STILL**2
        skew = None
        if units is None:  # so many units are alike in what they are worth, and their mean is not skewed
            spread = spread_of_sums(moments.units, total, squares, 0.0)
        else:
            moved, batch = units.column(name), both[0].batch
            sides = sides_of(metric) if batch.task == "binary" else ()
            spread = spread_of_units(moved, _of_sides(sides, [units.column(side) for side in SIDES]))
            sums = (
                _of_sides(kinds_of(metric, batch), [units.column(f"{of}{side}") for side in SIDES])
                for of in ("", "squared ", f"e{other + 1} {line} ")
            )
            hidden = hidden_by_sizes(moved, *sizes_of_clusters(*sums))
            spread = replace(spread, variance=spread.variance + hidden)
            skew = skewness(moved)
        if _is_defined(metric, both):
            spread = with_carriers(spread, carriers_of(metric, *both), by_class=both[0].batch.task == "binary")
        apart[metric.name] = Apart(spread=spread, moves=moves, tail=_tail(metric, both), skewness=skew)
    return apart


def named_columns(moments: Moments, names: Sequence[str]) -> tuple[Array, Array]:
    """Totals and products of some columns."""
    at = np.array([moments.names.index(name) for name in names], dtype=int)
    return moments.total[at], moments.products[np.ix_(at, at)]


def any_disagreement(moments: Moments, other: int) -> Agreement:
    """Whether a model's predictions differ from the baseline's, where rows share units and nothing more is counted."""
    rows: Any = moments.total[moments.names.index(f"x{other + 1}")]
    return Agreement(table=np.zeros((0, 4), dtype=np.int64), differ=bool(rows > 0))
