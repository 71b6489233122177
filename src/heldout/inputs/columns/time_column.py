"""The order of rows in time: numbers, or ISO dates; and columns that look like dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.inputs.columns.column_values import ArrowArray, Column, column, first_row, in_memory
from heldout.inputs.columns.number_parsing import MISSING_WORDS, numbers_or_none
from heldout.inputs.message_text import quoted

ISO = r"^[0-9]{4}-[0-9]{2}(-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?( ?(Z|[+-][0-9]{2}:?[0-9]{2}))?)?)?$"
"""Years and months, dates, and times of a day with or without a zone."""
MISSING_TIMES = (*MISSING_WORDS, "nat")
LOOKED_AT = 20
"""Values from the top of a column that tell whether it holds dates."""


def as_times(given: Column) -> Column:
    """The column as numbers that rise with time, nan where a time is missing.

    >>> as_times(column("day", ["2024-03-02", "2024-03-01"])).values.argsort().tolist()
    [1, 0]
    """
    if given.words is None:
        return given
    numbers = numbers_or_none(given)
    return replace(given, values=_dates(given) if numbers is None else numbers, words=None)


def time_column(name: str, values: Any) -> Column:
    """A column of times; arrays of dates, which hold neither labels nor numbers, become microseconds since 1970."""
    array = np.asarray(values) if hasattr(values, "__array__") and not hasattr(values, "__arrow_c_stream__") else None
    if array is None or array.dtype.kind != "M" or array.ndim != 1:
        return column(name, values)
    stamps = array.astype("datetime64[us]").astype(np.int64).astype(float)
    return Column(name=name, values=np.where(np.isnat(array), np.nan, stamps))


def _dates(given: Column) -> Array:
    """Microseconds since 1970 of each row; an error that names the first text that is not a date."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pc.utf8_trim_whitespace(given.words)
    missing = pc.is_in(pc.utf8_lower(words), pa.array(MISSING_TIMES, words.type)).to_numpy(zero_copy_only=False)
    dated = pc.match_substring_regex(words, ISO).to_numpy(zero_copy_only=False)
    used = np.isin(np.arange(len(words)), given.values)
    bad = np.flatnonzero(~dated & ~missing & used)
    kept = pc.if_else(pa.array(dated), words, pa.scalar(None, words.type))
    kept = pc.replace_substring_regex(kept, "^([0-9]{4}-[0-9]{2})$", r"\1-01")
    # microseconds are kept, as of arrays of dates; frames write time stamps in nanoseconds with nine digits
    kept = pc.replace_substring_regex(kept, r"[.,]([0-9]{1,6})[0-9]*", r".\1")
    stamps = None if len(bad) else _stamps(kept)
    if stamps is None:
        raise _no_time(given, bad if len(bad) else _impossible(kept, used))
    known = in_memory(pc.fill_null(stamps.cast(pa.int64()), 0)).astype(float)
    known[missing] = np.nan
    return np.append(known, np.nan)[given.values]  # position -1 is the added last one


def _stamps(words: ArrowArray) -> ArrowArray | None:
    """The texts as time stamps: all without a zone, or all with one; None where some are none."""
    import pyarrow as pa

    for kind in (pa.timestamp("us"), pa.timestamp("us", tz="UTC")):
        try:
            return words.cast(kind)
        except pa.ArrowException:
            continue
    return None


def _impossible(words: ArrowArray, used: Array) -> Array:
    """Positions of the texts that are written like dates and are none, such as 2024-02-30."""
    found = [at for at in np.flatnonzero(used).tolist() if _stamps(words.slice(at, 1)) is None]
    return np.array(found or np.flatnonzero(used)[:1].tolist())


def _no_time(given: Column, bad: Array) -> DataError:
    row = first_row(given, bad)
    word = given.texts()[int(given.values[row - 1 - given.first])]
    return DataError(
        f"{given.name} is {quoted(word)} in row {row}, which is neither a number nor an ISO date",
        code="H108",
        fix="write every time as a number, or as a date such as 2024-03-01 or 2024-03-01T12:30, all with or all "
        "without a time zone",
    )


def dated_columns(names: Sequence[str], raw: Sequence[Any], taken: Sequence[int]) -> tuple[str, ...]:
    """Columns without a role that hold dates, by the type or the first values of each.

    >>> dated_columns(["y", "day", "n"], [[0, 1], ["2024-03-01", "2024-03-02"], [2024, 2025]], taken=(0,))
    ('day',)
    """
    return tuple(
        name.strip()
        for at, (name, values) in enumerate(zip(names, raw, strict=True))
        if at not in taken and values is not None and holds_dates(values)
    )


def holds_dates(values: Any) -> bool:
    """Whether the values are dates, or their first ones are texts that are written like dates."""
    kind = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
    if kind.startswith(("datetime", "date", "timestamp")):
        return True
    if kind and not kind.startswith(("object", "str", "string", "large_string", "utf8", "<u", "category", "dict")):
        return False
    try:
        first = [str(value) for value in islice(iter(values), LOOKED_AT)]
    except TypeError:  # values that cannot be walked through are none
        return False
    told = [text for text in (word.strip() for word in first) if text.lower() not in MISSING_TIMES]
    return bool(told) and all(re.match(ISO, text) and 1 <= int(text[5:7]) <= 12 for text in told)
