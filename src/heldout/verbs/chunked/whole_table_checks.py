"""What only all rows together can tell: rows that were dropped, one class only, decisions, scores that point back."""

from __future__ import annotations

from math import sqrt

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.formulas import METRICS
from heldout.inputs import Check
from heldout.inputs.columns.column import Column
from heldout.inputs.columns.score_column import decisions, turned
from heldout.inputs.reading import Parts
from heldout.inputs.wording import quoted
from heldout.tallies.score_histogram import Binned
from heldout.verbs.chunked.pass_over_chunks import Walked


def noticed(found: Walked) -> tuple[Check, ...]:
    """Checks on all rows; errors where they cannot be judged."""
    facts, place = found.totals.facts, found.stream.witnesses.place
    if not facts.kept:
        raise DataError(f"{place}: no row is complete: {_gaps(found)}", code="H305", fix="complete the values")
    if found.recipe.weight is not None and not found.totals.weight > 0:
        message = f"{place}: every weight in {found.recipe.weight} is zero"
        raise DataError(message, code="H109", fix="give at least one row a weight")
    return (*_dropped(found), *_one_class(found), *_of_scores(found))


def _dropped(found: Walked) -> tuple[Check, ...]:
    facts = found.totals.facts
    if not facts.dropped:
        return ()
    verb = "was" if facts.dropped == 1 else "were"
    return (Check(code="H305", text=f"{facts.dropped:,} of {facts.rows:,} rows {verb} dropped: {_gaps(found)}"),)


def _gaps(found: Walked) -> str:
    """Which columns lack values, and in how many rows."""
    texts = []
    for name, (missing, infinite) in found.totals.facts.gaps.items():
        texts += [f"{name} is missing in {missing:,} row{'' if missing == 1 else 's'}"] if missing else []
        texts += [f"{name} is infinite (inf) in {infinite:,} row{'' if infinite == 1 else 's'}"] if infinite else []
    return "; ".join(texts[:6])


def _one_class(found: Walked) -> tuple[Check, ...]:
    totals, recipe = found.totals, found.recipe
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


def _of_scores(found: Walked) -> tuple[Check, ...]:
    """Scores that are decisions are refused; scores that are higher for the other class too, or noted."""
    totals, recipe = found.totals, found.recipe
    if recipe.task != "binary" or recipe.score is None:
        return ()
    parts = Parts(
        door="table", place=found.stream.witnesses.place, truth=(Column(name=recipe.truth, values=np.zeros(0)),)
    )
    if totals.facts.decisions and totals.rows > 2 and totals.facts.bounds.get(recipe.score) == (0, 1):
        raise decisions(parts, recipe.score)
    if totals.bins is None:
        return ()
    ranking = Binned(filled=totals.bins[0])
    sizes = totals.bins[0].rows
    if totals.rows < 30 or not sizes.all():
        return ()
    means = [_mean(ranking.values, part) for part in (ranking.positives, ranking.negatives)]
    area = float(METRICS["roc_auc"](ranking.sums))
    chance = sqrt((totals.rows + 1) / (12 * float(sizes[0]) * float(sizes[1])))
    if not means[0] < means[1] or area >= 0.35 or 0.5 - area <= 3 * chance:
        return ()
    given = found.stream.options.get("positive") is not None
    assert recipe.positive is not None
    return turned(parts, recipe.labels, recipe.positive, means=(means[0], means[1]), auc=area, given=given)


def _mean(values: Array, mass: Array) -> float:
    return float(values @ mass / mass.sum())
