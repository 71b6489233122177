"""Tables of counts and of costs: square ones, with the truth in rows and the prediction in columns, or by class."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import DataError, did_you_mean
from heldout.inputs.columns.label_column import kind, typed
from heldout.inputs.columns.number_parsing import numbers
from heldout.inputs.formats.files import Table, read_file
from heldout.inputs.message_text import listed, quoted

FORM = "write a square table: the classes in the header line and in the first column, rows truth, columns prediction"


def read_confusion(path: str | Path) -> tuple[tuple[Label, ...], Array]:
    """Classes and counts of a confusion matrix; counts[i, j] rows of class i were predicted as class j.

    The first column names the classes, or there is none and the rows follow the order of the header.
    """
    rows, columns, values, place = _square(path)
    if len(rows) != len(columns):
        raise _not_square(place, rows, columns)
    if set(rows) != set(columns):
        raise _named_differently(place, rows, columns)
    values = values[:, [columns.index(label) for label in rows]]
    low, broken = values < 0, values != np.rint(values)
    for wrong, what in ((low, "a count is zero or more"), (broken, "a count is a whole number")):
        if wrong.any():
            i, j = (int(at) for at in np.argwhere(wrong)[0])
            raise DataError(
                f"{place}: {values[i, j]:.6g} rows of {quoted(rows[i])} predicted as {quoted(rows[j])}, and {what}",
                code="H110",
                fix="count rows; weighted or normalised tables cannot be evaluated",
            )
    if not values.sum():
        raise DataError(f"{place}: every count is zero", code="H110", fix="count at least one row")
    return _typed(rows), values.astype(np.int64)


CLASS_FORM = "write one line per class with the columns class, tp, fp, fn and, if known, tn"
COUNTS = ("tp", "fp", "fn", "tn")


def read_class_counts(path: str | Path) -> tuple[tuple[Label, ...], Array]:
    """Classes and their counts: a line (TP, FP, FN) or (TP, FP, FN, TN) for each.

    Columns are found by name, in any case and order; the column that is none of these names the classes.
    """
    table = read_file(path)
    header = [name.strip().lower() for name in table.names]
    lacking = [name for name in COUNTS[:3] if name not in header]
    if lacking:
        has = f"; it has {listed([name.strip() for name in table.names])}"
        raise DataError(f"{table.place} has no column {listed(lacking)}{has}", code="H110", fix=CLASS_FORM)
    others = [at for at, name in enumerate(header) if name not in COUNTS]
    if len(others) != 1 or len(set(header)) < len(header):
        names = [table.names[at].strip() for at in others]
        seen = f"the columns {listed(names)} beside the counts" if others else "no column that names the classes"
        raise DataError(f"{table.place} has {seen}", code="H110", fix=CLASS_FORM)
    labels = [name.strip() for name in _texts(table, others[0])]
    twice = [name for name in labels if labels.count(name) > 1]
    if twice:
        raise DataError(f"{table.place} has the class {quoted(twice[0])} twice", code="H110", fix=CLASS_FORM)
    if not labels:
        raise DataError(f"{table.place} has no rows", code="H110", fix=CLASS_FORM)
    known = [name for name in COUNTS if name in header]
    return _typed(labels), np.column_stack([_number_column(table, header.index(name)) for name in known])


def read_costs(path: str | Path, labels: Sequence[Label]) -> Array:
    """Costs in the order of `labels`: costs[i, j] is paid for class i predicted as class j; a gain is negative."""
    rows, columns, values, place = _square(path)
    names = [str(label) for label in labels]
    for side, known in (("row", rows), ("column", columns)):
        lacking = [name for name in names if name not in known]
        if lacking:
            hint = did_you_mean(lacking[0], known)
            raise DataError(
                f"{place} has no {side} for the class {listed(lacking)}{hint or '; it has ' + listed(known)}",
                code="H110",
                fix=FORM,
            )
    costs: Array = values[np.ix_([rows.index(name) for name in names], [columns.index(name) for name in names])]
    return costs


def _typed(names: list[str]) -> tuple[Label, ...]:
    """Labels as rows of predictions would have them: whole numbers and true/false as such."""
    names_kind = kind(names)
    joint = {"whole": "whole", "bool": "bool"}.get(names_kind, "text")
    return tuple(typed(name, joint) for name in names)


def _square(path: str | Path) -> tuple[list[str], list[str], Array, str]:
    """Row labels, column labels, values, and the name of the file in messages."""
    table = read_file(path)
    texts = [_texts(table, at) for at in range(len(table.names))]
    if not texts or not texts[0]:
        raise DataError(f"{table.place} has no rows", code="H110", fix=FORM)
    header = [name.strip() for name in table.names]
    labelled = _labelled(header, texts[0])
    columns = header[1:] if labelled else header
    rows = [name.strip() for name in texts[0]] if labelled else columns
    for side, names in (("column", columns), ("row", rows)):
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise DataError(f"{table.place} has the {side} {quoted(twice[0])} twice", code="H110", fix=FORM)
    if not labelled and len(texts[0]) != len(columns):
        raise _not_square(table.place, [str(at + 1) for at in range(len(texts[0]))], columns)
    return rows, columns, _values(table, labelled), table.place


def _texts(table: Table, at: int) -> list[str]:
    column = table.column(at)
    if column.words is None:
        return [str(value) for value in column.values.tolist()]
    words = [*column.texts(), ""]
    return [words[code] for code in column.values.tolist()]


def _labelled(header: list[str], first: list[str]) -> bool:
    """Whether the first column names classes rather than holds values."""
    names = {name.strip() for name in first}
    return not header[0] or bool(names & set(header[1:])) or any(not _is_number(name) for name in names)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _values(table: Table, labelled: bool) -> Array:
    sides = [_number_column(table, at) for at in range(1 if labelled else 0, len(table.names))]
    if not sides:
        raise DataError(f"{table.place} has one column only", code="H110", fix=FORM)
    return np.column_stack(sides)


def _number_column(table: Table, at: int) -> Array:
    """A column of numbers, none of which is missing."""
    name = table.names[at].strip()
    try:
        column = numbers(table.column(at, f"column {name}"))
    except DataError as error:
        raise DataError(f"{table.place}: {error.message}", code=error.code, fix=error.fix) from error
    if not np.isfinite(column).all():
        row = int(np.flatnonzero(~np.isfinite(column))[0]) + 1
        message = f"{table.place}: column {name} is missing or infinite in row {row}"
        raise DataError(message, code="H110", fix="write a number in every cell")
    return column


def _named_differently(place: str, rows: Sequence[str], columns: Sequence[str]) -> DataError:
    """Rows and columns name different classes."""
    of_rows = [name for name in rows if name not in columns]
    of_columns = [name for name in columns if name not in rows]
    verb = "names" if len(of_rows) == 1 else "name"
    return DataError(
        f"rows and columns of {place} name different classes: {listed(of_rows)} {verb} a row and no column, "
        f"{listed(of_columns)} a column and no row",
        code="H110",
        fix="name the same classes in the header line and in the first column",
    )


def _not_square(place: str, rows: Sequence[str], columns: Sequence[str]) -> DataError:
    return DataError(
        f"{place} is not square: {len(rows)} rows ({listed(rows)}) and {len(columns)} columns ({listed(columns)})",
        code="H110",
        fix=FORM,
    )
