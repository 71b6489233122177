"""More than two models: the set not significantly different from the best, and the optimism of picking the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.formulas import Metric
from heldout.intervals.long_run import joint_long_run
from heldout.intervals.scales import critical_t
from heldout.stats.best_of_many import Joint, best_set, joint_of, joint_of_sums, max_t, on_few_units, winner
from heldout.verbs.compare.model_pair import carriers_of
from heldout.verbs.influence import unit_influence
from heldout.verbs.measurement import Measurement


def metrics_of_all(measured: Mapping[str, Measurement], base: str) -> list[Metric]:
    """The metrics of the reference model that every other model has too."""
    shared = set.intersection(*({metric.name for metric in one.metrics()} for one in measured.values()))
    return [metric for metric in measured[base].metrics() if metric.name in shared]


def deciding_metric(metrics: Sequence[Metric], primary: str | None) -> Metric | None:
    """The metric by which all models are judged together: the primary one, or the first that is printed."""
    chosen = [metric for metric in metrics if (metric.name == primary if primary else metric.printed and metric.better)]
    return chosen[0] if chosen else None


@dataclass(frozen=True, kw_only=True)
class BestOfMany:
    """The best of several models by one metric, those not significantly worse, its value corrected for selection."""

    metric: str
    better: str
    level: float
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
            "metric": self.metric,
            "better": self.better,
            "level": (1 + self.level) / 2,  # the bound is the cautious end of a two-sided interval
            "best": self.best,
            "indistinguishable": list(self.indistinguishable),
            "optimism": self.optimism,
            "corrected": {"value": self.value, "low": self.low, "high": self.high},
        }


def best_of_many(metric: Metric, measured: dict[str, Measurement], base: str) -> BestOfMany | None:
    """Judge all models together by one metric; None where the metric has no influence of units."""
    label = measured[base].batch.positive if metric.one_class else None
    moved = [unit_influence(one, metric, label) for one in measured.values()]
    if any(part is None for part in moved):
        return None
    influence = np.stack([part for part in moved if part is not None], axis=1)
    at = list(measured).index(base)
    others = [place for place in range(len(measured)) if place != at]
    time = measured[base].batch.time
    if time is not None:
        covariance, df = joint_long_run(influence, time.horizon)
        units = max(round(df), 1) + 1
        joint = joint_of_sums(units, np.zeros(len(covariance)), covariance * (units - 1) / units)
        return best_from_joint(metric, measured, base, joint, joint.against(at))
    return best_from_joint(metric, measured, base, joint_of(influence), influence[:, others] - influence[:, [at]])


def best_from_joint(
    metric: Metric, measured: Mapping[str, Measurement], base: str, influence: Joint, apart: Array | Joint
) -> BestOfMany | None:
    """The same from what units move all values together, and all differences from the baseline; None: not a number."""
    names = list(measured)
    values = np.array([one.value(metric) for one in measured.values()])
    if not np.all(np.isfinite(values)):
        return None
    asked, higher = measured[base].settings, metric.better != "lower"
    if measured[base].batch.time is None and not measured[base].independent:
        few = carriers_of(metric, *measured.values())
        if few.too_few:
            return None
        influence = on_few_units(influence, few.df, few.seen)
        apart = influence.against(names.index(base))
    given: dict[str, Any] = {"draws": max(asked.draws, 2000), "seed": asked.seed}
    alike = best_set(influence, values, asked.level, higher=higher, **given)
    won = winner(influence, values, asked.level, higher=higher, **given)
    at = names.index(base)
    others = [place for place in range(len(names)) if place != at]
    differences = max_t(apart, values[others] - values[at], asked.level, **given)
    optimism = max(float(won.optimism), 0.0)  # what draws leave below zero is rounding
    corrected = won.value - optimism if higher else won.value + optimism
    # near 0 and 1 the influence of units vanishes, and with it the reach of the bound: the winner's own interval holds
    own = measured[names[alike.best]].one(metric)
    bound = np.fmin(won.bound, own.low) if higher else np.fmax(won.bound, own.high)
    ends = sorted((float(bound), won.value))
    return BestOfMany(
        metric=metric.name,
        better="higher" if higher else "lower",
        level=asked.level,
        best=names[alike.best],
        indistinguishable=tuple(name for name, member in zip(names, alike.members, strict=True) if member),
        optimism=optimism,
        value=float(corrected),
        low=float(min(ends[0], corrected)),
        high=float(max(ends[1], corrected)),
        adjusted={names[place]: float(p) for place, p in zip(others, differences.pvalue, strict=True)},
        wider=float(differences.critical / critical_t(asked.level, max(influence.units - 1, 1))),
    )
