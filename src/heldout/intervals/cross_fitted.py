"""The cost of decisions at a threshold that was chosen on data: chosen on the other folds, paid on this one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.intervals.over_splits import folds_in, losses_in


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossFitted:
    """What every row costs at the threshold that the other folds chose; `holdout` gives the mean with its interval."""

    costs: Array
    thresholds: Array
    """One per fold, in the order of the folds' names; rows with this score or more are called positive."""
    threshold: float
    """The one that all rows choose."""
    apparent: float
    """Mean cost at it, on the rows that chose it: optimistic."""


def cross_fitted(scores: Any, positive: Any, folds: Any, *, fp: float, fn: float) -> CrossFitted:
    """Per row, its cost at the threshold of least mean cost on the other folds: fn if missed, fp if a false alarm.

    About the rule of choosing a threshold from so many rows, given these scores. Rows of one unit must share a fold.
    Among thresholds that cost the same the highest is taken; an infinite one calls no row positive.

    >>> found = cross_fitted([0.1, 0.4, 0.6, 0.9], [False, True, False, True], [0, 1, 0, 1], fp=1, fn=5)
    >>> found.costs.tolist(), found.thresholds.tolist(), found.apparent
    ([0.0, 5.0, 1.0, 5.0], [0.4, inf], 0.25)
    """
    given, hits = losses_in(scores, "the scores"), np.asarray(positive)
    if hits.shape != given.shape or hits.dtype != bool:
        message = f"{len(given)} scores have {hits.size} marks of being positive, of type {hits.dtype}"
        raise DataError(message, code="H112", fix="mark every row True or False")
    for name, price in (("fp", fp), ("fn", fn)):
        if not 0 < price < float("inf"):
            raise UsageError(f"{name} is {price:g}, which is no cost of an error", fix="give a positive number")
    names, place, _ = folds_in(folds, len(given))
    order = np.argsort(-given, kind="stable")  # once: without a fold the others keep their order
    ranked, positives, folds_ranked = given[order], hits[order], place[order]
    others = (folds_ranked != fold for fold in range(len(names)))
    thresholds = np.array([_cheapest(ranked[kept], positives[kept], fp, fn) for kept in others])
    whole = _cheapest(ranked, positives, fp, fn)
    return CrossFitted(
        costs=_paid(given, hits, thresholds[place], fp, fn), thresholds=thresholds, threshold=whole,
        apparent=float(_paid(given, hits, np.full(len(given), whole), fp, fn).mean()),
    )  # fmt: skip


def _paid(scores: Array, hits: Array, thresholds: Array, fp: float, fn: float) -> Array:
    called = scores >= thresholds
    return np.where(hits & ~called, fn, 0.0) + np.where(~hits & called, fp, 0.0)


def _cheapest(ranked: Array, positives: Array, fp: float, fn: float) -> float:
    """The threshold of least cost among the scores (from the highest down) and infinity; the highest of equals."""
    last = np.append(ranked[1:] != ranked[:-1], True)
    costs = fn * (positives.sum() - np.cumsum(positives)) + fp * np.cumsum(~positives)
    costs, values = np.append(fn * positives.sum(), costs[last]), np.append(np.inf, ranked[last])
    return float(values[np.argmin(costs)])
