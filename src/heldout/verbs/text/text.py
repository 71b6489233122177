"""How good texts are, and whether one system writes better than another: `text`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.cards.lookup import LEVEL, Card, rejection_card
from heldout.errors import UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import estimate
from heldout.formulas import Metric
from heldout.inputs import Check
from heldout.inputs.formats.parallel_texts import Segments, one_system, read_segments
from heldout.language import sacre
from heldout.stats.multiplicity import holm
from heldout.tallies.units import Units
from heldout.verbs.compare.paired_difference import Found, rows_needed
from heldout.verbs.judgement import Difference, Verdict, margin_of, verdict_of
from heldout.verbs.settings import Settings, settings
from heldout.verbs.text.influential_segments import telling_segments
from heldout.verbs.text.metric_choice import Wanted, counted, deciding, kind_of, tallies, wanted
from heldout.verbs.text.text_difference import known_text_test, text_difference
from heldout.verbs.text.text_evaluation import TextEvaluation

if TYPE_CHECKING:
    from numpy.random import Generator

Pair = tuple[str, str]
"""A system and a metric."""


def text(
    references: Any,
    hypotheses: Any,
    *,
    metrics: str | Sequence[str] | None = None,
    primary: str | None = None,
    baseline: str | None = None,
    margin: float | Mapping[str, float] | None = None,
    test: str | None = None,
    method: str = "auto",
    groups: Any = None,
    tokenize: str = "13a",
    lowercase: bool = False,
    smoothing: str = "exp",
    smoothing_value: float | None = None,
    order: int = 4,
    embedder: Any = None,
    layer: int | None = None,
    idf: bool = False,
    confidence_level: float = 0.95,
    draws: int = 2000,
    random_state: int | Generator | None = 0,
) -> TextEvaluation:
    """BLEU, chrF, TER, n-gram precision and recall, and BERTScore of texts, each with its interval over segments.

    `references` is a file with a segment per line (or JSON lines), or a list with one text or a list of texts for each
    segment; `hypotheses` is a file or a list of texts, or several by name, which are then tested against the first (or
    `baseline`): whole segments are swapped between the two systems (`test="permutation"`), or drawn (`"bootstrap"`).
    `groups` names the document of each segment: then documents are drawn and swapped. Numbers are those of sacrebleu,
    whose words for the settings are in `signatures`.

    >>> found = text(["people like foreign cars"] * 9, ["people like imported cars"] * 9, metrics="ngrams")
    >>> found["ngram_precision_1"].value, found["ngram_recall_2"].value
    (0.75, 0.3333333333333333)
    """
    asked = settings(confidence_level=confidence_level, method=method, draws=draws, random_state=random_state)
    known_text_test(test)
    reading = sacre.Reading(
        tokenize=tokenize, lowercase=lowercase, smoothing=smoothing, amount=smoothing_value, order=order
    )
    chosen = wanted(metrics, primary, reading)
    chosen = replace(chosen, embedding={"embedder": embedder, "layer": layer, "idf": idf})
    segments = read_segments(references, one_system(hypotheses), groups=groups)
    base = _known(baseline, segments)
    counts = counted(segments, chosen)
    sums = tallies(counts, segments.unit)
    estimates = {name: _estimates(chosen, found, asked) for name, found in sums.items()}
    decides = deciding(primary)
    contest = Contest(chosen=chosen, sums=sums, base=base, primary=decides, margin=margin, asked=asked, test=test)
    differences = _judged(contest)
    each = [len(several) for several in segments.references]
    shown = contest.shown or chosen.metrics
    told = telling_segments(shown, counts, segments, base=base, primary=decides, reading=reading)
    return TextEvaluation(
        systems=tuple(segments.systems),
        baseline=base,
        primary=decides,
        verdict=_verdict(differences, decides) if differences else None,
        estimates=estimates,
        differences=tuple(differences),
        signatures=_signatures(chosen, segments),
        rows=segments.rows,
        units=segments.units,
        references=(min(each), max(each)),
        level=asked.level,
        seed=asked.seed,
        matched=segments.matched,
        segments=dict(told.segments) if contest.shown else {},
        segment_metric=told.metric.name,
        segment_values=dict(told.values),
        checks=(*segments.checks, *_cut(chosen, segments), *_holm_note(decides, differences)),
        sources=segments.sources,
    )


def _known(baseline: str | None, segments: Segments) -> str:
    names = list(segments.systems)
    if baseline is None:
        return names[0]
    if baseline not in names:
        fix = f"the systems are {', '.join(names)}"
        raise UsageError(f"no system is named {baseline!r}{did_you_mean(baseline, names)}", fix=fix)
    return baseline


def _estimates(chosen: Wanted, sums: Mapping[str, Units], asked: Settings) -> dict[str, Estimate]:
    return {
        metric.name: estimate(
            metric,
            sums[kind_of(metric)],
            level=asked.level,
            method=asked.method,
            draws=asked.draws,
            seed=asked.seed,
        )
        for metric in chosen.metrics
    }


def _cut(chosen: Wanted, segments: Segments) -> list[Check]:
    """A word about texts that an encoder does not read to their end."""
    if not any(kind_of(metric) == "bertscore" for metric in chosen.metrics):
        return []
    from heldout.verbs.text.bertscore_sums import cut_texts

    return cut_texts(segments, **chosen.embedding)


def _signatures(chosen: Wanted, segments: Segments) -> dict[str, str]:
    """The words of sacrebleu for each of its metrics, and ours for BERTScore."""
    kinds = dict.fromkeys(kind_of(metric) for metric in chosen.metrics)
    said = {kind: sacre.signature(kind, segments.references, chosen.reading) for kind in kinds if kind != "bertscore"}
    if "bertscore" in kinds:
        from heldout.verbs.text.bertscore_sums import embedding_signature

        said["bertscore"] = embedding_signature(**chosen.embedding)
    return said


@dataclass(frozen=True, kw_only=True)
class Contest:
    """Systems counted, and what the caller decided."""

    chosen: Wanted
    sums: Mapping[str, Mapping[str, Units]]
    base: str
    primary: str | None
    margin: float | Mapping[str, float] | None
    asked: Settings
    test: str | None

    @property
    def shown(self) -> list[Metric]:
        """The metrics that are tested together, and the one that decides."""
        return [metric for metric in self.chosen.metrics if metric.printed or metric.name == self.primary]


def _judged(contest: Contest) -> list[Difference]:
    """The differences of every system from the baseline, corrected for how many are tested."""
    sums, base, primary = contest.sums, contest.base, contest.primary
    found: dict[Pair, Found] = {
        (name, metric.name): text_difference(
            metric, sums[name][kind_of(metric)], sums[base][kind_of(metric)], contest.asked, contest.test
        )
        for name in sums
        if name != base
        for metric in contest.shown
    }
    corrected = {
        **_holm(found, [pair for pair in found if pair[1] != primary]),
        **_holm(found, [pair for pair in found if pair[1] == primary]),
    }
    return [
        _difference(contest, name, metric, found[name, metric.name], corrected)
        for name in sums
        if name != base
        for metric in contest.shown
    ]


def _holm(found: Mapping[Pair, Found], family: Sequence[Pair]) -> dict[Pair, float]:
    """Holm's correction of a family; what could not be tested is no part of it."""
    known = [pair for pair in family if not isnan(found[pair].p)]
    adjusted = holm(np.array([found[pair].p for pair in known])).tolist() if known else []
    return {**dict.fromkeys(family, float("nan")), **dict(zip(known, adjusted, strict=True))}


def _difference(
    contest: Contest, name: str, metric: Metric, found: Found, corrected: Mapping[Pair, float]
) -> Difference:
    level, p = contest.asked.level, corrected[name, metric.name]
    margin = margin_of(contest.margin, metric.name, contest.primary)
    verdict = verdict_of(found, metric.better, p, margin, level)
    units = contest.sums[name][kind_of(metric)].units
    tests = 1 if metric.name == contest.primary else sum(pair[1] != contest.primary for pair in corrected)
    return Difference(
        metric=metric.name,
        a=name,
        b=contest.base,
        value=found.value,
        low=found.low,
        high=found.high,
        level=level,
        p=found.p,
        p_adjusted=p,
        test=found.test,
        verdict=verdict,
        rows_needed=rows_needed(found, units, level, tests) if verdict == "UNDECIDED" else None,
        margin=margin,
        better=metric.better,
        notes=found.notes,
        printed=True,
        card=_card(contest, metric, found),
    )


def _card(contest: Contest, metric: Metric, found: Found) -> Card | None:
    """How often such a test rejected what was true in the lab."""
    if contest.asked.level != LEVEL or isnan(found.p) or found.test == "identical":
        return None
    base = contest.sums[contest.base][kind_of(metric)]
    test = "auto" if contest.test in (None, "permutation") else contest.test
    value = float(metric(base.sums))
    return rejection_card(metric.name, test, clustered=base.clustered, units=base.units, value=value)


def _verdict(differences: Sequence[Difference], primary: str | None) -> Verdict:
    """The verdict on the primary metric; without one, on whatever passes the correction, if it all points one way."""
    said = {one.verdict for one in differences if primary in (None, one.metric)}
    if said == {"EQUIVALENT"}:
        return "EQUIVALENT"
    said -= {"UNDECIDED", "EQUIVALENT"}
    return next(iter(said)) if len(said) == 1 else "UNDECIDED"


def _holm_note(primary: str | None, differences: Sequence[Difference]) -> tuple[Check, ...]:
    tested = len({one.metric for one in differences})
    if primary is not None or tested < 2:
        return ()
    text = f"{tested} metrics and no primary one: p-values are corrected for their number (Holm)"
    return (Check(code="H303", text=text),)
