"""What a verb about learners was asked: learners, rows to learn from, metrics, and how fits are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Batch, Label
from heldout.engines import available
from heldout.engines.fits import lost_worker
from heldout.errors import UsageError
from heldout.formulas import Metric
from heldout.learners import Dataset, Effort, dataset, learners_named
from heldout.learners.parallel_fits import Progress
from heldout.splits.cv_names import learn_extra
from heldout.store import open_store
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings, cost_matrix, settings


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """Learners by name, rows, settings and effort, all checked."""

    learners: dict[str, Any]
    data: Dataset
    asked: Settings
    effort: Effort


def lesson(
    learners: Any,
    X: Any,
    y: Any,
    *,
    scoring: str | Metric | Sequence[str | Metric] | None = None,
    groups: Any = None,
    strata: Any = None,
    sample_weight: Any = None,
    drop: Sequence[str] = (),
    time: Any = None,
    task: str | None = None,
    pos_label: Label | None = None,
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
    learn_extra()
    available(engine, engine_address)
    named = learners_named(learners)
    data = dataset(
        X, y, groups=groups, sample_weight=sample_weight, strata=strata, drop=drop, time=time,
        pos_label=pos_label,
        task=task or task_of(named),
    )  # fmt: skip
    asked = settings(confidence_level=confidence_level, random_state=random_state, metrics=scoring)
    asked = replace(asked, cost=cost_matrix(cost, data.batch))
    suitable(data.batch, asked)
    effort = Effort(
        n_jobs=n_jobs, store=None if run is None else open_store(run), progress=progress, random_state=asked.seed,
        scores=scores_wanted(asked), again=lost_worker,
    )  # fmt: skip
    return Lesson(learners=named, data=data, asked=asked, effort=effort)


def random_only(time: Any, what: str) -> None:
    """Refuse rows in the order of time where splits are drawn at random."""
    if time is not None:
        raise UsageError(f"{what} draws random splits, which rows in the order of time forbid", fix="leave out time")


def task_of(learners: Mapping[str, Any]) -> str | None:
    """Regression where the first learner says so; classes are told by the target."""
    from sklearn.base import is_regressor

    first = next(iter(learners.values()))
    try:
        return "regression" if is_regressor(first) else None
    except (AttributeError, TypeError):  # an object that is no estimator of scikit-learn
        return None


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
