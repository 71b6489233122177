"""Between which values a metric of the order of scores lies, whatever the order of the rows that share a place.

Scores that were counted by place on a grid are known only up to their place: rows at different places are in the right
order, rows at one place may be in any order, tied or not. Each function takes positive and negative rows by place,
rising (whole numbers are counts, others are weights) and gives two numbers between which the value lies in every such
order. What they rest on: a border between two places is a threshold of the rows as well, so that the ROC curve of the
rows goes through every point of the curve of the places; from one such point to the next it rises, and nothing else is
known of it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from heldout.batch import Array
from heldout.formulas import ranking

Ends = tuple[float, float]
Within = Callable[..., Ends]


def roc_auc_within(positives: Array, negatives: Array) -> Ends:
    """AUC ± sum of p n / (2 P N): a pair at one place counts half, and may turn out to count 0 or 1.

    >>> roc_auc_within(np.array([1.0, 1.0]), np.array([2.0, 0.0]))
    (0.5, 1.0)
    """
    positives, negatives = positives.astype(float), negatives.astype(float)  # products of counts would overflow
    middle = float(ranking.roc_auc(positives, negatives))
    undecided = float(positives @ negatives) / (2 * float(positives.sum()) * float(negatives.sum()))
    return middle - undecided, middle + undecided


def gini_within(positives: Array, negatives: Array) -> Ends:
    """Twice what the area allows, minus one."""
    low, high = roc_auc_within(positives, negatives)
    return 2 * low - 1, 2 * high - 1


def average_precision_within(positives: Array, negatives: Array) -> Ends:
    """Precision at each positive, with the negatives of its place all before it, or all behind it.

    Let F and N be the positives and negatives above a place that has p and n. A positive of the place has above it, and
    at its own score, x of the place's positives and y of its negatives: its precision is (F + x) / (F + x + N + y).
    That rises with x <= p and falls with y: it is at most (F + p) / (F + p + N), which is reached where all positives
    are tied before all negatives. It is at least (F + x) / (F + x + B) = 1 - B / (F + B + x), where B = N + n, and that
    is least where no two positives are tied. Of p rows x is then 1, 2, ..., p, and because 1 / x is convex the sum of
    1 / (F + B + x) is at most the integral from 1/2 to p + 1/2. Of weights, which may be as small as they like, the sum
    of w / (F + B + x), with x up to and including w, is at most the integral from 0 to p.

    >>> low, high = average_precision_within(np.array([1, 1]), np.array([2, 0]))
    >>> round(low, 3), round(high, 3)  # with both negatives between the positives (1 + 2/4) / 2
    (0.749, 1.0)
    """
    some = positives > 0
    p, n, found, wrong = (part[some] for part in (positives, negatives, _above(positives), _above(negatives)))
    best = p * (found + p) / (found + p + wrong)
    behind = wrong + n
    first = found + behind + (0.5 if positives.dtype.kind in "iu" else 0.0)
    worst = p - behind * np.log1p(p / np.where(first > 0, first, 1.0))
    total = float(p.sum())
    return float(worst.sum()) / total, float(best.sum()) / total


def ks_within(positives: Array, negatives: Array) -> Ends:
    """No less than at the borders of places, no more than with the positives of a place before its negatives.

    A border between places is a threshold of the rows as well. Inside a place the distance between recall and false
    positive rate is largest after all of its positives and none of its negatives.

    >>> ks_within(np.array([1.0, 1.0]), np.array([2.0, 0.0]))
    (0.5, 1.0)
    """
    low = float(ranking.ks(positives.astype(float), negatives.astype(float)))
    reached = (_above(positives) + positives) / positives.sum() - _above(negatives) / negatives.sum()
    return low, max(low, float(reached.max(initial=0.0)))


def eer_within(positives: Array, negatives: Array) -> Ends:
    """Missed positives rise and false alarms fall from one border of the place where they meet to the other.

    The rate at which they are equal lies between the missed positives at both borders, and between the false alarms.

    >>> eer_within(np.array([1.0, 1.0]), np.array([2.0, 0.0]))
    (0.0, 0.5)
    """
    missed = np.concatenate([[0.0], np.cumsum(positives)]) / positives.sum()
    alarms = 1 - np.concatenate([[0.0], np.cumsum(negatives)]) / negatives.sum()
    after = int(np.argmax(missed >= alarms))
    before = max(after - 1, 0)
    low, high = max(missed[before], alarms[after]), min(missed[after], alarms[before])
    return float(min(low, high)), float(max(low, high))


def gain_within(depth: float, scale: float = 1.0) -> Within:
    """Of the rows at the place of the cut, as few positives are taken as its negatives allow, or as many as there are.

    If w is still to be taken of a place that has p and n, no less than w - n and no more than w of it is positive.
    """

    def within(positives: Array, negatives: Array) -> Ends:
        found, taken = _above(positives), _above(positives + negatives)
        total = float(positives.sum() + negatives.sum())
        cut = int(np.argmax(taken <= depth * total))  # the lowest place that is reached
        left = np.clip(depth * total - taken[cut], 0, positives[cut] + negatives[cut])
        least = max(0.0, float(left - negatives[cut]))
        most = min(float(positives[cut]), float(left))
        whole = float(positives.sum())
        return float(found[cut] + least) / whole * scale, float(found[cut] + most) / whole * scale

    return within


def partial_auc_within(low: float, high: float, *, standardized: bool = False) -> Within:
    """The curve of the rows is nowhere below the recall before its place, nowhere above the recall after it."""

    def within(positives: Array, negatives: Array) -> Ends:
        right = _above(negatives) + negatives
        left, total = right - negatives, float(negatives.sum())
        width = np.clip(right / total, low, high) - np.clip(left / total, low, high)
        recall = _above(positives) / positives.sum()
        after = recall + positives / positives.sum()
        ends = float(width @ recall), float(width @ after)
        if standardized:
            guessing, best = (high**2 - low**2) / 2, high - low
            ends = tuple((1 + (end - guessing) / (best - guessing)) / 2 for end in ends)  # type: ignore[assignment]
        return ends

    return within


def _above(sums: Array) -> Array:
    """Sums of all higher places."""
    return np.append(np.cumsum(sums[::-1], dtype=float)[-2::-1], 0.0)
