"""A threshold whose false positive rate is certified, from scores of negative rows that trained nothing."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from math import ceil, log

import numpy as np

from heldout.batch import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Certified:
    """A threshold, and the bound on the chance that its false positive rate is above what was asked."""

    threshold: float | None
    """Rows with a score above it are positive; None where the rows cannot certify any."""
    rank: int | None
    """The threshold is the negatives' score of this rank, 1 the lowest."""
    violation: float
    """Bound on P(false positive rate > alpha); 1 without a threshold."""
    reason: str = ""
    """Why there is no threshold."""


def threshold_at(negative_scores: Array, alpha: float, confidence: float) -> Certified:
    """The lowest threshold with P(FPR > alpha) <= 1 - confidence, so the one with the best recall [tong18].

    It is the k-th lowest negative score, k the least rank with P(X >= k) <= 1 - confidence, X binomial(n, 1 - alpha).
    Tied scores only make it safer.

    >>> found = threshold_at(np.arange(100), 0.1, 0.95)
    >>> found.threshold, found.rank, round(found.violation, 4)
    (95.0, 96, 0.0237)
    >>> threshold_at(np.arange(20), 0.1, 0.95).reason
    'a false positive rate of 0.1 cannot be certified with confidence 0.95 from 20 negative rows: it takes 29'
    """
    scores = np.asarray(negative_scores, float)
    found = certified_rank(len(scores), alpha, confidence)
    if found.rank is None:
        return found
    return replace(found, threshold=float(np.partition(scores, found.rank - 1)[found.rank - 1]))


def certified_rank(negatives: int, alpha: float, confidence: float) -> Certified:
    """The rank of the threshold among so many scores of negative rows; the threshold itself is left to the caller.

    >>> certified_rank(100, 0.1, 0.95).rank
    96
    """
    from scipy.special import bdtrc

    def violation(rank: int) -> float:
        return float(bdtrc(rank - 1, negatives, 1 - alpha))

    # 1 - 0.95 is a little more than 0.05; a bound that is met exactly may miss by as much.
    allowed = (1 - confidence) * (1 + 1e-12)
    rank = 1 + bisect_left(range(1, negatives + 1), True, key=lambda rank: violation(rank) <= allowed)
    if rank > negatives:
        needed = ceil(log(1 - confidence) / log(1 - alpha))
        reason = (
            f"a false positive rate of {alpha:g} cannot be certified with confidence {confidence:g}"
            f" from {negatives} negative rows: it takes {needed}"
        )
        return Certified(threshold=None, rank=None, violation=1.0, reason=reason)
    return Certified(threshold=None, rank=rank, violation=violation(rank))
