"""What the caller asked for, apart from the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout import inputs
from heldout.batch import Array, Batch
from heldout.errors import UsageError
from heldout.estimates.interval_choice import Side, known_method
from heldout.formulas import Metric, metric
from heldout.inputs import Check
from heldout.inputs.message_text import MOST, listed
from heldout.intervals.scales import checked_level
from heldout.verbs.parameters import Metrics, refuse_wrong_types, value_text

MOST_RESAMPLES = 10_000_000
"""More resamples than this take hours, and change no digit that is printed."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Level, method and the like, checked."""

    level: float = 0.95
    method: str = "auto"
    side: Side = "two-sided"
    draws: int = 2000
    seed: int = 0
    metrics: tuple[Metric, ...] | None = None
    """The metrics asked for by name; None: all built-in ones that fit the data."""
    extra: tuple[Metric, ...] = ()
    """Metrics asked for beside `all`."""
    cost: Array | None = None
    """Cost of each prediction (column) for each truth (row)."""


def settings(
    *,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: str = "two-sided",
    n_resamples: int = 2000,
    random_state: int | np.random.Generator | None = 0,
    metrics: Metrics = None,
    cost: Array | None = None,
) -> Settings:
    """Check what was asked for.

    >>> settings(confidence_level=0.9, metrics="f1,recall").level
    0.9
    """
    refuse_wrong_types(
        confidence_level=confidence_level, method=method, n_resamples=n_resamples, random_state=random_state
    )
    checked_level(confidence_level)
    if side not in ("two-sided", "lower", "upper"):
        raise UsageError(
            f"the side is {side!r}, but must be 'two-sided', 'lower' or 'upper'",
            fix="leave it out for a two-sided interval",
        )
    if side != "two-sided" and confidence_level <= 0.5:
        raise UsageError(
            f"a one-sided bound needs a level above 0.5, not {confidence_level:g}", fix="for 95% write 0.95"
        )
    if n_resamples < 100:
        raise UsageError(
            f"{n_resamples} resamples are too few for an interval", fix="use at least 100, better 1000 or more"
        )
    if n_resamples > MOST_RESAMPLES:
        most = f"{MOST_RESAMPLES:,} are allowed"
        raise UsageError(f"{n_resamples:,} resamples are too many: {most}", fix="use 10000 for stable digits")
    every, named = _named(metrics)
    return Settings(
        level=float(confidence_level),
        method=known_method(method),
        side=side,  # type: ignore[arg-type]
        draws=int(n_resamples),
        seed=seed_number(random_state),
        metrics=None if every else named,
        extra=named if every else (),
        cost=cost,
    )


def metric_names(metrics: Metrics) -> list[str | Metric] | None:
    """The metrics asked for, one by one; None where nothing was asked for. An empty list is refused.

    >>> metric_names("f1, recall")
    ['f1', 'recall']
    """
    refuse_wrong_types(metrics=metrics)
    if metrics is None:
        return None
    given = [metrics] if isinstance(metrics, Metric) else metrics.split(",") if isinstance(metrics, str) else metrics
    stripped = [name if isinstance(name, Metric) else str(name).strip() for name in given]
    names = [name for name in stripped if name]
    if not names:
        fix = "name one with --metric (metrics=), or leave it out"
        raise UsageError("the list of metrics is empty", fix=fix)
    return names


def metric_named(name: str | Metric) -> Metric:
    """One metric, by name or itself."""
    return name if isinstance(name, Metric) else metric(str(name).strip())


def _named(metrics: Metrics) -> tuple[bool, tuple[Metric, ...]]:
    """Whether all built-in metrics are wanted (`all`, or nothing said), and the metrics that were named."""
    names = metric_names(metrics)
    if names is None:
        return True, ()
    found = dict.fromkeys(metric_named(name) for name in names if name != "all")
    return "all" in names, tuple(found)


def seed_number(random_state: int | np.random.Generator | None) -> int:
    """The seed as a number; of a generator, or of none, one that is drawn.

    >>> seed_number(7)
    7
    """
    refuse_wrong_types(random_state=random_state)
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    return int(random_state)


def concerning(checks: tuple[Check, ...], asked: Settings) -> tuple[Check, ...]:
    """The checks without those on decided labels, where only metrics of something else were asked for."""
    if asked.metrics is None or any(metric.of_labels for metric in asked.metrics):
        return checks
    return tuple(check for check in checks if not check.labels)


def threshold_is_used(threshold: float | None, asked: Settings, *, option: str = "--threshold (threshold=)") -> None:
    """Raise if a threshold was given and only metrics of scores were asked for, which need none."""
    if threshold is None or asked.metrics is None or any(metric.of_labels for metric in asked.metrics):
        return
    names = ", ".join(metric.name for metric in asked.metrics)
    message = f"the threshold has no effect on {names}, computed from scores, not from predicted labels"
    raise UsageError(message, fix=f"leave out {option}")


def clip_is_used(clip: Any, asked: Settings) -> None:
    """Raise if probabilities are to be clipped and no metric that was asked for is a log loss."""
    if clip is None or asked.metrics is None or any("log_loss" in metric.name for metric in asked.metrics):
        return
    names = ", ".join(metric.name for metric in asked.metrics)
    fix = "leave out --clip (clip=), or add the metric log_loss"
    raise UsageError(f"clip has no effect on {names}: only log losses are clipped", fix=fix)


def cost_is_used(cost: Any, asked: Settings) -> None:
    """Raise if costs were given and no metric that was asked for needs them."""
    if cost is None or asked.metrics is None:
        return
    if not any({"costs", "minimum_risk_costs"} & set(metric.needs) for metric in asked.metrics):
        names = ", ".join(metric.name for metric in asked.metrics)
        fix = "add the metric: --metric cost (metrics='cost'), or leave out the costs"
        raise UsageError(f"the costs have no effect on {names}", fix=fix)


def cost_matrix(cost: Any, batch: Batch) -> Array | None:
    """The cost matrix for these classes, from an array or a labelled square CSV; None where there is none."""
    if cost is None:
        return None
    if batch.task not in ("binary", "multiclass"):
        fix = "leave out --cost (cost=)"
        raise UsageError(f"costs are for classes, not for {batch.task} data", fix=fix)
    named = inputs.read_costs(cost, batch.labels)
    if named is not None:
        return named
    size = len(batch.labels)
    try:
        table = np.asarray(cost, dtype=float)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.ndim != 2:
        wanted = f"a matrix of {size} x {size} costs: a row per true class, a column per predicted class"
        fix = f"give the costs in the order of the classes, [{listed(batch.labels, MOST)}]"
        raise UsageError(f"cost is {value_text(cost)}, but must be {wanted}", fix=fix)
    if table.shape != (size, size):
        given = " x ".join(map(str, table.shape))
        raise UsageError(
            f"the cost matrix is {given}, but the classes are [{listed(batch.labels, MOST)}]",
            fix="give one row and one column per class, in this order",
        )
    if not np.all(np.isfinite(table)):
        row, column = np.argwhere(~np.isfinite(table))[0].tolist()
        place = f"row {row + 1}, column {column + 1} of the cost matrix"
        raise UsageError(f"{place} is {table[row, column]:g}", fix="give a finite cost for every pair of classes")
    return table
