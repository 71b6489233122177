"""`evaluate` on a table in parts: one walk adds up what every metric needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from heldout.errors import UsageError
from heldout.inputs import Check
from heldout.stats.neyman_pearson import certified_rank
from heldout.tallies.grid import edges
from heldout.verbs.chunked.chunked_measurement import StreamedMeasurement
from heldout.verbs.chunked.chunked_subgroups import segmented_in_parts
from heldout.verbs.chunked.grouped_rows import ByUnit
from heldout.verbs.chunked.pass_over_chunks import Walked, walked
from heldout.verbs.chunked.sources import Stream
from heldout.verbs.chunked.whole_table_checks import noticed
from heldout.verbs.evaluate.evaluate import evaluation_of
from heldout.verbs.evaluate.evaluation import Evaluation
from heldout.verbs.evaluate.frozen_threshold import FrozenThreshold, about_this_class
from heldout.verbs.evaluate.operating_point import OperatingPoint, certifiable, point_of
from heldout.verbs.settings import Settings


def operating_point_in_parts(measured: StreamedMeasurement, max_fpr: float) -> OperatingPoint:
    """The lowest threshold between two places of the grid whose false positive rate is certified, and its recall.

    The certificate asks for a threshold no lower than a negative score of a certain rank. The largest number at the
    place of that score is one, and it divides two places: the counts on either side of it are exact.
    """
    certifiable(measured.batch, max_fpr, rows=measured.rows, units=measured.units, weighted=measured.weighted)
    assert measured.totals.bins is not None, "a table with scores has been asked for their order"
    filled, level = measured.totals.bins[0], measured.settings.level
    negatives, positives = filled.mass
    found = certified_rank(int(negatives.sum()), max_fpr, level)
    hits = 0
    if found.rank is not None:
        at = int(np.searchsorted(np.cumsum(negatives), found.rank))
        found = replace(found, threshold=float(min(edges(filled.place[at : at + 1])[1][0], filled.largest)))
        hits = int(positives[at + 1 :].sum())
    return point_of(found, hits, int(positives.sum()), int(negatives.sum()), max_fpr=max_fpr, confidence=level)


def evaluated_in_parts(
    stream: Stream,
    asked: Settings,
    *,
    cost: Any = None,
    max_fpr: float | None = None,
    frozen: FrozenThreshold | None = None,
    needs_rows: Mapping[str, Any],
) -> Evaluation:
    """The evaluation of rows that are never all in memory; `needs_rows` are options that cannot do without."""
    for name, value in needs_rows.items():
        if value is not None:
            raise UsageError(f"{name} needs all rows in memory at once, and they are read in parts", fix=stream.remedy)
    with stream.engine.running():
        return _evaluated(stream, asked, cost=cost, max_fpr=max_fpr, frozen=frozen)


def _evaluated(
    stream: Stream, asked: Settings, *, cost: Any, max_fpr: float | None, frozen: FrozenThreshold | None
) -> Evaluation:
    found = walked(stream, asked, cost, ranked=max_fpr is not None)
    if found.recipe.segments and found.recipe.group is not None:
        message = "segments of rows that share groups need all rows in memory at once, and they are read in parts"
        raise UsageError(message, fix=stream.remedy)
    checks = noticed(found)
    measured = measured_in_parts(found)
    checks += () if frozen is None else _frozen(frozen, found)
    reading = replace(
        found.reading, checks=(*found.reading.checks, *checks, *left_out(measured, stream)), sources=stream.sources
    )
    made = evaluation_of(measured, reading)
    return replace(
        made,
        segments=segmented_in_parts(found),
        operating_point=None if max_fpr is None else operating_point_in_parts(measured, max_fpr),
        order=measured.order,
        in_parts=True,
        engine=stream.engine.name,
        parts=stream.parts,
    )


def measured_in_parts(found: Walked) -> StreamedMeasurement:
    """Estimates from what a walk over all rows added up; where rows share units, other walks follow."""
    by_unit = None if found.recipe.group is None else ByUnit(found, found.metrics)
    return StreamedMeasurement(found.reading.batch, found.asked, found.totals, by_unit)


def left_out(measured: StreamedMeasurement, stream: Stream) -> tuple[Check, ...]:
    """A word on the metrics that only rows in memory would have."""
    names = measured.left_out()
    if not names:
        return ()
    text = f"left out, because rows are read in parts: {', '.join(names)}; to have them, {stream.remedy}"
    return (Check(code="H111", text=text),)


def _frozen(frozen: FrozenThreshold, found: Walked) -> tuple[Check, ...]:
    """A frozen threshold is about the positive class; whether these rows chose it, nobody has looked."""
    about_this_class(frozen, found.reading.batch)
    text = f"rows are read in parts, so nobody looked whether {frozen.name} was chosen on these rows"
    return (Check(code="H302", text=text),)
