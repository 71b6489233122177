"""What `evaluate` gives: estimates, and everything needed to read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array, Batch, Label
from heldout.errors import UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.formulas import name_among
from heldout.inputs.message_text import names_listed
from heldout.tallies.from_batch import score_order
from heldout.verbs.evaluate.dummy_model import Baseline
from heldout.verbs.parameters import with_hints
from heldout.verbs.result import ByMetric, Result

if TYPE_CHECKING:
    from heldout.charts.figure import Figure
    from heldout.charts.plot import Plot
    from heldout.curves import Curve, CurveName, Equal
    from heldout.curves.threshold_table import Thresholds
    from heldout.report.html_report import Contents
    from heldout.tallies.score_histogram import Binned
    from heldout.tallies.scores import Scores
    from heldout.verbs.evaluate.operating_point import OperatingPoint
    from heldout.verbs.evaluate.shift_from import ShiftFrom
    from heldout.verbs.evaluate.subgroup_heterogeneity import Heterogeneity
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


def small_segments(small: Mapping[str, tuple[int, str]]) -> list[dict[str, Any]]:
    """Segments that are too small for some or all metrics, as plain values."""
    return [{"segment": name, "rows": rows, "reason": reason} for name, (rows, reason) in small.items()]


@dataclass(frozen=True, kw_only=True)
class Segmented:
    """Estimates in the segments of one column, with intervals that hold together."""

    shown: dict[str, tuple[int, int, dict[str, Estimate]]]
    """Name → rows, units, estimates."""
    folded: tuple[int, int]
    """How many segments are too small for some or all metrics, and their rows."""
    level: float
    """The level of each interval, so that all hold together with the level asked for."""
    small: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Name → rows of these segments, and the reason."""
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
            "small": small_segments(self.small),
            "level": self.level,
            "heterogeneity": {name: one.to_dict() for name, one in self.heterogeneity.items()},
            "gap": {name: asdict(one) for name, one in self.gap.items()},
        }


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Evaluation(ByMetric, Result):
    """Estimates of a model's metrics, and everything needed to read them."""

    kind = "evaluation"

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
    shifts: tuple[ShiftFrom, ...] = ()
    """How the test rows differ from the training data and the reference, where they were given."""
    task: str = "binary"
    rows: int = 0
    units: int = 0
    level: float = 0.95
    seed: int = 0
    threshold: float | None = None
    labels: tuple[Label, ...] = ()
    positive: Label | None = None
    columns: dict[str, str] = field(default_factory=dict)
    positives: int | None = None
    """How many rows are positive, where there are two classes."""
    class_tables: bool = False
    """Whether `rows` adds up the counts of classes that do not share their rows."""
    engine: str = "local"
    """The engine that read the rows: local is this process."""
    chunks: int = 1
    """Number of chunks in which the rows were read; 1 if they were in memory at once."""
    batch: Batch | None = field(default=None, repr=False, compare=False)
    order: Scores | Binned | None = field(default=None, repr=False, compare=False)
    """The rows in the order of their scores, where they were ordered; or a histogram of the scores of chunked rows."""
    chunked: bool = field(default=False, repr=False, compare=False)
    """Whether the rows were read in chunks, and are not kept."""
    in_memory_fix: str = field(default="", repr=False, compare=False)
    """The fix for what needs all rows in memory, where they were read in chunks."""

    @property
    def names(self) -> tuple[str, ...]:
        """The metrics that are estimated."""
        return tuple(self.estimates)

    def __getitem__(self, name: str) -> Estimate:
        """The estimate of a metric, by its name or an alias."""
        known = name_among(name, self.estimates)
        if known not in self.estimates:
            raise UsageError(
                f"no estimate is named {name!r}{did_you_mean(known, self.estimates)}",
                fix=f"choose one of {names_listed(list(self.estimates))}",
            )
        return self.estimates[known]

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        matrix = self.confusion
        names = [label if isinstance(label, str | int | float | bool) else str(label) for label in self.labels]
        return {
            "columns": self.columns,
            "task": self.task,
            "rows": self.rows,
            "units": self.units,
            "level": self.level,
            "seed": self.seed,
            "engine": self.engine,
            "chunks": self.chunks,
            "threshold": self.threshold,
            "labels": names,
            "positive": self.positive,
            "positives": self.positives,
            "class_tables": self.class_tables,
            "confusion": None if matrix is None else {"labels": names, "counts": _whole(matrix)},
            "estimates": {name: one.to_dict() for name, one in self.estimates.items()},
            "classes": {
                label: {name: one.to_dict() for name, one in found.items()} for label, found in self.classes.items()
            },
            "segments": {column: found.to_dict() for column, found in self.segments.items()},
            "baseline": None if self.baseline is None else self.baseline.to_dict(),
            "operating_point": None if self.operating_point is None else self.operating_point.to_dict(),
            "shifts": [one.to_dict() for one in self.shifts],
            "chosen_threshold": None if self.chosen_threshold is None else self.chosen_threshold.content(),
        }

    def curve(
        self, name: CurveName, *, bins: int | None = None, equal: Equal | None = None, metrics: Sequence[str] = ()
    ) -> Curve:
        """A curve as data, with bands.

        Parameters
        ----------
        name : {"roc", "precision_recall", "gain", "lift", "calibration", "cost", "convex_hull", "sweep"}
            Which curve, as in `heldout.curves`.
        bins : int, optional
            Number of bins of the calibration curve (default: 10).
        equal : {"mass", "width"}, optional
            Whether bins of the calibration curve hold equally many rows or are equally wide (default: "mass").
        metrics : sequence of str, default ()
            Metrics of labels along the sweep.

        Returns
        -------
        Curve
            The points of the curve, and its bands.

        Raises
        ------
        UsageError
            If the curve is not known, or needs scores, probabilities or rows that are not there.

        Examples
        --------
        >>> import heldout
        >>> result = heldout.evaluate([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8])
        >>> result.curve("roc").points["tpr"].tolist()
        [0.0, 0.5, 0.5, 1.0, 1.0]
        """
        from heldout.curves import curve_of_batch, curve_of_chunks
        from heldout.tallies.score_histogram import Binned

        given = {"bins": bins, "equal": equal, "metrics": metrics or None}
        options: dict[str, Any] = {option: value for option, value in given.items() if value is not None}
        if self.chunked:
            binned = self.order if isinstance(self.order, Binned) else None
            fix = self.in_memory_fix
            return curve_of_chunks(name, binned, level=self.level, seed=self.seed, in_memory_fix=fix, **options)
        if self.batch is None:
            raise UsageError("counts have no curves", fix="give rows with scores")
        return curve_of_batch(name, self.batch, level=self.level, seed=self.seed, order=self._order, **options)

    @cached_property
    def _order(self) -> Scores | None:
        """The rows in the order of their scores, made once for all curves; None where there are several scores."""
        from heldout.tallies.scores import Scores

        if isinstance(self.order, Scores) or self.batch is None:
            return self.order if isinstance(self.order, Scores) else None
        return score_order(self.batch) if self.batch.task == "binary" and self.batch.score is not None else None

    @property
    def batch_of_rows(self) -> Batch | None:
        """The rows, where they are in memory."""
        return self.batch

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """Charts of metrics, classes and subgroups; of scores, curves and calibration; of numbers, residuals."""
        from heldout.verbs.evaluate.result_charts import evaluation_charts

        return evaluation_charts(self, d)

    def report_contents(self, figures: Mapping[str, Figure]) -> Contents:
        """The threshold explorer, and the rows with the most confident errors."""
        from heldout.charts.roc_steps import FEW_STEPS, RocSteps
        from heldout.report.html_report import Contents
        from heldout.verbs.evaluate.chosen_rows import chosen_rows
        from heldout.verbs.evaluate.wrong_rows import worst_rows

        explored = self.thresholds()
        known = explored is not None and self.batch is not None
        worst = [] if self.batch is None else worst_rows(self.batch)
        steps = figures.get("roc_steps")
        if isinstance(steps, RocSteps) and steps.steps > FEW_STEPS:  # the curve itself is in the report
            figures = {name: figure for name, figure in figures.items() if name != "roc_steps"}
        return Contents(
            figures=figures,
            thresholds=explored,
            chosen_on=chosen_rows(self.batch) if known and self.batch is not None else None,
            tables={"disagreement": worst} if worst else {},
        )

    def thresholds(self) -> Thresholds | None:
        """Counts at every threshold, with bands of recall and specificity that are valid at all of them at once.

        Use it to choose a threshold after looking at all of them: the confidence intervals of the evaluation itself are
        valid only for a threshold that was fixed before.

        Returns
        -------
        Thresholds or None
            Thresholds in rising order, as arrays; None where there are no scores of two classes in memory.

        Examples
        --------
        >>> import heldout
        >>> result = heldout.evaluate([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8])
        >>> table = result.thresholds()
        >>> table.threshold.tolist(), table.recall.tolist()
        ([0.0, 0.3, 0.4, 0.8, 1.0], [1.0, 1.0, 0.5, 0.5, 0.0])
        """
        from heldout.curves.threshold_table import thresholds_of
        from heldout.tallies.scores import Scores

        batch = self.batch
        if batch is None or batch.task != "binary" or batch.score is None:
            return None
        # the order of a measurement has weights of mean one, so weighted rows are sorted again
        known = isinstance(self.order, Scores) and batch.weight is None
        order = self.order if isinstance(self.order, Scores) and known else score_order(batch)
        if not (order.hits.any() and not order.hits.all() and np.isfinite(order.values).all()):
            return None
        start = () if self.threshold is None else (float(self.threshold),)
        return thresholds_of(order, level=self.level, at=start)

    @with_hints
    def freeze_threshold(self, path: str | Path) -> Path:
        """Write this evaluation's threshold to a file, to be judged on other rows with `threshold_from`.

        The file is the one that the HTML report's button writes: the threshold, what it reaches on these rows, and a
        hash of these rows, on which `evaluate` then refuses it.

        Parameters
        ----------
        path : str or Path
            Where to write it.

        Returns
        -------
        Path
            Where it was written.

        Raises
        ------
        UsageError
            If there is no threshold, or the rows are not in memory.

        Examples
        --------
        >>> import tempfile, heldout
        >>> result = heldout.evaluate([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8], threshold=0.3)
        >>> result.freeze_threshold(f"{tempfile.mkdtemp()}/threshold.json").name
        'threshold.json'
        """
        from heldout.verbs.evaluate.operating_point import write_frozen

        table = self.thresholds()
        if table is None or self.threshold is None or self.batch is None:
            fix = "evaluate scores of two classes, with threshold=0.5 or the like"
            raise UsageError("there is no threshold to freeze", fix=fix)
        source = self.sources[0].path if self.sources else None
        return write_frozen(path, table, self.threshold, self.batch, source)


def _whole(matrix: Array) -> list[list[float]]:
    """Counts as whole numbers where they are whole."""
    if np.all(matrix == np.round(matrix)):
        return [[int(cell) for cell in line] for line in matrix]
    return [[float(cell) for cell in line] for line in matrix]
