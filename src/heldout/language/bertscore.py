"""BERTScore: every token finds the nearest one on the other side [zhang20]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

import numpy as np

from heldout.batch import Array


def greedy_match(
    hypothesis: Array, reference: Array, hypothesis_weight: Array | None = None, reference_weight: Array | None = None
) -> tuple[float, float, float]:
    """Precision, recall and F of one text: the mean, weighed, of each token's largest cosine to one on the other side.

    A text without tokens, or without any that weighs, has 0 in all three.

    >>> greedy_match(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 2.0]]))
    (1.0, 0.5, 0.6666666666666666)
    """
    sides = ((hypothesis, hypothesis_weight), (reference, reference_weight))
    if any(not len(vectors) or (weight is not None and not weight.sum() > 0) for vectors, weight in sides):
        return 0.0, 0.0, 0.0
    cosines = _unit(hypothesis) @ _unit(reference).T
    precision = _mean(cosines.max(axis=1), hypothesis_weight)
    recall = _mean(cosines.max(axis=0), reference_weight)
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both != 0 else 0.0


def _unit(vectors: Array) -> Array:
    """Each vector with length 1, in double precision; one without length stays as it is."""
    wide = vectors.astype(float)
    length = np.linalg.norm(wide, axis=1, keepdims=True)
    return wide / np.where(length > 0, length, 1)


def _mean(values: Array, weight: Array | None) -> float:
    return float(values.mean()) if weight is None else float(values @ weight) / float(weight.sum())


def idf_weights(references: Sequence[Sequence[int]]) -> dict[int, float]:
    """The weight of each token: ln((N + 1) / (number of the N references that have it + 1)).

    >>> weights = idf_weights([[1, 2, 2], [1]])
    >>> weights[1], round(weights[2], 4)
    (0.0, 0.4055)
    """
    texts = Counter(token for tokens in references for token in set(tokens))
    return {token: log((len(references) + 1) / (count + 1)) for token, count in texts.items()}
