"""How good a model is, from its predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldout import inputs
from heldout.batch import Label
from heldout.errors import UsageError
from heldout.estimates import Estimate
from heldout.formulas import Metric
from heldout.inputs import Check, Reading
from heldout.verbs.chunked.sources import Stream, are_paths, opened
from heldout.verbs.evaluate.dummy_model import Baseline, baseline, no_better
from heldout.verbs.evaluate.evaluation import Evaluation
from heldout.verbs.evaluate.frozen_threshold import frozen_threshold, judged_elsewhere
from heldout.verbs.evaluate.operating_point import operating_point
from heldout.verbs.evaluate.subgroups import segmented
from heldout.verbs.measurement import DRAWN_METHODS, Measurement
from heldout.verbs.settings import Settings, concerning, cost_matrix, settings

if TYPE_CHECKING:
    from numpy.random import Generator

    from heldout.verbs.evaluate.threshold_choice import ChosenThreshold


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
    threshold_from: Any = None,
    task: str | None = None,
    on_nan: str = "error",
    link: str | None = None,
    log: str | None = None,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: str = "two-sided",
    cost: Any = None,
    max_fpr: float | None = None,
    choose_threshold: tuple[float, float] | None = None,
    fold: str | None = None,
    folds: Any = None,
    train: Any = None,
    allow_overlap: bool = False,
    draws: int = 2000,
    random_state: int | Generator | None = 0,
    engine: str | None = None,
    engine_address: str | None = None,
    memory: float | str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """How good a model is: every metric that fits the data, each with its interval.

    `data` is the truth, with predictions beside it (`y_pred`, `y_score`, `y_proba`, `sample_weight`, `groups`); or a
    file, frame or mapping whose columns are found by name or named (`truth`, `pred`, `score`, `prob_prefix`, `weight`,
    `group`, `id`); or the log of an evaluation whose samples are right or wrong (`log="lm-eval"` or `"inspect"`).
    With `max_fpr` the result has an `operating_point`: the threshold with the best recall whose false positive rate is
    certified, at the confidence level, not to exceed it. With `choose_threshold=(fp, fn)` it has a `chosen_threshold`:
    the one of least cost where a false alarm costs fp and a miss fn, and what that costs on rows that did not choose
    it; folds are drawn, or those of the column `fold` (of arrays, `folds`). `threshold_from` is a threshold.json frozen
    on a page; on the rows it was chosen on it is refused, unless `allow_overlap`.

    Several paths, a folder, a pattern (`"runs/*.parquet"`), a DuckDB relation and a Dask or Spark frame are tables in
    parts. What takes more than `memory` (bytes, or as `"4G"`; 2 GiB unless given) is read part by part and never kept:
    counts and sums are the same, metrics of the order of scores come with a bound on what that changed. An `engine`
    (`"local"`, `"dask"`, `"ray"`, `"spark"`, at `engine_address`) always reads in parts; `progress` is told how many of
    them are done, and of how many.

    >>> result = evaluate([1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0, 1])
    >>> result["accuracy"]
    0.750 [0.409, 0.929]
    """
    asked = settings(
        confidence_level=confidence_level,
        method=method,
        side=side,
        draws=draws,
        random_state=random_state,
        metrics="accuracy" if log is not None and metrics is None else metrics,
    )
    frozen = None if threshold_from is None else frozen_threshold(threshold_from, threshold)
    cut = threshold if frozen is None else frozen.threshold
    decided = {"labels": labels, "threshold": cut, "task": task, "on_nan": on_nan, "link": link}
    beside = {
        "y_pred": y_pred,
        "y_score": y_score,
        "y_proba": y_proba,
        "sample_weight": sample_weight,
        "groups": groups,
    }
    if _is_table(data, beside):
        named = {
            "truth": truth,
            "pred": pred,
            "score": score,
            "prob_prefix": prob_prefix,
            "group": group,
            "weight": weight,
            "id": id,
        }
        if folds is not None:
            raise UsageError("folds is an array, but a file or frame was given", fix="name its column: fold='…'")
        listed = (*_listed(segments), *((fold,) if fold is not None else ()))
        options = {**named, "segments": listed, "positive": pos_label, **decided}
        if log is None:
            walk = {"engine": engine, "address": engine_address, "memory": memory, "progress": progress}
            by_id = asked.method in DRAWN_METHODS
            data = opened(data, options, every_column=train is not None, with_id=by_id, **walk)  # type: ignore[arg-type]
        else:
            _only_for_parts(engine, engine_address, memory, "a log was")
        if isinstance(data, Stream):
            from heldout.verbs.chunked.chunked_evaluate import evaluated_in_parts

            needs_rows = {"train": train, "fold": fold, "choose_threshold": choose_threshold}
            return evaluated_in_parts(data, asked, cost=cost, max_fpr=max_fpr, frozen=frozen, needs_rows=needs_rows)
        reading = inputs.read(data, log=log, **options)  # type: ignore[arg-type]
    else:
        _only_for_parts(engine, engine_address, memory, "arrays were")
        _only_for_tables(
            {
                "truth": truth,
                "pred": pred,
                "score": score,
                "prob_prefix": prob_prefix,
                "group": group,
                "weight": weight,
                "id": id,
                "log": log,
                "fold": fold,
            }
        )
        reading = inputs.from_arrays(data, **beside, segments=segments, pos_label=pos_label, **decided)  # type: ignore[arg-type]
    checks: tuple[Check, ...] = ()
    if train is not None and log is not None:
        raise UsageError("train needs the rows of a table, but a log was given", fix="leave out train or log")
    if train is not None:
        roles = tuple(reading.columns.get(role, "") for role in ("pred", "score"))
        checks = inputs.shared_rows(data, train, id=id, group=group, ignore=roles, allow_overlap=allow_overlap)
    if frozen is not None:
        checks += judged_elsewhere(frozen, reading.batch, allow_overlap=allow_overlap)
    asked = replace(asked, cost=cost_matrix(cost, reading.batch))
    point = None if max_fpr is None else operating_point(reading.batch, max_fpr, asked.level)
    chosen = _chosen(reading, asked, choose_threshold, folds if fold is None else reading.batch.segments[fold].codes)
    if fold is not None:
        reading = _without_folds(reading, fold, _listed(segments))
    result = _evaluated(replace(reading, checks=reading.checks + checks), asked, constant=log is None)
    return replace(result, operating_point=point, chosen_threshold=chosen)


def _chosen(reading: Reading, asked: Settings, costs: Any, folds: Any) -> ChosenThreshold | None:
    """The threshold of least cost, where the costs of a false alarm and of a miss were given."""
    if costs is None:
        if folds is not None:
            fix = "pass --choose-threshold FP:FN (choose_threshold=(fp, fn)), or leave out the folds"
            raise UsageError("folds are there to choose a threshold across, and none is to be chosen", fix=fix)
        return None
    try:
        fp, fn = costs
    except (TypeError, ValueError):
        fix = "for a miss that costs ten false alarms write choose_threshold=(1, 10)"
        raise UsageError(f"choose_threshold is {costs!r}, which is no pair of costs", fix=fix) from None
    from heldout.verbs.evaluate.threshold_choice import threshold_chosen

    return threshold_chosen(reading.batch, asked, fp=fp, fn=fn, folds=folds)


def _without_folds(reading: Reading, fold: str, segments: tuple[str, ...]) -> Reading:
    """The reading with the column of folds in its own role, and among segments only where it was asked for."""
    kept = {name: one for name, one in reading.batch.segments.items() if name != fold or name in segments}
    columns = {**{role: name for role, name in reading.columns.items() if role != "segment"}, "fold": fold}
    if kept:
        columns["segment"] = ", ".join(kept)
    return replace(reading, batch=replace(reading.batch, segments=kept), columns=columns)


def _evaluated(reading: Reading, asked: Settings, *, constant: bool) -> Evaluation:
    """The evaluation; beside a constant prediction, unless there is none because samples are only right or wrong."""
    measured = Measurement(reading.batch, asked)
    made = evaluation_of(measured, reading, constant=constant)
    segments = {column: segmented(reading.batch, column, asked) for column in reading.batch.segments}
    return replace(made, segments=segments, batch=reading.batch, order=measured.order)


def evaluation_of(measured: Measurement, reading: Reading, *, constant: bool = True) -> Evaluation:
    """Everything that is told of all rows together, from rows or from sums."""
    batch, asked = reading.batch, measured.settings
    found = measured.overall()
    beside = baseline(measured, found) if constant else None
    checks = [*concerning(reading.checks, asked), *_checks(found, beside)]
    wanted = asked.metrics is None or any(metric.reads == "labels" for metric in asked.metrics)
    classified = wanted and batch.prediction is not None and batch.task in ("binary", "multiclass")
    return Evaluation(
        estimates=found,
        classes=measured.by_class(),
        baseline=beside,
        confusion=measured.confusion() if classified else None,
        task=batch.task,
        rows=measured.rows,
        units=measured.units,
        level=asked.level,
        seed=asked.seed,
        threshold=reading.threshold,
        labels=batch.labels,
        positive=None if batch.positive is None else batch.labels[batch.positive],
        positives=measured.positives if constant and batch.task == "binary" else None,
        columns=reading.columns,
        checks=tuple(checks),
        sources=reading.sources,
    )


def _checks(found: dict[str, Estimate], beside: Baseline | None) -> list[Check]:
    checks = []
    slope = found.get("calibration_slope")
    if slope is not None and not slope.low <= 1 <= slope.high and slope.low <= slope.high:
        word = "extreme" if slope.high < 1 else "timid"
        checks.append(
            Check(
                code="H204",
                text=f"calibration slope {slope.value:.2f} [{slope.low:.2f}, {slope.high:.2f}]: scores are too {word}",
            )
        )
    checks += [
        Check(code="H308", text=f"{one.name} is {note}")
        for one in found.values()
        for note in one.notes
        if note.startswith("infinite")
    ][:1]
    checks += [
        Check(code="H307", text=note) for one in found.values() for note in one.notes if "target of zero" in note
    ][:1]
    if beside is not None:
        checks += [Check(code="H309", text=sentence) for sentence in no_better(beside, found)]
    return checks


def _is_table(data: Any, beside: dict[str, Any]) -> bool:
    if isinstance(data, str | Path | Mapping):
        return True
    if any(value is not None for value in beside.values()):
        return False
    return (
        are_paths(data)
        or hasattr(data, "columns")
        or (hasattr(data, "__arrow_c_stream__") and not hasattr(data, "dtype") and not hasattr(data, "type"))
    )


def _only_for_parts(engine: str | None, address: str | None, memory: float | str | None, given: str) -> None:
    """Refuse what says how a table in parts is read, where there is none."""
    for name, value in (("engine", engine), ("engine_address", address), ("memory", memory)):
        if value is not None:
            fix = f"leave out {name}, or write the rows into files"
            raise UsageError(f"{name} is about tables that are read in parts, but {given} given", fix=fix)


def _only_for_tables(named: dict[str, Any]) -> None:
    given = [name for name, value in named.items() if value is not None]
    if given:
        raise UsageError(
            f"{', '.join(given)} names columns of a file or frame, but arrays were given",
            fix="pass the arrays themselves",
        )


def _listed(names: Any) -> tuple[str, ...]:
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(names)
