"""The segments that tell most: those that move a system's value, or its difference from the baseline, furthest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.formulas import Metric
from heldout.inputs.segments import Segments
from heldout.tallies.units import tally_units
from heldout.verbs.writing.text_differences import text_influence
from heldout.verbs.writing.wanted import Counted, kind_of

SHOWN = 3
"""How many segments are told for each direction."""


def telling_segments(
    metrics: Sequence[Metric], counts: Counted, segments: Segments, base: str, primary: str | None
) -> dict[str, tuple[dict[str, Any], ...]]:
    """By system: the segments that speak most against it and most for it, by the metric that decides, or the first.

    A system that stands alone has those that lower its value most.
    """
    chosen = [metric for metric in metrics if primary in (None, metric.name)]
    if not chosen:
        return {}
    metric = chosen[0]
    found = counts[kind_of(metric)]
    moved = {name: _moved(metric, columns) for name, columns in found.items()}
    if len(moved) == 1:
        return {base: _told(segments, base, None, metric, moved[base])}
    return {
        name: _told(segments, name, base, metric, _apart(one, moved[base]))
        for name, one in moved.items()
        if name != base
    }


def _apart(one: Array | None, other: Array | None) -> Array | None:
    return None if one is None or other is None else one - other


def _moved(metric: Metric, columns: Mapping[str, Array]) -> Array | None:
    return text_influence(metric, tally_units(columns))


def _told(
    segments: Segments, name: str, base: str | None, metric: Metric, moved: Array | None
) -> tuple[dict[str, Any], ...]:
    """The worst first, then the best, none of them twice and none that moves nothing."""
    if moved is None:
        return ()
    sign = -1.0 if metric.better == "lower" else 1.0
    order = np.argsort(sign * moved, kind="stable")
    best = [] if base is None else [at for at in order[::-1][:SHOWN].tolist() if sign * moved[at] > 0]
    worst = [at for at in order[:SHOWN].tolist() if sign * moved[at] < 0]
    return tuple(
        {
            "segment": at + 1,
            "metric": metric.name,
            "moved": float(moved[at]),
            "text": segments.systems[name][at],
            "baseline": None if base is None else segments.systems[base][at],
            "reference": segments.references[at][0],
        }
        for at in (*worst, *best)
    )
