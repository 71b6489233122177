"""JSON lines: one object per line."""

from __future__ import annotations

import json
from typing import Any

from heldout.errors import DataError
from heldout.inputs.formats.delimited import decoded


def read_json_lines(data: bytes, place: str) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Names and columns of a file with one JSON object per line."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    try:
        block = min(max(1 << 20, len(data) + 1), 2**31 - 1)
        table = arrow_json.read_json(
            pa.BufferReader(data), read_options=arrow_json.ReadOptions(block_size=block, use_threads=True)
        )
        table.validate(full=True)
        if not _guessed(table):
            return tuple(table.column_names), tuple(table.columns)
    except (pa.ArrowException, ValueError, OverflowError):
        pass
    return _slow(data, place)


def _guessed(table: Any) -> bool:
    """Whether Arrow changed what was written: text that looks like a date, whole numbers beyond 64 bits."""
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    dated = any(kinds.is_temporal(field.type) for field in table.schema)
    sizes = (pc.max(pc.abs(column)).as_py() for column in table.columns if kinds.is_float64(column.type))
    return dated or any(size is not None and 2**63 <= size < 1e25 for size in sizes)


def _slow(data: bytes, place: str) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Line by line: for what Arrow refuses, and to say which line is wrong."""
    lines = []
    for number, line in enumerate(decoded(data, "utf-8", place).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"line {number} of {place} is not JSON: {str(error).splitlines()[0]}",
                code="H100",
                fix='write one object per line, such as {"y": "yes", "p": 0.7}',
            ) from error
        if not isinstance(found, dict):
            raise DataError(
                f"line {number} of {place} holds a JSON {type(found).__name__}, not an object with column names",
                code="H100",
                fix='write one object per line, such as {"y": "yes", "p": 0.7}',
            )
        lines.append(found)
    names = tuple(dict.fromkeys(name for line in lines for name in line))
    return names, tuple([line.get(name) for line in lines] for name in names)
