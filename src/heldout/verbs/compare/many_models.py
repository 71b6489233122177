"""More than two models: the set that cannot be told from the best, and what picking the best has added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import UsageError, did_you_mean
from heldout.formulas import Metric
from heldout.inputs import Check, Source
from heldout.intervals.critical_values import critical_t
from heldout.stats.best_of_many import Joint, best_set, joint_of, max_t, winner
from heldout.verbs.compare.model_pair import Both
from heldout.verbs.compare.model_rows import Paired
from heldout.verbs.influence import unit_influence
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Entrants:
    """Models measured, and how their rows were found."""

    measured: dict[str, Measurement]
    base: str
    matched: str | None
    only: dict[str, int] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()
    batches: Mapping[str, Batch] = field(default_factory=dict)
    """The rows of every model, where they are in memory."""
    pairs: Mapping[str, Both] | None = None
    """Every other model beside the baseline, where rows are not in memory."""
    many: Contenders | None = None
    """Where there are more than two models: all of them judged together."""
    engine: str = "local"
    parts: int = 1


def entrants(rows: Paired, asked: Settings, *, baseline: str | None, primary: str | None, paired: bool) -> Entrants:
    """The models whose rows are in memory."""
    measured = {name: Measurement(batch, asked) for name, batch in rows.batches.items()}
    base = based_on(baseline, list(measured))
    chosen = judge(measured[base].metrics(), primary) if len(measured) > 2 and paired else None
    return Entrants(
        measured=measured,
        base=base,
        matched=rows.by,
        only=rows.only,
        checks=rows.checks,
        sources=rows.sources,
        batches=rows.batches,
        many=None if chosen is None else contenders(chosen, measured, base),
    )


def based_on(baseline: str | None, names: Sequence[str]) -> str:
    """The model that the others are judged against: the first unless named."""
    if baseline is None:
        return names[0]
    if baseline not in names:
        known = f"the models are {', '.join(names)}"
        raise UsageError(f"no model is named {baseline!r}{did_you_mean(baseline, names)}", fix=known)
    return baseline


def judge(metrics: Sequence[Metric], primary: str | None) -> Metric | None:
    """The metric that judges all models together: the primary one, or the first that is printed."""
    chosen = [metric for metric in metrics if (metric.name == primary if primary else metric.printed and metric.better)]
    return chosen[0] if chosen else None


@dataclass(frozen=True, kw_only=True)
class Contenders:
    """The best of several models by one metric, those not told from it, and its value freed of having been picked."""

    metric: str
    best: str
    indistinguishable: tuple[str, ...]
    optimism: float
    value: float
    low: float
    high: float
    adjusted: dict[str, float]
    """P-values of the differences from the baseline, corrected for the number of models."""
    wider: float
    """How much wider than one alone the intervals of these differences must be to hold together."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "best": self.best,
            "indistinguishable": list(self.indistinguishable),
            "optimism": self.optimism,
            "corrected": {"value": self.value, "low": self.low, "high": self.high},
        }


def contenders(metric: Metric, measured: dict[str, Measurement], base: str) -> Contenders | None:
    """Judge all models together by one metric; None where the metric has no influence of units."""
    if not all(isfinite(one.value(metric)) for one in measured.values()):
        return None
    label = measured[base].batch.positive if metric.one_class else None
    moved = [unit_influence(one, metric, label) for one in measured.values()]
    if any(part is None for part in moved):
        return None
    influence = np.stack([part for part in moved if part is not None], axis=1)
    at = list(measured).index(base)
    others = [place for place in range(len(measured)) if place != at]
    return judged_together(metric, measured, base, joint_of(influence), influence[:, others] - influence[:, [at]])


def judged_together(
    metric: Metric, measured: Mapping[str, Measurement], base: str, influence: Joint, apart: Array | Joint
) -> Contenders | None:
    """The same from what units move all values together, and all differences from the baseline; None: not a number."""
    names = list(measured)
    values = np.array([one.value(metric) for one in measured.values()])
    if not np.all(np.isfinite(values)):
        return None
    asked, higher = measured[base].settings, metric.better != "lower"
    given: dict[str, Any] = {"draws": max(asked.draws, 2000), "seed": asked.seed}
    alike = best_set(influence, values, asked.level, higher=higher, **given)
    won = winner(influence, values, asked.level, higher=higher, **given)
    at = names.index(base)
    others = [place for place in range(len(names)) if place != at]
    differences = max_t(apart, values[others] - values[at], asked.level, **given)
    optimism = max(float(won.optimism), 0.0)  # what draws leave below zero is rounding
    corrected = won.value - optimism if higher else won.value + optimism
    ends = sorted((won.bound, won.value))
    return Contenders(
        metric=metric.name,
        best=names[alike.best],
        indistinguishable=tuple(name for name, member in zip(names, alike.members, strict=True) if member),
        optimism=optimism,
        value=float(corrected),
        low=float(min(ends[0], corrected)),
        high=float(max(ends[1], corrected)),
        adjusted={names[place]: float(p) for place, p in zip(others, differences.p, strict=True)},
        wider=float(differences.critical / critical_t(asked.level, max(influence.units - 1, 1))),
    )
