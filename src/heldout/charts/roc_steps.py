"""The ROC curve built step by step: rows by falling score, and the cumulative true and false positives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from heldout.batch import Array
from heldout.charts.figure import Columns, Figure, Shape
from heldout.tallies.scores import Scores

MOST = 40
"""Steps that have a place in the picture; of more, evenly chosen ones."""

FEW_STEPS = 25
"""Steps up to which each has a label, and an HTML report shows them."""


@dataclass(frozen=True, kw_only=True)
class RocSteps(Figure):
    """One step for each distinct score, from the highest down; tied scores are one step."""

    shape: ClassVar[Shape] = "square"
    threshold: Array
    """Rows with this score and above are called positive; infinite at the start."""
    tp: Array
    fp: Array
    positives: float
    negatives: float
    steps: int
    """How many there are, shown or not."""

    @property
    def kind(self) -> str:
        return "roc_steps"

    @property
    def title(self) -> str:
        return "ROC curve step by step"

    @property
    def caption(self) -> str:
        less = f" {len(self.tp) - 1} of {self.steps:,} steps are shown." if self.steps > len(self.tp) - 1 else ""
        return (
            "From the highest score down: a positive row goes up, a negative one to the right, rows with one score "
            f"together. Labels: the threshold, then true and false positives so far.{less}"
        )

    @property
    def alt(self) -> str:
        return (
            f"{self.title}. {self.steps:,} steps over {self.positives:g} positive and {self.negatives:g} negative rows."
        )

    @property
    def parts(self) -> dict[str, Columns]:
        """`steps`: threshold, true_positives, false_positives, recall, false_positive_rate."""
        return {
            "steps": {
                "threshold": self.threshold,
                "true_positives": self.tp,
                "false_positives": self.fp,
                "recall": self.tp / self.positives,
                "false_positive_rate": self.fp / self.negatives,
            }
        }


def roc_steps(order: Scores) -> RocSteps:
    """Every step of the sweep over sorted scores, the highest score first."""
    above = [side[-1] - side for side in (order.positives_below, order.negatives_below)]
    tp, fp = (side[::-1] for side in above)
    threshold = np.concatenate([[np.inf], order.values[::-1]])
    steps = len(order.values)
    kept = np.unique(np.linspace(0, steps, min(steps, MOST) + 1).round().astype(int))
    return RocSteps(
        threshold=threshold[kept],
        tp=tp[kept],
        fp=fp[kept],
        positives=float(tp[-1]),
        negatives=float(fp[-1]),
        steps=steps,
    )


def threshold_lines(figure: RocSteps) -> Mapping[str, list[str]]:
    """Labels of the steps."""
    return {
        "text": [
            "" if not np.isfinite(t) else f"{t:.3g}: {tp:g}, {fp:g}"
            for t, tp, fp in zip(figure.threshold, figure.tp, figure.fp, strict=True)
        ]
    }
