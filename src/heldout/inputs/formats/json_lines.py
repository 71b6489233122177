"""JSON lines to columns: one object per line. Arrow reads them; line by line where it fails or guesses."""

from __future__ import annotations

import json
import re
from math import isinf
from typing import Any

from heldout.errors import DataError
from heldout.inputs.formats.arrow_memory import parsed
from heldout.inputs.formats.delimited_text import decoded
from heldout.inputs.formats.json_text import check_nesting_of_lines, json_value
from heldout.inputs.limits import CELLS, cells_most, check_names

FORM = 'write one object per line, such as {"y": "yes", "p": 0.7}'
NAME = re.compile(rb'"((?:[^"\\]|\\.)*)"\s*:')
FIRST = re.compile(rb"(?m)^[ \t\r]*([^ \t\r\n])")
"""The first character of a line."""
AT_ONCE = 1 << 24
"""Bytes that are searched for names at a time."""


def read_json_lines(data: bytes, place: str) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Names and columns of a file with one JSON object per line."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    check_nesting_of_lines(data, place)
    starts = FIRST.findall(data)
    if set(starts) - {b"{"} or _sparse(data):  # a first row that is null ends the process in Arrow's reader
        return _slow(data, place)
    try:
        block = min(max(1 << 20, len(data) + 1), 2**31 - 1)
        reading = arrow_json.ReadOptions(block_size=block, use_threads=True)
        table = parsed(arrow_json.read_json, data, read_options=reading)
        table.validate(full=True)
        check_names(table.column_names, place)
        if table.num_rows == len(starts) and not _guessed(table):
            return tuple(table.column_names), tuple(table.columns)
    except DataError:
        raise
    except (pa.ArrowException, ValueError, OverflowError):
        pass
    return _slow(data, place)


def _guessed(table: Any) -> bool:
    """Whether Arrow changed what was written: text that looks like a date, numbers too large for it."""
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    dated = any(kinds.is_temporal(field.type) for field in table.schema)
    sizes = (pc.max(pc.abs(column)).as_py() for column in table.columns if kinds.is_float64(column.type))
    return dated or any(size is not None and (2**63 <= size < 1e25 or isinf(size)) for size in sizes)


def _sparse(data: bytes) -> bool:
    """Whether there may be so many names that a column for each, as Arrow makes it, needs more memory than is allowed.

    A megabyte of rows that have one name each, all different, would need 100 gigabytes.
    """
    most = cells_most(len(data)) // (data.count(b"\n") + 1)
    if data.count(b":") <= most or _names_of_first_row_only(data):
        return False
    names: set[bytes] = set()
    for start in range(0, len(data), AT_ONCE):
        names.update(NAME.findall(data[start : start + AT_ONCE]))
        if len(names) > most:
            return True
    return False


def _names_of_first_row_only(data: bytes) -> bool:
    """Whether every name is one of the first row: they are counted, as reading all rows takes much longer."""
    if any(blank + b":" in data for blank in (b" ", b"\t", b"\r")):  # a name may end before blanks
        return False
    try:
        row = json.loads(data.lstrip().partition(b"\n")[0])
    except (ValueError, RecursionError):
        return False
    if not isinstance(row, dict):
        return False
    names = [f"{json.dumps(name, ensure_ascii=False)}:".encode("utf-8", "replace") for name in row]
    return sum(map(data.count, names)) == data.count(b'":')


def _slow(data: bytes, place: str) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Line by line: for what Arrow refuses, and to say which line is wrong."""
    lines = []
    for number, line in enumerate(decoded(data, "utf-8", place).split("\n"), start=1):
        if not line.strip():
            continue
        row = json_value(line, f"line {number} of {place}", fix=FORM)
        if not isinstance(row, dict):
            kind = "null" if row is None else type(row).__name__
            text = f"line {number} of {place} holds a JSON {kind}, not an object with column names"
            raise DataError(text, code="H100", fix=FORM)
        lines.append(row)
    names = tuple(dict.fromkeys(name for line in lines for name in line))
    check_names(names, place)
    CELLS.check(len(names) * len(lines), place, most=cells_most(len(data)))
    return names, tuple([line.get(name) for line in lines] for name in names)
