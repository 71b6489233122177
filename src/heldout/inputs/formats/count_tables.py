"""Tables of counts and of costs: square ones, with the truth in rows and the prediction in columns, or by class."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.inputs.columns.column_names import first_twice
from heldout.inputs.columns.label_column import kind, typed
from heldout.inputs.columns.number_parsing import number_table, numbers
from heldout.inputs.formats.files import Table, read_file
from heldout.inputs.formats.frames import table
from heldout.inputs.limits import CLASSES
from heldout.inputs.message_text import listed, quoted

FORM = "write a square table: the classes in the header line and in the first column, rows truth, columns prediction"
MOST_IN_A_CELL = 10**12
"""Beside larger counts a rare class loses digits: intervals of kappa and mcc would be wrong from the third one on."""


def read_confusion(source: Any, labels: Sequence[Label] | None = None) -> tuple[tuple[Label, ...], Array]:
    """Classes and counts of a confusion matrix; counts[i, j] rows of class i were predicted as class j.

    A file or a frame names its classes: rows in its first column or its index, or there is no such column and the rows
    follow the order of the header. `labels` puts them in another order. An array has classes `labels`, or 0, 1, 2 ...
    """
    wanted = None if labels is None else tuple(labels)
    for label in wanted or ():
        if wanted is not None and sum(str(other) == str(label) for other in wanted) > 1:
            raise UsageError(f"labels has {quoted(label)} twice", fix="name every class once")
    found = _square(source)
    if found is None:
        place, values = "the confusion matrix", number_table(source, "the confusion matrix")
        if values.ndim != 2 or values.shape[0] != values.shape[1]:
            shape = " x ".join(map(str, values.shape)) or "a single value"
            fix = "give truth by row and prediction by column"
            raise DataError(f"a confusion matrix must be square, not {shape}", code="H110", fix=fix)
        names = wanted if wanted is not None else tuple(range(len(values)))
        if len(names) != len(values):
            fix = f"give {len(values)} labels"
            raise UsageError(f"{len(names)} labels were given for {len(values)} classes", fix=fix)
    else:
        rows, columns, values, place = found
        if len(rows) != len(columns):
            raise _not_square(place, _texts_of(rows), _texts_of(columns))
        if set(_texts_of(rows)) != set(_texts_of(columns)):
            raise _named_differently(place, _texts_of(rows), _texts_of(columns))
        names = tuple(rows) if wanted is None else wanted
        if set(_texts_of(names)) != set(_texts_of(rows)):
            message = f"labels is {list(names)}, but the classes of {place} are {_texts_of(rows)}"
            raise UsageError(message, fix="leave out labels, or name these classes in the order that you want")
        values = _in_order(values, rows, columns, _texts_of(names))
    _check_counts(values, names, place)
    return names, values.astype(np.int64)


def _check_counts(values: Array, names: Sequence[Label], place: str) -> None:
    missing, low, broken, vast = ~np.isfinite(values), values < 0, values != np.rint(values), values > MOST_IN_A_CELL
    rows = "count rows; weighted or normalised tables cannot be evaluated"
    for wrong, what, fix in (
        (missing, "a count is a finite number", rows),
        (low, "a count is zero or more", rows),
        (broken, "a count is a whole number", rows),
        (vast, "counts beyond 1e12 take digits from rare classes", "evaluate a sample of the rows"),
    ):
        if wrong.any():
            i, j = (int(at) for at in np.argwhere(wrong)[0])
            raise DataError(
                f"{place}: {values[i, j]:.6g} rows of {quoted(names[i])} predicted as {quoted(names[j])}, and {what}",
                code="H110",
                fix=fix,
            )
    if not values.sum():
        raise DataError(f"{place}: every count is zero", code="H110", fix="count at least one row")


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
    twice = first_twice(labels)
    if twice is not None:
        raise DataError(f"{table.place} has the class {quoted(twice)} twice", code="H110", fix=CLASS_FORM)
    if not labels:
        raise DataError(f"{table.place} has no rows", code="H110", fix=CLASS_FORM)
    known = [name for name in COUNTS if name in header]
    return _typed(labels), np.column_stack([_number_column(table, header.index(name)) for name in known])


def read_costs(source: Any, labels: Sequence[Label]) -> Array | None:
    """Costs in the order of `labels`: costs[i, j] is paid for class i predicted as class j; a gain is negative.

    None where the source names no classes: an array.
    """
    found = _square(source)
    if found is None:
        return None
    rows, columns, values, place = found
    names = _texts_of(labels)
    for side, known in (("row", _texts_of(rows)), ("column", _texts_of(columns))):
        lacking = [name for name in names if name not in known]
        if lacking:
            hint = did_you_mean(lacking[0], known)
            raise DataError(
                f"{place} has no {side} for the class {listed(lacking)}{hint or '; it has ' + listed(known)}",
                code="H110",
                fix=FORM,
            )
    return _in_order(values, rows, columns, names)


def _in_order(values: Array, rows: Sequence[Label], columns: Sequence[Label], names: Sequence[str]) -> Array:
    """The values of these classes, in their order."""
    known, said = ({name: at for at, name in enumerate(_texts_of(side))} for side in (rows, columns))
    ordered: Array = values[np.ix_([known[name] for name in names], [said[name] for name in names])]
    return ordered


def _texts_of(labels: Sequence[Label]) -> list[str]:
    """Labels as a file has them."""
    return [str(label).strip() for label in labels]


def _typed(names: list[str]) -> tuple[Label, ...]:
    """Labels as rows of predictions would have them: whole numbers and true/false as such."""
    names_kind = kind(names)
    joint = {"whole": "whole", "bool": "bool"}.get(names_kind, "text")
    return tuple(typed(name, joint) for name in names)


def _square(source: Any) -> tuple[Sequence[Label], Sequence[Label], Array, str] | None:
    """Row labels, column labels, values, and the name of the table in messages; None for what names no classes."""
    if isinstance(source, str | Path):
        return _of_table(read_file(source))
    if not hasattr(type(source), "columns"):
        return None
    if hasattr(source, "index") and hasattr(source, "iloc"):
        rows, columns = source.index.tolist(), source.columns.tolist()
        counted = list(range(len(rows)))
        if rows == counted and columns == list(range(len(columns))):
            return None  # pandas counts where there are no names
        if rows != counted or set(rows) == set(columns):
            _no_class_twice("the frame", columns, rows)
            return rows, columns, _finite(number_table(source.to_numpy(), "the frame")), "the frame"
    return _of_table(table(source))


def _of_table(table: Table) -> tuple[Sequence[Label], Sequence[Label], Array, str]:
    """The same of a table that has its row labels, if any, in its first column."""
    CLASSES.check(len(table.names) - 1, table.place)
    texts = [_texts(table, at) for at in range(len(table.names))]
    if not texts or not texts[0]:
        raise DataError(f"{table.place} has no rows", code="H110", fix=FORM)
    header = [name.strip() for name in table.names]
    labelled = _labelled(header, texts[0])
    columns = header[1:] if labelled else header
    rows = [name.strip() for name in texts[0]] if labelled else columns
    _no_class_twice(table.place, columns, rows)
    if not labelled and len(texts[0]) != len(columns):
        raise _not_square(table.place, [str(at + 1) for at in range(len(texts[0]))], columns)
    return _typed(rows), _typed(columns), _values(table, labelled), table.place


def _no_class_twice(place: str, columns: Sequence[Label], rows: Sequence[Label]) -> None:
    for side, names in (("column", _texts_of(columns)), ("row", _texts_of(rows))):
        twice = first_twice(names)
        if twice is not None:
            raise DataError(f"{place} has the {side} {quoted(twice)} twice", code="H110", fix=FORM)


def _finite(values: Array) -> Array:
    if not np.isfinite(values).all():
        row, column = (int(at) + 1 for at in np.argwhere(~np.isfinite(values))[0])
        message = f"row {row}, column {column} of the frame is missing or infinite"
        raise DataError(message, code="H110", fix="write a number in every cell")
    return values


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
