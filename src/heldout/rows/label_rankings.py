"""What a row adds that ranks its own labels or documents: one row of scores is one ranking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heldout.batch import Array, Batch
from heldout.rows import score_of


@dataclass(frozen=True, kw_only=True, eq=False)
class RankedLabels:
    """The labels of each row by falling score; labels of equal score form a run."""

    relevant: Array
    """The truth in that order."""
    first: Array
    """Where the run of each label begins."""
    last: Array
    """Where it ends."""

    @property
    def above(self) -> Array:
        """Relevant labels at or above the end of each label's run."""
        return np.take_along_axis(np.cumsum(self.relevant, axis=1), self.last, axis=1)

    @property
    def strictly_above(self) -> Array:
        """Relevant labels before the beginning of each label's run."""
        until = np.cumsum(self.relevant, axis=1) - self.relevant
        return np.take_along_axis(until, self.first, axis=1)

    @property
    def sizes(self) -> Array:
        """How many labels of each row are relevant."""
        return self.relevant.sum(axis=1)


def _ranked_labels(batch: Batch) -> RankedLabels:
    score = score_of(batch)
    order = np.argsort(-score, axis=1, kind="stable")
    ranked = np.take_along_axis(score, order, axis=1)
    at = np.broadcast_to(np.arange(score.shape[1]), score.shape)
    differs = ranked[:, 1:] != ranked[:, :-1]
    edge = np.ones((len(score), 1), dtype=bool)
    first = np.maximum.accumulate(np.where(np.hstack([edge, differs]), at, 0), axis=1)
    ends = np.where(np.hstack([differs, edge]), at, score.shape[1])
    last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    relevant = np.take_along_axis(batch.truth, order, axis=1).astype(float)
    return RankedLabels(relevant=relevant, first=first, last=last)


def label_precisions(batch: Batch) -> Array:
    """Precision at each relevant label, averaged over the relevant labels of the row; 1 where none or all are."""
    ranked = _ranked_labels(batch)
    none_or_all = (ranked.sizes == 0) | (ranked.sizes == ranked.relevant.shape[1])
    return np.where(none_or_all, 1.0, _average_precisions(ranked))


def row_average_precisions(batch: Batch) -> Array:
    """Average precision of the labels of each row; 0, and not counted, where no label is relevant."""
    return _average_precisions(_ranked_labels(batch))


def _average_precisions(ranked: RankedLabels) -> Array:
    precision = ranked.above / (ranked.last + 1)
    return (precision * ranked.relevant).sum(axis=1) / np.maximum(ranked.sizes, 1)


def row_has_relevant(batch: Batch) -> Array:
    """One for the rows with a relevant label."""
    return (batch.truth.sum(axis=1) > 0).astype(float)


def row_areas(batch: Batch) -> Array:
    """Area under the ROC curve of the labels of each row; 0, and not counted, where none or all are relevant."""
    ranked = _ranked_labels(batch)
    size = ranked.sizes
    worse = (ranked.last + 1) - ranked.above  # irrelevant labels at or above
    before = ranked.first - ranked.strictly_above
    wrong = (ranked.relevant * (worse + before) / 2).sum(axis=1)
    pairs = size * (ranked.relevant.shape[1] - size)
    return np.where(pairs > 0, 1 - wrong / np.maximum(pairs, 1), 0.0)


def row_has_both(batch: Batch) -> Array:
    """One for the rows with a relevant and an irrelevant label."""
    size = batch.truth.sum(axis=1)
    return ((size > 0) & (size < batch.truth.shape[1])).astype(float)


def label_coverages(batch: Batch) -> Array:
    """How many labels must be taken by falling score until all relevant ones are among them; 0 where there is none."""
    score = score_of(batch)
    lowest = np.where(batch.truth > 0, score, np.inf).min(axis=1, keepdims=True)
    return (score >= lowest).sum(axis=1).astype(float)


def label_misorderings(batch: Batch) -> Array:
    """Share of pairs of a relevant and an irrelevant label in which the latter scores as high; 0 without a pair."""
    ranked = _ranked_labels(batch)
    size = ranked.sizes
    wrong = (ranked.relevant * ((ranked.last + 1) - ranked.above)).sum(axis=1)
    return wrong / np.maximum(size * (ranked.relevant.shape[1] - size), 1)


def discounted_gains(batch: Batch, k: int | None = None, log_base: float = 2, *, ties: bool = True) -> Array:
    """Relevance by falling score, discounted by the logarithm of the rank; labels of equal score share their ranks."""
    discount = _discounts(batch.truth.shape[1], k, log_base)
    if not ties:
        order = np.argsort(score_of(batch))[:, ::-1]
        return np.asarray(np.take_along_axis(batch.truth, order, axis=1) @ discount)
    ranked = _ranked_labels(batch)
    reached = np.concatenate([[0.0], np.cumsum(discount)])
    shared = (reached[ranked.last + 1] - reached[ranked.first]) / (ranked.last + 1 - ranked.first)
    return (ranked.relevant * shared).sum(axis=1)


def normalized_gains(batch: Batch, k: int | None = None, *, ties: bool = True) -> Array:
    """The discounted gain as a share of the best possible one; 0 where no label is relevant [jarvelin02]."""
    best = -np.sort(-batch.truth.astype(float), axis=1) @ _discounts(batch.truth.shape[1], k, 2)
    gain = discounted_gains(batch, k, ties=ties)
    return np.where(best == 0, 0.0, gain / np.where(best == 0, 1.0, best))


def _discounts(labels: int, k: int | None, log_base: float) -> Array:
    discount = np.log(log_base) / np.log(np.arange(labels) + 2)
    discount[labels if k is None else k :] = 0.0
    return discount
