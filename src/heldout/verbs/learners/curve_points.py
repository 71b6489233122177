"""What `learning_curve` gives: points of rising numbers of training rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array
from heldout.cards import SplitCard, split_interval_card
from heldout.cards.card import LEVEL
from heldout.errors import UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.formulas import ALIASES
from heldout.inputs import Source
from heldout.version import __version__

if TYPE_CHECKING:
    from heldout.charts import Figure, Plot


@dataclass(frozen=True, kw_only=True)
class LearningPoint:
    """One size: the value on rows not seen, and on the rows that were learned from."""

    rows: int
    """Training rows, on average."""
    estimate: Estimate
    training: float
    """The value on the training rows themselves: optimistic."""
    gain: Estimate | None
    """The value less that of the size before, over the same splits; None at the smallest size."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "estimate": self.estimate.to_dict(),
            "training": self.training if isfinite(self.training) else None,
            "gain": None if self.gain is None else self.gain.to_dict(),
        }


@dataclass(frozen=True, kw_only=True)
class LearningCurve:
    """Learners at rising numbers of training rows, tested on the same rows."""

    learners: dict[str, dict[str, tuple[LearningPoint, ...]]]
    """Learner → metric → its points, from the smallest size on."""
    primary: str
    task: str
    rows: int
    units: int
    level: float
    seed: int
    repeats: int
    test_rows: int
    sources: tuple[Source, ...] = ()
    roles: Mapping[str, str] | None = None
    values: dict[str, dict[str, Array]] = field(default_factory=dict, repr=False, compare=False)
    """Learner → metric → value of every size (line) and split (column)."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Training rows of each point."""
        return tuple(point.rows for point in next(iter(self.learners.values()))[self.primary])

    def points(self, metric: str | None = None, learner: str | None = None) -> tuple[LearningPoint, ...]:
        """The points of one metric of one learner; of the primary one of the first, unless named."""
        name = next(iter(self.learners)) if learner is None else learner
        if name not in self.learners:
            raise UsageError(f"no learner is named {name!r}{did_you_mean(name, self.learners)}")
        known = self.primary if metric is None else ALIASES.get(metric, metric)
        if known not in self.learners[name]:
            raise UsageError(f"no curve is of {metric!r}{did_you_mean(known, self.learners[name])}")
        return self.learners[name][known]

    @property
    def cards(self) -> tuple[SplitCard, ...]:
        """How often such intervals held the truth in the lab at full size, per learner; of errors, at 95%."""
        if self.level != LEVEL or self.primary not in ("accuracy", "error_rate"):
            return ()
        splits = f"shuffle:{self.repeats}x{round(self.test_rows / self.rows, 2):g}"
        found = split_interval_card("corrected t", self.rows, splits=splits)
        return tuple(card for card in found if card.splits == splits)

    def to_frame(self, backend: str = "pandas") -> Any:
        """One line per learner, metric and size, as a frame (`pandas`, `polars` or `pyarrow`)."""
        import narwhals as nw

        lines = [
            (name, metric, point)
            for name, found in self.learners.items()
            for metric, points in found.items()
            for point in points
        ]
        table = {
            "learner": [name for name, _, _ in lines],
            "metric": [metric for _, metric, _ in lines],
            "rows": [point.rows for *_, point in lines],
            **{fact: [getattr(point.estimate, fact) for *_, point in lines] for fact in ("value", "low", "high")},
            "training": [point.training for *_, point in lines],
        }
        return nw.from_dict(table, backend=backend).to_native()  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: the JSON contract `heldout.learning-curve/1`."""
        return {
            "schema": "heldout.learning-curve/1",
            "heldout": __version__,
            "inputs": [{"path": source.path, "sha256": source.sha256} for source in self.sources],
            "columns": dict(self.roles or {}),
            "task": self.task,
            "rows": self.rows,
            "units": self.units,
            "level": self.level,
            "seed": self.seed,
            "repeats": self.repeats,
            "test_rows": self.test_rows,
            "primary": self.primary,
            "cards": [card.to_dict() for card in self.cards],
            "learners": {
                name: {metric: [point.to_dict() for point in points] for metric, points in found.items()}
                for name, found in self.learners.items()
            },
        }

    @property
    def plot(self) -> Plot:
        """Charts: `plot()` lists what can be drawn, `plot.learning_curve()` draws it, of any metric."""
        from heldout.charts import Plot

        return Plot(views={"learning_curve": self._figure})

    def _figure(self, metric: str | None = None) -> Figure:
        from heldout.charts.learning_curve import LearningCurve as Drawn

        lines = {name: self.points(metric, name) for name in self.learners}
        facts = {
            name: {
                **{fact: [getattr(one.estimate, fact) for one in points] for fact in ("value", "low", "high")},
                "training": [one.training for one in points],
            }
            for name, points in lines.items()
        }
        first = next(iter(lines.values()))[0].estimate
        return Drawn(
            metric=first.name, sizes=np.array(self.sizes), learners=facts, level=self.level, better=first.better
        )

    def report(self, path: str | Path) -> Path:
        """Write the page of this result, one HTML file that needs no network, and give its path."""
        from heldout.verbs.paging import write_report

        return write_report(self, path)

    def __str__(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "text")

    def _repr_html_(self) -> str:
        from heldout.report import drawn

        return drawn(self.to_dict(), "html")
