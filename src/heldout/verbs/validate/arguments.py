"""What the verbs that fit learners share: learners, training rows, metrics, how fits are made, checks of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Batch, Label
from heldout.engines import available
from heldout.engines.fits import lost_worker
from heldout.errors import DataError, UsageError
from heldout.formulas import Metric
from heldout.inputs.checks.group_hint import repeating_groups
from heldout.inputs.checks.leakage import copied_across, feature_columns, giveaways, groups_across, standardised
from heldout.inputs.columns.assembly import known_clip
from heldout.inputs.columns.column_values import Column
from heldout.inputs.formats.frames import table
from heldout.inputs.reading import Check
from heldout.learners import Dataset, Design, Effort, dataset, learners_named
from heldout.learners.parallel_fits import Progress
from heldout.learners.training_data import part_of, values_in
from heldout.optional_packages import needed, require
from heldout.splits import LEAST, split_checks
from heldout.stats.distribution_shift import shift_checks, shifts
from heldout.store import open_store
from heldout.verbs.measurement import Measurement
from heldout.verbs.parameters import Metrics
from heldout.verbs.settings import Settings, clip_is_used, cost_is_used, cost_matrix, metric_names, settings

IN_ORDER = ("holdout", "time")
"""Designs with one division of the rows that matters; random ones are alike by construction."""


def learning_checks(data: Dataset, design: Design, least: int = LEAST) -> tuple[Check, ...]:
    """Rows copied across parts, groups on both sides, columns that know the target or all rows, parts that differ."""
    given = np.arange(data.rows) if data.order is None else data.order
    pairs = [(one.train, one.test) for one in design.splits]
    columns = _columns(data.X)
    # leave-p-out has small parts that lack classes by construction
    noticed = () if design.word.startswith("lpo") else split_checks(design.splits, data.y, task=data.task, least=least)
    found = [*noticed, *_from_the_future(data, design)]
    if columns and (isinstance(data.X, list) or len(columns) == data.X.shape[1]):
        # rows are named as they were given, also where time has put them into another order
        as_given = columns if data.order is None else _columns(part_of(data.X, np.argsort(given)))
        found += copied_across(as_given, [(given[train], given[test]) for train, test in pairs])
    if columns:
        found += standardised(columns)
        found += giveaways(columns, data.y, task=data.task) if data.y.ndim == 1 else ()
    if data.groups is not None:
        found += groups_across(data.groups, pairs)
    else:
        found += repeating_groups(columns, lambda name: f"groups={name!r}")
    if data.folds is None:
        found += _folds_as_features(columns)
    if design.kind in IN_ORDER and data.groups is None and columns and data.y.ndim == 1:
        found += _shifts(data, columns, design)
    return tuple(found)


FOLD_NAMES = ("fold", "folds", "split", "part")
"""Columns that say which part a row is in, as `split` writes them."""


def _folds_as_features(columns: Sequence[Column]) -> tuple[Check, ...]:
    """A note where a column that looks like folds is learned from."""
    named = [one.name for one in columns if one.name.strip().lower() in FOLD_NAMES]
    if not named:
        return ()
    text = (
        f"{named[0]} is a feature of the learners: if it says which part a row is in, pass it as "
        f"--fold {named[0]} (folds={named[0]!r}), or leave it out with --drop {named[0]} (drop=[{named[0]!r}])"
    )
    return (Check(code="H111", text=text),)


def _from_the_future(data: Dataset, design: Design) -> tuple[Check, ...]:
    """A note (H312) where rows have a time and some splits learn from later rows than they test."""
    later = 0 if data.order is None else sum(one.train.max() > one.test.min() for one in design.splits)
    if not later:
        return ()
    text = f"{later:,} of {len(design.splits):,} splits learn from rows later than some they test: take cv='time'"
    return (Check(code="H312", text=text),)


def _shifts(data: Dataset, columns: list[Column], design: Design) -> tuple[Check, ...]:
    """Whether the last training part and its test part were drawn alike, target and features."""
    target = (data.roles or {}).get("target", "y")
    values = {**{one.name: values_in(one) for one in columns}, target: data.y}
    train, test = (
        {name: column[part] for name, column in values.items()}
        for part in (design.splits[-1].train, design.splits[-1].test)
    )
    return shift_checks(shifts(train, test), target=target)


def _columns(X: Any) -> list[Column]:
    """The features as columns; none where they are not a table (texts, images, sparse matrices).

    Columns of a frame that are neither numbers nor labels (lists, bytes) are left out: pipelines may make use of them.
    """
    if isinstance(X, np.ndarray | list):
        try:
            matrix = np.asarray(X)
        except ValueError:  # lists of several lengths
            return []
        return feature_columns(matrix) if matrix.ndim == 2 and matrix.dtype.kind in "biuf" else []
    found: list[Column] = []
    if hasattr(X, "columns"):
        rows = table(X)
        for at in range(len(rows.names)):
            with suppress(DataError):
                found.append(rows.column(at))
    return found


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """Learners by name, rows, settings and effort, all checked."""

    learners: dict[str, Any]
    data: Dataset
    asked: Settings
    effort: Effort


def lesson(
    models: Any,
    X: Any,
    y: Any,
    *,
    metrics: Metrics = None,
    primary: str | Metric | None = None,
    groups: Any = None,
    strata: Any = None,
    folds: Any = None,
    stratified: bool = True,
    sample_weight: Any = None,
    drop: Sequence[str] = (),
    time: Any = None,
    task: str | None = None,
    pos_label: Label | None = None,
    clip: float | None = None,
    cost: Any = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
    n_jobs: int | None = None,
    run: str | Path | None = None,
    progress: Progress | None = None,
    engine: str | None = None,
    engine_address: str | None = None,
) -> Lesson:
    """What was asked, checked: as `validate` takes it."""
    require("sklearn", "learners need")
    available(engine, engine_address)
    named = learners_named(models)
    data = dataset(
        X, y, groups=groups, sample_weight=sample_weight, strata=strata, folds=folds, stratified=stratified,
        drop=drop, time=time, pos_label=pos_label,
        task=task or task_of(named),
    )  # fmt: skip
    known_clip(clip)
    if clip is not None and data.task not in ("binary", "multiclass"):
        raise UsageError(f"clip is for probabilities of classes, and the task is {data.task}", fix="leave out clip")
    data = replace(data, batch=replace(data.batch, clip=clip or 0.0))
    asked = settings(
        confidence_level=confidence_level, random_state=random_state, metrics=_with_primary(metrics, primary)
    )
    cost_is_used(cost, asked)
    clip_is_used(clip, asked)
    if clip is not None:
        _give_probabilities(named)
    asked = replace(asked, cost=cost_matrix(cost, data.batch))
    suitable(data.batch, asked)
    effort = Effort(
        n_jobs=n_jobs, store=None if run is None else open_store(run), progress=progress, random_state=asked.seed,
        scores=scores_wanted(asked), again=lost_worker,
    )  # fmt: skip
    return Lesson(learners=named, data=data, asked=asked, effort=effort)


def task_of(learners: Mapping[str, Any]) -> str | None:
    """Regression where the first learner says so; classes are told by the target."""
    is_regressor = needed("sklearn.base", "learners need").is_regressor
    first = next(iter(learners.values()))
    try:
        return "regression" if is_regressor(first) else None
    except (AttributeError, TypeError):  # an object that is no estimator of scikit-learn
        return None


def _give_probabilities(learners: Mapping[str, Any]) -> None:
    """Refuse to clip where a learner gives no probabilities: log losses are then of no learner."""
    for name, learner in learners.items():
        if not hasattr(learner, "predict_proba"):
            fix = "leave out --clip (clip=), or take learners with predict_proba"
            raise UsageError(f"clip has no effect: {name} gives no probabilities, so there is no log loss", fix=fix)


def suitable(batch: Batch, asked: Settings) -> None:
    """Refuse metrics that are none for this task, before anything is fitted: as if a model had told the truth."""
    truth, score = batch.truth, None
    if batch.task == "binary":
        score = (truth == batch.positive).astype(float)
    elif batch.task == "multiclass":
        score = np.eye(len(batch.labels))[truth]
    perfect = replace(batch, prediction=truth, score=score, probabilities=score is not None)
    Measurement(perfect, asked).metrics()


def scores_wanted(asked: Settings) -> bool:
    """Whether some metric asked for reads scores."""
    return asked.metrics is None or any(not metric.of_labels or metric.uses == "score" for metric in asked.metrics)


def _with_primary(metrics: Metrics, primary: str | Metric | None) -> Metrics:
    """The metrics asked for, the primary one first: it is the one that a brief document shows."""
    if primary is None:
        return metrics
    if metrics is None:
        return [primary]
    return [primary, *(metric_names(metrics) or [])]  # a metric named twice counts once
