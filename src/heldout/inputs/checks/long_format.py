"""Long format: a table that stacks the rows of several models, with a column that names the model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.inputs.columns.column_names import NAMES, find_column, named_column, plain_name
from heldout.inputs.columns.column_values import Column, blank, positions
from heldout.inputs.columns.role_columns import Origin, RoleColumns
from heldout.inputs.formats.files import Table
from heldout.inputs.message_text import listed, rows_named, rows_where
from heldout.inputs.reading import Check

MODEL_NAMES = re.compile(
    r"(the_)?(models?|classifier|learner|algorithm|algo|estimator|system)([ _.-]?(name|id|version))?"
)
"""Names of columns that may say which model a row is from."""
ID_NAMES = re.compile(r".*(?:[ _.-]|^)(id|key|uuid|index|row|case|nr)|.*Id|.*ID")
"""Names of columns that may identify a row."""
MOST_MODELS = 100


def refuse_stacked_models(rows: Table, columns: RoleColumns) -> None:
    """Raise if the table stacks the same rows of several models: pooled, they would count as so many more rows."""
    if "group" in columns.named or not len(columns.truth[0]):
        return
    used = {column.name for column in (*columns.complete(), *columns.truth)}
    for at, name in enumerate(rows.names):
        if not MODEL_NAMES.fullmatch(plain_name(name)) or name in used or rows.raw[at] is None:
            continue
        stacked = _stacked(rows, rows.column(at), columns)
        if stacked is None:
            continue
        models, same = stacked
        count = f"{len(models)} models ({listed(models, 4)})"
        raise columns.origin.error(
            f"{name.strip()} names {count}, and each has the same rows ({same}): pooled, they are not independent",
            code="H105",
            fix=f"compare the models: {_compare_option(columns.origin, name.strip())}, or keep the rows of one model",
        )


def several_models(rows: Table, columns: RoleColumns) -> tuple[Check, ...]:
    """A note on a column that names several models, where only a sample of the rows was looked at."""
    used = {column.name for column in (*columns.complete(), *columns.truth, *columns.segments)}
    for at, name in enumerate(rows.names):
        if not MODEL_NAMES.fullmatch(plain_name(name)) or name in used or rows.raw[at] is None:
            continue
        models = positions(rows.column(at))[0]
        if 2 <= len(models) <= MOST_MODELS:
            text = (
                f"{name.strip()} names {len(models)} models ({listed(models, 4)}): if each has the same rows, they are "
                f"not independent; compare the models: {_compare_option(columns.origin, name.strip())}"
            )
            return (Check(code="H105", text=text),)
    return ()


def _compare_option(origin: Origin, name: str) -> str:
    """How models of a column are compared, as the caller can paste it."""
    in_python = f"heldout.compare(…, model_column={name!r})"
    return in_python if origin.kind != "file" else f"heldout compare FILE --model-column {name} ({in_python})"


def _stacked(rows: Table, model: Column, columns: RoleColumns) -> tuple[list[object], str] | None:
    """The models, and how their rows are known to be the same; None if they are not."""
    models, codes = positions(model)
    counts = np.bincount(codes[codes >= 0], minlength=len(models))
    if not 2 <= len(models) <= MOST_MODELS or counts.min() != counts.max() or counts[0] < 2 or (codes < 0).any():
        return None
    key = _row_key(rows, model.name, columns.id, codes, len(models))
    if key is not None:
        return models, f"by {key.name}"
    order = np.argsort(codes, kind="stable")
    truths = [positions(column)[1][order].reshape(len(models), -1) for column in columns.truth]
    if all((truth == truth[0]).all() for truth in truths) and len(np.unique(truths[0][0])) > 1:
        return models, "the same truth in the same order"
    return None


def _row_key(rows: Table, model: str, known: Column | None, codes: Array, models: int) -> Column | None:
    """The column that identifies the rows of every model: the id, or the one column named like it that does."""
    if known is not None:
        return known if _identifies(known, codes, models) else None
    named = [at for at, name in enumerate(rows.names) if ID_NAMES.fullmatch(name.strip()) and name != model]
    keys = [rows.column(at) for at in named if rows.raw[at] is not None]
    fitting = [column for column in keys if _identifies(column, codes, models)]
    return fitting[0] if fitting else None


def _identifies(column: Column, codes: Array, models: int) -> bool:
    """Whether a column has the same values for every model, each once."""
    values, places = positions(column)
    if len(values) * models != len(codes) or (places < 0).any():
        return False
    return bool((np.bincount(codes.astype(np.int64) * len(values) + places, minlength=len(codes)) == 1).all())


def models_in_column(rows: Table, column: str) -> list[str]:
    """The models that a column names, in the order in which they occur."""
    return list(_rows_of_models(rows, column))


def split_by_model(rows: Table, column: str, id: str | None) -> tuple[dict[str, Table], str]:
    """One table per model, in the order in which they occur, and the column by which their rows are matched."""
    of_model = _rows_of_models(rows, column)
    names = list(of_model)
    if len(names) < 2:
        raise UsageError(
            f"{rows.place}: {column} names one model ({names[0]}), and a comparison needs two",
            code="H106",
            fix="name the column that says which model each row is of",
        )
    origin = Origin(kind=rows.kind, place=rows.place)
    codes = np.zeros(len(of_model[names[0]]), np.int64)
    for code, own in enumerate(of_model.values()):
        codes[own] = code
    at = (
        find_column(rows.names, NAMES["id"], rows.place)
        if id is None
        else named_column(rows.names, id, rows.place, "id")
    )
    key = rows.column(at) if at is not None else _row_key(rows, column, None, codes, len(names))
    if key is None:
        raise origin.error(
            f"the rows of the models in {column} cannot be matched: no column identifies them",
            code="H101",
            fix=f"name the column that is the same for one row under every model: {origin.option('id', 'NAME')}",
        )
    _once_per_model(origin, key, of_model)
    values = [None if raw is None else _readable(rows, place) for place, raw in enumerate(rows.raw)]
    tables = {
        name: replace(
            rows,
            place=f"{rows.place}, model {name}",
            raw=tuple(None if value is None else value.take(own) for value in values),
            sources=rows.sources if name == names[0] else (),
            decimal_comma=False,
        )
        for name, own in of_model.items()
    }
    return tables, key.name


def _rows_of_models(rows: Table, column: str) -> dict[str, Array]:
    """Model → which rows are its own."""
    model = rows.column(named_column(rows.names, column, rows.place, "the model"))
    gone = blank(model)
    if gone.any():
        raise DataError(
            f"{rows.place}: {column} is missing in {rows_named(rows_where(gone))}",
            code="H305",
            fix="name the model of every row",
        )
    values, codes = positions(model)
    _, first = np.unique(codes, return_index=True)
    return {str(values[code]): codes == code for code in codes[np.sort(first)].tolist()}


def _readable(rows: Table, at: int) -> Column | None:
    """A column, or None where its values are of a kind that no role can have."""
    try:
        return rows.column(at)
    except DataError:
        return None


def _once_per_model(origin: Origin, key: Column, of_model: dict[str, Array]) -> None:
    values, places = positions(key)
    for name, own in of_model.items():
        counts = np.bincount(places[own], minlength=len(values))
        if counts.max() > 1:
            at = int(np.flatnonzero(own & (places == int(counts.argmax())))[1])
            raise origin.error(
                f"model {name} has {key.name} {listed([values[int(counts.argmax())]])} {counts.max()} times "
                f"(again in row {origin.row(at)})",
                code="H105",
                fix=f"keep one row per model and {key.name}, or name another id: {origin.option('id', 'NAME')}",
            )


def one_model(models: Sequence[str], place: str, column: str, origin: Origin) -> None:
    """Raise if a column names several models where one is evaluated."""
    if len(models) > 1:
        raise UsageError(
            f"{place}: {column} names {len(models)} models ({listed(models, 4)}), and evaluate takes one",
            code="H106",
            fix=f"compare them: {_compare_option(origin, column)}, or keep the rows of one model",
        )
