"""Models as columns of one table: whether a column holds predictions or scores, and the columns read for each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from heldout.errors import UsageError
from heldout.inputs.columns.column_names import (
    CLASS_PREFIXES,
    NAMES,
    PREDICTION_PREFIXES,
    find_column,
    named_column,
    plain_name,
)
from heldout.inputs.columns.task_guess import output_role
from heldout.inputs.formats.files import Table

OUTPUTS = ("pred", "score", "prob_prefix")
"""Options that name the output of one model."""
SHARED_COLUMNS = ("truth", "group", "weight", "id", "segments")
"""Options that name columns all models share."""


def are_columns(y_true: Any, models: Mapping[str, Any] | None) -> bool:
    """Whether models are given by the names of their columns in one table.

    >>> are_columns("preds.parquet", {"old": "score_old", "new": "score_new"}), are_columns(None, {"a": "a.csv"})
    (True, False)
    """
    return y_true is not None and bool(models) and all(isinstance(name, str) for name in (models or {}).values())


def no_other_output(options: Mapping[str, Any]) -> None:
    """Refuse options that would name the output of all models at once."""
    for name in OUTPUTS:
        if options.get(name) is not None:
            raise UsageError(f"{name} names one column, and every model names its own", fix=f"leave out {name}")


def column_role(rows: Table, column: str, options: Mapping[str, Any]) -> Literal["pred", "score"]:
    """Whether a model's column holds predictions or scores.

    >>> rows = Table(place="t", names=("y", "a", "b"), raw=([0, 1], [0.2, 0.7], [0, 1]))
    >>> column_role(rows, "a", {}), column_role(rows, "b", {})
    ('score', 'pred')
    """
    output = rows.column(named_column(rows.names, column, rows.place, "a model"))
    truth = options.get("truth")
    at = find_column(rows.names, NAMES["truth"] if truth is None else [str(truth)], rows.place)
    return "pred" if at is None else output_role([rows.column(at)], [output], options.get("task"))


def columns_seen(
    names: Sequence[str], column: str, columns: Sequence[str], options: Mapping[str, Any]
) -> tuple[str, ...]:
    """The columns of a table that are read for one model: not the other models' columns, nor other outputs.

    >>> columns_seen(["id", "y", "old", "new", "y_pred"], "old", ["old", "new"], {})
    ('id', 'y', 'old')
    """
    shared = {column}
    for option in SHARED_COLUMNS:
        given = options.get(option)
        shared |= {given} if isinstance(given, str) else set(given or ())
    outputs = {plain_name(name) for kind in ("pred", "score") for name in NAMES[kind]}
    prefixes = (*CLASS_PREFIXES, *PREDICTION_PREFIXES[:4])
    taken = {name for name in names if plain_name(name) in outputs or plain_name(name).startswith(prefixes)} | set(
        columns
    )
    return tuple(name for name in names if name in shared or name not in taken)


def table_of_model(rows: Table, column: str, columns: Sequence[str], options: Mapping[str, Any]) -> Table:
    """The table with the columns that are read for one model."""
    kept = set(columns_seen(rows.names, column, columns, options))
    pairs = [(name, raw) for name, raw in zip(rows.names, rows.raw, strict=True) if name in kept]
    return replace(rows, names=tuple(name for name, _ in pairs), raw=tuple(raw for _, raw in pairs))
