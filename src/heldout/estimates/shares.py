"""Intervals for shares of rows, and for what is made of shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite, isnan

import numpy as np

from heldout.batch import Array
from heldout.estimates.question import Answer, Method, Question
from heldout.formulas import METRICS
from heldout.intervals import Interval
from heldout.intervals.scales import fisher_z, on_log
from heldout.intervals.shares import SHARES, clustered_trials, effective_wilson, mover, weighted_trials

NAMES = {
    "wilson": "Wilson",
    "wilson_cc": "Wilson, continuity corrected",
    "clopper_pearson": "Clopper-Pearson",
    "midp": "mid-p",
    "blaker": "Blaker",
    "likelihood_ratio": "likelihood ratio",
    "logit": "logit",
    "jeffreys": "Jeffreys",
    "agresti_coull": "Agresti-Coull",
    "normal": "normal",
}
FULL = 100
"""From so many rows in every cell on, half a row more tells nothing."""
ROUNDING = 1e-20
"""A variance that is rounding: no unit moves a correlation of such a table, which has hardly any rows or cells."""
SMALL = 30
"""Below this many rows a share also gets its guaranteed interval, and the normal one is called invalid."""


def share(method: str) -> Method:
    """The interval of a share by one of the methods for shares."""

    def answer(asked: Question) -> Answer:
        whole = _rows_behind(asked)
        trials = effective_trials(asked)
        count = (round(asked.value * whole, 9) if not isnan(asked.value) else 0.0, whole)
        if whole == 0:
            return Answer(
                interval=(0.0, 1.0),
                method=NAMES[method],
                notes=(f"{asked.metric.name} is 0/0: {_missing(asked)}",),
                count=count,
            )
        low, high = SHARES[method](asked.value * trials, trials, asked.level)
        notes = _share_notes(asked, method, trials)
        words = NAMES[method]
        if asked.stand_in and low == high:  # the normal interval at 0 and at 1
            low, high = SHARES["wilson"](asked.value * trials, trials, asked.level)
            notes += (f"the {words} interval has no width here; Wilson's is shown",)
            words = NAMES["wilson"]
        if low < 0 or high > 1:
            notes += (f"the {NAMES[method]} interval [{low:.3f}, {high:.3f}] left [0, 1] and was cut",)
        guaranteed = (
            SHARES["clopper_pearson"](asked.value * trials, trials, asked.level)
            if trials < SMALL and method == "wilson" and asked.independent
            else None
        )
        return Answer(
            interval=(max(low, 0.0), min(high, 1.0)),
            method=words + asked.design,
            notes=notes,
            count=count,
            guaranteed=guaranteed,
        )

    return answer


def effective_trials(asked: Question) -> float:
    """How many independent rows of equal weight the share is worth."""
    whole = _rows_behind(asked)
    if asked.independent or whole == 0:
        return whole
    heavy = sum(float(np.sum(asked.squares[name])) for name in asked.metric.share)
    trials = whole**2 / heavy
    if not asked.tally.clustered:
        return weighted_trials(asked.value, trials, asked.variance)
    return clustered_trials(asked.value, trials, asked.variance, asked.df + 1, asked.level)


def unit_interval(asked: Question) -> Answer:
    """Wilson's interval with the number of rows that would give the metric's variance [0, 1]."""
    low, high = asked.metric.range
    span = high - low
    if isnan(asked.value):
        return Answer(interval=(low, high), method="effective-n Wilson", notes=(_undefined(asked),))
    rests_on = units_behind(asked)
    variance = max(asked.wide_variance, _smoothed_variance(asked))
    ends = effective_wilson((asked.value - low) / span, variance / span**2, asked.level, at_edge=rests_on)
    if _is_over_classes(asked):
        bias = _bias_over_classes(asked)
        ends = ends[0] - max(bias, 0.0), min(ends[1] - min(bias, 0.0), 1.0)
    notes: tuple[str, ...] = ()
    if asked.value in (low, high):
        notes = (f"at the end of its range; the interval rests on {rests_on:g} units ({asked.metric.rests_on})",)
    return Answer(
        interval=(low + span * ends[0], low + span * ends[1]), method="effective-n Wilson" + asked.design, notes=notes
    )


def _smoothed_variance(asked: Question) -> float:
    """Of a metric of one class: the variance with half a row added to every cell; empty cells hide much of it."""
    if _is_over_classes(asked):
        return _smoothed_over_classes(asked)
    if asked.label is None or asked.metric.reads != "labels" or asked.tally.clustered:
        return 0.0
    if min(float(cell) for cell in asked.sums.values()) >= FULL:
        return 0.0
    smoothed = asked.smoothed()
    spread = smoothed.value * (1 - smoothed.value)
    return asked.value * (1 - asked.value) * smoothed.variance / spread if spread > 0 else 0.0


def _is_over_classes(asked: Question) -> bool:
    """Whether the metric is a mean over classes, some of which may be rare."""
    over = asked.label is None and asked.metric.reads in ("labels", "marks")
    if not over or asked.metric.rests_on != "smallest class":
        return False
    sizes = np.asarray(asked.sums[asked.metric.needs[0]])
    return sizes.ndim == 1 and 2 < sizes.size <= MANY_CLASSES


MANY_CLASSES = 500
"""Over more classes than this, no single one moves a mean by much, and the slopes of each take long."""


def _smoothed_over_classes(asked: Question) -> float:
    """Variance of a mean over classes, each class with half a row more in every cell that the metric looks at.

    The classes' own variances are added up, and raised by how much more (or less) they make together in these rows than
    if they were independent. Half rows fill empty cells but are no rows: the spread with them is over the rows there.
    """
    needs = asked.metric.needs
    counts = np.stack([np.asarray(asked.squares[name], dtype=float) for name in needs])
    seen = counts.sum(axis=0)
    present = seen > 0
    alone = _variance_by_class(asked.metric.gradient(asked.sums), needs, counts)[present].sum()
    smoothed = {name: np.asarray(asked.sums[name]) + 0.5 * present for name in needs}
    each = _variance_by_class(asked.metric.gradient(smoothed), needs, counts + 0.5)
    each = each[present] * (1 + 0.5 * len(needs) / seen[present])
    together = max(asked.wide_variance / alone, 0.25) if alone > 0 and asked.variance > 0 else 1.0
    found = float(each.sum()) * together
    return found if np.isfinite(found) else 0.0


def _variance_by_class(slopes: Mapping[str, Array], needs: Sequence[str], counts: Array) -> Array:
    return np.asarray(sum(line * np.asarray(slopes[name]) ** 2 for name, line in zip(needs, counts, strict=True)))


def _bias_over_classes(asked: Question) -> float:
    """How far the metric's curvature takes its mean from the true value, to second order: half the sum of s f''(s).

    One step moves all classes at once, as far as the root of their counts: classes do not touch each other in a mean.
    """
    bias = 0.0
    sums = {name: np.asarray(asked.sums[name], dtype=float) for name in asked.metric.needs}
    for name, counts in sums.items():
        step = BIAS_STEP * np.sqrt(np.minimum(np.asarray(asked.squares[name]), counts**2))
        up, down = (float(asked.metric({**sums, name: counts + sign * step})) for sign in (1, -1))
        bias += (up - 2 * asked.value + down) / (2 * BIAS_STEP**2)
    return bias if np.isfinite(bias) else 0.0


BIAS_STEP = 1e-2


def units_behind(asked: Question) -> float:
    """How many units a metric rests on: those of the smallest class involved."""
    sums = asked.summed.sums
    if asked.metric.rests_on == "all rows":
        sizes = np.array([float(asked.tally.units)])
    elif "tp" in sums:
        sizes = sums["tp"] + sums["fn"]
        if asked.label is not None:
            total = sizes[asked.label] + sums["fp"][asked.label] + sums["tn"][asked.label]
            sizes = np.array([sizes[asked.label], total - sizes[asked.label]])
    elif "positives" in sums:
        sizes = np.array([sums["positives"].sum(), sums["negatives"].sum()])
    else:
        sizes = np.array([float(asked.tally.units)])
    smallest = float(np.min(np.where(sizes > 0, sizes, np.inf)))
    return max(min(smallest, float(asked.tally.units)), 1.0)


def sum_of_rates(asked: Question) -> Answer:
    """Recall + specificity - 1, from the Wilson intervals of both [zou08]."""
    rates = [asked.about(METRICS[name]) for name in ("recall", "specificity")]
    joined = _combined(asked, rates, weight=1.0, shift=-1.0)
    return _at_least(correlation(asked), joined) if asked.tally.clustered else joined


def mean_of_rates(asked: Question) -> Answer:
    """Mean recall over two classes, from the Wilson interval of each [zou08]; over more, as any mean over classes."""
    if _is_over_classes(asked):
        return unit_interval(asked)
    present = np.flatnonzero(asked.summed.sums["tp"] + asked.summed.sums["fn"] > 0)
    rates = [asked.about(METRICS["recall"], label=int(k)) for k in present]
    answer = _combined(asked, rates, weight=1 / max(len(rates), 1), shift=0.0)
    if isnan(asked.value):
        return replace(answer, interval=(0.0, 1.0), notes=(_undefined(asked),))
    return _at_least(unit_interval(asked), answer) if asked.tally.clustered else answer


def _at_least(answer: Answer, other: Answer) -> Answer:
    """An interval of clusters, no shorter than one that takes the rates of both classes for independent.

    Clusters whose few rows of a class are all right show no variance of its rate; the interval of that rate has one.
    """
    low, high = min(answer.interval[0], other.interval[0]), max(answer.interval[1], other.interval[1])
    return replace(answer, interval=(low, high))


def _combined(asked: Question, rates: list[Question], weight: float, shift: float) -> Answer:
    answers = [share("wilson")(rate) for rate in rates]
    low, high = mover(
        np.full(len(rates), weight),
        np.array([rate.value for rate in rates]),
        np.array([answer.interval[0] for answer in answers]),
        np.array([answer.interval[1] for answer in answers]),
    )
    ends: Interval = (low + shift, high + shift)
    if isnan(low) or isnan(high):
        return Answer(interval=asked.metric.range, method="MOVER over Wilson", notes=(_undefined(asked),))
    return Answer(interval=ends, method="MOVER over Wilson")


def correlation(asked: Question) -> Answer:
    """Fisher's z; where a cell is empty or the value at an end, with half a row added to every cell."""
    if isnan(asked.value):
        return Answer(interval=(-1.0, 1.0), method="Fisher z", notes=(_undefined(asked),))
    if _lacks_a_class(asked):
        note = "one of the two classes was never predicted, or never true: the value says nothing about agreement"
        return Answer(interval=(-1.0, 1.0), method="Fisher z", notes=(note,))
    value, variance = asked.value, asked.wide_variance
    notes: tuple[str, ...] = ()
    if asked.has_empty_cell or abs(value) == 1 or not variance > ROUNDING:
        smoothed = asked.smoothed()
        # a cluster more or less hides how much those there differ
        least = asked.variance if asked.tally.clustered and isfinite(asked.variance) else 0.0
        variance = asked.widened(max(smoothed.variance, least))
        notes = (f"{_half(asked)} was added to every cell for the interval",)
        value = value if abs(value) < 1 else smoothed.value
    low, high = fisher_z(value, float(np.sqrt(variance)), asked.level)
    if isnan(low):
        return Answer(interval=(-1.0, 1.0), method="Fisher z", notes=("all units are alike, so there is no interval",))
    return Answer(interval=(low, high), method="Fisher z" + asked.design, notes=notes)


def fisher(asked: Question) -> Answer:
    """Fisher's z, for correlations that are not made of the cells of one table."""
    if isnan(asked.value):
        return Answer(interval=asked.metric.range, method="Fisher z", notes=(_undefined(asked),))
    low, high = fisher_z(asked.value, float(np.sqrt(asked.wide_variance)), asked.level)
    if isnan(low):
        return unit_interval(asked)
    return Answer(interval=(low, high), method="Fisher z" + asked.design)


def _lacks_a_class(asked: Question) -> bool:
    """Whether one of two classes is missing from the truth or from the predictions: then kappa is 0 by arithmetic."""
    tp, fp, fn = (np.asarray(asked.sums[name]) for name in ("tp", "fp", "fn"))
    return tp.shape == (2,) and bool(np.any(tp + fp == 0) or np.any(tp + fn == 0))


def ratio(asked: Question) -> Answer:
    """On the log scale; half a row is added to every cell where one of them is empty [haldane56]."""
    value, variance = asked.value, asked.wide_variance
    notes: tuple[str, ...] = ()
    if asked.has_empty_cell or not (np.isfinite(value) and value > 0):
        smoothed = asked.smoothed()
        value, variance = smoothed.value, asked.widened(smoothed.variance)
        is_now = f"{asked.metric.name} is {_word(asked.value)}; " if not np.isfinite(asked.value) else ""
        notes = (f"{is_now}{_half(asked)} was added to every cell for the interval",)
    low, high = on_log(value, float(np.sqrt(variance)), asked.level)
    if isnan(low):
        return Answer(interval=asked.metric.range, method="log scale", notes=(_undefined(asked),))
    if asked.value == np.inf:
        high = np.inf
    return Answer(interval=(0.0 if asked.value == 0 else low, high), method="log scale" + asked.design, notes=notes)


def _half(asked: Question) -> str:
    """What `Question.smoothed` adds to a cell, in words."""
    if asked.independent:
        return "half a row"
    return "half an average cluster" if asked.tally.clustered else "half a row of average weight"


def _rows_behind(asked: Question) -> float:
    return float(sum(np.sum(asked.sums[name]) for name in asked.metric.share))


def _share_notes(asked: Question, method: str, trials: float) -> tuple[str, ...]:
    spread = asked.value * (1 - asked.value) * trials
    if method != "normal" or (trials >= SMALL and spread >= 5):
        return ()
    seen = f"n = {trials:.6g}, n p (1 - p) = {spread:.3g}"
    return (f"the normal interval is not valid here ({seen}; it needs 30 and 5): it covers too rarely, use wilson",)


def _missing(asked: Question) -> str:
    """What there are no rows of."""
    words = {
        ("tp", "fp"): "no row was predicted positive",
        ("tp", "fn"): "no row is positive",
        ("fn", "tp"): "no row is positive",
        ("tn", "fp"): "no row is negative",
        ("fp", "tn"): "no row is negative",
        ("tn", "fn"): "no row was predicted negative",
        ("tp", "fp", "fn"): "no row is positive and none was predicted positive",
    }
    return words.get(asked.metric.share, "there are no rows")


def _undefined(asked: Question) -> str:
    sums = asked.summed.sums
    if "tp" in sums and asked.label is None:
        unsaid = int(np.sum(sums["tp"] + sums["fp"] == 0))
        absent = int(np.sum(sums["tp"] + sums["fn"] == 0))
        parts = [f"{unsaid} of the classes were never predicted"] if unsaid else []
        parts += [f"{absent} of the classes never occur in the truth"] if absent else []
        if parts:
            return f"{asked.metric.name} is undefined: {' and '.join(parts)}"
    return f"{asked.metric.name} is undefined: it is 0/0 on these rows"


def _word(value: float) -> str:
    return {0.0: "zero", float("inf"): "infinite"}.get(value, "undefined")
