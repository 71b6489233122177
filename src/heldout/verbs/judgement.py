"""From differences to verdicts: corrected for how many were tested, and held against a margin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite, isnan
from typing import Any, Literal

import numpy as np

from heldout.cards.lookup import LEVEL, Card, rejection_card
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.formulas import Metric
from heldout.stats.multiplicity import holm
from heldout.verbs.compare.many_models import Contenders
from heldout.verbs.compare.model_pair import Both
from heldout.verbs.compare.paired_difference import TESTS, Found, rows_needed, told_apart
from heldout.verbs.compare.unpaired_difference import INDEPENDENT_TESTS, independent_difference
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

Verdict = Literal["BETTER", "WORSE", "EQUIVALENT", "UNDECIDED"]


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One metric of one model, less that of the baseline, with its interval, test and verdict."""

    metric: str
    a: str
    b: str
    value: float
    low: float
    high: float
    level: float
    p: float
    p_adjusted: float
    test: str
    verdict: Verdict
    rows_needed: int | None
    margin: float | None
    better: str | None
    notes: tuple[str, ...]
    printed: bool
    card: Card | None = None
    """How often such a test rejected what was true in the lab, at the units and the value nearest to these."""

    @property
    def pvalue(self) -> float:
        """The p-value before any correction."""
        return self.p

    def __str__(self) -> str:
        interval = f"[{self.low:+.4g}, {self.high:+.4g}]"
        return f"{self.metric} {self.value:+.4g} {interval}, p {self.p:.3g} ({self.test}): {self.verdict}"

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; undefined and infinite numbers are None."""
        facts = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain = {name: None if isinstance(fact, float) and not isfinite(fact) else fact for name, fact in facts.items()}
        return {**plain, "notes": list(self.notes), "card": None if self.card is None else self.card.to_dict()}


@dataclass(frozen=True, kw_only=True)
class Contest:
    """Models measured, on the same rows or each on its own, and what the caller decided."""

    measured: dict[str, Measurement]
    estimates: dict[str, dict[str, Estimate]]
    base: str
    primary: str | None
    margin: float | Mapping[str, float] | None
    paired: bool = True
    test: str | None = None
    many: Contenders | None = None
    pairs: Mapping[str, Both] | None = None
    """Every other model beside the baseline, where rows are not in memory."""

    @property
    def asked(self) -> Settings:
        return self.measured[self.base].settings

    @property
    def others(self) -> list[str]:
        """The models that are judged against the baseline."""
        return [name for name in self.measured if name != self.base]

    @cached_property
    def beside(self) -> Mapping[str, Both]:
        """Every other model beside the baseline, on the same rows."""
        base = self.measured[self.base]
        return self.pairs or {name: Both(self.measured[name], base) for name in self.others}

    def shared(self, name: str) -> list[Metric]:
        """The metrics that a model and the baseline both have."""
        return [metric for metric in self.measured[self.base].metrics() if metric.name in self.estimates[name]]


Pair = tuple[str, str]
"""A model and a metric."""


def judged(contest: Contest) -> list[Difference]:
    """The differences of every model from the baseline, corrected for how many are tested."""
    _primary_is_there(contest)
    _test_suits(contest)
    found: dict[Pair, Found] = {
        (name, metric.name): _together(contest, metric, _found(contest, name, metric))
        for name in contest.others
        for metric in contest.shared(name)
    }
    corrected = _corrected(contest, found)
    return [
        _difference(contest, name, metric, found[name, metric.name], corrected)
        for name in contest.others
        for metric in contest.shared(name)
        if found[name, metric.name].test != "none" or metric.name == contest.primary
    ]


def _found(contest: Contest, name: str, metric: Metric) -> Found:
    """The difference of a model from the baseline, not yet corrected for anything."""
    test = _test(contest, metric)
    if contest.paired:
        return told_apart(metric, contest.beside[name], test)
    return independent_difference(metric, contest.measured[name], contest.measured[contest.base], test)


def _test(contest: Contest, metric: Metric) -> str | None:
    """The test by name; a ranking that nobody asked for and nobody is shown is not swapped and drawn anew."""
    asked = metric.printed or contest.asked.metrics is not None or metric.name == contest.primary
    idle = contest.paired and metric.via is None and metric.interval in ("ranking", "precision") and not asked
    return "t" if contest.test is None and idle else contest.test


def _together(contest: Contest, metric: Metric, found: Found) -> Found:
    """The difference with an interval that holds together with those of the other models, where they were joined."""
    many = contest.many
    if many is None or metric.name != many.metric or isnan(found.low):
        return found
    low = found.value - many.wider * (found.value - found.low)
    high = found.value + many.wider * (found.high - found.value)
    every = "both" if len(contest.others) == 2 else f"all {len(contest.others)}"
    note = f"its interval holds together with those of {every} models"
    return replace(found, low=low, high=high, notes=(*found.notes, note))


def known_test(test: str | None, *, paired: bool) -> None:
    """Refuse a test that does not exist, or not for rows that are matched or not matched like these."""
    here, there = (TESTS, INDEPENDENT_TESTS) if paired else (INDEPENDENT_TESTS, TESTS)
    if test is None or test in here:
        return
    if test not in there:
        hint = did_you_mean(test, [*TESTS, *INDEPENDENT_TESTS])
        raise UsageError(f"no test is named {test!r}{hint}", fix=f"choose one of {', '.join(here)}")
    if paired:
        fix = "pass --unpaired (paired=False) if the models saw different rows"
        raise UsageError(f"the test {test} is for independent samples, and the rows are matched", fix=fix)
    fix = f"choose one of {', '.join(here)}, or compare on the same rows"
    raise UsageError(f"the test {test} is for matched rows, and these are independent samples", fix=fix)


def _test_suits(contest: Contest) -> None:
    """Refuse a test that does not suit the primary metric, or none of those that are shown or were asked for."""
    if contest.test is None:
        return
    suits, _, words = (TESTS if contest.paired else INDEPENDENT_TESTS)[contest.test]
    base = contest.measured[contest.base]
    every = contest.asked.metrics is not None
    asked = [metric for metric in base.metrics() if every or metric.printed or metric.name == contest.primary]
    asked = [metric for metric in asked if metric.name == contest.primary] or asked
    if not any(suits(metric, base) for metric in asked):
        names = ", ".join(metric.name for metric in asked)
        raise UsageError(
            f"the test {contest.test} suits {words}, but not {names}",
            fix="choose a metric it suits, or leave out the test",
        )


def _primary_is_there(contest: Contest) -> None:
    """The metric that decides can be told of every model, and is defined where truth has one class only."""
    primary = contest.primary
    for name in contest.measured if primary is not None else ():
        one = contest.estimates[name].get(str(primary))
        if one is None:
            raise DataError(f"the primary metric {primary} cannot be told from these predictions", code="H106")
        measured = contest.measured[name]
        batch = measured.batch
        if isnan(one.value) and batch.positive is not None and measured.positives in (0, measured.rows):
            only = batch.labels[batch.positive if measured.positives else 1 - batch.positive]
            raise DataError(
                f"the primary metric {primary} is undefined for {name}: the truth has one class "
                f"({measured.rows:,} x {only!r})",
                code="H104",
                fix="add rows of the other class, or choose a metric such as accuracy",
            )


def _is_tested(contest: Contest, pair: Pair, found: Found) -> bool:
    """Whether a difference is in the family that is tested together: what is printed, or was asked for."""
    one = contest.estimates[pair[0]][pair[1]]
    wanted = one.printed or contest.asked.metrics is not None
    return wanted and found.test != "none" and not isnan(found.p) and one.better is not None


def _corrected(contest: Contest, found: Mapping[Pair, Found]) -> dict[Pair, float]:
    """P-values after correction: the primary metric's for the number of models, all others' for that of their tests.

    Accuracy and error rate are one test. Models on the same rows share their luck, which the joint spread of their
    differences makes use of (max-T); without it there is Holm's correction.
    """
    tested = [pair for pair, one in found.items() if _is_tested(contest, pair, one)]
    twins = [pair for pair in tested if pair[1] == "error_rate" and (pair[0], "accuracy") in tested]
    corrected = _holm(found, [pair for pair in tested if pair[1] != contest.primary and pair not in twins])
    for name, metric in twins:
        if (name, "accuracy") in corrected:
            corrected[name, metric] = corrected[name, "accuracy"]
    alone = [pair for pair in found if pair[1] == contest.primary]
    many = contest.many
    if many is not None and many.metric == contest.primary:
        return {**corrected, **{pair: max(found[pair].p, many.adjusted[pair[0]]) for pair in alone}}
    return {**corrected, **_holm(found, alone)}


def _holm(found: Mapping[Pair, Found], family: Sequence[Pair]) -> dict[Pair, float]:
    """Holm's correction of a family; what could not be tested is no part of it."""
    known = [pair for pair in family if not isnan(found[pair].p)]
    adjusted = holm(np.array([found[pair].p for pair in known])).tolist() if known else []
    return {**dict.fromkeys(family, float("nan")), **dict(zip(known, adjusted, strict=True))}


def _difference(
    contest: Contest, name: str, metric: Metric, found: Found, corrected: Mapping[Pair, float]
) -> Difference:
    level, p = contest.asked.level, corrected.get((name, metric.name))
    margin = margin_of(contest.margin, metric.name, contest.primary)
    verdict = verdict_of(found, metric.better, p, margin, level)
    units = contest.measured[contest.base].units
    others = sum(key[1] != contest.primary for key in corrected)
    tests = 1 if metric.name == contest.primary else max(others, 1)
    return Difference(
        metric=metric.name,
        a=name,
        b=contest.base,
        value=found.value,
        low=found.low,
        high=found.high,
        level=level,
        p=found.p,
        p_adjusted=float("nan") if p is None else p,
        test=found.test,
        verdict=verdict,
        rows_needed=rows_needed(found, units, level, tests) if verdict == "UNDECIDED" else None,
        margin=margin,
        better=metric.better,
        notes=found.notes + _hair(found, p, level),
        printed=(name, metric.name) in corrected,
        card=_card(contest, metric),
    )


def _card(contest: Contest, metric: Metric) -> Card | None:
    """What the lab measured of this test; samples that share no row, weights and other levels were not measured."""
    measured = contest.measured[contest.base]
    batch = measured.batch
    value = contest.estimates[contest.base][metric.name].value
    if not contest.paired or measured.weighted or contest.asked.level != LEVEL or not isfinite(value):
        return None
    clustered = batch.unit is not None
    return rejection_card(metric.name, contest.test or "auto", clustered=clustered, units=measured.units, value=value)


def verdict_of(
    found: Found, better: str | None, corrected: float | None, margin: float | None, level: float
) -> Verdict:
    """One of four words: a difference that is established, one that is shown to be small, or neither."""
    established = corrected is not None and corrected < 1 - level and better is not None
    if margin is not None and _within(found, margin, level):
        return "EQUIVALENT"
    if not established:
        return "UNDECIDED"
    return "BETTER" if (found.value > 0) == (better == "higher") else "WORSE"


def _within(found: Found, margin: float, level: float) -> bool:
    """Two one-sided tests: the interval at twice the error lies inside the margin."""
    from scipy.special import ndtri

    if found.low == found.high == 0:  # identical predictions
        return True
    if not found.error > 0:
        return found.low > -margin and found.high < margin
    reach = float(ndtri(level)) * found.error
    return found.value - reach > -margin and found.value + reach < margin


def _hair(found: Found, corrected: float | None, level: float) -> tuple[str, ...]:
    """A word where the p-value and the interval disagree by a hair: the p-value decides."""
    if corrected is None or isnan(found.low) or corrected != found.p:
        return ()
    excluded = not found.low <= 0 <= found.high
    if excluded != (found.p < 1 - level):
        return ("the interval and the p-value disagree by a hair; the p-value decides",)
    return ()


def margin_of(margin: float | Mapping[str, float] | None, name: str, primary: str | None) -> float | None:
    """The margin of a metric: its own, or that of the primary one."""
    if margin is None:
        return None
    found = margin.get(name) if isinstance(margin, Mapping) else float(margin) if primary in (None, name) else None
    if found is not None and not found >= 0:
        raise UsageError(
            f"the margin of {name} is {found:g}, but must be 0 or more", fix="give the size of a difference"
        )
    return found
