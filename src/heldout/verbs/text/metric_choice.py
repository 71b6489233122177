"""Which metrics of texts are wanted, and what each segment adds to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError, did_you_mean
from heldout.formulas import Metric
from heldout.formulas.text_corpora import BERTSCORE, NGRAMS, SMOOTHING, TEXTS, UNCLIPPED, bleu
from heldout.inputs.formats.parallel_texts import Segments
from heldout.language import sacre
from heldout.tallies.units import Units, tally_units
from heldout.verbs.settings import metric_names

GROUPS: dict[str, tuple[str, ...]] = {
    "ngrams": tuple(metric.name for metric in NGRAMS),
    "ngrams_unclipped": tuple(metric.name for metric in UNCLIPPED),
    "bertscore": tuple(metric.name for metric in BERTSCORE),
}
"""Names that stand for several metrics."""
DEFAULT = ("bleu", "chrf", *GROUPS["ngrams"])
ALIASES = {"chrf_plus_plus": "chrf++", "chrf2": "chrf"}


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The metrics, how texts are read, and what turns tokens into vectors."""

    metrics: tuple[Metric, ...]
    reading: sacre.Reading
    embedding: Mapping[str, Any] = field(default_factory=dict)
    """Embedder, layer and idf, for BERTScore only."""


def wanted(names: str | Sequence[str] | None, primary: str | None, reading: sacre.Reading) -> Wanted:
    """The metrics by their names; those that were named are printed, of the n-grams' eight none unless named.

    >>> [metric.name for metric in wanted("bleu,ter", None, sacre.Reading()).metrics]
    ['bleu', 'ter']
    """
    if reading.smoothing not in SMOOTHING:
        hint = did_you_mean(reading.smoothing, SMOOTHING)
        fix = f"choose one of {', '.join(SMOOTHING)}"
        raise UsageError(f"no smoothing is named {reading.smoothing!r}{hint}", fix=fix)
    if not 1 <= reading.order <= 9:
        raise UsageError(f"the order is {reading.order}, but must lie between 1 and 9", fix="BLEU has 4")
    asked = [_known(str(name)) for name in metric_names(names) or ()]
    chosen = [one for name in asked for one in GROUPS.get(name, (name,))] or list(DEFAULT)
    decides = deciding(primary)
    if decides is not None:
        chosen = chosen if decides in chosen else [decides, *chosen]
    table = _table(reading)
    named = {*asked, *(one for name in asked if name.startswith("ngrams") for one in GROUPS[name])}
    metrics = [replace(table[name], printed=table[name].printed or name in named) for name in dict.fromkeys(chosen)]
    return Wanted(metrics=tuple(metrics), reading=reading)


def deciding(primary: str | None) -> str | None:
    """The metric that decides, by its own name."""
    if primary is None:
        return None
    name = _known(str(primary))
    if name.startswith("ngrams"):
        fix = f"name one of them, such as {GROUPS[name][0]}"
        raise UsageError(f"{name} stands for {len(GROUPS[name])} metrics, and one decides", fix=fix)
    return GROUPS["bertscore"][-1] if name == "bertscore" else name


def _known(name: str) -> str:
    plain = ALIASES.get(name.lower(), name.lower())
    if plain not in TEXTS and plain not in GROUPS:
        known = [*GROUPS, *TEXTS]
        raise UsageError(
            f"no metric of texts is named {name!r}{did_you_mean(plain, known)}",
            fix="choose among bleu, chrf, chrf++, ter, bertscore, ngrams, ngrams_unclipped",
        )
    return plain


def _table(reading: sacre.Reading) -> dict[str, Metric]:
    """Every metric by name, BLEU as it is to be smoothed."""
    smoothing, amount = reading.smoothing, reading.amount
    made = bleu(smoothing, amount, order=reading.order, effective=reading.effective)  # type: ignore[arg-type]
    return {**TEXTS, "bleu": made}


def of_one_segment(metric: Metric, reading: sacre.Reading) -> Metric:
    """The metric as it judges a segment by itself: BLEU without the n-grams that the segment is too short for."""
    return _table(replace(reading, effective=True))["bleu"] if metric.name == "bleu" else metric


def kind_of(metric: Metric) -> str:
    """From which counts a metric is made; metrics of one kind share what segments add."""
    return "bleu" if metric.name.startswith("ngram_") else metric.name.partition("_")[0]


Counted = Mapping[str, Mapping[str, Mapping[str, Array]]]
"""What each segment adds, by kind of counts, system and sum."""


def counted(segments: Segments, asked: Wanted) -> Counted:
    """What each segment of every system adds, for all kinds of counts that the metrics need."""
    kinds = dict.fromkeys(kind_of(metric) for metric in asked.metrics)
    return {kind: _columns(kind, segments, asked) for kind in kinds}


def tallies(counts: Counted, unit: Array | None) -> dict[str, dict[str, Units]]:
    """What the units of every system add, by system and kind of counts."""
    systems = next(iter(counts.values()))
    return {name: {kind: tally_units(found[name], unit=unit) for kind, found in counts.items()} for name in systems}


def _columns(kind: str, segments: Segments, asked: Wanted) -> dict[str, dict[str, Array]]:
    """What each segment adds to one kind of counts, by system."""
    reading, references = asked.reading, segments.references
    if kind == "bertscore":
        from heldout.verbs.text.bertscore_sums import embedded

        return embedded(segments, **asked.embedding)
    if kind == "bleu":
        return sacre.systems_columns(segments.systems, references, reading)
    count: dict[str, Callable[..., dict[str, Array]]] = {
        "chrf": partial(sacre.chrf_columns, words=0, lowercase=reading.lowercase),
        "chrf++": partial(sacre.chrf_columns, words=2, lowercase=reading.lowercase),
        "ter": sacre.ter_columns,
    }
    return {name: count[kind](lines, references) for name, lines in segments.systems.items()}


def unlike(one: Units, other: Units) -> bool:
    """Whether any unit of the one system adds something else than that of the other."""
    return any(not np.array_equal(column, other.added[name]) for name, column in one.added.items())
