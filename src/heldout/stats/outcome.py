"""What a comparison found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A difference with its interval, and the p-value of there being none."""

    value: float
    """a - b, or whatever else the test is about."""
    low: float
    high: float
    level: float
    p: float
    statistic: float
    test: str
    """What was done, in words."""
    df: float | None = None
    """Degrees of freedom, where the test has any to tell."""
    notes: tuple[str, ...] = ()
