"""A threshold whose false positive rate is certified, from scores of negative rows that trained nothing."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from math import ceil, inf, log, log1p
from typing import Any

import numpy as np

from heldout.batch import Array

MOST_ROWS = 1e15
"""More rows than any data has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certified:
    """A threshold, and the bound on the chance that its false positive rate is above what was asked."""

    threshold: float | None
    """Rows with a score at or above it are positive; None where the rows cannot certify any."""
    rank: int | None
    """The threshold is the next number above the negatives' score of this rank, 1 the lowest."""
    violation: float
    """Bound on P(false positive rate > max_fpr); 1 without a threshold."""
    reason: str = ""
    """Why there is no threshold."""


def threshold_at(negative_scores: Array, max_fpr: float, confidence_level: float = 0.95) -> Certified:
    """The lowest threshold whose false positive rate is certified to be at most `max_fpr`.

    It is the next number above the k-th lowest negative score, k the least rank with P(X >= k) <= 1 -
    confidence_level, X binomial(n, 1 - max_fpr). What is certified is that score's own rank, so rows that tie with it
    are negative: `score >= threshold` keeps the promise, rounded scores or not. Among the certified thresholds it has
    the best recall.

    Parameters
    ----------
    negative_scores : array-like of float
        Scores of negative rows that were not used to train or choose the model.
    max_fpr : float
        The highest false positive rate allowed, between 0 and 1.
    confidence_level : float, default 0.95
        The chance that the false positive rate is above `max_fpr` is at most 1 - confidence_level.

    Returns
    -------
    Certified
        The `threshold` (rows with a score at or above it are positive), its `rank` among the negative scores and the
        bound `violation`; where there are too few rows the threshold is None and `reason` says how many it takes.

    References
    ----------
    X. Tong, Y. Feng, J. J. Li (2018). Neyman-Pearson classification algorithms and NP receiver operating
    characteristics. Science Advances 4(2), eaao1659. [tong18]

    Examples
    --------
    >>> import numpy as np
    >>> certified = threshold_at(np.arange(100), 0.1)
    >>> certified.threshold, certified.rank, round(certified.violation, 4)
    (95.00000000000001, 96, 0.0237)
    >>> threshold_at(np.arange(20), 0.1).reason
    'a false positive rate of 0.1 cannot be certified with confidence 0.95 from 20 negative rows: it takes 29'
    """
    scores = np.asarray(negative_scores)
    found = certified_rank(len(scores), max_fpr, confidence_level)
    if found.rank is None:
        return found
    return replace(found, threshold=next_above(np.partition(scores, found.rank - 1)[found.rank - 1]))


def next_above(score: Any) -> float:
    """The least number of the score's own precision above it: no row that ties with the score reaches it.

    >>> next_above(0.9), next_above(np.float32(0.5)), next_above(3)
    (0.9000000000000001, 0.5000000596046448, 3.0000000000000004)
    """
    number = np.asarray(score)
    precise = number if np.issubdtype(number.dtype, np.floating) else number.astype(float)
    return float(np.nextafter(precise, np.inf))


def certified_rank(negatives: int, max_fpr: float, confidence_level: float) -> Certified:
    """The rank of the threshold among so many scores of negative rows; the threshold itself is left to the caller.

    >>> certified_rank(100, 0.1, 0.95).rank
    96
    """
    from scipy.special import bdtrc

    def violation(rank: int) -> float:
        return float(bdtrc(rank - 1, negatives, 1 - max_fpr))

    # 1 - 0.95 is a little more than 0.05; a bound that is met exactly may miss by as much.
    allowed = (1 - confidence_level) * (1 + 1e-12)
    rank = 1 + bisect_left(range(1, negatives + 1), True, key=lambda rank: violation(rank) <= allowed)
    if rank > negatives:
        needed = log(1 - confidence_level) / log1p(-max_fpr) if max_fpr > 0 else inf
        takes = str(ceil(needed)) if needed < MOST_ROWS else "more than any data has"
        reason = (
            f"a false positive rate of {max_fpr:g} cannot be certified with confidence {confidence_level:g}"
            f" from {negatives} negative rows: it takes {takes}"
        )
        return Certified(threshold=None, rank=None, violation=1.0, reason=reason)
    return Certified(threshold=None, rank=rank, violation=violation(rank))
