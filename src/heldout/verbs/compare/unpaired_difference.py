"""Two models on samples that share no row: a difference, its interval and a test, for any metric.

Shares have Newcombe's interval from both counts, means of samples of about one size Welch's t. Everything else joins
the two models' own intervals (MOVER), and so do shares of rows that have weights or share units. DeLong's test of two
areas is there by name only: it takes an area as normal, and with 40 rows beside 400 it rejects far too often, MOVER in
3% of 2,000 samples at 5%.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isfinite, isnan, nan, sqrt

from heldout.estimates import Estimate
from heldout.formulas import Metric
from heldout.intervals import Interval
from heldout.intervals.scales import critical_z
from heldout.stats.independent_samples import combined, newcombe, textbook_z, unpaired_areas, welch
from heldout.stats.outcome import Outcome, inverted, untested
from heldout.verbs.compare.paired_difference import ERRORS, Suits, is_area, is_error, is_mean
from heldout.verbs.influence import area_variance, influence_variance, unit_influence
from heldout.verbs.measurement import Measurement

Test = Callable[[Metric, Measurement, Measurement], Outcome]
DIGITS = 24
"""Halvings of the level behind a p-value: six digits of it."""

MANY_MORE = 2
"""Where one sample has more than so many times the units of the other, the skewness of two means does not cancel.

With 8 rows of long-tailed errors beside 400, Welch's t of equal models rejects far too often, MOVER less than half as
often; with 30 beside 300, MOVER holds.
"""


def independent_difference(metric: Metric, a: Measurement, b: Measurement, test: str | None = None) -> Outcome:
    """How much more the first model has on its rows than the second on its own; by a test of that name if it suits."""
    values = [one.value(metric) for one in (a, b)]
    if not all(isfinite(part) for part in values):
        return untested(nan, f"{metric.name} is undefined for a model")
    if test is None:
        return _tests(metric, a, b)(metric, a, b)
    suits, named, _ = INDEPENDENT_TESTS[test]
    if suits(metric, a) and suits(metric, b):
        return named(metric, a, b)
    found = _tests(metric, a, b)(metric, a, b)
    return replace(found, notes=(*found.notes, f"{test} does not suit it: its own test was used"))


def _tests(metric: Metric, a: Measurement, b: Measurement) -> Test:
    """The test that suits a metric: the one place that chooses."""
    if metric.interval == "share" and metric.via is None and _is_counted(a) and _is_counted(b):
        return shares
    fewer, more = sorted((_units(a), _units(b)))
    if is_mean(metric, a) and more <= MANY_MORE * fewer:
        return means
    return estimates


def _is_counted(one: Measurement) -> bool:
    return one.batch.unit is None and not one.weighted


def shares(metric: Metric, a: Measurement, b: Measurement) -> Outcome:
    """Newcombe's interval from both counts; the p-value is 1 less the lowest level at which it holds 0."""
    one, other = a.one(metric), b.one(metric)
    assert one.count is not None
    assert other.count is not None
    counts = (*one.count, *other.count)
    low, high = newcombe(*counts, confidence_level=a.settings.level)

    def at(level: float) -> Interval:
        return newcombe(*counts, confidence_level=level)

    found = Outcome(
        value=one.value - other.value, low=low, high=high, pvalue=inverted(at), test="Newcombe", interval_at=at
    )
    return _sized(found, metric, a, b)


def areas(metric: Metric, a: Measurement, b: Measurement) -> Outcome:
    """DeLong's variance of each area, with the degrees of freedom of two samples; MOVER where an area has no spread."""
    squares = [_square(metric, one, area=True) for one in (a, b)]
    if not sum(squares) > 0:
        return estimates(metric, a, b)
    sizes = [_units(one) for one in (a, b)]
    values = [a.one(metric).value, b.one(metric).value]
    found = unpaired_areas(values[0], squares[0], values[1], squares[1], *sizes, level=a.settings.level)
    return _with_error(found, squares, sizes)


def means(metric: Metric, a: Measurement, b: Measurement) -> Outcome:
    """Welch's t on what each unit adds to the mean; MOVER where neither sample has any spread."""
    squares = [_square(metric, one) for one in (a, b)]
    sizes = [_units(one) for one in (a, b)]
    if not sum(squares) > 0:  # or not a number, of one unit
        return estimates(metric, a, b)
    values = [one.one(metric).value for one in (a, b)]
    samples = [(value, square * n, n) for value, square, n in zip(values, squares, sizes, strict=True)]
    found = welch(*samples[0], *samples[1], confidence_level=a.settings.level)
    words = "Welch's t" if is_mean(metric, a) else "Welch's t on influence"
    return replace(_with_error(found, squares, sizes), test=words)


def estimates(metric: Metric, a: Measurement, b: Measurement) -> Outcome:
    """MOVER: the intervals of both estimates joined; the p-value is 1 less the lowest level at which it holds 0."""
    one, other = a.one(metric), b.one(metric)
    value = one.value - other.value
    low, high = combined(_ends(one), _ends(other))
    if not (isfinite(low) and isfinite(high)):
        return untested(value, "an interval of the two estimates has no end")
    at = _joined(metric, a, b)
    p = _normal_tails(value, low, high, a.settings.level) if at is None else inverted(at, steps=DIGITS)
    found = Outcome(value=value, low=low, high=high, pvalue=p, test="MOVER", interval_at=at)
    return _sized(found, metric, a, b)


def _joined(metric: Metric, a: Measurement, b: Measurement) -> Callable[[float], Interval] | None:
    """The joined interval as a function of the level; None where an interval is made of resamples."""
    one, other = a.interval_at(metric), b.interval_at(metric)
    if one is None or other is None:
        return None
    values = a.one(metric).value, b.one(metric).value
    return lambda level: combined((values[0], *one(level)), (values[1], *other(level)))


def _normal_tails(value: float, low: float, high: float, level: float) -> float:
    """The p-value of a normal difference whose interval reaches as far towards 0 as this one."""
    from scipy.special import ndtr

    reach = value - low if value > 0 else high - value
    return float(2 * ndtr(-abs(value) / reach * critical_z(level))) if reach > 0 else nan


def textbook(metric: Metric, a: Measurement, b: Measurement) -> Outcome:
    """The textbook's z of two shares, each with its own variance, and the one-sided confidence in its sign."""
    from scipy.special import ndtr

    one, other = a.one(metric), b.one(metric)
    assert one.count is not None
    assert other.count is not None
    found = textbook_z(*one.count, *other.count, confidence_level=a.settings.level)
    squares = [part.value * (1 - part.value) / part.count[1] for part in (one, other)]  # type: ignore[index]
    sign = f"z = {found.statistic:.2f}; one-sided, P(d > 0) = {float(ndtr(found.statistic)):.3f}"
    told = _with_error(found, squares, [_units(a), _units(b)])
    return replace(told, test="z, textbook", notes=(*found.notes, *(() if isnan(found.statistic) else (sign,))))


INDEPENDENT_TESTS: dict[str, tuple[Suits, Test, str]] = {
    "z": (is_error, textbook, ERRORS),
    "delong": (is_area, areas, "roc_auc and gini"),
    "t": (lambda metric, _a: metric.reads not in ("ordered", "reliability"), means, "all that a unit can move"),
}
"""Tests of independent samples by name: the metrics that each suits, what it does, and the same in words."""


def _ends(one: Estimate) -> tuple[float, float, float]:
    return one.value, one.low, one.high


def _units(one: Measurement) -> int:
    return int(one.batch.units)


def _square(metric: Metric, one: Measurement, *, area: bool = False) -> float:
    """The squared standard error of one model's value, from what its units move it."""
    batch = one.batch
    moved = unit_influence(one, metric, batch.positive if metric.one_class else None)
    assert moved is not None
    if area and batch.unit is None:
        return area_variance(moved, batch.truth == batch.positive)
    return influence_variance(moved)


def _with_error(outcome: Outcome, squares: list[float], sizes: list[int]) -> Outcome:
    """The outcome with the standard error that both samples give, and the sample size it is worth."""
    return replace(outcome, error=sqrt(sum(squares)), size=_size(squares, sizes))


def _size(squares: list[float], sizes: list[int]) -> float | None:
    """How many units two samples of one size would have for errors like these: the mean size, weighed by them."""
    total = sum(squares)
    return sum(square * n for square, n in zip(squares, sizes, strict=True)) / total if total > 0 else None


def _sized(found: Outcome, metric: Metric, a: Measurement, b: Measurement) -> Outcome:
    """The finding with the error that its width speaks of."""
    error = (found.high - found.low) / 2 / critical_z(a.settings.level)
    parts = [one.one(metric) for one in (a, b)]
    size = _size([(part.high - part.low) ** 2 for part in parts], [_units(one) for one in (a, b)])
    return replace(found, error=error, size=size)
