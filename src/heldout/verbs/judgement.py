"""The one judgement: tested differences become verdicts, for rows, images, texts, folds and any number of models.

Every verb that compares hands its outcomes to `judge`. It corrects the p-values for the number of tests, holds each
difference against its margin, says how many units would settle what is undecided, and gives one overall verdict. The
report only prints what is decided here (docs/decisions/0012-one-judgement.md).

Where verdicts allow for several looks, p-values hold at every look, and so does Holm's correction of them [ye13]: it
rejects a true hypothesis only where the p-value of one is below alpha divided by the number of true ones, at any look.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, isfinite, isnan, nan
from typing import Any, Literal

import numpy as np

from heldout.cards.lookup import Card, Found
from heldout.errors import UsageError, did_you_mean
from heldout.formulas import METRICS, name_among
from heldout.inputs import Check
from heldout.inputs.message_text import names_listed, quoted
from heldout.intervals.scales import critical_z
from heldout.stats.multiplicity import holm
from heldout.stats.outcome import Outcome
from heldout.verbs.parameters import refuse_wrong_types

Verdict = Literal["BETTER", "WORSE", "EQUIVALENT", "UNDECIDED"]
Correction = Literal["none", "holm", "max-t"]
Margin = float | Mapping[str, float] | None
Pair = tuple[str, str]
"""A model and a metric."""
CORRECTIONS = {"none": "", "holm": " adjusted (Holm)", "max-t": " adjusted (max-T)"}
"""What a p-value that is printed is called."""
POWER = 0.8
"""Power with which as many units as `rows_needed` says would settle the question."""
SAME_QUANTITY = {
    "error_rate": "accuracy",
    "gini": "roc_auc",
    "log_loss_bits": "log_loss",
    "quadratic_loss": "brier",
    "fpr": "specificity",
    "fnr": "recall",
    "youden_j": "balanced_accuracy",
    "recall_macro": "balanced_accuracy",
}
"""Metrics that are another one times and plus a number: the pair is one test, and is counted once."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One metric of one model minus that of the reference model, with its interval, test and verdict."""

    metric: str
    model: str
    baseline: str
    """The reference model."""
    value: float
    low: float
    high: float
    level: float
    pvalue: float
    """Before any correction."""
    pvalue_adjusted: float
    """Corrected for the other tests of its family: the metrics that are printed or were asked for; of a further metric,
    all metrics. The verdict rests on it."""
    test: str
    verdict: Verdict | None
    """None where the difference could not be tested."""
    correction: Correction
    """How the p-value was corrected for the other tests of its family."""
    tests: int
    """Number of tests in that family."""
    rows_needed: int | None
    margin: float | None
    better: str | None
    notes: tuple[str, ...]
    printed: bool
    """Whether readers are shown it: it decides, is among the metrics tested together, or a note says why not."""
    time: Mapping[str, float | int | None] | None = None
    """Where rows have times: autocorrelation at lag 1, effective number of times, degrees of freedom, horizon."""
    card: Card | None = None
    """Simulated type I error of this test: the highest in settings like these data."""
    unlike: str = ""
    """What was not simulated, where there is no card for that reason."""
    wider: float = 1.0
    """How many times as wide the interval is as that of a single look, where it allows for several."""

    def __str__(self) -> str:
        from heldout.report.number_text import p_text, signed, signed_interval

        d = self.to_dict()
        p = d["pvalue"] if d["pvalue_adjusted"] is None else d["pvalue_adjusted"]
        how = " unadjusted" if d["pvalue_adjusted"] is None else CORRECTIONS[self.correction]
        tested = f"p {p_text(p, self.level)}{how} ({self.test})"
        verdict = self.verdict or "not tested"
        return f"{self.metric} {signed(d['value'], d)} {signed_interval(d)}, {tested}: {verdict}"

    def __repr__(self) -> str:
        hint = "[Difference: .value, .low, .high, .pvalue_adjusted, .to_dict()]"
        return f"{self.model} - {self.baseline}: {self}\n{hint}"

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values; undefined and infinite numbers are None."""
        facts = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain = {name: None if isinstance(fact, float) and not isfinite(fact) else fact for name, fact in facts.items()}
        plain |= {"notes": list(self.notes), "card": None if self.card is None else self.card.to_dict()}
        if self.time is None:
            del plain["time"]
        return plain


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """All differences from the reference model, and what they come to."""

    differences: tuple[Difference, ...]
    primary: str | None
    verdicts: dict[str, Verdict]
    """Model → its verdict against the reference model."""

    @property
    def verdict(self) -> Verdict | None:
        """The verdict all models share; UNDECIDED where they differ, None where there is nothing to compare."""
        words = set(self.verdicts.values())
        return None if not words else words.pop() if len(words) == 1 else "UNDECIDED"

    @property
    def checks(self) -> tuple[Check, ...]:
        """A note that p-values are corrected, where several metrics are tested and none is primary."""
        tested = len({one.metric for one in self.differences if one.verdict is not None and one.printed})
        if self.primary is not None or tested < 2:
            return ()
        text = f"{tested} metrics and no primary metric: p-values are corrected for their number (Holm)"
        return (Check(code="H303", text=text),)


def judge(
    outcomes: Mapping[Pair, Outcome],
    *,
    baseline: str,
    level: float,
    units: int,
    better: Mapping[str, str | None],
    primary: str | None = None,
    margin: Margin = None,
    tested: Collection[Pair] | None = None,
    shown: Collection[Pair] = (),
    joint_pvalues: Mapping[str, float] | None = None,
    card: Callable[[str, Outcome], Found] = lambda metric, outcome: Found(),
) -> Judgement:
    """Correct, hold against margins, and decide.

    Parameters
    ----------
    outcomes
        Tested differences from the reference model by (model, metric).
    baseline
        The name of the reference model.
    level
        Confidence level; differences are significant at 1 - level.
    units
        Number of independent units behind each difference: rows, clusters, images, segments.
    better
        Metric → "higher", "lower" or None.
    primary
        The metric that decides, tested alone; None where there is none.
    margin
        Differences within it are equivalent: one number, or one per metric. One number for all is left out, with a
        note, of a metric that is not tested together with others and cannot differ by as much.
    tested
        The pairs that are tested together; all of them by default, and then also those that could not be tested are
        printed, with a note that says why. The primary metric is a family of its own.
    shown
        Further pairs that could not be tested and are printed all the same.
    joint_pvalues
        Model → p-value of the primary metric, already corrected for the number of models by their joint distribution
        (max-T). Without it, Holm's correction is used for several models.
    card
        Gives the simulated type I error of a metric's test, or what was not simulated.
    """
    margin = margin_by_metric(margin, dict.fromkeys(metric for _, metric in outcomes))
    family = [pair for pair in outcomes if (tested is None or pair in tested) and _testable(outcomes[pair])]
    families = _families(family, outcomes, primary)
    models = dict.fromkeys(model for model, _ in outcomes)
    for_all = margin if primary is None and tested is not None and not isinstance(margin, Mapping) else None
    left_out = {pair for pair in outcomes if pair not in (tested or ()) and _is_beyond_range(for_all, pair[1])}
    differences = tuple(
        _difference(
            pair, outcome if pair not in left_out else _without_margin(outcome, margin), families, baseline=baseline,
            level=level, units=units, better=better[pair[1]], primary=primary, joint_pvalues=joint_pvalues,
            margin=None if pair in left_out else margin_of(margin, pair[1], primary),
            found=card(pair[1], outcome) if _testable(outcome) else Found(),
            printed=tested is None or pair in family or pair in shown or pair[1] == primary, models=len(models),
        )
        for pair, outcome in outcomes.items()
    )  # fmt: skip
    verdicts = {model: overall([one for one in differences if one.model == model], primary) for model in models}
    return Judgement(differences=differences, primary=primary, verdicts=verdicts)


def _testable(outcome: Outcome) -> bool:
    return outcome.test != "none" and not isnan(outcome.pvalue)


def _families(family: Sequence[Pair], outcomes: Mapping[Pair, Outcome], primary: str | None) -> dict[Pair, _Corrected]:
    """Every pair with its corrected p-value and the size of its family: the primary metric's, and all others'."""
    first = [pair for pair in outcomes if pair[1] == primary]
    known = {pair for pair in outcomes if _testable(outcomes[pair])}
    twins = {pair: twin for pair in known if (twin := (pair[0], _twin(pair[1], primary))) in known}
    others = [pair for pair in family if pair[1] != primary and twins.get(pair) not in (*family, *first)]
    # metrics that are neither printed nor asked for are corrected for all metrics, and cost the others nothing
    named = (*family, *first)
    further = [pair for pair in outcomes if pair in known and pair not in named and twins.get(pair) not in named]
    every = _holm([*others, *further], outcomes)
    corrected = {pair: every[pair] for pair in further} | _holm(others, outcomes) | _holm(first, outcomes)
    for pair in outcomes:  # a twin has the p-value of the metric it repeats
        if pair not in corrected and twins.get(pair) in corrected:
            corrected[pair] = corrected[twins[pair]]
    return corrected


def _twin(metric: str, primary: str | None) -> str:
    """The metric whose test a metric repeats; of the two, the primary one is tested."""
    if primary is not None and SAME_QUANTITY.get(primary) == metric:
        return primary
    return SAME_QUANTITY.get(metric, "")


@dataclass(frozen=True, slots=True)
class _Corrected:
    """A corrected p-value, and the number of tests in its family."""

    pvalue: float
    tests: int


def _holm(family: Sequence[Pair], outcomes: Mapping[Pair, Outcome]) -> dict[Pair, _Corrected]:
    """Holm's correction; what could not be tested has no part in it."""
    known = [pair for pair in family if not isnan(outcomes[pair].pvalue)]
    adjusted = holm(np.array([outcomes[pair].pvalue for pair in known])).tolist() if known else []
    found = {pair: _Corrected(p, len(known)) for pair, p in zip(known, adjusted, strict=True)}
    return {pair: found.get(pair, _Corrected(nan, max(len(known), 1))) for pair in family}


def _difference(
    pair: Pair, outcome: Outcome, families: Mapping[Pair, _Corrected], *, baseline: str, level: float, units: int,
    better: str | None, margin: float | None, primary: str | None, joint_pvalues: Mapping[str, float] | None,
    found: Found, printed: bool, models: int,
) -> Difference:  # fmt: skip
    model, metric = pair
    corrected = families.get(pair)
    tests = 1 if corrected is None else corrected.tests
    p, correction = (nan if corrected is None else corrected.pvalue), "holm" if tests > 1 else "none"
    of_primary = corrected is not None and primary in (metric, _twin(metric, primary))
    if of_primary and joint_pvalues is not None and model in joint_pvalues and not isnan(outcome.pvalue):
        p, correction = max(outcome.pvalue, joint_pvalues[model]), "max-t"
    verdict = None if corrected is None else verdict_of(outcome, better, p, margin, level, models=models)
    return Difference(
        metric=metric,
        model=model,
        baseline=baseline,
        value=outcome.value,
        low=outcome.low,
        high=outcome.high,
        level=level,
        pvalue=outcome.pvalue,
        pvalue_adjusted=p,
        test=outcome.test,
        verdict=verdict,
        correction=correction,  # type: ignore[arg-type]
        tests=tests,
        rows_needed=rows_needed(outcome, units, level, tests) if verdict == "UNDECIDED" else None,
        margin=margin,
        better=better,
        notes=outcome.notes + _near_tie(outcome, p, level),
        printed=printed,
        time=outcome.in_time,
        card=found.card,
        unlike=found.unlike,
        wider=outcome.wider,
    )


def verdict_of(
    outcome: Outcome, better: str | None, corrected_p: float, margin: float | None, level: float, *, models: int = 1
) -> Verdict:
    """EQUIVALENT where the difference is shown to lie within the margin, else BETTER or WORSE where significant.

    Each of several models is called EQUIVALENT at its part of the error rate (Bonferroni): the chance that any of them
    is wrongly called so stays at most alpha.
    """
    if margin is not None and _within(outcome, margin, level, models):
        return "EQUIVALENT"
    if better is None or isnan(corrected_p) or not corrected_p < 1 - level:
        return "UNDECIDED"
    return "BETTER" if (outcome.value > 0) == (better == "higher") else "WORSE"


def overall(differences: Sequence[Difference], primary: str | None) -> Verdict:
    """One model's verdict: that of the primary metric, or without one what all tested metrics say together.

    Without a primary metric, a model is BETTER (or WORSE) where at least one difference is significant after the
    correction and all significant ones point the same way: the chance that a word is wrong stays at most alpha. It is
    EQUIVALENT where every tested metric lies within its margin. Otherwise it is UNDECIDED.
    """
    deciding = [one for one in differences if (one.metric == primary if primary else one.printed)]
    words = {one.verdict for one in deciding} - {None}  # None: could not be tested
    if words == {"EQUIVALENT"}:
        return "EQUIVALENT"
    if "BETTER" in words and "WORSE" not in words:
        return "BETTER"
    return "WORSE" if "WORSE" in words and "BETTER" not in words else "UNDECIDED"


def _within(outcome: Outcome, margin: float, level: float, models: int) -> bool:
    """Two one-sided tests (TOST): the test's own interval at twice the error rate lies inside the margin [liu02].

    A test that has its interval at one level only has it drawn in by the ratio of normal quantiles, which is less than
    Student's t would allow.
    """
    inner = 1 - 2 * (1 - level) / models
    if outcome.interval_at is not None:
        low, high = outcome.interval_at(inner)
    else:
        drawn_in = critical_z(inner) / critical_z(level)
        low = outcome.value - drawn_in * (outcome.value - outcome.low)
        high = outcome.value + drawn_in * (outcome.high - outcome.value)
    return low > -margin and high < margin


def _near_tie(outcome: Outcome, corrected_p: float, level: float) -> tuple[str, ...]:
    """A note where the p-value and the interval of one test fall on different sides of significance."""
    if isnan(outcome.low) or corrected_p != outcome.pvalue:
        return ()
    if (not outcome.low <= 0 <= outcome.high) != (outcome.pvalue < 1 - level):
        where = "contains" if outcome.low <= 0 <= outcome.high else "excludes"
        return (f"the interval {where} 0 and p is {outcome.pvalue:.3g}: they are two methods, and the p-value decides",)
    return ()


def rows_needed(outcome: Outcome, units: int, level: float, tests: int = 1) -> int | None:
    """How many units would settle a difference of this size with 80% power; None where there is no difference.

    Where several tests share the error rate, the first of them must pass at its share of it. For independent samples:
    in each sample.
    """
    if not (outcome.error > 0 and outcome.value != 0) or not units:
        return None
    from scipy.special import ndtri

    reach = outcome.wider * critical_z(1 - (1 - level) / tests) + float(ndtri(POWER))
    ratio = reach * outcome.error / abs(outcome.value)
    return ceil((outcome.size or units) * ratio**2) if ratio < 1e6 else None


def margin_by_metric(margin: Margin, metrics: Collection[str]) -> Margin:
    """A margin under the names that the compared metrics have; one that has no effect is refused."""
    if margin is None:
        return None
    if not metrics:
        fix = "give a second model, or leave out the margin"
        raise UsageError("a margin has no effect with one model: nothing is compared", fix=fix)
    refuse_wrong_types(margin=margin)
    if not isinstance(margin, Mapping):
        return margin
    names = [name_among(str(name), metrics) for name in margin]
    by_metric = dict(zip(names, margin.values(), strict=True))
    for name in by_metric:
        if names.count(name) > 1:
            given = ", ".join(str(other) for other, own in zip(margin, names, strict=True) if own == name)
            raise UsageError(f"{name} has {names.count(name)} margins: {given}", fix=f"give one margin for {name}")
        if name not in metrics:
            hint = did_you_mean(name, metrics)
            fix = f"choose one of {', '.join(metrics)}"
            raise UsageError(f"the margin of {name} has no effect: {name} is not compared{hint}", fix=fix)
    return by_metric


def margin_of(margin: Margin, metric: str, primary: str | None) -> float | None:
    """The margin of a metric: its own, that of the primary metric, or the one given for all."""
    if margin is None:
        return None
    own = margin.get(metric) if isinstance(margin, Mapping) else float(margin) if primary in (None, metric) else None
    if own is not None and not own >= 0:
        raise UsageError(
            f"the margin of {metric} is {own:g}, but must be 0 or more", fix="give the size of a difference"
        )
    if own is not None:
        refuse_beyond_range(own, metric)
    return own


def refuse_beyond_range(margin: float, metric: str) -> None:
    """Raise if no two models can differ by as much as a margin: within it everything is equivalent."""
    if _is_beyond_range(margin, metric):
        raise UsageError(
            f"the margin of {metric} is {margin:g}, but no two models can differ by more than {_span(metric):g}",
            fix="write 0.02 for two points in a hundred",
        )


def _is_beyond_range(margin: float | None, metric: str) -> bool:
    return margin is not None and margin >= _span(metric)


def _span(metric: str) -> float:
    """By how much two models can differ."""
    low, high = METRICS[metric].range if metric in METRICS else (-inf, inf)
    return high - low


def _without_margin(outcome: Outcome, margin: Margin) -> Outcome:
    note = f"the margin of {margin:g} is left out: no two models can differ by as much"
    return replace(outcome, notes=(*outcome.notes, note))


def known_name(name: str | None, names: Sequence[str], what: str) -> str:
    """A name among those there are; the first where none is given."""
    if name is None:
        return names[0]
    if str(name) not in names:
        fix = f"choose one of {names_listed(names, 50)}"
        raise UsageError(f"no {what} is named {quoted(name)}{did_you_mean(str(name), names)}", fix=fix)
    return str(name)
