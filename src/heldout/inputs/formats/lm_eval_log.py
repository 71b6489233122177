"""Sample logs of lm-evaluation-harness: one JSON object per line, one line per sample and filter."""

from __future__ import annotations

from typing import Any

from heldout.errors import DataError
from heldout.inputs.formats.delimited_text import decoded
from heldout.inputs.formats.log_samples import Judgements, Sample, content_hash, parsed, right_or_wrong
from heldout.inputs.message_text import listed
from heldout.inputs.reading import Check

METRICS = ("acc", "exact_match", "acc_norm", "em")
"""Metrics of right and wrong answers, in order of preference."""
FIX = "name a samples_*.jsonl file, which lm_eval writes with --log_samples"


def harness_judgements(data: bytes, place: str, pred: str | None = None) -> Judgements:
    r"""Whether each sample was answered right, by `pred`: a metric, or as the harness writes it a metric,filter.

    >>> result = harness_judgements(b'{"doc_id": 0, "acc": 1.0}\n{"doc_id": 1, "acc": 0.0}', "samples.jsonl")
    >>> result.name, result.right
    ('acc', (1.0, 0.0))
    """
    lines = enumerate(decoded(data, "utf-8", place).split("\n"), start=1)
    named = [(f"line {number} of {place}", line) for number, line in lines if line.strip()]
    samples = [Sample(place=where, fields=parsed(line, where, fix=FIX)) for where, line in named]
    if not samples:
        raise DataError(f"{place} has no samples", code="H112", fix=FIX)
    for sample in samples:
        _is_sample(sample)
    wanted, _, chosen = (pred or "").partition(",")
    samples, checks = _of_one_filter(samples, place, chosen.strip())
    name = _metric(samples[0], wanted.strip())
    return Judgements(
        samples=tuple(samples),
        right=tuple(right_or_wrong(sample.place, name, _value(sample, name)) for sample in samples),
        name=name,
        id="doc_id",
        about="doc",
        contents=_contents(samples),
        checks=checks,
    )


def _contents(samples: list[Sample]) -> tuple[str, ...] | None:
    """The hash that the harness gives every document, or one of the document itself where older logs lack it."""
    for name in ("doc_hash", "doc"):
        if all(sample.fields.get(name) for sample in samples):
            asked = [sample.fields[name] for sample in samples]
            return tuple(one if name == "doc_hash" and isinstance(one, str) else content_hash(one) for one in asked)
    return None


def _is_sample(sample: Sample) -> None:
    if "doc_id" not in sample.fields:
        raise DataError(
            f"{sample.place} is not a sample of lm-evaluation-harness: expected doc_id, "
            f"found {listed(sample.fields) or 'no field'}",
            code="H106",
            fix=FIX,
        )


def _of_one_filter(samples: list[Sample], place: str, chosen: str) -> tuple[list[Sample], tuple[Check, ...]]:
    """The samples of one filter: a document is logged once per filter, and counts once."""
    filters = list(dict.fromkeys(map(_filter, samples)))
    if chosen and chosen not in filters:
        raise DataError(
            f"{place} has no filter {chosen!r}: its filters are {listed(filters)}",
            code="H106",
            fix="name a metric and a filter that are there, such as --pred exact_match,strict-match "
            "(y_pred='exact_match,strict-match')",
        )
    if len(filters) == 1:
        return samples, ()
    used = chosen or filters[0]
    text = f"{len(filters)} filters are logged ({listed(filters)}) and {used!r} is used"
    checks = () if chosen else (Check(code="H111", text=f"{text}; --pred METRIC,FILTER (y_pred=) names another"),)
    return [sample for sample in samples if _filter(sample) == used], checks


def _filter(sample: Sample) -> str:
    """How answers were cut out of what the model wrote; empty where the log does not say."""
    name = sample.fields.get("filter")
    return name if isinstance(name, str) else ""


def _metric(sample: Sample, wanted: str) -> str:
    """The requested metric, or the first one that the sample has."""
    looked_for = (wanted,) if wanted else METRICS
    for name in looked_for:
        if name in sample.fields:
            return name
    logged = sample.fields.get("metrics")
    there = [name for name in logged if isinstance(name, str)] if isinstance(logged, list) else list(sample.fields)
    raise DataError(
        f"{sample.place} has no metric of right and wrong: expected {', '.join(looked_for)}, found {listed(there)}",
        code="H106",
        fix="name the metric with --pred (y_pred=)",
    )


def _value(sample: Sample, name: str) -> Any:
    if name not in sample.fields:
        raise DataError(
            f"{sample.place} has no metric {name}, which other samples have: found {listed(sample.fields)}",
            code="H106",
            fix="name a metric that every sample has with --pred (y_pred=)",
        )
    return sample.fields[name]
