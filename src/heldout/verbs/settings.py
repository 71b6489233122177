"""What the caller asked for, apart from the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.estimates.choice import Side, known_method
from heldout.formulas import Metric, metric


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Level, method and the like, checked."""

    level: float = 0.95
    method: str = "auto"
    side: Side = "two-sided"
    draws: int = 2000
    seed: int = 0
    metrics: tuple[Metric, ...] | None = None
    """The metrics asked for by name; None: all that fit the data."""
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
    return Settings(
        level=float(confidence_level),
        method=known_method(method),
        side=side,  # type: ignore[arg-type]
        draws=int(draws),
        seed=_seed(random_state),
        metrics=None if metrics is None else _named(metrics),
        cost=cost,
    )


def _named(metrics: str | Metric | Sequence[str | Metric]) -> tuple[Metric, ...]:
    if isinstance(metrics, Metric):
        return (metrics,)
    names: Sequence[Any] = [name.strip() for name in metrics.split(",")] if isinstance(metrics, str) else metrics
    return tuple(dict.fromkeys(name if isinstance(name, Metric) else metric(str(name)) for name in names))


def _seed(random_state: int | np.random.Generator | None) -> int:
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if random_state < 0:
        raise UsageError(f"the seed is {random_state}, but must be zero or more")
    return int(random_state)
