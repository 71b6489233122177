"""Which classes are taken for which: counts, and shares of the true class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from heldout.batch import Array
from heldout.charts.figure import Columns, Figure, Shape, counted, listed
from heldout.errors import UsageError

MOST = 24
"""So many classes are shown one by one, those most often wrong; the others are folded into one."""


@dataclass(frozen=True, kw_only=True)
class ConfusionMatrix(Figure):
    """Rows by true class and predicted class, as counts and as shares of the true class."""

    shape: ClassVar[Shape] = "square"
    labels: tuple[str, ...]
    counts: Array
    """Truth by row and prediction by column."""
    folded: int = 0
    """How many classes the last row and column stand for; 0: they are a class like the others."""
    unit: str = "row"
    """What is counted: rows, or pixels."""
    model: str = ""
    """Whose predictions they are, where there are several."""

    @property
    def kind(self) -> str:
        return "confusion"

    @property
    def rates(self) -> Array:
        """Share of each true class that was given each prediction; nan for a class without rows."""
        rows = self.counts.sum(axis=1, keepdims=True)
        return np.divide(self.counts, rows, out=np.full(self.counts.shape, np.nan), where=rows > 0)

    @property
    def title(self) -> str:
        return f"Confusion matrix of {self.model}" if self.model else "Confusion matrix"

    @property
    def caption(self) -> str:
        folded = f" {self.folded} classes with fewer errors are merged into one." if self.folded else ""
        return f"Rows: truth. Columns: prediction. Colour: share of the true class.{folded}"

    @property
    def alt(self) -> str:
        """Every cell of a small matrix; of a large one, the pairs most often confused."""
        labels, counts = self.labels, self.counts
        if len(labels) <= 3:
            cells = [
                f"true {truth} called {said}: {counts[i, j]:g} ({self.rates[i, j]:.1%})"
                for i, truth in enumerate(labels)
                for j, said in enumerate(labels)
            ]
            return f"{self.title}. {'; '.join(cells)}."
        wrong = np.where(np.eye(len(labels), dtype=bool), 0, counts)
        worst = [divmod(int(at), len(labels)) for at in np.argsort(-wrong, axis=None, kind="stable")[:5]]
        pairs = [f"{labels[i]} called {labels[j]} {self._times(counts[i, j])}" for i, j in worst if wrong[i, j] > 0]
        said = f"Most often confused: {'; '.join(pairs)}" if pairs else f"No {self.unit} is wrong"
        return f"{self.title}{':' if self.model else ' of'} {len(labels)} classes ({listed(labels)}). {said}."

    def _times(self, count: float) -> str:
        if self.unit == "row":
            return f"{count:g} time{'' if count == 1 else 's'}"
        return f"in {counted(int(count), self.unit)}"

    @property
    def parts(self) -> dict[str, Columns]:
        """`cells`: truth, prediction, rows, share (of the true class)."""
        size = len(self.labels)
        return {
            "cells": {
                "truth": [label for label in self.labels for _ in range(size)],
                "prediction": list(self.labels) * size,
                "rows": self.counts.ravel(),
                "share": self.rates.ravel(),
            }
        }


def confusion_matrix(d: Mapping[str, Any]) -> ConfusionMatrix:
    """The confusion matrix of an evaluation (its `to_dict()`).

    >>> figure = confusion_matrix({"confusion": {"labels": ["no", "yes"], "counts": [[3, 1], [2, 6]]}})
    >>> figure.rates.tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    found = d["confusion"]
    if not found or not found["labels"]:
        raise UsageError("there is no confusion matrix without predicted labels", fix="give y_pred, or a threshold")
    labels, counts = tuple(str(label) for label in found["labels"]), np.asarray(found["counts"], dtype=float)
    if len(labels) <= MOST + 1:
        return ConfusionMatrix(labels=labels, counts=counts)
    wrong = counts.sum(axis=0) + counts.sum(axis=1) - 2 * np.diag(counts)
    shown = np.sort(np.argsort(-wrong, kind="stable")[:MOST])
    group = np.full(len(labels), MOST)
    group[shown] = np.arange(MOST)
    summed = np.zeros((MOST + 1, MOST + 1))
    np.add.at(summed, (group[:, None], group[None, :]), counts)
    rest = len(labels) - MOST
    return ConfusionMatrix(labels=(*(labels[at] for at in shown), f"{rest} others"), counts=summed, folded=rest)
