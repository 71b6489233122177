"""How good a model is, from its predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from heldout import inputs
from heldout.batch import Label
from heldout.errors import DataError, UsageError
from heldout.estimates import Estimate
from heldout.estimates.rounding import number
from heldout.inputs import Check, Reading
from heldout.inputs.columns.column_values import blank, column, positions
from heldout.inputs.formats.frames import table
from heldout.inputs.message_text import rows_named, rows_where
from heldout.inputs.reading import ReadOptions, refuse_unused
from heldout.verbs.chunked.table_source import ChunkedInput, is_list_of_files, open_table
from heldout.verbs.evaluate.dummy_model import Baseline, baseline, no_better
from heldout.verbs.evaluate.evaluation import Evaluation, Segmented
from heldout.verbs.measurement import DRAWN_METHODS, Measurement
from heldout.verbs.parameters import Engine, Log, Metrics, OnNan, Progress, Side, Task, documented, refuse_wrong_types
from heldout.verbs.row_order import dependence_checks, refuse_chunks_in_time, refuse_in_time
from heldout.verbs.settings import (
    Settings,
    clip_is_used,
    concerning,
    cost_is_used,
    cost_matrix,
    settings,
    threshold_is_used,
)

if TYPE_CHECKING:
    from numpy.random import Generator

    from heldout.inputs.formats.files import Table
    from heldout.verbs.evaluate.operating_point import FrozenThreshold, OperatingPoint
    from heldout.verbs.evaluate.shift_from import Role, ShiftFrom
    from heldout.verbs.evaluate.threshold_choice import ChosenThreshold


@documented(n_resamples=2000)
def evaluate(
    y_true: Any,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    y_proba: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    time: Any = None,
    series: Any = None,
    horizon: int | None = None,
    segments: Any = None,
    folds: Any = None,
    truth: str | Sequence[str] | None = None,
    prob_prefix: str | None = None,
    id: str | None = None,
    model_column: str | None = None,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    threshold: float | None = None,
    threshold_from: str | Path | None = None,
    task: Task | None = None,
    on_nan: OnNan = "error",
    link: Literal["logit"] | None = None,
    clip: float | None = None,
    log: Log | None = None,
    metrics: Metrics = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    side: Side = "two-sided",
    cost: Any = None,
    max_fpr: float | None = None,
    choose_threshold: tuple[float, float] | None = None,
    train: Any = None,
    reference: Any = None,
    allow_overlap: bool = False,
    n_resamples: int = 2000,
    random_state: int | Generator | None = 0,
    engine: Engine | None = None,
    engine_address: str | None = None,
    memory: float | str | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate one model: every metric that suits its predictions, each with a confidence interval.

    Parameters
    ----------
    y_true : array-like or table
        The truth, with predictions beside it. Or a table that has both: a path (CSV, TSV, JSON lines, Parquet, Arrow,
        compressed or not), several paths, a folder or pattern, a frame, a mapping of columns, a DuckDB relation, a Dask
        or Spark frame; columns without a name given are found by their usual names and echoed in the output.
    <y_pred>
    <y_score>
    <y_proba>
    <sample_weight>
    <groups>
    <in_time>
    <series>
    <horizon>
    <segments>
    folds : array-like or str, optional
        With `choose_threshold`: the fold of each row, or the name of its column (default: ten random folds).
    <truth>
    <prob_prefix>
    <id>
    <model_column>
        It must name one model; `compare` takes several.
    <pos_label>
    <labels>
    <threshold>
    threshold_from : path, optional
        A threshold.json frozen in a report. On the rows it was chosen on it is refused, unless `allow_overlap`.
    <task>
    <on_nan>
    <link>
    <clip>
    <log>
    <metrics>
    <confidence_level>
    <method>
    <side>
    <cost>
    max_fpr : float, optional
        Find the threshold with the best recall whose false positive rate is certified, at the confidence level, not to
        exceed this: the result's `operating_point`.
    choose_threshold : (float, float), optional
        Costs of a false positive and of a false negative: find the threshold of least cost, and what it costs on rows
        that did not choose it: the result's `chosen_threshold`.
    train : table, optional
        Training data. Test rows and ids that are in it are named in a note. If all test rows are in it, groups are on
        both sides, or training rows are later than test rows, it is refused, unless `allow_overlap`. Columns whose
        distribution differs from the test rows' are named: the result's `shifts`.
    reference : table, optional
        Rows of an earlier test, with predictions: columns, predictions and scores whose distribution changed since are
        named: the result's `shifts`.
    allow_overlap : bool, default False
        Go on with a note where all test rows are in `train`, groups or times overlap with it, or rows are those of
        `threshold_from`. Some rows and ids that `train` shares are a note in any case.
    <n_resamples>
    <random_state>
    <engine>
    <engine_address>
    <memory>
    <progress>

    Returns
    -------
    Evaluation
        Estimates with intervals; `evaluation["roc_auc"]` is one of them.

    Raises
    ------
    UsageError
        An option is unknown or does not fit the data, such as a metric of another task.
    DataError
        The data are wrong: missing columns or values, lengths that differ, or probabilities outside [0, 1].

    See Also
    --------
    compare : Test whether models differ.
    evaluate_confusion : From a confusion matrix.
    evaluate_counts : From two counts.
    heldout.metrics : One metric at a time, by scikit-learn's names.

    Notes
    -----
    Text and up to 20 distinct whole numbers are classes, fractions are a regression; `task` says otherwise. Tables that
    take more than `memory` are read in chunks: metrics of counts and sums are the same, metrics of ranked scores come
    with a bound on the binning error.

    Examples
    --------
    >>> result = evaluate([1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0, 1])
    >>> result["accuracy"]
    0.750 [0.409, 0.929]
    """
    refuse_wrong_types(
        labels=labels, max_fpr=max_fpr, choose_threshold=choose_threshold, threshold_from=threshold_from,
        allow_overlap=allow_overlap, on_nan=on_nan,
    )  # fmt: skip
    asked = settings(
        confidence_level=confidence_level,
        method=method,
        side=side,
        n_resamples=n_resamples,
        random_state=random_state,
        metrics="accuracy" if log is not None and metrics is None else metrics,
    )
    _no_idle(asked, clip, cost, (folds, choose_threshold), shared=(train, threshold_from), allow_overlap=allow_overlap)
    frozen = None if threshold_from is None else _frozen(threshold_from, threshold)
    cut = _cut(threshold, frozen, asked)
    beside = {
        "y_pred": y_pred,
        "y_score": y_score,
        "y_proba": y_proba,
        "sample_weight": sample_weight,
        "groups": groups,
        "time": time,
        "series": series,
    }
    others: dict[Role, Any] = {"train": train, "reference": reference}
    refuse_in_time(given=time is not None, method=asked.method, max_fpr=max_fpr, choose_threshold=choose_threshold)
    if _is_table(y_true, beside):
        _only_names({**beside, "segments": segments, "folds": folds})
        listed = (*_listed(segments), *_listed(folds))
        options: ReadOptions = {
            "truth": truth,
            "pred": y_pred,
            "score": y_score,
            "prob_prefix": prob_prefix,
            "group": groups,
            "weight": sample_weight,
            "id": id,
            "segments": listed,
            "positive": pos_label,
            "labels": labels,
            "threshold": cut,
            "task": task,
            "on_nan": on_nan,
            "link": link,
            "clip": clip,
            "time": time,
            "series": series,
            "horizon": horizon,
        }
        if log is None:
            opened = open_table(
                y_true, options, engine=engine, address=engine_address, memory=memory, progress=progress,
                every_column=train is not None or reference is not None, with_id=asked.method in DRAWN_METHODS,
            )  # fmt: skip
            if isinstance(opened, ChunkedInput):
                from heldout.verbs.chunked.chunked_evaluate import evaluate_chunked

                refuse_chunks_in_time(opened, time)
                needs_rows = {
                    "train": train, "reference": reference, "folds": folds, "choose_threshold": choose_threshold,
                    "model_column": model_column, "allow_overlap": True if allow_overlap else None,
                }  # fmt: skip
                return evaluate_chunked(opened, asked, cost=cost, max_fpr=max_fpr, frozen=frozen, needs_rows=needs_rows)
            y_true = opened.table()
            if model_column is not None:
                _one_model(y_true, model_column)
        else:
            _refuse_chunk_options(engine, engine_address, memory, "a log was")
            _refuse_beside_log({"train": train, "reference": reference, "model_column": model_column})
        reading = inputs.read(y_true, log=log, **options)
    else:
        _refuse_chunk_options(engine, engine_address, memory, "arrays were")
        _only_for_tables(
            {
                "truth": truth,
                "prob_prefix": prob_prefix,
                "id": id,
                "log": log,
                "model_column": model_column,
                "folds": folds if isinstance(folds, str) else None,
            },
            others,
        )
        reading = inputs.from_arrays(
            y_true, **beside, segments=segments, pos_label=pos_label, labels=labels, threshold=cut, task=task,
            on_nan=on_nan, link=link, clip=clip, horizon=horizon,
        )  # fmt: skip
    refuse_unused([reading])
    checks = _train_checks(y_true, train, reading, id, groups, allow_overlap=allow_overlap)
    moved, noticed = _shifts(y_true, others, reading, asked)
    checks += noticed + _frozen_checks(frozen, reading, allow_overlap=allow_overlap)
    asked = replace(asked, cost=cost_matrix(cost, reading.batch))
    point = None if max_fpr is None else _operating_point(reading, max_fpr, asked.level)
    chosen = _chosen(reading, asked, choose_threshold, _folds_of(reading, folds))
    if isinstance(folds, str):
        reading = _without_folds(reading, folds, _listed(segments))
    result = _evaluated(replace(reading, checks=reading.checks + checks), asked, constant=log is None)
    return replace(result, operating_point=point, chosen_threshold=chosen, shifts=moved)


def _one_model(rows: Table, column: str) -> None:
    """Raise if the rows are those of several models."""
    from heldout.inputs.checks.long_format import models_in_column, one_model
    from heldout.inputs.columns.role_columns import Origin

    one_model(models_in_column(rows, column), rows.place, column, Origin(kind=rows.kind))


def _frozen(threshold_from: Any, threshold: float | None) -> FrozenThreshold:
    """The frozen threshold in a file."""
    from heldout.verbs.evaluate.operating_point import frozen_threshold

    return frozen_threshold(threshold_from, threshold)


def _cut(threshold: float | None, frozen: FrozenThreshold | None, asked: Settings) -> float | None:
    """The threshold, given or frozen; refused where only metrics of scores were asked for."""
    if frozen is None:
        threshold_is_used(threshold, asked)
        return threshold
    threshold_is_used(frozen.threshold, asked, option="--threshold-from (threshold_from=)")
    return frozen.threshold


def _with_rows(source: Any, role: Role) -> Table:
    """The training or reference data; refused where there are none, because nothing could be compared with them."""
    rows = table(source)
    if not rows.raw or not len(rows.raw[0]):
        fix = f"give its rows, or leave out --{role} ({role}=)"
        raise DataError(f"{rows.place}, given as {role}, has no rows", code="H112", fix=fix)
    return rows


def _train_checks(
    source: Any, train: Any, reading: Reading, id: str | None, groups: Any, *, allow_overlap: bool
) -> tuple[Check, ...]:
    """Check that test rows and their groups are not in the training data, where it was given."""
    if train is None:
        return ()
    train = _with_rows(train, "train")
    roles = tuple(reading.columns.get(role, "") for role in ("pred", "score"))
    group = groups if isinstance(groups, str) else None
    return inputs.shared_rows(source, train, id=id, group=group, ignore=roles, allow_overlap=allow_overlap)


def _shifts(
    source: Any, others: Mapping[Role, Any], reading: Reading, asked: Settings
) -> tuple[tuple[ShiftFrom, ...], tuple[Check, ...]]:
    """How the test rows differ from the training data and from the reference, where they were given."""
    if all(other is None for other in others.values()):
        return (), ()
    from heldout.verbs.evaluate.shift_from import shift_from

    found = [
        shift_from(role, source, _with_rows(other, role), reading, asked)
        for role, other in others.items()
        if other is not None
    ]
    return tuple(one for one, _ in found if one is not None), tuple(check for _, checks in found for check in checks)


def _frozen_checks(frozen: FrozenThreshold | None, reading: Reading, *, allow_overlap: bool) -> tuple[Check, ...]:
    """Check that a frozen threshold, where there is one, was not chosen on these rows."""
    if frozen is None:
        return ()
    from heldout.verbs.evaluate.operating_point import judged_elsewhere

    return judged_elsewhere(frozen, reading.batch, allow_overlap=allow_overlap)


def _operating_point(reading: Reading, max_fpr: float, level: float) -> OperatingPoint:
    """The threshold with the best recall whose false positive rate is certified."""
    from heldout.verbs.evaluate.operating_point import operating_point

    return operating_point(reading.batch, max_fpr, level)


def _chosen(reading: Reading, asked: Settings, costs: Any, folds: Any) -> ChosenThreshold | None:
    """The threshold of least cost, where the costs of a false alarm and of a miss were given."""
    if costs is None:
        return None
    fp, fn = costs
    from heldout.verbs.evaluate.threshold_choice import threshold_chosen

    return threshold_chosen(reading.batch, asked, fp=fp, fn=fn, folds=folds)


def _no_idle(
    asked: Settings, clip: Any, cost: Any, choice: tuple[Any, Any], *, shared: tuple[Any, Any], allow_overlap: bool
) -> None:
    """Raise if an option has no effect: a clip, costs or folds that nothing uses, or an overlap with nothing."""
    clip_is_used(clip, asked)
    cost_is_used(cost, asked)
    folds, costs = choice
    if folds is not None and costs is None:
        fix = "pass --choose-threshold FP:FN (choose_threshold=(fp, fn)), or leave out the folds"
        raise UsageError("folds are there to choose a threshold across, and none is to be chosen", fix=fix)
    if allow_overlap and all(one is None for one in shared):
        fix = "leave it out, or give --train FILE (train=) or --threshold-from FILE (threshold_from=)"
        raise UsageError("allow_overlap has no effect: there is nothing that rows could be shared with", fix=fix)


def _folds_of(reading: Reading, folds: Any) -> Any:
    """The fold of each row, from an array or the name of a column; a number of folds as it is."""
    if folds is None or isinstance(folds, Real):
        return folds
    if isinstance(folds, str):
        return reading.batch.segments[folds].codes
    given = column("folds", folds)
    if blank(given).any():
        lacking = rows_named(rows_where(blank(given)))
        raise DataError(f"folds is missing in {lacking}", code="H305", fix="complete it, or leave the row out")
    return positions(given)[1]


def _without_folds(reading: Reading, fold: str, segments: tuple[str, ...]) -> Reading:
    """The reading with the column of folds in its own role, and among segments only where it was asked for."""
    kept = {name: one for name, one in reading.batch.segments.items() if name != fold or name in segments}
    columns = {**{role: name for role, name in reading.columns.items() if role != "segment"}, "fold": fold}
    if kept:
        columns["segment"] = ", ".join(kept)
    return replace(reading, batch=replace(reading.batch, segments=kept), columns=columns)


def _evaluated(reading: Reading, asked: Settings, *, constant: bool) -> Evaluation:
    """The evaluation; beside the dummy model, unless there is none because samples are only right or wrong."""
    measured = Measurement(reading.batch, asked)
    made = evaluation_of(measured, reading, constant=constant)
    segments = _segmented(reading, asked) if reading.batch.segments else {}
    return replace(made, segments=segments, batch=reading.batch, order=measured.order)


def _segmented(reading: Reading, asked: Settings) -> dict[str, Segmented]:
    """The metrics in the subgroups of every segment column."""
    from heldout.verbs.evaluate.subgroups import segmented

    return {column: segmented(reading.batch, column, asked) for column in reading.batch.segments}


def evaluation_of(measured: Measurement, reading: Reading, *, constant: bool = True) -> Evaluation:
    """Everything that is told of all rows together, from rows or from sums."""
    batch, asked = reading.batch, measured.settings
    found = measured.overall()
    beside = baseline(measured, found) if constant else None
    checks = [*concerning(reading.checks, asked), *_checks(found, beside), *dependence_checks(reading, measured)]
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
        words = "scores are overconfident" if slope.high < 1 else "scores are underconfident"
        if slope.high < 0:
            words = "the scores run the wrong way: higher ones belong to the other class"
        value, low, high = (number(x, ".2f") for x in (slope.value, slope.low, slope.high))
        text = f"calibration slope {value} [{low}, {high}]: {words}"
        checks.append(Check(code="H204", text=text))
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


def _is_table(y_true: Any, beside: dict[str, Any]) -> bool:
    """Whether the first argument holds predictions as well: a path, or a frame without arrays of predictions."""
    if isinstance(y_true, str | Path | Mapping):
        return True
    if not all(beside[name] is None or _is_name(beside[name]) for name in ("y_pred", "y_score", "y_proba")):
        return False  # a frame of several labels or targets beside its predictions
    return (
        is_list_of_files(y_true)
        or hasattr(type(y_true), "columns")  # of the type: asking a lazy frame itself resolves its schema
        or (hasattr(y_true, "__arrow_c_stream__") and not hasattr(y_true, "dtype") and not hasattr(y_true, "type"))
    )


def _is_name(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list | tuple) and all(isinstance(one, str) for one in value))


def _only_names(beside: dict[str, Any]) -> None:
    """Raise if an array is given beside a table."""
    for name, value in beside.items():
        if value is not None and not _is_name(value):
            if name == "y_proba":
                fix = "name the columns of probabilities with prob_prefix='p_', or pass the truth as an array"
            else:
                fix = f"name its column: {name}='…', or pass the truth as an array"
            raise UsageError(f"{name} is an array, but a file or frame was given", fix=fix)


def _refuse_chunk_options(engine: str | None, address: str | None, memory: float | str | None, given: str) -> None:
    """Raise if an option about reading in chunks is given where nothing can be read in chunks."""
    for name, value in (("engine", engine), ("engine_address", address), ("memory", memory)):
        if value is not None:
            fix = f"leave out {name}, or write the rows into files"
            raise UsageError(f"{name} is for tables that are read in chunks, but {given} given", fix=fix)


def _refuse_beside_log(others: Mapping[str, Any]) -> None:
    """Raise if other rows, or a column of models, are given beside a log, whose samples have no columns."""
    for name, other in others.items():
        if other is not None:
            raise UsageError(f"{name} needs the rows of a table, but a log was given", fix=f"leave out {name} or log")


def _only_for_tables(named: dict[str, Any], tables: Mapping[Role, Any]) -> None:
    """Raise if names of columns, or training rows, are given beside arrays."""
    given = [name for name, value in named.items() if value is not None]
    if given:
        raise UsageError(
            f"{', '.join(given)} names columns of a file or frame, but arrays were given",
            fix="pass the arrays themselves",
        )
    for name, other in tables.items():
        if other is not None:
            fix = f"pass the test rows as a table: evaluate(frame, y_score='…', {name}=…), or leave out {name}"
            raise UsageError(f"{name} needs y_true to be a table, but arrays were given", fix=fix)


def _listed(names: Any) -> tuple[str, ...]:
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(names)
