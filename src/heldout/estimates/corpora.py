"""Intervals for metrics of whole corpora: BLEU and chrF."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np

from heldout.estimates.question import Answer, Question
from heldout.estimates.resampling import percentile
from heldout.estimates.shares import unit_interval
from heldout.intervals.means import student

ROUNDING = 1e-9
"""A spread smaller than this share of the range is none."""


def corpus(asked: Question) -> Answer:
    """Student's t on how far each unit moves the value; draws of units where the value rests on smoothing.

    With few segments the bootstrap's intervals are narrower, and hold the truth less often.
    """
    low, high = asked.metric.range
    if asked.value in (low, high):
        return unit_interval(asked)
    if not is_smooth(asked):
        return _on_smoothing(asked)
    moved, n = asked.tally.influence(asked.gradient), asked.tally.units
    error = sqrt(n / (n - 1) * float(np.sum((moved - moved.mean()) ** 2))) if n > 1 else float("nan")
    if not error > ROUNDING * (high - low):
        why = "one unit has no spread" if n == 1 else f"all {n} units are alike, so there is no spread"
        return Answer(interval=(low, high), method="t", notes=(f"{why} to judge by",))
    ends = student(asked.value, error, n - 1, asked.level)
    return Answer(interval=(max(ends[0], low), min(ends[1], high)), method="t on influence" + asked.design)


def _on_smoothing(asked: Question) -> Answer:
    answer = percentile(asked)
    note = "no n-gram of some length matches: the value rests on smoothing, and so do the draws"
    return replace(answer, notes=(*answer.notes, note))


def is_smooth(asked: Question) -> bool:
    """Whether the value follows the sums without a jump: every n has a match, or there is none to be smoothed."""
    return "matches" not in asked.metric.needs or bool(np.all(asked.sums["matches"] > 0))
