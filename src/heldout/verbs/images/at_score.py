"""Right, wrong and missed detections at one score and one overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.boxes.matching import HIT, IGNORED, Matches
from heldout.estimates import Estimate
from heldout.estimates.interval_choice import estimate
from heldout.formulas import METRICS
from heldout.tallies.units import Units
from heldout.verbs.settings import Settings

FIGURES = ("precision", "recall", "f1")


@dataclass(frozen=True, kw_only=True)
class AtScore:
    """What a detector does if only detections from a score on count."""

    score: float
    iou: float
    tp: int
    fp: int
    fn: int
    estimates: dict[str, Estimate]

    def to_dict(self) -> dict[str, Any]:
        counts = {name: getattr(self, name) for name in ("score", "iou", "tp", "fp", "fn")}
        return {**counts, "estimates": {name: one.to_dict() for name, one in self.estimates.items()}}


def at_score(m: Matches, score: float, asked: Settings, iou: float = 0.5) -> AtScore:
    """TP, FP and FN over all classes, with precision, recall and F1; an image is a unit."""
    tp, fp, fn = counted(m, score, int(np.argmin(np.abs(m.thresholds - iou))))
    columns = {"tp": tp[:, None], "fp": fp[:, None], "fn": fn[:, None]}
    tally = Units(columns, {name: column.sum(axis=0) for name, column in columns.items()}, clustered=True)
    found = {
        name: estimate(METRICS[name], tally, label=0, level=asked.level, draws=asked.draws, seed=asked.seed)
        for name in FIGURES
    }
    return AtScore(score=score, iou=iou, tp=int(tp.sum()), fp=int(fp.sum()), fn=int(fn.sum()), estimates=found)


def counted(m: Matches, score: float, threshold: int) -> tuple[Array, Array, Array]:
    """Right, wrong and missed detections of each image; what found a crowd is neither."""
    kept = m.score >= score
    outcome = m.outcome[:, 0, threshold]
    tp = np.bincount(m.image[m.at[(outcome == HIT) & kept[m.at]]], minlength=m.images)
    ignored = np.bincount(m.image[m.at[(outcome == IGNORED) & kept[m.at]]], minlength=m.images)
    said = np.bincount(m.image[kept], minlength=m.images)
    objects = np.bincount(m.truth_image[m.counted[:, 0]], minlength=m.images)
    return tp.astype(float), (said - ignored - tp).astype(float), (objects - tp).astype(float)
