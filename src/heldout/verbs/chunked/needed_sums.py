"""What one walk has to add up, so that every metric asked for can be told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import UsageError
from heldout.formulas import METRICS, Metric
from heldout.rows import CostOfLeastRisk, CostOfPrediction
from heldout.tallies import from_batch as batches
from heldout.tallies.moments import Moments
from heldout.tallies.totals import Wanted
from heldout.tallies.units import Units
from heldout.verbs.measurement import CLASS_SCORES, DRAWN_METHODS, Measurement
from heldout.verbs.settings import Settings

RowStatistic = Callable[[Batch], Array]
NEEDS_ROWS = ("reliability", "columns", "marks")
"""Metrics that read these need several looks at every row, and sums over parts do not tell them."""


RANKED = 30
"""With more classes than this none is ranked against the rest: every ranking takes some megabytes."""


def told(measured: Measurement, *, grouped: bool, remedy: str) -> list[Metric]:
    """The metrics that sums over parts tell; one that needs the rows is refused where it was asked for by name."""
    asked = measured.settings
    for metric in asked.extra if asked.metrics is None else asked.metrics:
        if needs_rows(metric, grouped=grouped):
            why = f"{metric.name} needs all rows in memory at once, and they are read in parts"
            raise UsageError(why, fix=remedy)
    return [metric for metric in Measurement.metrics(measured) if not needs_rows(metric, grouped=grouped)]


def needs_rows(metric: Metric, *, grouped: bool) -> bool:
    """Whether sums over parts cannot tell a metric; of groups the median neither, whose interval draws them."""
    return metric.reads in NEEDS_ROWS or (grouped and metric.interval == "middle")


def wanted_for(metrics: Iterable[Metric], batch: Batch, asked: Settings) -> Wanted:
    """The cells, bins and columns behind the metrics."""
    metrics = list(metrics)
    named = asked.metrics is None or bool({metric.name for metric in asked.metrics} & set(CLASS_SCORES))
    undecided = batch.prediction is None  # the classes are then counted with the scores
    by_class = batch.task == "multiclass" and batch.score is not None and named and len(batch.labels) <= RANKED
    sums = columns_for(metrics, batch, asked)
    looked_at = {one.needs[0] for one in map(behind, metrics) if one.interval == "spread"}
    ordered = {"absolute_errors"} if any(metric.reads == "ordered" for metric in metrics) else set()
    return Wanted(
        cells=batch.task in ("binary", "multiclass") and batch.prediction is not None,
        bins=batch.score is not None and (by_class or undecided or any(one.reads == "scores" for one in metrics)),
        columns=sums or None,
        binned=tuple(sorted(looked_at | ordered)),
        draws=asked.draws if asked.method in DRAWN_METHODS else 0,
        seed=asked.seed,
    )


def columns_for(metrics: Iterable[Metric], batch: Batch, asked: Settings) -> dict[str, RowStatistic]:
    """What rows add to each sum, as functions that can travel."""
    found: dict[str, RowStatistic] = {}
    table = batches.NUMBER_ROWS if batch.task == "regression" else batches.LOSS_ROWS
    if asked.cost is not None:
        table = {
            **table,
            "costs": CostOfPrediction(asked.cost),
            "minimum_risk_costs": CostOfLeastRisk(asked.cost),
        }
    for metric in metrics:
        if metric.reads == "ordered":
            found["absolute_errors"] = table["absolute_errors"]
        if metric.reads not in ("losses", "numbers"):
            continue
        own = metric.rows or {}
        for name in dict.fromkeys((*metric.needs, *behind(metric).needs)):
            if name != "rows" or name in own:
                found[column_name(metric, name)] = own[name] if name in own else table[name]
    if batch.task == "regression" and found:  # what always saying the mean would score
        found |= {name: table[name] for name in ("targets", "squared_targets")}
    return found


def column_name(metric: Metric, name: str) -> str:
    """What a sum is called among those of all metrics: one that is not built in belongs to its metric."""
    return f"{metric.name}: {name}" if metric.rows and name in metric.rows else name


def picked(added: Units | Moments, metric: Metric) -> Units | Moments:
    """The sums of one metric, under the names its formula has for them."""
    names = {name: column_name(metric, name) for name in dict.fromkeys((*metric.needs, *behind(metric).needs))}
    squares = {name: added.squares[column] for name, column in names.items()}
    if isinstance(added, Units):
        columns = {name: added.added[column] for name, column in names.items()}
        draws = added.draws and {name: added.draws[column] for name, column in names.items()}
        return Units(columns, squares, added.clustered, added.weighted, draws=draws)
    at = np.array([added.names.index(column) for column in names.values()])
    sample = {name: added.sample[column] for name, column in names.items() if column in added.sample}
    return replace(
        added,
        names=tuple(names),
        total=added.total[at],
        products=added.products[np.ix_(at, at)],
        squares=squares,
        sample=sample,
        kept=None,
        draws=added.draws and {name: added.draws[column] for name, column in names.items()},
    )


def behind(metric: Metric) -> Metric:
    """The metric that an interval comes from."""
    return metric if metric.via is None else METRICS[metric.via[0]]
