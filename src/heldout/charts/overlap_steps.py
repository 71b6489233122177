"""Average precision against the overlap from which on an object counts as found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from heldout.charts.figure import Columns, Figure
from heldout.charts.words import Estimated, number_or_nan, percent, told
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
            "AP, mean over classes, if an object counts as found from this IoU on. "
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
