"""The models of a comparison: measured, matched, and each tested against the reference model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isinf, isnan, nan

from heldout.batch import Batch
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.formulas import Metric
from heldout.inputs import Check, Source
from heldout.stats.outcome import Outcome, untested
from heldout.verbs.compare.many_models import BestOfMany
from heldout.verbs.compare.model_pair import Both
from heldout.verbs.compare.paired_difference import TESTS, told_apart
from heldout.verbs.compare.repeated_looks import Looks, planned_outcome, sequential_outcome
from heldout.verbs.compare.unpaired_difference import INDEPENDENT_TESTS, independent_difference
from heldout.verbs.judgement import Pair
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

INFINITE = "infinite (inf): "
"""How the note of an estimate begins that names the rows which make it infinite."""


@dataclass(frozen=True, kw_only=True)
class Models:
    """Models measured on the same rows, or each on its own, and how their rows were found."""

    measured: dict[str, Measurement]
    baseline: str
    paired: bool = True
    matched_by: str | None = None
    """How rows were matched: id or position; None where they are not."""
    unmatched: dict[str, int] = field(default_factory=dict)
    """Rows of each model that had no partner and were left out."""
    checks: tuple[Check, ...] = ()
    dated: tuple[str, ...] = ()
    """Columns that hold dates and have no role."""
    sources: tuple[Source, ...] = ()
    best: BestOfMany | None = None
    """Where there are more than two models: all of them judged together."""
    pairs: Mapping[str, Both] | None = None
    """Every other model beside the reference model, where rows were read in chunks."""
    engine: str = "local"
    chunks: int = 1
    in_memory_fix: str = ""
    """The fix for what needs all rows in memory, where they were read in chunks."""

    @property
    def settings(self) -> Settings:
        return self.measured[self.baseline].settings

    @property
    def others(self) -> list[str]:
        """The models that are judged against the reference model."""
        return [name for name in self.measured if name != self.baseline]

    @property
    def batches(self) -> dict[str, Batch]:
        """The rows of every model, where they are in memory."""
        return {} if self.pairs is not None else {name: one.given for name, one in self.measured.items()}

    @cached_property
    def estimates(self) -> dict[str, dict[str, Estimate]]:
        return {name: one.overall() for name, one in self.measured.items()}

    @cached_property
    def beside(self) -> Mapping[str, Both]:
        """Every other model beside the reference model, on the same rows."""
        reference = self.measured[self.baseline]
        return self.pairs or {name: Both(self.measured[name], reference) for name in self.others}

    def shared(self, name: str) -> list[Metric]:
        """The metrics that a model and the reference model both have."""
        return [metric for metric in self.measured[self.baseline].metrics() if metric.name in self.estimates[name]]


def tested(models: Models, *, primary: str | None, test: str | None, looks: Looks | None) -> dict[Pair, Outcome]:
    """Every difference from the reference model with its test; those without one where they decide or were named."""
    _primary_is_defined(models, primary)
    _test_suits(models, primary, test)
    outcomes = {
        (name, metric.name): _simultaneous(
            models, metric, _outcome(models, name, metric, primary=primary, test=test, looks=looks)
        )
        for name in models.others
        for metric in models.shared(name)
    }
    return {
        pair: outcome
        for pair, outcome in outcomes.items()
        if outcome.test != "none"
        or pair[1] == primary
        or models.settings.metrics is not None
        or _infinite(models, *pair)
    }


def family(models: Models, outcomes: Mapping[Pair, Outcome]) -> set[Pair]:
    """The pairs that are tested together: metrics that are printed, or that the caller named."""

    def belongs(model: str, metric: str) -> bool:
        estimate = models.estimates[model][metric]
        return (estimate.printed or models.settings.metrics is not None) and estimate.better is not None

    return {pair for pair in outcomes if belongs(*pair)}


def _outcome(
    models: Models, name: str, metric: Metric, *, primary: str | None, test: str | None, looks: Looks | None
) -> Outcome:
    """One difference, not yet corrected for anything but the number of looks."""
    chosen = _test(models, metric, primary, test)
    infinite = _infinite(models, name, metric.name)
    if infinite:
        return replace(untested(nan, ""), notes=infinite)
    level = models.settings.level
    if looks is not None and looks.kind == "sequential":
        named = metric.name == primary or models.settings.metrics is not None
        return sequential_outcome(metric, models.beside[name], level, named=named)
    if looks is not None:
        chosen = _test_of_look(models, metric, chosen)
        return planned_outcome(looks, level, lambda other: _at_level(models, name, metric, chosen, other))
    if models.paired:
        return told_apart(metric, models.beside[name], chosen)
    return independent_difference(metric, models.measured[name], models.measured[models.baseline], chosen)


def _at_level(models: Models, name: str, metric: Metric, test: str | None, level: float) -> Outcome:
    """The same difference with its interval at another level."""
    a, b = (
        Measurement(models.measured[one].given, replace(models.settings, level=level))
        for one in (name, models.baseline)
    )
    return told_apart(metric, Both(a, b), test) if models.paired else independent_difference(metric, a, b, test)


def _infinite(models: Models, name: str, metric: str) -> tuple[str, ...]:
    """Why a metric is infinite for a model or for the reference model: the rows that make it so."""
    estimates = {one: models.estimates[one][metric] for one in (name, models.baseline)}
    return tuple(
        f"{metric} is infinite for {one}" + "".join(f": {why}" for why in _reasons(estimate))
        for one, estimate in estimates.items()
        if isinf(estimate.value)
    )


def _reasons(estimate: Estimate) -> list[str]:
    """The notes of an estimate that say which rows make it infinite."""
    return [note.removeprefix(INFINITE) for note in estimate.notes if note.startswith(INFINITE)]


def _test(models: Models, metric: Metric, primary: str | None, test: str | None) -> str | None:
    """The test by name; no permutation test for ranking metrics that are neither requested nor printed."""
    wanted = metric.printed or models.settings.metrics is not None or metric.name == primary
    idle = models.paired and metric.via is None and metric.interval in ("ranking", "precision") and not wanted
    return "t" if test is None and idle else test


def _test_of_look(models: Models, metric: Metric, test: str | None) -> str | None:
    """The test of a planned look: early boundaries lie beyond what some hundred resamples of a ranking can show."""
    resampled = models.paired and metric.via is None and metric.interval in ("ranking", "precision")
    return "t" if test is None and resampled else test


def _simultaneous(models: Models, metric: Metric, outcome: Outcome) -> Outcome:
    """The difference with an interval that is simultaneous over all models, where they were judged together."""
    best = models.best
    if best is None or metric.name != best.metric or isnan(outcome.low):
        return outcome
    low = outcome.value - best.wider * (outcome.value - outcome.low)
    high = outcome.value + best.wider * (outcome.high - outcome.value)
    every = "both" if len(models.others) == 2 else f"all {len(models.others)}"
    note = f"its interval holds together with those of {every} models"
    return replace(outcome, low=low, high=high, notes=(*outcome.notes, note))


def known_test(test: str | None, *, paired: bool) -> None:
    """Refuse a test that does not exist, or not for rows that are matched or not matched like these."""
    here, there = (TESTS, INDEPENDENT_TESTS) if paired else (INDEPENDENT_TESTS, TESTS)
    if test is None or test in here:
        return
    if test not in there:
        from heldout.verbs.compare.fold_scores import FOLD_TESTS

        if test in FOLD_TESTS:
            fix = f"pass --fold-scores (compare_fold_scores), or choose one of {', '.join(here)}"
            raise UsageError(f"the test {test} is for scores of folds, and these are predictions", fix=fix)
        hint = did_you_mean(test, [*TESTS, *INDEPENDENT_TESTS])
        raise UsageError(f"no test is named {test!r}{hint}", fix=f"choose one of {', '.join(here)}")
    if paired:
        fix = "pass --unpaired (paired=False) if the models saw different rows"
        raise UsageError(f"the test {test} is for independent samples, and the rows are matched", fix=fix)
    fix = f"choose one of {', '.join(here)}, or compare on the same rows"
    raise UsageError(f"the test {test} is for matched rows, and these are independent samples", fix=fix)


def _test_suits(models: Models, primary: str | None, test: str | None) -> None:
    """Refuse a test that does not suit the primary metric, or none of those that are printed or were asked for."""
    if test is None:
        return
    suits, _, words = (TESTS if models.paired else INDEPENDENT_TESTS)[test]
    reference = models.measured[models.baseline]
    every = models.settings.metrics is not None
    wanted = [metric for metric in reference.metrics() if every or metric.printed or metric.name == primary]
    wanted = [metric for metric in wanted if metric.name == primary] or wanted
    if not any(suits(metric, reference) for metric in wanted):
        names = ", ".join(metric.name for metric in wanted)
        raise UsageError(
            f"the test {test} suits {words}, but not {names}", fix="choose a metric it suits, or leave out the test"
        )


def _primary_is_defined(models: Models, primary: str | None) -> None:
    """The metric that decides is known for every model, and defined even where the truth has one class only."""
    for name in models.measured if primary is not None else ():
        estimate = models.estimates[name].get(str(primary))
        if estimate is None:
            fix = "choose a metric that all models have, or give every model what it needs, such as scores"
            message = f"the primary metric {primary} cannot be computed from the predictions of {name}"
            raise DataError(message, code="H106", fix=fix)
        measured = models.measured[name]
        batch = measured.batch
        if isnan(estimate.value) and batch.positive is not None and measured.positives in (0, measured.rows):
            only = batch.labels[batch.positive if measured.positives else 1 - batch.positive]
            raise DataError(
                f"the primary metric {primary} is undefined for {name}: the truth has one class "
                f"({measured.rows:,} x {only!r})",
                code="H104",
                fix="add rows of the other class, or choose a metric such as accuracy",
            )
