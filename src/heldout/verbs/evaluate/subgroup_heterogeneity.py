"""Whether a metric, or the difference of two models in it, varies between segments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite, nan
from typing import Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.formulas import Metric
from heldout.stats.heterogeneity import heterogeneity, joint_heterogeneity
from heldout.stats.multiplicity import holm
from heldout.verbs.influence import unit_influence
from heldout.verbs.measurement import Measurement

FEWEST_UNITS = 5
"""Segments with fewer units than this say nothing about their own spread."""


@dataclass(frozen=True, kw_only=True)
class Heterogeneity:
    """One test that all segments have the same value."""

    pvalue: float
    pvalue_adjusted: float
    """Corrected (Holm) for the number of metrics tested by this column."""
    test: str

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; an undefined p-value is None."""
        known = {
            name: x if isfinite(x) else None
            for name, x in (("pvalue", self.pvalue), ("pvalue_adjusted", self.pvalue_adjusted))
        }
        return {**known, "test": self.test}


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The segments that are large enough to judge, and the rows they were taken from."""

    batch: Batch
    chosen: dict[str, Array]
    """Name → which rows are in it."""
    small: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Name → rows and reason of the segments that are too small for some or all metrics."""
    rare: frozenset[str] = frozenset()
    """The chosen segments that have few rows of one class: metrics of all rows only."""

    @property
    def folded(self) -> tuple[int, int]:
        """How many segments are too small for some or all metrics, and their rows."""
        return len(self.small), sum(rows for rows, _ in self.small.values())

    def with_metric(self, metric: Metric) -> Parts:
        """The segments that a metric can be judged in."""
        if metric.of_all_rows or not self.rare:
            return self
        return replace(self, chosen={name: rows for name, rows in self.chosen.items() if name not in self.rare})

    @property
    def names(self) -> list[str]:
        return list(self.chosen)

    @property
    def plain(self) -> bool:
        """Whether every row is a unit that counts one."""
        return self.batch.unit is None and self.batch.weight is None

    def units(self, name: str) -> Array:
        """Which units have rows in a segment, in order."""
        rows = self.chosen[name]
        return np.flatnonzero(rows) if self.batch.unit is None else np.unique(self.batch.unit[rows])

    @cached_property
    def overlap(self) -> bool:
        """Whether some unit lies in several segments."""
        if self.batch.unit is None:
            return False
        units = np.concatenate([self.units(name) for name in self.names])
        return len(np.unique(units)) < len(units)

    def joint(self, names: Sequence[str], moved: Iterable[Array]) -> Array:
        """How far each unit moves each segment, a line per unit that is in some segment."""
        table = np.zeros((self.batch.units, len(names)))
        places = [self.units(name) for name in names]
        for at, (units, part) in enumerate(zip(places, moved, strict=True)):
            table[units, at] = part
        return np.asarray(table[np.unique(np.concatenate(places))])

    def tested(self, values: dict[str, float], moved: dict[str, Array], *, draws: int, seed: int) -> tuple[float, str]:
        """P-value and name of the test that these segments have one value."""
        names = [name for name in values if isfinite(values[name]) and name in moved]
        if self.batch.time is not None:  # times of one subgroup depend on those of the others
            return nan, "none"
        if len(names) < 2 or min(len(moved[name]) for name in names) < FEWEST_UNITS:
            return nan, "none"
        given = np.array([values[name] for name in names])
        if self.overlap:
            joint = self.joint(names, [moved[name] for name in names])
            return joint_heterogeneity(given, joint, np.array([len(moved[name]) for name in names])), "joint Wald, F"
        parts = [moved[name] for name in names]
        p = heterogeneity(given, parts, self._classes(names, parts), draws=draws, seed=seed)
        return p, "Q, segments permuted"

    def _classes(self, names: Sequence[str], moved: Sequence[Array]) -> list[Array] | None:
        """The class of each unit, where the value does not depend on how many units have which class.

        Then what the units of one class move it adds up to nothing, as in the area under the ROC curve.
        """
        if self.batch.task != "binary" or self.batch.unit is not None:
            return None
        classes = [self.batch.truth[self.chosen[name]] for name in names]
        sums = [abs(float(part[of == 1].sum())) for part, of in zip(moved, classes, strict=True)]
        sizes = [float(np.abs(part).sum()) for part in moved]
        return classes if all(a <= 1e-9 * b for a, b in zip(sums, sizes, strict=True)) else None


def influence_in(one: Measurement, metric: Metric) -> Array | None:
    """How far each unit of a segment moves its value; None where the metric is not smooth there."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):  # an infinite value has no influence
        moved = unit_influence(one, metric, one.batch.positive if metric.one_class else None)
    return moved if moved is not None and np.all(np.isfinite(moved)) else None


def corrected(found: dict[str, tuple[float, str]]) -> dict[str, Heterogeneity]:
    """The tests, p-values corrected for the number of metrics."""
    adjusted = holm(np.array([p for p, _ in found.values()])).tolist()
    return {
        name: Heterogeneity(pvalue=p, pvalue_adjusted=after, test=test)
        for (name, (p, test)), after in zip(found.items(), adjusted, strict=True)
    }
