"""What a segment adds to BLEU, chrF and TER, with the tokenisation and signatures of sacrebleu [post18]."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError, did_you_mean
from heldout.inputs.limits import WORDS
from heldout.optional_packages import needed

Tokens = Sequence[str]
ORDER = 4
"""The longest n-gram that is counted."""


def ngram_columns(
    hypotheses: Sequence[Tokens], references: Sequence[Sequence[Tokens]], order: int = ORDER
) -> dict[str, Array]:
    """What each segment adds, one column per n = 1 .. order.

    `matches` are the hypothesis's n-grams that a reference has, none counted more often than in the reference that has
    it most often [papineni02], of `ngrams` in all; `recalled` are the n-grams of the references, one after the other,
    that the hypothesis has [lin04], of `reference_ngrams` in all. `present` and `recalled_present` are the same without
    a limit: each n-gram counts as often as it is there, if the other side has it at all. `reference_length` is the
    number of tokens of the reference whose length is nearest, of two the shorter.

    >>> found = ngram_columns(["the the cat".split()], [["the cat sat".split()]], order=2)
    >>> {name: column.tolist() for name, column in found.items()}
    {'matches': [[2, 1]], 'present': [[3, 1]], 'ngrams': [[3, 2]], 'recalled': [[2, 1]],
     'recalled_present': [[2, 1]], 'reference_ngrams': [[3, 2]], 'reference_length': [3]}
    """
    segments = len(hypotheses)
    owner = np.repeat(np.arange(segments), [len(several) for several in references])
    texts = [*hypotheses, *chain.from_iterable(references)]
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    found = _counted(_numbered(texts), lengths, np.concatenate([np.arange(segments), owner]), segments, order)
    nearest = _nearest(lengths[:segments], lengths[segments:], owner)
    return {**found, "reference_length": nearest}


def _numbered(texts: Sequence[Tokens]) -> Array:
    """The tokens of all texts, one after the other, as numbers."""
    flat = list(chain.from_iterable(texts))
    numbers = dict(zip(dict.fromkeys(flat), range(len(flat)), strict=False))
    return np.fromiter(map(numbers.__getitem__, flat), dtype=np.int64, count=len(flat))


def _counted(tokens: Array, lengths: Array, segment: Array, segments: int, order: int) -> dict[str, Array]:
    """Matches and totals for every n; the first `segments` texts are the hypotheses."""
    text = np.repeat(np.arange(len(lengths)), lengths)
    kinds = int(tokens.max(initial=0)) + 1
    at, grams, columns = np.arange(len(text)), tokens, []
    for n in range(order):
        if n:  # n + 1 tokens are n tokens and one more in the same text
            last = at + n < len(text)
            at, grams = at[last], grams[last]
            inside = text[at + n] == text[at]
            at, grams = at[inside], grams[inside]
            grams = np.unique(grams * kinds + tokens[at + n], return_inverse=True)[1]
        columns.append(_shared(text[at], grams, segment, segments))
    return {name: np.stack([one[name] for one in columns], axis=1) for name in columns[0]}


def _shared(text: Array, gram: Array, segment: Array, segments: int) -> dict[str, Array]:
    """Matches and totals of one n, from the text and the number of every n-gram."""
    kinds = int(gram.max(initial=0)) + 1
    keys, counts = np.unique(text * kinds + gram, return_counts=True)
    said = keys < segments * kinds  # hypotheses come first, and a key grows with its text
    ours, often = keys[said], counts[said]
    theirs, wanted = keys[~said], counts[~said]
    owner = segment[theirs // kinds]
    theirs = owner * kinds + theirs % kinds
    place = np.searchsorted(ours, theirs)
    shared = place < len(ours)
    shared[shared] = ours[place[shared]] == theirs[shared]
    place, most = place[shared], np.zeros(len(ours), dtype=counts.dtype)
    np.maximum.at(most, place, wanted[shared])
    return {
        "matches": _added(ours // kinds, np.minimum(often, most), segments),
        "present": _added(ours // kinds, np.where(most > 0, often, 0), segments),
        "ngrams": _added(ours // kinds, often, segments),
        "recalled": _added(owner[shared], np.minimum(often[place], wanted[shared]), segments),
        "recalled_present": _added(owner[shared], wanted[shared], segments),
        "reference_ngrams": _added(owner, wanted, segments),
    }


def _added(segment: Array, counts: Array, segments: int) -> Array:
    return np.bincount(segment, weights=counts, minlength=segments).astype(np.int64)


def _nearest(said: Array, lengths: Array, owner: Array) -> Array:
    """The length of each segment's reference that is nearest to the hypothesis's length, of two the shorter."""
    order = np.lexsort((lengths, np.abs(lengths - said[owner]), owner))
    first = np.searchsorted(owner[order], np.arange(len(said)))
    return lengths[order][first]


TOKENIZERS = ("13a", "intl", "char", "zh", "none", "flores101", "flores200", "spm", "ja-mecab", "ko-mecab")
CHARACTERS = 6
"""The longest n-gram of characters that chrF counts."""
References = Sequence[Sequence[str]]
"""For every segment its references, one or more."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How texts are cut into words, and what counts as the same."""

    tokenize: str = "13a"
    lowercase: bool = False
    smoothing: str = "exp"
    amount: float | None = None
    order: int = ORDER
    effective: bool = False


def bleu_columns(hypotheses: Sequence[str], references: References, reading: Reading) -> dict[str, Array]:
    """What each segment adds to BLEU and to n-gram precision and recall, cut into words as sacrebleu does.

    >>> found = bleu_columns(["Hello, world!"], [["hello, world."]], Reading(lowercase=True))
    >>> found["matches"].tolist()
    [[3, 2, 1, 0]]
    """
    return systems_columns({"": hypotheses}, references, reading)[""]


def systems_columns(
    systems: Mapping[str, Sequence[str]], references: References, reading: Reading
) -> dict[str, dict[str, Array]]:
    """The same for several systems, with the references cut once."""
    cut = _bleu(reading)._preprocess_segment  # noqa: SLF001  (sacrebleu has no other name for it)
    wanted = [[cut(text).split() for text in several] for several in references]
    order = max(reading.order, ORDER)
    return {
        name: ngram_columns([cut(text).split() for text in lines], wanted, order) for name, lines in systems.items()
    }


def chrf_columns(hypotheses: Sequence[str], references: References, *, words: int, lowercase: bool) -> dict[str, Array]:
    """What each segment adds to chrF: n-grams of characters (and words) in common, said and wanted [popovic15].

    Of several references, the one with the best chrF of the segment alone counts, of equals the first.
    """
    owner = np.repeat(np.arange(len(hypotheses)), [len(several) for several in references])
    said = [hypotheses[at] for at in owner.tolist()]
    wanted = list(chain.from_iterable(references))
    if lowercase:
        said, wanted = [text.lower() for text in said], [text.lower() for text in wanted]
    parts = [ngram_columns([_characters(text) for text in said], [[_characters(text)] for text in wanted], CHARACTERS)]
    if words:
        cut = _metrics().CHRF(word_order=words)._remove_punctuation  # noqa: SLF001  (its own way of cutting words)
        parts.append(ngram_columns([cut(text) for text in said], [[cut(text)] for text in wanted], words))
    names = {"said": "ngrams", "wanted": "reference_ngrams", "matched": "matches"}
    pairs = {name: np.concatenate([part[column] for part in parts], axis=1) for name, column in names.items()}
    pairs["said"] = np.where(pairs["wanted"] > 0, pairs["said"], 0)  # without any to match, none is held against it
    if len(owner) == len(hypotheses):
        return pairs
    best = np.lexsort((np.arange(len(owner)), -_f_scores(**pairs), owner))
    chosen = best[np.searchsorted(owner[best], np.arange(len(hypotheses)))]
    return {name: column[chosen] for name, column in pairs.items()}


def _characters(text: str) -> str:
    return "".join(text.split())


def _f_scores(said: Array, wanted: Array, matched: Array) -> Array:
    """The chrF of every pair by itself, recall counting twice: each sum from left to right, as sacrebleu adds."""
    both = (said > 0) & (wanted > 0)
    known = np.maximum(np.sum(both, axis=1), 1)
    precision = np.cumsum(np.where(both, matched / np.where(both, said, 1), 0.0), axis=1)[:, -1] / known
    recall = np.cumsum(np.where(both, matched / np.where(both, wanted, 1), 0.0), axis=1)[:, -1] / known
    below = 4 * precision + recall
    return np.where(below > 0, 5 * precision * recall / np.where(below > 0, below, 1), 0.0)


def ter_columns(hypotheses: Sequence[str], references: References) -> dict[str, Array]:
    """What each segment adds to TER: the fewest edits to a reference, and the mean length of its references."""
    for at, (text, several) in enumerate(zip(hypotheses, references, strict=True), 1):
        WORDS.check(max(len(one.split()) for one in (text, *several)), f"segment {at}")
    metric = _metrics().TER()
    found = np.array(_segments(metric, hypotheses, references), dtype=float)
    return {"edits": found[:, 0], "words": found[:, 1]}


def signature(metric: str, references: References, reading: Reading) -> str:
    """By what others can repeat a number: sacrebleu's own words for a metric and its settings.

    >>> signature("bleu", [["a"]], Reading()).partition("|version")[0]
    'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp'
    """
    made = _made(metric, reading)
    counts = {len(several) for several in references}
    made.num_refs = counts.pop() if len(counts) == 1 else -1
    return str(made.get_signature())


def version() -> str:
    """The version of sacrebleu."""
    return str(_module().__version__)


def _made(metric: str, reading: Reading) -> Any:
    if metric == "ter":
        return _metrics().TER()
    if metric.startswith("chrf"):
        return _metrics().CHRF(word_order=metric.count("+"), lowercase=reading.lowercase)
    return _bleu(reading)


def _bleu(reading: Reading) -> Any:
    if reading.tokenize not in TOKENIZERS:
        hint = did_you_mean(reading.tokenize, TOKENIZERS)
        raise UsageError(f"no tokenizer is named {reading.tokenize!r}{hint}", fix=f"choose one of {_list(TOKENIZERS)}")
    try:
        return _metrics().BLEU(
            tokenize=reading.tokenize,
            lowercase=reading.lowercase,
            smooth_method=reading.smoothing,
            smooth_value=reading.amount,
            max_ngram_order=reading.order,
            effective_order=reading.effective,
            force=True,
        )
    except (ImportError, RuntimeError, OSError) as problem:
        said = " ".join(str(problem).split()).rstrip(".")
        fix = "choose 13a, intl, char or none, or install what it needs"
        raise UsageError(f"the tokenizer {reading.tokenize} cannot be used: {said}", fix=fix) from None


def _segments(metric: Any, hypotheses: Sequence[str], references: References) -> list[list[float]]:
    """What sacrebleu counts in each segment; it takes references as streams, None where a segment has fewer."""
    most = max(map(len, references))
    streams = [[several[k] if k < len(several) else None for several in references] for k in range(most)]
    found: list[list[float]] = metric._extract_corpus_statistics(hypotheses, streams)  # noqa: SLF001  (its sums have no public name)
    return found


def _metrics() -> Any:
    return _module().metrics


def _module() -> Any:
    sacrebleu = needed("sacrebleu", "metrics of texts need")
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)  # what a user must know is in the notes
    return sacrebleu


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)
