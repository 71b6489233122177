"""Thresholds that are fixed before the rows are seen: a given one, and one with a certified false positive rate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Batch, Label
from heldout.curves.threshold_table import Thresholds
from heldout.errors import DataError, UsageError
from heldout.estimates import Estimate
from heldout.file_writing import write_file
from heldout.inputs import Check
from heldout.inputs.columns.number_parsing import as_float
from heldout.inputs.formats.delimited_text import decoded
from heldout.inputs.formats.files import read_bytes
from heldout.intervals.shares import wilson
from heldout.stats.neyman_pearson import Certified, threshold_at
from heldout.verbs.evaluate.chosen_rows import chosen_rows, is_chosen_rows, overlap
from heldout.version import __version__

SCHEMA = "heldout.threshold/1"
FROZEN = "freeze a threshold in a report that heldout wrote with --report"


@dataclass(frozen=True, kw_only=True)
class FrozenThreshold:
    """A threshold, the class it is about, and a hash of the rows it was chosen on."""

    threshold: float
    positive: Label | None
    name: str
    """The file it was read from."""
    chosen_on: Mapping[str, Any] | None = None
    """Hashes of the rows that chose it, by which they are recognised in any order and in part."""


def frozen_threshold(source: str | Path | Mapping[str, Any], threshold: float | None = None) -> FrozenThreshold:
    """What the explorer of a page froze, from its file or from the dictionary that the file holds.

    >>> frozen_threshold({"schema": "heldout.threshold/1", "threshold": 0.2, "positive": 1}).threshold
    0.2
    """
    if threshold is not None:
        raise UsageError("threshold and threshold_from exclude each other", fix="leave one of them out")
    name = "threshold_from" if isinstance(source, Mapping) else str(source)
    d = source if isinstance(source, Mapping) else _read(Path(source))
    value = d.get("threshold") if isinstance(d, Mapping) and d.get("schema") == SCHEMA else None
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(as_float(value)):
        raise UsageError(f"{name} holds no frozen threshold ({SCHEMA})", fix=FROZEN)
    positive = d.get("positive")
    if not isinstance(positive, str | int | float | None):
        raise UsageError(f"{name} does not say which class its threshold is about", fix=FROZEN)
    chosen_on = d.get("chosen_on")
    if chosen_on is not None and not is_chosen_rows(chosen_on):
        raise UsageError(f"{name} does not say which rows chose its threshold: chosen_on is damaged", fix=FROZEN)
    return FrozenThreshold(threshold=float(value), positive=positive, name=name, chosen_on=chosen_on)


def _read(path: Path) -> Any:
    from heldout.inputs.formats.json_text import json_value

    _, place, data = read_bytes(path)
    return json_value(decoded(data, "utf-8", place), place, fix=FROZEN)


def write_frozen(path: str | Path, table: Thresholds, threshold: float, batch: Batch, source: str | None) -> Path:
    """Write what the explorer of a report writes when a threshold is frozen: heldout.threshold/1."""
    at = int(np.searchsorted(table.until, threshold))
    share = table.positives / (table.positives + table.negatives)
    ends = (
        _reached(float(recall[at]), float(specificity[at]), share)
        for recall, specificity in (
            (table.recall, table.specificity),
            (table.recall_low, table.specificity_low),
            (table.recall_high, table.specificity_high),
        )
    )
    value, low, high = ends
    frozen = {
        "schema": SCHEMA,
        "heldout": __version__,
        "threshold": float(threshold),
        "positive": None if batch.positive is None else batch.labels[batch.positive],
        "rule": {"kind": "hand"},
        "chosen_on": chosen_rows(batch),
        "source": source,
        "level": table.level,
        "prevalence": share,
        "metrics": {name: {"value": value[name], "low": low[name], "high": high[name]} for name in value},
        "when": datetime.now(UTC).isoformat(),
    }
    return write_file(path, json.dumps(frozen, indent=2, allow_nan=False) + "\n")


def _reached(recall: float, specificity: float, prevalence: float) -> dict[str, float | None]:
    """What follows from recall and specificity at a prevalence; all of it grows with both, so bands carry over."""
    hits, rejected = prevalence * recall, (1 - prevalence) * specificity
    alarms, misses = (1 - prevalence) - rejected, prevalence - hits
    return {
        "recall": recall,
        "specificity": specificity,
        "precision": hits / (hits + alarms) if hits + alarms > 0 else None,
        "npv": rejected / (rejected + misses) if rejected + misses > 0 else None,
        "accuracy": hits + rejected,
    }


def judged_elsewhere(frozen: FrozenThreshold, batch: Batch, *, allow_overlap: bool) -> tuple[Check, ...]:
    """Refuse a threshold on the rows that chose it, or flag it where that is allowed; refuse another positive class."""
    about_this_class(frozen, batch)
    shared = None if frozen.chosen_on is None else overlap(frozen.chosen_on, batch)
    if shared is None:
        return ()
    if not allow_overlap:
        message = f"the threshold {frozen.threshold:g} of {frozen.name} was chosen on {shared}"
        fix = "judge it on other rows, or pass --allow-overlap (allow_overlap=True) for a result that is flagged"
        raise DataError(message, code="H302", fix=fix)
    text = f"the threshold {frozen.threshold:g} was chosen on {shared}: what it reaches here is optimistic"
    return (Check(code="H302", text=text),)


def about_this_class(frozen: FrozenThreshold, batch: Batch) -> None:
    """Refuse a threshold that is about another class than the positive one."""
    positive = None if batch.positive is None else batch.labels[batch.positive]
    if batch.task != "binary":
        raise UsageError(f"a frozen threshold is about two classes, not about {batch.task} data", fix="leave it out")
    if frozen.positive is not None and str(frozen.positive) != str(positive):
        fix = f"pass --positive {frozen.positive} (pos_label={frozen.positive!r})"
        raise UsageError(f"{frozen.name} is about the class {frozen.positive!r}, but {positive!r} is positive", fix=fix)


@dataclass(frozen=True, kw_only=True)
class OperatingPoint:
    """The threshold with the best recall among those whose false positive rate is certified."""

    threshold: float
    """Rows with a score at or above it are positive: what `threshold=` means, too."""
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

    The bound counts independent rows, so clustered or weighted rows are an error.

    >>> scores = np.concatenate([np.arange(100), np.arange(50, 150)])
    >>> rows = {"truth": np.repeat([0, 1], 100), "score": scores, "labels": (0, 1), "positive": 1}
    >>> found = operating_point(Batch(task="binary", **rows), 0.1, 0.95)
    >>> found.threshold, found.recall
    (95.00000000000001, 0.540 [0.443, 0.634])
    """
    certifiable(batch, max_fpr, rows=batch.rows, units=batch.units, weighted=batch.weight is not None)
    assert batch.score is not None
    positive = batch.truth == batch.positive
    scores = batch.score[~positive], batch.score[positive]
    found = threshold_at(scores[0], max_fpr, confidence)
    hits = 0 if found.threshold is None else int(np.count_nonzero(scores[1] >= found.threshold))
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
