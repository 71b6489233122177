"""`read_set_scores`: the scores in a table with a line per data set and a column per learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.inputs.columns.column_names import first_twice, plain_name
from heldout.inputs.columns.column_values import Column, blank, column, positions
from heldout.inputs.columns.number_parsing import numbers, numbers_or_none
from heldout.inputs.formats.files import Source, Table
from heldout.inputs.formats.frames import table
from heldout.inputs.message_text import listed, names_listed, quoted, rows_named, rows_where
from heldout.inputs.reading import Check

SET_NAMES = (
    *("", "unnamed: 0", "dataset", "data_set", "data set", "data", "set"),
    *("task", "problem", "benchmark", "name", "id"),
)
"""Names of a column of data sets, in lower case; the first two are those of a frame's index in a file."""
FOLD_NAMES = ("fold", "folds", "split", "repeat", "repetition", "run", "seed", "iteration")
"""Names of a column that numbers folds or runs, in lower case."""
MOST_SETS = 2_000
"""More lines than this are rows of predictions rather than data sets."""
MOST_LEARNERS = 50
LARGEST = 1e100
"""Numbers beyond this are not scores, and the squares of their differences may overflow."""
SHAPE = "give one row per data set and one column of scores per learner"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetScores:
    """Scores of learners on data sets, complete."""

    sets: tuple[str, ...]
    learners: tuple[str, ...]
    scores: Array
    """A line per data set, a column per learner."""
    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()


def read_set_scores(source: Any, *, dataset: str | None = None) -> SetScores:
    """The scores in a path, a frame, a dict of lists or a two-dimensional array.

    The column `dataset` names the data sets; default: one that is called so, or the first if it is text.

    >>> result = read_set_scores({"dataset": ["iris", "wine"], "tree": [0.94, 0.93], "forest": [0.95, 0.98]})
    >>> result.sets, result.learners, result.scores.tolist()
    (('iris', 'wine'), ('tree', 'forest'), [[0.94, 0.95], [0.93, 0.98]])
    """
    rows = _table(source)
    at = _set_column(rows, dataset)
    learners = tuple(name for i, name in enumerate(rows.names) if i != at)
    _sensible(rows, learners)
    columns = [_column(rows, i) for i in range(len(rows.names))]
    _same_length(rows, columns)
    scores = np.column_stack([_scores(rows, one) for i, one in enumerate(columns) if i != at])
    sets = _names(rows, columns[at]) if at is not None else tuple(str(row) for row in range(1, len(scores) + 1))
    _complete(rows, scores, sets, learners)
    return SetScores(
        sets=sets,
        learners=learners,
        scores=scores,
        checks=(*_unnamed(at, len(sets)), *_constant(scores, learners)),
        sources=rows.sources,
    )


def _table(source: Any) -> Table:
    """The named columns; those of an array are numbered."""
    if isinstance(source, (list, tuple)) or (isinstance(source, np.ndarray) and not source.dtype.names):
        try:
            array = np.asarray(source)
        except ValueError:
            raise UsageError("the rows of the list differ in length", code="H112", fix=SHAPE) from None
        if array.ndim != 2:
            raise UsageError(f"the array has {array.ndim} dimension{'' if array.ndim == 1 else 's'}, not 2", fix=SHAPE)
        names = tuple(f"learner {i}" for i in range(1, array.shape[1] + 1))
        return Table(place="the array", names=names, raw=tuple(array.T))
    return table(_with_index(source))


def _with_index(source: Any) -> Any:
    """A pandas frame whose index holds names has them as its first column, for they name the data sets."""
    import narwhals as nw

    if not nw.dependencies.is_pandas_dataframe(source) or source.index.inferred_type != "string":
        return source
    name = source.index.name or "dataset"
    return source if name in source.columns else source.rename_axis(index=name).reset_index()


def _set_column(rows: Table, dataset: str | None) -> int | None:
    """Where the names of the data sets are; None where rows are only numbered."""
    if dataset is not None:
        if dataset not in rows.names:
            hint = did_you_mean(dataset, rows.names)
            fix = f"the columns are {names_listed(rows.names)}"
            raise DataError(f"{rows.place} has no column {dataset!r}{hint}", code="H106", fix=fix)
        return rows.names.index(dataset)
    if rows.place == "the array" or not rows.names:
        return None
    called = [i for i, name in enumerate(rows.names) if plain_name(name) in SET_NAMES]
    if called:
        return called[0]
    return 0 if numbers_or_none(_column(rows, 0)) is None else None


def _sensible(rows: Table, learners: Sequence[str]) -> None:
    """Refuse a table that cannot be one of data sets by learners."""
    twice = first_twice(learners)
    if twice is not None:
        raise DataError(
            f"{rows.place} has the column {twice!r} twice", code="H106", fix="give each learner a name of its own"
        )
    folds = [name for name in learners if plain_name(name) in FOLD_NAMES]
    if folds:
        raise _folds(f"{rows.place} has a column {folds[0]!r}, so its rows are folds or runs, not data sets")
    if len(learners) < 2:
        count = f"{len(learners)} column{'' if len(learners) == 1 else 's'} of scores"
        raise DataError(f"{rows.place} has {count}, and a comparison needs two", code="H106", fix=SHAPE)
    if len(learners) > MOST_LEARNERS:
        message = f"{rows.place} has {len(learners)} columns of scores, more than {MOST_LEARNERS}"
        raise DataError(message, code="H106", fix=f"{SHAPE}; turn the table if it is the other way round")


def _folds(message: str) -> DataError:
    return DataError(message, code="H301", fix="average the folds of each data set first")


def _column(rows: Table, at: int) -> Column:
    try:
        return rows.column(at)
    except DataError as error:
        raise DataError(f"{rows.place}: {error.message}", code=error.code, fix=error.fix) from error


def _same_length(rows: Table, columns: Sequence[Column]) -> None:
    lengths = {one.name: len(one) for one in columns}
    if len(set(lengths.values())) > 1:
        lengths_text = ", ".join(f"{name} {length}" for name, length in list(lengths.items())[:6])
        raise DataError(f"{rows.place}: columns differ in length ({lengths_text})", code="H112", fix=SHAPE)
    count = len(columns[0])
    if count < 2:
        raise DataError(
            f"{rows.place} has {count} data set{'' if count == 1 else 's'}, and data sets are the sample here",
            code="H112",
            fix="for one data set give the predictions themselves: heldout compare a.csv b.csv",
        )
    if count > MOST_SETS:
        raise _folds(
            f"{rows.place} has {count:,} rows, too many for data sets: these look like predictions or fold scores"
        )


def _scores(rows: Table, one: Column) -> Array:
    """The column's numbers; raise if it has none."""
    try:
        return numbers(one)
    except DataError as error:
        words = [str(value) for value in positions(one)[0]]
        if all(numbers_or_none(column("", [word])) is None for word in words[:20]):
            message = f"{rows.place}: the column {one.name!r} holds no numbers ({listed(words, 2)})"
            fix = f"{SHAPE}; name the column of data sets with --id (dataset=)"
            raise DataError(message, code="H108", fix=fix) from error
        raise DataError(f"{rows.place}: {error.message}", code=error.code, fix=error.fix) from error


def _names(rows: Table, one: Column) -> tuple[str, ...]:
    """The data sets' names, each once."""
    gaps = rows_where(blank(one))
    if len(gaps):
        raise DataError(
            f"{rows.place}: {rows_named(gaps)} of {one.name!r} name{'s' if len(gaps) == 1 else ''} no data set",
            code="H305",
            fix="name every data set",
        )
    values, codes = positions(one)
    counts = np.bincount(codes, minlength=len(values))
    if (counts > 1).any():
        most = int(np.argmax(counts))
        raise _folds(
            f"{rows.place}: the data set {quoted(str(values[most]))} occurs {counts[most]} times; "
            "these look like fold scores, and folds of one data set are not independent"
        )
    return tuple(str(values[code]) for code in codes.tolist())


def _complete(rows: Table, scores: Array, sets: Sequence[str], learners: Sequence[str]) -> None:
    gaps = np.argwhere(~(np.abs(scores) <= LARGEST)).tolist()
    if not gaps:
        return
    i, j = gaps[0]
    score = float(scores[i, j])
    kind = "missing" if np.isnan(score) else f"{score:g}, which is not a score"
    more = f" ({len(gaps)} such scores)" if len(gaps) > 1 else ""
    raise DataError(
        f"{rows.place}: the score of {quoted(learners[j])} on the data set {quoted(sets[i])} is {kind}{more}",
        code="H305",
        fix="complete it, or leave the data set out for all learners and say so",
    )


def _unnamed(at: int | None, sets: int) -> tuple[Check, ...]:
    if at is not None:
        return ()
    return (Check(code="H111", text=f"no column names the data sets: each of the {sets} rows is read as a data set"),)


def _constant(scores: Array, learners: Sequence[str]) -> tuple[Check, ...]:
    """A note on columns with one value: a majority baseline is fine, a setting read as scores is not."""
    still = [learners[i] for i in np.flatnonzero(np.ptp(scores, axis=0) == 0).tolist()]
    if not still:
        return ()
    if len(still) == 1:
        text = f"{listed(still)} has the same score on every data set, and counts as a learner"
    else:
        text = f"{listed(still)} have the same score on every data set each, and count as learners"
    return (Check(code="H111", text=text),)
