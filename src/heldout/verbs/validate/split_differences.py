"""Two learners over the same splits: a difference per split, and a test that knows that splits share training rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import nan, sqrt

import numpy as np

from heldout.batch import Array, TimeOrder
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.estimates.interval_choice import facts_in_time, few_times
from heldout.formulas import Metric
from heldout.intervals.long_run import long_run
from heldout.intervals.means import student
from heldout.intervals.scales import critical_t
from heldout.learners import Design
from heldout.stats.outcome import Outcome, untested
from heldout.stats.paired_means import two_sided_t
from heldout.stats.split_tests import (
    Posterior,
    bayes_correlated_t,
    corrected_resampled_t,
    five_by_two_f,
    five_by_two_t,
    kfold_paired_t,
    known_rope,
    naive_fold_t,
)
from heldout.verbs.compare.compared_models import known_test
from heldout.verbs.compare.paired_difference import difference
from heldout.verbs.judgement import Judgement, Margin, judge, margin_of
from heldout.verbs.row_order import IN_TIME
from heldout.verbs.validate.split_values import COMPARABLE, Learned

Test = Callable[[Array, Design, float], Outcome]
SEVERAL = ("folds", "repeated", "random", "time", "nested", "halves")
OVERLAP = "bootstrap samples share so many rows that no test over them has a known type I error: leave out cv"


def split_judgement(
    learned: Sequence[Learned], metrics: Sequence[Metric], *, level: float, primary: str | None, test: str | None,
    margin: Margin,
) -> Judgement:  # fmt: skip
    """Every learner minus the first, per metric, judged."""
    reference = learned[0]
    outcomes = {
        (one.name, metric.name): _found(metric, one, reference, level, test)
        for one in learned[1:]
        for metric in metrics
    }
    return judge(
        outcomes,
        baseline=reference.name,
        level=level,
        units=reference.inside.batch.units,
        better={metric.name: metric.better for metric in metrics},
        primary=primary,
        margin=margin,
    )


def _found(metric: Metric, one: Learned, base: Learned, level: float, named: str | None) -> Outcome:
    kind = base.design.kind
    if kind == "bootstrap":
        return untested(_gap(metric, one, base), OVERLAP)
    if kind == "holdout":
        return difference(metric, one.pooled, base.pooled, named)
    if kind in ("loo", "pairs"):
        return _of_models(metric, one, base, named)
    if base.times is not None and kind == "time" and named in (None, *IN_TIME):
        return _of_times(metric, one, base, named)
    values = one.values(metric) - base.values(metric)
    known = np.isfinite(values)
    lost = len(values) - int(known.sum())
    test = named or default_test(base.design)
    notes = (f"undefined on {lost} of {len(values)} splits, which are left out",) if lost else ()
    if lost and (test.startswith("5x2") or lost > len(values) / 2):
        return untested(nan, f"{metric.name} is undefined on {lost} of {len(values)} splits")
    try:
        told = LEARNER_TESTS[test][1](values[known], base.design, level)
    except DataError as problem:  # nothing varies: refused, not p = 0
        return untested(float(values[known].mean()), problem.message)
    return with_error(told, notes)


def with_error(outcome: Outcome, notes: tuple[str, ...] = ()) -> Outcome:
    """The outcome with the standard error that its t interval speaks of."""
    reach = critical_t(outcome.level, outcome.df) if outcome.df else nan
    error = (outcome.high - outcome.low) / (2 * reach)
    return replace(outcome, error=error, notes=(*outcome.notes, *notes))


def _of_models(metric: Metric, one: Learned, base: Learned, named: str | None) -> Outcome:
    """Leave-one-out: the pooled predictions, row by row; about these models, not about learners."""
    if base.design.kind == "pairs":
        return untested(_gap(metric, one, base), "leave-pair-out has no test: leave out cv")
    if metric.reads not in COMPARABLE:
        return untested(nan, f"one row has no {metric.name}, and scores of n models have no common order: take cv=10")
    found = difference(metric, one.pooled, base.pooled, named)
    return replace(found, notes=(*found.notes, "about these n models, whose training rows are nearly the same"))


def _of_times(metric: Metric, one: Learned, base: Learned, named: str | None) -> Outcome:
    """Rows in the order of time: pooled predictions; of the order of scores, the mean of the splits' differences."""
    if metric.reads in COMPARABLE:
        return difference(metric, one.pooled, base.pooled, named)
    (first, moved), (second, other) = one.moved(metric), base.moved(metric)
    values = first - second
    if moved is None or other is None or not np.isfinite(values).all():
        why = "no row alone moves it" if moved is None or other is None else "it is undefined on some splits"
        return untested(_gap(metric, one, base), f"{metric.name} has no test in the order of time: {why}")
    found = long_run(moved - other)
    value = float(values.mean())
    if not found.variance > 0:
        return untested(value, "the difference is the same in all splits: no test")
    level, error = base.asked.level, sqrt(found.variance)
    low, high = student(value, error, found.df, level)
    return Outcome(
        value=value, low=low, high=high, pvalue=two_sided_t(value / error, found.df), level=level, error=error,
        df=found.df, statistic=value / error, test="HAC t", notes=few_times(found),
        in_time=facts_in_time(found, TimeOrder()),
    )  # fmt: skip


def _gap(metric: Metric, one: Learned, base: Learned) -> float:
    values = one.values(metric) - base.values(metric)
    return float(np.nanmean(values)) if np.isfinite(values).any() else nan


def posterior(metric: Metric, one: Learned, base: Learned, rope: float) -> Posterior:
    """How probable it is that the first is lower, practically the same, higher: correlated t with a ROPE [corani15]."""
    values = one.values(metric) - base.values(metric)
    ratio = base.design.ratio
    return bayes_correlated_t(values[np.isfinite(values)], rope, correlation=ratio / (1 + ratio))


def naive_p(metric: Metric, one: Learned, base: Learned) -> float:
    """The p-value of a plain t-test over the values of splits, as many would print it; nan where there is none."""
    values = one.values(metric) - base.values(metric)
    known = values[np.isfinite(values)]
    try:
        return naive_fold_t(known, 0.95).pvalue if base.design.kind in SEVERAL else nan
    except DataError:
        return nan


def default_test(design: Design) -> str:
    """The test that suits the splits."""
    return "5x2cv_f" if (design.repeats, design.folds) == (5, 2) else "corrected_t"


def known_learner_test(test: str | None, design: Design) -> None:
    """Refuse a test that does not exist, or not for these splits."""
    if design.kind in ("holdout", "loo"):
        known_test(test, paired=True)
        return
    if test is None or (design.kind == "time" and test in IN_TIME):
        return
    if test not in LEARNER_TESTS:
        hint = did_you_mean(test, LEARNER_TESTS)
        fix = f"choose one of {', '.join(LEARNER_TESTS)}; tests of two models, such as mcnemar, go with cv='holdout'"
        raise UsageError(f"no test of learners is named {test!r}{hint}", fix=fix)
    suits = LEARNER_TESTS[test][0]
    if not suits(design):
        raise UsageError(f"the test {test} does not suit cv={design.word!r}", fix=f"it is for {LEARNER_TESTS[test][2]}")


def known_margins(margin: float | Mapping[str, float] | None, rope: float | None) -> None:
    """Refuse margins and a ROPE that are none, before anything is fitted."""
    if rope is not None:
        known_rope(rope)
    for name in margin if isinstance(margin, Mapping) else ("the primary metric",):
        margin_of(margin, name, name)


def _corrected(values: Array, design: Design, level: float) -> Outcome:
    return corrected_resampled_t(values, level, ratio=design.ratio)


LEARNER_TESTS: dict[str, tuple[Callable[[Design], bool], Test, str]] = {
    "corrected_t": (lambda design: design.kind in SEVERAL, _corrected, "any splits but bootstrap samples"),
    "kfold_t": (
        lambda design: design.kind == "folds",
        lambda values, _, level: kfold_paired_t(values, level),
        "the folds of one cross-validation, cv=10",
    ),
    "5x2cv_t": (
        lambda design: (design.repeats, design.folds) == (5, 2),
        lambda values, _, level: five_by_two_t(values.reshape(5, 2), level),
        "cv='5x2'",
    ),
    "5x2cv_f": (
        lambda design: (design.repeats, design.folds) == (5, 2),
        lambda values, _, level: five_by_two_f(values.reshape(5, 2), level),
        "cv='5x2'",
    ),
    "naive_t": (
        lambda design: design.kind in SEVERAL,
        lambda values, _, level: naive_fold_t(values, level),
        "nothing: it is there to be looked at",
    ),
}
"""Tests of learners by name: for which designs, the test, and the same in words."""
