"""Intervals from draws of units, for any metric."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

import numpy as np

from heldout.estimates.question import Answer, Question
from heldout.intervals.resampling import basic as basic_interval
from heldout.intervals.resampling import bca as bca_interval
from heldout.intervals.resampling import percentile as percentile_interval


def percentile(asked: Question) -> Answer:
    """The middle of the drawn values [efron79]."""
    return _answer(asked, percentile_interval(asked.drawn, asked.level), "bootstrap percentile")


def basic(asked: Question) -> Answer:
    """The value's distance to the drawn values, turned around [davison97]."""
    return _answer(asked, basic_interval(asked.value, asked.drawn, asked.level), "bootstrap basic")


def bca(asked: Question) -> Answer:
    """Percentile interval corrected for bias and for how the spread changes with the value [efron87]."""
    if not isfinite(asked.value):  # no unit moves it by a finite amount
        answer = percentile(asked)
        return replace(answer, notes=(*answer.notes, "BCa needs a finite value, so this is a percentile interval"))
    lines = asked.tally.lines
    influence = asked.tally.influence(asked.gradient)
    # lines that stand for several units count as often in the skewness
    weighed = influence if np.all(lines == 1) else np.repeat(influence, lines.astype(int))
    return _answer(asked, bca_interval(asked.value, asked.drawn, weighed, asked.level), "bootstrap BCa")


def _answer(asked: Question, ends: tuple[float, float], method: str) -> Answer:
    low, high = asked.metric.range
    kept = len(asked.drawn)
    notes = (
        [] if kept == asked.draws else [f"{asked.draws - kept} of {asked.draws} draws were undefined and were left out"]
    )
    if asked.tally.units < 30:
        notes.append(f"the bootstrap is too narrow at {asked.tally.units} units")
    if ends[0] == ends[1]:
        notes.append("all draws gave the same value: the interval says nothing")
    return Answer(
        interval=(max(ends[0], low), min(ends[1], high)), method=f"{method}, {asked.draws} draws", notes=tuple(notes)
    )
