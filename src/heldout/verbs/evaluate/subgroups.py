"""The same metrics in parts of the rows, and whether they differ between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan

import numpy as np

from heldout.batch import Array, Batch
from heldout.estimates import Estimate
from heldout.formulas import METRICS, Metric
from heldout.inputs.message_text import quoted
from heldout.intervals.simultaneous import bonferroni
from heldout.stats.heterogeneity import heterogeneity_of_shares, joint_covariance, largest_gap
from heldout.verbs.evaluate.evaluation import Segmented, SegmentGap
from heldout.verbs.evaluate.subgroup_heterogeneity import Parts, corrected, influence_in
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

SMALLEST_SEGMENT = 30
"""Segments with fewer rows than this are not judged."""
FEWEST_EVENTS = 10
"""With fewer rows of one of two classes than this, only metrics of all rows are judged."""
Found = dict[str, dict[str, Estimate]]


def segmented(batch: Batch, column: str, asked: Settings) -> Segmented:
    """Estimates in each segment that is large enough, with intervals that hold together, and one test per metric."""
    parts = judged_segments(batch, column, Measurement(batch, asked).shown())
    level = bonferroni(asked.level, max(len(parts.chosen), 1))
    inner = replace(asked, level=level)
    measured = {name: Measurement(batch.take(rows), inner) for name, rows in parts.chosen.items()}
    kept = {name: one.overall(printed=True, of_all_rows=name in parts.rare) for name, one in measured.items()}
    tests: dict[str, tuple[float, str]] = {}
    gaps: dict[str, SegmentGap] = {}
    for metric in _shown_metrics(measured, kept):
        of_metric = parts.with_metric(metric)
        judged = {name: measured[name] for name in of_metric.names}
        if len(judged) < 2 or not all(metric.name in kept[name] for name in judged):
            continue
        moves = {name: influence_in(one, metric) for name, one in judged.items()}
        moved = {name: part for name, part in moves.items() if part is not None}
        tests[metric.name] = _tested(metric, of_metric, judged, kept, moved)
        if isnan(tests[metric.name][0]):
            continue
        gap = _gap(of_metric, _two_sided(metric, judged, kept), moved, asked, level)
        if gap is not None:
            gaps[metric.name] = gap
    return Segmented(
        shown={name: (one.batch.rows, one.batch.units, kept[name]) for name, one in measured.items()},
        folded=parts.folded,
        small=parts.small,
        level=level,
        heterogeneity=corrected(tests),
        gap=gaps,
    )


def judged_segments(batch: Batch, column: str, metrics: Sequence[Metric]) -> Parts:
    """The segments of a column that some of these metrics can be judged in, and why others cannot."""
    segment = batch.segments[column]
    every = {name: segment.codes == code for code, name in enumerate(segment.names)}
    every = {name: rows for name, rows in every.items() if rows.any()}
    two = batch.task == "binary" and len(np.unique(batch.truth)) == 2  # the log of an evaluation has one class only
    reasons = {
        name: too_few(np.bincount(batch.truth[rows], minlength=2).tolist() if two else None, int(rows.sum()), batch)
        for name, rows in every.items()
    }
    small = {name: (int(every[name].sum()), reason) for name, reason in reasons.items() if reason}
    rare = frozenset(name for name, (rows, _) in small.items() if rows >= SMALLEST_SEGMENT)
    shown = rare if any(metric.of_all_rows for metric in metrics) else frozenset[str]()
    chosen = {name: rows for name, rows in every.items() if name not in small or name in shown}
    return Parts(batch=batch, chosen=chosen, small=small, rare=shown)


def too_few(sizes: Sequence[int] | None, rows: int, batch: Batch) -> str:
    """Why a segment is too small for some or all metrics; empty if it is not. `sizes` are rows of two classes."""
    if rows < SMALLEST_SEGMENT:
        return f"fewer than {SMALLEST_SEGMENT} rows"
    if sizes is None or min(sizes) >= FEWEST_EVENTS:
        return ""
    count, label = min(zip(sizes, batch.labels, strict=True), key=lambda pair: pair[0])
    return f"{count} row{'' if count == 1 else 's'} of {quoted(label)}, fewer than {FEWEST_EVENTS}"


def _shown_metrics(measured: dict[str, Measurement], kept: Found) -> list[Metric]:
    """The metrics that are shown in some segment."""
    first = next(iter(measured.values()), None)
    known = {name for every in kept.values() for name in every}
    return [] if first is None else [metric for metric in first.metrics() if metric.name in known]


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
        return [kept[name][metric.name] for name in measured]
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
