"""One score column per class: rankings of classes against the rest, against each other, or all in one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import nan

import numpy as np

from heldout.batch import Array
from heldout.tallies import effective_units, worth_of_classes
from heldout.tallies.scores import tally_scores

MANY = 50_000
"""With more rows than this, how far rows move the areas is looked at in about so many of them, evenly spread."""


Formula = Callable[..., Array]
Slopes = Callable[..., dict[str, Array]]


@dataclass(frozen=True, kw_only=True)
class Contests:
    """The values of several rankings, how much each counts in their mean, and how far each row moves that mean."""

    values: Array
    sizes: Array
    """What the rankings weigh in the mean."""
    moved: Array
    """Of the rows looked at, weights included."""
    share: float = 1.0
    """Which share of the rows was looked at."""


@dataclass(frozen=True, kw_only=True)
class Contest:
    """One ranking: the rows and the column that take part, and which of the rows should rank high."""

    score: Array
    positive: Array
    weight: Array
    rows: Array
    """Which row each entry belongs to."""
    counted: Array
    """The rows that make the ranking weigh more, where rankings weigh by size."""


@dataclass(frozen=True, kw_only=True)
class ScoreColumns:
    """Truth (one label per row, or a 0/1 column per label) and a score column per class; weights and units."""

    truth: Array
    score: Array
    weight: Array | None = None
    unit: Array | None = None

    @property
    def classes(self) -> int:
        return int(self.score.shape[1])

    @property
    def units(self) -> int:
        return len(self.truth) if self.unit is None else int(self.unit.max()) + 1

    @property
    def clustered(self) -> bool:
        return self.unit is not None

    @property
    def weighted(self) -> bool:
        return self.weight is not None

    @cached_property
    def sizes(self) -> Array:
        """How many rows each class has; of labels, how many have it or have it not, whichever is less."""
        if self.truth.ndim == 2:
            set_on = self.truth.sum(axis=0)
            return np.minimum(set_on, len(self.truth) - set_on)
        return np.bincount(self.truth, minlength=self.classes)

    def worth(self, names: Sequence[str] = (), label: int | None = None) -> float:  # noqa: ARG002 all rows only
        """How many units of equal size all rows are worth."""
        unit = np.arange(len(self.truth)) if self.unit is None else self.unit
        return effective_units(np.bincount(unit, self.weight), self.units)

    def worth_by_class(self, names: Sequence[str]) -> Array:
        """How many units of equal size the rows are worth that are of each class, or not; infinite without any."""
        unit = np.arange(len(self.truth)) if self.unit is None else self.unit
        mass = np.ones(len(unit)) if self.weight is None else self.weight
        if self.truth.ndim == 1:
            return worth_of_classes(unit, self.truth, mass, self.classes)
        row, label = np.nonzero(self.truth if names == ("positives",) else 1 - self.truth)
        return worth_of_classes(unit[row], label, mass[row], self.classes)

    def contests(self, needs: tuple[str, ...], of: str, value: Formula, slopes: Slopes) -> Contests:
        """The values of all rankings behind a metric, and how far rows move their mean.

        `needs` are the names of the metric's sums: the first ends in the kind of rankings, and a second one, `sizes`,
        makes them weigh by size. `of` is the name of the metric of each ranking, whose formula and slopes follow.
        """
        kind, by_size = needs[0].partition("_")[2], "sizes" in needs
        key = (kind, by_size, of)
        if key not in self._held:
            plain = not (self.weighted or self.clustered) and self.truth.ndim == 1 and kind != "pooled"
            if plain and of == "roc_auc" and self.sizes.min() > 0:
                self._held[key] = self._even(kind, by_size=by_size)
            else:
                area = of != "average_precision"  # which is defined without negative rows, too
                self._held[key] = self._weighed(self._rankings(kind), value, slopes, by_size=by_size, area=area)
        return self._held[key]

    @cached_property
    def _held(self) -> dict[tuple[str, bool, str], Contests]:
        return {}

    def in_halves(self, k: int, value: Formula) -> float:
        """The mean value of the ranking of a class against the rest in two halves of the rows.

        A half has every other positive and every other negative row by falling score, so that the order in which rows
        were given does not matter; nan where a half has no positive row.
        """
        weight = np.ones(len(self.truth)) if self.weight is None else self.weight
        order = np.lexsort((weight, self.score[:, k]))[::-1]
        positive = self._has(k)[order]
        half = np.empty(len(order), dtype=bool)
        for hit in (True, False):
            half[positive == hit] = np.arange(np.count_nonzero(positive == hit)) % 2 == 0
        found = []
        for part in (half, ~half):
            rows = order[part]
            ranked = tally_scores(self.score[rows, k], positive[part], weight[rows])
            found.append(float(value(**ranked.sums)) if ranked.positives.any() else nan)
        return (found[0] + found[1]) / 2

    def _pairs(self, kind: str) -> Iterator[tuple[int, int | None]]:
        """The class that should score high, and the class that should score low; None: all others."""
        if kind == "one_vs_rest":
            yield from ((k, None) for k in range(self.classes))
        else:
            yield from permutations(range(self.classes), 2)

    def _rankings(self, kind: str) -> Iterator[Contest]:
        """The rankings of a kind, one by one."""
        rows, weight = np.arange(len(self.truth)), self.weight
        weight = np.ones(len(rows)) if weight is None else weight
        if kind == "pooled":
            yield Contest(
                score=self.score.ravel(),
                positive=np.stack([self._has(k) for k in range(self.classes)], axis=1).ravel(),
                weight=np.repeat(weight, self.classes),
                rows=np.repeat(rows, self.classes),
                counted=rows,
            )
            return
        for k, other in self._pairs(kind):
            part = rows if other is None else np.flatnonzero((self.truth == k) | (self.truth == other))
            positive = self._has(k)[part]
            counted = part[positive] if other is None else part
            yield Contest(score=self.score[part, k], positive=positive, weight=weight[part], rows=part, counted=counted)

    def _has(self, k: int) -> Array:
        return self.truth[:, k] == 1 if self.truth.ndim == 2 else self.truth == k

    def _sorted(self, of: int | None, by: int) -> Array:
        """The scores for class `by` of the rows of class `of` (None: of all others), rising."""
        return np.sort(self.score[self.truth != by if of is None else self.truth == of, by])

    def _weighed(
        self, rankings: Iterator[Contest], value: Formula, slopes: Slopes, *, by_size: bool, area: bool
    ) -> Contests:
        """Row by row, for any metric of order, and for rows that have weights or share units."""
        weight = np.ones(len(self.truth)) if self.weight is None else self.weight
        mean = _Mean(len(self.truth), by_size=by_size)
        for one in rankings:
            order = tally_scores(one.score, one.positive, one.weight)
            assert order.order is not None
            if not order.positives.any() or (area and not order.negatives.any()):
                mean.add(nan, 0.0, slice(None), 0.0, 0.0)
                continue
            moved = np.bincount(
                one.rows[order.order], weights=order.influence(slopes(**order.sums)), minlength=len(self.truth)
            )
            mean.add(
                float(value(**order.sums)), float(weight[one.counted].sum()), slice(None), moved,
                np.bincount(one.counted, weights=weight[one.counted], minlength=len(self.truth)),
            )  # fmt: skip
        return mean.contests(1.0)

    def _even(self, kind: str, *, by_size: bool) -> Contests:
        """Rows of equal weight: placements of the rows looked at among the sorted scores of the other class.

        Contests do not touch each other, and sorting lets other threads run: they are held side by side.
        """
        step = max(len(self.truth) // MANY, 1)
        score, truth = self.score[::step], self.truth[::step]

        def held(pair: tuple[int, int | None]) -> tuple[float, float, Array | slice, Array, Array]:
            k, other = pair
            low, high = self._sorted(other, k), self._sorted(k, k)
            area = _area(low, high)
            seen = slice(None) if other is None else (truth == k) | (truth == other)
            positive = truth[seen] == k
            size = len(high) if other is None else len(high) + len(low)
            counted = positive.astype(float) if other is None else np.ones(len(positive))
            return area, float(size), seen, _placements(score[seen, k], positive, low, high, area), counted

        mean = _Mean(len(truth), by_size=by_size)
        with ThreadPoolExecutor(1 if len(self.truth) < MANY else None) as pool:
            for one in pool.map(held, self._pairs(kind)):
                mean.add(*one)
        return mean.contests(len(truth) / len(self.truth))


class _Mean:
    """The mean of the values of rankings, gathered ranking by ranking, and how far rows move it."""

    def __init__(self, rows: int, *, by_size: bool) -> None:
        self.by_size = by_size
        self.values: list[float] = []
        self.sizes: list[float] = []
        self.moved = np.zeros(rows)
        """Sum over rankings of size times how far a row moves the value."""
        self.counted = np.zeros(rows)
        """Sum over rankings of what a row adds to the size."""
        self.counted_value = np.zeros(rows)
        """The same times the value."""

    def add(self, value: float, size: float, seen: Array | slice, moved: Array | float, counted: Array | float) -> None:
        """One more ranking: its value and size, and how far the rows that were seen move both."""
        self.values.append(value)
        self.sizes.append(size if self.by_size else 1.0)
        self.moved[seen] += moved * self.sizes[-1]
        if self.by_size:
            self.counted[seen] += counted
            self.counted_value[seen] += counted * value

    def contests(self, share: float) -> Contests:
        """The mean of all; a row moves it through the values, and through what the rankings weigh."""
        values, sizes = np.array(self.values), np.array(self.sizes)
        total = sizes.sum()
        mean = float(np.where(sizes == 0, 0.0, values * sizes).sum() / total) if total > 0 else nan
        moved = (self.moved + self.counted_value - self.counted * mean) / (total if total > 0 else nan)
        return Contests(values=values, sizes=sizes, moved=moved, share=share)


def _area(low: Array, high: Array) -> float:
    """Chance that one of `high` is above one of `low`, ties counting half; both sorted."""
    below = np.searchsorted(low, high, side="left").sum(dtype=np.int64) + np.searchsorted(low, high, side="right").sum(
        dtype=np.int64
    )
    return float(below / (2 * len(low) * len(high)))


def _placements(score: Array, positive: Array, low: Array, high: Array, area: float) -> Array:
    """DeLong's placements of some rows, centred and divided by the size of their class."""
    moved = np.empty(len(score))
    for chosen, others, own, sign in ((positive, low, len(high), 1.0), (~positive, high, len(low), -1.0)):
        mine = score[chosen]
        beaten = (np.searchsorted(others, mine, side="left") + np.searchsorted(others, mine, side="right")) / (
            2 * len(others)
        )
        placement = beaten if sign > 0 else 1 - beaten
        moved[chosen] = (placement - area) / own
    return moved
