"""The rows of several models: the same rows, matched by id or by position; or samples of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from heldout import inputs
from heldout.batch import Label
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.inputs import Check, Reading, Source
from heldout.inputs.columns.column_names import NAMES, plain_name
from heldout.inputs.columns.number_parsing import numbers_or_none
from heldout.inputs.columns.task_guess import output_role
from heldout.inputs.formats.files import Table
from heldout.inputs.formats.frames import table
from heldout.inputs.index_alignment import aligned
from heldout.inputs.message_text import MOST, names_listed
from heldout.inputs.read_arrays import array_columns
from heldout.inputs.reading import ReadOptions
from heldout.verbs.chunked.table_source import InMemory
from heldout.verbs.compare.compared_models import Models
from heldout.verbs.compare.many_models import best_of_many, deciding_metric, metrics_of_all
from heldout.verbs.compare.model_columns import are_columns, column_role, no_other_output, table_of_model
from heldout.verbs.compare.row_matching import matched_rows, same_question
from heldout.verbs.measurement import Measurement
from heldout.verbs.parameters import value_text
from heldout.verbs.settings import Settings

FOLDS = ("fold", "folds", "split", "rep", "repeat", "repetition", "iteration", "cv")
"""Names of a column that numbers folds."""
MANY = 100
"""More numbers than this per model are not fold scores."""
ROLES = {name for names in NAMES.values() for name in names}


def folds_in_table(rows: Table) -> DataError | None:
    """The refusal of a table without truth that numbers folds, or has few rows of nothing but unnamed numbers."""
    names = [plain_name(name) for name in rows.names]
    numbered = [rows.names[at].strip() for at, name in enumerate(names) if name in FOLDS]
    values = [numbers_or_none(rows.column(at)) for at in range(len(names))]
    count = len(rows.column(0)) if names else 0
    if numbered:
        return _refused(f"{rows.place} looks like scores of folds (it has a column {numbered[0]!r})")
    headless = len(names) == 1 and _is_number(names[0])
    unnamed = not ROLES & set(names) and not any(map(_is_number, names))
    if not 0 < count <= MANY or any(column is None for column in values) or not (headless or unnamed):
        return None
    return _refused(f"{rows.place} looks like scores of folds ({count + headless} numbers per model)")


def folds_in_arrays(models: Mapping[Any, Any], rows: int | None = None) -> DataError | None:
    """The refusal of a few fractions per model that have no truth, or far more truths than numbers."""
    arrays = [_array(values) for values in models.values()]
    sizes = {len(array) for array in arrays if array is not None}
    if any(array is None for array in arrays) or len(sizes) != 1:
        return None
    count = sizes.pop()
    if not 0 < count <= MANY or (rows is not None and 2 * count > rows):  # a row or two too few is another mistake
        return None
    return _refused(f"the models look like scores of folds ({count} numbers each)")


def _array(values: Any) -> Any:
    """One line of fractions, or None."""
    if isinstance(values, str | bytes | Mapping) or not (isinstance(values, list | np.ndarray)):
        return None
    try:
        array = np.asarray(values)
    except ValueError:  # lists of several lengths
        return None
    return array if array.ndim == 1 and array.dtype.kind == "f" else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _refused(what: str) -> DataError:
    return DataError(
        f"{what}, not predictions: folds share training rows, so a t-test over them is not valid",
        code="H301",
        fix="pass out-of-fold predictions: one line for each row, with its truth; or for a corrected test of the "
        "scores heldout compare --fold-scores a.txt b.txt --n-train 1800 --n-test 200 (heldout.compare_fold_scores)",
    )


BESIDE = ("sample_weight", "groups", "times", "several_series")
"""Options that are arrays beside one truth."""
NAMED = ("truth", "pred", "score", "prob_prefix", "group", "weight", "id", "time", "series", "log")
"""Options that say what a column of a table is, or where the table comes from."""
ARGUMENTS = {
    "pred": "y_pred", "score": "y_score", "group": "groups", "weight": "sample_weight", "times": "time",
    "several_series": "series",
}  # fmt: skip
"""Role of a column → the argument of `compare` that names it, where they differ."""
DECIDED = ("labels", "threshold", "task", "link", "clip")


def matched_models(
    readings: Mapping[str, Reading], settings: Settings, *, baseline: str | None, primary: str | None, on_missing: str
) -> Models:
    """Models on the same rows, matched by id or by position: equal truths, weights and groups, row by row."""
    if on_missing not in ("error", "intersect"):
        raise UsageError(
            f"on_missing is {on_missing!r}, but must be 'error' or 'intersect'", fix="leave it out for 'error'"
        )
    names = two_or_more(readings)
    rows = matched_rows(readings, on_missing)
    first = rows.batches[names[0]]
    measured = {
        name: Measurement(
            replace(batch, weight=first.weight, unit=first.unit, time=first.time, segments=first.segments), settings
        )
        for name, batch in rows.batches.items()
    }
    reference = reference_model(baseline, names)
    chosen = deciding_metric(metrics_of_all(measured, reference), primary) if len(names) > 2 else None
    return Models(
        measured=measured,
        baseline=reference,
        matched_by=rows.matched_by,
        unmatched=rows.only,
        checks=(*_checks(readings), *rows.checks),
        dated=next(iter(readings.values())).dated,
        sources=_sources(readings),
        best=None if chosen is None else best_of_many(chosen, measured, reference),
    )


def independent_models(readings: Mapping[str, Reading], settings: Settings, *, baseline: str | None) -> Models:
    """Models on samples that share no row."""
    names = two_or_more(readings)
    batches = {name: one.batch for name, one in readings.items()}
    for name in names[1:]:
        same_question(batches[name], batches[names[0]])
    return Models(
        measured={name: Measurement(batch, settings) for name, batch in batches.items()},
        baseline=reference_model(baseline, names),
        paired=False,
        unmatched=dict.fromkeys(names, 0),
        checks=(*_checks(readings), *_shared_ids(readings)),
        sources=_sources(readings),
    )


def reference_model(baseline: str | None, names: Sequence[str]) -> str:
    """The model that the others are compared with: the first, unless one is named."""
    if baseline is None:
        return names[0]
    if str(baseline) not in names:
        known = f"the models are {names_listed(names, MOST)}"
        raise UsageError(f"no model is named {baseline!r}{did_you_mean(str(baseline), names)}", fix=known)
    return str(baseline)


def models_by_name(y_true: Any, models: Any) -> tuple[Any, dict[str, Any] | None]:
    """The truth and the models, with names as text; raise if the models are not a mapping."""
    if models is None:
        return ({str(name): model for name, model in y_true.items()} if isinstance(y_true, Mapping) else y_true), None
    if not isinstance(models, Mapping):
        message = f"models is {value_text(models)}, but must be a mapping of names to predictions"
        raise UsageError(message, fix="pass compare(y_true, {'a': …, 'b': …})")
    return y_true, {str(name): model for name, model in models.items()}


def _checks(readings: Mapping[str, Reading]) -> tuple[Check, ...]:
    return each_once(check for one in readings.values() for check in one.checks)


def each_once(checks: Iterable[Check]) -> tuple[Check, ...]:
    """Each note once; a hint at groups once per column, though files differ in their numbers of rows."""
    found: dict[tuple[str, str, bool], Check] = {}
    for check in checks:
        text = check.text.split(" has ")[0] if check.code == "H114" else check.text
        found.setdefault((check.code, text, check.labels), check)
    return tuple(found.values())


def _sources(readings: Mapping[str, Reading]) -> tuple[Source, ...]:
    return tuple(source for one in readings.values() for source in one.sources)


def _shared_ids(readings: Mapping[str, Reading]) -> tuple[Check, ...]:
    """A note if samples that should share no row have ids in common."""
    columns = [np.unique(np.asarray(one.ids).astype(str)) for one in readings.values() if one.ids is not None]
    if len(columns) < 2:
        return ()
    _, counts = np.unique(np.concatenate(columns), return_counts=True)
    shared = int(np.count_nonzero(counts > 1))
    text = (
        f"{shared:,} id{' is' if shared == 1 else 's are'} in more than one sample; if these are the same rows, "
        "compare them as such: leave out --unpaired (paired=False)"
    )
    return (Check(code="H101", text=text),) if shared else ()


def two_or_more(readings: Mapping[str, object]) -> list[str]:
    """The names of the models; raise if there are fewer than two."""
    if len(readings) < 2:
        count = len(readings)
        raise UsageError(f"{count} model was given, and a comparison needs two", fix="name another model or file")
    return list(readings)


def read_models(y_true: Any, models: Mapping[str, Any] | None, options: dict[str, Any]) -> dict[str, Reading]:
    """One reading per model: from files and frames that have their own truth, or from arrays beside one truth."""
    if models is None:
        if not isinstance(y_true, Mapping):
            raise UsageError("compare needs models", fix="pass compare(y_true, {'a': …}) or compare({'a': file, …})")
        return _tables(y_true, options)
    if y_true is None:
        return _tables(models, options)
    if are_columns(y_true, models):
        return _columns(y_true, models, options)
    _fitting(options, NAMED, "arrays beside one truth", "files and frames")
    y_true, models = _kept(y_true), {name: _kept(values) for name, values in models.items()}
    folds = folds_in_arrays(models, len(y_true))
    if folds is not None:
        raise folds
    y_true, outputs, options, moved = _aligned(y_true, models, options)
    readings = {name: _arrays(name, y_true, values, options) for name, values in outputs.items()}
    found = _with_all_labels(readings, lambda name, known: _arrays(name, y_true, outputs[name], known), options)
    return {name: replace(one, checks=(*moved, *one.checks)) for name, one in found.items()}


def _kept(values: Any) -> Any:
    """The values of a generator as a list, as they are read more than once; other values as they are."""
    return list(values) if isinstance(values, Iterator) else values


def _aligned(
    y_true: Any, models: Mapping[str, Any], options: dict[str, Any]
) -> tuple[Any, dict[str, Any], dict[str, Any], tuple[Check, ...]]:
    """Truth, outputs of models and options, their rows matched by index where they have one."""
    outputs = {str(name): values for name, values in models.items()}
    beside = {name: options[name] for name in (*BESIDE, "segments") if options.get(name) is not None}
    rows, moved = aligned({"y_true": y_true, **{f"model {name}": one for name, one in outputs.items()}, **beside})
    in_order = {name: rows[f"model {name}"] for name in outputs}
    return rows["y_true"], in_order, {**options, **{name: rows[name] for name in beside}}, moved


def _with_all_labels(
    readings: dict[str, Reading], again: Callable[[str, dict[str, Any]], Reading], options: dict[str, Any]
) -> dict[str, Reading]:
    """The readings; read again with the labels of all models if one never predicts a label."""
    labels: tuple[Label, ...] = tuple(dict.fromkeys(label for one in readings.values() for label in one.batch.labels))
    numbers = any(one.batch.task == "regression" for one in readings.values())
    if numbers or all(len(one.batch.labels) == len(labels) for one in readings.values()):
        return readings
    in_order = max((one.batch.labels for one in readings.values()), key=len)
    known = sorted(labels, key=lambda label: (str(type(label)), label))
    if list(in_order) != [label for label in known if label in in_order]:  # categories with an order of their own
        known = [*in_order, *(label for label in known if label not in in_order)]
    return {name: again(name, {**options, "labels": known, "as_sorted": True}) for name in readings}


def _fitting(options: Mapping[str, Any], others: Iterable[str], given: str, instead: str) -> None:
    """Raise if an option has no meaning for what was given."""
    for name in others:
        if options.get(name) is None:
            continue
        argument = ARGUMENTS.get(name, name)
        if argument not in ("sample_weight", "groups", "time", "series"):
            raise UsageError(f"{argument} is for {instead}, and the models are {given}", fix=f"leave out {argument}")
        kind = "an array" if name in BESIDE else "the name of a column"
        fix = f"name a column of every file or frame: {argument}='…'" if name in BESIDE else "pass an array"
        raise UsageError(f"{argument} is {kind}, and the models are {given}", fix=f"{fix}, or leave out {argument}")


def _tables(models: Mapping[str, Any], options: dict[str, Any]) -> dict[str, Reading]:
    folds = folds_in_arrays(models)
    if folds is not None:
        raise folds
    _fitting(options, BESIDE, "files, frames or samples of their own", "arrays beside one truth")
    pairs = [name for name, source in models.items() if _is_pair(source)]
    if not pairs:
        return {str(name): _table(str(name), source, options) for name, source in models.items()}
    if len(pairs) < len(models):
        raise UsageError(
            "some models are pairs of truth and prediction, and others are not", fix="give all models in one form"
        )
    _fitting(options, NAMED, "arrays", "files and frames")
    samples = {str(name): source for name, source in models.items()}
    readings = {name: _arrays(name, truth, values, options) for name, (truth, values) in samples.items()}
    return _with_all_labels(
        readings, lambda name, known: _arrays(name, samples[name][0], samples[name][1], known), options
    )


def _columns(source: Any, models: Mapping[str, str], options: dict[str, Any]) -> dict[str, Reading]:
    """One reading per column of a table."""
    _fitting(options, BESIDE, "columns of a table", "arrays beside one truth")
    no_other_output(options)
    if options.get("log") is not None:
        raise UsageError("a log holds one model, and columns are for several", fix="leave out log")
    two_or_more(models)
    rows = table(source)
    names = list(models.values())

    def one(column: str, known: dict[str, Any]) -> Reading:
        asked = {**known, column_role(rows, column, known): column}
        return _table(rows.place, table_of_model(rows, column, names, known), asked)

    readings = {str(name): one(column, options) for name, column in models.items()}
    found = _with_all_labels(readings, lambda name, known: one(models[name], known), options)
    first, *others = found
    return {first: found[first]} | {name: replace(found[name], sources=()) for name in others}


def _is_pair(source: Any) -> bool:
    """Whether a model is given as (truth, prediction)."""
    return isinstance(source, tuple) and len(source) == 2


def read_options(options: Mapping[str, Any]) -> ReadOptions:
    """The options of `compare` on reading a table, as `inputs.read` takes them, without the log."""
    return {
        "truth": options.get("truth"),
        "pred": options.get("pred"),
        "score": options.get("score"),
        "prob_prefix": options.get("prob_prefix"),
        "group": options.get("group"),
        "weight": options.get("weight"),
        "id": options.get("id"),
        "segments": _listed(options.get("segments")),
        "positive": options.get("pos_label"),
        "labels": options.get("labels"),
        "threshold": options.get("threshold"),
        "task": options.get("task"),
        "link": options.get("link"),
        "clip": options.get("clip"),
        "on_nan": options.get("on_nan") or "error",
        "time": options.get("time"),
        "series": options.get("series"),
        "horizon": options.get("horizon"),
    }


def _table(name: str, source: Any, options: dict[str, Any]) -> Reading:
    if options.get("log") is None:
        source = _rows_in_memory(name, source)
    try:
        found = inputs.read(source, log=options.get("log"), **read_options(options))
    except DataError as error:
        folds = folds_in_table(source) if error.code == "H106" and "no column for the truth" in error.message else None
        raise folds or error from None
    if "weight" in found.columns and options.get("weight") is None:
        text = f"rows are weighted by the column {found.columns['weight']}, which was found by its name"
        return replace(found, checks=(*found.checks, Check(code="H111", text=text)))
    return found


def _rows_in_memory(name: str, source: Any) -> Table:
    """The table of a model; a frame has the name of the model in messages, a file its own."""
    if isinstance(source, InMemory):
        return source.table()
    return table(source) if isinstance(source, str | Path | Table) else replace(table(source), place=name)


def _listed(names: Any) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names or ())


def _arrays(name: str, y_true: Any, values: Any, options: dict[str, Any]) -> Reading:
    """Read one model's output, an array beside the truth: predictions, scores, or a probability per class."""
    arguments: dict[str, Any] = {
        key: options.get(key) for key in ("sample_weight", "groups", "segments", "pos_label", *DECIDED)
    }
    arguments["on_nan"] = options.get("on_nan") or "error"
    arguments["as_sorted"] = bool(options.get("as_sorted"))
    arguments |= {
        "time": options.get("times"), "series": options.get("several_series"), "horizon": options.get("horizon"),
    }  # fmt: skip
    try:
        truth, output = array_columns("y_true", y_true), array_columns("y_pred", values)
        role = "y_pred"
        if output_role(truth, output, options.get("task")) == "score":
            role = "y_proba" if len(output) > 1 else "y_score"
        arguments[role] = values
        return inputs.from_arrays(y_true, **arguments)
    except DataError as error:
        raise DataError(f"{name}: {error.message}", code=error.code, fix=error.fix) from error
