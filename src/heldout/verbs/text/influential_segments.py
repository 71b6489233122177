"""The segments that tell most: those that move a system's value, or its difference from the baseline, furthest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.formulas import Metric
from heldout.inputs.formats.parallel_texts import Segments
from heldout.language.sacre import Reading
from heldout.tallies.units import tally_units
from heldout.verbs.text.metric_choice import Counted, kind_of, of_one_segment
from heldout.verbs.text.text_difference import text_influence

SHOWN = 5
"""How many segments are told for each direction; twice as many where there is one."""


@dataclass(frozen=True, kw_only=True)
class Telling:
    """What single segments tell, by the metric that decides, or the first."""

    metric: Metric
    values: Mapping[str, Array]
    """By system: the metric of every segment alone."""
    segments: Mapping[str, tuple[dict[str, Any], ...]]
    """By system: the segments that speak most against it and most for it; of one alone, those that lower its value."""


def telling_segments(
    metrics: Sequence[Metric], counts: Counted, segments: Segments, *, base: str, primary: str | None, reading: Reading
) -> Telling:
    """The metric of every segment alone, and the segments that move the value, or the difference, most."""
    metric = next(one for one in metrics if primary in (None, one.name))
    found = counts[kind_of(metric)]
    moved = {name: _moved(metric, columns) for name, columns in found.items()}
    alone = of_one_segment(metric, reading)
    values = {name: alone(columns) for name, columns in found.items()}
    if len(moved) == 1:
        told = {base: _told(segments, base, None, metric=metric, moved=moved[base], values=values)}
    else:
        told = {
            name: _told(segments, name, base, metric=metric, moved=_apart(one, moved[base]), values=values)
            for name, one in moved.items()
            if name != base
        }
    return Telling(metric=metric, values=values, segments=told)


def _apart(one: Array | None, other: Array | None) -> Array | None:
    return None if one is None or other is None else one - other


def _moved(metric: Metric, columns: Mapping[str, Array]) -> Array | None:
    return text_influence(metric, tally_units(columns))


def _told(
    segments: Segments,
    name: str,
    base: str | None,
    *,
    metric: Metric,
    moved: Array | None,
    values: Mapping[str, Array],
) -> tuple[dict[str, Any], ...]:
    """The worst first, then the best; none that moves nothing, nor one that both systems wrote alike."""
    if moved is None:
        return ()
    sign = -1.0 if metric.better == "lower" else 1.0
    order = np.argsort(sign * moved, kind="stable").tolist()
    if base is not None:
        order = [at for at in order if segments.systems[name][at] != segments.systems[base][at]]
    best = [] if base is None else [at for at in order[::-1][:SHOWN] if sign * moved[at] > 0]
    worst = [at for at in order[: SHOWN if base is not None else 2 * SHOWN] if sign * moved[at] < 0]
    return tuple(
        {
            "segment": at + 1,
            "metric": metric.name,
            "moved": float(moved[at]),
            "value": _plain(values[name][at]),
            "baseline_value": None if base is None else _plain(values[base][at]),
            "text": segments.systems[name][at],
            "baseline": None if base is None else segments.systems[base][at],
            "reference": segments.references[at][0],
        }
        for at in (*worst, *best)
    )


def _plain(value: float) -> float | None:
    return float(value) if isfinite(value) else None
