"""Which sums the requested metrics need, and the one pass over the chunks that adds them up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import DataError, UsageError
from heldout.formulas import METRICS, Metric
from heldout.inputs import Reading
from heldout.inputs.chunked.column_recipe import Recipe
from heldout.inputs.chunked.recipe_inference import infer_recipe
from heldout.inputs.chunked.sample_rows import columns_by_name
from heldout.rows.labels import CostOfLeastRisk, CostOfPrediction
from heldout.tallies import from_batch as batches
from heldout.tallies.moments import Moments
from heldout.tallies.totals import Adding, Totals, Wanted
from heldout.tallies.units import Units
from heldout.verbs.chunked.table_source import ChunkedInput
from heldout.verbs.measurement import CLASS_SCORES, DRAWN_METHODS, Measurement
from heldout.verbs.settings import Settings, cost_matrix

MOST_PASSES = 8
"""Number of passes after which the recipe must fit: every pass shows what is new in all rows."""


@dataclass(frozen=True, kw_only=True)
class ChunkPass:
    """The totals of all rows, and how their columns were understood."""

    table: ChunkedInput
    reading: Reading
    """The reading of the sample rows: labels, columns and checks hold for all rows, its batch has the sample only."""
    recipe: Recipe
    sums: Wanted
    """What was added up."""
    settings: Settings
    totals: Totals
    metrics: tuple[Metric, ...]
    """The requested metrics, or all that fit."""


def pass_over(table: ChunkedInput, settings: Settings, cost: Any = None, *, ranked: bool = False) -> ChunkPass:
    """Add up all chunks; again where some rows show what the sample did not. `ranked` counts scores in any case."""
    _refuse_several_truths(table)
    for _ in range(MOST_PASSES):
        reading, recipe = infer_recipe(table.sample, **table.options)
        ready = replace(settings, cost=cost_matrix(cost, reading.batch))
        of_sample = Measurement(replace(reading.batch, weight=None), ready)
        metrics = metrics_from_sums(of_sample, grouped=recipe.group is not None, fix=table.in_memory_fix)
        sums = needed_sums(metrics, reading.batch, ready)
        sums = replace(sums, bins=sums.bins or (ranked and reading.batch.score is not None))
        totals = table.summed(Adding(recipe=replace(recipe, segments=()), wanted=sums))
        if totals.facts.new_rows is None:
            return ChunkPass(
                table=table, reading=reading, recipe=recipe, sums=sums, settings=ready, totals=totals,
                metrics=tuple(metrics),
            )  # fmt: skip
        table = table.with_rows(totals.facts.new_rows)
    raise DataError(
        f"{table.sample.place}: after {MOST_PASSES} passes over all rows there still are new values",
        code="H107",
        fix="state what the columns hold: --task (task=), --labels (labels=), --positive (pos_label=), "
        "--threshold (threshold=)",
    )


def _refuse_several_truths(table: ChunkedInput) -> None:
    """Raise if rows have several truths: sums are added up for one."""
    truths = columns_by_name(table.sample.names, table.sample.place, table.options).truth
    if len(truths) > 1:
        names = ", ".join(column.name for column in truths)
        raise UsageError(
            f"{table.sample.place}: several truths ({names}) cannot be read in chunks",
            code="H106",
            fix=f"name one with --truth (truth=), or {table.in_memory_fix}",
        )


RowStatistic = Callable[[Batch], Array]
NEEDS_ROWS = ("reliability", "columns", "marks")
"""Metrics that read these need several looks at every row; sums over chunks are not enough."""
RANKED = 30
"""With more classes than this none is ranked against the rest: every ranking takes some megabytes."""


def metrics_from_sums(measured: Measurement, *, grouped: bool, fix: str) -> list[Metric]:
    """The metrics that sums over chunks give; raise if one that needs all rows was requested by name."""
    settings = measured.settings
    for metric in settings.extra if settings.metrics is None else settings.metrics:
        if needs_rows(metric, grouped=grouped):
            why = f"{metric.name} needs all rows in memory at once, and they are read in chunks"
            raise UsageError(why, fix=fix)
    return [metric for metric in Measurement.metrics(measured) if not needs_rows(metric, grouped=grouped)]


def needs_rows(metric: Metric, *, grouped: bool) -> bool:
    """Whether sums over chunks are not enough: also for the median of groups, whose interval resamples groups."""
    return metric.reads in NEEDS_ROWS or metric.whole or (grouped and metric.interval == "middle")


def needed_sums(metrics: Iterable[Metric], batch: Batch, settings: Settings) -> Wanted:
    """The cells, bins and columns behind the metrics."""
    metrics = list(metrics)
    named = settings.metrics is None or bool({metric.name for metric in settings.metrics} & set(CLASS_SCORES))
    unlabelled = batch.prediction is None  # the classes are then counted with the scores
    by_class = batch.task == "multiclass" and batch.score is not None and named and len(batch.labels) <= RANKED
    sums = row_statistics(metrics, batch, settings)
    spread = [metric for metric in metrics if behind(metric).interval == "spread"]
    looked_at = {column_name(metric, behind(metric).needs[0]) for metric in spread}
    ordered = {"absolute_errors"} if any(metric.reads == "ordered" for metric in metrics) else set()
    return Wanted(
        cells=batch.task in ("binary", "multiclass") and batch.prediction is not None,
        bins=batch.score is not None
        and (by_class or unlabelled or any(metric.reads == "scores" for metric in metrics)),
        columns=sums or None,
        binned=tuple(sorted(looked_at | ordered)),
        draws=settings.draws if settings.method in DRAWN_METHODS else 0,
        seed=settings.seed,
    )


def row_statistics(metrics: Iterable[Metric], batch: Batch, settings: Settings) -> dict[str, RowStatistic]:
    """What a row adds to each sum, as functions that can be pickled."""
    functions: dict[str, RowStatistic] = {}
    table = batches.NUMBER_ROWS if batch.task == "regression" else batches.LOSS_ROWS
    if settings.cost is not None:
        table = {
            **table,
            "costs": CostOfPrediction(settings.cost),
            "minimum_risk_costs": CostOfLeastRisk(settings.cost),
        }
    for metric in metrics:
        if metric.reads == "ordered":
            functions["absolute_errors"] = table["absolute_errors"]
        if metric.reads not in ("losses", "numbers"):
            continue
        own = metric.rows or {}
        for name in dict.fromkeys((*metric.needs, *behind(metric).needs)):
            if name != "rows" or name in own:
                functions[column_name(metric, name)] = own[name] if name in own else table[name]
    if batch.task == "regression" and functions:  # for the model that always predicts the mean
        functions |= {name: table[name] for name in ("targets", "squared_targets")}
    return functions


def column_name(metric: Metric, name: str) -> str:
    """The name of a sum among those of all metrics; a sum of a user-defined metric has the metric in its name."""
    return f"{metric.name}: {name}" if metric.rows and name in metric.rows else name


def sums_of_metric(added: Units | Moments, metric: Metric) -> Units | Moments:
    """The sums of one metric, under the names that its formula has for them."""
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
    """The metric whose interval this metric's interval is computed from."""
    return metric if metric.via is None else METRICS[metric.via[0]]
