"""`evaluate` on a chunked table: one pass adds up what every metric needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from heldout.errors import UsageError
from heldout.inputs import Check
from heldout.inputs.chunked.sample_rows import checks_beside_roles
from heldout.inputs.reading import refuse_unused
from heldout.stats.neyman_pearson import certified_rank, next_above
from heldout.tallies.grid import edges
from heldout.verbs.chunked.chunked_measurement import ChunkedMeasurement
from heldout.verbs.chunked.chunked_subgroups import chunked_subgroups
from heldout.verbs.chunked.grouped_rows import ByUnit
from heldout.verbs.chunked.needed_sums import ChunkPass, pass_over
from heldout.verbs.chunked.table_source import ChunkedInput
from heldout.verbs.chunked.whole_table_checks import whole_table_checks
from heldout.verbs.evaluate.evaluate import evaluation_of
from heldout.verbs.evaluate.evaluation import Evaluation
from heldout.verbs.evaluate.operating_point import (
    FrozenThreshold,
    OperatingPoint,
    about_this_class,
    certifiable,
    point_of,
)
from heldout.verbs.settings import Settings


def evaluate_chunked(
    table: ChunkedInput,
    settings: Settings,
    *,
    cost: Any = None,
    max_fpr: float | None = None,
    frozen: FrozenThreshold | None = None,
    needs_rows: Mapping[str, object],
) -> Evaluation:
    """Evaluate rows that are never all in memory; `needs_rows` are options that need all of them."""
    for name, value in needs_rows.items():
        if value is not None:
            raise needs_all_rows(name, table)
    with table.engine.running():
        return _evaluated(table, settings, cost=cost, max_fpr=max_fpr, frozen=frozen)


def needs_all_rows(what: str, table: ChunkedInput) -> UsageError:
    """The error for what cannot be done in chunks."""
    return UsageError(f"{what} needs all rows in memory at once, and they are read in chunks", fix=table.in_memory_fix)


def _evaluated(
    table: ChunkedInput, settings: Settings, *, cost: Any, max_fpr: float | None, frozen: FrozenThreshold | None
) -> Evaluation:
    beside = checks_beside_roles(table.source, table.columns, table.options)
    result = pass_over(table, settings, cost, ranked=max_fpr is not None)
    refuse_unused([result.reading])
    if result.recipe.segments and result.recipe.group is not None:
        raise needs_all_rows("a segment column of rows that share groups", table)
    checks = (*whole_table_checks(result), *beside)
    measured = measure_chunks(result)
    checks += () if frozen is None else _frozen_checks(frozen, result)
    reading = replace(
        result.reading, checks=(*result.reading.checks, *checks, *left_out(measured, table)), sources=table.sources
    )
    evaluation = evaluation_of(measured, reading)
    return replace(
        evaluation,
        segments=chunked_subgroups(result),
        operating_point=None if max_fpr is None else _operating_point(measured, max_fpr),
        order=measured.order,
        chunked=True,
        engine=table.engine.name,
        chunks=table.chunks,
    )


def measure_chunks(result: ChunkPass) -> ChunkedMeasurement:
    """Estimates from the totals of a pass; where rows share units, further passes follow."""
    by_unit = None if result.recipe.group is None else ByUnit(result, result.metrics)
    return ChunkedMeasurement(result.reading.batch, result.settings, result.totals, by_unit)


def _operating_point(measured: ChunkedMeasurement, max_fpr: float) -> OperatingPoint:
    """The lowest threshold between two bins of the grid whose false positive rate is certified, and its recall.

    The certificate needs a threshold above a negative score of a certain rank. The number after the upper edge of the
    bin of that score is one, and it divides two bins: the counts on either side of it are exact.
    """
    certifiable(measured.batch, max_fpr, rows=measured.rows, units=measured.units, weighted=measured.weighted)
    assert measured.totals.bins is not None, "scores are counted where max_fpr is given"
    bins, level = measured.totals.bins[0], measured.settings.level
    negatives, positives = bins.mass
    certified = certified_rank(int(negatives.sum()), max_fpr, level)
    hits = 0
    if certified.rank is not None:
        at = int(np.searchsorted(np.cumsum(negatives), certified.rank))
        threshold = next_above(float(min(edges(bins.place[at : at + 1])[1][0], bins.largest)))
        certified = replace(certified, threshold=threshold)
        hits = int(positives[at + 1 :].sum())
    return point_of(certified, hits, int(positives.sum()), int(negatives.sum()), max_fpr=max_fpr, confidence=level)


def left_out(measured: ChunkedMeasurement, table: ChunkedInput) -> tuple[Check, ...]:
    """A note on the metrics that need all rows in memory."""
    names = measured.left_out()
    if not names:
        return ()
    text = f"left out, because rows are read in chunks: {', '.join(names)}; to include them, {table.in_memory_fix}"
    return (Check(code="H111", text=text),)


def _frozen_checks(frozen: FrozenThreshold, result: ChunkPass) -> tuple[Check, ...]:
    """Check that a frozen threshold is for the positive class; note that its rows are not compared with these."""
    about_this_class(frozen, result.reading.batch)
    text = f"rows are read in chunks, so it is not checked whether {frozen.name} was chosen on these rows"
    return (Check(code="H302", text=text),)
