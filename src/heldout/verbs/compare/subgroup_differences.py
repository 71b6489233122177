"""The difference of two models in parts of the rows, and whether it varies between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from heldout.batch import Array
from heldout.formulas import Metric
from heldout.intervals.simultaneous import bonferroni
from heldout.stats.outcome import Outcome
from heldout.verbs.compare.paired_difference import difference
from heldout.verbs.evaluate.evaluation import small_segments
from heldout.verbs.evaluate.subgroup_heterogeneity import Heterogeneity, Parts, corrected, influence_in
from heldout.verbs.evaluate.subgroups import judged_segments
from heldout.verbs.measurement import Measurement


@dataclass(frozen=True, kw_only=True)
class SegmentedDifferences:
    """Differences of one model from the baseline in the segments of one column, with intervals that hold together."""

    model: str
    baseline: str
    shown: dict[str, tuple[int, int, dict[str, Outcome]]]
    """Name → rows, units, differences by metric."""
    folded: tuple[int, int]
    """How many segments are too small for some or all metrics, and their rows."""
    small: dict[str, tuple[int, str]]
    """Name → rows of these segments, and the reason."""
    level: float
    """The level of each interval, so that all segments hold together with the level asked for."""
    heterogeneity: dict[str, Heterogeneity]
    """Metric → one test that the difference is the same in all segments."""

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; undefined and infinite numbers are None."""
        shown = {
            name: {"rows": rows, "units": units, "differences": {key: _plain(one) for key, one in found.items()}}
            for name, (rows, units, found) in self.shown.items()
        }
        return {
            "model": self.model,
            "baseline": self.baseline,
            "shown": shown,
            "folded": {"segments": self.folded[0], "rows": self.folded[1]},
            "small": small_segments(self.small),
            "level": self.level,
            "heterogeneity": {name: one.to_dict() for name, one in self.heterogeneity.items()},
        }


def _plain(found: Outcome) -> dict[str, Any]:
    numbers = {name: getattr(found, name) for name in ("value", "low", "high")}
    known = {name: float(x) if isfinite(x) else None for name, x in numbers.items()}
    return {**known, "test": found.test, "notes": list(found.notes)}


def segmented_differences(
    measured: dict[str, Measurement], base: str, metrics: Sequence[Metric], *, test: str | None = None
) -> dict[str, list[SegmentedDifferences]]:
    """By segment column, one table per model other than the baseline."""
    batch = measured[base].given
    parts = {column: judged_segments(batch, column, metrics) for column in batch.segments}
    return {
        column: [
            _of_model(name, base, (measured[name], measured[base]), parts[column], metrics, test=test)
            for name in measured
            if name != base
        ]
        for column in batch.segments
    }


def _of_model(
    name: str,
    base: str,
    pair: tuple[Measurement, Measurement],
    parts: Parts,
    metrics: Sequence[Metric],
    *,
    test: str | None,
) -> SegmentedDifferences:
    asked = pair[1].settings
    level = bonferroni(asked.level, max(len(parts.chosen), 1))
    pairs = {key: _taken(pair, rows, level) for key, rows in parts.chosen.items()}
    found = {
        key: {
            metric.name: difference(metric, *both, test)
            for metric in metrics
            if metric.of_all_rows or key not in parts.rare
        }
        for key, both in pairs.items()
    }
    tests = {
        metric.name: _tested(metric, parts.with_metric(metric), pairs, found)
        for metric in metrics
        if len(parts.with_metric(metric).chosen) > 1
    }
    return SegmentedDifferences(
        model=name,
        baseline=base,
        shown={key: (both[0].batch.rows, both[0].batch.units, found[key]) for key, both in pairs.items()},
        folded=parts.folded,
        small=parts.small,
        level=level,
        heterogeneity=corrected(tests),
    )


def _taken(pair: tuple[Measurement, Measurement], rows: Array, level: float) -> tuple[Measurement, Measurement]:
    """Both models in one segment."""
    first, second = (Measurement(one.given.take(rows), replace(one.settings, level=level)) for one in pair)
    return first, second


def _tested(
    metric: Metric,
    parts: Parts,
    pairs: dict[str, tuple[Measurement, Measurement]],
    found: dict[str, dict[str, Outcome]],
) -> tuple[float, str]:
    """P-value and name of the test that the difference is the same in all segments."""
    asked = next(iter(pairs.values()))[0].settings
    moved = {key: _apart(metric, pairs[key]) for key in parts.names}
    known = {key: part for key, part in moved.items() if part is not None}
    values = {key: found[key][metric.name].value for key in parts.names}
    return parts.tested(values, known, draws=asked.draws, seed=asked.seed)


def _apart(metric: Metric, both: tuple[Measurement, Measurement]) -> Array | None:
    """How far each unit moves the difference."""
    first, second = (influence_in(one, metric) for one in both)
    return None if first is None or second is None else first - second
