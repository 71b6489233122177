"""Several models on the same rows, added up in one walk: who is right where, how far rows move their differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.inputs.chunked.aligned_tables import AlignedTables
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.chunked.column_recipe import CodedChunk, Recipe, code_chunk
from heldout.inputs.chunked.same_rows import same_rows
from heldout.tallies.accumulation import made
from heldout.tallies.cells import Agreement, tally_agreement
from heldout.tallies.grid import GRID, places
from heldout.tallies.score_sort import parts
from heldout.tallies.totals import RowStatistic
from heldout.tallies.unit_sums import numbered, summed_by_unit, unit_table


@dataclass(frozen=True, kw_only=True, eq=False)
class Moves:
    """Slopes of metrics at their totals, as tables in which a row looks up its own; a value that can travel.

    The lines of each table are metrics. They are numbered through: those of labels, of scores, and of sums.
    """

    says: bool = False
    """Whether the model says a label of each row."""
    classes: int = 0
    cells: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """By truth and prediction: truth * classes + prediction."""
    left_out: Array | None = None
    """The same when the row is left out; None where rows have weights or share units."""
    filled: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    """The places of the grid that hold scores, rising."""
    ranks: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """By filled place: the negative rows, then the positive ones."""
    columns: Mapping[str, RowStatistic] = field(default_factory=dict)
    """What rows add to named sums."""
    sums: Array = field(default_factory=lambda: np.zeros((0, 1)))
    """By column; the last is the number of rows."""
    scale: float = 1.0
    """The mean weight of a row."""
    raised: Array | None = None
    """How much farther rows are taken to move the metrics of scores and of sums in a difference; None: no farther."""

    @property
    def metrics(self) -> int:
        """How many metrics there are."""
        return len(self.cells) + len(self.ranks) + len(self.sums)

    def standing(self) -> Array:
        """Where each place of the grid stands among the filled ones."""
        at = np.zeros(GRID if len(self.filled) else 0, dtype=np.int32)
        at[self.filled] = np.arange(len(self.filled), dtype=np.int32)
        return at

    def weights(self, batch: Batch) -> Array | None:
        """What rows weigh, one on average; None where all weigh the same."""
        return None if batch.weight is None else batch.weight / self.scale

    def of_labels(self, batch: Batch) -> Array:
        """How far each row moves the metrics of labels, its weight aside."""
        if not self.says or not len(self.cells):
            return np.zeros((len(self.cells), batch.rows))
        assert batch.prediction is not None
        return self.cells.take(batch.truth.astype(np.int64) * self.classes + batch.prediction, axis=1)

    def of_the_rest(self, batch: Batch, standing: Array) -> Array:
        """How far each row moves the metrics of scores and of sums, its weight aside."""
        return np.concatenate([self._of_scores(batch, standing), self._of_sums(batch)])

    def _of_scores(self, batch: Batch, standing: Array) -> Array:
        if not len(self.filled) or not len(self.ranks):
            return np.zeros((len(self.ranks), batch.rows))
        assert batch.score is not None
        line = standing[places(batch.score)]
        line += (batch.truth == batch.positive) * np.int32(len(self.filled))
        return self.ranks.take(line, axis=1)

    def _of_sums(self, batch: Batch) -> Array:
        if not len(self.sums):
            return np.zeros((0, batch.rows))
        columns = made(batch, self.columns)
        added = np.stack([*(columns[name] for name in self.columns), np.ones(batch.rows)])
        return np.asarray(self.sums @ added)


POWERS = 3
"""Sums of so many powers are kept: for the mean, the variance and the skewness."""
SIDES = ("positive", "other")
"""Columns with the weight of each unit's rows: of the positive class, and of all others."""
COUNTED = 1 << 12
"""Up to so many cells of truth and two predictions all are counted; with more, those that have rows."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PairedTotals:
    """Sums of how far rows move the differences of models from a baseline; `a + b` are the sums over both.

    Lines are the models beside the baseline, columns the metrics; behind them two sides: positive rows, and all others.
    """

    sizes: Array
    """How many rows are on each side."""
    powers: Array
    """Sums of m, m^2 and m^3, m how far a row moves a difference; powers come first."""
    masses: Array
    """Sums of the weights w on each side, and of w^2; of rows without weights nothing is kept here and in `even`."""
    even: Array
    """Sums of w u^2 and of w u^4, u = m / w how far a row moves a difference by unit of weight."""
    largest: Array
    """How far the row that moves a difference farthest moves it."""
    agreements: tuple[Agreement | None, ...]
    """Each model beside the baseline; None where one of the two says no labels."""
    joint: Array
    """By the metric that judges all models together: how far rows move each model's value, added up."""
    products: Array
    """The same of the products of two models' moves."""

    def __add__(self, other: PairedTotals) -> PairedTotals:
        return PairedTotals(
            sizes=self.sizes + other.sizes,
            powers=self.powers + other.powers,
            masses=self.masses + other.masses,
            even=self.even + other.even,
            largest=np.maximum(self.largest, other.largest),
            agreements=tuple(
                None if one is None or two is None else one + two
                for one, two in zip(self.agreements, other.agreements, strict=True)
            ),
            joint=self.joint + other.joint,
            products=self.products + other.products,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Models:
    """Models on the same rows, the baseline first: how they are read, how far rows move them; a value that travels."""

    names: tuple[str, ...]
    recipes: tuple[Recipe, ...]
    moves: tuple[Moves, ...]
    tables: tuple[int, ...]
    """Which table each model is in."""
    beside: AlignedTables | None = None
    """How the rows of the other tables are found; None where all models are in one."""
    judge: int | None = None
    """The metric that judges all models together."""

    def coded(self, chunks: Iterable[Chunk]) -> Iterator[list[CodedChunk]]:
        """The rows of each chunk as every model has them."""
        for found in ((chunk,) for chunk in chunks) if self.beside is None else self.beside(chunks):
            some = [code_chunk(found[table], recipe) for table, recipe in zip(self.tables, self.recipes, strict=True)]
            if self.beside is not None:
                same_rows(self.names, [found[table] for table in self.tables], some, self.recipes, fix=self.beside.fix)
            yield some


@dataclass(frozen=True, kw_only=True, eq=False)
class Telling:
    """The work on chunks, where every row is a unit of its own: chunks to paired totals."""

    models: Models

    def __call__(self, chunks: Iterable[Chunk]) -> PairedTotals:
        standing = [moves.standing() for moves in self.models.moves]
        found = (
            _of_some(self.models, [one.batch.part(where) for one in some], standing)
            for some in self.models.coded(chunks)
            for where in parts(some[0].batch.rows)
        )
        return reduce(add, found, _nothing(self.models))


def _nothing(models: Models) -> PairedTotals:
    count, metrics = len(models.recipes), models.moves[0].metrics
    none = Agreement(table=np.zeros((len(models.recipes[0].labels), 4), dtype=np.int64), differ=False)
    says = [moves.says for moves in models.moves]
    return PairedTotals(
        sizes=np.zeros(2, dtype=np.int64),
        powers=np.zeros((POWERS, count - 1, metrics, 2)),
        masses=np.zeros((2, 2)),
        even=np.zeros((2, count - 1, metrics, 2)),
        largest=np.zeros((count - 1, metrics)),
        agreements=tuple(none if says[0] and own else None for own in says[1:]),
        joint=np.zeros(count),
        products=np.zeros((count, count)),
    )


def _of_some(models: Models, batches: Sequence[Batch], standing: Sequence[Array]) -> PairedTotals:
    """The totals of rows that fit into a core's cache."""
    first, moves = batches[0], models.moves
    weight = moves[0].weights(first)
    sides = _sides(first, first.truth)
    rest = [
        _weighed(own.of_the_rest(batch, where), weight)
        for own, batch, where in zip(moves, batches, standing, strict=True)
    ]
    said = [_of_labels(moves, batches, other, weight) for other in range(1, len(batches))]
    farther = [moved if own.raised is None else moved * own.raised for own, moved in zip(moves, rest, strict=True)]
    apart = [moved - farther[0] for moved in farther[1:]]
    judged = _judged(models, batches, rest, weight)
    return PairedTotals(
        sizes=sides.sum(axis=0).astype(np.int64),
        powers=np.stack(
            [
                np.concatenate([of_labels[0][:POWERS], _powers(d) @ sides], axis=1)
                for of_labels, d in zip(said, apart, strict=True)
            ],
            axis=1,
        ),
        masses=np.zeros((2, 2)) if weight is None else np.stack([weight, weight**2]) @ sides,
        even=np.stack(
            [
                np.concatenate([of_labels[0][POWERS:], _even(d, weight, sides)], axis=1)
                for of_labels, d in zip(said, apart, strict=True)
            ],
            axis=1,
        ),
        largest=np.stack(
            [
                np.concatenate([of_labels[1], np.abs(d).max(axis=1, initial=0.0)])
                for of_labels, d in zip(said, apart, strict=True)
            ]
        ),
        agreements=tuple(
            tally_agreement(batches[other], first) if moves[0].says and moves[other].says else None
            for other in range(1, len(batches))
        ),
        joint=judged.sum(axis=1),
        products=judged @ judged.T,
    )


def _powers(moved: Array) -> Array:
    """m, m^2 and m^3."""
    squares = moved**2
    return np.stack([moved, squares, squares * moved])


def _even(moved: Array, weight: Array | None, sides: Array) -> Array:
    """Sums of w u^2 and w u^4 of rows that move something by w u; zero of rows without weights."""
    if weight is None:
        return np.zeros((2, len(moved), sides.shape[1]))
    squares = np.divide(moved, weight, out=np.zeros_like(moved), where=weight > 0) ** 2
    return np.stack([squares, squares**2]) @ (sides * weight[:, None])


def _sides(batch: Batch, truth: Array) -> Array:
    """On which side each row is: positive, or any other."""
    positive = np.zeros(len(truth), dtype=bool) if batch.positive is None else truth == batch.positive
    return np.stack([positive, ~positive], axis=1).astype(float)


def _weighed(moved: Array, weight: Array | None) -> Array:
    return moved if weight is None else moved * weight


def _of_labels(
    moves: Sequence[Moves], batches: Sequence[Batch], other: int, weight: Array | None
) -> tuple[Array, Array]:
    """Sums of powers, `even` ones behind, and the largest of how far rows move the metrics of labels.

    Rows that are alike are added up at once.
    """
    first, second = batches[0], batches[other]
    count, classes = len(moves[0].cells), moves[0].classes
    if not count or first.prediction is None or second.prediction is None:
        return np.zeros((POWERS + 2, count, 2)), np.zeros(count)
    line = (first.truth.astype(np.int64) * classes + second.prediction) * classes + first.prediction
    if classes**3 > COUNTED:
        cells, line = np.unique(line, return_inverse=True)
    else:
        cells = np.arange(classes**3)
    masses = np.stack(
        [np.bincount(line, None if weight is None else weight**power, len(cells)) for power in range(1, POWERS + 1)]
    )
    truth, said = np.divmod(cells, classes**2)
    one, two = (own.cells if own.left_out is None else own.left_out for own in (moves[other], moves[0]))
    apart = one[:, truth * classes + said // classes] - two[:, truth * classes + said % classes]
    sides = _sides(first, truth)
    largest = np.abs(apart[:, masses[0] > 0]).max(axis=1, initial=0.0) * (
        1.0 if weight is None else float(weight.max())
    )
    sums = _powers(apart) @ (sides * masses[:, :, None])
    return np.concatenate([sums, _even(apart * masses[0], None if weight is None else masses[0], sides)]), largest


def _judged(models: Models, batches: Sequence[Batch], rest: Sequence[Array], weight: Array | None) -> Array:
    """How far each row moves the value that judges all models together, a line per model."""
    judge, of_labels = models.judge, len(models.moves[0].cells)
    if judge is None:
        return np.zeros((len(batches), 0))
    if judge >= of_labels:
        return np.stack([moved[judge - of_labels] for moved in rest])
    own = [moves.of_labels(batch)[judge] for moves, batch in zip(models.moves, batches, strict=True)]
    return _weighed(np.stack(own), weight)


@dataclass(frozen=True, kw_only=True, eq=False)
class TellingUnits:
    """The work on chunks, where rows share units: chunks to a line per unit with how far its rows move everything.

    Columns are `d<model> <metric>` for the differences, `j<model>` for what judges all models together, `x<model>`, the
    rows of which the model says something else than the baseline, and `SIDES` for the weight of the unit's rows. For
    how far rows move differences by unit of weight there are, with the name of a side behind, `e<model> <metric>`, sums
    of w u^2, and `squared`, those of w^2.
    """

    models: Models

    def __call__(self, chunks: Iterable[Chunk]) -> Any:
        standing = [moves.standing() for moves in self.models.moves]
        return summed_by_unit(self._table(some, standing) for some in self.models.coded(chunks))

    def _table(self, some: Sequence[CodedChunk], standing: Sequence[Array]) -> Any:
        """The sums by unit of one chunk."""
        names, unit = numbered(some[0].unit)
        total: dict[str, Array] = {}
        for where in parts(some[0].batch.rows):
            columns = _columns(self.models, [one.batch.part(where) for one in some], standing)
            for name, column in columns.items():
                added = np.bincount(unit[where], column, len(names))
                total[name] = total[name] + added if name in total else added
        return unit_table(names, total)


def _columns(models: Models, batches: Sequence[Batch], standing: Sequence[Array]) -> dict[str, Array]:
    """How far each row moves every difference, and everything else that is added up by unit."""
    moves, first = models.moves, batches[0]
    weight = moves[0].weights(first)
    moved = [
        _weighed(np.concatenate([own.of_labels(batch), own.of_the_rest(batch, where)]), weight)
        for own, batch, where in zip(moves, batches, standing, strict=True)
    ]
    found: dict[str, Array] = {}
    sides = _sides(first, first.truth).T
    for other in range(1, len(batches)):
        for metric, column in enumerate(moved[other] - moved[0]):
            found[f"d{other} {metric}"] = column
            even = column**2 if weight is None else np.divide(column**2, weight, np.zeros(first.rows), where=weight > 0)
            found |= {f"e{other} {metric} {name}": even * side for name, side in zip(SIDES, sides, strict=True)}
        found[f"x{other}"] = np.zeros(first.rows)
        if moves[0].says and moves[other].says:
            found[f"x{other}"] += first.prediction != batches[other].prediction
    for name, side in zip(SIDES, sides, strict=True):
        found[name] = _weighed(side, weight)
        found[f"squared {name}"] = _weighed(found[name], weight)
    if models.judge is not None:
        found |= {f"j{model}": own[models.judge] for model, own in enumerate(moved)}
    return found
