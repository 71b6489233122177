"""`compare` on chunked tables: a pass over each model, and one over all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from heldout.errors import DataError, UsageError
from heldout.formulas import Metric
from heldout.inputs import Check
from heldout.inputs.chunked.aligned_tables import (
    SAME_ORDER,
    AlignedTables,
    FileLengths,
    count_rows,
    known_lengths,
    other_table,
    rows_before,
)
from heldout.inputs.chunked.chunked_table import ChunkedTable
from heldout.inputs.reading import refuse_unused
from heldout.stats.best_of_many import Joint, joint_of_sums
from heldout.tallies.moments import Moments
from heldout.tallies.paired_totals import Models as PassModels, Moves, PairedTotals, Telling, TellingUnits
from heldout.verbs.chunked.chunked_evaluate import left_out, measure_chunks, needs_all_rows
from heldout.verbs.chunked.chunked_influence import (
    ChunkedPair,
    any_disagreement,
    apart_in_rows,
    apart_in_units,
    moves_of,
    named_columns,
    smooth_metrics,
)
from heldout.verbs.chunked.chunked_measurement import ChunkedMeasurement
from heldout.verbs.chunked.model_tables import ChunkedModels
from heldout.verbs.chunked.needed_sums import ChunkPass, pass_over
from heldout.verbs.chunked.table_source import ChunkedInput
from heldout.verbs.chunked.whole_table_checks import whole_table_checks
from heldout.verbs.compare.compared_models import Models
from heldout.verbs.compare.many_models import BestOfMany, best_from_joint, deciding_metric, metrics_of_all
from heldout.verbs.compare.model_pair import Both
from heldout.verbs.compare.model_rows import reference_model, two_or_more
from heldout.verbs.compare.row_matching import refuse_some_ids, same_question
from heldout.verbs.settings import Settings

OF_ROWS = ("permutation", "bootstrap")
"""Tests that resample or permute rows."""


@dataclass(frozen=True, kw_only=True)
class Entrant:
    """A model after its pass."""

    result: ChunkPass
    measured: ChunkedMeasurement
    checks: tuple[Check, ...]


def chunked_models(
    chunked: ChunkedModels, settings: Settings, *, baseline: str | None, primary: str | None, options: Mapping[str, Any]
) -> Models:
    """Models whose rows are never all in memory, measured alone and beside the baseline."""
    two_or_more(chunked.models)
    names = list(chunked.models)
    base = reference_model(baseline, names)
    _refuse_row_options(chunked.models[base], options)
    entrants = _measured(chunked, settings)
    _same_rows(entrants)
    measured = {name: one.measured for name, one in entrants.items()}
    order = [base, *(name for name in names if name != base)]
    metrics = smooth_metrics(measured[base])
    shared = {metric.name for metric in metrics_of_all(measured, base)}
    common = [metric for metric in metrics if metric.name in shared]
    chosen = deciding_metric(common, primary) if len(names) > 2 else None
    # DeLong's test by name has DeLong's variance, as in memory
    moves = {name: moves_of(one, metrics, raises=options["test"] != "delong") for name, one in measured.items()}
    models = _models(entrants, order, moves, None if chosen is None else metrics.index(chosen), chunked)
    table, columns = entrants[base].result.table, _columns(entrants, models)
    pairs: dict[str, Both]
    if models.recipes[0].group is None:
        pairs, joint = _in_rows(table.summed(Telling(models=models), columns), measured, order, metrics)
    else:
        moments = table.grouped(TellingUnits(models=models), columns)
        pairs, joint = _in_units(moments, measured, order, metrics, judged=chosen is not None)
    return Models(
        measured=dict(measured),
        baseline=base,
        matched_by="id"
        if not chunked.one_table and all(recipe.id is not None for recipe in models.recipes)
        else "position",
        unmatched=dict.fromkeys(names, 0),
        checks=tuple(dict.fromkeys(check for one in entrants.values() for check in one.checks)),
        sources=tuple(dict.fromkeys(source for one in entrants.values() for source in one.result.table.sources)),
        pairs=pairs,
        best=_together(chosen, measured, base, order, joint),
        engine=table.engine.name,
        chunks=table.chunks,
        in_memory_fix=table.in_memory_fix,
    )


def _refuse_row_options(table: ChunkedInput, options: Mapping[str, Any]) -> None:
    """Raise if an option needs the rows themselves."""
    of_rows = {
        "--unpaired (paired=False)": not options["paired"],
        "segments": bool(options["segments"]),
        "on_missing": options["on_missing"] != "error",
        f"the test {options['test']}": options["test"] in OF_ROWS,
    }
    for name, needs_rows in of_rows.items():
        if needs_rows:
            raise needs_all_rows(name, table)


def _measured(chunked: ChunkedModels, settings: Settings) -> dict[str, Entrant]:
    """Each model by itself; again with the labels of all models where one never predicts a label."""
    entrants = {name: _entrant(table, settings) for name, table in chunked.models.items()}
    refuse_unused(one.result.reading for one in entrants.values())
    batches = {name: one.result.reading.batch for name, one in entrants.items()}
    labels = tuple(dict.fromkeys(label for batch in batches.values() for label in batch.labels))
    numbers = any(batch.task == "regression" for batch in batches.values())
    if not chunked.one_table or numbers or all(len(batch.labels) == len(labels) for batch in batches.values()):
        return entrants
    known = sorted(labels, key=lambda label: (str(type(label)), label))
    again = {name: replace(table, options={**table.options, "labels": known}) for name, table in chunked.models.items()}
    return {name: _entrant(table, settings) for name, table in again.items()}


def _entrant(table: ChunkedInput, settings: Settings) -> Entrant:
    """A model, measured as `evaluate` does."""
    result = pass_over(table, settings)
    measured = measure_chunks(result)
    checks = (*result.reading.checks, *whole_table_checks(result), *left_out(measured, table))
    return Entrant(result=result, measured=measured, checks=checks)


def _same_rows(entrants: Mapping[str, Entrant]) -> None:
    """Raise unless the models can have the same rows: the same number, none dropped, and the same task."""
    names = list(entrants)
    totals = {name: one.result.totals for name, one in entrants.items()}
    for name, total in totals.items():
        if total.facts.dropped:
            raise DataError(
                f"rows of {name} were dropped, and without them the others cannot be matched",
                code="H101",
                fix="complete the values, or leave out those rows of every model",
            )
    table = entrants[names[0]].result.table
    if len({total.rows for total in totals.values()}) > 1:
        sizes = ", ".join(f"{total.rows:,} in {name}" for name, total in totals.items())
        raise DataError(f"the models have different numbers of rows: {sizes}", code="H101", fix=_alike(table))
    tables = {name: one.result.table for name, one in entrants.items()}
    files = {name: table.sources[0].path if table.sources else name for name, table in tables.items()}
    refuse_some_ids({files[name]: one.result.recipe.id is not None for name, one in entrants.items()})
    first = entrants[names[0]].result
    for name in names[1:]:
        other = entrants[name].result
        same_question(other.reading.batch, first.reading.batch)
        for what in ("weight", "group"):
            have = [one for one in (names[0], name) if getattr(entrants[one].result.recipe, what) is not None]
            if len(have) == 1:
                lack = name if have[0] == names[0] else names[0]
                raise DataError(f"{have[0]} has {what}s and {lack} has none", code="H101", fix=_alike(table))


def _alike(table: ChunkedInput) -> str:
    """The fix for rows that are not the same ones in the same order: in memory they are matched by id."""
    return f"{SAME_ORDER}, or {table.in_memory_fix}"


def _models(
    entrants: Mapping[str, Entrant],
    order: Sequence[str],
    moves: Mapping[str, Moves],
    judge: int | None,
    chunked: ChunkedModels,
) -> PassModels:
    """What the pass over all models needs to know about them."""
    return PassModels(
        names=tuple(order),
        recipes=tuple(entrants[name].result.recipe for name in order),
        moves=tuple(moves[name] for name in order),
        tables=(0,) * len(order) if chunked.one_table else tuple(range(len(order))),
        beside=None if chunked.one_table else _aligned([entrants[name].result.table for name in order]),
        judge=judge,
    )


def _aligned(tables: Sequence[ChunkedInput]) -> AlignedTables:
    """Where the rows of the other tables are beside those of the first."""
    sources = [table.source for table in tables if isinstance(table.source, ChunkedTable)]
    if len(sources) < len(tables):
        fix = "join them into one table with a column for each model, and name these: models={'name': 'column', …}"
        raise UsageError("frames that are not in memory cannot be read side by side", fix=fix)
    lengths = [_lengths(table, source) for table, source in zip(tables, sources, strict=True)]
    others = [
        other_table(source, length, table.columns)
        for source, length, table in zip(sources[1:], lengths[1:], tables[1:], strict=True)
    ]
    return AlignedTables(starts=rows_before(sources[0], lengths[0]), others=tuple(others), fix=_alike(tables[0]))


def _lengths(table: ChunkedInput, source: ChunkedTable) -> FileLengths:
    """Number of rows of each file; counted in a pass if the files do not store it."""
    return known_lengths(source) or table.summed(count_rows, table.columns[:1])


def _columns(entrants: Mapping[str, Entrant], models: PassModels) -> tuple[str, ...]:
    """The columns that are read of the first table."""
    inside = [name for name, table in zip(models.names, models.tables, strict=True) if table == 0]
    return tuple(dict.fromkeys(column for name in inside for column in entrants[name].result.table.columns))


def _in_rows(
    totals: PairedTotals, measured: Mapping[str, ChunkedMeasurement], order: Sequence[str], metrics: Sequence[Metric]
) -> tuple[dict[str, Both], Joint]:
    """Each model beside the baseline, and all together, where every row is a unit."""
    base = measured[order[0]]
    pairs: dict[str, Both] = {
        name: ChunkedPair(
            measured[name], base, apart_in_rows(totals, at, metrics, (measured[name], base)), totals.agreements[at]
        )
        for at, name in enumerate(order[1:])
    }
    return pairs, joint_of_sums(int(totals.sizes.sum()), totals.joint, totals.products)


def _in_units(
    moments: Moments,
    measured: Mapping[str, ChunkedMeasurement],
    order: Sequence[str],
    metrics: Sequence[Metric],
    *,
    judged: bool,
) -> tuple[dict[str, Both], Joint]:
    """Each model beside the baseline, and all together, where rows share units."""
    base = measured[order[0]]
    pairs: dict[str, Both] = {
        name: ChunkedPair(
            measured[name],
            base,
            apart_in_units(moments, at, metrics, (measured[name], base)),
            any_disagreement(moments, at),
        )
        for at, name in enumerate(order[1:])
    }
    names = [f"j{model}" for model in range(len(order))] if judged else []
    return pairs, joint_of_sums(moments.units, *named_columns(moments, names))


def _together(
    chosen: Metric | None,
    measured: Mapping[str, ChunkedMeasurement],
    base: str,
    order: Sequence[str],
    joint: Joint,
) -> BestOfMany | None:
    """All models compared jointly, in the order in which they were given."""
    if chosen is None:
        return None
    at = np.array([order.index(name) for name in measured])
    put = Joint(
        units=joint.units,
        covariance=joint.covariance[np.ix_(at, at)],
        errors=joint.errors[at],
        between=joint.between[np.ix_(at, at)],
    )
    return best_from_joint(chosen, measured, base, put, put.against(list(measured).index(base)))
