"""The walk over all parts: what the columns mean is decided from witnesses, and decided again where rows contradict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from heldout.errors import DataError
from heldout.formulas import Metric
from heldout.inputs import Reading, Recipe, decided
from heldout.tallies.totals import Adding, Totals, Wanted
from heldout.verbs.chunked.needed_sums import told, wanted_for
from heldout.verbs.chunked.sources import Stream
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings, cost_matrix

WALKS = 8
"""So often what the columns mean is decided anew, at most: every walk shows what is new in all rows."""


@dataclass(frozen=True, kw_only=True)
class Walked:
    """What a walk over all rows found, and how their columns were understood."""

    stream: Stream
    reading: Reading
    """Of the witnesses: labels, columns and checks hold for all rows, its batch has some of them."""
    recipe: Recipe
    wanted: Wanted
    asked: Settings
    totals: Totals
    metrics: tuple[Metric, ...]
    """The metrics that were asked for, or all that fit."""


def walked(stream: Stream, asked: Settings, cost: Any = None, *, ranked: bool = False) -> Walked:
    """Walk over all rows, again where some show what the witnesses did not; scores are counted where `ranked`."""
    for _ in range(WALKS):
        reading, recipe = decided(stream.witnesses, **stream.options)
        ready = replace(asked, cost=cost_matrix(cost, reading.batch))
        some = Measurement(replace(reading.batch, weight=None), ready)
        metrics = told(some, grouped=recipe.group is not None, remedy=stream.remedy)
        wanted = wanted_for(metrics, reading.batch, ready)
        wanted = replace(wanted, bins=wanted.bins or (ranked and reading.batch.score is not None))
        totals = stream.summed(Adding(recipe=replace(recipe, segments=()), wanted=wanted))
        if totals.facts.witnesses is None:
            return Walked(
                stream=stream, reading=reading, recipe=recipe, wanted=wanted, asked=ready, totals=totals,
                metrics=tuple(metrics),
            )  # fmt: skip
        stream = stream.beside(totals.facts.witnesses)
    raise DataError(
        f"{stream.witnesses.place}: after {WALKS} walks over all rows there still are new values",
        code="H107",
        fix="name what the columns hold: --task, --labels, --positive, --threshold",
    )
