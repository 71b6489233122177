"""The same metrics in parts of the rows, and whether they differ between them."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

import numpy as np

from heldout.batch import Array, Batch
from heldout.estimates import Estimate
from heldout.formulas import METRICS, Metric
from heldout.intervals.simultaneous import bonferroni
from heldout.stats.heterogeneity import heterogeneity_of_shares, joint_covariance, largest_gap
from heldout.verbs.evaluate.evaluation import Segmented, SegmentGap
from heldout.verbs.evaluate.subgroup_heterogeneity import Parts, corrected, influence_in
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

SMALLEST_SEGMENT = 30
"""Segments with fewer rows than this are folded together."""
FEWEST_EVENTS = 10
"""So are segments of two classes with fewer than this many rows of one of them."""
Found = dict[str, dict[str, Estimate]]


def segmented(batch: Batch, column: str, asked: Settings) -> Segmented:
    """Estimates in each segment that is large enough, with intervals that hold together, and one test per metric."""
    parts = large_segments(batch, column)
    level = bonferroni(asked.level, max(len(parts.chosen), 1))
    inner = replace(asked, level=level)
    measured = {name: Measurement(batch.take(rows), inner) for name, rows in parts.chosen.items()}
    kept = {name: one.overall(printed=True) for name, one in measured.items()}
    tests: dict[str, tuple[float, str]] = {}
    gaps: dict[str, SegmentGap] = {}
    for metric in _shared(measured, kept) if len(measured) > 1 else []:
        moves = {name: influence_in(one, metric) for name, one in measured.items()}
        moved = {name: part for name, part in moves.items() if part is not None}
        tests[metric.name] = _tested(metric, parts, measured, kept, moved)
        if isnan(tests[metric.name][0]):
            continue
        gap = _gap(parts, _two_sided(metric, measured, kept), moved, asked, level)
        if gap is not None:
            gaps[metric.name] = gap
    return Segmented(
        shown={name: (one.batch.rows, one.batch.units, kept[name]) for name, one in measured.items()},
        folded=parts.folded,
        level=level,
        heterogeneity=corrected(tests),
        gap=gaps,
    )


def large_segments(batch: Batch, column: str) -> Parts:
    """The segments of a column that are large enough to judge."""
    segment = batch.segments[column]
    every = {name: segment.codes == code for code, name in enumerate(segment.names)}
    every = {name: rows for name, rows in every.items() if rows.any()}
    large = {name: rows for name, rows in every.items() if _large_enough(batch, rows)}
    folded = [int(rows.sum()) for name, rows in every.items() if name not in large]
    return Parts(batch=batch, chosen=large, folded=(len(folded), sum(folded)))


def _large_enough(batch: Batch, rows: Array) -> bool:
    if int(rows.sum()) < SMALLEST_SEGMENT:
        return False
    if batch.task == "binary" and len(np.unique(batch.truth)) == 2:  # the log of an evaluation has one class only
        return int(np.bincount(batch.truth[rows], minlength=2).min()) >= FEWEST_EVENTS
    return True


def _shared(measured: dict[str, Measurement], kept: Found) -> list[Metric]:
    """The metrics that are shown in every segment."""
    first = next(iter(measured.values()))
    return [metric for metric in first.metrics() if all(metric.name in every for every in kept.values())]


def _tested(
    metric: Metric, parts: Parts, measured: dict[str, Measurement], kept: Found, moved: dict[str, Array]
) -> tuple[float, str]:
    """P-value and name of the test that suits a metric: the one place that chooses."""
    asked = next(iter(measured.values())).settings
    behind = METRICS[metric.via[0]] if metric.via else metric
    counts = [_count(metric, behind, measured[name], kept[name]) for name in parts.names] if parts.plain else [None]
    known = [count for count in counts if count is not None and count[1] > 0]
    if len(known) == len(counts):
        hits, of = np.array(known).T
        return heterogeneity_of_shares(hits, of, draws=asked.draws, seed=asked.seed), "chi-square, hits permuted"
    values = {name: float(kept[name][metric.name].value) for name in parts.names}
    return parts.tested(values, moved, draws=asked.draws, seed=asked.seed)


def _count(metric: Metric, behind: Metric, one: Measurement, kept: dict[str, Estimate]) -> tuple[float, float] | None:
    """Hits and rows of a share, or of the share that a metric is a function of."""
    e = kept[metric.name] if behind is metric else one.one(behind, one.batch.positive if behind.one_class else None)
    return e.count


def _two_sided(metric: Metric, measured: dict[str, Measurement], kept: Found) -> list[Estimate]:
    """The estimates with both ends, also where one was asked for."""
    if all(one.settings.side == "two-sided" for one in measured.values()):
        return [every[metric.name] for every in kept.values()]
    both = [Measurement(one.given, replace(one.settings, side="two-sided")) for one in measured.values()]
    return [one.one(metric) for one in both]


def _gap(
    parts: Parts, estimates: list[Estimate], moved: dict[str, Array], asked: Settings, each: float
) -> SegmentGap | None:
    """The largest gap between two segments that is supported; None where none is."""
    names = parts.names
    correlation = None
    if parts.overlap:
        if len(moved) < len(names):
            return None
        sizes = np.array([len(moved[name]) for name in names])
        covariance = joint_covariance(parts.joint(names, [moved[name] for name in names]), sizes)
        errors = np.sqrt(np.maximum(np.diag(covariance), 1e-290))
        correlation = covariance / np.outer(errors, errors)
    value, low, high = (np.array([getattr(e, end) for e in estimates], float) for end in ("value", "low", "high"))
    found = largest_gap(
        value, low, high, each, asked.level, correlation=correlation, draws=max(asked.draws, 2000), seed=asked.seed
    )
    if found is None:
        return None
    return SegmentGap(
        more=names[found.more], less=names[found.less], value=found.value, low=found.low, high=found.high,
        level=asked.level,
    )  # fmt: skip
