"""Intervals of thousands of samples at once: drawn together, added up together, answered together.

The answers are those of the product's own functions (`vectorised_modules`). Samples that take different ways through
them are split; what cannot be answered for many samples is answered one by one, tables that are alike once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from heldout.batch import Array, Batch, Task, TimeOrder, differing_weights
from heldout.estimates.interval_choice import estimate
from heldout.formulas import MARK_METRICS, METRICS, Metric, metric as named_metric
from heldout.lab.rates.sample_arrays import Many, Numpy, OneByOne, Split
from heldout.lab.rates.vectorised_modules import vectorised
from heldout.lab.worlds import World
from heldout.tallies.cells import cells_of_counts
from heldout.tallies.from_batch import MARK_ROWS
from heldout.verbs.measurement import Measurement, with_row_values
from heldout.verbs.settings import Settings

FEW = 4
"""So few samples are answered one by one."""
WAYS = 48
"""At most so many ways through the code; what is left then is answered one by one."""
NUMBERS_AT_ONCE = 400_000
"""Numbers of some samples that are held together: they stay in the processor's cache."""
RESAMPLED_TOGETHER = 64
"""Samples that share one set of bootstrap resamples."""
LINES = 4096
"""Lines of a table of units or weights by truth and prediction up to which it is kept for many samples."""
NOT_FOR_MANY = (TypeError, ValueError, AttributeError, IndexError, KeyError, NotImplementedError, OneByOne)
"""What code raises that meets numbers of many samples and was not written for them."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of every sample."""

    level: float = 0.95
    side: Any = "two-sided"
    draws: int = 999
    cost: Array | None = None


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Samples of the same number of rows, one after the other in one batch; or tables of them."""

    count: int
    rows: int
    """Rows of one sample."""
    given: Batch | None = None
    tables: Array | None = None
    """Rows of each sample by truth and prediction, where that is all there is to know."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What a batch of these rows says of itself."""
    unit: Array | None = None
    """Which unit each row of a sample belongs to; the same in all samples."""
    asked: Asked = field(default_factory=Asked)

    @cached_property
    def batch(self) -> Batch:
        """All rows, sample after sample."""
        if self.given is not None:
            return self.given
        assert self.tables is not None
        cells = self.tables.shape[1] ** 2
        truth, prediction = np.divmod(np.arange(cells), self.tables.shape[1])
        which = np.repeat(np.tile(np.arange(cells), self.count), self.tables.ravel())
        task: Task = "binary" if self.tables.shape[1] == 2 else "multiclass"
        return Batch(task=task, truth=truth[which], prediction=prediction[which], **self.facts)

    @property
    def time(self) -> TimeOrder | None:
        """What is known of the order of rows; None where it does not matter."""
        return None if self.given is None else self.given.time

    def label(self, metric: Metric) -> int | None:
        """The class that a metric is about."""
        return self.facts.get("positive") if metric.one_class else None

    def one(self, at: int, metric: Metric) -> Any:
        """The product's own tally of one sample."""
        if self.tables is not None and metric.reads == "labels":
            return cells_of_counts(self.tables[at])
        return self.measured(at).tally(metric, self.label(metric))

    def measured(self, at: int) -> Measurement:
        """One sample as the product measures it."""
        if at not in self._measured:
            kept = self.batch.part(slice(at * self.rows, (at + 1) * self.rows))
            settings = Settings(level=self.asked.level, draws=self.asked.draws, cost=self.asked.cost)
            self._measured[at] = Measurement(replace(kept, unit=self.unit), settings)
        return self._measured[at]

    @cached_property
    def _measured(self) -> dict[int, Measurement]:
        return {}

    @cached_property
    def _together(self) -> Measurement:
        """All rows as one batch: what a row adds by itself does not depend on the sample it is in."""
        origin = None
        if self.batch.task == "regression":
            means = self.batch.truth.reshape(self.count, self.rows, *self.batch.truth.shape[1:]).mean(axis=1)
            origin = np.repeat(means, self.rows, axis=0)
        whole = Measurement(self.batch, Settings(level=self.asked.level, cost=self.asked.cost))
        whole.__dict__["batch"] = replace(self.batch, weight=None, unit=None, time=None, origin=origin)
        return whole

    @cached_property
    def _weight(self) -> Array | None:
        """Weights of mean one in every sample; None where rows weigh the same."""
        if self.tables is not None or differing_weights(self.batch.weight) is None:
            return None
        weight = np.asarray(self.batch.weight, dtype=float).reshape(self.count, self.rows)
        return weight / weight.mean(axis=1, keepdims=True)

    @cached_property
    def _unweighted(self) -> Array:
        """Samples among weighted ones whose rows happen to weigh the same: the product sees no weights there."""
        if self._weight is None:
            return np.zeros(self.count, dtype=bool)
        return np.asarray((self._weight == self._weight[:, :1]).all(axis=1))

    def many(self, metric: Metric, chosen: Array) -> Any:
        """The tally of the chosen samples together."""
        unweighted = self._unweighted[chosen]
        if unweighted.all() and self._weight is not None:
            raise OneByOne("samples whose rows weigh the same")
        if unweighted.any():
            raise Split(unweighted)
        if metric.reads == "labels" and self.classes:
            return self._cells(chosen)
        if metric.reads == "scores":
            return self._ranking(chosen)
        if metric.reads in ("labels", "marks", "losses", "numbers"):
            return self._units(metric, chosen)
        if metric.reads == "ordered" and self.unit is None and self._weight is None:
            sizes = np.sort(self._column(METRICS["mae"], "absolute_errors")[chosen], axis=1)
            return vectorised("heldout.tallies.from_batch").Ordered(values=Many(sizes), units=self.rows)
        raise OneByOne(metric.reads)

    def size(self, metric: Metric) -> int:
        """Numbers that the tally of one sample has, or its gradient needs."""
        if metric.reads == "labels" and self.classes:
            lines = 1 if self.unit is None and self._weight is None else self.rows
            return max(64 * self.classes**2, lines * self.classes**2)
        return self.rows * max(len(metric.needs), 1)

    @property
    def classes(self) -> int:
        """How many classes there are; 0 where rows have no label, or several."""
        if self.tables is not None:
            return int(self.tables.shape[-1])
        return len(self.batch.labels) if self.batch.task in ("binary", "multiclass") else 0

    def _cells(self, chosen: Array) -> Any:
        """Rows by truth and prediction; every cell is a line, whether it has rows or not."""
        cells = vectorised("heldout.tallies.cells").Cells
        size = self.classes
        truth, prediction = np.divmod(np.arange(size**2), size)
        if self.tables is not None:
            counts = self.tables.reshape(self.count, -1)[chosen]
            return cells(
                classes=size, truth=truth, prediction=prediction, rows=Many(counts.astype(float)), units=self.rows
            )
        if self.unit is None and self._weight is None:
            rows = _one_hot(self._places[chosen], size**2)
            return cells(classes=size, truth=truth, prediction=prediction, rows=Many(rows), units=self.rows)
        # a line per unit (or row that has a weight of its own), truth and prediction
        groups = np.arange(self.rows) if self._weight is not None else np.asarray(self.unit)
        lines = (int(groups.max()) + 1) * size**2
        if lines > LINES:
            raise OneByOne("too many lines")
        rows = _one_hot(groups * size**2 + self._places[chosen], lines)
        each = np.repeat(np.arange(lines // size**2), size**2)
        unit = None if self.unit is None else each if self._weight is None else np.asarray(self.unit)[each]
        return cells(
            classes=size,
            truth=np.tile(truth, lines // size**2),
            prediction=np.tile(prediction, lines // size**2),
            rows=Many(rows),
            weight=None if self._weight is None else Many(self._weight[chosen][:, each]),
            unit=unit,
            units=self.rows if unit is None else int(unit.max()) + 1,
        )

    @cached_property
    def plain_labels(self) -> bool:
        """Whether truth and prediction are all there is to know of a row, for metrics of labels."""
        return self.tables is not None or (bool(self.classes) and self.unit is None and self._weight is None)

    @cached_property
    def counts(self) -> Array:
        """Rows of each sample by truth and prediction."""
        if self.tables is not None:
            return self.tables
        size = self.classes
        return _one_hot(self._places, size**2).astype(np.int64).reshape(self.count, size, size)

    @cached_property
    def _places(self) -> Array:
        assert self.batch.prediction is not None
        place = self.batch.truth.astype(np.int64) * self.classes + self.batch.prediction
        return place.reshape(self.count, self.rows)

    def _units(self, metric: Metric, chosen: Array) -> Any:
        """What units add."""
        module = vectorised("heldout.tallies.units")
        names = [*MARK_ROWS] if metric.reads in ("labels", "marks") else metric.needs
        columns = {name: Many(self._column(metric, name)[chosen]) for name in names}
        weight = None if self._weight is None else Many(self._weight[chosen])
        return module.tally_units(columns, weight, self.unit)

    def _column(self, metric: Metric, name: str) -> Array:
        """What rows add to a sum, by sample."""
        if metric.whole:
            return np.stack([self.measured(at).row(metric, name) for at in range(self.count)])
        if metric.reads in ("labels", "marks"):
            column = MARK_ROWS[name](self._together.batch)
        else:
            column = self._together.row(metric, name)
        return np.asarray(column, dtype=float).reshape(self.count, self.rows, *column.shape[1:])

    def _ranking(self, chosen: Array) -> Any:
        """Rows by rising score; where there are ties, every score that any sample has is one of each."""
        if self._weight is not None or self.batch.score is None or self.batch.score.ndim != 1:
            raise OneByOne("weighted rankings, or several of them")
        module = vectorised("heldout.tallies.scores")
        order, ranked, hits, tied = self._scores
        hits = hits[chosen]
        if self.unit is not None:
            if tied:
                raise OneByOne("ties of rows that share units")
            found = module.Scores(
                ranked=Many(ranked[chosen]),
                hits=Many(hits),
                unit=Many(np.asarray(self.unit)[order[chosen]]),
                units=int(np.max(self.unit)) + 1,
            )
            found.__dict__["starts"] = found.__dict__["place"] = np.arange(self.rows)
            return found
        if tied:
            place = np.unique(ranked[chosen], return_inverse=True)[1].reshape(hits.shape)
            places = int(place.max()) + 1
            positives, every = _one_hot(place, places, hits.astype(float)), _one_hot(place, places)
            return module.Runs(positives=Many(positives), negatives=Many(every - positives))
        positives = hits.astype(float)
        return module.Runs(positives=Many(positives), negatives=Many(1 - positives))

    @cached_property
    def _scores(self) -> tuple[Array, Array, Array, bool]:
        """Rows of each sample in the order of their scores, these scores and which are hits; whether there are ties."""
        assert self.batch.score is not None
        score = self.batch.score.reshape(self.count, self.rows)
        order = np.argsort(score, axis=1, kind="stable")
        ranked = np.take_along_axis(score, order, axis=1)
        hits = (self.batch.truth == self.batch.positive).reshape(self.count, self.rows)
        tied = bool((ranked[:, 1:] == ranked[:, :-1]).any())
        return order, ranked, np.take_along_axis(hits, order, axis=1), tied


def _one_hot(place: Array, size: int, weight: Array | None = None) -> Array:
    """How many rows of each sample are at each place."""
    flat = (place + size * np.arange(len(place))[:, None]).ravel()
    heavy = None if weight is None else weight.ravel()
    return np.bincount(flat, weights=heavy, minlength=len(place) * size).reshape(len(place), size).astype(float)


def drawn_samples(place: World, count: int, rows: int, rng: np.random.Generator, asked: Asked | None = None) -> Samples:
    """Samples of a world; tables alone where rows are no more than truth and prediction."""
    what = replace(asked or Asked(), cost=place.recipe.cost)
    facts = place.recipe.facts
    if place.recipe.chances is not None and place.drawing.plain and not place.drawing.fixed:
        chances = place.recipe.chances
        tables = rng.multinomial(rows, chances.ravel() / chances.sum(), size=count).reshape(count, *chances.shape)
        return Samples(count=count, rows=rows, tables=tables, facts=facts, asked=what)
    batch = place.draw_many(count, rows, rng)
    unit = place.drawing.units(rows)
    return Samples(count=count, rows=rows, given=batch, facts=facts, unit=unit, asked=what)


def joined_samples(parts: Sequence[Samples]) -> Samples:
    """Samples of several worlds of one kind, with the same number of rows, as one."""
    first, count = parts[0], sum(part.count for part in parts)
    if len(parts) == 1:
        return first
    if first.tables is not None:
        return replace(first, count=count, tables=np.concatenate([part.counts for part in parts]))
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part.batch, name) for part in parts])
        for name in ("truth", "prediction", "score", "weight")
        if getattr(first.batch, name) is not None
    }
    return replace(first, count=count, given=replace(first.batch, unit=None, **columns))


def stacked_samples(place: World, batches: Sequence[Batch], asked: Asked | None = None) -> Samples:
    """Samples that were drawn one by one."""
    first = batches[0]
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(batch, name) for batch in batches])
        for name in ("truth", "prediction", "score", "weight")
        if getattr(first, name) is not None
    }
    return Samples(
        count=len(batches),
        rows=first.rows,
        given=replace(first, unit=None, **columns),
        facts=place.recipe.facts,
        unit=first.unit,
        asked=replace(asked or Asked(), cost=place.recipe.cost),
    )


@dataclass(frozen=True, kw_only=True)
class Answers:
    """Low and high ends of every sample, and how they came about."""

    ends: Array
    together: int
    """How many samples were answered with others."""
    reason: str = ""
    """Why others were not."""


def interval_ends(
    samples: Samples, metric: str, method: str = "auto", *, seeds: Array | int = 0, together: bool = True
) -> Answers:
    """The interval of every sample, by the product's own method.

    With one number as seed, samples that are answered together share their resamples; with a seed for each sample the
    numbers are those of single calls, and methods that resample are answered one by one.
    """
    asked, named = samples.asked, named_metric(metric)
    if samples.tables is None and samples.batch.task == "multilabel":
        named = MARK_METRICS.get(named.name, named)
    named = with_row_values(named, asked.cost, samples.classes)
    label = samples.label(named)
    facts = {"label": label, "level": asked.level, "method": method, "side": asked.side, "draws": asked.draws,
             "time": samples.time, "stand_in": False}  # fmt: skip
    if named.reads == "labels" and isinstance(seeds, int) and samples.plain_labels:
        first, place = _alike(samples.counts, named, label)
        samples = replace(samples, count=len(first), tables=samples.counts[first], given=None)
        found = _ends(samples, named, facts, seeds, together)
        many = int(np.isin(place, np.flatnonzero(found[1])).sum())
        return Answers(ends=found[0][place], together=many, reason=found[2])
    ends, done, reason = _ends(samples, named, facts, seeds, together)
    return Answers(ends=ends, together=int(done.sum()), reason=reason)


def _alike(tables: Array, metric: Metric, label: int | None) -> tuple[Array, Array]:
    """The first of all tables that have the same answer, and which of them each table is like.

    A share is known by how many rows of how many; all else by the whole table.
    """
    behind = METRICS[metric.via[0]] if metric.via and metric.via[0] in METRICS else metric
    seen = tables.reshape(len(tables), -1)
    if behind.interval == "share":
        right = np.diagonal(tables, axis1=1, axis2=2)
        sums = {"tp": right, "fn": tables.sum(axis=2) - right, "fp": tables.sum(axis=1) - right}
        sums["tn"] = tables.sum(axis=(1, 2))[:, None] - sums["tp"] - sums["fn"] - sums["fp"]
        names = dict.fromkeys((*behind.needs, *behind.share))
        seen = np.stack([sums[name].sum(axis=1) if label is None else sums[name][:, label] for name in names], axis=1)
    _, first, place = np.unique(seen, axis=0, return_index=True, return_inverse=True)
    return first, place.ravel()


def _ends(
    samples: Samples, metric: Metric, facts: dict[str, Any], seeds: Array | int, together: bool
) -> tuple[Array, Array, str]:
    """Ends of all samples, which of them were answered together, and why the others were not."""
    ends = np.full((samples.count, 2), np.nan)
    done = np.zeros(samples.count, dtype=bool)
    reason, first, whole = "", 0, max(NUMBERS_AT_ONCE // samples.size(metric), 16)
    # the first ones tell whether anything is resampled: then no more samples share their resamples
    few = min(RESAMPLED_TOGETHER, 1 << (whole.bit_length() - 1))
    chunk = few
    while together and first < samples.count:
        part = np.arange(first, min(first + chunk, samples.count))
        seed = Many(seeds[part]) if isinstance(seeds, np.ndarray) else _seed(seeds, first)
        Numpy.used_random = False
        reason = _answered(samples, metric, {**facts, "seed": seed}, part, (ends, done)) or reason
        if reason and not done[part].any():
            break  # the next ones would fail as well
        first += chunk
        chunk = few if Numpy.used_random else whole
    for at in np.flatnonzero(~done):
        seed = int(seeds[at]) if isinstance(seeds, np.ndarray) else _seed(seeds, int(at))
        one = estimate(metric, samples.one(int(at), metric), **{**facts, "seed": seed})
        ends[at] = one.low, one.high
    return ends, done, reason


def _seed(seed: int, at: int) -> int:
    """The seed of a sample: neighbours share their resamples."""
    return seed + at // RESAMPLED_TOGETHER


def _answered(
    samples: Samples, metric: Metric, facts: dict[str, Any], part: Array, found_so_far: tuple[Array, Array]
) -> str:
    """Answer some samples together, splitting them where their ways part; why some were left, or nothing."""
    ends, done = found_so_far
    choice = vectorised("heldout.estimates.interval_choice")
    formulas = vectorised("heldout.formulas")
    known = formulas.MARK_METRICS[metric.name] if metric.reads == "marks" else formulas.metric(metric.name)
    known = replace(known, values=metric.values, range=metric.range)
    waiting, ways, reason = [part], 0, ""
    while waiting:
        chosen = waiting.pop()
        ways += 1
        if len(chosen) < FEW or ways > max(WAYS, len(part) // 8):
            reason = reason or ("" if len(chosen) < FEW else "too many ways")
            continue
        seed = facts["seed"]
        given = {**facts, "seed": Many(seed.data[chosen - part[0]]) if isinstance(seed, Many) else seed}
        try:
            with np.errstate(all="ignore"):
                found = choice.estimate(known, samples.many(metric, chosen), **given)
            for side, end in enumerate((found.low, found.high)):
                ends[chosen, side] = end.data if isinstance(end, Many) else end
            done[chosen] = True
        except Split as parted:
            waiting += [chosen[parted.yes], chosen[~parted.yes]]
        except NOT_FOR_MANY as why:
            reason = f"{type(why).__name__}: {why}"
    return reason


def every_end(samples: Samples, metrics: Sequence[str], methods: Sequence[str], seeds: Array | int = 0) -> Array:
    """The ends of all samples by method and metric, as `coverage` counts them."""
    found = np.empty((samples.count, len(methods), len(metrics), 2))
    for j, metric in enumerate(metrics):
        for i, method in enumerate(methods):
            found[:, i, j] = interval_ends(samples, metric, method, seeds=seeds).ends
    return found
