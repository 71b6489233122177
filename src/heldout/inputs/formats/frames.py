"""Frames of any library, Arrow streams and dicts of arrays to a table."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from heldout.errors import DataError, UsageError
from heldout.inputs.columns.column_names import first_twice
from heldout.inputs.formats.files import Table, exists, is_folder, read_file

LAZY_PACKAGES = {"duckdb": "duckdb", "_duckdb": "duckdb", "pyspark": "spark", "dask": "dask", "dask_expr": "dask"}
"""Package that defines a frame's type → which lazy frame it is."""
LAZY_PLACES = {"duckdb": "the relation", "spark": "the Spark frame", "dask": "the Dask frame"}
"""Name of a lazy frame in messages."""


def names_several_files(source: Any) -> bool:
    """Whether a source is a folder, a pattern or a list of files, rather than one file.

    >>> names_several_files("preds.csv"), names_several_files("preds/*.csv"), names_several_files(["a.csv", "b.csv"])
    (False, True, True)
    """
    if isinstance(source, (list, tuple)):
        return bool(source) and all(isinstance(path, (str, Path)) for path in source)
    return isinstance(source, (str, Path)) and (is_pattern(source) or is_folder(source))


def is_pattern(source: str | Path) -> bool:
    """Whether a path is a glob pattern, and not the name of a file that exists."""
    return glob.has_magic(str(source)) and not exists(source)


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyFrame:
    """A frame whose rows are not in memory: a DuckDB relation, a Spark or a Dask frame."""

    kind: str
    """duckdb, spark or dask."""
    place: str
    """Name of the frame in messages."""
    names: tuple[str, ...]
    frame: Any


def lazy_frame(source: Any) -> LazyFrame | None:
    """A DuckDB relation, a Spark or a Dask frame with its columns; None for anything else. Imports no package.

    >>> lazy_frame({"y": [0, 1]}) is None
    True
    """
    kind = LAZY_PACKAGES.get(type(source).__module__.split(".")[0])
    if kind is None or type(source).__name__ not in ("DuckDBPyRelation", "DataFrame"):
        return None
    columns = source.columns
    return LazyFrame(kind=kind, place=LAZY_PLACES[kind], names=tuple(str(name) for name in columns), frame=source)


def table(source: Any, *, keep_bytes: bool = False) -> Table:
    """The named columns of a path, a frame, an Arrow stream or a dict of arrays.

    With `keep_bytes`, rows of a file can be written as they were read.

    >>> table({"y": [1, 0], "p": [0.7, 0.2]}).names
    ('y', 'p')
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, (str, Path)):
        return read_file(source, keep_bytes=keep_bytes)
    if isinstance(source, np.ndarray) and source.dtype.names:
        return _table("the array", {name: source[name] for name in source.dtype.names})
    if isinstance(source, Mapping):
        return _table("the dict", source)
    return _arrow(source) or _frame(source) or _unknown(source)


def _table(place: str, columns: Mapping[Any, Any]) -> Table:
    return Table(place=place, names=tuple(str(name) for name in columns), raw=tuple(columns.values()), kind="frame")


def _arrow(source: Any) -> Table | None:
    """Arrow tables, and objects with an Arrow stream that narwhals does not know as frames."""
    import narwhals as nw
    import pyarrow as pa

    if not isinstance(source, (pa.Table, pa.RecordBatch, pa.RecordBatchReader)):
        if not hasattr(source, "__arrow_c_stream__") or nw.dependencies.is_into_dataframe(source):
            return None
        try:
            source = pa.table(source)
        except (pa.ArrowException, TypeError, ValueError, NotImplementedError) as error:
            raise _unread(source, error) from error
    if isinstance(source, pa.RecordBatchReader):
        source = source.read_all()
    return Table(place="the table", names=tuple(source.schema.names), raw=tuple(source.columns), kind="frame")


def _frame(source: Any) -> Table | None:
    import narwhals as nw

    try:
        frame = nw.from_native(source)
    except nw.exceptions.DuplicateError as error:
        raise _twice(source) from error
    except TypeError:
        return None
    try:
        eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
        names = eager.columns
        return Table(
            place="the frame",
            names=tuple(str(name) for name in names),
            raw=tuple(eager.get_column(name).to_native() for name in names),
            kind="frame",
        )
    except Exception as error:
        raise _unread(source, error) from error


def _twice(source: Any) -> DataError:
    names = [str(name) for name in source.columns]
    name = first_twice(names)
    return DataError(f"the frame has the column {name!r} twice", code="H106", fix="rename or drop one of them")


def _unread(source: Any, error: Exception) -> DataError:
    reason = (str(error).splitlines() or ["no reason given"])[0]
    return DataError(
        f"the {type(source).__name__} cannot be read as a table: {reason}",
        code="H100",
        fix="pass a frame with one plain value per cell, or a path",
    )


def _unknown(source: Any) -> Table:
    raise UsageError(
        f"an object of type {type(source).__name__} is neither a path nor a frame",
        code="H100",
        fix="pass a path, a pandas, polars or pyarrow table, or a dict of arrays",
    )
