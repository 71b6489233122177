"""How good texts are, and whether one system writes better than another: `text`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any, Literal

from heldout.cards.lookup import CardKey, Found, design_word, found_card
from heldout.errors import UsageError, refuse_idle
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import estimate
from heldout.formulas import Metric
from heldout.inputs import Check
from heldout.inputs.formats.parallel_texts import Segments, one_system, read_segments
from heldout.language import sacre
from heldout.stats.outcome import Outcome
from heldout.tallies.units import Units
from heldout.verbs.judgement import Margin, Pair, judge, known_name
from heldout.verbs.parameters import documented, refuse_wrong_types
from heldout.verbs.settings import Settings, settings
from heldout.verbs.text.influential_segments import telling_segments
from heldout.verbs.text.metric_choice import Wanted, counted, deciding, kind_of, tallies, wanted
from heldout.verbs.text.text_difference import known_text_test, text_difference
from heldout.verbs.text.text_evaluation import TextEvaluation

if TYPE_CHECKING:
    from numpy.random import Generator

Sums = Mapping[str, Mapping[str, Units]]
"""System → kind of metric → what its segments add."""

TOKENIZED = 100
"""So many segments that end in a period after a space are taken for tokenised ones, as sacrebleu does."""


@documented(n_resamples=2000)
def text(
    y_true: Any,
    models: Any,
    *,
    metrics: str | Sequence[str] | None = None,
    primary: str | None = None,
    baseline: str | None = None,
    margin: Margin = None,
    test: Literal["permutation", "bootstrap", "t"] | None = None,
    method: str = "auto",
    groups: Any = None,
    tokenize: str = "13a",
    lowercase: bool = False,
    smoothing: Literal["exp", "floor", "add-k", "none"] = "exp",
    smoothing_value: float | None = None,
    order: int = 4,
    embedder: Any = None,
    layer: int | None = None,
    idf: bool = False,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    random_state: int | Generator | None = 0,
) -> TextEvaluation:
    """BLEU, chrF, TER, n-gram precision and recall, and BERTScore, each with a confidence interval over segments.

    Numbers are those of sacrebleu, whose signatures are in `signatures`.

    Parameters
    ----------
    y_true : path, sequence of paths, or sequence of str or of sequences of str
        The references: a file with a segment per line (or JSON lines), or one text or several for each segment.
    models : path, sequence of str, or mapping of str to them
        The texts of one system, or of several by name.
    metrics : str or sequence of str, optional
        bleu, chrf, chrf++, ter, bertscore, ngrams, ngrams_unclipped (default: bleu and chrf).
    <primary>
    <baseline>
    <margin>
    test : {"permutation", "bootstrap", "t"}, optional
        Test of a difference: swaps of whole segments (the default), a paired bootstrap, or Student's t.
    method : str, default "auto"
        Interval method: t, percentile, basic or bca (default: the one that suits the metric).
    groups : array-like, str or path, optional
        Document of each segment: then documents are the unit of resampling.
    tokenize : str, default "13a"
        Tokenizer of sacrebleu.
    lowercase : bool, default False
        Whether case is ignored.
    smoothing : {"exp", "floor", "add-k", "none"}, default "exp"
        Smoothing of BLEU.
    smoothing_value : float, optional
        What floor or add-k adds.
    order : int, default 4
        Longest n-grams of BLEU.
    embedder : str, path or callable, optional
        Encoder of BERTScore.
    layer : int, optional
        Layer of the encoder (default: the last).
    idf : bool, default False
        Whether BERTScore weights tokens by inverse document frequency.
    <confidence_level>
    <n_resamples>
    <random_state>

    Returns
    -------
    TextEvaluation
        Estimates of every system; of several systems, their differences from the reference system and the verdict.

    Raises
    ------
    UsageError
        A metric, test or tokenizer is unknown.
    DataError
        The numbers of segments differ.

    See Also
    --------
    compare

    Examples
    --------
    >>> found = text(["people like foreign cars"] * 9, ["people like imported cars"] * 9, metrics="ngrams")
    >>> found["ngram_precision_1"].value, found["ngram_recall_2"].value
    (0.75, 0.3333333333333333)
    """
    asked = settings(
        confidence_level=confidence_level, method=method, n_resamples=n_resamples, random_state=random_state
    )
    refuse_wrong_types(test=test, margin=margin)
    known_text_test(test)
    reading = sacre.Reading(
        tokenize=tokenize, lowercase=lowercase, smoothing=smoothing, amount=smoothing_value, order=order
    )
    chosen = wanted(metrics, primary, reading)
    chosen = replace(chosen, embedding={"embedder": embedder, "layer": layer, "idf": idf})
    _idle(chosen, smoothing_value=smoothing_value)
    segments = read_segments(y_true, one_system(models), groups=groups)
    if len(segments.systems) == 1:
        refuse_idle("with one system: there is no difference", test=test, margin=margin)
        known_name(baseline, list(segments.systems), "system")
        refuse_idle("with one system: there is no other", baseline=baseline)
    base = known_name(baseline, list(segments.systems), "system")
    counts = counted(segments, chosen)
    sums = tallies(counts, segments.unit)
    estimates = {name: _estimates(chosen, found, asked) for name, found in sums.items()}
    decides = deciding(primary)
    shown = [metric for metric in chosen.metrics if metric.printed or metric.name == decides]
    by_name = {metric.name: metric for metric in shown}
    judgement = judge(
        _outcomes(shown, sums, base, asked, test),
        baseline=base,
        level=asked.level,
        units=segments.units,
        better={metric.name: metric.better for metric in shown},
        primary=decides,
        margin=margin,
        card=lambda metric, outcome: _card(by_name[metric], outcome, sums[base], asked, test),
    )
    each = [len(several) for several in segments.references]
    told = telling_segments(shown or chosen.metrics, counts, segments, base=base, primary=decides, reading=reading)
    return TextEvaluation(
        models=tuple(segments.systems),
        baseline=base,
        primary=decides,
        verdicts=judgement.verdicts,
        estimates=estimates,
        differences=judgement.differences,
        signatures=_signatures(chosen, segments),
        rows=segments.rows,
        units=segments.units,
        references=(min(each), max(each)),
        level=asked.level,
        seed=asked.seed,
        matched=segments.matched,
        segments=dict(told.segments) if shown else {},
        segment_metric=told.metric.name,
        segment_values=dict(told.values),
        checks=(*segments.checks, *_tokenized(chosen, segments), *_cut(chosen, segments), *judgement.checks),
        sources=segments.sources,
    )


def _idle(chosen: Wanted, *, smoothing_value: float | None) -> None:
    """Raise if an option is for a smoothing or a metric that was not asked for."""
    if smoothing_value is not None and chosen.reading.smoothing not in ("floor", "add-k"):
        message = f"smoothing_value has no effect on the smoothing {chosen.reading.smoothing}"
        raise UsageError(message, fix="choose --smoothing floor (smoothing='floor') or add-k, or leave it out")
    if smoothing_value is not None and not 0 <= smoothing_value < float("inf"):
        raise UsageError(f"smoothing_value is {smoothing_value!r}, but must be 0 or more", fix="leave it out")
    if chosen.reading.smoothing != "exp" and all(metric.name != "bleu" for metric in chosen.metrics):
        fix = "add --metric bleu (metrics='bleu'), or leave out smoothing"
        raise UsageError(f"the smoothing {chosen.reading.smoothing} has no effect without bleu", fix=fix)
    if chosen.reading.tokenize != "13a" and all(kind_of(metric) != "bleu" for metric in chosen.metrics):
        fix = "add --metric bleu (metrics='bleu'), or leave out tokenize"
        raise UsageError(f"the tokenizer {chosen.reading.tokenize} has no effect without bleu or n-grams", fix=fix)
    if chosen.reading.lowercase and all(kind_of(metric) == "bertscore" for metric in chosen.metrics):
        refuse_idle("on bertscore: its encoder says whether case counts", lowercase=True)
    if any(kind_of(metric) == "bertscore" for metric in chosen.metrics):
        return
    for name, value in chosen.embedding.items():
        if value is not None and value is not False:
            fix = f"add --metric bertscore (metrics='bertscore'), or leave out {name}"
            raise UsageError(f"{name} has no effect without bertscore", fix=fix)


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


def _tokenized(chosen: Wanted, segments: Segments) -> list[Check]:
    """A note on texts that look cut into words already, as sacrebleu's own warning: a second cut changes BLEU."""
    if chosen.reading.tokenize == "none" or not any(kind_of(metric) == "bleu" for metric in chosen.metrics):
        return []
    counts = {name: sum(one.endswith(" .") for one in texts) for name, texts in segments.systems.items()}
    return [
        Check(
            code="H111",
            text=f"{count:,} of {segments.rows:,} segments of {name} end in ' .': they look tokenised, which changes "
            "BLEU; give texts as people write them (detokenised), or choose tokenize='none' (--tokenize none)",
        )
        for name, count in counts.items()
        if count >= TOKENIZED
    ]


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


def _outcomes(
    shown: Sequence[Metric], sums: Sums, baseline: str, asked: Settings, test: str | None
) -> dict[Pair, Outcome]:
    """The tested difference of every system from the reference system in every metric that is shown."""
    return {
        (name, metric.name): text_difference(
            metric, sums[name][kind_of(metric)], sums[baseline][kind_of(metric)], asked, test
        )
        for name in sums
        if name != baseline
        for metric in shown
    }


def _card(metric: Metric, outcome: Outcome, reference: Mapping[str, Units], asked: Settings, test: str | None) -> Found:
    """Simulated type I error of such a test."""
    if isnan(outcome.pvalue) or outcome.test == "identical":
        return Found()
    tally = reference[kind_of(metric)]
    named = "auto" if test in (None, "permutation") else test
    value = float(metric(tally.sums))
    key = CardKey(metric.name, str(named), design_word(clustered=tally.clustered))
    return found_card("tests", key, at=(tally.units, value), level=asked.level)
