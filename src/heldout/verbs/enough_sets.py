"""Whether data sets are enough for a test of learners to reject at all, and what is odd about a pair."""

from __future__ import annotations

from itertools import count

import numpy as np

from heldout.batch import Array
from heldout.comparisons.many_sets import bonferroni_dunn, nemenyi
from heldout.inputs import Check

ROUGH = 10
"""Average ranks over fewer data sets than this are not yet normal."""


def too_few(sets: int, learners: int, pairs: int, post_hoc: str, level: float) -> tuple[Check, ...]:
    """A word where no scores whatsoever could be told apart, or where ranks are too few to be normal."""
    alpha = round(1 - level, 12)
    if post_hoc == "holm":
        fewest = fewest_sets(pairs, alpha)
        if sets >= fewest:
            return ()
        corrected = f" after Holm's correction for {pairs} pairs" if pairs > 1 else ""
        text = f"Wilcoxon's test{corrected} can never reject at {100 * alpha:.6g}%; it takes {fewest} or more"
        return (Check(code="H304", text=f"{sets} data sets are too few: {text}"),)
    reach = nemenyi(learners, sets, alpha) if post_hoc == "nemenyi" else bonferroni_dunn(learners, sets, alpha)
    if reach >= learners - 1:
        text = f"average ranks would have to be {reach:.3g} apart, and {learners - 1} is the most they can be"
        return (Check(code="H304", text=f"{sets} data sets are too few to reject at {100 * alpha:.6g}%: {text}"),)
    if sets < ROUGH:
        text = f"average ranks over {sets} data sets are only roughly normal; holm counts exactly"
        return (Check(code="H310", text=text),)
    return ()


def fewest_sets(pairs: int, alpha: float) -> int:
    """The fewest data sets n with pairs x 2^(1 - n) < alpha: the least p-value that Holm holds against the level.

    >>> fewest_sets(1, 0.05), fewest_sets(6, 0.05)
    (6, 8)
    """
    return next(n for n in count(1) if pairs * 2.0 ** (1 - n) < alpha)


def pair_notes(d: Array, interval: tuple[float, float], p: float, level: float, *, wilcoxon: bool) -> tuple[str, ...]:
    """What a reader must know of one pair's differences."""
    moved = int(np.count_nonzero(d))
    if not moved:
        return ("equal on every data set",)
    low, high = interval
    said = []
    if not np.isfinite(low):
        said.append(f"{len(d)} data sets are too few for an interval with ends at this level")
    elif wilcoxon and 2.0 ** (1 - moved) >= 1 - level:
        said.append(f"the scores differ on {moved} data sets only: the test can never reject")
    elif wilcoxon and (not low <= 0 <= high) != (p < 1 - level):
        said.append("the interval and the p-value disagree by a hair; the p-value decides")
    return tuple(said)
