"""`validate`: what a learner's error is on data like this, from models judged on rows they had not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array, Label
from heldout.engines.fits import fits_on
from heldout.errors import UsageError, refuse_idle
from heldout.estimates import Estimate
from heldout.formulas import Metric
from heldout.learners import Dataset, Design, Predictions, designed, holdout_beside, predictions, whole, worked
from heldout.learners.designs import of_folds
from heldout.splits import LEAST
from heldout.verbs.evaluate.threshold_choice import ChosenThreshold, threshold_chosen
from heldout.verbs.judgement import Margin, known_name
from heldout.verbs.parameters import Engine, Metrics, Progress, Task, documented, refuse_wrong_types
from heldout.verbs.row_order import refuse_in_time, refuse_tests_in_time
from heldout.verbs.settings import Settings, metric_named
from heldout.verbs.validate.arguments import learning_checks, lesson
from heldout.verbs.validate.overfitting_notes import overfitting_notes
from heldout.verbs.validate.split_differences import (
    known_learner_test,
    known_margins,
    naive_p,
    posterior,
    split_judgement,
)
from heldout.verbs.validate.split_estimates import averaging, known_method, split_estimate
from heldout.verbs.validate.split_values import Learned, fitting_metrics
from heldout.verbs.validate.validation import ValidatedLearner, Validation


def learner_threshold(told: Predictions, asked: Settings, costs: tuple[float, float]) -> ChosenThreshold:
    """The threshold of least cost for scores of models that had not seen their rows, and what choosing it costs.

    The folds are those of the cross-validation, where each row was tested once. Rows that were tested several times are
    units, and folds are drawn that keep them whole.
    """
    fp, fn = costs
    once = len(np.unique(told.row)) == len(told.row) and len(told.splits) > 1
    return threshold_chosen(told.batch, asked, fp=fp, fn=fn, folds=told.split if once else None)


CV = """Splits: 10, "10x10", "5x2", "loo", "lpo" (leave pair out: every pair of rows of two classes, for roc_auc),
        "lpo:2" (leave 2 out: all such splits), "holdout", "boot", ".632+", "group", "time", "nested", "conservative",
        or a scikit-learn splitter (default: 25 random splits of 90% and 10%; 30 of 2/3 and 1/3 for several models)."""


@documented(cv=CV)
def validate(
    models: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    metrics: Metrics = None,
    primary: str | Metric | None = None,
    groups: Any = None,
    strata: Any = None,
    folds: Any = None,
    stratified: bool = True,
    min_fold_size: int = LEAST,
    sample_weight: Any = None,
    drop: Sequence[str] = (),
    time: Any = None,
    task: Task | None = None,
    pos_label: Label | None = None,
    clip: float | None = None,
    cost: Any = None,
    method: str = "auto",
    test: str | None = None,
    margin: Margin = None,
    rope: float | None = None,
    choose_threshold: tuple[float, float] | None = None,
    holdout: float | None = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
    n_jobs: int | None = None,
    run: str | Path | None = None,
    checks: bool = True,
    progress: Progress | None = None,
    engine: Engine | None = None,
    engine_address: str | None = None,
) -> Validation:
    """Estimate the error of learners on unseen rows of such data, and test whether one is better than another.

    Parameters
    ----------
    <models>
    <X>
    <y>
    <cv>
    <metrics>
    <primary>
    <learner_groups>
    <strata>
    folds : array-like or str, optional
        Instead of `cv`: the fold of each row, or the name of the column, as `split` writes it. Each fold is tested by a
        model of the others; rows of -1, or of a part named train, are never tested.
    <stratified>
    min_fold_size : int, default 30
        Test parts of fewer rows are mentioned in a note (H312).
    <learner_weight>
    <drop>
    <time>
    <task>
    <pos_label>
    <clip>
    <cost>
    method : str, default "auto"
        Interval method (default: the one that suits the splits).
    test : str, optional
        corrected_t, kfold_t, 5x2cv_t, 5x2cv_f; with one test set also those of `compare`; in the order of time t or
        diebold_mariano (default: the one that suits).
    <margin>
    rope : float, optional
        Also the probability that models differ by no more than this: the region of practical equivalence.
    choose_threshold : (float, float), optional
        Costs of a false positive and of a false negative: the threshold of least cost, chosen across folds.
    holdout : float, optional
        Also hold out this share of the rows once, and show training error, holdout and the estimate over the splits
        side by side: the result's `learners[name].holdout`. In the order of time the last rows are held out.
    <confidence_level>
    <seed>
    <n_jobs>
    <run>
    <checks>
    <progress>
    <learner_engine>
    <engine_address>

    Returns
    -------
    Validation
        Estimates of every model, each with its target; of several models, their differences from the first.

    Raises
    ------
    UsageError
        A learner, split or test is unknown, or does not fit the data.
    DataError
        The data are wrong, or a fold lacks a class.

    See Also
    --------
    select : Choose a model, with an estimate corrected for the choice.
    learning_curve : The error against the number of training rows.
    choose_folds : Bias and spread against the number of folds.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = validate(GaussianNB(), X, y, cv=10, metrics="accuracy")
    >>> found["accuracy"], found["accuracy"].target
    (0.938 [0.916, 0.955], 'these 10 models, trained on about 512 rows each')
    """
    refuse_wrong_types(method=method, test=test, margin=margin, choose_threshold=choose_threshold)
    if isinstance(min_fold_size, bool) or not isinstance(min_fold_size, (int, np.integer)) or min_fold_size < 1:
        raise UsageError(f"min_fold_size is {min_fold_size!r}, but must be a whole number from 1", fix="leave it out")
    given = lesson(
        models, X, y, metrics=metrics, primary=primary, groups=groups, strata=strata, folds=folds,
        stratified=stratified, sample_weight=sample_weight, drop=drop, time=time, task=task, pos_label=pos_label,
        clip=clip, cost=cost,
        confidence_level=confidence_level, random_state=random_state, n_jobs=n_jobs, run=run, progress=progress,
        engine=engine, engine_address=engine_address,
    )  # fmt: skip
    data, asked, several = given.data, given.asked, len(given.learners) > 1
    word = "time" if cv is None and time is not None else cv
    if data.folds is not None:
        _alone(cv=cv, strata=strata, time=time)
        word = of_folds(data.folds)
    design = designed(word, data, random_state=asked.seed, several=several)
    known_method(method, design)
    if several:
        known_learner_test(test, design)
        if design.kind == "holdout":
            refuse_tests_in_time(test, given=times_of(data, design) is not None, paired=True)
        known_margins(margin, rope)
    else:
        refuse_idle("with one model: there is no difference", test=test, margin=margin, rope=rope)
    in_order = times_of(data, design) is not None
    refuse_in_time(given=in_order, method="auto", max_fpr=None, choose_threshold=choose_threshold)
    once = None if holdout is None else holdout_beside(holdout, data, design, asked.seed)
    if not stratified:
        _stratification_matters(word, data, design, once=once is not None, several=several, seed=asked.seed)
    noticed = learning_checks(data, design, min_fold_size) if checks else ()
    every = (*design.every, *(() if once is None else once.splits))
    with fits_on(engine, engine_address):
        said = worked(given.learners, data, every, given.effort, all_rows=True)
    learned = [_learned(name, data, design, told, asked) for name, told in said.items()]
    chosen = fitting_metrics(learned)
    judged = {one.name: _judged(one, chosen, method, said[one.name]) for one in learned}
    if once is not None:
        judged = {
            name: replace(one, holdout=_held_out(name, data, once, said[name], asked, chosen))
            for name, one in judged.items()
        }
    decides = _primary(primary, chosen)
    judgement = split_judgement(learned, chosen, level=asked.level, primary=decides, test=test, margin=margin)
    bayes = {} if rope is None else {one.name: posterior(chosen[0], one, learned[0], rope) for one in learned[1:]}
    return Validation(
        models=tuple(judged),
        baseline=learned[0].name,
        learners=judged,
        estimates={name: one.estimates for name, one in judged.items()},
        primary=decides,
        differences=judgement.differences,
        verdicts=judgement.verdicts,
        posteriors=bayes,
        thresholds={}
        if choose_threshold is None
        else {one.name: learner_threshold(one.outside, asked, choose_threshold) for one in learned},
        naive={one.name: naive_p(chosen[0], one, learned[0]) for one in learned[1:]},
        task=data.task,
        rows=data.rows,
        units=data.batch.units,
        level=asked.level,
        seed=asked.seed,
        cv=design.word,
        split_kind=design.kind,
        fits=len(design.every),
        training_rows=design.training_rows,
        splits=design.splits,
        checks=(
            *data.checks,
            *noticed,
            *given.effort.noticed(),
            *overfitting_notes(list(judged.values()), learned),
            *judgement.checks,
        ),
        sources=data.sources,
        roles=data.roles,
        data=data,
        estimators=given.learners,
    )


def _alone(**others: Any) -> None:
    """Refuse what would make other splits than the folds that were given."""
    for name, value in others.items():
        if value is not None:
            raise UsageError(
                f"folds and {name} exclude each other: both say how rows are split", fix="give one of them"
            )


def _stratification_matters(cv: Any, data: Dataset, design: Design, *, once: bool, several: bool, seed: int) -> None:
    """Refuse not to stratify splits that are the same either way, where no holdout beside them is drawn."""
    usual = designed(cv, replace(data, stratified=True), random_state=seed, several=several)
    same = all(
        np.array_equal(one.train, other.train) and np.array_equal(one.test, other.test)
        for one, other in zip(design.every, usual.every, strict=True)
    )
    classes = data.task in ("binary", "multiclass")
    if same and not (once and classes and data.times is None):
        why = "these splits do not stratify" if classes else f"there are no classes, because the task is {data.task}"
        refuse_idle(f"with cv={design.word!r}: {why}", stratified=False)


def _learned(name: str, data: Dataset, design: Design, said: Sequence[Any], asked: Settings) -> Learned:
    """What one learner said on the splits of the design, and of all rows, which are the last."""
    first, last = len(design.splits), len(design.every)
    return Learned(
        name,
        design,
        predictions(data, design.splits, said[:first]),
        predictions(data, design.beside, said[first:last]) if design.beside else None,
        predictions(data, [whole(data)], said[-1:]),
        asked,
        times_of(data, design),
    )


def _held_out(  # noqa: PLR0917
    name: str, data: Dataset, once: Design, said: Sequence[Any], asked: Settings, metrics: Sequence[Metric]
) -> dict[str, Estimate]:
    """The metrics on the rows of one holdout split, which is fitted after the others and before all rows."""
    told = predictions(data, once.splits, said[-2:-1])
    one = Learned(name, once, told, None, predictions(data, [whole(data)], said[-1:]), asked, times_of(data, once))
    return {metric.name: split_estimate(metric, one) for metric in metrics}


def times_of(data: Dataset, design: Design) -> Array | None:
    """The time of each row, where test rows come after training rows; rows without times are in their order."""
    if data.batch.unit is not None:
        return None
    if design.kind == "time":
        return np.arange(data.rows) if data.times is None else data.times
    return data.times if design.kind == "holdout" else None


def _judged(one: Learned, metrics: Sequence[Metric], method: str, said: Sequence[Any]) -> ValidatedLearner:
    return ValidatedLearner(
        name=one.name,
        estimates={metric.name: split_estimate(metric, one, method) for metric in metrics},
        values={metric.name: one.values(metric) for metric in metrics},
        training={metric.name: one.training.value(metric) for metric in metrics},
        averaging={metric.name: averaging(metric, one, method) for metric in metrics},
        predictions=one.outside,
        said=tuple(said),
    )


def _primary(primary: str | Metric | None, metrics: Sequence[Metric]) -> str | None:
    """The name of the metric that decides, among those that are computed; the only one decides anyway."""
    if primary is None:
        return metrics[0].name if len(metrics) == 1 else None
    return known_name(metric_named(primary).name, [metric.name for metric in metrics], "metric")
