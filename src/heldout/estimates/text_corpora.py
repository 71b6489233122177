"""Intervals for metrics of whole corpora: BLEU, chrF, n-gram precision and recall."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isnan, sqrt

import numpy as np

from heldout.batch import Array
from heldout.estimates.question import Answer, Question, percentile
from heldout.estimates.shares import unit_interval
from heldout.intervals import Interval
from heldout.intervals.means import student
from heldout.intervals.scales import critical_t
from heldout.tallies.units import Units

ROUNDING = 1e-9
"""A spread smaller than this share of the range is none."""
FEW_MATCHED = 5
"""A share of n-grams that match in fewer segments than this has a note."""
EDGE = 1e-6
"""How near to an end of its range a value may come on the logit scale."""


def corpus(asked: Question) -> Answer:
    """Jackknife t on the logit scale; resamples of units where the value rests on smoothing.

    With few segments, t on the plain scale and the bootstrap's intervals contain the true value less often.
    """
    low, high = asked.metric.range
    if isnan(asked.value) or asked.value in (low, high):
        return unit_interval(asked)
    if not is_smooth(asked):
        return _on_smoothing(asked)
    n = asked.tally.units
    if n == 1:
        return Answer(interval=(low, high), method="t", notes=("the variance of one unit cannot be estimated",))
    without = (_without_each(asked) - low) / (high - low)
    if n < 3 or not np.all(np.isfinite(without)):
        return _on_influence(asked)
    if not np.ptp(without) > ROUNDING:
        return _alike(asked)
    ends = jackknife_logit((asked.value - low) / (high - low), without, asked.level)
    interval = low + (high - low) * ends[0], low + (high - low) * ends[1]
    notes: tuple[str, ...] = ()
    if len(asked.metric.needs) == 2 and asked.metric.range == (0.0, 1.0):
        most, matched = _most_that_match(asked)
        interval = interval[0], max(min(interval[1], most), asked.value)
        if matched < FEW_MATCHED:
            notes = (f"n-grams match in {matched} of {n} segments: the interval is rough",)
    return Answer(interval=interval, method="jackknife t, logit scale" + asked.design, notes=notes)


def _most_that_match(asked: Question) -> tuple[float, int]:
    """An upper bound on a share of n-grams, from how many segments have a match at all, and how many these are.

    No more n-grams match than those of segments with a match: the bound is Clopper and Pearson's on the share of the
    latter, for as many segments of equal length as these are worth. Where few segments match, the jackknife hardly
    knows its spread: with 30 segments and matches in 2, it reaches from 0.002 to 0.79, and the bound is 0.28.
    """
    from scipy.special import betaincinv

    top, bottom = asked.metric.needs
    hits, sizes = (np.asarray(asked.form(Units).column(name), dtype=float) for name in (top, bottom))
    matched = asked.metric({top: hits, bottom: sizes}) > 0
    total = sizes.sum(axis=0)
    share = float(asked.metric({top: sizes[matched].sum(axis=0), bottom: total}))
    worth = 1 / float(asked.metric({top: (sizes**2).sum(axis=0), bottom: total**2}))
    most = 1.0 if share == 1 else float(betaincinv(share * worth + 1, (1 - share) * worth, (1 + asked.level) / 2))
    return most, int(np.count_nonzero(matched))


def _on_influence(asked: Question) -> Answer:
    """Student's t on how far each unit moves the value."""
    low, high = asked.metric.range
    moved, n = asked.listed.influence(asked.gradient), asked.tally.units
    error = sqrt(n / (n - 1) * float(np.sum((moved - moved.mean()) ** 2)))
    if not error > ROUNDING * (high - low):
        return _alike(asked)
    ends = student(asked.value, error, n - 1, asked.level)
    return Answer(interval=(max(ends[0], low), min(ends[1], high)), method="t on influence" + asked.design)


def _alike(asked: Question) -> Answer:
    why = f"all {asked.tally.units} units are alike: no variance"
    return Answer(interval=asked.metric.range, method="t", notes=(why,))


def _without_each(asked: Question) -> Array:
    """The value without each unit in turn."""
    columns = {name: asked.form(Units).column(name) for name in asked.metric.needs}
    with np.errstate(invalid="ignore", divide="ignore"):
        return asked.metric({name: asked.sums[name] - column for name, column in columns.items()})


def jackknife_logit(
    value: float, without: Array, level: float, *, least: float = 0.0, freedom: float = inf
) -> Interval:
    """The interval g - bias -+ t se, brought back, where g = ln(v / (1 - v)) and `without` is v without each unit.

    With d_i the deviations of g without unit i from their mean, se² = (n - 1) / n sum d_i², and the bias is n - 1 times
    the mean less g [quenouille56] [tukey58]. Where a few units make most of that sum it is not well known: t has
    2 n / (k - 1 + 2 / n) degrees of freedom, but at most n - 1, with k = n sum d_i⁴ / (sum d_i²)².
    `least` is a standard error of v below which it does not go, and `freedom` bounds the degrees of freedom.

    >>> [round(end, 3) for end in jackknife_logit(0.5, np.array([0.45, 0.48, 0.5, 0.52, 0.55]), 0.95)]
    [0.319, 0.681]
    """
    whole, parts = _logit(np.array(value)), _logit(without)
    n, off = len(parts), parts - parts.mean()
    squares = float(np.sum(off**2))
    centre = float(whole - (n - 1) * (parts.mean() - whole))
    peaked = n * float(np.sum(off**4)) / squares**2
    df = min(2 * n / (peaked - 1 + 2 / n), n - 1, freedom)
    error = max(sqrt((n - 1) / n * squares), least / (value * (1 - value)) if least > 0 else 0.0)
    reach = critical_t(level, max(df, 1.0)) * error
    low, high = (1 / (1 + np.exp(-np.clip([centre - reach, centre + reach], -700, 700)))).tolist()
    return min(low, value), max(high, value)


def _logit(share: Array) -> Array:
    inside = np.clip(share, EDGE, 1 - EDGE)
    return np.log(inside / (1 - inside))


def _on_smoothing(asked: Question) -> Answer:
    answer = percentile(asked)
    note = "no n-gram of some length matches: the value rests on smoothing, and so do the resamples"
    return replace(answer, notes=(*answer.notes, note))


def is_smooth(asked: Question) -> bool:
    """Whether the value follows the sums without a jump: of BLEU, where every n has a match; of the others, always."""
    return "reference_length" not in asked.metric.needs or bool(np.all(asked.sums["matches"] > 0))
