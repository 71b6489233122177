"""A value and its standard error, put on a scale where it is closer to normal, and brought back.

On a scale g the error is g'(value) * error, and the interval is g(value) -+ z g'(value) error, mapped back. At or
beyond the edge of a scale's range, and without a positive finite error, the answer is (nan, nan): use `effective`.
"""

from __future__ import annotations

from math import atanh, exp, inf, isfinite, tanh

from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.critical_values import critical_z


def plain(value: float, error: float, level: float) -> Interval:
    """The scale itself, for values without bounds: value -+ z error.

    >>> [round(end, 3) for end in plain(0.3, 0.0725, 0.95)]
    [0.158, 0.442]
    """
    if not _usable(value, error, -inf, inf):
        return UNDEFINED
    reach = critical_z(level) * error
    return value - reach, value + reach


def on_logit(value: float, error: float, level: float) -> Interval:
    """The log odds ln(v / (1 - v)), for values in (0, 1).

    >>> [round(end, 4) for end in on_logit(0.68, 0.127017, 0.95)]
    [0.4036, 0.8696]
    """
    if not _usable(value, error, 0, 1):
        return UNDEFINED
    missing = 1 - value
    shrink = exp(-critical_z(level) * error / (value * missing))  # a falling exponential cannot overflow
    return value * shrink / (value * shrink + missing), value / (value + missing * shrink)


def on_log(value: float, error: float, level: float) -> Interval:
    """The logarithm, for values in (0, inf): v exp(-+ z error / v).

    >>> [round(end, 3) for end in on_log(4.0, 1.0, 0.95)]
    [2.451, 6.529]
    """
    if not _usable(value, error, 0, inf):
        return UNDEFINED
    factor = _grown(critical_z(level) * error / value)
    return value / factor, value * factor


def fisher_z(value: float, error: float, level: float) -> Interval:
    """The inverse hyperbolic tangent, for values in (-1, 1) such as correlations, kappa and MCC [fisher15].

    >>> [round(end, 4) for end in fisher_z(0.745023, 0.079616, 0.95)]
    [0.5448, 0.8649]
    """
    if not _usable(value, error, -1, 1):
        return UNDEFINED
    middle, reach = atanh(value), critical_z(level) * error / (1 - value**2)
    return tanh(middle - reach), tanh(middle + reach)


def on_log_one_minus(value: float, error: float, level: float) -> Interval:
    """The logarithm of what is missing to 1, ln(1 - v), for values in (-inf, 1) such as R2.

    >>> [round(end, 3) for end in on_log_one_minus(0.5, 0.1, 0.95)]
    [0.26, 0.662]
    """
    low, high = on_log(1 - value, error, level)
    return 1 - high, 1 - low


def _usable(value: float, error: float, above: float, below: float) -> bool:
    return above < value < below and isfinite(value) and isfinite(error) and error > 0


def _grown(reach: float) -> float:
    """The exponential, infinite where a double ends."""
    try:
        return exp(reach)
    except OverflowError:
        return inf
