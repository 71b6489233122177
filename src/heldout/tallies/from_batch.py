"""From a batch to the tally that a kind of metric is computed on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from heldout import weights
from heldout.batch import Array, Batch
from heldout.rows import labels as mark_rows, numbers as number_rows, probabilities as probability_rows
from heldout.tallies import Drawn, Sums, joined, of_blocks
from heldout.tallies.cells import Cells, class_ranks, tally_cells
from heldout.tallies.reliability import Reliability, tally_reliability
from heldout.tallies.score_columns import ScoreColumns
from heldout.tallies.scores import Scores, tally_scores
from heldout.tallies.units import Units, tally_units


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """Values in rising order, the weight of each and, where rows share units, its unit."""

    values: Array
    weight: Array | None = None
    unit: Array | None = None
    units: int = 0

    @property
    def clustered(self) -> bool:
        return self.unit is not None

    @property
    def weighted(self) -> bool:
        return self.weight is not None

    @property
    def sums(self) -> Sums:
        return {"ordered": self.values, "mass": np.ones(len(self.values)) if self.weight is None else self.weight}

    def __add__(self, other: Ordered) -> Ordered:
        """Both parts; their units are different units."""
        values = np.concatenate([self.values, other.values])
        order = np.argsort(values, kind="stable")

        weight, unit = joined(self.weight, other.weight), joined(self.unit, other.unit, self.units)
        return Ordered(
            values=values[order],
            weight=None if weight is None else weight[order],
            unit=None if unit is None else unit[order],
            units=self.units + other.units,
        )

    def drawn(self, draws: int, seed: int) -> list[Drawn]:
        ordered = self._in_order
        return of_blocks(weights.bootstrap(np.ones(self.units), draws, [seed]), ordered._at)  # noqa: SLF001

    @property
    def _in_order(self) -> Ordered:
        """Rows with equal values, or units where rows share them, in an order that hangs on what they hold."""
        if self.unit is not None:
            code = np.searchsorted(self.values, self.values)
            order = weights.cluster_order(code, self.weight, self.unit, self.units)
            return replace(self, unit=weights.places(order)[self.unit])
        if self.weight is None:
            return self
        return replace(self, weight=self.weight[np.lexsort((self.weight, self.values))])

    def _at(self, block: Array) -> Sums:
        mass = block if self.unit is None else block[:, self.unit]
        return {"ordered": self.values, "mass": mass if self.weight is None else mass * self.weight}


def tally_ordered(values: Array, weight: Array | None = None, unit: Array | None = None) -> Ordered:
    """Put numbers in rising order."""
    if weight is None and unit is None:
        return Ordered(values=np.sort(values), units=len(values))
    order = np.argsort(values, kind="stable")
    return Ordered(
        values=values[order],
        weight=None if weight is None else weight[order],
        unit=None if unit is None else unit[order],
        units=len(values) if unit is None else int(unit.max()) + 1,
    )


MARK_ROWS = {name: getattr(mark_rows, name) for name in ("tp", "fp", "fn", "tn")}
LOSS_ROWS = {
    "exact_matches": mark_rows.exact_matches,
    "wrong_marks": mark_rows.wrong_marks,
    "log_losses": probability_rows.log_losses,
    "brier_losses": probability_rows.brier_losses,
    "quadratic_losses": probability_rows.quadratic_losses,
    "hinge_losses": probability_rows.hinge_losses,
    "rows": mark_rows.every_row,
}
NUMBER_ROWS = {
    name: getattr(number_rows, name)
    for name in (
        "rows",
        "errors",
        "absolute_errors",
        "squared_errors",
        "relative_errors",
        "squared_relative_errors",
        "targets",
        "squared_targets",
        "absolute_targets",
        "squared_log_errors",
        "poisson_deviances",
        "gamma_deviances",
    )
}


def label_cells(batch: Batch) -> Cells:
    """Counts by truth and prediction."""
    assert batch.prediction is not None
    return tally_cells(batch.truth, batch.prediction, len(batch.labels), batch.weight, batch.unit)


def label_marks(batch: Batch) -> Units:
    """True and false positives and negatives per label, where a row carries several."""
    return tally_units({name: row(batch) for name, row in MARK_ROWS.items()}, batch.weight, batch.unit)


def score_order(batch: Batch, label: int | None = None) -> Scores:
    """Rows in the order of their scores: of the positive class, or of one label against the rest."""
    assert batch.score is not None
    if batch.score.ndim == 1:
        return tally_scores(batch.score, batch.truth == batch.positive, batch.weight, batch.unit)
    assert label is not None
    positive = batch.truth[:, label] == 1 if batch.truth.ndim == 2 else batch.truth == label
    return tally_scores(batch.score[:, label], positive, batch.weight, batch.unit)


def score_columns(batch: Batch) -> ScoreColumns:
    """One score column per class."""
    assert batch.score is not None
    return ScoreColumns(truth=batch.truth, score=batch.score, weight=batch.weight, unit=batch.unit)


def reliability(batch: Batch) -> Reliability:
    """Probabilities against what happened."""
    return tally_reliability(
        probability_rows.confidence(batch), probability_rows.confirmed(batch), batch.weight, batch.unit
    )


def reliability_of(order: Scores) -> Reliability:
    """The same from rows that are in order already."""
    return Reliability(chance=order.ranked, happened=order.hits, weight=order.weight, unit=order.unit)


def row_sums(batch: Batch, columns: Mapping[str, Array]) -> Units:
    """What each unit adds to the named columns."""
    return tally_units(columns, batch.weight, batch.unit)


def ordered_errors(batch: Batch, target: int | None = None) -> Ordered:
    """Absolute errors in rising order, of one target."""
    values = number_rows.absolute_errors(batch)
    return tally_ordered(values if target is None else values[:, target], batch.weight, batch.unit)


def units_in_order(*models: Batch, ranked: bool = False) -> Array:
    """Units of the rows that models share, in an order that hangs on truth, outputs and weights: see `content_order`.

    `ranked`: of scores only the ranks count.
    """
    first = models[0]
    codes = np.unique(row_keys(*models, ranked=ranked), return_inverse=True)[1]
    unit = np.arange(first.rows) if first.unit is None else first.unit
    return weights.cluster_order(codes, first.weight, unit, first.units)


def row_keys(*models: Batch, ranked: bool = False) -> Array:
    """One number for the truth of each row and what these models say of it: see `content_key`."""
    first, labelled = models[0], models[0].task in ("binary", "multiclass") and not ranked
    said = [batch.prediction for batch in models if labelled and batch.prediction is not None]
    ranks = class_ranks(len(first.labels), first.truth, *said) if labelled else None
    # labels that follow from scores differ between scores that are ranked alike
    columns = [first.truth == first.positive if ranked else first.truth if ranks is None else ranks[first.truth]]
    for batch in models:
        if batch.prediction is not None and not ranked:
            columns.append(batch.prediction if ranks is None else ranks[batch.prediction])
        if batch.score is not None and ranked:
            columns.append(np.unique(batch.score, return_inverse=True)[1])
        elif batch.score is not None:
            columns.append(batch.score if ranks is None or batch.score.ndim == 1 else batch.score[:, np.argsort(ranks)])
    return weights.content_key(*columns)
