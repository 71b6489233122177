"""Wilson's interval for values in [0, 1] that are not plain shares of independent rows: as if there were fewer rows."""

from __future__ import annotations

from math import inf, isnan, nan

from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.critical import critical_t, critical_z
from heldout.intervals.shares import wilson

ROUNDING = 1e-24
"""A variance below this (a standard error of 1e-12) is what rounding left of zero."""


def effective_trials(value: float, variance: float) -> float:
    """How many independent rows would give a share this variance: v (1 - v) / variance; nan for 0 / 0.

    >>> effective_trials(0.5, 0.0025)
    100.0
    """
    spread = value * (1 - value)
    if variance == 0:
        return inf if spread > 0 else nan
    return spread / variance


def effective_wilson(value: float, variance: float, level: float, *, at_edge: float) -> Interval:
    """Wilson's interval with n = v (1 - v) / variance; n = at_edge where the variance vanishes or v is 0 or 1.

    `at_edge` is the number of units the metric rests on, for example those of the smaller class.

    >>> [round(end, 3) for end in effective_wilson(0.5, 0.0025, 0.95, at_edge=40)]
    [0.404, 0.596]
    >>> [round(end, 3) for end in effective_wilson(1.0, 0.0, 0.95, at_edge=40)]
    [0.912, 1.0]
    """
    if isnan(value):
        return UNDEFINED
    share = min(max(value, 0.0), 1.0)
    known = variance > ROUNDING and 0 < share < 1  # false for nan too
    trials = effective_trials(share, variance) if known else at_edge
    return wilson(share * trials, trials, level)


def clustered_trials(share: float, trials: float, variance: float, units: float, level: float) -> float:
    """Independent rows that rows in units are worth: n / (deff (t / z)^2), t with units - 1 degrees of freedom.

    deff = max(1, variance / (p (1 - p) / n)), with the variance of the share over units; at p = 0 and 1, where that is
    0 / 0, deff = n / units. The ratio of quantiles pays for a variance known from few units; one unit is worth nothing.

    >>> round(clustered_trials(0.8, 400, 0.0016, 20, 0.95), 1)
    87.7
    """
    ratio = critical_z(level) / critical_t(level, units - 1)
    inside = 0 < share < 1 and not isnan(variance)
    deff = variance * trials / (share * (1 - share)) if inside else trials / units
    return trials / max(1.0, deff) * ratio**2
