"""Two models on the same rows, as the tests of their difference see them: who is right where, and what units move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np

from heldout.batch import Array, Batch
from heldout.estimates.data_features import skewness
from heldout.estimates.question import Question
from heldout.estimates.ranking import misranked, raised_variance
from heldout.formulas import METRICS, Metric
from heldout.intervals.long_run import LongRun, long_run
from heldout.intervals.unit_spread import (
    Carriers,
    UnitSpread,
    fewest_of,
    hidden_by_sizes,
    hidden_by_weights,
    sizes_of_clusters,
    spread_of_sums,
    spread_of_units,
)
from heldout.tallies.cells import Agreement, tally_agreement
from heldout.verbs.influence import TWICE, cell_moves, squares_by_class, unit_influence
from heldout.verbs.measurement import Measurement, absent_classes

STILL = 1e-12
"""A unit that moves a difference by no more than this part of what units move the values does not move it."""
RAISED = 1 / 4
"""The power of the ratio of variances by which rows move an area farther: half of the way for standard errors."""
RANKED = ("scores", "columns")
"""Metrics of rows in the order of their scores."""


def class_factors(sizes: Array) -> Array:
    """How much farther a row of each class moves a ranking metric when left out than its influence says.

    A class of m rows stands against all others: (1 - 1 / n) / (1 - 1 / m), at most twice.

    >>> class_factors(np.array([1, 3, 6])).round(2).tolist()
    [2.0, 1.35, 1.08]
    """
    with np.errstate(divide="ignore"):
        return np.asarray(np.minimum((1 - 1 / sizes.sum()) / (1 - 1 / np.maximum(sizes, 1)), TWICE))


def class_df(sizes: Array) -> float:
    """No degrees of freedom where one of two classes is one row: how far another one would lie is not known.

    With two positives expected among 20 rows, n - 1 rejects too often, because some samples have one.

    >>> class_df(np.array([1, 19])), class_df(np.array([2, 18]))
    (0.0, 19.0)
    """
    return 0.0 if len(sizes) == 2 and sizes.min() == 1 else float(sizes.sum() - 1)


MANY_MISRANKED = 40_000
"""Where so many rows rank wrong, the rest would be raised by less than one part in 100,000,000."""


def raised(measured: Measurement, metric: Metric) -> float:
    """How much farther rows are taken to move an area where few of them rank wrong.

    Not as far as for the interval of one model, because two models on the same rows miss the same ones. At an area of
    0.96, 20 of 400 rows positive and a standard deviation three times as large in one model, the test rejects far
    too often without this and hardly ever with all of it, which would cost most of the power.
    """
    behind = _behind(metric)
    asked = Question(metric=behind, tally=measured.tally(behind), level=measured.settings.level)
    if misranked(asked) > MANY_MISRANKED:
        return 1.0
    return float(raised_variance(asked) / asked.variance) ** RAISED if asked.variance > 0 else 1.0


def _behind(metric: Metric) -> Metric:
    return METRICS[metric.via[0]] if metric.via else metric


def unit_sizes(metric: Metric, batch: Batch) -> Array:
    """The weight of each unit's rows: of each class that a metric rests on, else of all rows."""
    unit = np.arange(batch.rows) if batch.unit is None else batch.unit
    sides = sides_of(metric) if batch.task == "binary" else ()
    lines = row_sizes(batch, sides)
    return np.stack([np.bincount(unit, weights=line, minlength=batch.units) for line in lines])


def row_sizes(batch: Batch, sides: Sequence[int]) -> Array:
    """The weight of each row: a line for each of these classes of two, or a line for all rows where there are none."""
    weight = np.ones(batch.rows) if batch.weight is None else batch.weight
    is_positive = batch.truth == batch.positive
    parts = [is_positive if side == POSITIVE else ~is_positive for side in sides] or [np.ones(batch.rows, dtype=bool)]
    return np.stack([weight * part for part in parts])


def kinds_of(metric: Metric, batch: Batch) -> tuple[int, ...]:
    """The classes of two whose rows move a metric differently; none where all rows are alike."""
    return (POSITIVE, NEGATIVE) if batch.task == "binary" and rests_on_classes(metric) else ()


def hidden_in_rows(moved: Array, sizes: Array, unit: Array | None) -> float:
    """How much variance rows of unequal weight, or clusters of unequal size, may not show.

    Rows of a class are alike, those of different classes are not: weights may belong to classes.
    """
    if unit is None:
        return sum(hidden_by_weights(moved, line) for line in sizes)
    second = np.divide(moved**2, sizes, out=np.zeros(sizes.shape), where=sizes > 0)
    sums = (np.stack([np.bincount(unit, weights=line) for line in part]) for part in (sizes, sizes**2, second))
    return hidden_by_sizes(np.bincount(unit, weights=moved), *sizes_of_clusters(*sums))


def carriers_of(metric: Metric, *models: Measurement) -> Carriers:
    """The clusters, or the rows of unequal weight, that carry a metric: those of the model that has fewer."""
    behind = _behind(metric)
    each = []
    for measured in models:
        label = measured.batch.positive if behind.one_class else None
        asked = Question(metric=behind, tally=measured.tally(behind), level=measured.settings.level, label=label)
        each.append(asked.carriers)
    return fewest_of(each)


def with_carriers(spread: UnitSpread, few: Carriers, *, by_class: bool) -> UnitSpread:
    """The spread of a difference with the degrees of freedom of the units that carry it, and what they do not show.

    `by_class`: units were corrected already for their share of the rows of a class.
    """
    unseen = 1.0 if by_class or few.fewest == inf else 1 / max(few.seen, 1e-6)
    return replace(spread, df=min(few.df, spread.df), variance=spread.variance * unseen, carriers=few)


POSITIVE, NEGATIVE = 0, 1


def sides_of(metric: Metric) -> tuple[int, ...]:
    """The classes of two on whose rows a metric rests; none where it rests on all rows alike.

    A specificity rests on the negative rows: which units have the positive ones says nothing about it.

    >>> [sides_of(METRICS[name]) for name in ("specificity", "precision", "roc_auc", "mcc", "accuracy")]
    [(1,), (0,), (0, 1), (0, 1), ()]
    """
    behind = _behind(metric)
    if not rests_on_classes(metric):
        return ()
    if behind.reads == "labels" and not behind.one_class:
        return POSITIVE, NEGATIVE
    named = {name for names in behind.carriers for name in names}
    return tuple(side for side, own in enumerate(({"tp", "positives"}, {"tn", "negatives"})) if own & named)


def rests_on_classes(metric: Metric) -> bool:
    """Whether a metric rests on the rows of each class, and not on all rows alike."""
    behind = _behind(metric)
    if behind.name in ("accuracy", "error_rate"):
        return False
    return behind.reads in ("labels", *RANKED) and behind.rests_on == "smallest class"


MOST_CELLS = 1 << 12
"""Up to so many cells of truth and two predictions all are counted; with more, those that have rows."""
MANY = 1000
"""From so many rows on, no note is made of the tails of losses."""


@dataclass(frozen=True, kw_only=True)
class Apart:
    """How far units move a difference, added up; unit by unit where rows are in memory."""

    spread: UnitSpread
    """How much the difference varies because units do."""
    moves: bool
    """Whether any unit moves it."""
    sizes: tuple[int, int] = (0, 0)
    """Positive and negative rows, where there are two classes and each row is a unit."""
    squares: tuple[float, float] = (0.0, 0.0)
    """The sums of squares of how far they move it."""
    each: Array | None = None
    """How far each unit moves it, units in order."""
    long_run: LongRun | None = None
    """Where units are times: how they depend on each other."""
    tail: float = 0.0
    """The larger skewness of how far units move the value of one model alone, where rows are few."""
    skewness: float | None = None
    """The absolute skewness of how far units move the difference, where they are not in memory."""

    @property
    def units(self) -> int:
        """How many independent units there are."""
        return self.spread.units

    @property
    def df(self) -> float:
        """Degrees of freedom of the variance."""
        return self.spread.df

    @property
    def error(self) -> float:
        """The standard error of the difference."""
        return self.spread.error


@dataclass(frozen=True)
class Both:
    """Two models measured on the same rows, which are in memory."""

    a: Measurement
    b: Measurement

    def apart(self, metric: Metric) -> Apart | None:
        """How far units move the difference of a metric; None where the metric is not smooth."""
        label = self.a.batch.positive if metric.one_class else None
        one, other = (unit_influence(measured, metric, label) for measured in (self.a, self.b))
        if one is None or other is None:
            return None
        each, batch = one - other, self.a.batch
        by_class = batch.task == "binary" and batch.unit is None
        sizes, squares = squares_by_class(each, batch.truth == batch.positive) if by_class else ((0, 0), (0.0, 0.0))
        found = None if batch.time is None else long_run(each, batch.time.horizon)
        return Apart(
            spread=self._spread(metric, one, other) if found is None else self._spread_in_time(metric, found),
            long_run=found,
            moves=bool(np.any(np.abs(each) > STILL * np.abs([one, other]).max())),
            sizes=sizes,
            squares=squares,
            each=each,
            tail=max(skewness(moved) for moved in (one, other)) if batch.rows < MANY else 0.0,
        )

    def _spread_in_time(self, metric: Metric, found: LongRun) -> UnitSpread:
        """How much the difference varies where times depend on those before."""
        spread = UnitSpread(units=found.times, variance=found.variance, df=found.df)
        few = carriers_of(metric, self.a, self.b)
        return spread if few.fewest == inf else with_carriers(spread, few, by_class=False)

    def _spread(self, metric: Metric, one: Array, other: Array) -> UnitSpread:
        """How much the difference varies, from how far each unit moves the value of each model."""
        batch, each = self.a.batch, one - other
        if batch.unit is not None or self.a.weighted:
            sizes = None if batch.unit is None else unit_sizes(metric, batch)
            spread, few = spread_of_units(each, sizes), carriers_of(metric, self.a, self.b)
            spread = replace(spread, variance=spread.variance + self._hidden(metric, each))
            return with_carriers(spread, few, by_class=batch.task == "binary")
        if metric.reads == "labels":  # of cells instead of rows: the same sums, sooner
            first, second, rows = self._cells
            moved = cell_moves(self.a, metric)[first] - cell_moves(self.b, metric)[second]
            total, squares, cubes = (float(rows @ moved**power) for power in (1, 2, 3))
            return spread_of_sums(batch.rows, total, squares, cubes)
        if metric.reads in RANKED and batch.truth.ndim == 1:
            sizes = np.bincount(batch.truth)
            if _behind(metric).name == "roc_auc":  # the sample may lack the rows that rank wrong
                each = one * raised(self.a, metric) - other * raised(self.b, metric)
            moved = each * class_factors(sizes)[batch.truth]
            return replace(spread_of_units(moved), df=class_df(sizes))
        return spread_of_units(each)

    def _hidden(self, metric: Metric, each: Array) -> float:
        """The variance that rows of unequal weight, or clusters of unequal size, may not show."""
        batch = self.a.batch
        if batch.unit is None:
            return hidden_in_rows(each, row_sizes(batch, kinds_of(metric, batch)), None)
        label = batch.positive if metric.one_class else None
        one, other = (unit_influence(measured, metric, label) for measured in self._row_by_row)
        assert one is not None
        assert other is not None
        return hidden_in_rows(one - other, row_sizes(batch, kinds_of(metric, batch)), batch.unit)

    @cached_property
    def _row_by_row(self) -> list[Measurement]:
        """Both models measured as if every row were a unit."""
        return [replace(measured, given=replace(measured.given, unit=None)) for measured in (self.a, self.b)]

    @cached_property
    def _cells(self) -> tuple[Array, Array, Array]:
        """Cells of truth and both predictions that hold rows: truth * classes + prediction of each model, and rows."""
        truth, classes = self.a.batch.truth.astype(np.int64), len(self.a.batch.labels)
        assert self.a.batch.prediction is not None
        assert self.b.batch.prediction is not None
        line = (truth * classes + self.a.batch.prediction) * classes + self.b.batch.prediction
        if classes**3 > MOST_CELLS:
            cells, rows = np.unique(line, return_counts=True)
        else:
            counts = np.bincount(line)
            cells = np.flatnonzero(counts)
            rows = counts[cells]
        first = cells // classes
        return first, first // classes * classes + cells % classes, rows

    @cached_property
    def agreement(self) -> Agreement:
        """Who has which rows right, where every row has one label and both models say one."""
        return tally_agreement(self.a.batch, self.b.batch)

    @property
    def differ(self) -> bool:
        """Whether the models say different things of any row."""
        return not np.array_equal(self.a.batch.prediction, self.b.batch.prediction)  # type: ignore[arg-type]

    def notes(self, metric: Metric) -> tuple[str, ...]:
        """What else is to be said about the difference of a metric."""
        if metric.name != "balanced_accuracy":
            return ()
        return tuple(absent_classes(self.a.tally(metric), self.a.batch, metric.name))  # type: ignore[arg-type]
