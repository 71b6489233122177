"""`split`: divide rows into training, validation and test parts, or into folds, before anything is fitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.inputs.checks.group_hint import repeating_groups
from heldout.inputs.checks.leakage import copied_across
from heldout.inputs.columns.column_names import NAMES, find_column, named_column, names_given
from heldout.inputs.columns.column_values import Column
from heldout.inputs.columns.time_column import as_times, time_column
from heldout.inputs.formats.files import Table
from heldout.inputs.formats.frames import table
from heldout.inputs.message_text import rows_named
from heldout.inputs.reading import Check
from heldout.optional_packages import needed, require
from heldout.splits import Split, splits
from heldout.splits.cv_names import NEED
from heldout.splits.splitters import RepeatedGroups
from heldout.verbs.parameters import LARGEST_SEED, documented, value_text
from heldout.verbs.row_split.row_split_result import How, Part, RowSplit
from heldout.verbs.settings import seed_number

PARTS: Mapping[str, float] = {"train": 2, "test": 1}
REMEDY = "choose other sizes of the parts, or fewer parts"
MOST_FOLDS = 100
"""Folds that groups are dealt into to make parts of given sizes."""


@documented()
def split(
    data: Any,
    parts: Mapping[str, float] | None = None,
    *,
    folds: int | None = None,
    strata: Any = None,
    groups: str | None = None,
    time: str | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> RowSplit:
    """Divide the rows of a table into training, validation and test parts, or into folds.

    Parameters
    ----------
    data : table
        A path (CSV, TSV, JSON lines, Parquet, Arrow), a frame or a mapping of columns.
    parts : mapping of str to float, optional
        Names and relative sizes, in order: {"train": 6, "validation": 2, "test": 2} (default: train 2, test 1).
    folds : int, optional
        Instead of parts: the number of folds of equal size.
    strata : str or sequence of str, optional
        Columns whose shares every part keeps, such as the target.
    groups : str, optional
        Column of clusters: rows of one group are all in one part.
    time : str, optional
        Column of times: earlier rows are in earlier parts, and rows of the same time in the same part.
    <random_state>

    Returns
    -------
    RowSplit
        The part of every row (`labels`, `positions(name)`); `write()` writes files.

    Raises
    ------
    UsageError, DataError
        If sizes make no sense, or rows, strata, groups or times do not allow them.

    See Also
    --------
    validate : Error of a learner over splits that it makes itself.

    Examples
    --------
    >>> found = split({"x": [1, 2, 3, 4, 5, 6], "y": list("ababab")}, strata="y")
    >>> [(part.name, part.rows) for part in found.parts], found.labels.tolist().count("test")
    ([('train', 4), ('test', 2)], 2)
    """
    require("sklearn", NEED)
    seed = seed_number(random_state)
    given = _relative_sizes(parts, folds)
    by_columns = names_given("strata", strata)
    if time is not None and (groups is not None or by_columns):
        other = "groups" if groups is not None else "strata"
        fix = f"leave out --time (time=), or the {other}"
        raise UsageError(f"time puts rows in order and cannot allow for {other}", fix=fix)
    rows = table(data, keep_bytes=True)
    columns = {name: _column(rows, name, dated=name == time) for name in (*by_columns, groups, time) if name}
    count = len(rows.raw[0]) if rows.raw else 0
    number = len(given) if folds is None else folds
    if count < number:
        found = f"{rows.place} has {count:,} row{'' if count == 1 else 's'}, fewer than {number:,} parts"
        raise DataError(found, code="H311", fix="take fewer parts, or more rows")
    sizes = given if folds is None else {str(at + 1): 1 / folds for at in range(folds)}
    layers = {name: _written(columns[name]) for name in by_columns}
    units = None if groups is None else _written(columns[groups])
    for name in (*by_columns, *(() if groups is None else (groups,))):
        _complete(columns[name])
    moments = None if time is None else _moments(columns[time])
    if moments is not None:
        place = _by_time(moments, sizes)
    elif units is not None:
        place = _by_groups(units, layers, sizes, seed)
    elif folds is not None:
        place = _by_folds(layers, count, len(sizes), seed)
    else:
        place = _by_shuffling(layers, count, sizes, seed)
    labels = np.array(list(sizes))[place]
    how: How = "time" if time else "stratified groups" if groups and layers else "groups" if groups else "random"
    return RowSplit(
        parts=tuple(_part(name, labels, units, None if time is None else columns[time], moments) for name in sizes),
        labels=labels,
        by="stratified" if layers and not groups else how,
        folds=folds is not None,
        rows=count,
        units=count if units is None else len(np.unique(units)),
        seed=seed,
        roles={role: name for role, name in (("group", groups), ("time", time), ("strata", ", ".join(layers))) if name},
        counts={name: _counted(values, labels, sizes) for name, values in layers.items()},
        checks=_noticed(rows, labels, sizes, grouped=groups is not None),
        sources=rows.sources,
        table=rows,
    )


def _relative_sizes(parts: Mapping[str, float] | None, folds: int | None) -> dict[str, float]:
    """Names and sizes of the parts, which add up to one; none of folds: their number is compared with rows first."""
    if parts is not None and folds is not None:
        raise UsageError("parts and folds exclude each other", fix="give one of them")
    if folds is not None:
        if isinstance(folds, bool) or not isinstance(folds, (int, np.integer)) or folds < 2:
            raise UsageError(f"folds is {folds!r}, but must be a whole number from 2", fix="take 10")
        return {}
    if parts is not None and not isinstance(parts, Mapping):
        fix = 'write parts={"train": 2, "test": 1}'
        raise UsageError(f"parts is {value_text(parts)}, but must map names to relative sizes", fix=fix)
    given = dict(PARTS if parts is None else parts)
    if len(given) < 2:
        raise UsageError("one part holds nothing out", fix="name two or more, such as train=2 and test=1")
    for name, size in given.items():
        bad_name = not isinstance(name, str) or not name or any(mark in name for mark in "/\\\0\n") or name[0] == "."
        if bad_name:
            raise UsageError(f"{name!r} cannot be the name of a part: files are named after it", fix="take a word")
        if isinstance(size, bool) or not isinstance(size, (int, float, np.number)) or not 0 < size < float("inf"):
            raise UsageError(f"the size of {name} is {size!r}, but must be a number above 0", fix=f"write {name}=2")
    largest = float(max(given.values()))  # of sizes near 1e308 the sum itself would be infinite
    total = sum(size / largest for size in given.values())
    return {name: float(size / largest / total) for name, size in given.items()}


def _column(rows: Table, name: str, *, dated: bool) -> Column:
    at = named_column(rows.names, name, rows.place, "the split")
    return time_column(name, rows.raw[at]) if dated else rows.column(at)


def _complete(column: Column) -> None:
    """Refuse a column with missing values, which would be a value of their own."""
    written = _written(column)
    lacking = np.flatnonzero(np.isin(written, ("", "nan") if column.words is None else ("",)))
    if len(lacking):
        message = f"{column.name} is missing in {rows_named(lacking + 1)}"
        raise DataError(message, code="H305", fix="complete it, or leave the rows out")


def _moments(column: Column) -> Array:
    found = as_times(column).values
    if np.isnan(found).any():
        lacking = rows_named(np.flatnonzero(np.isnan(found)) + 1)
        raise DataError(f"{column.name} is missing in {lacking}", code="H305", fix="complete it, or leave the rows out")
    return found


def _by_time(moments: Array, sizes: Mapping[str, float]) -> Array:
    """Earlier rows to earlier parts; a border lies between two times, as near to the size as times allow."""
    _, when, counts = np.unique(moments, return_inverse=True, return_counts=True)
    before = np.append(0, np.cumsum(counts))
    wanted = np.cumsum(list(sizes.values()))[:-1] * len(moments)
    borders = np.abs(before[:, None] - wanted).argmin(axis=0)
    if len(np.unique([0, *borders, len(counts)])) < len(sizes) + 1:
        message = f"{len(counts):,} different times do not allow {len(sizes)} parts of these sizes"
        raise DataError(message, code="H311", fix="take fewer parts, or other sizes")
    place: Array = np.searchsorted(borders, when, side="right")
    return place


def _joined(layers: Mapping[str, Array], count: int) -> Array:
    """The values of all strata of a row in one text."""
    if not layers:
        return np.zeros(count)
    return np.array(
        [" / ".join(map(str, each)) for each in zip(*(one.tolist() for one in layers.values()), strict=True)]
    )


def _task(layers: Mapping[str, Array]) -> str:
    return "multiclass" if layers else "regression"


def _tested(made: Sequence[Split], count: int) -> Array:
    """Which of the splits tests each row."""
    place = np.zeros(count, int)
    for at, one in enumerate(made):
        place[one.test] = at
    return place


def _by_folds(layers: Mapping[str, Array], count: int, folds: int, seed: int) -> Array:
    return _tested(splits(folds, _joined(layers, count), task=_task(layers), random_state=seed, remedy=REMEDY), count)


def _by_groups(units: Array, layers: Mapping[str, Array], sizes: Mapping[str, float], seed: int) -> Array:
    """Groups are dealt into folds of equal size, and a part takes as many of them as its share is."""
    shares = [Fraction(size).limit_denominator(MOST_FOLDS) for size in sizes.values()]
    folds = lcm(*(share.denominator for share in shares))
    groups = len(np.unique(units))
    taken = [int(share * folds) for share in shares]
    if groups < len(sizes):
        message = f"there {'is 1 group' if groups == 1 else f'are {groups:,} groups'}, fewer than {len(sizes):,} parts"
        raise DataError(message, code="H311", fix="take fewer parts, or another column of groups")
    if folds > min(MOST_FOLDS, groups) or sum(taken) != folds or 0 in taken:
        message = (
            f"{groups:,} groups cannot be dealt into parts of {', '.join(f'{size:.1%}' for size in sizes.values())}"
        )
        equal = ",".join(f"{name}=1" for name in sizes)
        given = str(dict.fromkeys(sizes, 1))
        raise DataError(
            message, code="H311", fix=f"take rounder sizes, such as --parts {equal} (parts={given}), or fewer parts"
        )
    dealt = splits(
        RepeatedGroups(folds, 1, bool(layers), seed),
        _joined(layers, len(units)),
        task=_task(layers),
        groups=units,
        remedy=REMEDY,
    )
    return np.repeat(np.arange(len(taken)), taken)[_tested(dealt, len(units))]


def _by_shuffling(layers: Mapping[str, Array], count: int, sizes: Mapping[str, float], seed: int) -> Array:
    """One part after the other is drawn from the rows that are left, the last part first."""
    splitters = needed("sklearn.model_selection", NEED)
    kinds = _joined(layers, count)
    place, left = np.zeros(count, int), np.arange(count)
    ends = np.round(np.cumsum([0, *sizes.values()]) * count).astype(int)
    names = list(sizes)
    for at in reversed(range(1, len(sizes))):
        kind = splitters.StratifiedShuffleSplit if layers else splitters.ShuffleSplit
        taken = max(1, int(ends[at + 1] - ends[at]))
        _, rows_of = np.unique(kinds[left], return_counts=True)
        strata = len(rows_of) if rows_of.min() > 1 else 1  # a stratum of one row is refused below, by its name
        _check_rows(names[at], taken, count, strata)
        _check_rows(names[0] if at == 1 else f"all parts before {names[at]}", len(left) - taken, count, strata)
        drawn = kind(1, test_size=taken, random_state=(seed + at) % (LARGEST_SEED + 1))
        (one,) = splits(drawn, kinds[left], task=_task(layers), remedy=REMEDY)
        place[left[one.test]] = at
        left = np.sort(left[one.train])
    return place


def _check_rows(name: str, rows: int, count: int, strata: int) -> None:
    """Raise if a part has no row, or fewer than one of every stratum."""
    if rows < strata:
        less = f", and there are {strata:,} strata" if strata > 1 else ""
        message = f"{name} would have {max(rows, 0):,} of the {count:,} rows{less}"
        raise DataError(message, code="H311", fix=REMEDY)


def _part(name: str, labels: Array, units: Array | None, when: Column | None, moments: Array | None) -> Part:
    inside = np.flatnonzero(labels == name)
    ends: dict[str, str] = {}
    if when is not None and moments is not None:
        first, last = (inside[pick(moments[inside])] for pick in (np.argmin, np.argmax))
        written = _written(when)
        ends = {"first": str(written[first]), "last": str(written[last])}
    groups = None if units is None else len(np.unique(units[inside]))
    return Part(name=name, rows=len(inside), share=len(inside) / len(labels), groups=groups, **ends)


def _written(column: Column) -> Array:
    """The values as texts, as they were written; nothing written is an empty text."""
    if column.words is None:
        return column.values.astype(str)
    words: Array = np.array([*column.texts(), ""], dtype=str)
    return words[column.values]


def _counted(values: Array, labels: Array, names: Mapping[str, float]) -> dict[str, dict[str, int]]:
    return {
        str(value): {name: int(np.sum((values == value) & (labels == name))) for name in names}
        for value in np.unique(values)
    }


def _noticed(rows: Table, labels: Array, names: Mapping[str, float], *, grouped: bool) -> tuple[Check, ...]:
    """Copies of rows in two parts, and a column that looks like groups where none were given."""
    known = find_column(rows.names, NAMES["id"], rows.place)
    columns: list[Column] = []
    for at in range(len(rows.names)):
        with suppress(DataError):  # lists and the like are in no check
            columns += [] if at == known else [rows.column(at)]
    first = next(iter(names))
    copied = copied_across(columns, [(np.flatnonzero(labels == first), np.flatnonzero(labels != first))])
    hints = () if grouped else repeating_groups(columns, lambda name: f"--group {name} (groups={name!r})")
    return (*copied, *hints)
