"""Runs of n tokens in common: what each segment adds to BLEU, and to exact n-gram precision and recall."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from heldout.batch import Array

Tokens = Sequence[str]
ORDER = 4
"""The longest n-gram that is counted."""


def ngram_columns(
    hypotheses: Sequence[Tokens], references: Sequence[Sequence[Tokens]], order: int = ORDER
) -> dict[str, Array]:
    """What each segment adds, one column per n = 1 .. order.

    `matches` are the hypothesis's n-grams that a reference has, none counted more often than in the reference that has
    it most often [papineni02], of `ngrams` in all; `recalled` are the n-grams of the references, one after the other,
    that the hypothesis has [lin04], of `reference_ngrams` in all. `reference_length` is the number of tokens of the
    reference whose length is nearest, of two the shorter.

    >>> found = ngram_columns(["the the cat".split()], [["the cat sat".split()]], order=2)
    >>> {name: column.tolist() for name, column in found.items()}
    {'matches': [[2, 1]], 'ngrams': [[3, 2]], 'recalled': [[2, 1]], 'reference_ngrams': [[3, 2]],
     'reference_length': [3]}
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
        "ngrams": _added(ours // kinds, often, segments),
        "recalled": _added(owner[shared], np.minimum(often[place], wanted[shared]), segments),
        "reference_ngrams": _added(owner, wanted, segments),
    }


def _added(segment: Array, counts: Array, segments: int) -> Array:
    return np.bincount(segment, weights=counts, minlength=segments).astype(np.int64)


def _nearest(said: Array, lengths: Array, owner: Array) -> Array:
    """The length of each segment's reference that is nearest to the hypothesis's length, of two the shorter."""
    order = np.lexsort((lengths, np.abs(lengths - said[owner]), owner))
    first = np.searchsorted(owner[order], np.arange(len(said)))
    return lengths[order][first]
