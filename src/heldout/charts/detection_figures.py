"""Precision against recall of detections: class by class, overlap by overlap, or detector by detector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.boxes.average_precision import counted_objects, curve
from heldout.boxes.matching import Matches
from heldout.charts.curve_lines import CurveLines, Meaning, thinned_curve
from heldout.charts.figure import Columns, Estimated, Figure, number_or_nan, percent, told
from heldout.curves.bands import Curve
from heldout.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class OverlapSteps(Figure):
    """The mean average precision of one or several detectors at every IoU threshold, with intervals.

    >>> one = {"value": 0.6, "low": 0.5, "high": 0.7}
    >>> OverlapSteps(steps={"old": {"0.50": one}}).alt
    'Average precision by overlap, with 95% intervals. old: 0.600 [0.500, 0.700] at IoU 0.50.'
    """

    steps: Mapping[str, Mapping[str, Estimated]]
    """By detector, then by IoU threshold."""
    level: float = 0.95

    @property
    def kind(self) -> str:
        return "by_iou"

    @property
    def title(self) -> str:
        return "Average precision by overlap"

    @property
    def caption(self) -> str:
        return (
            "AP, mean over classes, by the IoU threshold of a match. "
            f"Band: {percent(self.level)} interval at each IoU alone."
        )

    @property
    def alt(self) -> str:
        said = [
            f"{name}: " + ", ".join(f"{told(e)} at IoU {step}" for step, e in found.items())
            for name, found in self.steps.items()
        ]
        return f"{self.title}, with {percent(self.level)} intervals. {'; '.join(said)}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`steps`: model, iou, value, low, high."""
        lines = [(name, step, e) for name, found in self.steps.items() for step, e in found.items()]
        return {
            "steps": {
                "model": [name for name, _, _ in lines],
                "iou": [float(step) for _, step, _ in lines],
                **{end: [number_or_nan(e[end]) for _, _, e in lines] for end in ("value", "low", "high")},
            }
        }


def overlap_steps(d: Mapping[str, Any]) -> OverlapSteps:
    """Average precision by IoU threshold (the `to_dict()` of detections); Pascal VOC has one threshold and no steps."""
    found = {
        name: {step: e for step, e in steps.items() if e["value"] is not None} for name, steps in d["by_iou"].items()
    }
    known = {name: steps for name, steps in found.items() if steps}
    if not known:
        raise UsageError("the by_iou chart needs several IoU thresholds", fix="match with rule='coco'")
    return OverlapSteps(steps=known, level=d["level"])


GRID: Array = np.linspace(0, 1, 101)
"""Recalls at which precisions of several classes are averaged: those of COCO."""
MOST_DOTS = 300
"""Detections of a ranked list that are drawn as dots; of more the line tells as much."""
MEAN = "mean"
"""The name of the mean over classes."""
MEANING = Meaning(
    title="Precision and recall",
    x="recall: share of the objects found",
    y="precision: share of the detections that are right",
)


@dataclass(frozen=True, kw_only=True)
class DetectionCurves(CurveLines):
    """Curves whose area is the average precision; one per class, IoU threshold or detector."""

    about: str = ""
    """What all curves share: the overlap, or the detector."""
    left: int = 0
    """How many classes have no curve of their own."""
    detections: Columns = field(default_factory=dict)
    """Of a ranked list: threshold, x and y after each detection, which are drawn as dots."""

    @property
    def meaning(self) -> Meaning:
        return MEANING

    @property
    def title(self) -> str:
        return f"{self.meaning.title}, {self.about}" if self.about else self.meaning.title

    @property
    def names(self) -> dict[str, str]:
        """What stands beside each line, with the average precision that is its area."""
        found = super().names
        return {
            name: words.replace("area ", "AP ", 1) if name in self.areas else words for name, words in found.items()
        }

    @property
    def caption(self) -> str:
        short = any(one.points["recall"][-1] < 1 for one in self.curves.values())
        ends = " A line ends where no more objects are found." if short else ""
        left = f" Of {len(self.curves) - 1 + self.left} classes those with most objects." if self.left else ""
        areas = " AP in the legend is the area, with its interval." if self.areas else ""
        if self.detections:
            best = "Interpolated: the best precision at that recall or a higher one."
            return f"Dots: precision and recall after each detection. {best}{areas}{ends}"
        return f"Interpolated: the best precision at that recall or a higher one.{areas}{ends}{left}"

    @property
    def alt(self) -> str:
        areas = [f"{name}: AP {told(e)}" for name, e in self.areas.items()]
        said = [f"{name}: {self._walk(one)}" for name, one in self.curves.items()]
        return ". ".join(filter(None, (self.title, "; ".join(areas), "; ".join(said)))) + "."

    @property
    def parts(self) -> dict[str, Columns]:
        """`points`: model, threshold, x, y; of a ranked list also `detections`: threshold, x, y."""
        return {**super().parts, **({"detections": self.detections} if self.detections else {})}

    def _walk(self, curve: Curve) -> str:
        """The precision at a few recalls; 0 beyond the last."""
        places = [0.1, 0.5, 0.9]
        found = np.interp(places, curve.points["recall"], curve.points["precision"], right=0.0)
        return "precision " + ", ".join(
            f"{y:.2f} at {'recall ' if x == places[0] else ''}{x:g}" for x, y in zip(places, found, strict=True)
        )


def detection_curves(
    lines: Mapping[str, Curve], *, about: str, areas: Mapping[str, Estimated] | None = None, left: int = 0
) -> DetectionCurves:
    """The curves in one picture, thinned."""
    if not lines:
        raise UsageError(
            "there is no class with objects to draw a curve of",
            fix="give a truth that has objects, or leave out the chart",
        )
    return DetectionCurves(
        curve="precision_recall",
        curves={name: thinned_curve(one) for name, one in lines.items()},
        areas={name: e for name, e in (areas or {}).items() if name in lines and e["value"] is not None},
        about=about,
        left=left,
    )


def class_curve(m: Matches, kind: int, threshold: int, level: float = 0.95) -> Curve:
    """The best precision at every recall or beyond, of one class: a line of steps that ends where recall does."""
    found = curve(m, kind, threshold)
    best = np.maximum.accumulate(found.precision[::-1])[::-1]
    if not found.correct.any():
        return _curve(np.zeros(1), np.zeros(1), np.full(1, np.nan), level)
    right = found.correct  # a wrong detection moves the curve straight down, below the best that is to come
    recall = np.append(0.0, np.repeat(found.recall[right], 2)[:-1])
    return _curve(recall, np.repeat(best[right], 2), np.repeat(found.score[right], 2), level)


def ranked_curves(m: Matches, areas: Sequence[Estimated], level: float) -> DetectionCurves:
    """Precision and recall after each detection of a ranked list, and the best precision at each recall or beyond."""
    found = curve(m, 0, 0)
    plain = _curve(found.recall, found.precision, found.score, level)
    lines = {"after each detection": plain, "interpolated": class_curve(m, 0, 0, level)}
    made = detection_curves(lines, about="", areas=dict(zip(lines, areas, strict=True)))
    dots = {"threshold": found.score, "x": found.recall, "y": found.precision} if len(found.score) <= MOST_DOTS else {}
    return replace(made, detections=dots)


def mean_curve(m: Matches, threshold: int, level: float = 0.95) -> Curve:
    """The mean over the classes with objects of the best precision at 101 recalls or beyond."""
    there = np.flatnonzero(counted_objects(m)[:, 0])
    if not len(there):
        raise UsageError(
            "there is no class with objects to draw a curve of",
            fix="give a truth that has objects, or leave out the chart",
        )
    precision = np.mean([_at_grid(m, int(kind), threshold) for kind in there], axis=0)
    return _curve(GRID, precision, np.full(len(GRID), np.nan), level)


def _at_grid(m: Matches, kind: int, threshold: int) -> Array:
    found = curve(m, kind, threshold)
    best = np.maximum.accumulate(found.precision[::-1])[::-1]
    at = np.searchsorted(found.recall, GRID - 1e-12)
    return np.append(best, 0.0)[at]


def _curve(recall: Array, precision: Array, score: Array, level: float) -> Curve:
    points = {"recall": recall, "precision": precision, "threshold": score}
    return Curve(name="precision_recall", x="recall", y="precision", points=points, level=level)


def most_frequent(m: Matches, most: int) -> Sequence[int]:
    """The classes with most objects, in their order."""
    counts = counted_objects(m)[:, 0]
    chosen = np.argsort(-counts, kind="stable")[:most]
    return [int(kind) for kind in np.sort(chosen) if counts[kind] > 0]
