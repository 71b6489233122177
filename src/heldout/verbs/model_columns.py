"""Several models as columns of one table: what each of them is, and what it does not see of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from heldout.errors import UsageError
from heldout.inputs.columns import positions
from heldout.inputs.files import Table
from heldout.inputs.numbers import numbers_or_none
from heldout.inputs.roles import CLASS_PREFIXES, NAMES, PREDICTION_PREFIXES, found, named, plain

OUTPUTS = ("pred", "score", "prob_prefix")
"""Options that name what one model says."""
BESIDE = ("truth", "group", "weight", "id", "segments")
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


def role(rows: Table, column: str, options: Mapping[str, Any]) -> str:
    """What a model's column is: scores where it holds fractions and the truth has two classes, else predictions.

    >>> rows = Table(place="t", names=("y", "a", "b"), raw=([0, 1], [0.2, 0.7], [0, 1]))
    >>> role(rows, "a", {}), role(rows, "b", {})
    ('score', 'pred')
    """
    said = numbers_or_none(rows.column(named(rows.names, column, rows.place, "a model")))
    truth = options.get("truth")
    at = found(rows.names, NAMES["truth"] if truth is None else [str(truth)], rows.place)
    if said is None or at is None or options.get("task") == "regression":
        return "pred"
    said = said[np.isfinite(said)]
    return "score" if np.any(said != np.rint(said)) and len(positions(rows.column(at))[0]) <= 2 else "pred"


def alone(names: Sequence[str], column: str, columns: Sequence[str], options: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns that a model may see: not those of the others, nor any that would pass for a model's output.

    >>> alone(["id", "y", "old", "new", "y_pred"], "old", ["old", "new"], {})
    ('id', 'y', 'old')
    """
    shared = {column}
    for option in BESIDE:
        given = options.get(option)
        shared |= {given} if isinstance(given, str) else set(given or ())
    outputs = {plain(name) for kind in ("pred", "score") for name in NAMES[kind]}
    prefixes = (*CLASS_PREFIXES, *PREDICTION_PREFIXES[:4])
    taken = {name for name in names if plain(name) in outputs or plain(name).startswith(prefixes)} | set(columns)
    return tuple(name for name in names if name in shared or name not in taken)


def seen_by(rows: Table, column: str, columns: Sequence[str], options: Mapping[str, Any]) -> Table:
    """The table as one of its models may see it."""
    kept = set(alone(rows.names, column, columns, options))
    pairs = [(name, raw) for name, raw in zip(rows.names, rows.raw, strict=True) if name in kept]
    return replace(rows, names=tuple(name for name, _ in pairs), raw=tuple(raw for _, raw in pairs))
