"""The rows to learn from: features as they are, the target as labels or numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array, Batch
from heldout.errors import DataError, UsageError
from heldout.frame_output import frame_of
from heldout.inputs import from_arrays
from heldout.inputs.columns.column_names import named_column, names_given
from heldout.inputs.columns.column_values import Column, column
from heldout.inputs.columns.number_parsing import numbers_or_none
from heldout.inputs.columns.role_columns import Origin
from heldout.inputs.columns.time_column import as_times, time_column
from heldout.inputs.formats.files import Source, Table
from heldout.inputs.formats.frames import table
from heldout.inputs.index_alignment import aligned
from heldout.inputs.message_text import quoted, rows_named
from heldout.inputs.reading import Check
from heldout.optional_packages import installed
from heldout.store import fingerprint

LONGEST = 200
"""Characters of a text up to which all texts of a column are kept in one array of that width."""


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Features, target and what goes with them; learners are shown `X` and `y`, everything else reads the batch."""

    X: Any
    y: Array
    """The target as it was given: labels or numbers."""
    batch: Batch
    """Truth, units and weights, checked; predictions are still to be made."""
    groups: Array | None
    folds: Array | None = None
    """The fold of each row, where folds were given."""
    strata: tuple[Array, ...] = ()
    stratified: bool = True
    """Whether splits keep the shares of the classes."""
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()
    roles: Mapping[str, str] | None = None
    """Role → column name, where the rows came in a table."""
    order: Array | None = None
    """Which of the given rows each row is, where they were put into the order of time."""
    times: Array | None = None
    """The time of each row, as a position among all times; None where rows have none."""

    @property
    def rows(self) -> int:
        return self.batch.rows

    @property
    def task(self) -> str:
        return self.batch.task

    @cached_property
    def classes(self) -> tuple[Array, Array]:
        """The labels as the target spells them, sorted, and the position of each in the batch's labels."""
        values, first = np.unique(self.y, return_index=True)
        return values, self.batch.truth[first]

    def row_keys(self) -> tuple[str, ...]:
        """The hash by which these rows are recognised when somebody learns from them again, with whatever splits."""
        return (fingerprint(("rows to learn from", self.X, self.y)),)

    def part(self, rows: Array) -> Any:
        """The features of some rows, in the kind of container they came in."""
        return part_of(self.X, rows)


def part_of(X: Any, rows: Array) -> Any:
    """Some rows of a frame, a matrix or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else [X[at] for at in rows]


def dataset(
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    strata: Any = None,
    folds: Any = None,
    drop: Sequence[str] = (),
    stratified: bool = True,
    time: Any = None,
    task: str | None = None,
    pos_label: Any = None,
) -> Dataset:
    """Rows to learn from: features and target as arrays; or a table (frame or path) and the name of its target column.

    In a table `groups`, `sample_weight`, `strata`, `folds` and `time` are names of columns too, and are not features;
    `drop` names more. With `time` the rows are put into its order.

    >>> found = dataset({"size": [1.0, 2.0, 3.0, 4.0], "kind": ["a", "b", "a", "b"]}, "kind")
    >>> found.task, found.batch.labels, found.part(np.array([0])).shape
    ('binary', ('a', 'b'), (1, 1))
    """
    if strata is not None and not stratified:
        raise UsageError("strata are columns to stratify on, and stratified is False", fix="leave out one of them")
    moved: tuple[Check, ...] = ()
    dropped = names_given("drop", drop)
    strata_given = _listed(strata, named=isinstance(y, str))
    roles = Roles(y=y, groups=groups, weight=sample_weight, time=time, folds=folds, strata=strata_given)
    if isinstance(y, str):
        X, roles, names, sources = _of_table(X, roles, dropped)
    elif dropped:
        raise UsageError("drop names columns of a table, but arrays were given", fix="leave the columns out of X")
    elif words := [word for word in (groups, sample_weight, time, strata, folds) if isinstance(word, str)]:
        raise UsageError(
            f"{words[0]!r} names a column of a table, but y is not the name of one",
            fix="give the values, or a table and y='column'",
        )
    elif isinstance(X, str | Path):
        raise UsageError("a table needs the name of its target", fix="give y='column' (--target COLUMN)")
    else:
        X, roles, moved = _by_index(X, roles)
        X, roles, names, sources = _indexable(X), roles.each(_values), {}, ()
    _even(X, roles.y)
    _whole(roles.y, names.get("target", "y"))
    if roles.folds is not None:
        _one_each(roles.folds, len(roles.y), "folds")
    for stratum in roles.strata:
        _whole(stratum, "a column of strata")
        if len(stratum) != len(roles.y):
            found = f"a column of strata has {len(stratum):,} values, and there are {len(roles.y):,} rows"
            raise DataError(found, code="H112", fix="give one value per row")
    order = None if roles.time is None else _in_order(roles.time, len(roles.y), names.get("time", "time"))
    if order is not None:
        # a column of another length stays as it is, and is refused below as without time
        X = part_of(X, order)
        roles = roles.each(lambda _, given: given[order] if given.shape[:1] == order.shape else given)
    given: dict[str, Any] = {
        "groups": roles.groups, "task": task, "pos_label": pos_label,
        "origin": Origin(kind="file" if names else "arrays"), "truth_name": names.get("target", "y"),
    }  # fmt: skip
    reading = from_arrays(roles.y, roles.y, sample_weight=roles.weight, **given)
    if reading.batch.rows < len(roles.y):  # rows of weight zero stay, because splits count all rows
        whole = from_arrays(roles.y, roles.y, **given)
        reading = replace(whole, batch=replace(whole.batch, weight=np.asarray(roles.weight, dtype=float)))
    return Dataset(
        X=X,
        y=roles.y,
        batch=replace(
            reading.batch,
            prediction=None,
            score=None,
            probabilities=False,
            numbers=None if order is None else order + 1,  # rows are named as they were given
        ),
        groups=roles.groups,
        folds=roles.folds,
        strata=roles.strata,
        stratified=stratified,
        checks=(*moved, *reading.checks),
        sources=sources,
        roles=names or None,
        order=order,
        times=None if order is None else np.unique(roles.time, return_inverse=True)[1],
    )


@dataclass(frozen=True, kw_only=True)
class Roles:
    """The columns that are not features: by name in a table, else their values."""

    y: Any
    groups: Any
    weight: Any
    time: Any
    folds: Any
    strata: tuple[Any, ...]

    def each(self, turned: Callable[[str, Any], Any]) -> Roles:
        """All of them through a function of the argument's name and the column."""
        one = {name: getattr(self, name) for name in ("y", "groups", "weight", "time", "folds")}
        kept = {
            name: None if given is None else turned("sample_weight" if name == "weight" else name, given)
            for name, given in one.items()
        }
        return Roles(**kept, strata=tuple(turned("strata", column) for column in self.strata))


def _by_index(X: Any, roles: Roles) -> tuple[Any, Roles, tuple[Check, ...]]:
    """Features and what goes with them, their rows matched by index where they have one; and a note."""
    strata = dict(enumerate(roles.strata))
    given = {
        "X": X, "y": roles.y, "groups": roles.groups, "sample_weight": roles.weight, "time": roles.time,
        "folds": roles.folds,
    }  # fmt: skip
    if isinstance(X, Mapping):  # columns of a table, which have no index of their own here
        given.pop("X")
    rows, moved = aligned({**given, "strata": strata})
    matched = Roles(
        y=rows["y"],
        groups=rows["groups"],
        weight=rows["sample_weight"],
        time=rows["time"],
        folds=rows["folds"],
        strata=tuple(rows["strata"].values()),
    )
    return rows.get("X", X), matched, moved


def _listed(strata: Any, *, named: bool) -> tuple[Any, ...]:
    """The columns of strata: names, or one column of values, several, or those of a frame or matrix."""
    if strata is None:
        return ()
    if isinstance(strata, str):
        return (strata,)
    if hasattr(type(strata), "columns"):
        rows = table(strata)
        return tuple(values_in(rows.column(at)) for at in range(len(rows.names)))
    if isinstance(strata, np.ndarray) and strata.ndim == 2:
        return tuple(strata.T)
    if named and _are_names(strata):
        return names_given("strata", strata)
    several = isinstance(strata, list | tuple) and all(_is_name_or_column(one, named=named) for one in strata)
    return tuple(strata) if several else (strata,)


def _are_names(strata: Any) -> bool:
    """Whether an array or an index has names of columns: texts that differ; strata of one row each are none."""
    if not hasattr(strata, "tolist"):
        return False
    texts = strata.tolist()
    return isinstance(texts, list) and all(isinstance(one, str) for one in texts) and len(set(texts)) == len(texts)


def _is_name_or_column(one: Any, *, named: bool) -> bool:
    return (named and isinstance(one, str)) or isinstance(one, list | tuple) or getattr(one, "ndim", 0) > 0


def _indexable(X: Any) -> Any:
    """Features of which some rows can be taken: Arrow's tables and dicts as frames, sparse matrices by rows."""
    if isinstance(X, Mapping) or (hasattr(X, "column_names") and not hasattr(X, "iloc")):
        rows = table(X)
        return _frame([rows.column(place) for place in range(len(rows.names))])
    if getattr(X, "ndim", 1) == 0 or not (hasattr(X, "shape") or isinstance(X, Sequence)):
        fix = "pass a frame or a 2D array"
        raise UsageError(f"X is {quoted(X)}, but must be a table or a matrix with one line per row", fix=fix)
    return X.tocsr() if hasattr(X, "tocsr") else X


def _values(name: str, given: Any) -> Array:
    """The values of a column; a matrix of one column is one."""
    if np.ma.is_masked(given):
        given = given.astype(object).filled(None)
    try:
        found = np.asarray(given)
    except ValueError as error:
        fix = "pass a rectangular array"
        raise DataError(f"the rows of {name} differ in length", code="H112", fix=fix) from error
    if found.ndim == 2 and found.shape[1] == 1:
        found = given = found[:, 0]
    no_column = not found.ndim or (found.ndim > 1 and name == "strata")  # y may have several columns
    if no_column or (found.ndim == 1 and found.dtype.kind in "OmcV"):
        read = column(name, given)  # refuses what is neither a label nor a number
        return values_in(read) if name == "strata" else found
    return found


def _of_table(X: Any, roles: Roles, drop: Sequence[str]) -> tuple[Any, Roles, dict[str, str], tuple[Source, ...]]:
    """The features of a table as a frame, its other columns as values, what they are called, and where it came from."""
    rows = table(X)
    given = {"target": roles.y, "group": roles.groups, "weight": roles.weight, "time": roles.time, "fold": roles.folds}
    names = {role: name for role, name in given.items() if isinstance(name, str)}
    every = [*names.values(), *drop, *(name for name in roles.strata if isinstance(name, str))]
    at = {name: named_column(rows.names, name, rows.place, "learning") for name in every}
    for name in drop:
        if at[name] == at[roles.y]:
            raise UsageError(
                f"--drop {name} (drop=[{name!r}]) is the target, which is never a feature",
                fix=f"leave it out, or name another target than {roles.y}",
            )
    kept = [place for place in range(len(rows.names)) if place not in at.values()]
    if not kept:
        raise DataError(f"{rows.place} has no column beside the target", code="H106", fix="keep some features")

    def values(argument: str, given: Any) -> Array:
        return values_in(rows.column(at[given])) if isinstance(given, str) else _values(argument, given)

    return _features(X, rows, kept), roles.each(values), names, rows.sources


def _features(X: Any, rows: Table, kept: list[int]) -> Any:
    """Some columns of a table: a frame as it is, with its types; anything else as a frame of numbers and texts."""
    if hasattr(X, "iloc"):
        return X.iloc[:, kept]
    if hasattr(X, "shape") and type(X).__module__.startswith("polars"):
        return X[:, kept]
    return _frame([rows.column(place) for place in kept])


def _in_order(time: Any, rows: int, name: str) -> Array:
    """The rows in the order of time; equal times as they came. Texts are numbers or ISO dates."""
    given = _one_each(time, rows, "time")
    return np.argsort(as_times(time_column(name, given)).values, kind="stable")


def _one_each(column: Any, rows: int, name: str) -> Array:
    """The values of a column that every row must have."""
    given = np.asarray(column)
    if given.shape != (rows,):
        found = f"{name} has {len(given) if given.ndim else 0:,} values, and there are {rows:,} rows"
        raise DataError(found, code="H112", fix=f"give one {name.removesuffix('s')} for every row")
    _whole(given, name)
    return given


def values_in(one: Column) -> Array:
    """Numbers where the column holds numbers, else its texts; nothing written is an empty text."""
    if one.words is None:
        return one.values
    found = numbers_or_none(one)
    if found is not None:
        return found
    texts = [*one.texts(), ""]
    # an array of texts gives every row the room of the longest one
    words: Array = np.array(texts, dtype=str if max(map(len, texts)) <= LONGEST else object)
    return words[one.values]


def _frame(columns: Sequence[Column]) -> Any:
    """The features as a frame, so that pipelines may choose columns by name; as a matrix without pandas and polars."""
    parts = {one.name: values_in(one) for one in columns}
    for backend in ("pandas", "polars"):
        if installed(backend):
            return frame_of(parts, backend)
    return _matrix(parts)


def _matrix(parts: Mapping[str, Array]) -> Array:
    texts = [name for name, values in parts.items() if values.dtype.kind not in "biuf"]
    if texts:
        raise DataError(
            f"{texts[0]} holds text, and features with text need a frame of pandas or polars; neither is installed",
            code="H108",
            fix="pip install 'heldout[pandas]', or leave the column out",
        )
    return np.column_stack(list(parts.values()))


def _even(X: Any, y: Array) -> None:
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if not rows and y.ndim and not len(y):
        raise DataError("there are no rows to learn from", code="H112", fix="give some rows")
    if not rows or y.ndim == 0 or rows != len(y):
        found = f"X has {rows:,} rows and y has {len(y) if y.ndim else 0:,}"
        raise DataError(found, code="H112", fix="give one target for every row")


def _whole(y: Array, name: str) -> None:
    """Refuse a target or a time that some rows do not have."""
    from pyarrow import ArrowException, array

    try:
        unknown = array(y.ravel(), from_pandas=True).is_null().to_numpy(zero_copy_only=False).reshape(y.shape)
    except (ArrowException, TypeError, OverflowError):  # values of several kinds: the batch has a word about them
        return
    unknown = unknown | (y == "") if y.dtype.kind in "UO" else unknown
    lacking = unknown.any(axis=1) if y.ndim == 2 else unknown
    if lacking.any():
        found = f"{name} is missing in {rows_named(np.flatnonzero(lacking) + 1)}"
        raise DataError(found, code="H305", fix="complete it, or leave these rows out")
