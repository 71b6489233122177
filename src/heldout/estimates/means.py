"""Intervals for mean losses, errors and ratios of sums."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite, isnan, sqrt

import numpy as np

from heldout.batch import Array
from heldout.estimates.question import Answer, Question
from heldout.estimates.shares import unit_interval
from heldout.intervals import UNDEFINED, Interval
from heldout.intervals.long_run import long_run
from heldout.intervals.means import bootstrap_t, exceedance, quantile, student
from heldout.intervals.resampling import percentile
from heldout.intervals.scales import critical_t, critical_z, on_log, on_log_one_minus, plain
from heldout.intervals.shares import effective_wilson
from heldout.tallies.from_batch import Ordered
from heldout.tallies.moments import Moments
from heldout.tallies.units import Units

ENOUGH = 100
"""From this many units on, Student's interval for a mean holds its level as well as bootstrap-t does."""
ENOUGH_SQUARES = 2000
"""Squared errors have longer tails, and need more."""
HEAVY = 0.25
"""Where the largest hundredth of the rows carries more than this share of a sum, no interval is known to hold."""

ALIKE = 1e-12
"""Units that differ by a smaller share of the value than this differ by rounding only."""


def mean(asked: Question) -> Answer:
    """Student's interval from 100 units on, bootstrap-t below."""
    if asked.time is not None:
        return in_time(asked)
    return t(asked) if asked.tally.units >= ENOUGH else studentised(asked)


def in_time(asked: Question) -> Answer:
    """Of times that depend on those before: on the log scale where the mean is of losses, which are skewed, else t.

    At autocorrelation 0.8 and 100 times, squared errors of normal forecasts cover 92% so, and 89% by t.
    """
    if asked.metric.range[0] < 0 or not asked.value > 0 or not asked.variance > 0 or _is_rounding(asked):
        return t(asked)
    return log_scale(asked)


def bounded_mean(asked: Question) -> Answer:
    """Of means in [0, 1]: effective-n Wilson from 100 units on, bootstrap-t below."""
    many = asked.tally.units >= ENOUGH or asked.time is not None
    return unit_interval(asked) if many or isnan(asked.value) else studentised(asked)


def spread(asked: Question) -> Answer:
    """The same for mean squared errors, which need 2000 units, with a word about heavy tails."""
    answer = in_time(asked) if asked.time is not None else _squares(asked)
    tally = asked.tally
    notes = heavy_tail(tally.sample[asked.metric.needs[0]] if isinstance(tally, Moments) else _columns(asked)[0])
    return replace(answer, notes=answer.notes + notes)


def _squares(asked: Question) -> Answer:
    return t(asked) if asked.tally.units >= ENOUGH_SQUARES else studentised(asked)


def t(asked: Question) -> Answer:
    """Student's t on what units add, linearised where the value is a ratio of sums."""
    known = asked.variance >= 0 and isfinite(asked.value) and not _is_rounding(asked)
    error = sqrt(asked.variance) if known else float("nan")
    ends = student(asked.value, error, asked.df, asked.level)
    return _answer(asked, ends, "t" + _ratio(asked))


def normal(asked: Question) -> Answer:
    """The value and its standard error on the normal scale: right for many units only."""
    ends = plain(asked.value, sqrt(asked.variance) if asked.variance > 0 else float("nan"), asked.level)
    notes = () if asked.tally.units >= ENOUGH else (f"the normal interval is too narrow at {asked.tally.units} units",)
    return _answer(asked, ends, "normal", notes)


def studentised(asked: Question) -> Answer:
    """Bootstrap-t over units."""
    if not isfinite(asked.value) or _is_rounding(asked):
        return _answer(asked, UNDEFINED, "bootstrap-t")
    if isinstance(asked.tally, Moments):
        answer = t(asked)
        return replace(answer, notes=(*answer.notes, "units were not kept, so this is no bootstrap-t interval"))
    numerators, denominators = _columns(asked)
    numerators = numerators * _factor(asked.value, numerators, denominators)
    ends, dropped = bootstrap_t(numerators, denominators, asked.level, draws=asked.draws, rng=asked.rng)
    if dropped > asked.draws * (1 - asked.level) / 2:
        return _bounded(asked, numerators / np.where(denominators == 0, 1, denominators))
    notes = (f"{dropped} of {asked.draws} resamples had no spread and were left out",) if dropped else ()
    return replace(_answer(asked, ends, "bootstrap-t", notes), resampled=True)


def _is_rounding(asked: Question) -> bool:
    """Whether all that units differ by is rounding: then an interval from their spread would say nothing."""
    if isinstance(asked.tally, Moments) or len(asked.metric.needs) != 2:
        return False
    numerators, denominators = _columns(asked)
    counted = denominators != 0
    values = numerators[counted] / denominators[counted]
    return values.ndim == 1 and bool(np.ptp(values) <= ALIKE * np.abs(values).max(initial=0.0))


def _bounded(asked: Question, values: Array) -> Answer:
    """Effective-n Wilson between the least and the largest value: for means that hang on a few rows.

    Draws without any of these rows have no spread, and they are just the ones that tell how far off the value may be.
    """
    least, high = asked.metric.range[0], float(values.max())
    low = least if isfinite(least) else float(values.min())
    if not asked.variance > 0 or not low < high:
        return _answer(asked, UNDEFINED, "bootstrap-t")
    span = high - low
    share = (asked.value - low) / span
    ends = effective_wilson(share, asked.wide_variance / span**2, asked.level, at_edge=float(asked.tally.units))
    taken = f"{high:.6g}, the largest seen, as the largest possible"
    if not isfinite(least):
        taken = f"{low:.6g} and {high:.6g}, the least and the largest seen, as the least and the largest possible"
    note = f"a few rows make the value; the interval takes {taken}"
    return _answer(asked, (low + span * ends[0], low + span * ends[1]), "effective-n Wilson", (note,))


def log_scale(asked: Question) -> Answer:
    """Delta interval on the log scale."""
    return _answer(asked, on_log(asked.value, sqrt(asked.wide_variance), asked.level), "delta, log scale")


def explained(asked: Question) -> Answer:
    """On the scale ln(1 - value), with the error of leaving out each unit in turn and Student's quantile."""
    name = "R2" if asked.metric.name == "r2" else asked.metric.name
    few = not isinstance(asked.tally, Moments) and asked.time is None  # times left out leave those around them
    words = f"{'jackknife' if few else 'delta'}, ln(1 - {name})"
    if isnan(asked.value):
        why = f"{name} is undefined: the truth does not vary (0/0)"
        return Answer(interval=asked.metric.range, method=words, notes=(why,))
    if asked.value == -inf:
        why = f"{name} is minus infinity: the truth does not vary, and the predictions miss it"
        return Answer(interval=asked.metric.range, method=words, notes=(why,))
    error = _leave_one_out_error(asked) if few else _delta_error(asked)
    ends = on_log_one_minus(asked.value, error, asked.level)
    return _answer(asked, ends, words, (f"{name} is against {asked.metric.against}",))


def _delta_error(asked: Question) -> float:
    return sqrt(asked.wide_variance) if asked.variance >= 0 else float("nan")


def _leave_one_out_error(asked: Question) -> float:
    """Error by leaving out each unit, on the scale ln(1 - value), brought back, with Student's quantile."""
    columns = {name: asked.form(Units).column(name) for name in asked.metric.needs}
    if asked.label is not None:
        columns = {name: column[:, asked.label] for name, column in columns.items()}
    n = asked.tally.units
    without = 1 - asked.metric({name: asked.sums[name] - column for name, column in columns.items()})
    if n < 3 or not np.all(np.isfinite(without) & (without > 0)):
        return _delta_error(asked)
    spread = (n - 1) / n * float(np.sum((np.log(without) - np.log(without).mean()) ** 2))
    ratio = critical_t(asked.level, n - 1) / critical_z(asked.level)
    return (1 - asked.value) * sqrt(spread) * ratio


def middle(asked: Question) -> Answer:
    """From order statistics; from draws of units where rows share units or have weights; Woodruff's in time."""
    if asked.time is not None:
        return _middle_in_time(asked)
    if asked.independent:
        if asked.tally.units < 2:
            return Answer(
                interval=asked.metric.range,
                method="order statistics",
                notes=("one row has no spread to judge the value by",),
            )
        ends, coverage = quantile(asked.form(Ordered).values, 0.5, asked.level)
        notes = (
            ()
            if coverage >= asked.level
            else (f"{asked.tally.units} rows: order statistics reach {coverage:.1%} only",)
        )
        return Answer(interval=ends, method="order statistics", notes=notes)
    return Answer(interval=percentile(asked.drawn, asked.level), method="bootstrap percentile", resampled=True)


def _middle_in_time(asked: Question) -> Answer:
    """Quantiles at the ends of the interval of the share of rows below the median, which is one half [woodruff52]."""
    tally = asked.form(Ordered)
    words = "Woodruff" + asked.design
    mass = np.ones(len(tally.values)) if tally.weight is None else tally.weight
    total = float(mass.sum())
    below = mass * ((tally.values < asked.value) + 0.5 * (tally.values == asked.value) - 0.5) / total
    found = long_run(np.bincount(tally.unit, weights=below, minlength=tally.units), asked.time.horizon)  # type: ignore[arg-type, union-attr]
    if not found.variance > 0:
        why = "the units have no spread to judge by"
        return Answer(interval=asked.metric.range, method=words, notes=(why,), long_run=found)
    reach = critical_t(asked.level, found.df) * sqrt(found.variance)
    passed = np.cumsum(mass) / total
    ends = [int(np.searchsorted(passed, share)) for share in (0.5 - reach, 0.5 + reach)]
    low, high = asked.metric.range
    return Answer(
        interval=(
            float(tally.values[ends[0]]) if reach < 0.5 else low,
            float(tally.values[ends[1]]) if reach < 0.5 and ends[1] < len(passed) else high,
        ),
        method=words,
        long_run=found,
    )


def largest(asked: Question) -> Answer:
    """At least the value; resampling says nothing about what lies beyond the largest row."""
    if asked.time is not None:
        note = "no upper bound from these rows, and none on what a new row may exceed where rows depend on each other"
        return Answer(interval=(asked.value, inf), method="order statistic", notes=(note,))
    chance = exceedance(asked.tally.units, asked.level)
    note = f"no upper bound from these rows; a new row exceeds {asked.value:.6g} with probability at most {chance:.3g}"
    return Answer(interval=(asked.value, inf), method="order statistic", notes=(note,))


def heavy_tail(values: Array) -> tuple[str, ...]:
    """A warning where a hundredth of the rows carries more than a quarter of the sum."""
    size = max(len(values) // 100, 1)
    total = float(np.sum(values))
    if len(values) < 20 or not np.isfinite(total) or total <= 0:
        return ()
    carried = float(np.sum(np.partition(values, len(values) - size)[-size:])) / total
    if carried <= HEAVY:
        return ()
    return (
        (
            f"heavy tail: the largest {size} of {len(values)} squared errors carry {carried:.0%} of the sum; "
            "no interval is known to hold here"
        ),
    )


def _columns(asked: Question) -> tuple[Array, Array]:
    """Numerator and denominator of the mean, per unit."""
    top, bottom = (asked.form(Units).column(name) for name in asked.metric.needs)
    return (top, bottom) if asked.label is None else (top[:, asked.label], bottom[:, asked.label])


def _factor(value: float, numerators: Array, denominators: Array) -> float:
    """What the value has beyond the ratio of its sums: 100 where it is in percent, else 1."""
    total, size = float(numerators.sum()), float(denominators.sum())
    return value * size / total if total else 1.0


def _answer(asked: Question, ends: Interval, method: str, notes: tuple[str, ...] = ()) -> Answer:
    """Ends cut to the metric's range; where there is no spread, what the range alone says."""
    low, high = asked.metric.range
    if asked.value == inf:
        return Answer(interval=(low, inf), method=method, notes=notes)
    if not isnan(ends[0]):
        return Answer(interval=(max(ends[0], low), min(ends[1], high)), method=method + asked.design, notes=notes)
    if isnan(asked.value):
        return Answer(
            interval=asked.metric.range,
            method=method,
            notes=(f"{asked.metric.name} is undefined: it is 0/0 on these rows",),
        )
    if np.isfinite(low) and np.isfinite(high):
        return unit_interval(asked)
    rows = asked.tally.units
    why = "one unit has no spread" if rows == 1 else f"all {rows} units are alike, so there is no spread"
    return Answer(interval=asked.metric.range, method=method, notes=(f"{why} to judge the value by",))


def _ratio(asked: Question) -> str:
    return "" if {"rows", "counted_rows"} & set(asked.metric.needs) else ", ratio"
