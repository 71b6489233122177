"""`compare` on tables in parts: a walk over each model, and one over all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from heldout.errors import DataError, UsageError
from heldout.formulas import Metric
from heldout.inputs import Check, Parted
from heldout.inputs.chunked.aligned_tables import JOIN, Alongside, Lengths, beside, lengths, lengths_of, rows_before
from heldout.stats.best_of_many import Joint, joint_of_sums
from heldout.tallies.moments import Moments
from heldout.tallies.paired_totals import Models, PairedTotals, Telling, TellingUnits
from heldout.verbs.chunked.chunked_evaluate import left_out, measured_in_parts
from heldout.verbs.chunked.chunked_influence import (
    StreamedBoth,
    apart_in_rows,
    apart_in_units,
    in_lines,
    moves_of,
    named_columns,
    said_differently,
)
from heldout.verbs.chunked.chunked_measurement import StreamedMeasurement
from heldout.verbs.chunked.model_tables import Streams
from heldout.verbs.chunked.pass_over_chunks import Walked, walked
from heldout.verbs.chunked.sources import Stream
from heldout.verbs.chunked.whole_table_checks import noticed
from heldout.verbs.compare.many_models import Contenders, Entrants, based_on, judge, judged_together
from heldout.verbs.compare.model_pair import Both
from heldout.verbs.compare.model_rows import same_question, two_or_more
from heldout.verbs.settings import Settings

OF_ROWS = ("permutation", "bootstrap")
"""Tests that draw or swap rows."""


@dataclass(frozen=True, kw_only=True)
class Entrant:
    """A model that was walked over."""

    walked: Walked
    measured: StreamedMeasurement
    checks: tuple[Check, ...]


def entrants_in_parts(
    streams: Streams, asked: Settings, *, baseline: str | None, primary: str | None, told: Mapping[str, Any]
) -> Entrants:
    """The models whose rows are never all in memory, measured alone and beside the baseline."""
    two_or_more(streams.models)
    names = list(streams.models)
    base = based_on(baseline, names)
    _can_be_told(streams.models[base], told)
    found = _walked(streams, asked)
    _same_rows(found, one_table=streams.one_table)
    measured = {name: one.measured for name, one in found.items()}
    order = [base, *(name for name in names if name != base)]
    metrics = in_lines(measured[base].metrics())
    chosen = judge(metrics, primary) if len(names) > 2 else None
    models = _models(found, order, metrics, chosen, streams)
    source, columns = found[base].walked.stream, _columns(found, models)
    pairs: dict[str, Both]
    if models.recipes[0].group is None:
        pairs, joint = _in_rows(_walk(source, columns, Telling(models=models)), measured, order, metrics)
    else:
        moments = source.engine.grouped(source.source, columns, TellingUnits(models=models), source.progress)
        pairs, joint = _in_units(moments, measured, order, metrics, judged=chosen is not None)
    return Entrants(
        measured=dict(measured),
        base=base,
        matched="id"
        if not streams.one_table and all(recipe.id is not None for recipe in models.recipes)
        else "position",
        only=dict.fromkeys(names, 0),
        checks=tuple(dict.fromkeys(check for one in found.values() for check in one.checks)),
        sources=tuple(dict.fromkeys(source for one in found.values() for source in one.walked.stream.sources)),
        pairs=pairs,
        many=_together(chosen, measured, base, order, joint),
        engine=source.engine.name,
        parts=source.parts,
    )


def _can_be_told(stream: Stream, told: Mapping[str, Any]) -> None:
    """Refuse what needs the rows themselves."""
    words = {
        "paired=False": not told["paired"],
        "segments": bool(told["segments"]),
        "on_missing": told["on_missing"] != "error",
        f"the test {told['test']}": told["test"] in OF_ROWS,
    }
    for name, needs_rows in words.items():
        if needs_rows:
            raise UsageError(f"{name} needs all rows in memory at once, and they are read in parts", fix=stream.remedy)


def _walked(streams: Streams, asked: Settings) -> dict[str, Entrant]:
    """Each model by itself; again with the labels of all where a column never has one of them."""
    found = {name: _entrant(stream, asked) for name, stream in streams.models.items()}
    batches = {name: one.walked.reading.batch for name, one in found.items()}
    labels = tuple(dict.fromkeys(label for batch in batches.values() for label in batch.labels))
    if not streams.one_table or all(len(batch.labels) == len(labels) for batch in batches.values()):
        return found
    known = sorted(labels, key=lambda label: (str(type(label)), label))
    again = {
        name: replace(stream, options={**stream.options, "labels": known}) for name, stream in streams.models.items()
    }
    return {name: _entrant(stream, asked) for name, stream in again.items()}


def _entrant(stream: Stream, asked: Settings) -> Entrant:
    """A model as `evaluate` measures it."""
    found = walked(stream, asked)
    measured = measured_in_parts(found)
    checks = (*found.reading.checks, *noticed(found), *left_out(measured, stream))
    return Entrant(walked=found, measured=measured, checks=checks)


def _same_rows(found: Mapping[str, Entrant], *, one_table: bool) -> None:
    """Whether the models can be the same rows: as many of them, none dropped, and one question."""
    names = list(found)
    totals = {name: one.walked.totals for name, one in found.items()}
    for name, total in totals.items():
        if total.facts.dropped:
            raise DataError(
                f"rows of {name} were dropped, and without them the others cannot be matched",
                code="H101",
                fix="complete the values, or leave out those rows of every model",
            )
    if len({total.rows for total in totals.values()}) > 1:
        sizes = ", ".join(f"{total.rows:,} in {name}" for name, total in totals.items())
        raise DataError(f"the models have different numbers of rows: {sizes}", code="H101", fix=JOIN)
    first = found[names[0]].walked
    for name in names[1:] if not one_table else ():
        other = found[name].walked
        same_question(other.reading.batch, first.reading.batch)
        for what in ("weight", "group"):
            have = [one for one in (names[0], name) if getattr(found[one].walked.recipe, what) is not None]
            if len(have) == 1:
                lack = name if have[0] == names[0] else names[0]
                raise DataError(f"{have[0]} has {what}s and {lack} has none", code="H101", fix=JOIN)


def _models(
    found: Mapping[str, Entrant],
    order: Sequence[str],
    metrics: Sequence[Metric],
    chosen: Metric | None,
    streams: Streams,
) -> Models:
    """What the walk over all models needs to know of them."""
    return Models(
        names=tuple(order),
        recipes=tuple(found[name].walked.recipe for name in order),
        moves=tuple(moves_of(found[name].measured, metrics) for name in order),
        tables=(0,) * len(order) if streams.one_table else tuple(range(len(order))),
        beside=None if streams.one_table else _alongside([found[name].walked.stream for name in order]),
        judge=None if chosen is None else list(metrics).index(chosen),
    )


def _alongside(streams: Sequence[Stream]) -> Alongside:
    """How the rows of the other tables are found beside those of the first."""
    sources = [stream.source for stream in streams]
    if not all(isinstance(source, Parted) for source in sources):
        raise UsageError("frames that are not in memory cannot be read side by side", fix=JOIN)
    counted = [_lengths(stream) for stream in streams]
    others = [
        beside(source, count, stream.columns)
        for source, count, stream in zip(sources[1:], counted[1:], streams[1:], strict=True)
    ]
    return Alongside(starts=rows_before(sources[0], counted[0]), others=tuple(others))


def _lengths(stream: Stream) -> Lengths:
    """How many rows each file has; those that do not say so are counted."""
    return lengths_of(stream.source) or _walk(stream, stream.columns[:1], lengths)


def _walk(stream: Stream, columns: Sequence[str], work: Any) -> Any:
    return stream.engine.summed(stream.source, columns, work, stream.progress)


def _columns(found: Mapping[str, Entrant], models: Models) -> tuple[str, ...]:
    """The columns that are read of the first table."""
    inside = [name for name, table in zip(models.names, models.tables, strict=True) if table == 0]
    return tuple(dict.fromkeys(column for name in inside for column in found[name].walked.stream.columns))


def _in_rows(
    totals: PairedTotals, measured: Mapping[str, StreamedMeasurement], order: Sequence[str], metrics: Sequence[Metric]
) -> tuple[dict[str, Both], Joint]:
    """Each model beside the baseline, and all together, where every row is a unit."""
    base = measured[order[0]]
    pairs: dict[str, Both] = {
        name: StreamedBoth(measured[name], base, apart_in_rows(totals, at, metrics), totals.agreements[at])
        for at, name in enumerate(order[1:])
    }
    return pairs, joint_of_sums(int(totals.sizes.sum()), totals.joint, totals.products)


def _in_units(
    moments: Moments,
    measured: Mapping[str, StreamedMeasurement],
    order: Sequence[str],
    metrics: Sequence[Metric],
    *,
    judged: bool,
) -> tuple[dict[str, Both], Joint]:
    """The same where rows share units."""
    base = measured[order[0]]
    pairs: dict[str, Both] = {
        name: StreamedBoth(measured[name], base, apart_in_units(moments, at, metrics), said_differently(moments, at))
        for at, name in enumerate(order[1:])
    }
    names = [f"j{model}" for model in range(len(order))] if judged else []
    return pairs, joint_of_sums(moments.units, *named_columns(moments, names))


def _together(
    chosen: Metric | None,
    measured: Mapping[str, StreamedMeasurement],
    base: str,
    order: Sequence[str],
    joint: Joint,
) -> Contenders | None:
    """All models judged together, in the order in which they were given."""
    if chosen is None or not all(chosen.name in {metric.name for metric in one.metrics()} for one in measured.values()):
        return None
    at = np.array([order.index(name) for name in measured])
    put = Joint(
        units=joint.units,
        covariance=joint.covariance[np.ix_(at, at)],
        errors=joint.errors[at],
        between=joint.between[np.ix_(at, at)],
    )
    return judged_together(chosen, measured, base, put, put.against(list(measured).index(base)))
