"""`validate`: what a learner's error is on data like this, from models judged on rows they had not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Label
from heldout.engines.fits import fits_on
from heldout.formulas import Metric
from heldout.inputs import Check
from heldout.learners import Dataset, Design, Predictions, designed, predictions, whole, worked
from heldout.verbs.evaluate.threshold_choice import ChosenThreshold, threshold_chosen
from heldout.verbs.judgement import Difference, Verdict
from heldout.verbs.settings import Settings
from heldout.verbs.validate.arguments import lesson
from heldout.verbs.validate.data_checks import learning_checks
from heldout.verbs.validate.split_differences import (
    Asked,
    known_learner_test,
    known_margins,
    learner_differences,
    naive_p,
    posterior,
)
from heldout.verbs.validate.split_estimates import known_method, split_estimate
from heldout.verbs.validate.split_values import Learned, fitting_metrics
from heldout.verbs.validate.validation import Judged, Validation


def learner_threshold(told: Predictions, asked: Settings, costs: tuple[float, float]) -> ChosenThreshold:
    """The threshold of least cost for scores of models that had not seen their rows, and what choosing it costs.

    The folds are those of the cross-validation, where each row was tested once. Rows that were tested several times are
    units, and folds are drawn that keep them whole.
    """
    fp, fn = costs
    once = len(np.unique(told.row)) == len(told.row) and len(told.splits) > 1
    return threshold_chosen(told.batch, asked, fp=fp, fn=fn, folds=told.split if once else None)


def validate(
    learners: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    scoring: str | Metric | Sequence[str | Metric] | None = None,
    groups: Any = None,
    strata: Any = None,
    sample_weight: Any = None,
    drop: Sequence[str] = (),
    time: Any = None,
    task: str | None = None,
    pos_label: Label | None = None,
    cost: Any = None,
    method: str = "auto",
    test: str | None = None,
    margin: float | Mapping[str, float] | None = None,
    rope: float | None = None,
    choose_threshold: tuple[float, float] | None = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
    n_jobs: int | None = None,
    run: str | Path | None = None,
    checks: bool = True,
    progress: Callable[[int, int], None] | None = None,
    engine: str | None = None,
    engine_address: str | None = None,
) -> Validation:
    """Tell what a learner's error will be on data like these, and whether another learner is better.

    `learners` is one, several, or a dict of them: scikit-learn's estimators and pipelines, or whatever has fit and
    predict. A fresh copy is fitted inside every split, all learners on the same ones. X and y are arrays; or X is a
    frame or a path and y the name of its target column. `cv` is a word (10, 10x10, 5x2, loo, lpo, holdout, boot, .632+,
    group, time, nested, conservative) or a splitter; unless given, 25 x (90%, 10%), and 30 x (2/3, 1/3) where learners
    are compared. With `time`, a column or one value per row, later rows are tested. Learners are judged against the
    first by the first metric of `scoring`, others are corrected for their number. With `choose_threshold=(fp, fn)` the
    threshold of least cost is chosen across folds, and told with its honest cost. With `run` every finished fit is kept
    in that folder, and the same call goes on where it stopped. `engine` (dask, ray, spark) fits on a cluster, at its
    `engine_address` or where the engine's own environment says.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = validate(GaussianNB(), X, y, cv=10, scoring="accuracy")
    >>> found["accuracy"], found["accuracy"].target
    (0.938 [0.916, 0.955], 'these 10 models, trained on about 512 rows each')
    """
    given = lesson(
        learners, X, y, scoring=scoring, groups=groups, strata=strata, sample_weight=sample_weight, drop=drop,
        time=time, task=task, pos_label=pos_label, cost=cost, confidence_level=confidence_level,
        random_state=random_state, n_jobs=n_jobs, run=run, progress=progress, engine=engine,
        engine_address=engine_address,
    )  # fmt: skip
    data, asked, several = given.data, given.asked, len(given.learners) > 1
    word = "time" if cv is None and time is not None else cv
    design = designed(word, data, random_state=asked.seed, several=several)
    known_method(method, design)
    if several:
        known_learner_test(test, design)
        known_margins(margin, rope)
    noticed = learning_checks(data, design) if checks else ()
    with fits_on(engine, engine_address):
        said = worked(given.learners, data, design.every, given.effort, all_rows=True)
    learned = [_learned(name, data, design, told, asked) for name, told in said.items()]
    metrics = fitting_metrics(learned)
    judged = {one.name: _judged(one, metrics, method, said[one.name]) for one in learned}
    wanted = Asked(level=asked.level, primary=metrics[0].name, test=test, margin=margin, rope=rope)
    differences = learner_differences(learned, metrics, wanted) if several else []
    bayes = {} if rope is None else {one.name: posterior(metrics[0], one, learned[0], rope) for one in learned[1:]}
    return Validation(
        learners=judged,
        primary=metrics[0].name,
        differences=tuple(differences),
        posteriors=bayes,
        thresholds={}
        if choose_threshold is None
        else {one.name: learner_threshold(one.outside, asked, choose_threshold) for one in learned},
        naive={one.name: naive_p(metrics[0], one, learned[0]) for one in learned[1:]},
        verdict=_verdict(differences, metrics[0].name),
        task=data.task,
        rows=data.rows,
        units=data.batch.units,
        level=asked.level,
        seed=asked.seed,
        cv=design.word,
        kind=design.kind,
        fits=len(design.every),
        training_rows=design.training_rows,
        splits=design.splits,
        checks=(*data.checks, *noticed, *given.effort.noticed(), *_overfitted(judged.values())),
        sources=data.sources,
        roles=data.roles,
        data=data,
        estimators=given.learners,
    )


def _learned(name: str, data: Dataset, design: Design, said: Sequence[Any], asked: Settings) -> Learned:
    first, last = len(design.splits), len(design.every)
    return Learned(
        name,
        design,
        predictions(data, design.splits, said[:first]),
        predictions(data, design.beside, said[first:last]) if design.beside else None,
        predictions(data, [whole(data)], said[last:]),
        asked,
    )


def _judged(one: Learned, metrics: Sequence[Metric], method: str, said: Sequence[Any]) -> Judged:
    return Judged(
        name=one.name,
        estimates={metric.name: split_estimate(metric, one, method) for metric in metrics},
        values={metric.name: one.values(metric) for metric in metrics},
        training={metric.name: one.training.value(metric) for metric in metrics},
        predictions=one.outside,
        said=tuple(said),
    )


def _overfitted(judged: Any) -> list[Check]:
    """Where the model of all rows does better on rows it has seen than any value in the interval of unseen ones."""
    found = []
    for one in judged:
        metric, estimate = next(iter(one.estimates.items()))
        training, end = one.training[metric], estimate.low if estimate.better == "lower" else estimate.high
        if not (isfinite(training) and isfinite(end)) or estimate.better is None:
            continue
        if training < end if estimate.better == "lower" else training > end:
            text = (
                f"{one.name} overfits: {metric} {training:.3f} on the rows it has seen, {estimate} on rows it has not"
            )
            found.append(Check(code="H315", text=text))
    return found


def _verdict(differences: Sequence[Difference], primary: str) -> Verdict | None:
    """The verdict on the primary metric, where there are two learners."""
    deciding = [one.verdict for one in differences if one.metric == primary]
    return deciding[0] if len(deciding) == 1 else None
