"""What `evaluate` gives: estimates, and everything needed to read them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array, Batch, Label
from heldout.errors import UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.formulas import ALIASES
from heldout.inputs import Check, Source
from heldout.tallies.score_histogram import Binned
from heldout.tallies.scores import Scores
from heldout.verbs.evaluate.dummy_model import Baseline
from heldout.verbs.evaluate.operating_point import OperatingPoint
from heldout.verbs.evaluate.subgroup_heterogeneity import Heterogeneity
from heldout.version import __version__

if TYPE_CHECKING:
    from heldout.charts.plot import Plot
    from heldout.verbs.evaluate.threshold_choice import ChosenThreshold


@dataclass(frozen=True, kw_only=True)
class SegmentGap:
    """How much more one segment has than another; the intervals of all pairs hold together at the level."""

    more: str
    less: str
    value: float
    low: float
    high: float
    level: float


@dataclass(frozen=True, kw_only=True)
class Segmented:
    """Estimates in the segments of one column, with intervals that hold together."""

    shown: dict[str, tuple[int, int, dict[str, Estimate]]]
    """Name → rows, units, estimates."""
    folded: tuple[int, int]
    """How many segments were too small to judge, and their rows."""
    level: float
    """The level of each interval, so that all hold together with the level asked for."""
    heterogeneity: dict[str, Heterogeneity] = field(default_factory=dict)
    """Metric → one test that all segments have the same value."""
    gap: dict[str, SegmentGap] = field(default_factory=dict)
    """Metric → the gap between two segments with the largest lower end; missing where none is supported or tested."""

    def to_dict(self) -> dict[str, Any]:
        shown = {
            name: {"rows": rows, "units": units, "estimates": {key: one.to_dict() for key, one in found.items()}}
            for name, (rows, units, found) in self.shown.items()
        }
        return {
            "shown": shown,
            "folded": {"segments": self.folded[0], "rows": self.folded[1]},
            "level": self.level,
            "heterogeneity": {name: one.to_dict() for name, one in self.heterogeneity.items()},
            "gap": {name: asdict(one) for name, one in self.gap.items()},
        }


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Estimates of a model's metrics, and everything needed to read them."""

    estimates: dict[str, Estimate]
    classes: dict[str, dict[str, Estimate]] = field(default_factory=dict)
    segments: dict[str, Segmented] = field(default_factory=dict)
    baseline: Baseline | None = None
    confusion: Array | None = None
    """Counts, truth by row and prediction by column."""
    operating_point: OperatingPoint | None = None
    """Where `max_fpr` was asked for."""
    chosen_threshold: ChosenThreshold | None = None
    """Where costs were given to choose by."""
    task: str = "binary"
    rows: int = 0
    units: int = 0
    level: float = 0.95
    seed: int = 0
    threshold: float | None = None
    labels: tuple[Label, ...] = ()
    positive: Label | None = None
    columns: dict[str, str] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()
    positives: int | None = None
    """How many rows are positive, where there are two classes."""
    engine: str = "local"
    """Who added up the parts: this process, or an engine."""
    parts: int = 1
    """In how many parts the rows were read; 1 where they were in memory at once."""
    batch: Batch | None = field(default=None, repr=False, compare=False)
    order: Scores | Binned | None = field(default=None, repr=False, compare=False)
    """The rows in the order of their scores, where they were ordered; or their scores by place, of rows in parts."""
    in_parts: bool = field(default=False, repr=False, compare=False)
    """Whether the rows were read in parts, and are gone."""

    def __getitem__(self, name: str) -> Estimate:
        """The estimate of a metric, by its name or an alias."""
        known = ALIASES.get(name, name)
        if known not in self.estimates:
            raise UsageError(f"no estimate is named {name!r}{did_you_mean(known, self.estimates)}")
        return self.estimates[known]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: the JSON contract `heldout.evaluation/1`."""
        matrix = self.confusion
        names = [label if isinstance(label, str | int | float | bool) else str(label) for label in self.labels]
        return {
            "schema": "heldout.evaluation/1",
            "heldout": __version__,
            "inputs": [{"path": source.path, "sha256": source.sha256} for source in self.sources],
            "columns": self.columns,
            "task": self.task,
            "rows": self.rows,
            "units": self.units,
            "level": self.level,
            "seed": self.seed,
            "engine": self.engine,
            "parts": self.parts,
            "threshold": self.threshold,
            "labels": names,
            "positive": self.positive,
            "positives": self.positives,
            "confusion": None if matrix is None else {"labels": names, "counts": _whole(matrix)},
            "estimates": {name: one.to_dict() for name, one in self.estimates.items()},
            "classes": {
                label: {name: one.to_dict() for name, one in found.items()} for label, found in self.classes.items()
            },
            "segments": {column: found.to_dict() for column, found in self.segments.items()},
            "baseline": None if self.baseline is None else self.baseline.to_dict(),
            "operating_point": None if self.operating_point is None else self.operating_point.to_dict(),
            "chosen_threshold": None if self.chosen_threshold is None else self.chosen_threshold.to_dict(),
            "checks": [{"code": check.code, "text": check.text} for check in self.checks],
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """One line per estimate, as a frame (`pandas`, `polars` or `pyarrow`)."""
        import narwhals as nw

        lines = [("", "", name, one) for name, one in self.estimates.items()]
        if self.operating_point is not None:
            lines.append(("", "", "operating_point.recall", self.operating_point.recall))
        if self.chosen_threshold is not None:
            lines.append(("", "", "chosen_threshold.cost", self.chosen_threshold.cost))
        lines += [(label, "", name, one) for label, found in self.classes.items() for name, one in found.items()]
        lines += [
            ("", f"{column}={segment}", name, one)
            for column, parts in self.segments.items()
            for segment, (_, _, found) in parts.shown.items()
            for name, one in found.items()
        ]
        table = {
            "metric": [name for _, _, name, _ in lines],
            "class": [label for label, _, _, _ in lines],
            "segment": [segment for _, segment, _, _ in lines],
            **{
                fact: [getattr(one, fact) for *_, one in lines]
                for fact in ("value", "low", "high", "level", "method", "units")
            },
            "notes": ["; ".join(one.notes) for *_, one in lines],
        }
        return nw.from_dict(table, backend=backend).to_native()  # type: ignore[arg-type]

    def curve(self, name: str, **options: Any) -> Any:
        """A curve as data, with bands: roc, precision_recall, lift, gain, calibration or cost."""
        from heldout.curves import curve, curve_in_parts

        if self.in_parts:
            binned = self.order if isinstance(self.order, Binned) else None
            return curve_in_parts(name, binned, level=self.level, seed=self.seed, **options)
        if self.batch is None:
            raise UsageError("counts have no curves; give rows with scores")
        order = self.order if isinstance(self.order, Scores) else None
        return curve(name, self.batch, level=self.level, seed=self.seed, order=order, **options)

    def report(self, path: str | Path) -> Path:
        """Write the page of this result, one HTML file that needs no network, and give its path."""
        from heldout.verbs.html_report import write_report

        return write_report(self, path)

    @property
    def plot(self) -> Plot:
        """Charts: `plot()` lists what can be drawn, `plot.roc()` draws one."""
        from heldout.verbs.evaluate.result_charts import evaluation_plot

        return evaluation_plot(self)

    def __str__(self) -> str:
        from heldout.report.render.text import evaluation_text

        return evaluation_text(self.to_dict())

    def _repr_html_(self) -> str:
        from heldout.report.render.html import evaluation_html

        return evaluation_html(self.to_dict())


def _whole(matrix: Array) -> list[list[float]]:
    """Counts as whole numbers where they are whole."""
    if np.all(matrix == np.round(matrix)):
        return [[int(cell) for cell in line] for line in matrix]
    return [[float(cell) for cell in line] for line in matrix]
