"""How good a model is, from its predictions: `evaluate`, and what it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout import inputs
from heldout.batch import Array, Batch, Label
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.estimates.choice import estimate
from heldout.formulas import METRICS, Metric
from heldout.formulas.table import ONE_CLASS
from heldout.inputs import Check, Reading, Source
from heldout.intervals.simultaneous import bonferroni
from heldout.tallies.cells import Cells, cells_of_counts
from heldout.tallies.class_counts import ClassCounts
from heldout.verbs.baselines import Baseline, baseline, no_better
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings, settings
from heldout.version import VERSION

if TYPE_CHECKING:
    from numpy.random import Generator

SMALLEST_SEGMENT = 30
"""Segments with fewer rows than this are folded together."""
FEWEST_EVENTS = 10
"""So are segments of classified rows with fewer than this many rows of some class."""


@dataclass(frozen=True, kw_only=True)
class Segmented:
    """Estimates in the segments of one column, with intervals that hold together."""

    shown: dict[str, tuple[int, int, dict[str, Estimate]]]
    """Name → rows, units, estimates."""
    folded: tuple[int, int]
    """How many segments were too small to judge, and their rows."""
    level: float
    """The level of each interval, so that all hold together with the level asked for."""

    def to_dict(self) -> dict[str, Any]:
        shown = {
            name: {"rows": rows, "units": units, "estimates": {key: one.to_dict() for key, one in found.items()}}
            for name, (rows, units, found) in self.shown.items()
        }
        return {"shown": shown, "folded": {"segments": self.folded[0], "rows": self.folded[1]}, "level": self.level}


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Estimates of a model's metrics, and everything needed to read them."""

    estimates: dict[str, Estimate]
    classes: dict[str, dict[str, Estimate]] = field(default_factory=dict)
    segments: dict[str, Segmented] = field(default_factory=dict)
    baseline: Baseline | None = None
    confusion: Array | None = None
    """Counts, truth by row and prediction by column."""
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
    batch: Batch | None = field(default=None, repr=False, compare=False)

    def __getitem__(self, name: str) -> Estimate:
        """The estimate of a metric, by its name or an alias."""
        from heldout.formulas import ALIASES

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
            "heldout": VERSION,
            "inputs": [{"path": source.path, "sha256": source.sha256} for source in self.sources],
            "columns": self.columns,
            "task": self.task,
            "rows": self.rows,
            "units": self.units,
            "level": self.level,
            "seed": self.seed,
            "threshold": self.threshold,
            "labels": names,
            "positive": self.positive,
            "confusion": None if matrix is None else {"labels": names, "counts": _whole(matrix)},
            "estimates": {name: one.to_dict() for name, one in self.estimates.items()},
            "classes": {label: {name: one.to_dict() for name, one in found.items()} for label, found in self.classes.items()},
            "segments": {column: found.to_dict() for column, found in self.segments.items()},
            "baseline": None if self.baseline is None else self.baseline.to_dict(),
            "checks": [{"code": check.code, "text": check.text} for check in self.checks],
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """One line per estimate, as a frame (`pandas`, `polars` or `pyarrow`)."""
        import narwhals as nw

        lines = [("", "", name, one) for name, one in self.estimates.items()]
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
            **{fact: [getattr(one, fact) for *_, one in lines] for fact in ("value", "low", "high", "level", "method", "units")},
            "notes": ["; ".join(one.notes) for *_, one in lines],
        }
        return nw.from_dict(table, backend=backend).to_native()  # type: ignore[arg-type]

    def curve(self, name: str, **options: Any) -> Any:
        """A curve as data, with bands: roc, precision_recall, lift, gain, calibration or cost."""
        from heldout.curves import curve

        if self.batch is None:
            raise UsageError("counts have no curves; give rows with scores")
        return curve(name, self.batch, level=self.level, seed=self.seed, **options)

    def __str__(self) -> str:
        from heldout.report.text import evaluation_text

        return evaluation_text(self.to_dict())

    def _repr_html_(self) -> str:
        from heldout.report.html import evaluation_html

        return evaluation_html(self.to_dict())


def evaluate(
    data: Any,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    y_proba: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    segments: Any = None,
    truth: str | Sequence[str] | None = None,
    pred: str | Sequence[str] | None = None,
    score: str | None = None,
    prob_prefix: str | None = None,
    id: str | None = None,
    group: str | None = None,
    weight: str | None = None,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    threshold: float | None = None,
    task: str | None = None,
    on_nan: str = "error",
    link: str | None = None,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: str = "two-sided",
    cost: Any = None,
    train: Any = None,
    allow_overlap: bool = False,
    draws: int = 2000,
    random_state: int | Generator | None = 0,
) -> Evaluation:
    """How good a model is: every metric that fits the data, each with its interval.

    `data` is the truth, with predictions beside it (`y_pred`, `y_score`, `y_proba`, `sample_weight`, `groups`), or a file, frame or
    mapping whose columns are found by name or named (`truth`, `pred`, `score`, `prob_prefix`, `weight`, `group`, `id`).

    >>> result = evaluate([1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0, 1])
    >>> result["accuracy"]
    0.75 [0.41, 0.93]
    """
    asked = settings(
        confidence_level=confidence_level, method=method, side=side, draws=draws, random_state=random_state, metrics=metrics
    )
    decided = {"labels": labels, "threshold": threshold, "task": task, "on_nan": on_nan, "link": link}
    beside = {"y_pred": y_pred, "y_score": y_score, "y_proba": y_proba, "sample_weight": sample_weight, "groups": groups}
    if _is_table(data, beside):
        named = {"truth": truth, "pred": pred, "score": score, "prob_prefix": prob_prefix, "group": group, "weight": weight, "id": id}
        reading = inputs.read(data, **named, segments=_listed(segments), positive=pos_label, **decided)  # type: ignore[arg-type]
    else:
        _only_for_tables({"truth": truth, "pred": pred, "score": score, "prob_prefix": prob_prefix, "group": group, "weight": weight, "id": id})
        reading = inputs.from_arrays(data, **beside, segments=segments, pos_label=pos_label, **decided)  # type: ignore[arg-type]
    checks = () if train is None else _overlap(data, train, id=id, group=group, allowed=allow_overlap)
    asked = replace(asked, cost=_costs(cost, reading.batch))
    return _evaluated(replace(reading, checks=reading.checks + checks), asked)


def evaluate_confusion(counts: Any, labels: Sequence[Label] | None = None, *, pos_label: Label | None = None, cost: Any = None, **options: Any) -> Evaluation:
    """The same from a confusion matrix (truth by row, prediction by column), or from a labelled square CSV of one.

    >>> evaluate_confusion([[3, 1], [2, 6]], labels=["no", "yes"])["precision"]
    0.86 [0.49, 0.97]
    """
    asked = settings(**options)
    sources: tuple[Source, ...] = ()
    if isinstance(counts, str | Path):
        labels, table = inputs.read_confusion(counts)
        sources = (inputs.source_of(counts),)
    else:
        table = _square(np.asarray(counts))
    names = tuple(labels) if labels is not None else tuple(range(len(table)))
    if len(names) != len(table):
        raise UsageError(f"{len(names)} labels were given for {len(table)} classes")
    positive = inputs.positive_of(names, pos_label) if len(names) == 2 else None
    batch = Batch(task="binary" if len(names) == 2 else "multiclass", truth=np.zeros(0, int), labels=names, positive=positive)
    asked = replace(asked, cost=_costs(cost, batch))
    return _counted(cells_of_counts(table), batch, asked, sources)


def evaluate_counts(*, wrong: int, of: int, **options: Any) -> Evaluation:
    """Error rate and accuracy from two counts.

    >>> evaluate_counts(wrong=12, of=40)["error_rate"]
    0.300 [0.181, 0.454]
    """
    if not (0 <= wrong <= of and of > 0):
        raise DataError(f"{wrong} wrong of {of} cannot be", code="H110", fix="give 0 <= wrong <= of, and of at least 1")
    asked = settings(**{"metrics": ["error_rate", "accuracy"], **options})
    cells = cells_of_counts(np.array([[of - wrong, wrong], [0, 0]]))
    found = {metric.name: _of_counts(metric, cells, None, asked) for metric in asked.metrics or ()}
    found = {name: _shown(one) for name, one in found.items()}
    return Evaluation(estimates=found, rows=of, units=of, level=asked.level, seed=asked.seed, task="binary")


def evaluate_class_counts(counts: Mapping[Label, Sequence[float]], **options: Any) -> Evaluation:
    """Averages and per-class metrics from (TP, FP, FN, TN) of each class.

    >>> found = evaluate_class_counts({"A": (1, 1, 1, 1), "B": (10, 90, 80, 10), "C": (1, 1, 1, 1), "D": (1, 1, 1, 1)})
    >>> round(found["precision_macro"], 3), round(found["precision_micro"], 4), round(found["recall_micro"], 4)
    (0.4, 0.1226, 0.1354)
    """
    asked = settings(**options)
    table = np.array([list(line) for line in counts.values()], dtype=float)
    if table.ndim != 2 or table.shape[1] != 4 or np.any(table < 0) or not np.all(np.isfinite(table)):
        raise DataError("each class needs four counts of zero or more", code="H110", fix="give (TP, FP, FN, TN) for each class")
    tally = ClassCounts(table)
    averages = [metric for metric in METRICS.values() if metric.name.endswith(("_macro", "_micro", "_weighted"))]
    wanted = asked.metrics or tuple(averages)
    found = {metric.name: _of_counts(metric, tally, None, asked) for metric in wanted if not metric.one_class}
    classes = {str(name): {metric.name: _of_counts(metric, tally, k, asked) for metric in ONE_CLASS} for k, name in enumerate(counts)}
    return Evaluation(
        estimates=found, classes=classes, task="multiclass", rows=tally.units, units=tally.units, level=asked.level, seed=asked.seed,
        labels=tuple(counts),
    )  # fmt: skip


def _evaluated(reading: Reading, asked: Settings) -> Evaluation:
    batch = reading.batch
    measured = Measurement(batch, asked)
    found = measured.overall()
    beside = baseline(batch, found, asked)
    checks = [*reading.checks, *_checks(batch, found, beside)]
    matrix = measured.labels.counts if batch.prediction is not None and isinstance(_labels(measured), Cells) else None
    return Evaluation(
        estimates=found,
        classes=measured.by_class(),
        segments={column: _segmented(batch, column, asked) for column in batch.segments},
        baseline=beside,
        confusion=matrix,
        task=batch.task,
        rows=batch.rows,
        units=batch.units,
        level=asked.level,
        seed=asked.seed,
        threshold=reading.threshold,
        labels=batch.labels,
        positive=None if batch.positive is None else batch.labels[batch.positive],
        columns=reading.columns,
        checks=tuple(checks),
        sources=reading.sources,
        batch=batch,
    )


def _labels(measured: Measurement) -> Any:
    return measured.labels if measured.batch.task in ("binary", "multiclass") else None


def _counted(cells: Cells, batch: Batch, asked: Settings, sources: tuple[Source, ...]) -> Evaluation:
    """An evaluation of counts: label metrics only."""
    fitting = [metric for metric in METRICS.values() if metric.reads == "labels" and batch.task in metric.tasks]
    wanted = fitting if asked.metrics is None else asked.metrics
    found = {metric.name: _of_counts(metric, cells, batch.positive if metric.one_class else None, asked) for metric in wanted if metric.reads == "labels"}
    if asked.cost is not None:
        found["cost"] = _cost_of_counts(cells, asked)
    classes = {}
    if batch.task == "multiclass":
        classes = {str(name): {metric.name: _of_counts(metric, cells, k, asked) for metric in ONE_CLASS} for k, name in enumerate(batch.labels)}
    return Evaluation(
        estimates=found,
        classes=classes,
        confusion=cells.counts,
        task=batch.task,
        rows=cells.units,
        units=cells.units,
        level=asked.level,
        seed=asked.seed,
        labels=batch.labels,
        positive=None if batch.positive is None else batch.labels[batch.positive],
        sources=sources,
    )


def _of_counts(metric: Metric, tally: Any, label: int | None, asked: Settings) -> Estimate:
    return estimate(
        metric, tally, label=label, level=asked.level, method=asked.method, side=asked.side, draws=asked.draws, seed=asked.seed
    )


def _cost_of_counts(cells: Cells, asked: Settings) -> Estimate:
    from heldout.tallies.units import Units

    assert asked.cost is not None
    costs = asked.cost[cells.truth, cells.prediction].astype(float)
    ones = np.ones(len(costs))
    tally = Units({"costs": costs, "rows": ones}, {"costs": cells.rows @ costs, "rows": cells.rows.sum()}, alike=cells.rows)
    return _of_counts(METRICS["cost"], tally, None, asked)


def _segmented(batch: Batch, column: str, asked: Settings) -> Segmented:
    """Estimates in each segment that is large enough, with intervals that hold together."""
    segment = batch.segments[column]
    parts = {name: batch.take(segment.codes == code) for code, name in enumerate(segment.names)}
    parts = {name: part for name, part in parts.items() if part.rows}
    large = {name: part for name, part in parts.items() if _large_enough(part)}
    level = bonferroni(asked.level, max(len(large), 1))
    inner = replace(asked, level=level)
    shown = {}
    for name, part in large.items():
        found = Measurement(part, inner).overall()
        kept = {key: one for key, one in found.items() if asked.metrics is not None or one.printed}
        shown[name] = (part.rows, part.units, kept)
    folded = [part.rows for name, part in parts.items() if name not in large]
    return Segmented(shown=shown, folded=(len(folded), sum(folded)), level=level)


def _large_enough(part: Batch) -> bool:
    if part.rows < SMALLEST_SEGMENT:
        return False
    if part.task == "binary":
        return int(np.bincount(part.truth, minlength=2).min()) >= FEWEST_EVENTS
    return True


def _checks(batch: Batch, found: dict[str, Estimate], beside: Baseline | None) -> list[Check]:
    checks = []
    if batch.task in ("binary", "multiclass") and len(np.unique(batch.truth)) == 1:
        only = batch.labels[int(batch.truth[0])]
        checks.append(Check(code="H104", text=f"the truth has one class ({batch.rows} x {only!r}): what needs two classes is undefined"))
    slope = found.get("calibration_slope")
    if slope is not None and not slope.low <= 1 <= slope.high and slope.low <= slope.high:
        word = "extreme" if slope.high < 1 else "timid"
        checks.append(Check(code="H204", text=f"calibration slope {slope.value:.2f} [{slope.low:.2f}, {slope.high:.2f}]: scores are too {word}"))
    checks += [Check(code="H308", text=f"{one.name} is {note}") for one in found.values() for note in one.notes if note.startswith("infinite")][:1]
    checks += [Check(code="H307", text=note) for one in found.values() for note in one.notes if "target of zero" in note][:1]
    if beside is not None:
        checks += [Check(code="H309", text=sentence) for sentence in no_better(beside, found)]
    return checks


def _is_table(data: Any, beside: dict[str, Any]) -> bool:
    if isinstance(data, str | Path | Mapping):
        return True
    if any(value is not None for value in beside.values()):
        return False
    return hasattr(data, "columns") or hasattr(data, "__arrow_c_stream__") and not hasattr(data, "dtype") and not hasattr(data, "type")


def _only_for_tables(named: dict[str, Any]) -> None:
    given = [name for name, value in named.items() if value is not None]
    if given:
        raise UsageError(f"{', '.join(given)} names columns of a file or frame, but arrays were given", fix="pass the arrays themselves")


def _listed(names: Any) -> tuple[str, ...]:
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(names)


def _costs(cost: Any, batch: Batch) -> Array | None:
    if cost is None:
        return None
    if batch.task not in ("binary", "multiclass"):
        raise UsageError(f"costs are for classes, not for {batch.task} data")
    if isinstance(cost, str | Path):
        return inputs.read_costs(cost, batch.labels)
    table = np.asarray(cost, dtype=float)
    size = len(batch.labels)
    if table.shape != (size, size):
        raise UsageError(f"the cost matrix is {' x '.join(map(str, table.shape))}, but there are {size} classes: {list(batch.labels)}")
    return table


def _square(table: Array) -> Array:
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise DataError(f"a confusion matrix must be square, not {' x '.join(map(str, table.shape))}", code="H110", fix="give truth by row and prediction by column")
    if np.any(table < 0) or not np.all(np.isfinite(table)):
        raise DataError(f"a count is {table.min():g}, but counts are zero or more", code="H110")
    return table


def _overlap(data: Any, train: Any, *, id: str | None, group: str | None, allowed: bool) -> tuple[Check, ...]:
    found = inputs.shared_rows(data, train, id=id, group=group)
    if found and not allowed:
        first = found[0]
        raise DataError(first.text, code=first.code, fix="remove them from the test data, or pass --allow-overlap (allow_overlap=True)")
    return found


def _shown(one: Estimate) -> Estimate:
    facts = {fact: getattr(one, fact) for fact in Estimate.__slots__}
    return Estimate(one.value, **{**facts, "printed": True})


def _whole(matrix: Array) -> list[list[float]]:
    """Counts as whole numbers where they are whole."""
    if np.all(matrix == np.round(matrix)):
        return [[int(cell) for cell in line] for line in matrix]
    return [[float(cell) for cell in line] for line in matrix]
