"""A count per truth and prediction: enough for every label metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from heldout import weights
from heldout.batch import Array, Batch
from heldout.tallies import Drawn, Sums, effective_units, joined, of_blocks, worth_of_classes
from heldout.tallies.score_sort import parts

NAMES = ("tp", "fp", "fn", "tn")
CELLS = {"tp": 0, "fn": 1, "fp": 2, "tn": 3}
"""Where a row is: 2 if it is not of the class, and 1 if it was not said to be."""


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """One table of four counts per class, the tables drawn independently of each other."""

    counts: Array
    """One line (TP, FP, FN, TN) per class."""

    clustered = False
    weighted = False

    def __add__(self, other: ClassCounts) -> ClassCounts:
        return ClassCounts(self.counts + other.counts)

    @property
    def sums(self) -> Sums:
        return dict(zip(NAMES, self.counts.T, strict=True))

    @property
    def squares(self) -> Sums:
        return self.sums

    @property
    def units(self) -> int:
        return int(self.counts.sum())

    @property
    def lines(self) -> Array:
        return self.counts.ravel()

    def influence(self, gradient: Sums) -> Array:
        shape = (len(self.counts),)
        slopes = [np.broadcast_to(gradient.get(name, 0.0), shape) for name in NAMES]
        return np.stack(slopes, axis=1).ravel()

    def variance(self, gradient: Sums) -> float:
        return float(self.lines @ self.influence(gradient) ** 2)

    def drawn(self, draws: int, seed: int) -> list[Drawn]:
        def made() -> Sums:
            rng = np.random.default_rng(seed)
            tables = [rng.multinomial(int(line.sum()), line / line.sum(), size=draws) for line in self.counts]
            block = np.stack(tables, axis=1)
            return {name: block[:, :, i] for i, name in enumerate(NAMES)}

        return [made]


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Rows by who has them right."""

    table: Array
    """A line per class: how many rows both models have right, the first alone, the second alone, none."""
    differ: bool
    """Whether the models say different things of any row, right or wrong."""

    def __add__(self, other: Agreement) -> Agreement:
        """Both parts."""
        return Agreement(table=self.table + other.table, differ=self.differ or other.differ)

    def side(self, positive: int, *, is_positive: bool) -> Array:
        """The line of the positive class, or that of all others."""
        chosen: Array = self.table[positive]
        return chosen if is_positive else self.table.sum(axis=0) - chosen


def tally_agreement(first: Batch, second: Batch) -> Agreement:
    """Count the rows of each class by who has them right.

    >>> truth = np.array([1, 1, 0])
    >>> one = Batch(task="binary", truth=truth, prediction=np.array([1, 0, 0]), labels=(0, 1))
    >>> other = Batch(task="binary", truth=truth, prediction=np.array([1, 1, 1]), labels=(0, 1))
    >>> tally_agreement(one, other).table.tolist()
    [[0, 1, 0, 0], [1, 0, 1, 0]]
    """
    assert first.prediction is not None
    assert second.prediction is not None
    place = 4 * first.truth.astype(np.int64) + 2 * (first.prediction != first.truth)
    place += second.prediction != first.truth
    table = np.bincount(place, minlength=4 * len(first.labels)).reshape(-1, 4)
    return Agreement(table=table, differ=not np.array_equal(first.prediction, second.prediction))


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Lines of rows that are alike: same truth, same prediction, same weight and, where rows share units, same unit."""

    classes: int
    truth: Array
    prediction: Array
    rows: Array
    """How many rows each line stands for."""
    weight: Array | None = None
    unit: Array | None = None
    units: int = 0

    def __add__(self, other: Cells) -> Cells:
        """Both parts; their units are different units."""
        return Cells(
            classes=self.classes,
            truth=np.concatenate([self.truth, other.truth]),
            prediction=np.concatenate([self.prediction, other.prediction]),
            rows=np.concatenate([self.rows, other.rows]),
            weight=joined(self.weight, other.weight),
            unit=joined(self.unit, other.unit, self.units),
            units=self.units + other.units,
        )

    @property
    def clustered(self) -> bool:
        return self.unit is not None

    @property
    def weighted(self) -> bool:
        return self.weight is not None

    def worth(self, names: Sequence[str] = (), label: int | None = None) -> float:
        """How many units of equal size the rows in some cells of a class are worth; all rows, without names."""
        if self.unit is None:
            return float(self.units)
        key = (frozenset(names), label)
        if key not in self._worth:
            mass = self._mass(1)
            if names and label is not None:
                place = 2 * (self.truth != label) + (self.prediction != label)
                mass = mass * np.isin(place, [CELLS[name] for name in names])
            self._worth[key] = effective_units(np.bincount(self.unit, mass, self.units), self.units)
        return self._worth[key]

    def worth_by_class(self, names: Sequence[str]) -> Array:
        """The same of every class; `names` are those of rows that are of the class, said to be, or both."""
        assert self.unit is not None
        actual, mass = "fn" in names, self._mass(1)
        unit, code = self.unit, self.truth if actual else self.prediction
        if actual and "fp" in names:
            wrong = self.truth != self.prediction
            unit, mass = np.concatenate([unit, unit[wrong]]), np.concatenate([mass, mass[wrong]])
            code = np.concatenate([code, self.prediction[wrong]])
        return worth_of_classes(unit, code, mass, self.classes)

    @cached_property
    def _worth(self) -> dict[tuple[frozenset[str], int | None], float]:
        """What was asked already: many metrics rest on the same rows."""
        return {}

    @property
    def lines(self) -> Array:
        return np.ones(self.units) if self.clustered else self.rows

    @property
    def counts(self) -> Array:
        """The confusion matrix: truth by row, prediction by column."""
        place = self.truth * self.classes + self.prediction
        filled = np.bincount(place, weights=self._mass(1), minlength=self.classes**2)
        return filled.reshape(self.classes, self.classes)

    @cached_property
    def sums(self) -> Sums:
        return self._at(self._mass(1)[None])

    @cached_property
    def squares(self) -> Sums:
        return self.sums if self.weight is None else self._at(self._mass(2)[None])

    def influence(self, gradient: Sums) -> Array:
        """How far one row of each line moves the value, weight included; per unit where rows share units."""
        moved = self._slopes(gradient)
        if self.weight is not None:
            moved = moved * self.weight
        return moved if self.unit is None else np.bincount(self.unit, weights=moved * self.rows, minlength=self.units)

    def variance(self, gradient: Sums) -> float:
        if not self.clustered:
            return float(self.rows @ self.influence(gradient) ** 2)
        n = self.units
        return float(n / (n - 1) * np.sum(self.influence(gradient) ** 2)) if n > 1 else float("nan")

    def drawn(self, draws: int, seed: int) -> list[Drawn]:
        cells = self._in_order
        return of_blocks(weights.bootstrap(cells.lines, draws, [seed]), cells.at)

    @property
    def _in_order(self) -> Cells:
        """Lines, or units where rows share them, in an order that hangs on what they hold."""
        ranks = class_ranks(self.classes, self.truth, self.prediction, rows=self.rows)
        place = ranks[self.truth] * self.classes + ranks[self.prediction]
        if self.unit is not None:
            order = weights.cluster_order(place, self._mass(1), self.unit, self.units)
            return replace(self, unit=weights.places(order)[self.unit])
        weight = () if self.weight is None else (self.weight,)
        order = weights.content_order(place, self.rows, *weight)
        return replace(
            self,
            truth=self.truth[order],
            prediction=self.prediction[order],
            rows=self.rows[order],
            weight=None if self.weight is None else self.weight[order],
        )

    def at(self, block: Array) -> Sums:
        """The sums if each line (or unit, where rows share units) counted block[d] times, for every resample d."""
        mass = block if self.unit is None else block[:, self.unit] * self.rows
        return self._at(mass if self.weight is None else mass * self.weight)

    def against_rest(self, label: int) -> Cells:
        """The same rows with two classes: the others (0) and the label (1)."""
        truth, prediction = (self.truth == label).astype(np.int64), (self.prediction == label).astype(np.int64)
        return replace(self, classes=2, truth=truth, prediction=prediction)

    def smoothed(self, each: float = 1.0) -> Cells:
        """The same with half a unit more in every cell, of which each counts as much as so many rows."""
        truth, prediction = np.divmod(np.arange(self.classes**2), self.classes)
        added = Cells(
            classes=self.classes,
            truth=truth,
            prediction=prediction,
            rows=np.full(len(truth), 0.5 * (each if self.weight is None else 1.0)),
            weight=None if self.weight is None else np.full(len(truth), each),
            unit=None if self.unit is None else np.arange(len(truth)),
            units=len(truth) if self.clustered else 0,
        )
        return self + added

    def _mass(self, power: int) -> Array:
        return self.rows if self.weight is None else self.rows * self.weight**power

    def _at(self, mass: Array) -> Sums:
        """True and false positives and negatives of each class, for every line of masses."""
        right = self.truth == self.prediction
        wrong = ~right
        # added up, not subtracted: weights that cancel would leave a last digit where there is no row
        hits = _by_class(mass[:, right], self.truth[right], self.classes)
        missed = _by_class(mass[:, wrong], self.truth[wrong], self.classes)
        false = _by_class(mass[:, wrong], self.prediction[wrong], self.classes)
        if self.classes == 2:  # what one class has right, the other rightly does not say
            rest = hits[:, ::-1]
        else:
            total = mass.sum(axis=1, keepdims=True)
            rest = total - hits - missed - false
            rest = np.where(rest < ROUNDING * total, 0.0, rest)
        found = {"tp": hits, "fp": false, "fn": missed, "tn": rest}
        return found if len(mass) > 1 else {name: part[0] for name, part in found.items()}

    def _slopes(self, gradient: Sums) -> Array:
        """What a row of each line adds to the value.

        Its class is hit or missed, the class it was given is hit or wrongly said, all others are rightly not said.
        """
        none = np.zeros(self.classes)
        slope = {name: gradient[name] + none if name in gradient else none for name in ("tp", "fp", "fn", "tn")}
        right = self.truth == self.prediction
        quiet = slope["tn"].sum() - slope["tn"][self.truth]
        missed = slope["fn"][self.truth] + slope["fp"][self.prediction] - slope["tn"][self.prediction]
        return quiet + np.where(right, slope["tp"][self.truth], missed)


def tally_cells(
    truth: Array, prediction: Array, classes: int, weight: Array | None = None, unit: Array | None = None
) -> Cells:
    """Count rows by truth and prediction (given as positions 0..classes-1).

    >>> cells = tally_cells(np.array([1, 1, 0]), np.array([1, 0, 0]), 2)
    >>> cells.counts.tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    if weight is None and unit is None and classes <= MANY_CLASSES:
        counted = _counted(truth, prediction, classes)
        place = np.flatnonzero(counted)
        rows = counted[place].astype(float)
    else:
        place = truth.astype(np.int64) * classes + prediction
        rows = np.ones(len(place))
    if weight is None and unit is not None:
        lines, alike = np.unique(unit * classes**2 + place, return_counts=True)
        unit, place, rows = lines // classes**2, lines % classes**2, alike.astype(float)
    elif weight is None and classes > MANY_CLASSES:
        place, alike = np.unique(place, return_counts=True)
        rows = alike.astype(float)
    units = int(unit.max(initial=-1)) + 1 if unit is not None else round(float(rows.sum()))
    return Cells(
        classes=classes,
        truth=place // classes,
        prediction=place % classes,
        rows=rows,
        weight=weight,
        unit=unit,
        units=units,
    )


def class_ranks(classes: int, truth: Array, *predictions: Array, rows: Array | None = None) -> Array:
    """A rank for each class that hangs on its counts and not on its name; on its place where counts are alike.

    >>> class_ranks(2, np.array([0, 1, 1]), np.array([0, 1, 0])).tolist()
    [0, 1]
    >>> class_ranks(2, np.array([1, 0, 0]), np.array([1, 0, 1])).tolist()
    [1, 0]
    """
    mass = np.ones(len(truth)) if rows is None else rows
    counts = [np.bincount(truth, weights=mass, minlength=classes)]
    for said in predictions:
        counts.append(np.bincount(said, weights=mass, minlength=classes))
        counts.append(np.bincount(truth, weights=mass * (said == truth), minlength=classes))
    keys, ranks = np.unique(np.stack(counts, axis=1), axis=0, return_inverse=True)
    found: Array = ranks.reshape(-1) if len(keys) == classes else np.arange(classes)
    return found


def _counted(truth: Array, prediction: Array, classes: int) -> Array:
    """Rows of each pair of classes, part by part so that what is in between stays in the cache."""

    def counts(part: slice) -> Array:
        place = truth[part].astype(np.int64)
        place *= classes
        place += prediction[part]
        return np.bincount(place, minlength=classes**2)

    return np.sum([counts(part) for part in parts(len(truth))], axis=0)


ROUNDING = 1e-14
"""True negatives that weigh less than this share of all rows are none."""
MANY_CLASSES = 2000
"""Above this a table of all pairs of classes would be larger than the rows are likely to fill."""


def cells_of_counts(counts: Array) -> Cells:
    """A confusion matrix (truth by row, prediction by column) as a tally."""
    truth, prediction = np.nonzero(counts)
    rows = counts[truth, prediction].astype(float)
    return Cells(classes=len(counts), truth=truth, prediction=prediction, rows=rows, units=round(float(rows.sum())))


def cells_of_sums(sums: Array, squares: Array | None, rows: int) -> Cells:
    """Sums of weights and of squared weights by truth and prediction as a tally.

    A cell counts as rows of equal weight that have the same two sums: all sums and variances come out as from the rows
    themselves.

    >>> cells = cells_of_sums(np.array([[4.0, 0.0], [0.0, 1.0]]), np.array([[8.0, 0.0], [0.0, 1.0]]), 3)
    >>> cells.sums["tp"].tolist(), cells.squares["tp"].tolist()
    ([4.0, 1.0], [8.0, 1.0])
    """
    if squares is None:
        return cells_of_counts(sums)
    truth, prediction = np.nonzero(sums)
    total, heavy = sums[truth, prediction], squares[truth, prediction]
    return Cells(
        classes=len(sums),
        truth=truth,
        prediction=prediction,
        rows=total**2 / heavy,
        weight=heavy / total,
        units=rows,
    )


def _by_class(mass: Array, code: Array, classes: int) -> Array:
    """Masses added up by class, for every resample: one pass over lines sorted by class."""
    totals = np.zeros((len(mass), classes))
    if len(code):
        order = np.argsort(code, kind="stable")
        present, starts = np.unique(code[order], return_index=True)
        added: Array = np.add.reduceat(mass[:, order], starts, axis=1)
        if len(present) == classes:
            return added
        totals[:, present] = added
    return totals
