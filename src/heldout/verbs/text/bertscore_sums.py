"""BERTScore of every segment: what each adds to the means of precision, recall and F."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.inputs import Check
from heldout.inputs.formats.parallel_texts import Segments
from heldout.language.bertscore import embedder_of, greedy_match, idf_weights
from heldout.language.encoder import Encoder

SEGMENTS_AT_ONCE = 256
"""Segments whose vectors are held at a time."""


def embedded(
    segments: Segments, *, embedder: Any = None, layer: int | None = None, idf: bool = False
) -> dict[str, dict[str, Array]]:
    """What each segment of every system adds; of several references the best figure counts, for P, R and F apart.

    Texts that occur more than once, references above all, are embedded once.
    """
    encode = embedder_of(embedder, layer)
    weights = _weights(encode, segments) if idf else None
    found = {name: np.zeros((segments.rows, 3)) for name in segments.systems}
    for start in range(0, segments.rows, SEGMENTS_AT_ONCE):
        some = range(start, min(start + SEGMENTS_AT_ONCE, segments.rows))
        kept = _vectors(encode, segments, some, weights)
        for name, lines in segments.systems.items():
            for at in some:
                each = [_matched(kept[lines[at]], kept[reference]) for reference in segments.references[at]]
                found[name][at] = np.max(each, axis=0)
    ones = np.ones(segments.rows)
    return {
        name: {"bert_p": part[:, 0], "bert_r": part[:, 1], "bert_f": part[:, 2], "rows": ones}
        for name, part in found.items()
    }


Vectors = tuple[Array, Array | None]
"""A line per token, and how much each token weighs."""


def _vectors(
    encode: Any, segments: Segments, some: Sequence[int], weights: dict[int, float] | None
) -> dict[str, Vectors]:
    """The vectors of all texts of some segments, by text."""
    texts = dict.fromkeys(
        text for at in some for text in (*segments.references[at], *(lines[at] for lines in segments.systems.values()))
    )
    listed = list(texts)
    vectors = [np.asarray(one) for one in encode(listed)]
    if len(vectors) != len(listed) or any(one.ndim != 2 for one in vectors):
        shape = f"{len(vectors)} arrays" if len(vectors) != len(listed) else "an array that has not two dimensions"
        fix = "give for each text an array with a line per token"
        raise DataError(f"the embedder gave {shape} for {len(listed)} texts", code="H112", fix=fix)
    marks: frozenset[int] = getattr(encode, "marks", frozenset())
    if weights is None and not marks:
        return {text: (one, None) for text, one in zip(listed, vectors, strict=True)}
    rare = log(sum(map(len, segments.references)) + 1)  # of a token that no reference has

    def weight(token: int) -> float:
        return 0.0 if token in marks else 1.0 if weights is None else weights.get(token, rare)

    return {
        text: (one, np.array([weight(token) for token in line], dtype=float))
        for text, one, line in zip(listed, vectors, encode.tokens(listed), strict=True)
    }


def _matched(hypothesis: Vectors, reference: Vectors) -> tuple[float, float, float]:
    return greedy_match(hypothesis[0], reference[0], hypothesis[1], reference[1])


def _weights(encode: Any, segments: Segments) -> dict[int, float]:
    if not hasattr(encode, "tokens"):
        raise UsageError(
            "idf needs to know which token is which, and the embedder has no method tokens",
            fix="leave out idf, or give the embedder a method tokens(texts) with a list of numbers for each text",
        )
    return idf_weights(encode.tokens([text for several in segments.references for text in several]))


def cut_texts(segments: Segments, *, embedder: Any = None, layer: int | None = None, idf: bool = False) -> list[Check]:
    """A word about texts of which the encoder reads only the beginning, where it tells how far it reads."""
    del idf
    encode = embedder_of(embedder, layer)
    if not isinstance(encode, Encoder):
        return []
    texts = {text for several in (*segments.references, *segments.systems.values()) for text in several}
    room = encode.longest - 2
    count = sum(len(encode.pieces(text)) > room for text in texts)
    if not count:
        return []
    said = "1 text is longer" if count == 1 else f"{count:,} texts are longer"
    return [Check(code="H305", text=f"{said} than the {room} tokens the encoder reads; what follows is not compared")]


def embedding_signature(*, embedder: Any = None, layer: int | None = None, idf: bool = False) -> str:
    """By what others can repeat a BERTScore: the encoder, its layer, and whether tokens are weighed."""
    encode = embedder_of(embedder, layer)
    name = getattr(encode, "name", None)
    if embedder is None:
        name = "all-MiniLM-L6-v2"
    elif isinstance(embedder, str) or name is None:
        name = str(embedder) if isinstance(embedder, str) else getattr(encode, "__name__", type(encode).__name__)
    number = getattr(encode, "layer", layer)
    return f"model:{name}|layer:{'last' if number is None else number}|idf:{'yes' if idf else 'no'}|rescaled:no"
