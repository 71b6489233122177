"""One column of the input, whatever its source: numbers as they are, text as positions among its distinct texts."""

from __future__ import annotations

from collections.abc import Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.inputs.message_text import SMALLER, TOO_LARGE, quoted, rows_where

ROWS_AT_ONCE = 1 << 15
"""Rows that fit into the cache of a core."""
BOOLEANS = frozenset({bool, np.bool_})
ArrowArray = Any
"""A `pyarrow.Array` or `ChunkedArray`; pyarrow ships no types."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """A named column: numbers, or text as positions among its distinct texts (-1: missing)."""

    name: str
    values: Array
    words: ArrowArray | None = None
    """The distinct texts; None for numbers and booleans."""
    decimal_comma: bool = False
    """Whether numbers are written with a decimal comma."""
    first: int = 0
    """Number of rows of the input that come before."""
    order: tuple[Any, ...] = ()
    """The categories of an ordered categorical column, in their order; empty for others."""
    written: bool = False
    """Whether the texts are whole numbers that were written as text because some are missing."""

    def __len__(self) -> int:
        return len(self.values)

    def take(self, keep: Array) -> Column:
        """The rows where `keep` is true."""
        return replace(self, values=self.values[keep])

    def texts(self) -> list[str]:
        """The distinct texts of a column of text, as a list."""
        assert self.words is not None, f"{self.name} holds numbers"
        texts: list[str] = self.words.to_pylist()
        return texts

    @property
    def whole(self) -> bool:
        """Whether the type of the values is an integer."""
        return self.words is None and self.values.dtype.kind in "iu"

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest number; nan if a number is missing."""
        return (float(self.values.min()), float(self.values.max())) if len(self.values) else (0.0, 0.0)

    @property
    def gapless(self) -> bool:
        """Whether all values are finite numbers."""
        if self.words is not None:
            return False
        return self.values.dtype.kind != "f" or bool(np.isfinite(self.bounds).all())


def column(name: str, values: Any) -> Column:
    """Convert an array, a series, an Arrow array or a list.

    >>> column("y", ["a", "b", "a"]).values.tolist()
    [0, 1, 0]
    """
    import pyarrow as pa

    if isinstance(values, Column):
        return values
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return from_arrow(name, values)
    if isinstance(values, np.ndarray):
        return _from_numpy(name, values)
    if hasattr(values, "categories") and hasattr(values, "ordered"):  # pandas' Categorical outside of a series
        return from_arrow(name, pa.array(values))
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        try:
            return from_arrow(name, pa.chunked_array(values))
        except DataError:
            raise
        except (pa.ArrowException, ValueError, TypeError, OverflowError):
            pass  # a series of Python objects, which is converted value by value below
    if isinstance(values, (str, bytes, dict)) or not hasattr(values, "__iter__"):
        raise DataError(
            f"{name} is of type {type(values).__name__}, and one value per row is needed",
            code="H107",
            fix=f"pass {name} as a list, an array or a series",
        )
    if isinstance(values, AbstractSet):  # also the keys of a dict, whose order is not that of rows either
        raise DataError(
            f"{name} is a {type(values).__name__}, which has no order: its values cannot be matched with other columns",
            code="H107",
            fix=f"pass {name} as a list, an array or a series with one value per row",
        )
    if hasattr(values, "__array__"):
        return _from_numpy(name, _as_numpy(name, values))
    return _from_objects(name, list(values))


def _as_numpy(name: str, values: Any) -> Array:
    try:
        return np.asarray(values)
    except Exception as error:
        reason = (str(error).splitlines() or ["no reason given"])[0]
        raise DataError(
            f"{name} cannot be read as an array ({type(error).__name__}: {reason})",
            code="H107",
            fix="pass a numpy array, a list, or a series",
        ) from error


def from_arrow(name: str, values: ArrowArray) -> Column:
    """Convert an Arrow array.

    >>> import pyarrow as pa
    >>> from_arrow("p", pa.array([0.5, None])).values.tolist()
    [0.5, nan]
    """
    import pyarrow as pa
    import pyarrow.types as kinds

    try:
        values = _one_plain_array(values)
    except pa.ArrowNotImplementedError as error:
        raise _not_plain(name, values) from error
    if kinds.is_dictionary(values.type):
        order = tuple(values.dictionary.to_pylist()) if values.type.ordered else ()
        if str(values.type.value_type) == "string_view":  # polars' Enum, which Arrow cannot decode
            values = pa.DictionaryArray.from_arrays(values.indices, values.dictionary.cast(pa.large_string()))
        plain = from_arrow(name, values.dictionary_decode())
        return replace(plain, order=order) if order else plain
    kind = values.type
    if kinds.is_null(kind):
        return Column(name=name, values=np.full(len(values), -1), words=pa.array([], pa.large_string()))
    if kinds.is_boolean(kind) or kinds.is_integer(kind):
        if not values.null_count:
            return Column(name=name, values=_numbers(values))
        return replace(_from_text(name, _as_text(name, values)), written=True)
    if kinds.is_float32(kind):
        return Column(name=name, values=_numbers(values))
    if kinds.is_floating(kind) or kinds.is_decimal(kind):
        return Column(name=name, values=_numbers(values.cast(pa.float64())))
    if kinds.is_duration(kind):  # as text they would be whole numbers without their unit
        raise _durations(name, kind)
    if kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_temporal(kind) or str(kind) == "string_view":
        return _from_text(name, _as_text(name, values))
    raise _not_plain(name, values)


def _durations(name: str, kind: Any) -> DataError:
    return DataError(
        f"{name} holds durations ({kind}), which are neither labels nor numbers",
        code="H107",
        fix=f"write {name} as numbers of one unit, such as seconds",
    )


def _not_plain(name: str, values: ArrowArray) -> DataError:
    return DataError(
        f"{name} holds {quoted(values.type)} values, and one label or number per row is needed",
        code="H107",
        fix=f"write {name} as one plain value per row",
    )


def _one_plain_array(values: ArrowArray) -> ArrowArray:
    """One array without chunks, extension types and runs."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pa.ChunkedArray):  # more text than one array of 32-bit offsets can hold
        values = pa.concat_arrays(values.cast(pa.large_string()).chunks)
    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    return pc.run_end_decode(values) if kinds.is_run_end_encoded(values.type) else values


def in_memory(numbers: ArrowArray) -> Array:
    """Arrow numbers without missing values as a NumPy view of the same memory; `to_numpy` would import pandas."""
    if not len(numbers):
        return np.zeros(0, numbers.type.to_pandas_dtype())
    whole = np.frombuffer(numbers.buffers()[1], dtype=numbers.type.to_pandas_dtype())
    return whole[numbers.offset : numbers.offset + len(numbers)]


def _numbers(values: ArrowArray) -> Array:
    import pyarrow.types as kinds

    if values.null_count or kinds.is_boolean(values.type):
        return np.asarray(values.to_numpy(zero_copy_only=False))
    return in_memory(values)


def _as_text(name: str, values: ArrowArray) -> ArrowArray:
    import pyarrow as pa
    import pyarrow.types as kinds

    if kinds.is_boolean(values.type):
        import pyarrow.compute as pc

        return pc.if_else(values, pa.scalar("True", pa.large_string()), pa.scalar("False", pa.large_string()))
    try:
        return values.cast(pa.large_string())
    except pa.ArrowException as error:
        raise DataError(
            f"{name} holds {values.type} values that cannot be written as text",
            code="H107",
            fix=f"write {name} as plain text or numbers",
        ) from error


def _from_text(name: str, values: ArrowArray) -> Column:
    coded = values.dictionary_encode()
    # Arrow imports pandas whenever it is given a Python value such as the -1; the common path gives it none
    if values.null_count:
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    else:
        codes = in_memory(coded.indices)
    return Column(name=name, values=codes, words=coded.dictionary)


def _from_numpy(name: str, values: Array) -> Column:
    import pyarrow as pa

    if values.ndim != 1:
        raise DataError(
            f"{name} has {values.ndim} dimensions (shape {values.shape}), and one value per row is needed",
            code="H107",
            fix=f"pass {name} as one column",
        )
    if isinstance(values, np.ma.MaskedArray):
        objects = values.data.astype(object)
        objects[np.ma.getmaskarray(values)] = None
        return _from_objects(name, objects)
    if values.dtype.kind in "biu":
        return Column(name=name, values=values)
    if values.dtype.kind == "f":
        return Column(
            name=name, values=values.astype(values.dtype if values.dtype == np.float32 else float, copy=False)
        )
    if values.dtype.kind in "UT":
        try:
            return from_arrow(name, pa.array(values.astype(object)))
        except UnicodeError as error:
            raise _unreadable_text(name) from error
    if values.dtype.kind == "O":
        return _from_objects(name, values)
    if values.dtype.kind == "m":
        raise _durations(name, values.dtype)
    raise DataError(
        f"{name} holds values of type {values.dtype}, which are neither labels nor numbers",
        code="H107",
        fix=f"pass {name} as text, integers, booleans or floats",
    )


def _unreadable_text(name: str) -> DataError:
    return DataError(
        f"{name} holds text that is not valid Unicode", code="H107", fix="remove lone surrogates from the labels"
    )


def _from_objects(name: str, values: Sequence[Any] | Array) -> Column:
    """Convert Python objects: Arrow reads objects of one type, numbers of several types become floats, else raise."""
    import pyarrow as pa

    types = set(map(type, values))
    if types & BOOLEANS and types - BOOLEANS and not all(type(v) in BOOLEANS or _absent(v) for v in values):
        raise _mixed(name, values)  # true would be 1 without a word; a CSV file with both is refused too
    try:
        return from_arrow(name, pa.array(values, from_pandas=True))
    except DataError:
        raise
    except UnicodeError as error:
        raise _unreadable_text(name) from error
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        pass
    present = [value for value in values if not _absent(value)]
    if all(isinstance(value, (bool, int, np.bool_, np.integer)) for value in present):
        try:
            texts = pa.array([None if _absent(value) else str(int(value)) for value in values])
        except ValueError as error:
            raise DataError(f"{name} has {TOO_LARGE}", code="H108", fix=SMALLER) from error
        return replace(from_arrow(name, texts), written=True)
    if all(isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)) for value in present):
        try:
            return Column(name=name, values=np.array([np.nan if _absent(v) else float(v) for v in values]))
        except OverflowError:
            pass
    raise _mixed(name, values)


def _absent(value: Any) -> bool:
    nan = isinstance(value, (float, np.floating)) and bool(np.isnan(value))
    return value is None or nan or type(value).__name__ in ("NAType", "NaTType")


def _mixed(name: str, values: Sequence[Any] | Array) -> DataError:
    kinds: dict[str, int] = {}
    for row, value in enumerate(values):
        kinds.setdefault(type(value).__name__, row)
    seen = ", ".join(
        f"{kind} ({quoted(_short(values[row]))} in row {row + 1})" for kind, row in list(kinds.items())[:3]
    )
    return DataError(
        f"{name} holds values that are not labels of one type: {seen}",
        code="H107",
        fix=f"write every value of {name} in one way: all text, all numbers, or all booleans",
    )


def _short(value: Any) -> str:
    try:
        text = str(value)
    except Exception:  # noqa: BLE001 - str() of a foreign object may raise anything
        text = "?"
    return text.encode("ascii", "backslashreplace").decode()


def blank(column: Column) -> Array:
    """Where a value is missing: null, blanks only, nan or infinite."""
    if column.words is None:
        return ~np.isfinite(column.values) if column.values.dtype.kind == "f" else np.zeros(len(column), bool)
    import pyarrow.compute as pc

    empty = in_memory(pc.binary_length(pc.utf8_trim_whitespace(column.words))) == 0
    return np.append(empty, True)[column.values]  # position -1 is the added last one


def first_row(column: Column, words: Array) -> int:
    """Number of the first row, counted from 1, whose text is one of the positions `words`."""
    return int(rows_where(holds(column, words))[0]) + column.first


def holds(column: Column, words: Array) -> Array:
    """Where the text of a row is one of the positions `words`; a look-up, which is faster than np.isin.

    >>> holds(column("g", ["a", "b", None, "a"]), np.array([0])).tolist()
    [True, False, False, True]
    """
    assert column.words is not None, f"{column.name} holds numbers"
    marked = np.zeros(len(column.words) + 1, bool)  # position -1 is the added last one
    marked[words] = True
    return marked[column.values]


def in_use(column: Column) -> Array:
    """Which of the texts some row has: those of dropped rows are still in the list.

    >>> in_use(column("g", ["a", "b", None, "a"])).tolist()
    [True, True]
    """
    assert column.words is not None, f"{column.name} holds numbers"
    return np.bincount(column.values + 1, minlength=len(column.words) + 1)[1:] > 0


def positions(column: Column) -> tuple[list[Any], Array]:
    """The distinct values, and each row's position among them.

    >>> names, codes = positions(column("g", [7, 5, 7]))
    >>> names, codes.tolist()
    ([5, 7], [1, 0, 1])
    """
    values = column.values
    if column.words is not None:
        used = np.flatnonzero(np.bincount(values[values >= 0], minlength=len(column.words)))
        order = np.full(len(column.words) + 1, -1)
        order[used] = np.arange(len(used))
        words = column.texts()
        return (words if len(used) == len(words) else [words[at] for at in used.tolist()]), order[values]
    if values.dtype.kind == "b":
        values = values.astype(np.uint8)
    if values.dtype.kind == "f" and np.isfinite(values).all() and (values == np.rint(values)).all():
        values = values.astype(np.int64) if np.abs(values).max(initial=0) < 2**53 else values
    distinct, codes = (
        _small_range(values) if values.dtype.kind in "iu" and len(values) else np.unique(values, return_inverse=True)
    )
    if column.values.dtype.kind == "b":
        return distinct.astype(bool).tolist(), codes
    names = distinct.tolist()
    if values.dtype.kind == "f" and all(
        value.is_integer() and abs(value) < 2**53 for value in names if isfinite(value)
    ):
        names = [int(value) if isfinite(value) else value for value in names]  # beside missing ones
    return names, codes


def _small_range(values: Array) -> tuple[Array, Array]:
    """Distinct integers; counted instead of sorted if their range is small."""
    low, high = _ends(values)
    size = high - low + 1
    if size > max(1_000, 2 * len(values)) or high >= 2**63:
        return np.unique(values, return_inverse=True)
    # numpy counts no uint64, and adds it to int64 as floats
    shifted = values if low == 0 and values.dtype != np.uint64 else values.astype(np.int64) - low
    used = _present(shifted, size)
    if len(used) == size:
        return used + low, shifted
    order = np.zeros(size, np.min_scalar_type(len(used)))
    order[used] = np.arange(len(used))
    return used + low, order[shifted]


def _ends(values: Array) -> tuple[int, int]:
    """Smallest and largest number, found in one pass through memory."""
    blocks = [values[first : first + ROWS_AT_ONCE] for first in range(0, len(values), ROWS_AT_ONCE)]
    ends = [(block.min(), block.max()) for block in blocks]
    return int(min(low for low, _ in ends)), int(max(high for _, high in ends))


def _present(codes: Array, size: int) -> Array:
    """Which of the numbers 0..size-1 occur; stops once all of them have."""
    counts = np.zeros(size, np.int64)
    for first in range(0, len(codes), ROWS_AT_ONCE):
        counts += np.bincount(codes[first : first + ROWS_AT_ONCE], minlength=size)
        if counts.all():
            break
    return np.flatnonzero(counts)
