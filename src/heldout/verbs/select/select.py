"""`select`: choose a model and its parameters, with an estimate of its error corrected for the choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from heldout.batch import Array, Label
from heldout.engines.fits import fits_on
from heldout.errors import DataError, HeldoutError, UsageError
from heldout.estimates import Estimate
from heldout.formulas import Metric
from heldout.inputs import Check
from heldout.learners import Predictions, predictions, whole
from heldout.search import (
    Choice,
    Configuration,
    Protocol,
    Search,
    Trial,
    Work,
    candidates_named,
    chosen,
    fits_counted,
    known_protocol,
    parts_of,
    searched,
)
from heldout.search.strategies import most
from heldout.search.trials import RULE
from heldout.verbs.measurement import Measurement
from heldout.verbs.parameters import Engine, Metrics, Progress, Task, documented
from heldout.verbs.select.after_selection import bias_corrected, judged_outside, poolable, spread_of
from heldout.verbs.select.selection import Model, Selection, Tried, plain_values
from heldout.verbs.settings import Settings, clip_is_used, cost_is_used, settings
from heldout.verbs.validate.arguments import Lesson, learning_checks, lesson, scores_wanted
from heldout.verbs.validate.split_values import FIRST, OTHERS, Learned, split_values

THIRD, TRIALS = 1 / 3, 50
"""Share of test and of validation rows, and configurations of a search, by default."""
OUTER = """Outer splits, that evaluate the search (default: 5; in time order where `time` is given)."""


@documented(cv=OUTER)
def select(
    models: Any,
    X: Any,
    y: Any,
    *,
    protocol: Literal["nested", "bbc", "single"] = "nested",
    cv: Any = None,
    inner_cv: Any = None,
    test_size: float | None = None,
    validation_size: float | None = None,
    metrics: Metrics = None,
    search: Literal["grid", "random", "guided"] = "grid",
    n_trials: int | None = None,
    sampler: Any = None,
    groups: Any = None,
    strata: Any = None,
    sample_weight: Any = None,
    drop: Sequence[str] = (),
    time: Any = None,
    task: Task | None = None,
    pos_label: Label | None = None,
    clip: float | None = None,
    cost: Any = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
    n_jobs: int | None = None,
    run: str | Path | None = None,
    checks: bool = True,
    progress: Progress | None = None,
    engine: Engine | None = None,
    engine_address: str | None = None,
) -> Selection:
    """Choose a model and its parameters, and estimate its error on unseen rows, corrected for the choice.

    The winner's own score is optimistic, because it was chosen for being high. The corrected one comes from rows that
    had no part in the choice. `fitted()` is the model to use, fitted to all rows.

    Parameters
    ----------
    models : mapping of str to estimator or (estimator, grid), or path
        Estimators by name, alone or with the values to try: {"lr": (LogisticRegression(), {"C": [0.1, 1]})}; or a
        file, candidates.toml or candidates.py.
    <X>
    <y>
    protocol : {"nested", "bbc", "single"}, default "nested"
        How the search is evaluated: the whole search repeated in outer splits; bootstrap bias corrected
        cross-validation, which fits nothing again; or one validation and one test set.
    <cv>
    inner_cv : int, str or splitter, optional
        Inner splits, that choose (default: 5; one validation set for single).
    test_size : float, optional
        Share of test rows, for the protocol single (default: 1/3).
    validation_size : float, optional
        Share of validation rows among the rest, for the protocol single (default: 1/3).
    metrics : str, Metric or sequence of them, optional
        The first decides; the others are estimated too (default: the first that suits the task).
    search : {"grid", "random", "guided"}, default "grid"
        Which configurations are tried: all, random ones, or those that Optuna suggests.
    n_trials : int, optional
        Number of configurations of a random or guided search (default: 50).
    sampler : str or optuna sampler, optional
        For a guided search: "tpe", "nsgaii", "cmaes", "annealing" or "random" (default: "tpe").
    <learner_groups>
    <strata>
    <learner_weight>
    <drop>
    <time>
    <task>
    <pos_label>
    <clip>
    <cost>
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
    Selection
        The winner, its own and its corrected score, the configurations within noise of it, and the model to use.

    Raises
    ------
    UsageError
        A candidate, search or protocol is unknown, or does not fit the data.
    DataError
        The data are wrong.

    See Also
    --------
    validate, learning_curve

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> found = select({"tree": (DecisionTreeClassifier(), {"max_depth": [1, 2, 3, 4]})}, X, y)
    >>> found.winner, found.corrected
    ('tree(max_depth=4)', 0.933 [0.857, 1.000])
    """
    _effective(protocol, cv, test_size, validation_size)
    _search_options(search, n_trials, sampler)
    named = candidates_named(models)
    given = lesson(
        {one.name: one.estimator for one in named}, X, y, metrics=metrics, groups=groups, strata=strata,
        sample_weight=sample_weight, drop=drop, time=time, task=task, pos_label=pos_label, clip=clip, cost=cost,
        confidence_level=confidence_level, random_state=random_state, n_jobs=n_jobs, run=run, progress=progress,
        engine=engine, engine_address=engine_address,
    )  # fmt: skip
    data, asked = given.data, _deciding(given, metrics, protocol)
    clip_is_used(clip, asked)
    cost_is_used(cost, asked)
    trials = TRIALS if n_trials is None else n_trials
    how = Search(kind=search, trials=trials, sampler=sampler or "tpe", seed=asked.seed)
    plan = parts_of(
        protocol, data, outer=cv, inner=inner_cv, test_size=THIRD if test_size is None else test_size,
        validation_size=THIRD if validation_size is None else validation_size, random_state=asked.seed,
        ordered=time is not None,
    )  # fmt: skip
    noticed = learning_checks(data, plan.design) if checks else ()
    total = most(named, how) * sum(map(len, plan.searches)) + len(plan.judges) + 1
    effort = replace(given.effort, scores=scores_wanted(asked))
    work = Work(data=data, fits=fits_counted(data, effort, total), measure=_measure(asked), better=_better(asked))
    with fits_on(engine, engine_address):
        rounds = searched(named, how, work, plan.searches)
        found = _selection(work, asked, how, plan, rounds, (*data.checks, *noticed))
    return replace(found, checks=(*found.checks, *effort.noticed()))


def _effective(protocol: str, cv: Any, test_size: float | None, validation_size: float | None) -> None:
    """Refuse a protocol that does not exist, and what has no effect in one."""
    known_protocol(protocol)
    for name, value in (("test_size", test_size), ("validation_size", validation_size)):
        if value is not None and protocol != "single":
            fix = f"leave out {name}, or choose protocol='single'"
            raise UsageError(f"{name} has no effect with the protocol {protocol}", fix=fix)
    if cv is not None and protocol != "nested":
        fix = "leave out cv, or choose protocol='nested'"
        raise UsageError(f"cv has no effect with the protocol {protocol}, which has no outer splits", fix=fix)


def _search_options(search: str, n_trials: int | None, sampler: Any) -> None:
    """Refuse what has no effect in a search."""
    if n_trials is not None and search == "grid":
        raise UsageError("n_trials has no effect with a grid search, which tries all", fix="leave out n_trials")
    if sampler is not None and search != "guided":
        fix = "leave out sampler, or choose search='guided'"
        raise UsageError(f"sampler has no effect with a {search} search", fix=fix)


def _deciding(given: Lesson, metrics: Metrics, protocol: str) -> Settings:
    """The settings, with the task's first metric where none was asked for; bbc judges by one that can be pooled."""
    asked = given.asked
    if metrics is None:
        asked = replace(asked, metrics=settings(metrics=FIRST[given.data.task][0]).metrics)
    if not asked.metrics or asked.extra:
        raise UsageError("metrics is 'all', and one metric must decide", fix="name the metric that decides first")
    if asked.metrics[0].better is None:
        fix = "name another first, such as accuracy"
        raise UsageError(f"{asked.metrics[0].name} has no better and worse, and cannot decide", fix=fix)
    if protocol == "bbc":
        poolable(asked.metrics[0])
        if len(asked.metrics) > 1:
            fix = "leave out the others, or choose protocol='nested'"
            raise UsageError(f"bbc evaluates one metric, and metrics names {len(asked.metrics)}", fix=fix)
    return asked


def _better(asked: Settings) -> Any:
    assert asked.metrics is not None
    return asked.metrics[0].better


def _metrics(name: str, told: Predictions, asked: Settings) -> list[Metric]:
    """The metrics as they apply to what a configuration said; an error names it."""
    try:
        return Measurement(told.batch, asked).metrics()
    except HeldoutError as problem:
        fix = OTHERS if isinstance(problem, DataError) else problem.fix
        raise type(problem)(f"{name} cannot be judged: {problem.message}", code=problem.code, fix=fix) from problem


def _measure(asked: Settings) -> Callable[[str, Predictions], Array]:
    def measure(name: str, told: Predictions) -> Array:
        return split_values(_metrics(name, told, asked)[0], told, asked)

    return measure


def _selection(  # noqa: PLR0917
    work: Work, asked: Settings, how: Search, plan: Protocol, rounds: list[tuple[Trial, ...]], checks: tuple[Check, ...]
) -> Selection:
    """The winner of the last search, and what the searches are worth."""
    data, tried = work.data, rounds[-1]
    metric = _metrics("the search", tried[0].predictions, asked)[0]
    choices = [chosen(trials, work.better, lambda told: spread_of(metric, told, asked)) for trials in rounds]
    last = choices[-1]
    winner = last.winner.configuration
    outside = _outside(plan, work, [one.winner.configuration for one in choices])
    (final,) = work.fits({winner.name: winner.estimator}, [], all_rows=True)[winner.name]
    inside = predictions(data, [whole(data)], [final])
    estimates = _estimates(plan, tried, outside, inside, asked)
    within = {one.name for one in last.within}
    seen = Measurement(inside.batch, asked)
    made = sum(len(trials) * len(parts) for trials, parts in zip(rounds, plan.searches, strict=True))
    return Selection(
        winner=winner.name,
        parameters=winner.parameters,
        apparent=last.winner.value,
        estimates=estimates,
        configurations=tuple(_tried(one, one.name in within) for one in tried),
        error=last.error,
        rule=RULE,
        simplest=last.simplest.name,
        models=_models(data.rows, plan, choices, estimates[metric.name]),
        choices=tuple(one.winner.name for one in choices[: len(plan.judges)]),
        training={one.name: seen.value(one) for one in seen.metrics()},
        primary=metric.name,
        better=work.better,
        protocol=plan.method,
        outer=None if plan.outer is None else plan.outer.word,
        inner=plan.inner,
        search=how.kind,
        sampler=_sampler(how),
        fits=made + len(plan.judges) + 1,
        task=data.task,
        rows=data.rows,
        units=data.batch.units,
        level=asked.level,
        seed=asked.seed,
        checks=checks,
        sources=data.sources,
        roles=data.roles,
        outside=outside,
        data=data,
        estimators={one.name: one.configuration.estimator for one in tried},
    )


def _sampler(how: Search) -> str | None:
    """What guided the search, by name."""
    if how.kind != "guided":
        return None
    return how.sampler if isinstance(how.sampler, str) else type(how.sampler).__name__


def _outside(plan: Protocol, work: Work, winners: Sequence[Configuration]) -> Predictions | None:
    """What each outer split's winner, retrained on the whole training part, says of the test part."""
    if plan.outer is None:
        return None
    said = [
        work.fits({one.name: one.estimator}, [split])[one.name][0]
        for one, split in zip(winners, plan.judges, strict=False)
    ]
    return predictions(work.data, plan.outer.splits, said)


def _estimates(
    plan: Protocol, tried: Sequence[Trial], outside: Predictions | None, inside: Predictions, asked: Settings
) -> dict[str, Estimate]:
    """What the search is worth, per metric."""
    if plan.outer is None or outside is None:
        (metric,) = _metrics("the search", tried[0].predictions, asked)
        return {metric.name: bias_corrected(metric, tried, asked, _learned_from(plan.searches[-1]))}
    learned = Learned("this search", plan.outer, outside, None, inside, asked)
    return {one.name: judged_outside(one, learned) for one in _metrics("the search", outside, asked)}


def _learned_from(splits: Sequence[Any]) -> int:
    """How many rows a model was fitted to, on average."""
    return round(float(np.mean([len(one.train) for one in splits])))


def _tried(one: Trial, within: bool) -> Tried:
    found = one.configuration
    return Tried(
        name=found.name, candidate=found.candidate, parameters=found.parameters, value=one.value,
        values=plain_values(one.values), within=within,
    )  # fmt: skip


def _models(rows: int, plan: Protocol, choices: Sequence[Choice], corrected: Estimate) -> tuple[Model, ...]:
    """The three models, and the number that belongs to each."""
    winner = choices[-1].winner
    chosen_says = "scored on the rows that chose it, and chosen because the score was high: not to be reported"
    if plan.outer is None:
        judged = Model(
            role="judged", configurations=(), rows=_learned_from(plan.searches[-1]), value=corrected.value,
            says="no model is fitted again: resampled rows choose, and the rows left out of each resample evaluate",
        )  # fmt: skip
    else:
        judged = Model(
            role="judged",
            configurations=tuple(one.winner.name for one in choices[: len(plan.judges)]),
            rows=plan.outer.training_rows,
            value=corrected.value,
            says="judged on rows that had no part in choosing or fitting: the number to report",
        )
    final = (
        "fitted to all rows, the one to use: no rows are left to evaluate it, and the corrected score, of models of "
        "fewer rows, is if anything too pessimistic for it"
    )
    return (
        Model(
            role="chosen", configurations=(winner.name,), rows=_learned_from(plan.searches[-1]), value=winner.value,
            says=chosen_says,
        ),
        judged,
        Model(role="final", configurations=(winner.name,), rows=rows, value=float("nan"), says=final),
    )  # fmt: skip
