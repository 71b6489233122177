"""Text to numbers: plain decimal notation only; an error names the row and the text that is not a number."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.inputs.columns.column_values import ArrowArray, Column, first_row, holds, in_memory, in_use
from heldout.inputs.message_text import LONGEST, quoted

MISSING_WORDS = ("", "nan", "na", "n/a", "#n/a", "null", "none", "<na>", "-nan")
"""What programs write for a missing number, in lower case."""
INFINITE_WORDS = ("inf", "+inf", "-inf", "infinity", "+infinity", "-infinity")
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
DECIMAL_COMMA = r"^[+-]?([0-9]+,?[0-9]*|,[0-9]+)([eE][+-]?[0-9]+)?$"
THOUSANDS = r"^[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$"


def numbers(column: Column) -> Array:
    """The column as float64, nan where a value is missing.

    >>> from heldout.inputs.columns.column_values import column
    >>> numbers(column("p", ["0.5", "", "1e-3"])).tolist()
    [0.5, nan, 0.001]
    """
    if column.words is None:
        return column.values.astype(np.float64, copy=False)
    return np.append(_parsed(column), np.nan)[column.values]  # position -1 is the added last one


def as_numbers(column: Column) -> Column:
    """The column with its text parsed as numbers."""
    if column.words is None and column.values.dtype == np.float64:
        return column
    return replace(column, values=numbers(column), words=None)


def as_scores(column: Column) -> Column:
    """The column with its text parsed as numbers; scores may stay in single precision, which keeps their order."""
    return column if column.words is None and column.values.dtype == np.float32 else as_numbers(column)


def whole_number(value: Any) -> int | None:
    """A plain number without a fraction that fits into 64 bits; None for text, true and false, nan, 1.9 and the like.

    >>> whole_number(3.0), whole_number(1.9), whole_number("3"), whole_number(True), whole_number(2**63)
    (3, None, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return None
    return int(value) if -(2**63) <= value < 2**63 and value == int(value) else None


def as_float(value: float) -> float:
    """A Python number as a float: infinite where a whole number is beyond the largest float.

    >>> as_float(3), as_float(-(10**400))
    (3.0, -inf)
    """
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def numbers_or_none(column: Column) -> Array | None:
    """The column as float64 if every value is a number or missing, and not all are missing; else None."""
    try:
        parsed = numbers(column)
    except DataError:
        return None
    return None if np.isnan(parsed).all() else parsed


def _parsed(column: Column) -> Array:
    """The number that each distinct text means."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pc.utf8_trim_whitespace(column.words)
    try:
        parsed = in_memory(words.cast(pa.float64()))
    except pa.ArrowInvalid:
        parsed = _parsed_with_gaps(column, words)
    infinite = np.isinf(parsed)
    if infinite.any():
        named = pc.is_in(pc.utf8_lower(words), pa.array(INFINITE_WORDS, words.type)).to_numpy(zero_copy_only=False)
        beyond = np.flatnonzero(infinite & ~named & in_use(column))
        if len(beyond):
            row, word = _first(column, beyond)
            shown = word if len(word) <= LONGEST else f"a number of {len(word):,} characters"
            raise DataError(
                f"{column.name} is {shown} in row {row}, beyond the largest floating-point number (1.8e308)",
                code="H108",
                fix=f"check how {column.name} was computed",
            )
    return parsed


def _parsed_with_gaps(column: Column, words: ArrowArray) -> Array:
    """Parse texts of which some are not numbers: nan for a missing value, an error for any other."""
    import pyarrow as pa
    import pyarrow.compute as pc

    missing = pc.is_in(pc.utf8_lower(words), pa.array(MISSING_WORDS, words.type))
    named = pc.is_in(pc.utf8_lower(words), pa.array(INFINITE_WORDS, words.type))
    fine = pc.or_(missing, pc.or_(named, pc.match_substring_regex(words, NUMBER)))
    bad = np.flatnonzero(~fine.to_numpy(zero_copy_only=False) & in_use(column))
    if len(bad):
        raise _not_a_number(column, bad)
    kept = pc.if_else(pc.and_(fine, pc.invert(missing)), words, pa.scalar("nan", words.type))
    return kept.cast(pa.float64()).to_numpy(zero_copy_only=False)


def _first(column: Column, words: Array) -> tuple[int, str]:
    row = first_row(column, words)
    return row, column.texts()[int(column.values[row - 1 - column.first])]


def _not_a_number(column: Column, bad: Array) -> DataError:
    import re

    row, word = _first(column, bad)
    count = int(np.count_nonzero(holds(column, bad)))
    more = f" ({count:,} such rows)" if count > 1 else ""
    fix = f"write {column.name} in plain decimal notation, such as 0.25 or 1e-3"
    if re.match(THOUSANDS, word.strip()):
        fix = f"write {word.strip()} without thousands separators: {word.strip().replace(',', '')}"
    elif re.match(r"^[0-9.]+ ?%$", word.strip()):
        fix = f"write percentages as shares between 0 and 1: {word.strip()} is {float_text(word)}"
    return DataError(f"{column.name} is {quoted(word)} in row {row}{more}, which is not a number", code="H108", fix=fix)


def float_text(percent: str) -> str:
    """A percentage as a share.

    >>> float_text("97.5%")
    '0.975'
    """
    try:
        return f"{float(percent.strip().rstrip('% ')) / 100:.12g}"
    except ValueError:
        return "a share"


def with_decimal_comma(column: Column) -> Column:
    """The column with `0,5` read as 0.5, if every value is a number written that way; else unchanged.

    >>> from heldout.inputs.columns.column_values import column
    >>> numbers(with_decimal_comma(column("p", ["0,5", "1"]))).tolist()
    [0.5, 1.0]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pc.utf8_trim_whitespace(column.words)
    if not pc.any(pc.match_substring(words, ",")).as_py():
        return column
    empty = pc.is_in(pc.utf8_lower(words), pa.array(MISSING_WORDS, words.type))
    if not pc.all(pc.or_(empty, pc.match_substring_regex(words, DECIMAL_COMMA))).as_py():
        return column
    return replace(column, words=pc.replace_substring(words, ",", "."), decimal_comma=True)


NUMBERS = "give plain numbers, a list of them for each class"


def number_table(values: Any, place: str, *, code: str = "H110", fix: str = NUMBERS) -> Array:
    """A table of numbers; masked cells, texts, dates and complex numbers are refused."""
    if np.ma.is_masked(values):
        raise DataError(f"{place} has masked cells, whose values are unknown", code=code, fix=fix)
    try:
        cells = np.asarray(values)
    except ValueError:
        raise DataError(f"the rows of {place} differ in length", code=code, fix=fix) from None
    plain = cells.dtype.kind in "buif" or (
        cells.dtype.kind == "O" and all(isinstance(cell, Real | Decimal) for cell in cells.ravel())
    )
    if not plain:
        shown = quoted(cells.ravel().tolist()[0]) if cells.size else type(values).__name__
        raise DataError(f"{place} holds {shown}, which is not a number", code=code, fix=fix)
    try:
        return cells.astype(float)
    except OverflowError:
        raise DataError(f"{place} holds a number beyond 1e308", code=code, fix=fix) from None
