"""Metrics by subgroup on a chunked table, and tests of whether they differ between subgroups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite, nan

import numpy as np

from heldout.errors import DataError
from heldout.estimates import Estimate
from heldout.estimates.question import Question
from heldout.formulas import Metric
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.chunked.column_recipe import Recipe
from heldout.inputs.columns.assembly import segment
from heldout.inputs.columns.column_values import from_arrow
from heldout.intervals.simultaneous import bonferroni
from heldout.stats.heterogeneity import ENOUGH, heterogeneity_of_many, heterogeneity_of_shares, largest_gap
from heldout.tallies.totals import Adding, Totals, Wanted
from heldout.verbs.chunked.chunked_measurement import ChunkedMeasurement
from heldout.verbs.chunked.needed_sums import ChunkPass, behind
from heldout.verbs.evaluate.evaluation import Segmented, SegmentGap
from heldout.verbs.evaluate.subgroup_heterogeneity import corrected
from heldout.verbs.evaluate.subgroups import SMALLEST_SEGMENT, too_few
from heldout.verbs.settings import Settings

MOST = 200
"""A column with more subgroups than this is an error."""
MISSING = "(missing)"


@dataclass(frozen=True, kw_only=True)
class BySegment:
    """Totals by column and value; `a + b` are the totals over both."""

    found: Mapping[str, Mapping[str, Totals]]
    in_memory_fix: str

    def __add__(self, other: BySegment) -> BySegment:
        return BySegment(
            found={
                column: self._few(column, _together(self.found.get(column, {}), other.found.get(column, {})))
                for column in dict.fromkeys((*self.found, *other.found))
            },
            in_memory_fix=self.in_memory_fix,
        )

    def _few(self, column: str, named: Mapping[str, Totals]) -> Mapping[str, Totals]:
        if len(named) > MOST:
            raise DataError(
                f"{column} has more than {MOST} values, too many for segments of rows that are read in chunks",
                code="H111",
                fix=f"name a column with fewer values, or {self.in_memory_fix}",
            )
        return named


@dataclass(frozen=True, kw_only=True)
class SegmentAdding:
    """The work on chunks, which can be pickled: chunks to totals by subgroup."""

    recipe: Recipe
    wanted: Wanted
    in_memory_fix: str

    def __call__(self, chunks: Iterable[Chunk]) -> BySegment:
        total = BySegment(found={}, in_memory_fix=self.in_memory_fix)
        adding = Adding(recipe=replace(self.recipe, segments=()), wanted=self.wanted)
        for chunk in chunks:
            divided = {
                column: {name: adding([some]) for name, some in _divided(chunk, column)}
                for column in self.recipe.segments
            }
            total = total + replace(total, found=divided)
        return total


def _divided(chunk: Chunk, column: str) -> Iterator[tuple[str, Chunk]]:
    """The rows of a chunk by the values of a column."""
    import pyarrow as pa

    codes = segment(from_arrow(column, chunk.batch.column(column)))
    for at, name in enumerate(codes.names):
        chosen = codes.codes == at
        if chosen.any():
            yield name, replace(chunk, batch=chunk.batch.filter(pa.array(chosen)))


def _together(one: Mapping[str, Totals], two: Mapping[str, Totals]) -> dict[str, Totals]:
    return {
        name: one[name] + two[name] if name in one and name in two else {**one, **two}[name] for name in {**one, **two}
    }


def chunked_subgroups(result: ChunkPass) -> dict[str, Segmented]:
    """Estimates in each subgroup of every segment column, from one more pass."""
    if not result.recipe.segments:
        return {}
    adding = SegmentAdding(recipe=result.recipe, wanted=result.sums, in_memory_fix=result.table.in_memory_fix)
    by_segment = result.table.summed(adding)
    return {column: _segmented(result, by_segment.found[column]) for column in result.recipe.segments}


def _segmented(result: ChunkPass, totals: Mapping[str, Totals]) -> Segmented:
    """Estimates in each subgroup that is large enough, with simultaneous intervals, and one test per metric."""
    settings, two = result.settings, _has_two_classes(result)
    every = {name: totals[name] for name in sorted(totals, key=_rank) if totals[name].rows}
    batch = result.reading.batch
    reasons = {
        name: too_few(_in_label_order(result, one) if two else None, one.rows, batch) for name, one in every.items()
    }
    small = {name: (every[name].rows, reason) for name, reason in reasons.items() if reason}
    rare = {name for name, (rows, _) in small.items() if rows >= SMALLEST_SEGMENT}
    if not any(metric.of_all_rows and (metric.printed or settings.metrics is not None) for metric in result.metrics):
        rare = set()
    large = {name: one for name, one in every.items() if name not in small or name in rare}
    level = bonferroni(settings.level, max(len(large), 1))
    inner = replace(settings, level=level)
    measured = {name: ChunkedMeasurement(batch, inner, one) for name, one in large.items()}
    kept = {name: one.overall(printed=True, of_all_rows=name in rare) for name, one in measured.items()}
    tests: dict[str, tuple[float, str]] = {}
    gaps: dict[str, SegmentGap] = {}
    for metric in result.metrics:
        judged = {name: one for name, one in measured.items() if metric.of_all_rows or name not in rare}
        if len(judged) < 2 or not all(metric.name in kept[name] for name in judged):
            continue
        tests[metric.name] = _tested(metric, judged, kept)
        gap = None if not isfinite(tests[metric.name][0]) else _gap(metric, judged, kept, settings)
        if gap is not None:
            gaps[metric.name] = gap
    return Segmented(
        shown={name: (one.rows, one.units, kept[name]) for name, one in measured.items()},
        folded=(len(small), sum(rows for rows, _ in small.values())),
        small=small,
        level=level,
        heterogeneity=corrected(tests) if tests else {},
        gap=gaps,
    )


def _rank(name: str) -> tuple[int, float, str]:
    """Numbers by size, text by code point, rows without a value at the end."""
    try:
        return (0, float(name), name)
    except ValueError:
        return (2 if name == MISSING else 1, 0.0, name)


def _has_two_classes(result: ChunkPass) -> bool:
    return result.recipe.task == "binary" and min(_sizes(result.totals)) > 0


def _in_label_order(result: ChunkPass, totals: Totals) -> list[int]:
    """Rows of each of two classes in the order of the labels; rankings have those of the positive class first."""
    sizes = _sizes(totals)
    return sizes if totals.bins is None or result.recipe.positive == 0 else sizes[::-1]


def _sizes(totals: Totals) -> list[int]:
    """Rows of each of two classes; all rows if only weights were added up."""
    if totals.bins is not None:
        return [int(size) for size in totals.bins[0].rows]
    if totals.cells is None or totals.cell_squares is not None:
        return [totals.rows, totals.rows]
    return [int(size) for size in totals.cells.sum(axis=1)]


Found = Mapping[str, dict[str, Estimate]]


def _tested(metric: Metric, measured: Mapping[str, ChunkedMeasurement], kept: Found) -> tuple[float, str]:
    """P-value and name of the test that all segments have one value: counts of a share, or many rows in each."""
    first = next(iter(measured.values()))
    settings, of = first.settings, behind(metric)
    label = first.batch.positive if of.one_class else None
    counts = [one.one(of, label).count for one in measured.values()]
    known = [count for count in counts if count is not None and count[1] > 0]
    if len(known) == len(counts):
        hits, sizes = np.array(known).T
        return heterogeneity_of_shares(
            hits, sizes, draws=settings.draws, seed=settings.seed
        ), "chi-square, hits permuted"
    many = [name for name, one in measured.items() if _smaller_class(one) >= ENOUGH]
    values = np.array([float(kept[name][metric.name].value) for name in many])
    variances = np.array([_variance(metric, measured[name]) for name in many])
    if len(many) < 2 or not np.isfinite([*values, *variances]).all() or variances.min() <= 0:
        return nan, "none"
    some = "" if len(many) == len(measured) else f", the {len(many)} of {len(measured)} segments with {ENOUGH:,} rows"
    return heterogeneity_of_many(values, variances), f"Q, chi-square{some}"


def _smaller_class(one: ChunkedMeasurement) -> int:
    """Rows of the smaller one of two classes; of other tasks, all rows."""
    return min(_sizes(one.totals)) if one.batch.task == "binary" else one.rows


def _variance(metric: Metric, one: ChunkedMeasurement) -> float:
    if metric.reads == "ordered":
        return nan
    label = one.batch.positive if metric.one_class else None
    return Question(metric=metric, tally=one.tally(metric, label), level=0.95, label=label).variance


def _gap(
    metric: Metric, measured: Mapping[str, ChunkedMeasurement], kept: Found, settings: Settings
) -> SegmentGap | None:
    """The largest gap between two segments that is supported; None where none is."""
    estimates = [kept[name][metric.name] for name in measured]
    if settings.side != "two-sided":
        both = [replace(one, settings=replace(one.settings, side="two-sided")) for one in measured.values()]
        estimates = [one.one(metric) for one in both]
    value, low, high = (np.array([getattr(e, end) for e in estimates], float) for end in ("value", "low", "high"))
    each = next(iter(measured.values())).settings.level
    gap = largest_gap(value, low, high, each, settings.level, draws=max(settings.draws, 2000), seed=settings.seed)
    if gap is None:
        return None
    names = list(measured)
    return SegmentGap(
        more=names[gap.more], less=names[gap.less], value=gap.value, low=gap.low, high=gap.high, level=settings.level
    )
