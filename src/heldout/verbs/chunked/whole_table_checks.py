"""Checks that need all rows: dropped rows, one class only, decisions instead of scores, reversed scores."""

from __future__ import annotations

from math import sqrt

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.formulas import METRICS
from heldout.inputs import Check
from heldout.inputs.columns.assembly import weightless_rows
from heldout.inputs.columns.role_columns import Origin
from heldout.inputs.columns.score_checks import decisions, reversed_scores
from heldout.inputs.message_text import quoted
from heldout.tallies.score_histogram import Binned
from heldout.verbs.chunked.needed_sums import ChunkPass


def whole_table_checks(result: ChunkPass) -> tuple[Check, ...]:
    """Check the totals of all rows; raise if they cannot be evaluated."""
    facts, place = result.totals.facts, result.table.sample.place
    if not facts.rows - facts.dropped:
        raise DataError(f"{place}: no row is complete: {_gaps(result)}", code="H305", fix="complete the values")
    if result.recipe.weight is not None and not facts.kept:
        message = f"{place}: every weight in {result.recipe.weight} is zero"
        raise DataError(message, code="H109", fix="give at least one row a positive weight")
    return (*_dropped(result), *_weightless(result), *_one_class(result), *_score_checks(result))


def _dropped(result: ChunkPass) -> tuple[Check, ...]:
    facts = result.totals.facts
    if not facts.dropped:
        return ()
    verb = "was" if facts.dropped == 1 else "were"
    return (Check(code="H305", text=f"{facts.dropped:,} of {facts.rows:,} rows {verb} dropped: {_gaps(result)}"),)


def _weightless(result: ChunkPass) -> tuple[Check, ...]:
    facts = result.totals.facts
    return (weightless_rows(str(result.recipe.weight), facts.weightless, facts.rows),) if facts.weightless else ()


def _gaps(result: ChunkPass) -> str:
    """Columns with missing values, and in how many rows they are missing."""
    texts = []
    for name, (missing, infinite) in result.totals.facts.gaps.items():
        texts += [f"{name} is missing in {missing:,} row{'' if missing == 1 else 's'}"] if missing else []
        texts += [f"{name} is infinite (inf) in {infinite:,} row{'' if infinite == 1 else 's'}"] if infinite else []
    return "; ".join(texts[:6])


def _one_class(result: ChunkPass) -> tuple[Check, ...]:
    totals, recipe = result.totals, result.recipe
    if recipe.task != "binary":
        return ()
    if totals.cells is not None:
        present = np.flatnonzero(totals.cells.sum(axis=1))
    elif totals.bins is not None:
        sizes = totals.bins[0].rows if recipe.positive == 1 else totals.bins[0].rows[::-1]
        present = np.flatnonzero(sizes)
    else:
        return ()
    if len(present) != 1:
        return ()
    seen = f"{recipe.truth} has one class only ({totals.rows:,} x {quoted(recipe.labels[int(present[0])])})"
    return (Check(code="H104", text=f"{seen}: recall or specificity, and AUC, are undefined"),)


def _score_checks(result: ChunkPass) -> tuple[Check, ...]:
    """Raise if scores are decisions; raise or note that they are higher for the negative class."""
    totals, recipe = result.totals, result.recipe
    if recipe.task != "binary" or recipe.score is None:
        return ()
    origin = Origin(kind="file", place=result.table.sample.place)
    if totals.facts.decisions and totals.rows > 2 and totals.facts.bounds.get(recipe.score) == (0, 1):
        raise decisions(origin, recipe.score)
    if totals.bins is None:
        return ()
    ranking = Binned(filled=totals.bins[0])
    sizes = totals.bins[0].rows
    if totals.rows < 30 or not sizes.all():
        return ()
    means = [_mean(ranking.values, mass) for mass in (ranking.positives, ranking.negatives)]
    area = float(METRICS["roc_auc"](ranking.sums))
    standard_error = sqrt((totals.rows + 1) / (12 * float(sizes[0]) * float(sizes[1])))
    if not means[0] < means[1] or area >= 0.35 or 0.5 - area <= 3 * standard_error:
        return ()
    given = result.table.options.get("positive") is not None
    assert recipe.positive is not None
    return reversed_scores(
        origin, recipe.truth, recipe.labels, recipe.positive, means=(means[0], means[1]), auc=area, given=given
    )


def _mean(values: Array, mass: Array) -> float:
    return float(values @ mass / mass.sum())
