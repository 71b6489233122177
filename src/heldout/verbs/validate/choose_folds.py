"""`choose_folds`: what cross-validation says with 2, 3, 5, 10, 20 folds, how much it varies, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array, Label
from heldout.engines.fits import fits_on
from heldout.errors import UsageError
from heldout.estimates import Estimate
from heldout.formulas import Metric
from heldout.inputs.message_text import quoted
from heldout.learners import Dataset, Design, Effort, designed, predictions, worked
from heldout.verbs.parameters import Engine, Metrics, Progress, Task, documented
from heldout.verbs.result import Result
from heldout.verbs.settings import Settings, cost_is_used, settings
from heldout.verbs.validate.arguments import lesson
from heldout.verbs.validate.split_estimates import split_estimate
from heldout.verbs.validate.split_values import FIRST, Learned, fitting_metrics

if TYPE_CHECKING:
    from heldout.charts import Figure, Plot

FOLDS = (2, 3, 5, 10, 20)
"""Numbers of folds that are tried by default, up to the number of rows."""
REPEATS = 10
SAME_ROWS = (
    "the deviation is between divisions of the same rows into folds; other rows would vary more, as the interval says"
)


@dataclass(frozen=True, kw_only=True)
class FoldsPoint:
    """Cross-validation with one number of folds, repeated."""

    folds: int
    estimate: Estimate
    """Mean over the repeats; the interval is of the learner at this number of training rows."""
    deviation: float
    """Standard deviation of one cross-validation between repeats: what the luck of the division alone does."""
    training_rows: int
    fits: int
    """Models that one cross-validation fits."""
    bias: float
    """The value less that of the largest number of folds: what fewer training rows cost."""
    bias_error: float
    """Its standard error over the repeats; 0 at the largest number itself."""

    def to_dict(self) -> dict[str, Any]:
        facts = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "estimate"}
        plain = {name: None if isinstance(one, float) and not isfinite(one) else one for name, one in facts.items()}
        return {**plain, "estimate": self.estimate.to_dict()}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class FoldsChoice(Result):
    """What the number of folds does to the estimate of one metric, for one learner or several."""

    kind = "folds-choice"

    learners: dict[str, tuple[FoldsPoint, ...]]
    metric: str
    better: str | None
    task: str
    rows: int
    units: int
    level: float
    seed: int
    repeats: int
    notes: tuple[str, ...] = (SAME_ROWS,)
    roles: Mapping[str, str] | None = None
    values: dict[str, dict[int, Array]] = field(default_factory=dict, compare=False)
    """Learner → folds → the value of each repeat."""
    data: Dataset | None = field(default=None, compare=False)

    def row_keys(self) -> tuple[str, ...]:
        """The hash of the rows that were learned from."""
        return () if self.data is None else self.data.row_keys()

    @property
    def folds(self) -> tuple[int, ...]:
        """The numbers of folds that were tried."""
        return tuple(point.folds for point in next(iter(self.learners.values())))

    @property
    def suggested(self) -> dict[str, int]:
        """Learner → the fewest folds whose bias is at most half of what the luck of the division does to one run."""
        return {name: _fewest(points) for name, points in self.learners.items()}

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        kept = ("metric", "better", "task", "rows", "units", "level", "seed", "repeats", "suggested")
        return {
            "columns": dict(self.roles or {}),
            **{name: getattr(self, name) for name in kept},
            "models": {name: [point.to_dict() for point in points] for name, points in self.learners.items()},
            "notes": list(self.notes),
        }

    def charts(self, d: Mapping[str, Any]) -> Plot:  # noqa: ARG002 the points have what it takes
        """Values, and bias and spread, by the number of folds, of any learner."""
        from heldout.charts.plot import Plot

        return Plot(views={"fold_choice": self._figure, "fold_bias": self._bias_figure})

    def _bias_figure(self, model: str | None = None) -> Figure:
        from heldout.charts.learner_figures import FoldChoice

        points = self.learners[next(iter(self.learners)) if model is None else model]
        return FoldChoice(
            metric=self.metric,
            folds=np.array(self.folds),
            bias=np.array([point.bias for point in points]),
            variance=np.array([point.deviation**2 for point in points]),
            against=max(self.folds),
            rows=self.rows,
        )

    def _figure(self, model: str | None = None) -> Figure:
        from heldout.charts.learner_figures import FoldChoice

        points = self.learners[next(iter(self.learners)) if model is None else model]
        value, low, high = (
            np.array([getattr(point.estimate, name) for point in points]) for name in ("value", "low", "high")
        )
        return FoldChoice(
            metric=self.metric, folds=np.array(self.folds), value=value, low=low, high=high, rows=self.rows,
            level=self.level,
        )  # fmt: skip


@documented()
def choose_folds(
    models: Any,
    X: Any,
    y: Any,
    *,
    folds: Sequence[int] | None = None,
    repeats: int = REPEATS,
    metrics: Metrics = None,
    groups: Any = None,
    strata: Any = None,
    sample_weight: Any = None,
    drop: Sequence[str] = (),
    task: Task | None = None,
    pos_label: Label | None = None,
    cost: Any = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
    n_jobs: int | None = None,
    run: str | Path | None = None,
    progress: Progress | None = None,
    engine: Engine | None = None,
    engine_address: str | None = None,
) -> FoldsChoice:
    """Estimate bias, spread and cost of k-fold cross-validation against k, on these rows.

    Fewer folds leave fewer rows to learn from, which makes learners look worse; more folds cost more fits. The bias is
    against the most folds tried.

    Parameters
    ----------
    <models>
    <X>
    <y>
    folds : sequence of int, optional
        The numbers of folds to try (default: 2, 3, 5, 10 and 20).
    repeats : int, default 10
        Repetitions of each cross-validation, with other folds each time.
    metrics : str or Metric, optional
        The metric to estimate; of several the first counts (default: the first that suits the task).
    <learner_groups>
    <strata>
    <learner_weight>
    <drop>
    <task>
    <pos_label>
    <cost>
    <confidence_level>
    <seed>
    <n_jobs>
    <run>
    <progress>
    <learner_engine>
    <engine_address>

    Returns
    -------
    FoldsChoice
        Value, deviation, bias and cost by model and number of folds, and the suggested number.

    Raises
    ------
    UsageError
        A learner or number of folds does not fit the data.
    DataError
        The data are wrong.

    See Also
    --------
    validate, learning_curve

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> found = choose_folds(GaussianNB(), X, y, folds=[2, 10], repeats=3)
    >>> found.folds, [point.training_rows for point in found.learners["GaussianNB"]]
    ((2, 10), [75, 135])
    """
    asked = lesson(
        models, X, y, metrics=metrics, groups=groups, strata=strata, sample_weight=sample_weight, drop=drop,
        task=task, pos_label=pos_label, cost=cost, confidence_level=confidence_level, random_state=random_state,
        n_jobs=n_jobs, run=run, progress=progress, engine=engine, engine_address=engine_address,
    )  # fmt: skip
    decides = _one_metric(asked.asked, asked.data.task)
    cost_is_used(cost, decides)
    with fits_on(engine, engine_address):
        return folds_tried(asked.learners, asked.data, asked.effort, decides, folds=folds, repeats=repeats)


def _one_metric(asked: Settings, task: str) -> Settings:
    """The settings with the metric that folds are judged by: the one that was named, or the first of the task."""
    named = asked.extra if asked.metrics is None else asked.metrics
    if len(named) > 1:
        names = ", ".join(metric.name for metric in named)
        fix = "name one with --metric (metrics=)"
        raise UsageError(f"numbers of folds are judged by one metric, and {len(named)} are named: {names}", fix=fix)
    return replace(asked, metrics=named or settings(metrics=FIRST[task][0]).metrics, extra=())


def folds_tried(
    learners: Mapping[str, Any],
    data: Dataset,
    effort: Effort,
    asked: Settings,
    *,
    folds: Sequence[int] | None = None,
    repeats: int = REPEATS,
) -> FoldsChoice:
    """The choice of folds for checked learners on checked rows."""
    if repeats < 2:
        fix = f"leave it out for {REPEATS}"
        raise UsageError(f"repeats is {repeats}, and how much cross-validation varies needs 2 at least", fix=fix)
    given = [] if folds is None else list(folds)
    for one in given:
        if not isinstance(one, int):
            raise UsageError(f"folds has {quoted(one)}, and must be whole numbers", fix="write folds=[2, 5, 10]")
    tried = _allowed(data) if folds is None else sorted(set(given))
    if not tried:
        raise UsageError("there is no number of folds to try", fix="give numbers such as 2, 5 and 10")
    designs = [designed(f"{repeats}x{one}", data, random_state=asked.seed, several=False) for one in tried]
    said = worked(learners, data, [split for design in designs for split in design.splits], effort)
    learned = {name: _learned(name, data, designs, told, asked) for name, told in said.items()}
    metric = fitting_metrics([each[-1] for each in learned.values()])[0]
    values = {name: {one.design.folds: _of_repeats(one, metric) for one in each} for name, each in learned.items()}
    return FoldsChoice(
        learners={name: _points(metric, each, values[name]) for name, each in learned.items()},
        metric=metric.name, better=metric.better, task=data.task, rows=data.rows, units=data.batch.units,
        level=asked.level, seed=asked.seed, repeats=repeats, sources=data.sources, roles=data.roles, values=values,
        data=data,
    )  # fmt: skip


def _allowed(data: Dataset) -> list[int]:
    """As many folds as there are units, and rows of the smallest class."""
    most = data.batch.units
    if data.task in ("binary", "multiclass"):
        counts = np.bincount(data.batch.truth)
        most = min(most, int(counts[counts > 0].min()))
    return [one for one in FOLDS if one <= max(2, most)]


def _learned(
    name: str, data: Dataset, designs: Sequence[Design], said: Sequence[Any], asked: Settings
) -> list[Learned]:
    found, first = [], 0
    for design in designs:
        last = first + len(design.splits)
        told = predictions(data, design.splits, said[first:last])
        found.append(Learned(name, design, told, None, told, asked))
        first = last
    return found


def _of_repeats(one: Learned, metric: Metric) -> Array:
    """The value of each cross-validation: the mean over its folds, without those where it is undefined."""
    values = one.values(metric).reshape(one.design.repeats, one.design.folds)
    known = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        found: Array = np.where(known, values, 0).sum(axis=1) / known.sum(axis=1)
    return found


def _points(metric: Metric, sizes: Sequence[Learned], values: Mapping[int, Array]) -> tuple[FoldsPoint, ...]:
    most = values[max(values)]
    return tuple(
        FoldsPoint(
            folds=one.design.folds,
            estimate=split_estimate(metric, one, "corrected_t"),
            deviation=float(found.std(ddof=1)),
            training_rows=one.design.training_rows,
            fits=one.design.folds,
            bias=float(found.mean() - most.mean()),
            bias_error=0.0 if found is most else sqrt((found.var(ddof=1) + most.var(ddof=1)) / len(found)),
        )
        for one, found in ((one, values[one.design.folds]) for one in sizes)
    )


def _fewest(points: Sequence[FoldsPoint]) -> int:
    return next(
        point.folds
        for at, point in enumerate(points)
        if all(not abs(later.bias) > later.deviation / 2 for later in points[at:])
    )
