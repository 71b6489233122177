"""A threshold whose false positive rate is certified, and the recall it has: the point of Neyman and Pearson."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Batch
from heldout.errors import DataError, UsageError
from heldout.estimates import Estimate
from heldout.intervals.shares import wilson
from heldout.stats.neyman_pearson import Certified, threshold_at


@dataclass(frozen=True, kw_only=True)
class OperatingPoint:
    """The threshold with the best recall among those whose false positive rate is certified."""

    threshold: float
    """Rows with a score above it are positive."""
    max_fpr: float
    """What the false positive rate is certified not to exceed."""
    confidence: float
    """With at least this chance the certificate is right."""
    violation: float
    """Bound on the chance that the false positive rate is above `max_fpr` nevertheless."""
    recall: Estimate
    """Only negative rows chose the threshold, so Wilson's interval on the positive ones holds."""
    negatives: int
    positives: int

    @property
    def alpha(self) -> float:
        """Type I error: the certified bound on the rate of false positives, the size of the test."""
        return self.max_fpr

    @property
    def power(self) -> Estimate:
        """The chance to find a positive: recall."""
        return self.recall

    @property
    def beta(self) -> Estimate:
        """Type II error: the rate of misses, 1 - recall."""
        found = self.recall
        hits, rows = found.count or (0.0, 0.0)
        return Estimate(
            1 - found.value, low=1 - found.high, high=1 - found.low, level=found.level, method=found.method,
            units=found.units, name="fnr", better="lower", count=(rows - hits, rows),
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values."""
        return {
            "threshold": self.threshold,
            "max_fpr": self.max_fpr,
            "confidence": self.confidence,
            "violation": self.violation,
            "negatives": self.negatives,
            "positives": self.positives,
            "recall": self.recall.to_dict(),
            "beta": self.beta.to_dict(),
        }


def operating_point(batch: Batch, max_fpr: float, confidence: float) -> OperatingPoint:
    """The lowest threshold with P(false positive rate > max_fpr) <= 1 - confidence, and its recall [tong18].

    The bound counts independent rows, so rows that belong together or have weights are refused.

    >>> scores = np.concatenate([np.arange(100), np.arange(50, 150)])
    >>> rows = {"truth": np.repeat([0, 1], 100), "score": scores, "labels": (0, 1), "positive": 1}
    >>> found = operating_point(Batch(task="binary", **rows), 0.1, 0.95)
    >>> found.threshold, found.recall
    (95.0, 0.540 [0.443, 0.634])
    """
    certifiable(batch, max_fpr, rows=batch.rows, units=batch.units, weighted=batch.weight is not None)
    assert batch.score is not None
    positive = batch.truth == batch.positive
    scores = batch.score[~positive], batch.score[positive]
    found = threshold_at(scores[0], max_fpr, confidence)
    hits = 0 if found.threshold is None else int(np.count_nonzero(scores[1] > found.threshold))
    return point_of(found, hits, len(scores[1]), len(scores[0]), max_fpr=max_fpr, confidence=confidence)


def point_of(
    found: Certified, hits: int, rows: int, negatives: int, *, max_fpr: float, confidence: float
) -> OperatingPoint:
    """The point of a threshold that finds so many `hits` among so many positive `rows`."""
    if found.threshold is None:
        fix = "give more negative rows, or allow a higher rate or a lower confidence"
        raise DataError(found.reason, code="H310", fix=fix)
    if not rows:
        fix = "give rows of both classes"
        raise DataError("no row is positive, so a threshold has no recall", code="H104", fix=fix)
    low, high = wilson(hits, rows, confidence)
    return OperatingPoint(
        threshold=found.threshold, max_fpr=float(max_fpr), confidence=confidence, violation=found.violation,
        negatives=negatives, positives=rows,
        recall=Estimate(
            hits / rows, low=low, high=high, level=confidence, method="Wilson", units=rows, name="recall",
            better="higher", count=(hits, rows), printed=True,
        ),
    )  # fmt: skip


def certifiable(batch: Batch, max_fpr: float, *, rows: int, units: int, weighted: bool) -> None:
    """Refuse rows for which the bound does not hold."""
    if not 0 < max_fpr < 1:
        raise UsageError(f"max_fpr is {max_fpr:g}, but must lie between 0 and 1", fix="for 5% write 0.05")
    if batch.task != "binary":
        raise UsageError(f"max_fpr is about two classes, not about {batch.task} data", fix="leave out max_fpr")
    if batch.score is None:
        fix = "give a score column, or leave out max_fpr"
        raise DataError("max_fpr needs scores to choose a threshold among", code="H106", fix=fix)
    if units != rows:
        fix = "give one row per group, or leave out max_fpr"
        message = f"max_fpr is certified by counting independent rows, but {rows} rows are {units} groups"
        raise UsageError(message, fix=fix)
    if weighted:
        fix = "leave out the weights or max_fpr"
        raise UsageError("max_fpr is certified by counting rows, but they have weights", fix=fix)
