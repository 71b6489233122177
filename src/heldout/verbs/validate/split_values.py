"""A learner's metrics split by split: fold indicators are weights like any others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from heldout.batch import Array, Batch, TimeOrder
from heldout.errors import DataError
from heldout.formulas import Metric
from heldout.learners import Design, Predictions
from heldout.verbs.influence import unit_influence
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

COMPARABLE = ("labels", "marks", "losses", "numbers", "ordered")
"""What is said of a row alone, and so may be pooled over models; scores of two models have no common order."""


@dataclass(frozen=True)
class Learned:
    """What a learner's models said on every split, and what the model of all rows says of the rows it has seen."""

    name: str
    design: Design
    outside: Predictions
    """On the splits whose values are averaged."""
    beside: Predictions | None
    """On the splits that only tell how much the average varies."""
    inside: Predictions
    """The model of all rows, on all rows: training error."""
    asked: Settings
    times: Array | None = None
    """The time of each row of the data, where test rows come after training rows: errors depend on those before."""

    @cached_property
    def pooled(self) -> Measurement:
        """All lines together, in the order of the rows, as if one model had said them."""
        order = np.argsort(self.outside.row, kind="stable")
        batch = self.outside.batch.take(order)
        if self.times is not None:
            unit = np.unique(self.times[self.outside.row[order]], return_inverse=True)[1]
            batch = replace(batch, unit=unit, time=TimeOrder())
        return Measurement(batch, self.asked)

    def moved(self, metric: Metric) -> tuple[Array, Array | None]:
        """The value on each split, and how far each time moves their mean; None where a metric has no influence.

        Scores of models of different splits have no common order, so each split is judged by itself.
        """
        assert self.times is not None
        values = self.values(metric)
        known = np.flatnonzero(np.isfinite(values))
        added = np.zeros(int(self.times.max()) + 1)
        seen = np.zeros(len(added), bool)
        for split in known.tolist():
            measured = Measurement(self.outside.of(split), self.asked)
            label = measured.batch.positive if metric.one_class else None
            moved = unit_influence(measured, metric, label)
            if moved is None:
                return values, None
            at = self.times[self.outside.row[self.outside.split == split]]
            added += np.bincount(at, weights=moved, minlength=len(added)) / len(known)
            seen[at] = True
        return values, added[seen]

    @cached_property
    def training(self) -> Measurement:
        """The rows that the model of all rows has seen."""
        return Measurement(self.inside.batch, self.asked)

    def values(self, metric: Metric) -> Array:
        """The value on each split that is averaged; nan where it is undefined."""
        if metric.name not in self._known:
            self._known[metric.name] = split_values(metric, self.outside, self.asked)
        return self._known[metric.name]

    @cached_property
    def _known(self) -> dict[str, Array]:
        """Values that were worked out, by the name of their metric."""
        return {}

    def values_beside(self, metric: Metric) -> Array:
        """The value on each split that only tells how much the average varies."""
        assert self.beside is not None
        return split_values(metric, self.beside, self.asked)

    def losses(self, metric: Metric) -> list[Array] | None:
        """What each test row adds on every split of the design, where the metric is a mean over rows; else None."""
        parts: list[Array] = []
        for told in (self.outside, self.beside):
            if told is None:
                continue
            found = row_values(metric, told.batch, self.asked)
            if found is None:
                return None
            parts += np.split(found, np.flatnonzero(np.diff(told.split)) + 1)
        return parts


def split_values(metric: Metric, told: Predictions, asked: Settings) -> Array:
    """The metric's value on each split: at once where it is a mean over rows, else one after the other."""
    splits = len(told.splits)
    found = row_values(metric, told.batch, asked)
    if found is not None:
        weight = told.batch.weight
        rows = np.bincount(told.split, weights=weight, minlength=splits)
        added = np.bincount(told.split, weights=found if weight is None else found * weight, minlength=splits)
        with np.errstate(invalid="ignore"):  # a part whose rows weigh nothing has no value
            return np.asarray(added / rows)
    edges = np.searchsorted(told.split, np.arange(splits + 1))
    parts = (told.batch.part(slice(first, last)) for first, last in pairwise(edges))
    return np.array([Measurement(part, asked).value(metric) for part in parts])


def row_values(metric: Metric, batch: Batch, asked: Settings) -> Array | None:
    """What the metric is of each row alone, where the metric of all rows is their mean; else None.

    >>> from heldout.formulas import METRICS
    >>> two = Batch(task="binary", truth=np.array([0, 1]), prediction=np.array([1, 1]), labels=(0, 1), positive=1)
    >>> row_values(METRICS["accuracy"], two, Settings()), row_values(METRICS["f1"], two, Settings())
    (array([0., 1.]), None)
    """
    if metric.name in ("accuracy", "error_rate") and batch.task != "multilabel":
        hit = batch.prediction == batch.truth
        return np.asarray(hit if metric.name == "accuracy" else ~hit, dtype=float)
    if metric.reads not in ("losses", "numbers") or len(metric.needs) != 2 or "rows" not in metric.needs:
        return None
    if batch.truth.ndim == 2:
        return None
    alone = Measurement(_plain(batch), asked)
    added = {name: alone.row(metric, name) for name in metric.needs}
    found = metric(added)
    total = float(metric({name: column.sum() for name, column in added.items()}))
    mean = float(found.mean())
    is_mean = total == mean or abs(total - mean) <= 1e-9 * max(abs(total), float(np.abs(found).mean()))
    return found if is_mean else None


def _plain(batch: Batch) -> Batch:
    """The rows without weights and units, each by itself."""
    return Batch(
        task=batch.task, truth=batch.truth, prediction=batch.prediction, score=batch.score,
        probabilities=batch.probabilities, clip=batch.clip, labels=batch.labels, positive=batch.positive,
    )  # fmt: skip


def fitting_metrics(learned: Sequence[Learned]) -> list[Metric]:
    """The metrics that every learner has and that were asked for; by default the few that a reader looks at first."""
    shared = [_metrics_of(one) for one in learned]
    if learned[0].asked.metrics is not None:
        return shared[0]
    names = set.intersection(*({metric.name for metric in metrics} for metrics in shared))
    named = [metric.name for metric in learned[0].asked.extra]
    costs = () if learned[0].asked.cost is None else ("cost", "cost_minimum_risk")
    wanted = dict.fromkeys([*named, *FIRST[learned[0].outside.batch.task], *costs])
    every = {metric.name: metric for metric in shared[0]}
    return [every[name] for name in wanted if name in names]


OTHERS = "take another learner, or another metric"
"""The fix where a learner does not give what a metric needs."""


def _metrics_of(one: Learned) -> list[Metric]:
    """The metrics of what a learner said; what it does not give cannot be named as a column."""
    try:
        return one.pooled.metrics()
    except DataError as problem:
        raise DataError(problem.message, code=problem.code, fix=OTHERS) from problem


FIRST = {
    "binary": ("accuracy", "roc_auc", "log_loss", "brier"),
    "multiclass": ("accuracy", "balanced_accuracy", "log_loss"),
    "multilabel": ("subset_accuracy", "hamming_loss"),
    "regression": ("mae", "rmse", "r2"),
}
"""The metrics of a learner that are told unless others are asked for."""
