"""Overlap of test rows and training data: ids, whole rows, groups, and time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.inputs.columns.column_names import NAMES, find_column, named_column, plain_name
from heldout.inputs.columns.column_values import Column
from heldout.inputs.columns.number_parsing import numbers_or_none
from heldout.inputs.formats.files import Table
from heldout.inputs.formats.frames import table
from heldout.inputs.message_text import listed, names_listed, rows_named, rows_where
from heldout.inputs.reading import Check

TIMES = ("time", "date", "timestamp")
FIXES = {
    "H201": "evaluate on rows that the model was not fitted on",
    "H202": "split so that no group is on both sides",
    "H203": "train on what came before the test rows",
}


def shared_rows(
    test_source: Any,
    train_source: Any,
    *,
    id: str | None = None,
    group: str | None = None,
    ignore: Sequence[str] = (),
    allow_overlap: bool = False,
) -> tuple[Check, ...]:
    """Notes on test rows that are also in the training data, by id or by identical features (H201).

    A test set that is in the training data as a whole, a group on both sides (H202), or training rows later than a test
    row (H203, by a column time, date or timestamp) is an error, and a note where the overlap is allowed. `ignore` names
    columns that are not features.

    >>> test, train = {"id": [1, 2], "y": [0, 1]}, {"id": [2, 3], "y": [1, 1]}
    >>> shared_rows(test, train)[0].text
    '1 of 2 test ids is also in the dict: 2'
    """
    test, train = table(test_source), table(train_source)
    _comparable(test, train, id, group, ignore)
    grouped = _grouped(test, train, group)
    timed = _timed(test, train)
    features = _features(test, train, [*ignore, *(name for name in (id, group) if name is not None)])
    for check in (*_held_nothing_out(test, train, features), *grouped, *timed):
        if not allow_overlap:
            fix = f"{FIXES[check.code]}, or pass --allow-overlap (allow_overlap=True)"
            raise DataError(check.text, code=check.code, fix=fix)
    return (*_identified(test, train, id), *_copied(test, train, features), *grouped, *timed)


def _comparable(test: Table, train: Table, id: str | None, group: str | None, ignore: Sequence[str]) -> None:
    """Raise if no column lets test rows and training data be compared."""
    if id is not None or group is not None or len(_features(test, train, ignore)) > 1:
        return
    if any(_both(test, train, wanted, None, "") is not None for wanted in (NAMES["id"], NAMES["group"], TIMES)):
        return
    raise DataError(
        f"{train.place} and {test.place} share no id, group, time or feature columns, so the two cannot be compared",
        code="H106",
        fix="name a column of both with --id (id=) or --group (groups=), export the features with the predictions, "
        "or leave out --train (train=)",
    )


def _both(
    test: Table, train: Table, wanted: Sequence[str], given: str | None, role: str
) -> tuple[Column, Column] | None:
    """The same column on both sides; None where it was not named and one side lacks it."""
    if given is not None:
        sides = [rows.column(named_column(rows.names, given, rows.place, role)) for rows in (test, train)]
        return sides[0], sides[1]
    at = [find_column(rows.names, wanted, rows.place) for rows in (test, train)]
    return None if at[0] is None or at[1] is None else (test.column(at[0]), train.column(at[1]))


def _together(test: Column, train: Column) -> tuple[Array, Array]:
    """Both columns as positions in one list of values: numbers by size where all are numbers, else by spelling."""
    a, b = numbers_or_none(test), numbers_or_none(train)
    if a is not None and b is not None and not (np.isnan(a).any() or np.isnan(b).any()):
        codes = np.unique(np.concatenate([a, b]), return_inverse=True)[1]
    else:
        import pyarrow as pa

        words = pa.concat_arrays([_words(test), _words(train)]).dictionary_encode()
        codes = words.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes[: len(test)], codes[len(test) :]


def _words(column: Column) -> Any:
    import pyarrow as pa

    if column.words is None:
        return pa.array(column.values).cast(pa.large_string())
    mask = column.values < 0
    return column.words.cast(pa.large_string()).take(pa.array(np.where(mask, 0, column.values), mask=mask))


def _named_values(column: Column, rows: Array) -> str:
    """The distinct values a column has in these rows."""
    part = column.values[rows]
    if column.words is not None:
        part = np.array([*column.texts(), None], dtype=object)[part]
    return listed(list(dict.fromkeys(part.tolist())))


def _identified(test: Table, train: Table, id: str | None) -> tuple[Check, ...]:
    sides = _both(test, train, NAMES["id"], id, "the id")
    if sides is None:
        return ()
    ours, theirs = _together(*sides)
    shared = np.flatnonzero(np.isin(ours, theirs))
    if not len(shared):
        return ()
    verb = "is" if len(shared) == 1 else "are"
    text = f"{len(shared):,} of {len(ours):,} test ids {verb} also in {train.place}: {_named_values(sides[0], shared)}"
    return (Check(code="H201", text=text),)


def _held_nothing_out(test: Table, train: Table, features: Sequence[str]) -> tuple[Check, ...]:
    """An error where every test row is in the training data: equal in all features, or in all columns of both sides."""
    theirs = {name.strip() for name in train.names}
    for names in (features, [name.strip() for name in test.names if name.strip() in theirs - {""}]):
        shared = _shared(test, train, names) if len(names) > 1 else None
        if shared is not None and shared.all():
            text = f"all {len(shared):,} test rows are also in {train.place}, equal in {names_listed(names)}"
            return (Check(code="H201", text=text),)
    return ()


def _copied(test: Table, train: Table, features: Sequence[str]) -> tuple[Check, ...]:
    """Test rows whose features are all the same in a training row."""
    if len(features) < 2:
        return ()
    shared = _shared(test, train, features)
    if shared is None:
        text = f"{names_listed(features)} do not identify the rows of {train.place}, so duplicated rows are not checked"
        return (Check(code="H201", text=text),)
    if not shared.any():
        return ()
    verb = "is" if shared.sum() == 1 else "are"
    which = f"{rows_named(rows_where(shared))}, equal in {names_listed(features)}"
    text = f"{int(shared.sum()):,} of {len(shared):,} test rows {verb} also in {train.place}: {which}"
    return (Check(code="H201", text=text),)


def _shared(test: Table, train: Table, names: Sequence[str]) -> Array | None:
    """Which test rows equal a training row in these columns; None where rows are equal in them by chance."""
    columns = _coded(test, train, names)
    joint, first = rows_numbered(columns), len(test.column(0))
    theirs = joint[first:]
    if equal_by_chance([codes[first:] for codes in columns], theirs, 0.9):
        return None
    shared: Array = np.isin(joint[:first], theirs)
    return shared


def _features(test: Table, train: Table, ignore: Sequence[str]) -> list[str]:
    """Columns of both sides that play no role."""
    roles = (
        {plain_name(name) for known in NAMES.values() for name in known} | {plain_name(name) for name in ignore} | {""}
    )
    theirs = {name.strip() for name in train.names}
    return [name.strip() for name in test.names if plain_name(name) not in roles and name.strip() in theirs]


def rows_coded(test: Table, train: Table, names: Sequence[str]) -> tuple[Array, Array]:
    """Each row as one number, the same number where all the named columns are equal."""
    joint, ours = rows_numbered(_coded(test, train, names)), len(test.column(0))
    return joint[:ours], joint[ours:]


def _coded(test: Table, train: Table, names: Sequence[str]) -> list[Array]:
    """The values of each named column as numbers, first those of the test rows."""
    sides = (
        [side.column(named_column(side.names, name, side.place, "a feature")) for side in (test, train)]
        for name in names
    )
    return [np.concatenate(_together(first, second)) + 1 for first, second in sides]


def equal_by_chance(columns: Sequence[Array], rows: Array, distinct: float) -> bool:
    """Whether columns of codes have so few values that rows are equal by chance; `rows` numbers whole rows.

    Fewer than this share of rows are distinct, and independent columns would make half as many rows equal: columns
    act as K = 1 / prod(sum p²) values that are equally likely, which n rows meet K (1 - exp(-n / K)) of. Shares p are
    those in distinct rows, or copies would count as values that are frequent.

    >>> x = np.repeat(np.arange(40), 2)
    >>> equal_by_chance([x, x], x, 0.6), equal_by_chance([x % 2, x % 3], x % 6, 0.6)
    (False, True)
    """
    n = len(rows)
    _, first = np.unique(rows, return_index=True)
    if len(first) >= distinct * n:
        return False
    log_values = -sum(float(np.log(np.sum((np.bincount(codes[first]) / len(first)) ** 2))) for codes in columns)
    values = np.exp(min(log_values, 50.0))
    by_chance = n + values * np.expm1(-n / values)
    return bool(by_chance >= (n - len(first)) / 2)


def rows_numbered(columns: Iterable[Array]) -> Array:
    """One number per row, the same where all columns of codes (0, 1, 2 …) are equal.

    >>> rows_numbered([np.array([0, 0, 1]), np.array([2, 2, 2])]).tolist()
    [0, 0, 1]
    """
    joint: Array = np.zeros(1, np.int64)
    for codes in columns:
        joint = np.unique(joint * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
    return joint


def _grouped(test: Table, train: Table, group: str | None) -> tuple[Check, ...]:
    sides = _both(test, train, NAMES["group"], group, "the group")
    if sides is None:
        return ()
    ours, theirs = _together(*sides)
    shared = np.flatnonzero(np.isin(ours, theirs))
    if not len(shared):
        return ()
    count, of = len(np.unique(ours[shared])), len(np.unique(ours))
    which = f"{count:,} of {of:,} in the test rows ({_named_values(sides[0], shared)})"
    text = f"{sides[0].name} is on both sides: {which} also in {train.place}"
    return (Check(code="H202", text=text),)


def _timed(test: Table, train: Table) -> tuple[Check, ...]:
    sides = _both(test, train, TIMES, None, "the time")
    if sides is None:
        return ()
    ours, theirs = (_moments(side) for side in sides)
    if ours is None or theirs is None or not len(ours) or not len(theirs):
        return (Check(code="H203", text=f"{sides[0].name} is not written as dates or numbers, so it was not compared"),)
    early = ours < theirs.max()
    if not early.any():
        return ()
    latest = _named_values(sides[1], np.array([int(theirs.argmax())]))
    text = (
        f"{train.place} has a row at {latest}, later than {int(early.sum()):,} of {len(ours):,} test rows "
        f"({rows_named(rows_where(early))}, from {_named_values(sides[0], np.array([int(ours.argmin())]))} on)"
    )
    return (Check(code="H203", text=text),)


def _moments(column: Column) -> Array | None:
    """Times as numbers that can be ordered; None where they are neither numbers nor ISO dates."""
    import pyarrow as pa

    as_numbers = numbers_or_none(column)
    if as_numbers is not None:
        return None if np.isnan(as_numbers).any() else as_numbers
    if column.words is None or (column.values < 0).any():
        return None
    try:
        moments = column.words.cast(pa.timestamp("us")).cast(pa.int64()).to_numpy(zero_copy_only=False)
    except (pa.ArrowException, ValueError):
        return None
    return moments[column.values]
