"""How good a model is, from counts instead of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout import inputs
from heldout.batch import Array, Batch, Label
from heldout.errors import DataError, UsageError
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import estimate
from heldout.formulas import METRICS, Metric
from heldout.formulas.table import ONE_CLASS
from heldout.inputs import Source
from heldout.tallies import Tally
from heldout.tallies.cells import Cells, ClassCounts, cells_of_counts
from heldout.tallies.units import Units
from heldout.verbs.evaluate.evaluation import Evaluation
from heldout.verbs.measurement import fitting_metric
from heldout.verbs.parameters import Metrics, Side, documented
from heldout.verbs.settings import Settings, cost_matrix, settings

if TYPE_CHECKING:
    from numpy.random import Generator


@documented(n_resamples=2000)
def evaluate_confusion(
    counts: Any,
    labels: Sequence[Label] | None = None,
    *,
    pos_label: Label | None = None,
    cost: Any = None,
    metrics: Metrics = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: int | Generator | None = 0,
) -> Evaluation:
    """Evaluate a model from its confusion matrix, with confidence intervals.

    Parameters
    ----------
    counts : square array-like or path
        Counts, truth by row and prediction by column; or a labelled square CSV of them.
    labels : sequence of labels, optional
        The classes, in order (default: those of the file, or 0, 1, 2 …).
    <pos_label>
    <cost>
    <metrics>
    <confidence_level>
    <method>
    <side>
    <n_resamples>
    <random_state>

    Returns
    -------
    Evaluation
        Every metric that counts can give, with its interval.

    Examples
    --------
    >>> evaluate_confusion([[3, 1], [2, 6]], labels=["no", "yes"])["precision"]
    0.857 [0.487, 0.974]
    """
    asked = settings(
        confidence_level=confidence_level, method=method, side=side, n_resamples=n_resamples,
        random_state=random_state, metrics=metrics,
    )  # fmt: skip
    sources: tuple[Source, ...] = ()
    if isinstance(counts, str | Path):
        labels, table = inputs.read_confusion(counts)
        sources = (inputs.source_of(counts),)
    else:
        table = _square(np.asarray(counts))
    names = tuple(labels) if labels is not None else tuple(range(len(table)))
    if len(names) != len(table):
        raise UsageError(f"{len(names)} labels were given for {len(table)} classes")
    positive = inputs.positive_of(names, pos_label) if len(names) == 2 else None
    batch = Batch(
        task="binary" if len(names) == 2 else "multiclass", truth=np.zeros(0, int), labels=names, positive=positive
    )
    asked = replace(asked, cost=cost_matrix(cost, batch))
    return _counted(cells_of_counts(table), batch, asked, sources)


@documented(n_resamples=2000)
def evaluate_counts(
    *,
    wrong: int,
    of: int,
    metrics: Metrics = ("error_rate", "accuracy"),
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: int | Generator | None = 0,
) -> Evaluation:
    """Error rate and accuracy from two counts, with confidence intervals.

    Parameters
    ----------
    wrong : int
        Number of rows that are wrong.
    of : int
        Number of rows.
    metrics : str or sequence of str, default ("error_rate", "accuracy")
        One of them, or both.
    <confidence_level>
    <method>
    <side>
    <n_resamples>
    <random_state>

    Returns
    -------
    Evaluation
        The two metrics, with their intervals.

    Examples
    --------
    >>> evaluate_counts(wrong=12, of=40)["error_rate"]
    0.300 [0.181, 0.454]
    """
    if not (0 <= wrong <= of and of > 0):
        raise DataError(f"{wrong} wrong of {of} cannot be", code="H110", fix="give 0 <= wrong <= of, and of at least 1")
    asked = settings(
        confidence_level=confidence_level, method=method, side=side, n_resamples=n_resamples,
        random_state=random_state, metrics=metrics,
    )  # fmt: skip
    for metric in asked.metrics or asked.extra:
        if metric.name not in ("error_rate", "accuracy"):
            raise UsageError(f"{metric.name} cannot be told from two counts", fix="ask for error_rate or accuracy")
    cells = cells_of_counts(np.array([[of - wrong, wrong], [0, 0]]))
    found = {
        metric.name: _of_counts(metric, cells, None, asked)
        for metric in asked.metrics or (METRICS["error_rate"], METRICS["accuracy"])
    }
    found = {name: _shown(one) for name, one in found.items()}
    return Evaluation(estimates=found, rows=of, units=of, level=asked.level, seed=asked.seed, task="binary")


@documented(n_resamples=2000)
def evaluate_class_counts(
    counts: Mapping[Label, Sequence[float]],
    *,
    metrics: Metrics = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    n_resamples: int = 2000,
    random_state: int | Generator | None = 0,
) -> Evaluation:
    """Averages and per-class metrics from (TP, FP, FN, TN) of each class, with confidence intervals.

    Parameters
    ----------
    counts : mapping of label to (TP, FP, FN, TN)
        Four counts for each class.
    metrics : str, Metric or sequence of them, optional
        Averages by name (default: every macro, micro and weighted average).
    <confidence_level>
    <method>
    <side>
    <n_resamples>
    <random_state>

    Returns
    -------
    Evaluation
        The averages, and the metrics of each class.

    Examples
    --------
    >>> found = evaluate_class_counts({"A": (1, 1, 1, 1), "B": (10, 90, 80, 10), "C": (1, 1, 1, 1), "D": (1, 1, 1, 1)})
    >>> round(found["precision_macro"], 3), round(found["precision_micro"], 4), round(found["recall_micro"], 4)
    (0.4, 0.1226, 0.1354)
    """
    asked = settings(
        confidence_level=confidence_level, method=method, side=side, n_resamples=n_resamples,
        random_state=random_state, metrics=metrics,
    )  # fmt: skip
    table = np.array([list(line) for line in counts.values()], dtype=float)
    if table.ndim != 2 or table.shape[1] != 4 or np.any(table < 0) or not np.all(np.isfinite(table)):
        raise DataError(
            "each class needs four counts of zero or more", code="H110", fix="give (TP, FP, FN, TN) for each class"
        )
    tally = ClassCounts(table)
    by_labels = [metric for metric in METRICS.values() if metric.reads == "labels"]
    averages = [metric for metric in by_labels if metric.name.endswith(("_macro", "_micro", "_weighted"))]
    wanted = asked.metrics or tuple(averages)
    of_scores = [metric.name for metric in wanted if metric.reads != "labels"]
    if of_scores:
        fix = "name averages of labels, such as precision_macro"
        raise UsageError(f"{', '.join(of_scores)} cannot be computed from counts", fix=fix)
    found = {metric.name: _of_counts(metric, tally, None, asked) for metric in wanted if not metric.one_class}
    classes = {
        str(name): {metric.name: _of_counts(metric, tally, k, asked) for metric in ONE_CLASS}
        for k, name in enumerate(counts)
    }
    return Evaluation(
        estimates=found,
        classes=classes,
        task="multiclass",
        rows=tally.units,
        units=tally.units,
        level=asked.level,
        seed=asked.seed,
        labels=tuple(counts),
    )


def _counted(cells: Cells, batch: Batch, asked: Settings, sources: tuple[Source, ...]) -> Evaluation:
    """An evaluation of counts: label metrics only."""
    fitting = [metric for metric in METRICS.values() if metric.reads == "labels" and batch.task in metric.tasks]
    named = [] if asked.metrics is None else [_from_labels(metric, batch.task) for metric in asked.metrics]
    extra = [_from_labels(metric, batch.task) for metric in asked.extra]
    found = {
        metric.name: _of_counts(metric, cells, batch.positive if metric.one_class else None, asked)
        for metric in (fitting if asked.metrics is None else named)
    }
    for metric in (*named, *extra):  # what was asked for by name is printed, whatever is printed by default
        one = found.get(metric.name) or _of_counts(metric, cells, batch.positive if metric.one_class else None, asked)
        found[metric.name] = _shown(one)
    if asked.cost is not None:
        found["cost"] = _cost_of_counts(cells, asked)
    classes = {}
    if batch.task == "multiclass":
        classes = {
            str(name): {metric.name: _of_counts(metric, cells, k, asked) for metric in ONE_CLASS}
            for k, name in enumerate(batch.labels)
        }
    return Evaluation(
        estimates=found,
        classes=classes,
        confusion=cells.counts,
        task=batch.task,
        rows=cells.units,
        units=cells.units,
        level=asked.level,
        seed=asked.seed,
        labels=batch.labels,
        positive=None if batch.positive is None else batch.labels[batch.positive],
        positives=None if batch.positive is None else int(cells.counts[batch.positive].sum()),
        sources=sources,
    )


def _from_labels(metric: Metric, task: str) -> Metric:
    """A metric that counts can give, for as many classes as there are; an error that says why for any other."""
    if metric.reads != "labels":
        fix = f"leave out {metric.name}, or evaluate the rows"
        raise UsageError(f"{metric.name} needs rows: a confusion matrix has counts of labels only", fix=fix)
    return fitting_metric(metric, task)


def _of_counts(metric: Metric, tally: Tally, label: int | None, asked: Settings) -> Estimate:
    return estimate(
        metric,
        tally,
        label=label,
        level=asked.level,
        method=asked.method,
        side=asked.side,
        draws=asked.draws,
        seed=asked.seed,
    )


def _cost_of_counts(cells: Cells, asked: Settings) -> Estimate:
    assert asked.cost is not None
    costs = asked.cost[cells.truth, cells.prediction].astype(float)
    ones = np.ones(len(costs))
    tally = Units(
        {"costs": costs, "rows": ones}, {"costs": cells.rows @ costs, "rows": cells.rows.sum()}, alike=cells.rows
    )
    return _of_counts(METRICS["cost"], tally, None, asked)


def _square(table: Array) -> Array:
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise DataError(
            f"a confusion matrix must be square, not {' x '.join(map(str, table.shape))}",
            code="H110",
            fix="give truth by row and prediction by column",
        )
    if np.any(table < 0) or not np.all(np.isfinite(table)):
        raise DataError(f"a count is {table.min():g}, but counts are zero or more", code="H110")
    if np.any(table != np.round(table)):
        odd = table[table != np.round(table)][0]
        raise DataError(f"a count is {odd:g}, but counts are whole", code="H110", fix="give counts of rows, not shares")
    if not table.any():
        raise DataError("every count is zero", code="H110", fix="count at least one row")
    return table


def _shown(one: Estimate) -> Estimate:
    facts = {fact: getattr(one, fact) for fact in Estimate.__slots__}
    return Estimate(one.value, **{**facts, "printed": True})
