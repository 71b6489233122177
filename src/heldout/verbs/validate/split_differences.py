"""Two learners over the same splits: a difference per split, and a test that knows that splits share training rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.formulas import Metric
from heldout.intervals.critical_values import critical_t
from heldout.learners import Design
from heldout.stats.multiplicity import holm
from heldout.stats.outcome import Outcome
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
from heldout.verbs.compare.paired_difference import Found, difference, rows_needed, untested
from heldout.verbs.judgement import Difference, known_test, margin_of, verdict_of
from heldout.verbs.validate.split_values import COMPARABLE, Learned

Test = Callable[[Array, Design, float], Outcome]
SEVERAL = ("folds", "repeated", "random", "time", "nested", "halves")
OVERLAP = "bootstrap samples share so many rows that no test over them is known to hold its level: leave out cv"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the caller wants of a comparison of learners."""

    level: float
    primary: str
    test: str | None = None
    margin: float | Mapping[str, float] | None = None
    rope: float | None = None


def learner_differences(learned: Sequence[Learned], metrics: Sequence[Metric], asked: Asked) -> list[Difference]:
    """Every learner less the first, per metric; the primary metric corrected for the learners, all others for all."""
    base = learned[0]
    pairs = [(one, metric) for one in learned[1:] for metric in metrics]
    found = [_found(metric, one, base, asked) for one, metric in pairs]
    primary = np.array([metric.name == asked.primary for _, metric in pairs])
    corrected = np.full(len(pairs), nan)
    for family in (primary, ~primary):
        tested = np.flatnonzero(family & ~np.isnan([one.p for one in found]))
        if len(tested):
            corrected[tested] = holm(np.array([found[at].p for at in tested]))
    return [
        _difference(one, base, metric, told, float(p), asked, len(pairs))
        for (one, metric), told, p in zip(pairs, found, corrected, strict=True)
    ]


def _difference(  # noqa: PLR0917
    one: Learned, base: Learned, metric: Metric, found: Found, p: float, asked: Asked, tests: int
) -> Difference:
    margin = margin_of(asked.margin, metric.name, asked.primary)
    verdict = verdict_of(found, metric.better, None if isnan(p) else p, margin, asked.level)
    units = base.inside.batch.units
    needed = rows_needed(found, units, asked.level, 1 if metric.name == asked.primary else tests)
    return Difference(
        metric=metric.name, a=one.name, b=base.name, value=found.value, low=found.low, high=found.high,
        level=asked.level, p=found.p, p_adjusted=p, test=found.test, verdict=verdict,
        rows_needed=needed if verdict == "UNDECIDED" else None, margin=margin, better=metric.better,
        notes=found.notes, printed=True,
    )  # fmt: skip


def _found(metric: Metric, one: Learned, base: Learned, asked: Asked) -> Found:
    kind = base.design.kind
    if kind == "bootstrap":
        return untested(_gap(metric, one, base), OVERLAP)
    if kind == "holdout":
        return difference(metric, one.pooled, base.pooled, asked.test)
    if kind in ("loo", "pairs"):
        return _of_models(metric, one, base, asked)
    values = one.values(metric) - base.values(metric)
    known = np.isfinite(values)
    lost = len(values) - int(known.sum())
    test = asked.test or default_test(base.design)
    notes = (f"undefined on {lost} of {len(values)} splits, which are left out",) if lost else ()
    if lost and (test.startswith("5x2") or lost > len(values) / 2):
        return untested(nan, f"{metric.name} is undefined on {lost} of {len(values)} splits")
    try:
        told = LEARNER_TESTS[test][1](values[known], base.design, asked.level)
    except DataError as problem:  # nothing varies: refused, not p = 0
        return untested(float(values[known].mean()), problem.message)
    return _from_outcome(told, notes)


def _from_outcome(told: Outcome, notes: tuple[str, ...]) -> Found:
    reach = critical_t(told.level, told.df) if told.df else nan
    return Found(
        value=told.value, low=told.low, high=told.high, p=told.p, test=told.test,
        error=(told.high - told.low) / (2 * reach), notes=(*told.notes, *notes),
    )  # fmt: skip


def _of_models(metric: Metric, one: Learned, base: Learned, asked: Asked) -> Found:
    """Leave-one-out: the pooled predictions, row by row; about these models, not about learners."""
    if base.design.kind == "pairs":
        return untested(_gap(metric, one, base), "leave-pair-out has no test: leave out cv")
    if metric.reads not in COMPARABLE:
        return untested(nan, f"one row has no {metric.name}, and scores of n models have no common order: take cv=10")
    found = difference(metric, one.pooled, base.pooled, asked.test)
    return replace(found, notes=(*found.notes, "about these n models, whose training rows are nearly the same"))


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
        return naive_fold_t(known, 0.95).p if base.design.kind in SEVERAL else nan
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
    if test is None:
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
