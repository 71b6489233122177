"""`learning_curve`: a learner's error against the number of rows it learns from, beside its error on those rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.batch import Array, Label
from heldout.cards import SplitCard, split_interval_card
from heldout.cards.lookup import LEVEL
from heldout.engines.fits import fits_on
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.formulas import Metric, name_among
from heldout.intervals.over_splits import OverSplits, corrected_t
from heldout.learners import Dataset, Design, Effort, Predictions, Said, designed, predictions, worked
from heldout.splits import Split
from heldout.verbs.parameters import Engine, Metrics, Progress, Task, documented
from heldout.verbs.result import Result
from heldout.verbs.settings import Settings
from heldout.verbs.validate.arguments import lesson
from heldout.verbs.validate.split_estimates import over_values, replaced
from heldout.verbs.validate.split_values import Learned, fitting_metrics, split_values
from heldout.verbs.validate.training_sizes import nested_parts, training_sizes

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


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class LearningCurve(Result):
    """Learners at rising numbers of training rows, tested on the same rows."""

    kind = "learning-curve"

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
    roles: Mapping[str, str] | None = None
    values: dict[str, dict[str, Array]] = field(default_factory=dict, compare=False)
    """Learner → metric → value of every size (line) and split (column)."""
    data: Dataset | None = field(default=None, compare=False)

    def row_keys(self) -> tuple[str, ...]:
        """The hash of the rows that were learned from."""
        return () if self.data is None else self.data.row_keys()

    @property
    def sizes(self) -> tuple[int, ...]:
        """Training rows of each point."""
        return tuple(point.rows for point in next(iter(self.learners.values()))[self.primary])

    def points(self, metric: str | None = None, model: str | None = None) -> tuple[LearningPoint, ...]:
        """The points of the curve of one metric of one model.

        Parameters
        ----------
        metric : str, optional
            The metric (default: the primary one).
        model : str, optional
            The model (default: the first).

        Returns
        -------
        tuple of LearningPoint
            One point per training size.

        Raises
        ------
        UsageError
            If there is no such metric or model.
        """
        name = next(iter(self.learners)) if model is None else model
        if name not in self.learners:
            raise UsageError(
                f"no learner is named {name!r}{did_you_mean(name, self.learners)}",
                fix=f"choose one of {', '.join(self.learners)}",
            )
        known = self.primary if metric is None else name_among(metric, self.learners[name])
        if known not in self.learners[name]:
            raise UsageError(
                f"no curve is of {metric!r}{did_you_mean(known, self.learners[name])}",
                fix=f"choose one of {', '.join(self.learners[name])}",
            )
        return self.learners[name][known]

    @property
    def cards(self) -> tuple[SplitCard, ...]:
        """Simulated coverage of such intervals at full size, per learner; of errors, at 95%."""
        if self.level != LEVEL or self.primary not in ("accuracy", "error_rate"):
            return ()
        splits = f"shuffle:{self.repeats}x{round(self.test_rows / self.rows, 2):g}"
        found = split_interval_card("corrected t", self.rows, splits=splits)
        return tuple(card for card in found if card.splits == splits)

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
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
            "models": {
                name: {metric: [point.to_dict() for point in points] for metric, points in found.items()}
                for name, found in self.learners.items()
            },
        }

    def charts(self, d: Mapping[str, Any]) -> Plot:  # noqa: ARG002 the points have what it takes
        """The learning curve of any metric."""
        from heldout.charts.plot import Plot

        return Plot(views={"learning_curve": self._figure})

    def _figure(self, metric: str | None = None) -> Figure:
        from heldout.charts.learner_figures import LearningCurve as Drawn

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


REPEATS = 25
TEST = 0.1
"""25 x (90%, 10%): where the corrected t held its coverage at full size."""
Interval = Callable[[Array], OverSplits]
"""Values of splits → their mean with its interval."""


@documented()
def learning_curve(
    models: Any,
    X: Any,
    y: Any,
    *,
    train_sizes: Sequence[float] | None = None,
    repeats: int = REPEATS,
    test_size: float = TEST,
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
) -> LearningCurve:
    """Estimate the error of learners against the number of training rows, with confidence intervals.

    In each of `repeats` random splits the same test rows evaluate every size, and training sets are nested; classes
    keep their shares, groups stay whole. Beside each value stands the one on the training rows themselves: where the
    two meet, more rows of this kind bring little.

    Parameters
    ----------
    <models>
    <X>
    <y>
    train_sizes : sequence of float or int, optional
        Shares (fractions) or numbers of training rows (default: 10%, 20%, 40%, 60%, 80% and 100%).
    repeats : int, default 25
        Number of random splits.
    test_size : float, default 0.1
        Share of test rows.
    <metrics>
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
    LearningCurve
        Estimates by model, metric and training size.

    Raises
    ------
    UsageError
        A learner or size is unknown or does not fit the data.
    DataError
        The data are wrong.

    See Also
    --------
    validate, choose_folds

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = learning_curve(GaussianNB(), X, y, train_sizes=[0.1, 1.0], metrics="accuracy")
    >>> found.sizes, found.points()[-1].estimate.target
    ((51, 512), 'this learner, trained on 512 rows')
    """
    asked = lesson(
        models, X, y, metrics=metrics, groups=groups, strata=strata, sample_weight=sample_weight, drop=drop,
        task=task, pos_label=pos_label, cost=cost, confidence_level=confidence_level, random_state=random_state,
        n_jobs=n_jobs, run=run, progress=progress, engine=engine, engine_address=engine_address,
    )  # fmt: skip
    with fits_on(engine, engine_address):
        return sizes_learned(
            asked.learners,
            asked.data,
            asked.effort,
            asked.asked,
            sizes=train_sizes,
            repeats=repeats,
            test_size=test_size,
        )


def sizes_learned(
    learners: Mapping[str, Any],
    data: Dataset,
    effort: Effort,
    asked: Settings,
    *,
    sizes: Sequence[float] | None = None,
    repeats: int = REPEATS,
    test_size: float = TEST,
) -> LearningCurve:
    """The learning curve of checked learners on checked rows."""
    if not 0 < test_size < 1:
        raise UsageError(f"test_size is {test_size:g}, but must lie between 0 and 1", fix="for a tenth write 0.1")
    if repeats < 2:
        raise UsageError(f"repeats is {repeats}, and how much values vary needs 2 at least", fix="leave it out for 25")
    design = _splits(data, repeats, test_size, asked.seed)
    designs = _designs(data, design, sizes, asked.seed)
    said = worked(learners, data, [_with_training_rows(one) for each in designs for one in each.splits], effort)
    learned = {
        name: [_learned(name, data, each, told[at * repeats :], asked) for at, each in enumerate(designs)]
        for name, told in said.items()
    }
    metrics = fitting_metrics([each[-1] for each in learned.values()])

    def tell(known: Array) -> OverSplits:
        # splits share as many test rows at every size: the ratio is that of the whole split; with that of the smaller
        # training part intervals were up to three times as wide and had a coverage of 100%
        return corrected_t(known, asked.level, ratio=design.ratio)

    values = {
        name: {metric.name: np.stack([one.values(metric) for one in each]) for metric in metrics}
        for name, each in learned.items()
    }
    return LearningCurve(
        learners={
            name: {one.name: _points(one, each, values[name][one.name], tell, data.batch.units) for one in metrics}
            for name, each in learned.items()
        },
        primary=metrics[0].name, task=data.task, rows=data.rows, units=data.batch.units, level=asked.level,
        seed=asked.seed, repeats=repeats, test_rows=round(float(np.mean([len(one.test) for one in design.splits]))),
        sources=data.sources, roles=data.roles, values=values, data=data,
    )  # fmt: skip


def _splits(data: Dataset, repeats: int, test_size: float, seed: int) -> Design:
    """So many random splits, with this share of the rows to test."""
    word = f"shuffle:{repeats}x{np.format_float_positional(test_size)}"
    try:
        return designed(word, data, random_state=seed, several=False)
    except DataError as error:
        message = f"{data.rows:,} rows are too few for a learning curve with test_size={test_size:g}: {error.message}"
        raise DataError(message, code=error.code, fix="give more rows, or a larger test_size") from error


def _designs(data: Dataset, design: Design, sizes: Sequence[float] | None, seed: int) -> list[Design]:
    """The random splits once for each size, training on so many of their rows."""
    classes = data.batch.truth if data.task in ("binary", "multiclass") else None
    unit = data.batch.unit
    wanted = training_sizes(
        sizes,
        min(len(split.train) for split in design.splits),
        max(2, 0 if classes is None else len(data.batch.labels)),
    )
    parts = [
        nested_parts(
            split.train, wanted, np.random.default_rng([seed, 43, at]),
            classes=None if classes is None else classes[split.train], unit=None if unit is None else unit[split.train],
        )
        for at, split in enumerate(design.splits)
    ]  # fmt: skip
    rows = np.array([[len(part) for part in each] for each in parts])
    # groups stay whole, so that two sizes may end at the same group
    kept = [at for at in range(len(wanted)) if at == 0 or (rows[:, at] != rows[:, at - 1]).any()]
    return [
        replace(design, splits=tuple(replace(s, train=p[at]) for s, p in zip(design.splits, parts, strict=True)))
        for at in kept
    ]


def _with_training_rows(split: Split) -> Split:
    """The split that asks about its training rows too, so that one fit tells both errors."""
    return replace(split, test=np.concatenate([split.test, split.train]))


def _learned(name: str, data: Dataset, design: Design, said: Sequence[Said], asked: Settings) -> Learned:
    outside = _told(data, design.splits, said, [slice(len(split.test)) for split in design.splits])
    own = [replace(split, test=split.train) for split in design.splits]
    inside = _told(data, own, said, [slice(len(split.test), None) for split in design.splits])
    return Learned(name, design, outside, None, inside, asked)


def _told(data: Dataset, splits: Sequence[Split], said: Sequence[Said], where: Iterable[slice]) -> Predictions:
    parts = [
        replace(one, prediction=one.prediction[part], score=None if one.score is None else one.score[part])
        for one, part in zip(said[: len(splits)], where, strict=True)
    ]
    return predictions(data, splits, parts)


def _points(
    metric: Metric, sizes: Sequence[Learned], values: Array, tell: Interval, units: int
) -> tuple[LearningPoint, ...]:
    found: list[LearningPoint] = []
    for at, one in enumerate(sizes):
        rows = one.design.training_rows
        seen = split_values(metric, one.inside, one.asked)
        known = seen[np.isfinite(seen)]
        told = over_values(metric, one, values[at], tell)
        found.append(
            LearningPoint(
                rows=rows,
                estimate=replaced(told, units=units, target=f"this learner, trained on {rows:,} rows"),
                training=float(known.mean()) if len(known) else nan,
                gain=_gain(metric, values[at - 1 : at + 1], tell, units, (found[-1].rows, rows)) if at else None,
            )
        )
    return tuple(found)


def _gain(metric: Metric, values: Array, tell: Interval, units: int, rows: tuple[int, int]) -> Estimate | None:
    """What the larger training part brings, split by split; None where it is undefined on most of them."""
    known = np.isfinite(values).all(axis=0)
    if known.sum() < max(2, known.size / 2):
        return None
    told = tell(values[1, known] - values[0, known])
    return Estimate(
        told.value, low=told.low, high=told.high, level=told.level, method=told.method, units=units, notes=told.notes,
        name=metric.name, better=metric.better, target=f"{rows[1]:,} training rows less {rows[0]:,}",
    )  # fmt: skip
