"""What a learner scores against the rows it was trained on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.charts.figure import Columns, Figure
from heldout.charts.words import percent, told


@dataclass(frozen=True, kw_only=True)
class LearningCurve(Figure):
    """Values of one or several learners by training size, with intervals; what they score on their training rows.

    >>> sizes, line = np.array([10, 100]), {"value": [0.6, 0.8], "low": [0.5, 0.75], "high": [0.7, 0.85]}
    >>> LearningCurve(metric="accuracy", sizes=sizes, learners={"tree": line}).alt
    'Learning curve of accuracy. tree: 0.600 [0.500, 0.700] at 10 rows, 0.800 [0.750, 0.850] at 100 rows.'
    """

    metric: str
    sizes: Array
    """Rows trained on, rising."""
    learners: Mapping[str, Mapping[str, Any]]
    """By learner: `value`, `low`, `high` and perhaps `training` (the value on the rows trained on), one per size."""
    level: float = 0.95
    better: str | None = "higher"

    @property
    def kind(self) -> str:
        return "learning_curve"

    @property
    def title(self) -> str:
        return f"Learning curve: {self.metric}"

    @property
    def trained(self) -> bool:
        return any("training" in line for line in self.learners.values())

    @property
    def caption(self) -> str:
        training = " Thin: on the rows trained on." if self.trained else ""
        better = f" {self.better.capitalize()} is better." if self.better else ""
        return f"Band: {percent(self.level)} interval at each size alone.{training}{better}"

    @property
    def alt(self) -> str:
        said = [
            f"{name}: " + ", ".join(f"{told(one)} at {size:,} rows" for size, one in self._steps(line))
            for name, line in self.learners.items()
        ]
        return f"Learning curve of {self.metric}. {'. '.join(said)}."

    def _steps(self, line: Mapping[str, Any]) -> list[tuple[int, dict[str, Any]]]:
        facts = [dict(zip(("value", "low", "high"), ends, strict=True)) for ends in _ends(line)]
        return list(zip((int(size) for size in self.sizes), facts, strict=True))

    @property
    def parts(self) -> dict[str, Columns]:
        """`curve`: learner, rows, value, low, high, training (nan where it is not known)."""
        unknown = np.full(len(self.sizes), np.nan)
        columns = {
            name: np.concatenate([np.asarray(line.get(name, unknown), float) for line in self.learners.values()])
            for name in ("value", "low", "high", "training")
        }
        names = [name for name in self.learners for _ in self.sizes]
        return {"curve": {"learner": names, "rows": np.tile(self.sizes, len(self.learners)), **columns}}


def _ends(line: Mapping[str, Any]) -> list[tuple[float, float, float]]:
    return list(zip(line["value"], line["low"], line["high"], strict=True))
