"""Intervals for metrics of the order of scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from math import isnan, nan, sqrt

import numpy as np

from heldout.batch import Array
from heldout.estimates.question import Answer, Question, bca
from heldout.estimates.shares import unit_interval, units_behind
from heldout.formulas import Metric
from heldout.intervals.auc import (
    delong as plain_delong,
    delong_logit,
    hanley_mcneil_variance,
    newcombe as score_form,
    symmetric_variance,
)
from heldout.intervals.resampling import percentile
from heldout.intervals.scales import critical_z, on_logit
from heldout.intervals.shares import effective_wilson
from heldout.tallies.score_columns import Contests, ScoreColumns
from heldout.tallies.scores import Scores

FEW = 20
"""With fewer rows than this in a class, Newcombe's score form has the nominal coverage where DeLong's does not."""
FEW_MISRANKED = 4
"""With so many rows of the smaller class that rank wrong, DeLong's variance counts as much as what is expected."""
ENOUGH = 500
"""With fewer rows than this in a class, influence is too rough for metrics that hang on one threshold."""
MANY = 5000
"""Ranking more rows than this anew in every resample takes longer than what it would tell."""


def area(asked: Question) -> Answer:
    """DeLong's variance on the logit scale, raised where few rows rank wrong; Newcombe's score form with very few.

    A class of 20 rows that all rank right says little of the one that will not. With 20 of 400 rows positive, an area
    of 0.96 and a standard deviation of scores three times as large among positives, DeLong's interval alone is far too
    narrow; this one covered 95.2% of 2,000 samples.
    """
    if isnan(asked.value):
        return _one_class(asked)
    few = min(class_sizes(asked)) < FEW or misranked(asked) < 1
    if not few and asked.variance > 0:
        ends = delong_logit(asked.value, raised_variance(asked), asked.level)
        if not isnan(ends[0]):
            return Answer(interval=ends, method="DeLong, logit" + asked.design)
    return _score(asked, _worth_of_rows(asked))


def misranked(asked: Question) -> float:
    """How many rows of the smaller class rank wrong, or right where most rank wrong."""
    return min(class_sizes(asked)) * min(asked.value, 1 - asked.value)


def raised_variance(asked: Question) -> float:
    """DeLong's variance; where few rows rank wrong, and it is smaller than Hanley and McNeil's, closer to theirs."""
    found = asked.wide_variance
    expected = symmetric_variance(asked.value, *class_sizes(asked))
    share = 1 / (1 + (misranked(asked) / FEW_MISRANKED) ** 2)
    return max(found, found + share * (expected - found))


def logit(asked: Question) -> Answer:
    """DeLong's variance on the logit scale [delong88]."""
    if isnan(asked.value):
        return _one_class(asked)
    ends = delong_logit(asked.value, asked.wide_variance, asked.level)
    if isnan(ends[0]):
        return newcombe(asked)
    return Answer(interval=ends, method="DeLong, logit" + asked.design)


def delong(asked: Question) -> Answer:
    """DeLong's variance on the plain scale: for comparison with other tools."""
    if isnan(asked.value):
        return _one_class(asked)
    ends = plain_delong(asked.value, asked.wide_variance, asked.level)
    if isnan(ends[0]):
        return newcombe(asked)
    note = "DeLong on the plain scale is too narrow for few rows or areas near 1"
    valid = min(class_sizes(asked)) >= 100 and asked.value < 0.95
    return Answer(interval=ends, method="DeLong" + asked.design, notes=() if valid else (note,))


def hanley_mcneil(asked: Question) -> Answer:
    """Hanley and McNeil's variance on the logit scale [hanley82]."""
    if isnan(asked.value):
        return _one_class(asked)
    variance = hanley_mcneil_variance(asked.value, *class_sizes(asked))
    ends = on_logit(asked.value, sqrt(variance), asked.level)
    return newcombe(asked) if isnan(ends[0]) else Answer(interval=ends, method="Hanley-McNeil, logit")


def newcombe(asked: Question) -> Answer:
    """Newcombe's score form [newcombe06]; classes are as large as their weights and units are worth."""
    if isnan(asked.value):
        return _one_class(asked)
    return _score(asked, _worth_of_rows(asked) if asked.tally.clustered else 1.0)


def _score(asked: Question, worth: float) -> Answer:
    """Newcombe's score form, where rows are worth so many of those that vary as Hanley and McNeil's do."""
    positives, negatives = class_sizes(asked)
    ends = score_form(asked.value, positives * worth, negatives * worth, asked.level)
    return Answer(interval=ends, method="Newcombe score" + asked.design)


def class_sizes(asked: Question) -> tuple[float, float]:
    """How many rows of equal weight each class is worth."""
    sizes = []
    for name in ("positives", "negatives"):
        total, heavy = float(asked.sums[name].sum()), float(asked.squares[name].sum())
        sizes.append(total**2 / heavy if heavy > 0 else 0.0)
    return sizes[0], sizes[1]


def _worth_of_rows(asked: Question) -> float:
    """What share of rows of Hanley and McNeil's variance the rows are worth, that vary more or share units."""
    at_most = asked.tally.units / asked.form(Scores).rows if asked.tally.clustered else 1.0
    if asked.value in (0.0, 1.0) or not asked.wide_variance > 0:
        return min(at_most, 1.0)
    alone = symmetric_variance(asked.value, *class_sizes(asked))
    return min(alone / asked.wide_variance, 1.0)


def average_precision(asked: Question) -> Answer:
    """On the logit scale, with the variance of `boyd` or by influence, whichever is wider.

    The former holds from few rows on where scores rise smoothly with the truth. It takes ranks for independent, which
    those of a model with a few kinds of rows (a hard classifier, a shallow tree) are not: there it stays too narrow
    however many rows there are, and influence does not.
    """
    return _on_logit_of_precision(asked, influence=True)


def boyd(asked: Question) -> Answer:
    """On the logit scale with as many rows as there are positives [boyd13].

    Where rows share units, have weights or depend on those before, what these add counts where it is more.
    """
    return _on_logit_of_precision(asked, influence=not asked.independent)


def _on_logit_of_precision(asked: Question, *, influence: bool) -> Answer:
    notes = (f"depends on the prevalence, {_prevalence(asked):.3g} here",)
    if isnan(asked.value):
        return _one_class(asked)
    positives, words = class_sizes(asked)[0], "logit, n = positives"
    variance = asked.value * (1 - asked.value) / positives
    if influence and asked.wide_variance > variance:
        variance, words = asked.wide_variance, "influence, logit"
    if not asked.independent:
        words += asked.design
    ends = on_logit(asked.value, sqrt(variance), asked.level)
    if isnan(ends[0]):
        ends = effective_wilson(asked.value, nan, asked.level, at_edge=units_behind(asked))
        words = "effective-n Wilson" + asked.design
    elif asked.tally.weighted:
        lower = _below_one_more(asked, sqrt(variance))
        if lower < ends[0]:
            ends, words = (lower, ends[1]), f"{words}, bias bounded"
    found = None if asked.time is None else asked.long_run
    return Answer(interval=ends, method=words, notes=notes, long_run=found)


def _below_one_more(asked: Question, error: float) -> float:
    """The low end with one more negative row above all others, as heavy as negative rows are beyond two positive ones.

    Where each negative row stands for many, as those of a case-control sample weighted to its population do, a sample
    without one of them among the highest scores is likely, and its average precision too large: of 1,000 rows in equal
    parts, weighted to a prevalence of 0.01, it is 0.16 on average where the truth is 0.12.
    """
    mass = {name: float(asked.squares[name].sum() / asked.sums[name].sum()) for name in ("positives", "negatives")}
    excess = mass["negatives"] - 2 * mass["positives"]
    if excess <= 0:
        return 1.0
    negatives = np.array(asked.sums["negatives"], dtype=float)
    negatives[-1] += excess
    value = float(asked.metric({"positives": asked.sums["positives"], "negatives": negatives}))
    scale = value * (1 - value) / (asked.value * (1 - asked.value))
    return on_logit(value, error * scale, asked.level)[0]


def ranking(asked: Question) -> Answer:
    """Influence from 500 rows in each class on, or 5000 in all; below that BCa, ranking anew in every resample.

    A largest distance over thresholds (`ks`) has an interval of its own.
    """
    if isnan(asked.value):
        return _one_class(asked)
    if asked.time is not None:
        return depth(asked)
    if asked.metric.name == "ks" and min(class_sizes(asked)) >= 2 and asked.value not in (0.0, 1.0):
        return largest_gap(asked)
    rows = asked.form(Scores).rows
    if min(class_sizes(asked)) >= ENOUGH or rows >= MANY:
        answer = unit_interval(asked)
        return Answer(interval=answer.interval, method="influence, " + answer.method, notes=answer.notes)
    answer = bca(asked)
    low, high = answer.interval
    return unit_interval(asked) if isnan(low) or low == high else answer


SINGLE = np.float32
"""Seven digits are enough for errors, and a third of the time."""
PLACES, NEAR, PATHS = 80, 2.0, 500
"""Thresholds at which the distance between recall and false positive rate is looked at; how many standard errors below
the largest one may still be the true largest; how many paths of its error are drawn."""


def largest_gap(asked: Question) -> Answer:
    """Of a largest distance over thresholds: the low end counts that a maximum over noise is too large.

    The value exceeds the truth by the largest error among the thresholds that may be the best [fang19]: those within
    two standard errors of the largest distance, and none where the scores may tell nothing. The errors are those of two
    distributions of scores, Brownian bridges. The high end is the normal one at the threshold found.
    """
    gap, errors = _gap_and_errors(asked)
    best = int(gap.argmax())
    error = float(errors[:, best].std())
    if asked.tally.clustered and error > 0 and asked.wide_variance > 0:
        # what clusters add to the error at the threshold found, they are taken to add at all
        errors *= sqrt(asked.wide_variance) / error
        error = sqrt(asked.wide_variance)
    apart = (errors - errors[:, [best]]).std(axis=0)
    may_be_best = gap.max() - gap <= NEAR * apart + 1e-12
    least = asked.value - percentile(errors[:, may_be_best].max(axis=1), asked.level)[1]
    low = 0.0 if asked.value <= NEAR * error else max(least, 0.0)
    high = min(asked.value + critical_z(asked.level) * error, 1.0)
    return Answer(interval=(low, high), method="multiplier bootstrap" + asked.design, resampled=True)


def _runs(sums: Mapping[str, Array]) -> dict[str, Array]:
    """The sums of neighbouring scores that only rows of one class have as one, without scores that no row has.

    Rows in memory and bins of scores are then the same, where bins are narrow enough to tell scores apart.
    """
    kind = (sums["positives"] > 0) + 2 * (sums["negatives"] > 0)
    held = np.flatnonzero(kind)
    mixed = kind[held] == 3
    starts = np.flatnonzero(mixed | (np.diff(kind[held], prepend=0) != 0))
    return {name: np.add.reduceat(sums[name][held], starts) for name in ("positives", "negatives")}


def _gap_and_errors(asked: Question) -> tuple[Array, Array]:
    """Recall less false positive rate at some thresholds, and paths of its error, one per line."""
    sums, squared = _runs(asked.sums), _runs(asked.squares)
    below = sum(np.cumsum(mass) / mass.sum() for mass in sums.values()) / 2
    gap = sum(
        sign * np.cumsum(sums[name][::-1])[::-1] / sums[name].sum()
        for sign, name in ((1, "positives"), (-1, "negatives"))
    )
    every = np.searchsorted(below, np.linspace(0, 1, PLACES)) if len(below) > PLACES else np.arange(len(below))
    places = np.unique(np.clip([*every, int(gap.argmax()), 0], 0, len(below) - 1))
    errors = np.zeros((PATHS, len(places)), dtype=SINGLE)
    for sign, name, drawn in ((1, "positives", 0), (-1, "negatives", 1)):
        mass, squares = (np.add.reduceat(part[name], places) for part in (sums, squared))
        steps = _normals(asked.seed)[drawn, :, : len(places)] * (np.sqrt(squares) / mass.sum()).astype(SINGLE)
        noise = np.cumsum(steps[:, ::-1], axis=1)[:, ::-1]
        rate = (np.cumsum(mass[::-1])[::-1] / mass.sum()).astype(SINGLE)
        errors += SINGLE(sign) * (noise - rate * noise[:, :1])
    return gap[places], errors


@lru_cache(maxsize=2)
def _normals(seed: int) -> Array:
    """Standard normals of the paths of both classes, drawn once for all data; three places may join the even ones."""
    rng = np.random.default_rng([seed, PATHS])
    return rng.standard_normal((2, PATHS, PLACES + 3), dtype=SINGLE)


def depth(asked: Question) -> Answer:
    """Influence at any size: draws within classes would take the number of positives as known, and be too narrow."""
    if isnan(asked.value):
        return _one_class(asked)
    answer = unit_interval(asked)
    return replace(answer, method="influence, " + answer.method)


def columns(asked: Question) -> Answer:
    """Influence of every row in all rankings it takes part in, as effective-n Wilson."""
    smallest = float(asked.form(ScoreColumns).sizes.min())
    each, value = asked.metric.contest, asked.value
    words = ("DeLong" if each is not None and each.name == "roc_auc" else "influence") + ", effective-n Wilson"
    if isnan(asked.value):
        return Answer(
            interval=(0.0, 1.0),
            method=words,
            notes=(f"{asked.metric.name} is undefined: a class has no rows",),
        )
    if asked.time is not None:
        asked = asked.about(asked.metric, moved=columns_influence(asked))
        asked.__dict__["value"] = value
        variance = asked.wide_variance
    else:
        variance = asked.widened(max(columns_variance(asked), _variance_of_rare_classes(asked)))
    ends = effective_wilson(asked.value, variance, asked.level, at_edge=max(smallest, 1.0))
    excess = _excess_of_few_rows(asked)
    if excess > 0:
        lower = effective_wilson(asked.value - excess, variance, asked.level, at_edge=max(smallest, 1.0))
        ends, words = (min(lower[0], ends[0]), ends[1]), f"{words}, bias bounded"
    share = _contests(asked).share
    notes = () if share == 1 else (f"the width is estimated from an evenly spread {share:.1%} of the rows",)
    found = None if asked.time is None else asked.long_run
    return Answer(interval=ends, method=words + asked.design, notes=notes, long_run=found)


def _variance_of_rare_classes(asked: Question) -> float:
    """The least variance of a mean of rankings: each rare class with one row more, that ranks as rows do on average.

    A class of a few rows that all rank right has no influence that varies, and yet is not known to be perfect. Areas
    have Hanley and McNeil's variance, average precisions that of a share of the positives [boyd13].
    """
    tally, held = asked.form(ScoreColumns), _contests(asked)
    each, kind = asked.metric.contest, asked.metric.needs[0].partition("_")[2]
    if each is None or kind == "pooled" or tally.clustered or not np.isfinite(asked.value):
        return 0.0
    rows = tally.sizes.astype(float)
    # one against one: a class has one ranking against each of the others, which share its rows
    values, sizes = (part.reshape(tally.classes, -1) for part in (held.values, held.sizes))
    known = (rows > 0) & (rows < FEW) & np.isfinite(values).all(axis=1)
    share, found = sizes.sum(axis=1)[known] / sizes.sum(), rows[known]
    value = (values.mean(axis=1)[known] * found + asked.value) / (found + 1)
    if each.name == "roc_auc":
        pairs = zip(value, found, len(tally.truth) - found, strict=True)
        variances = np.array([hanley_mcneil_variance(*one) for one in pairs])
    else:
        variances = value * (1 - value) / found
    return float(np.sum(share**2 * variances)) * _design_effect(tally)


TIMES_HALVED, BY_SIZE = 2.0, 3.0
"""The bias of an average precision falls more slowly than 1 / rows: it is about twice what halving the rows adds, and
three times in a mean by the sizes of classes: a class that has more rows by chance has a higher average precision."""


def _excess_of_few_rows(asked: Question) -> float:
    """By how much a mean of average precisions is likely to be too large because classes have few rows.

    A ranking's average precision counts each positive row above itself, and rises as rows become few. In a mean over
    classes that adds up while chance averages out: with 10 labels of 15 rows each, intervals of the mean by size
    are far too low without this.
    """
    tally, held = asked.form(ScoreColumns), _contests(asked)
    each, kind = asked.metric.contest, asked.metric.needs[0].partition("_")[2]
    if each is None or each.name != "average_precision" or kind == "pooled":
        return 0.0
    rare = np.flatnonzero(tally.sizes < ENOUGH)
    if not len(rare):
        return 0.0
    share = held.sizes[rare] / held.sizes.sum()
    excess = np.array([tally.in_halves(int(k), each.formula) for k in rare]) - held.values[rare]
    times = BY_SIZE if "sizes" in asked.metric.needs else TIMES_HALVED
    return float(times * np.nansum(share * np.maximum(excess, 0.0)))


def _design_effect(tally: ScoreColumns) -> float:
    """How many times as many rows there are as rows of equal weight would be worth."""
    weight = tally.weight
    return 1.0 if weight is None else float(len(weight) * np.sum(weight**2) / np.sum(weight) ** 2)


def columns_value(asked: Question) -> float:
    """The mean over the rankings of a metric of score columns; undefined where a class has no rows."""
    held = _contests(asked)
    return float(asked.metric({asked.metric.needs[0]: held.values, "sizes": held.sizes}))


def columns_variance(asked: Question) -> float:
    """Variance of a mean of areas: what a row moves in each contest is added up before squaring."""
    held, moved = _contests(asked), columns_influence(asked)
    n = asked.tally.units
    return float(n / (n - 1) * np.sum(moved**2) / held.share) * asked.unseen if n > 1 else nan


def columns_influence(asked: Question) -> Array:
    """How far each unit moves a mean of areas."""
    moved, unit = _contests(asked).moved, asked.form(ScoreColumns).unit
    return moved if unit is None else np.bincount(unit, weights=moved)


def _contests(asked: Question) -> Contests:
    return contests_of(asked.metric, asked.form(ScoreColumns))


def contests_of(metric: Metric, tally: ScoreColumns) -> Contests:
    """The rankings behind a metric of score columns."""
    each = metric.contest
    assert each is not None
    assert each.slopes is not None
    return tally.contests(metric.needs, each.name, each.formula, each.slopes)


def _one_class(asked: Question) -> Answer:
    which = "positive" if asked.sums["positives"].sum() == 0 else "negative"
    return Answer(
        interval=asked.metric.range,
        method="none",
        notes=(f"{asked.metric.name} is undefined: no row is {which} (one class only)",),
    )


def _prevalence(asked: Question) -> float:
    found, rest = float(asked.sums["positives"].sum()), float(asked.sums["negatives"].sum())
    return found / (found + rest)
