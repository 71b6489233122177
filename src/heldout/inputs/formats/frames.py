"""Frames of any library, Arrow streams and dicts of arrays → a table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from heldout.errors import DataError, UsageError
from heldout.inputs.formats.files import Table, read_file


def table(source: Any) -> Table:
    """The named columns of a path, a frame, an Arrow stream or a dict of arrays.

    >>> table({"y": [1, 0], "p": [0.7, 0.2]}).names
    ('y', 'p')
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, (str, Path)):
        return read_file(source)
    if isinstance(source, np.ndarray) and source.dtype.names:
        return _table("the array", {name: source[name] for name in source.dtype.names})
    if isinstance(source, Mapping):
        return _table("the dict", source)
    return _arrow(source) or _frame(source) or _unknown(source)


def _table(place: str, columns: Mapping[Any, Any]) -> Table:
    return Table(place=place, names=tuple(str(name) for name in columns), raw=tuple(columns.values()))


def _arrow(source: Any) -> Table | None:
    """Arrow's own tables, and anything that hands out an Arrow stream and is no frame narwhals knows."""
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
    return Table(place="the table", names=tuple(source.schema.names), raw=tuple(source.columns))


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
            raw=tuple(_values(eager.get_column(name)) for name in names),
        )
    except Exception as error:
        raise _unread(source, error) from error


def _values(series: Any) -> Any:
    """The library's own series; its values are read only if the column is used."""
    return series.to_native()


def _twice(source: Any) -> DataError:
    names = [str(name) for name in source.columns]
    name = next(name for name in names if names.count(name) > 1)
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
