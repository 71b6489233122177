"""`evaluate` on a chunked table: one pass adds up what every metric needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.estimates.rounding import at_most
from heldout.inputs import Check
from heldout.inputs.chunked.sample_rows import checks_beside_roles
from heldout.inputs.reading import refuse_unused
from heldout.stats.neyman_pearson import certified_rank, next_above
from heldout.tallies.grid import edges, places
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
        in_memory_fix=table.in_memory_fix,
    )


def measure_chunks(result: ChunkPass) -> ChunkedMeasurement:
    """Estimates from the totals of a pass; where rows share units, further passes follow."""
    _refuse_extreme_weights(result)
    _refuse_merged_scores(result)
    by_unit = None if result.recipe.group is None else ByUnit(result, result.metrics)
    return ChunkedMeasurement(result.reading.batch, result.settings, result.totals, by_unit, result.table.in_memory_fix)


SQUARED = (1e-100, 1e100)
"""Between these the squares of weights, and sums of them, stay floating-point numbers of full precision."""


def _refuse_extreme_weights(result: ChunkPass) -> None:
    """Raise if squares of weights are rounded to zero or overflow: chunks are added up before the mean is known."""
    heaviest = result.totals.heaviest
    if result.recipe.weight is None or heaviest == 0 or SQUARED[0] < heaviest < SQUARED[1]:
        return
    raise DataError(
        f"the largest weight in {result.recipe.weight} is {heaviest:.6g}, and squares of such weights are not exact "
        "where rows are read in chunks",
        code="H108",
        fix="multiply all weights by the same number, so that they are near 1: only their ratios matter",
    )


ROUNDING = 4
"""Scores that so few steps of their precision part are equal but for how they were computed."""
COARSE = 0.005
"""How far the area under the ROC curve may be off, before scores are said to lie too close together for the grid."""


def _refuse_merged_scores(result: ChunkPass) -> None:
    """Raise if so many different scores share a place of the grid that their order is lost.

    Scores with a large offset (a million and something) all have a few places: any model would look like chance, and
    two models alike. Equal scores share a place too, and are ranked as in memory: the sample tells one from the other.
    """
    batch = result.reading.batch
    for label, bins in enumerate(result.totals.bins or ()):
        negatives, positives = bins.mass.astype(float)
        if not _unranked(positives, negatives) > COARSE or batch.score is None:
            continue
        several = batch.score.ndim == 2
        score = batch.score[:, label] if several else batch.score
        at, place = np.unique(places(score), return_inverse=True)
        least, largest = np.full(len(at), np.inf), np.full(len(at), -np.inf)
        np.minimum.at(least, place, score)
        np.maximum.at(largest, place, score)
        precision = np.finfo(score.dtype if score.dtype.kind == "f" else float).eps
        differ = largest - least > ROUNDING * precision * np.abs(largest)
        positive = batch.truth == (label if several else batch.positive)
        counted = [np.bincount(place[kind], minlength=len(at)) * differ for kind in (positive, ~positive)]
        rows = int(positive.sum()) * int((~positive).sum())
        off = float(counted[0] @ counted[1]) / (2 * rows) if rows else 0.0
        if off > COARSE:
            first, last = float(score.min()), float(score.max())
            raise DataError(
                f"scores from {first:.10g} to {last:.10g} lie too close together to be ranked in chunks: "
                f"roc_auc would be known within ±{at_most(off)} only",
                code="H108",
                fix=f"subtract a number such as {first:.6g} from every score, or {result.table.in_memory_fix}",
            )


def _unranked(positives: Array, negatives: Array) -> float:
    """Half the share of pairs of a positive and a negative row at one place."""
    pairs = float(positives.sum() * negatives.sum())
    return float(positives @ negatives) / (2 * pairs) if pairs > 0 else 0.0


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
