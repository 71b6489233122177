"""A metric computed on a tally: its value, the influence of each unit, and its values in resamples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite
from typing import Any, TypeVar, cast
from zlib import crc32

import numpy as np

from heldout.batch import Array, TimeOrder
from heldout.formulas import METRICS, Metric
from heldout.intervals import Interval
from heldout.intervals.long_run import LongRun, long_run
from heldout.intervals.resampling import (
    basic as basic_interval,
    bca as bca_interval,
    percentile as percentile_interval,
    unresolved,
)
from heldout.intervals.scales import critical_t, critical_z
from heldout.intervals.unit_spread import Carriers, carriers, fewest_of, hidden_by_weights
from heldout.tallies import Clustered, Listed, Summed, Tally
from heldout.tallies.cells import Cells, cells_of_counts
from heldout.tallies.grouped_cells import GroupedCells
from heldout.tallies.reliability import Reliability
from heldout.tallies.score_columns import ScoreColumns
from heldout.tallies.units import COUNTS, Units

Form = TypeVar("Form")


def percentile(asked: Question) -> Answer:
    """The middle of the drawn values [efron79]."""
    return _answer(asked, percentile_interval(asked.drawn, asked.level), "bootstrap percentile")


def basic(asked: Question) -> Answer:
    """The value's distance to the drawn values, turned around [davison97]."""
    return _answer(asked, basic_interval(asked.value, asked.drawn, asked.level), "bootstrap basic")


def bca(asked: Question) -> Answer:
    """Percentile interval corrected for bias and for how the spread changes with the value [efron87]."""
    if not isfinite(asked.value):  # no unit moves it by a finite amount
        answer = percentile(asked)
        return replace(answer, notes=(*answer.notes, "BCa needs a finite value, so this is a percentile interval"))
    lines = asked.listed.lines
    influence = asked.listed.influence(asked.gradient)
    # lines that stand for several units count as often in the skewness
    weighed = influence if np.all(lines == 1) else np.repeat(influence, lines.astype(int))
    return _answer(asked, bca_interval(asked.value, asked.drawn, weighed, asked.level), "bootstrap BCa")


def _answer(asked: Question, ends: tuple[float, float], method: str) -> Answer:
    low, high = asked.metric.range
    kept = len(asked.drawn)
    notes = (
        []
        if kept == asked.draws
        else [f"{asked.draws - kept} of {asked.draws} resamples were undefined and were left out"]
    )
    if asked.tally.units < 30:
        notes.append(f"the bootstrap is too narrow at {asked.tally.units} units")
    notes += unresolved(kept, asked.level)
    if ends[0] == ends[1]:
        notes.append("all resamples gave the same value: the interval says nothing")
    return Answer(
        interval=(max(ends[0], low), min(ends[1], high)),
        method=f"{method}, {asked.draws} resamples",
        notes=tuple(notes),
        resampled=True,
    )


ALL_ROWS: tuple[tuple[tuple[str, ...], int | None], ...] = (
    (("tp", "fp", "fn", "tn"), 0),
    (("positives", "negatives"), None),
    *(((name,), None) for name in COUNTS),
)
"""Sums of a class that add up to all rows."""
ROUNDING = 1e-13
"""How much of its range a value may lie off an end by rounding."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An interval, the words for how it was found, and what a reader must know."""

    interval: Interval
    method: str
    notes: tuple[str, ...] = ()
    count: tuple[float, float] | None = None
    """Of a share: how many, of how many."""
    guaranteed: Interval | None = None
    """An interval that covers at least as often as it says, shown beside the default where rows are few."""
    resampled: bool = False
    """Whether its ends are quantiles of resamples: levels near 1 then all give the same interval."""
    long_run: LongRun | None = None
    """Where units are times: the variance behind the interval, and how times depend on each other."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked: a metric on a tally, of one class or target where `label` is given, at a level."""

    metric: Metric
    tally: Tally
    level: float
    label: int | None = None
    draws: int = 2000
    seed: int = 0
    time: TimeOrder | None = None
    """Where units are times in order, which depend on those before."""
    moved: Array | None = None
    """How far each unit moves the value, where the tally alone does not tell."""
    stand_in: bool = True
    """Whether another interval is shown where a method asked for by name has no width. The simulations count the method
    itself, which then misses."""

    @property
    def summed(self) -> Summed:
        """The tally, of a metric that is a formula on sums."""
        return cast("Summed", self.tally)

    @property
    def listed(self) -> Listed:
        """The same, where units are listed and not only summed."""
        return cast("Listed", self.tally)

    def form(self, _form: type[Form]) -> Form:
        """The tally as the form that metrics of this kind read (`Metric.reads`); for type checkers."""
        return cast("Form", self.tally)

    @cached_property
    def sums(self) -> Mapping[str, Array]:
        return self._picked(self.summed.sums)

    @cached_property
    def squares(self) -> Mapping[str, Array]:
        return self._picked(self.summed.squares)

    @cached_property
    def value(self) -> float:
        if self.metric.reads == "scores" and not (self.sums["positives"].any() and self.sums["negatives"].any()):
            return float("nan")  # one class only: there is nothing to rank
        return float(self._snapped(np.array([self.metric(self.sums)], dtype=float))[0])

    @cached_property
    def gradient(self) -> dict[str, Array]:
        """The derivative of the value by the tally's sums."""
        slopes = self.metric.slopes
        if slopes is not None:
            return slopes(self.sums["positives"], self.sums["negatives"])
        return self.spread(self.metric.gradient(self.sums))

    @cached_property
    def variance(self) -> float:
        with np.errstate(invalid="ignore", over="ignore"):
            if self.time is not None:
                found = self.long_run.variance
            else:
                found = self._of_one_table() if self._is_one_table else self.summed.variance(self.gradient)
            found = found * self.unseen + self.hidden
        return float(found) if isfinite(found) else float("nan")

    @property
    def unseen(self) -> float:
        """How much too small the variance of clusters is where few carry the value: 1 / seen, for n / (n - 1)."""
        units = self.tally.units
        if not self.tally.clustered or units < 2 or self.carriers.fewest == inf:
            return 1.0
        return (units - 1) / units / max(self.carriers.seen, 1e-6)

    @cached_property
    def hidden(self) -> float:
        """The variance that rows of unequal weight may not show; of each class by itself, as weights may belong to it.

        Of what is a mean over all rows, an error rate as well as a cost: of all rows together.

        Areas and average precisions have a variance that is expected of their effective rows instead. Ratios of losses
        do not tell what a row weighs: one with a loss of zero is not light.
        """
        tally = self.tally
        if not tally.weighted or tally.clustered or not isinstance(tally, Cells | Units):
            return 0.0
        if isinstance(tally, Units) and not set(COUNTS) & set(self.metric.needs):
            return 0.0
        moved, sizes = tally.influence(self.gradient), self.sizes
        if isinstance(tally, Units) or self.metric.of_all_rows or self.metric.rests_on == "all rows":
            return hidden_by_weights(moved, sizes, tally.lines) if sizes.ndim == 1 else 0.0
        classes = [tally.truth == k for k in np.unique(tally.truth)]
        return sum(hidden_by_weights(moved[part], sizes[part], tally.lines[part]) for part in classes)

    @property
    def sizes(self) -> Array:
        """What a row of each line weighs; of a ratio of losses, what it adds below the line."""
        if isinstance(self.tally, Cells):
            return np.ones(len(self.tally.rows)) if self.tally.weight is None else self.tally.weight
        needs = self.metric.needs
        return self.form(Units).added[next((name for name in needs if name in COUNTS), needs[-1])]

    @cached_property
    def long_run(self) -> LongRun:
        """The variance of the value where times depend on those before."""
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):  # an undefined value has no influence
            moved = self.listed.influence(self.gradient) if self.moved is None else self.moved
        return long_run(moved, None if self.time is None else self.time.horizon)

    @property
    def _is_one_table(self) -> bool:
        return self.label is not None and self.metric.reads == "labels" and self.independent

    def _of_one_table(self) -> float:
        """The variance where rows differ in nothing but the cell of the class's table that they are in."""
        slopes = self.metric.gradient(self.sums)
        return float(sum(self.sums[name] * slope**2 for name, slope in slopes.items()))

    @property
    def wide_variance(self) -> float:
        """The variance, raised where rows share units so that a normal quantile pays for how few units there are."""
        return self.widened(self.variance)

    @property
    def df(self) -> float:
        """Degrees of freedom of the variance: units less one; clusters of unequal size are worth fewer [carter17]."""
        if not self.tally.clustered:
            return self.tally.units - 1
        # at least one, so that an interval stays finite
        least = min(self.tally.units - 1, 1)
        if self.time is not None:
            few = self.carriers.df if self.carriers.fewest < inf else inf
            return max(min(few, self.long_run.df), min(self.long_run.df, least))
        return max(min(self.carriers.df, self.tally.units - 1), least)

    @cached_property
    def carriers(self) -> Carriers:
        """The clusters, or the rows of unequal weight, that carry the value.

        A specificity of 60 patients of whom one has all the negative rows rests on one patient.
        """
        every = self.effective_units
        return fewest_of(carriers(worth, every) for worth in self._worth_of_carriers())

    @cached_property
    def effective_units(self) -> float:
        """How many clusters of equal size, or rows of equal weight, all rows are worth."""
        return self._worth()

    def _worth_of_carriers(self) -> list[Array]:
        """How many units each kind of rows is worth that the value rests on; each list by itself."""
        named = self.metric.carriers
        if self.label is not None or self.metric.reads in ("scores", "reliability"):
            return [np.array([self._worth(names, self.label) for names in named])]
        if getattr(self.tally, "classes", 0) == 2 and self.metric.reads == "labels":
            each = [np.array([self._worth(names, label) for label in (0, 1)]) for names in named]
            return each or [np.zeros(0)]
        if self.metric.interval == "correlation" or not named:  # of more classes, it weighs by their rows
            return [np.zeros(0)]
        return [np.concatenate([self._worth_by_class(names) for names in named])]

    def _worth(self, names: tuple[str, ...] = (), label: int | None = None) -> float:
        """How many clusters, or rows, of equal size some rows are worth; all rows, without names."""
        if self.tally.clustered or isinstance(self.tally, ScoreColumns | Reliability):
            return cast("Clustered", self.tally).worth(names, label) if hasattr(self.tally, "worth") else inf
        if not names:
            known = self.summed.sums
            names, label = next((all_of for all_of in ALL_ROWS if set(all_of[0]) <= set(known)), ((), None))
        if not self.tally.weighted or not names:
            return float(self.tally.units)
        total, squares = (
            sum(float(np.sum(part[name] if label is None else part[name][..., label])) for name in names)
            for part in (self.summed.sums, self.summed.squares)
        )
        return total**2 / squares if squares > 0 else inf

    def _worth_by_class(self, names: tuple[str, ...]) -> Array:
        """The same of every class."""
        if self.tally.clustered or isinstance(self.tally, ScoreColumns):
            return cast("Clustered", self.tally).worth_by_class(names)
        total, squares = (
            np.sum([part[name] for name in names], axis=0) for part in (self.summed.sums, self.summed.squares)
        )
        return np.divide(total**2, squares, out=np.full(len(total), inf), where=squares > 0)

    def widened(self, variance: float) -> float:
        """A variance over few units, raised by the squared ratio of Student's and the normal quantile."""
        if not self.tally.clustered:
            return variance
        ratio = critical_t(self.level, self.df) / critical_z(self.level)
        return variance * min(ratio, 1e6) ** 2

    @cached_property
    def drawn(self) -> Array:
        """Values in resamples of units with replacement; undefined ones are left out."""
        blocks = self.summed.drawn(self.draws, self.seed)
        # numpy lets other threads run while it works, and every block has its own seed
        with ThreadPoolExecutor(1 if len(blocks) < 4 else None) as pool:
            values = np.concatenate(list(pool.map(lambda sums: self.metric(self._picked(sums())), blocks)))
        return self._snapped(values[np.isfinite(values)])

    @property
    def rng(self) -> np.random.Generator:
        """The same numbers for the same seed and metric, whatever else is asked and whatever the class is called."""
        return np.random.default_rng([self.seed, crc32(self.metric.name.encode())])

    @property
    def independent(self) -> bool:
        """Whether every row is drawn by itself and counts the same."""
        return not (self.tally.clustered or self.tally.weighted)

    @property
    def design(self) -> str:
        """Words to add to a method's name where rows share units or have weights."""
        if self.time is not None:
            return ", HAC"
        if self.tally.clustered:
            return ", clustered"
        return ", weighted" if self.tally.weighted else ""

    @cached_property
    def behind(self) -> Question:
        """The same question about the metric that this one is a function of."""
        assert self.metric.via is not None
        return self.about(METRICS[self.metric.via[0]])

    def at_level(self, level: float) -> Question:
        """The same question at another level; what does not depend on the level is not computed again."""
        other = replace(self, level=level)
        known = {name: fact for name, fact in self.__dict__.items() if name not in self.__dataclass_fields__}
        if "behind" in known:
            known["behind"] = self.behind.at_level(level)
        other.__dict__.update(known)
        return other

    def about(self, metric: Metric, **changes: Any) -> Question:
        """The same question about another metric."""
        facts = {"tally": self.tally, "level": self.level, "label": self.label, "draws": self.draws, "seed": self.seed,
                 "time": self.time, "stand_in": self.stand_in}  # fmt: skip
        return Question(metric=metric, **{**facts, **changes})

    def spread(self, gradient: Mapping[str, Array]) -> dict[str, Array]:
        """A gradient on one class's sums as a gradient on all sums."""
        if self.label is None:
            return dict(gradient)
        wide = {}
        for name, slope in gradient.items():
            total = np.zeros_like(np.asarray(self.summed.sums[name], dtype=float))
            total[..., self.label] = slope
            wide[name] = total
        return wide

    def smoothed(self) -> Question:
        """The same question with half a unit added to every cell, so that no cell is empty [haldane56].

        A unit is a row, or as much as a cluster or a row of unequal weight is on average: what 50 clusters lack is no
        less unsure because each of them has many rows.
        """
        table = self.form(Cells) if self.label is None else self._table()
        each = float(table.counts.sum()) / max(self.effective_units, 1.0)
        return self.about(self.metric, tally=table.smoothed(each), label=None if self.label is None else 1)

    def _table(self) -> Cells | GroupedCells:
        """The class against the rest: a table of two by two."""
        if isinstance(self.tally, Cells | GroupedCells):
            return self.tally.against_rest(self.label or 0)
        count = {name: float(part) for name, part in self.sums.items()}
        return cells_of_counts(np.array([[count["tn"], count["fp"]], [count["fn"], count["tp"]]]))

    @property
    def has_empty_cell(self) -> bool:
        """Whether the table of the class against the rest, or of two classes, has an empty cell."""
        cells = [np.asarray(part) for part in self.sums.values()]
        return all(cell.size <= 2 for cell in cells) and any(bool(np.any(cell == 0)) for cell in cells)

    def _snapped(self, values: Array) -> Array:
        """The end of the metric's range in place of values that only rounding separates from it."""
        low, high = self.metric.range
        if not isfinite(high - low):
            return values
        for end in (low, high):
            values = np.where(np.abs(values - end) <= ROUNDING * (high - low), end, values)
        return values

    def _picked(self, sums: Mapping[str, Array]) -> Mapping[str, Array]:
        if self.label is None or self.metric.reads in ("scores", "ordered"):
            return sums
        return {name: part[..., self.label] for name, part in sums.items()}


Method = Callable[[Question], Answer]
