"""What the caller asked for, apart from the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heldout import inputs
from heldout.batch import Array, Batch
from heldout.errors import UsageError
from heldout.estimates.interval_choice import Side, known_method
from heldout.formulas import Metric, metric
from heldout.inputs import Check


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
    draws: int = 2000,
    random_state: int | np.random.Generator | None = 0,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    cost: Array | None = None,
) -> Settings:
    """Check what was asked for.

    >>> settings(confidence_level=0.9, metrics="f1,recall").level
    0.9
    """
    if not 0 < confidence_level < 1:
        raise UsageError(f"the level is {confidence_level:g}, but must lie between 0 and 1", fix="for 95% write 0.95")
    if side not in ("two-sided", "lower", "upper"):
        raise UsageError(f"the side is {side!r}, but must be 'two-sided', 'lower' or 'upper'")
    if side != "two-sided" and confidence_level <= 0.5:
        raise UsageError(f"a one-sided bound needs a level above 0.5, not {confidence_level:g}")
    if draws < 100:
        raise UsageError(f"{draws} draws are too few for an interval", fix="use 1000 or more")
    every, named = _named(metrics)
    return Settings(
        level=float(confidence_level),
        method=known_method(method),
        side=side,  # type: ignore[arg-type]
        draws=int(draws),
        seed=_seed(random_state),
        metrics=None if every else named,
        extra=named if every else (),
        cost=cost,
    )


def _named(metrics: str | Metric | Sequence[str | Metric] | None) -> tuple[bool, tuple[Metric, ...]]:
    """Whether all built-in metrics are wanted (`all`, or nothing said), and the metrics that were named."""
    if metrics is None:
        return True, ()
    names: Sequence[Any] = [metrics] if isinstance(metrics, Metric) else metrics
    if isinstance(names, str):
        names = [name.strip() for name in names.split(",")]
    found = dict.fromkeys(name if isinstance(name, Metric) else metric(str(name)) for name in names if name != "all")
    return "all" in names, tuple(found)


def _seed(random_state: int | np.random.Generator | None) -> int:
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if random_state < 0:
        raise UsageError(f"the seed is {random_state}, but must be zero or more")
    return int(random_state)


def concerning(checks: tuple[Check, ...], asked: Settings) -> tuple[Check, ...]:
    """The checks without those on decided labels, where only metrics of something else were asked for."""
    if asked.metrics is None or any(metric.of_labels for metric in asked.metrics):
        return checks
    return tuple(check for check in checks if not check.labels)


def cost_matrix(cost: Any, batch: Batch) -> Array | None:
    """The cost matrix for these classes, from an array or a labelled square CSV; None where there is none."""
    if cost is None:
        return None
    if batch.task not in ("binary", "multiclass"):
        raise UsageError(f"costs are for classes, not for {batch.task} data")
    if isinstance(cost, str | Path):
        return inputs.read_costs(cost, batch.labels)
    table = np.asarray(cost, dtype=float)
    size = len(batch.labels)
    if table.shape != (size, size):
        raise UsageError(
            f"the cost matrix is {' x '.join(map(str, table.shape))}, but the classes are {list(batch.labels)}"
        )
    return table
