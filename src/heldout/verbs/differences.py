"""Two models on the same rows: a difference, its interval and a test, for any metric.

One mechanism carries it: what a unit moves the value of the one model, less what it moves the value of the other. For
the area under the ROC curve this is DeLong's paired test, for a mean the paired t. Errors have McNemar's exact family
instead, small samples sign flips and bootstrap-t, and rankings that hang on one threshold are swapped and drawn anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, isfinite, isnan, nan, sqrt
from typing import Any

import numpy as np

from heldout import weights
from heldout.batch import Array
from heldout.comparisons.discordance import fewest_discordant, mcnemar, tango
from heldout.comparisons.losses import paired_mean
from heldout.estimates.question import Question
from heldout.formulas import METRICS, Metric
from heldout.intervals.critical import critical_t, critical_z
from heldout.intervals.resampling import bca
from heldout.tallies import batches
from heldout.tallies.cells import tally_cells
from heldout.tallies.score_columns import ScoreColumns
from heldout.tallies.scores import Scores, tally_scores
from heldout.verbs.measurement import Measurement

POWER = 0.8
"""The chance to settle a question with as many rows as `rows_needed` says."""
FEW = 2000
"""Up to so many rows rankings are swapped and drawn anew; beyond, influence tells the same."""
DRAWS = 999


@dataclass(frozen=True, kw_only=True)
class Found:
    """A difference (model less baseline), its interval and its test."""

    value: float
    low: float
    high: float
    p: float
    test: str
    error: float = nan
    """The standard error of the difference."""
    notes: tuple[str, ...] = ()


Test = Callable[[Metric, Measurement, Measurement, float, Array], Found]


def difference(metric: Metric, a: Measurement, b: Measurement) -> Found:
    """How much more the first model has than the second, on the same rows."""
    label = a.batch.positive if metric.one_class else None
    values = [float(one.one(metric).value) for one in (a, b)]
    value = values[0] - values[1]
    if any(isnan(part) or not isfinite(part) for part in values):
        return _untested(nan, f"{metric.name} is undefined for a model")
    moved = [unit_influence(one, metric, label) for one in (a, b)]
    if moved[0] is None or moved[1] is None:
        return _untested(value, f"{metric.name} has no paired test")
    apart = moved[0] - moved[1]
    if value == 0 and not np.any(np.abs(apart) > 1e-14):
        return Found(value=0.0, low=0.0, high=0.0, p=1.0, test="identical", error=0.0, notes=("identical predictions",))
    return _tests(metric, a)(metric, a, b, value, apart)


def _untested(value: float, why: str) -> Found:
    return Found(value=value, low=nan, high=nan, p=nan, test="none", notes=(why,))


def _tests(metric: Metric, a: Measurement) -> Test:
    """The test that suits a metric: the one place that chooses."""
    alone = a.batch.unit is None and a.batch.weight is None
    behind = METRICS[metric.via[0]] if metric.via else metric
    if metric.name in ("accuracy", "error_rate") and alone:
        return discordant
    if behind.interval == "area":
        return areas
    if behind.interval in ("mean", "spread") and a.batch.truth.ndim == 1:
        return means
    if behind.interval in ("ranking", "precision") and a.batch.rows <= FEW and alone:
        return rankings
    return influences


def discordant(metric: Metric, a: Measurement, b: Measurement, value: float, apart: Array) -> Found:
    """Mid-p McNemar on the rows where one model is right and the other is wrong, with Tango's interval."""
    del apart
    right = [one.batch.truth == one.batch.prediction for one in (a, b)]
    more, less = int(np.sum(right[0] & ~right[1])), int(np.sum(~right[0] & right[1]))
    n, level = a.batch.rows, a.settings.level
    low, high = tango(more, less, n, level)
    if metric.better == "lower":
        low, high = -high, -low
    fewest = fewest_discordant("midp", 1 - level)
    few = more + less < fewest
    notes = (f"{more + less} discordant rows: no test at this level can reject (needs {fewest})",) if few else ()
    error = sqrt(max(more + less - (more - less) ** 2 / n, 0.0)) / n
    return Found(
        value=value, low=low, high=high, p=mcnemar(more, less, method="midp"), error=error, notes=notes,
        test=f"McNemar mid-p, {more} vs {less}",
    )  # fmt: skip


def areas(metric: Metric, a: Measurement, b: Measurement, value: float, apart: Array) -> Found:
    """Paired DeLong: placements under both models are subtracted before they are squared [delong88]."""
    del metric, b
    if a.batch.unit is not None:
        return _normal(a, value, _variance(apart), "DeLong, paired, clustered")
    positive = a.batch.truth == a.batch.positive
    sizes = [np.count_nonzero(positive), np.count_nonzero(~positive)]
    if min(sizes) < 2:
        return _normal(a, value, nan, "DeLong, paired")
    parts = [float(np.sum(apart[chosen] ** 2)) for chosen in (positive, ~positive)]
    variance = sum(part * size / (size - 1) for part, size in zip(parts, sizes, strict=True))
    return _normal(a, value, variance, "DeLong, paired")


def means(metric: Metric, a: Measurement, b: Measurement, value: float, apart: Array) -> Found:
    """Sign flips and bootstrap-t on the units' differences below 100 units, paired t from there on."""
    del metric, b
    found = paired_mean(len(apart) * apart + value, a.settings.level, draws=a.settings.draws, seed=a.settings.seed)
    return Found(
        value=value,
        low=min(found.low, value),
        high=max(found.high, value),
        p=found.p,
        test="paired t" if found.test == "t" else found.test,
        error=sqrt(_variance(apart)),
        notes=found.notes,
    )


def influences(metric: Metric, a: Measurement, b: Measurement, value: float, apart: Array) -> Found:
    """Student's t on what each unit moves the difference."""
    del metric, b
    error, units = sqrt(_variance(apart)), len(apart)
    if not error > 0 or units < 2:
        return Found(value=value, low=nan, high=nan, p=nan, test="paired influence", notes=("no spread to judge by",))
    reach = critical_t(a.settings.level, units - 1) * error
    return Found(
        value=value, low=value - reach, high=value + reach, p=_two_sided_t(value / error, units - 1), error=error,
        test="paired influence",
    )  # fmt: skip


def rankings(metric: Metric, a: Measurement, b: Measurement, value: float, apart: Array) -> Found:
    """Swap the two models' ranks row by row for the p-value; draw rows for a paired BCa interval."""
    seed, level = a.settings.seed, a.settings.level
    positive = a.batch.truth == a.batch.positive
    ranks = [_ranks(one.batch.score) for one in (a, b)]
    rng = np.random.default_rng([seed, 7])
    beyond = 0
    for _ in range(DRAWS):
        swap = rng.random(len(positive)) < 0.5
        swapped = [np.where(swap, ranks[1], ranks[0]), np.where(swap, ranks[0], ranks[1])]
        one, other = (float(metric(tally_scores(score, positive).sums)) for score in swapped)
        beyond += abs(one - other) >= abs(value) - 1e-12
    ones = np.ones(len(positive))
    orders = [tally_scores(rank, positive, ones) for rank in ranks]
    drawn = np.concatenate([_drawn(metric, orders, block()) for block in weights.bootstrap(ones, DRAWS, [seed, 8])])
    low, high = bca(value, drawn[np.isfinite(drawn)], apart, level)
    return Found(
        value=value,
        low=min(low, value),
        high=max(high, value),
        p=(1 + beyond) / (DRAWS + 1),
        error=float(np.nanstd(drawn)),
        test="rank swaps, paired BCa",
    )


def _drawn(metric: Metric, orders: list[Scores], block: Array) -> Array:
    one, other = (metric(order._at(block[:, order.order])) for order in orders)  # noqa: SLF001 the tally's own weighing
    return one - other


def _ranks(score: Any) -> Array:
    """Midranks: what a ranking metric sees of scores, on a scale that two models share."""
    _, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[inverse]


def _normal(a: Measurement, value: float, variance: float, test: str) -> Found:
    if not variance > 0:
        note = "the difference has no spread to judge by"
        return Found(value=value, low=nan, high=nan, p=nan, test=test, notes=(note,))
    from scipy.special import ndtr

    error = sqrt(variance)
    reach = critical_z(a.settings.level) * error
    p = float(2 * ndtr(-abs(value / error)))
    return Found(value=value, low=value - reach, high=value + reach, p=p, error=error, test=test)


def _variance(apart: Array) -> float:
    n = len(apart)
    return float(n / (n - 1) * np.sum((apart - apart.mean()) ** 2)) if n > 1 else nan


def _two_sided_t(statistic: float, df: float) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(df, -abs(statistic)))


def rows_needed(found: Found, units: int, level: float, tests: int = 1) -> int | None:
    """How many units would settle a difference of this size with 80% power; None where there is no difference.

    Where several tests share the error, the first of them must pass at its share.
    """
    if not (found.error > 0 and found.value != 0):
        return None
    from scipy.special import ndtri

    ratio = (critical_z(1 - (1 - level) / tests) + float(ndtri(POWER))) * found.error / abs(found.value)
    return ceil(units * ratio**2) if ratio < 1e6 else None


def unit_influence(measured: Measurement, metric: Metric, label: int | None) -> Array | None:
    """How far each unit moves the value of a metric, units in order; None where the metric is not smooth."""
    if metric.via is not None:
        behind = METRICS[metric.via[0]]
        moved = unit_influence(measured, behind, label)
        return None if moved is None else moved * _slope(metric.via[1], float(measured.one(behind, label).value))
    if metric.reads in ("ordered", "reliability"):
        return None
    batch = measured.batch
    weight = np.ones(batch.rows) if batch.weight is None else batch.weight
    if metric.reads == "columns":
        auc = METRICS["roc_auc"]
        tally = ScoreColumns(truth=batch.truth, score=batch.score, weight=weight, unit=batch.unit)  # type: ignore[arg-type]
        moved = tally.contests(metric.needs[0], auc.formula, auc.slopes).moved  # type: ignore[arg-type]
        return moved if batch.unit is None else np.bincount(batch.unit, weights=moved)
    if metric.reads == "scores":
        order = tally_scores(batch.score, batch.truth == batch.positive, weight, batch.unit)  # type: ignore[arg-type]
        moved = order.influence(Question(metric=metric, tally=order, level=0.95).gradient)
        return moved if batch.unit is not None else _put_back(moved, order.order)
    if metric.reads == "labels" and batch.task != "multilabel":
        tally = tally_cells(batch.truth, batch.prediction, len(batch.labels), weight, batch.unit)  # type: ignore[arg-type, assignment]
    elif metric.reads in ("labels", "marks"):
        tally = batches.label_marks(batch)  # type: ignore[assignment]
    else:
        tally = measured.row_sums(metric)  # type: ignore[assignment]
        metric = measured.over_targets(metric)
    asked = Question(metric=metric, tally=tally, level=0.95, label=label)
    return tally.influence(asked.gradient)  # type: ignore[attr-defined]


def _slope(function: Callable[[float], float], at: float) -> float:
    step = 1e-6 * max(abs(at), 1e-3)
    return (function(at + step) - function(at - step)) / (2 * step)


def _put_back(moved: Array, order: Array | None) -> Array:
    assert order is not None
    found = np.empty_like(moved)
    found[order] = moved
    return found
