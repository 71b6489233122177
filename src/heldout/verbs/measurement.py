"""From a batch to estimates: each metric on the tally it reads, tallies shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from heldout.batch import Array, Batch, differing_weights
from heldout.errors import DataError, UsageError
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import estimate, interval_at_levels, value_of
from heldout.estimates.question import Question
from heldout.estimates.value_with_interval import with_value
from heldout.formulas import MARK_METRICS, METRICS, Metric
from heldout.formulas.families import AVERAGES, over_labels
from heldout.formulas.regression import over_targets
from heldout.formulas.table import ONE_CLASS, RANKED
from heldout.intervals import Interval
from heldout.intervals.long_run import season_notes
from heldout.rows import probabilities as probability_rows
from heldout.rows.labels import CostOfLeastRisk, CostOfPrediction
from heldout.tallies import Summed, Tally, from_batch as batches
from heldout.tallies.cells import Cells
from heldout.tallies.moments import Moments, tally_moments
from heldout.tallies.score_sort import parts
from heldout.tallies.units import Units
from heldout.verbs.settings import Settings


def zero_target(batch: Batch, metric: Metric) -> str | None:
    """Why a percentage error is undefined; None where no target is zero, or the metric divides by none."""
    if not {"relative_errors", "squared_relative_errors"} & set(metric.needs):
        return None
    zero = np.flatnonzero(np.any(np.atleast_2d(batch.truth.T) == 0, axis=0))
    if not len(zero):
        return None
    return (
        f"{batch.named_rows(zero[:1])} has a target of zero, so {metric.name} divides by zero ({len(zero)} such rows)"
    )


def _infinite(losses: Array, batch: Batch) -> list[str]:
    rows = np.flatnonzero(np.isinf(losses))
    if not len(rows):
        return []
    named = batch.named_rows(rows[:5]) + (", …" if len(rows) > 5 else "")
    return [infinite_note(named, len(rows))]


def infinite_note(named: str, rows: int) -> str:
    """Why a log loss is infinite: the rows that make it so, and how it would be finite."""
    count = "1 row" if rows == 1 else f"{rows:,} rows"
    why = f"{named} gave probability 0 to the true class ({count})"
    return f"infinite (inf): {why}; probabilities are clipped only with --clip (clip=)"


def _overflow(losses: Array, batch: Batch) -> list[str]:
    rows = np.flatnonzero(~np.isfinite(losses).all(axis=tuple(range(1, losses.ndim))))
    if not len(rows):
        return []
    return [f"overflow: the squared error of {batch.named_rows(rows[:1])} exceeds the largest number"]


NOT_FINITE: dict[str, Callable[[Array, Batch], list[str]]] = {
    "log_losses": _infinite,
    "squared_errors": _overflow,
    "squared_relative_errors": _overflow,
}
"""What to say of a column whose sum is not finite."""


def absent_classes(cells: Cells, batch: Batch, name: str) -> list[str]:
    """Which classes a mean over classes leaves out, or is undefined for."""
    sums = cells.sums
    unseen = [repr(batch.labels[k]) for k in np.flatnonzero(sums["tp"] + sums["fn"] == 0)]
    unsaid = [repr(batch.labels[k]) for k in np.flatnonzero(sums["tp"] + sums["fp"] == 0)]
    if name == "balanced_accuracy":
        counted = f"mean of {len(batch.labels) - len(unseen)} of {len(batch.labels)} classes"
        return [f"{counted}; left out, because never true: {', '.join(unseen[:5])}"] if unseen else []
    which, what = (unsaid, "predicted") if name.startswith("precision") else (unseen, "true")
    return [f"undefined, because never {what}: {', '.join(which[:5])}"] if which else []


MANY = 100_000
"""From so many rows on, losses are added up part by part and not kept."""
RARE = 5
"""Classes with fewer true rows than this are counted in a note of every plain mean over classes."""
DRAWN_METHODS = ("percentile", "basic", "bca", "bootstrap_t")
LET_GO = 2_000_000
"""From so many rows on, their order is not kept for curves that may never be asked for."""
CLASS_SCORES = ("roc_auc", "average_precision")
"""Metrics of scores that each class of several gets, against the rest."""


@dataclass(frozen=True)
class Measurement:
    """Estimates of metrics on one batch."""

    given: Batch
    settings: Settings

    @cached_property
    def scale(self) -> float:
        """The mean weight."""
        return 1.0 if self.given.weight is None else float(self.given.weight.mean())

    @cached_property
    def batch(self) -> Batch:
        """The rows with weights of mean one: weights are importance, and scaling them changes nothing."""
        weight = differing_weights(self.given.weight)  # some rows of many may weigh the same
        weight = None if weight is None else weight / self.scale
        origin = self.given.truth.mean(axis=0) if self.given.task == "regression" else None
        return replace(self.given, weight=weight, origin=origin)

    @property
    def weighted(self) -> bool:
        """Whether rows weigh differently."""
        return self.batch.weight is not None

    @property
    def independent(self) -> bool:
        """Whether every row is drawn by itself and counts the same."""
        return self.batch.unit is None and not self.weighted

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.batch.rows

    @property
    def units(self) -> int:
        """How many independent draws the rows are."""
        return self.batch.units

    @property
    def positives(self) -> int:
        """How many rows are positive, where there are two classes."""
        return int(np.count_nonzero(self.batch.truth == self.batch.positive))

    def confusion(self) -> Array | None:
        """Rows by truth and prediction, in the weights that were given; None where a row has several labels."""
        cells = self.labels
        return cells.counts * self.scale if isinstance(cells, Cells) else None

    def class_weights(self) -> Array:
        """How much the rows of each class weigh; from the confusion matrix where it is there already."""
        batch, size = self.batch, len(self.batch.labels)
        if "labels" in self.__dict__ and isinstance(self.labels, Cells):
            return self.labels.counts.sum(axis=1)
        if batch.weight is not None:
            return np.bincount(batch.truth, weights=batch.weight, minlength=size)
        if size == 2:
            ones = float(np.count_nonzero(batch.truth))
            return np.array([batch.rows - ones, ones])
        counts = np.zeros(size)
        for part in parts(batch.rows):
            counts += np.bincount(batch.truth[part], minlength=size)
        return counts

    def sums_of_mean(self) -> dict[str, Array] | None:
        """The sums that always predicting the mean would give, where targets were added up; None where rows tell."""
        return None

    def overall(self, *, printed: bool = False, of_all_rows: bool = False) -> dict[str, Estimate]:
        """Every metric of the task that the data allows, or those asked for; of the former, only the `printed` ones.

        With `of_all_rows`, only shares and means over all rows.
        """
        metrics = [one for one in (self.shown() if printed else self.metrics()) if one.of_all_rows or not of_all_rows]
        found = {metric.name: self.one(metric) for metric in sorted(metrics, key=_needs_every_row_first)}
        return {metric.name: found[metric.name] for metric in metrics}

    def shown(self) -> list[Metric]:
        """The metrics in the short table: those printed, or those asked for."""
        return [one for one in self.metrics() if one.printed or self.settings.metrics is not None]

    def metrics(self) -> list[Metric]:
        """The metrics behind `overall`."""
        wanted = self.settings.metrics
        if wanted is not None:
            return [self._fitting(metric) for metric in wanted]
        every = [metric for metric in self._all() if self._lacks(metric) is None]
        return every + [self._fitting(metric) for metric in self.settings.extra]

    def by_class(self) -> dict[str, dict[str, Estimate]]:
        """The metrics of one class for every class (label, target) in turn, where there are several."""
        batch = self.batch
        if batch.task == "binary" or not batch.labels or (batch.task == "regression" and batch.truth.ndim == 1):
            return {}
        return {str(name): dict(self._of(k)) for k, name in enumerate(batch.labels)}

    def one(self, metric: Metric, label: int | None = None) -> Estimate:
        """One metric; of one class or target where `label` is given. Cached."""
        key = f"one {label} {metric.name}"
        if key not in self.made:
            self.made[key] = self._one(metric, label)
        return self.made[key]

    def value(self, metric: Metric) -> float:
        """One metric's value alone, where its interval is not wanted: some take long."""
        key = f"one None {metric.name}"
        several = metric.reads in ("numbers", "ordered") and self.batch.truth.ndim == 2
        if key in self.made or several or self._zero_target(metric) is not None:
            return float(self.one(metric).value)
        alone = f"value {metric.name}"
        if alone not in self.made:
            label = self.batch.positive if metric.one_class else None
            asked = Question(metric=metric, tally=self.tally(metric, label), level=self.settings.level, label=label)
            self.made[alone] = value_of(asked)
        return float(self.made[alone])

    def _one(self, metric: Metric, label: int | None) -> Estimate:
        metric = self._as_measured(metric)
        several = metric.reads in ("numbers", "ordered") and self.batch.truth.ndim == 2
        if several and label is None and not metric.joint:
            return self._over_targets(metric)
        if self._zero_target(metric) is not None:
            return self._undefined(metric)
        if metric.one_class and label is None:
            label = self.batch.positive
        return self._estimated(metric, self.tally(metric, label), label)

    def _estimated(self, metric: Metric, tally: Tally, label: int | None) -> Estimate:
        asked = self.settings
        found = estimate(
            self._with_values(metric),
            tally,
            label=label,
            level=asked.level,
            method=self._method(metric, tally),
            side=asked.side,
            draws=asked.draws,
            seed=asked.seed,
            notes=self._notes(metric, tally),
            printed=self._is_shown(metric),
            time=self.batch.time,
        )
        of_all = self.batch.task != "multilabel" and label in (None, self.batch.positive)
        return self._without_season(found, metric, label) if self.batch.time is not None and of_all else found

    def _without_season(self, found: Estimate, metric: Metric, label: int | None) -> Estimate:
        """The estimate with a note, and without a simulated rate, where times a season apart are alike."""
        from heldout.verbs.influence import unit_influence  # which measures, too

        with np.errstate(all="ignore"):
            moved = unit_influence(self, metric, label)
        notes = () if moved is None else season_notes(moved)
        if not notes:
            return found
        known = found.measured_as
        key = None if known is None else known._replace(design=f"{known.design} and seasonal")
        return with_value(found, found.value, notes=(*found.notes, *notes), measured_as=key)

    def interval_at(self, metric: Metric) -> Callable[[float], Interval] | None:
        """One metric's interval as a function of the level; None where there is none, or resamples make it."""
        label, tallied = self.batch.positive if metric.one_class else None, metric
        if metric.reads in ("numbers", "ordered") and self.batch.truth.ndim == 2 and not metric.joint:
            if metric.reads == "ordered":
                return None
            metric = self.over_targets(metric)
        if self._zero_target(metric) is not None:
            return None
        tally, asked = self.tally(tallied, label), self.settings
        method = self._method(metric, tally)
        metric = self._with_values(metric)
        return interval_at_levels(metric, tally, label=label, method=method, draws=asked.draws, seed=asked.seed)

    def _with_values(self, metric: Metric) -> Metric:
        return with_row_values(metric, self.settings.cost, len(self.batch.labels))

    def _as_measured(self, metric: Metric) -> Metric:
        """The metric; a cost that is the same for every error is the error rate in other units, in every design."""
        cost = self.settings.cost
        if metric.name != "cost" or cost is None or not (self.batch.units < self.batch.rows or self.batch.time):
            return metric
        right, wrong = np.diag(cost), cost[~np.eye(len(cost), dtype=bool)]
        return metric if np.ptp(right) or np.ptp(wrong) else error_rate_as_cost(float(right[0]), float(wrong[0]))

    def _is_shown(self, metric: Metric) -> bool:
        """Whether a metric is in the short table: the usual ones, and whatever was asked for by name."""
        return metric.printed or self.settings.metrics is not None or metric in self.settings.extra

    def _method(self, _metric: Metric, _tally: Tally) -> str:
        """The method of the interval: the one asked for."""
        return self.settings.method

    def tally(self, metric: Metric, label: int | None = None) -> Tally:
        """The tally that a metric reads."""
        reads = metric.reads
        if reads in ("labels", "marks"):
            return self.labels
        if reads == "scores":
            return self._ranking(label, apart=metric.apart)
        if reads == "columns":
            return self.columns
        if reads == "reliability":
            return self.reliability
        if reads == "ordered":
            return batches.ordered_errors(self.batch, label)
        return self._sums(metric)

    @cached_property
    def labels(self) -> Cells | Units:
        if self.batch.task == "multilabel":
            return batches.label_marks(self.batch)
        return batches.label_cells(self.batch)

    @cached_property
    def columns(self) -> Any:
        return batches.score_columns(self.batch)

    @cached_property
    def reliability(self) -> Any:
        if self.batch.task == "binary":
            return batches.reliability_of(self._orders(None))
        return batches.reliability(self.batch)

    @cached_property
    def made(self) -> dict[str, Any]:
        """Row statistics, orders and slopes that were made once and are shared."""
        return {}

    def _ranking(self, label: int | None, *, apart: bool) -> Any:
        """The order as a metric needs it. With many rows the rest needs runs only, and the sorted rows are freed."""
        key = f"runs {label if self.batch.score is not None and self.batch.score.ndim == 2 else ''}"
        if key not in self.made:
            self.made[key] = self._orders(label).for_metric(apart=False)
            if self.batch.rows >= LET_GO and self.batch.task == "binary":
                if any(metric.apart for metric in self.metrics()):
                    self.made["runs apart"] = self._orders(label).for_metric(apart=True)
                self.made.pop("order ")
                self.__dict__.pop("reliability", None)  # it holds the same rows
        if apart:
            return self.made.pop("runs apart", None) or self._orders(label).for_metric(apart=True)
        return self.made[key]

    @property
    def order(self) -> Any:
        """The rows in the order of their scores, where some metric needed it and there is one score; else None."""
        return self.made.get("order ")

    def _orders(self, label: int | None) -> Any:
        key = f"order {label if self.batch.score is not None and self.batch.score.ndim == 2 else ''}"
        if key not in self.made:
            self.made[key] = batches.score_order(self.batch, label)
        return self.made[key]

    def _sums(self, metric: Metric) -> Units | Moments:
        told = self.settings.metrics is not None or not metric.by_name
        if self._is_large and metric.rows is None and told:
            return self._moments
        return self.row_sums(metric)

    def row_sums(self, metric: Metric) -> Units:
        """What each unit adds to the sums of a metric."""
        return batches.row_sums(self.batch, {name: self.row(metric, name) for name in metric.needs})

    def over_targets(self, metric: Metric) -> Metric:
        """The metric itself, or its plain mean over targets where there are several."""
        if metric.reads != "numbers" or self.batch.truth.ndim == 1 or metric.joint:
            return metric
        return over_targets(metric)

    @cached_property
    def _moments(self) -> Moments:
        """The moments of every column that a metric asked for needs, in one pass."""
        wanted = self._all() if self.settings.metrics is None else self.settings.metrics
        summed = [one for one in wanted if one.reads in ("losses", "numbers") and one.rows is None]
        needs = {name for one in summed if self._lacks(one) is None for name in (*one.needs, *self._behind(one))}
        names = [*sorted(needs - {"rows"}), "rows"]

        def columns(part: Batch) -> dict[str, Array]:
            shared = probability_rows.losses(part, names) if part.probabilities else {}
            rest = [name for name in names if name != "rows" and name not in shared]
            return shared | {name: self._built_in(name)(part) for name in rest}

        return tally_moments(self.batch, names, columns)

    def _behind(self, metric: Metric) -> tuple[str, ...]:
        """What the metric that its interval comes from needs."""
        return () if metric.via is None else METRICS[metric.via[0]].needs

    @property
    def _is_large(self) -> bool:
        """Whether sums of products do: many rows, each a unit of its own, and no draws asked for."""
        batch = self.batch
        alone = batch.unit is None and batch.truth.ndim == 1
        return batch.rows >= MANY and alone and self.settings.method not in DRAWN_METHODS

    def row(self, metric: Metric, name: str) -> Array:
        """What each row adds to one sum of a metric."""
        own = metric.rows or {}
        if name in own:
            return np.asarray(own[name](self.batch), dtype=float)
        if name not in self.made:
            self.made[name] = self._built_in(name)(self.batch)
        column: Array = self.made[name]
        return column

    def _built_in(self, name: str) -> Callable[[Batch], Array]:
        cost = self.settings.cost
        if name == "costs" and cost is not None:
            return CostOfPrediction(cost)
        if name == "minimum_risk_costs" and cost is not None:
            return CostOfLeastRisk(cost)
        table = batches.NUMBER_ROWS if self.batch.task == "regression" else batches.LOSS_ROWS
        return table[name]

    def _all(self) -> Iterator[Metric]:
        for metric in METRICS.values():
            if self.batch.task in metric.tasks and metric.rows is None and not metric.by_name:
                yield metric
        if self.batch.task == "multilabel":
            yield from MARK_METRICS.values()

    def _of(self, label: int) -> Iterator[tuple[str, Estimate]]:
        """The metrics of one class, label or target."""
        if self.batch.task == "regression":
            candidates = [metric for metric in self._all() if metric.reads in ("numbers", "ordered")]
        else:
            candidates = [*ONE_CLASS, *(metric for metric in RANKED if metric.name in CLASS_SCORES)]
        wanted = self.settings.metrics
        for metric in candidates:
            if (wanted is None or metric in wanted) and self._lacks(metric) is None:
                yield metric.name, self.one(metric, label)

    def _fitting(self, metric: Metric) -> Metric:
        """The metric as it applies to the task; an error that says why where it does not."""
        metric = fitting_metric(metric, self.batch.task)
        lacking = self._lacks(metric)
        if lacking is not None:
            raise DataError(
                f"{metric.name} needs {lacking[0]}", code="H106", fix=f"{lacking[1]}, or leave out {metric.name}"
            )
        zero = self._zero_target(metric)
        if zero is not None:
            raise DataError(zero, code="H307", fix="use wmape, which divides by the total, or mae")
        return metric

    def _lacks(self, metric: Metric) -> tuple[str, str] | None:
        """What the batch lacks for a metric, and how to give it."""
        batch = self.batch
        if metric.name in ("cost", "cost_minimum_risk") and self.settings.cost is None:
            return "a cost matrix", "name its file: --cost FILE (cost=)"
        if _reads_prediction(metric) and batch.prediction is None:
            return (
                "predicted labels",
                "name a column of predictions, or set a threshold for the scores: --threshold T (threshold=)",
            )
        if (metric.reads in ("scores", "columns") or metric.uses == "score") and batch.score is None:
            return "a score column", "name the scores: --score COLUMN (y_score=)"
        if _reads_probabilities(metric) and not batch.probabilities:
            return "probabilities", "give scores between 0 and 1, or logits with --link logit (link='logit')"
        return None

    def _notes(self, metric: Metric, tally: Tally | None = None) -> tuple[str, ...]:
        """What the batch itself says about a metric's value."""
        notes = []
        zero = self._zero_target(metric)
        if zero is not None:
            notes.append(f"undefined: {zero}")
        elif metric.needs[0] in NOT_FINITE and tally is not None and _unbounded(tally, metric.needs[0]):
            notes += self._not_finite(metric)
        if metric.name in ("balanced_accuracy", "precision_macro", "recall_macro") and isinstance(self.labels, Cells):
            notes += absent_classes(self.labels, self.batch, metric.name)
        if metric.name.endswith("_macro") or metric.name == "balanced_accuracy":
            notes += self._rare_classes(metric)
        return tuple(notes)

    def _rare_classes(self, metric: Metric) -> list[str]:
        """How many of the classes (or labels) that a plain mean counts alike have few rows."""
        if metric.reads not in ("labels", "marks") or self.batch.task == "binary" or self.weighted:
            return []
        sums = self.labels.sums
        rows = np.asarray(sums["tp"] + sums["fn"])
        rare = int(np.count_nonzero((rows > 0) & (rows < RARE)))
        word = "labels" if self.batch.task == "multilabel" else "classes"
        if not rare:
            return []
        have = "has" if rare == 1 else "have"
        return [f"{rare} of {len(rows)} {word} {have} fewer than {RARE} true rows, and count as much as the others"]

    def _zero_target(self, metric: Metric) -> str | None:
        """Why a percentage error is undefined; None where no target is zero."""
        return zero_target(self.batch, metric)

    def _not_finite(self, metric: Metric) -> list[str]:
        """Which rows make the sum of a metric infinite."""
        return NOT_FINITE[metric.needs[0]](self.row(metric, metric.needs[0]), self.batch)

    def _undefined(self, metric: Metric) -> Estimate:
        low, high = metric.range
        return Estimate(
            float("nan"),
            low=low,
            high=high,
            level=self.settings.level,
            method="none",
            units=self.units,
            notes=self._notes(metric),
            name=metric.name,
            better=metric.better,
            printed=self._is_shown(metric),
        )

    def _over_targets(self, metric: Metric) -> Estimate:
        """The plain mean over targets."""
        parts = [self.one(metric, target) for target in range(self.batch.truth.shape[1])]
        if metric.reads == "numbers":
            return self._estimated(self.over_targets(metric), self._sums(metric), None)
        first = parts[0]
        return Estimate(
            float(np.mean(parts)),
            low=float(np.mean([part.low for part in parts])),
            high=float(np.mean([part.high for part in parts])),
            level=first.level,
            method=f"mean of the targets' intervals ({first.method})",
            units=first.units,
            name=metric.name,
            better=metric.better,
            printed=self._is_shown(metric),
        )


def with_row_values(metric: Metric, cost: Array | None, classes: int) -> Metric:
    """The metric with the values that a row can add: what no row had is possible, what is beyond them is not."""
    if metric.name in ("cost", "cost_minimum_risk") and metric.reads == "losses" and cost is not None:
        return replace(metric, values=tuple(np.unique(cost).tolist()), range=(float(cost.min()), float(cost.max())))
    if metric.interval == "weighted_kappa":
        power = 1 if metric.name.startswith("kappa_linear") else 2
        return replace(metric, values=tuple((np.arange(float(classes)) ** power).tolist()))
    return metric


def error_rate_as_cost(right: float, wrong: float) -> Metric:
    """The mean cost of rows of which every right one costs the same, and every wrong one: a function of the error rate.

    >>> error_rate_as_cost(0.0, 7.0)({"tp": np.array([6.0, 3.0]), "fn": np.array([1.0, 2.0])}).item()
    1.75
    """
    cost, known = METRICS["cost"], METRICS["error_rate"]

    def paid(share: Any) -> Any:
        return right + (wrong - right) * share

    def formula(tp: Array, fn: Array) -> Array:
        return np.asarray(paid(known.formula(tp=tp, fn=fn)))

    return replace(
        known, name="cost", formula=formula, via=("error_rate", paid), aliases=(), printed=cost.printed,
        range=(min(right, wrong), max(right, wrong)),
    )  # fmt: skip


def _needs_every_row_first(metric: Metric) -> int:
    """Metrics of whole rows in order come first, so that the rows can be freed before the rest."""
    return 0 if metric.reads == "reliability" else 1 if metric.apart else 2


def _reads_prediction(metric: Metric) -> bool:
    return metric.of_labels or metric.reads in ("numbers", "ordered")


def _reads_probabilities(metric: Metric) -> bool:
    return metric.reads == "reliability" or (metric.reads == "losses" and metric.uses == "probabilities")


def fitting_metric(metric: Metric, task: str) -> Metric:
    """The metric as it applies to a task; an error that names another metric where it does not."""
    if task == "multilabel" and metric.reads == "labels" and metric.name.endswith(tuple(AVERAGES)):
        metric = MARK_METRICS.get(metric.name) or over_labels(metric)
    if metric.reads == "labels" and not metric.one_class and task == "binary":
        metric = replace(metric, tasks=("binary",))
    if task not in metric.tasks:
        about = ": it is about one class" if metric.one_class and task in ("multiclass", "multilabel") else ""
        raise UsageError(f"{metric.name} is not a metric for {task} data{about}", fix=_instead(metric, task))
    return metric


def _instead(metric: Metric, task: str) -> str:
    """What to ask for where a metric does not fit the task."""
    name = metric.name
    if metric.one_class and task in ("multiclass", "multilabel"):
        if f"{name}_macro" not in METRICS and not name[1:2].isdigit():  # any f3 has averages
            return "leave it out, and see it per class"
        return f"ask for {name}_macro, {name}_micro or {name}_weighted, or see it per class"
    if name == "roc_auc" and task == "multiclass":
        return "ask for roc_auc_ovr or roc_auc_ovo"
    if name == "brier" and task == "multiclass":
        return "ask for quadratic_loss"
    return f"choose a metric for {task} data, such as {TYPICAL[task]}"


TYPICAL = {
    "binary": "roc_auc, accuracy or f1",
    "multiclass": "accuracy, f1_macro or log_loss",
    "multilabel": "subset_accuracy, f1_macro or hamming_loss",
    "regression": "mae, rmse or r2",
}
"""Task → metrics that it is usually judged by."""


def _unbounded(tally: Tally, name: str) -> bool:
    """Whether a sum that should be finite is not."""
    return not np.all(np.isfinite(cast("Summed", tally).sums[name]))
