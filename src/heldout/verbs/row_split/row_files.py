"""Some rows of a table as a file of the same format; a file that exists is never written over."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.inputs.formats.arrow_files import binary_schema
from heldout.inputs.formats.compression import ending
from heldout.inputs.formats.delimited_text import read_text
from heldout.inputs.formats.files import Table

ARROW = (".arrow", ".ipc", ".feather")
JSON_LINES = (".jsonl", ".ndjson")
KNOWN = (".csv", ".tsv", *JSON_LINES, ".parquet", *ARROW)


def suffix_of(path: str | Path) -> str:
    """The suffix of the files to write: that of the file that was read, but for a compression; .csv where it has none.

    >>> suffix_of("rows.TSV.gz"), suffix_of("-")
    ('.tsv', '.csv')
    """
    found = ending(path)
    last = {".pq": ".parquet", ".tab": ".tsv", ".json": ".jsonl", ".arrows": ".arrow"}
    suffix = last.get(found, found)
    return suffix if suffix in KNOWN else ".csv"


def rows_as_bytes(rows: Table, chosen: Array, suffix: str, added: Mapping[str, Array] | None = None) -> bytes:
    """The chosen rows of a table, and columns beside them, as the content of a file with this suffix."""
    extra = {name: np.asarray(values)[chosen] for name, values in (added or {}).items()}
    if suffix in (".parquet", *ARROW):
        return _binary(rows, chosen, suffix, extra)
    objects = _objects(rows) if suffix in JSON_LINES else None
    if objects is not None:
        return _chosen_objects(objects, chosen, extra)
    names = [*rows.names, *extra]
    columns = [*(_listed(values, chosen) for values in rows.raw), *(one.tolist() for one in extra.values())]
    lines = zip(*columns, strict=True)
    if suffix in JSON_LINES:
        text = "".join(json.dumps(dict(zip(names, line, strict=True)), default=str) + "\n" for line in lines)
        return text.encode("utf-8")
    delimiter = "\t" if suffix == ".tsv" else ";" if rows.decimal_comma else ","
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(lines)
    return out.getvalue().encode("utf-8")


def _objects(rows: Table) -> list[bytes] | None:
    """The lines of a file of JSON lines, one for each row; None of another source.

    Columns do not tell a key that a row lacks from one that is null, nor 1e2 from 100.0.
    """
    text = b"" if rows.as_read is None else read_text(rows.as_read, rows.place)
    lines = [line for line in map(bytes.strip, text.split(b"\n")) if line]
    known = all(line.startswith(b"{") for line in lines) and bool(rows.raw) and len(lines) == len(rows.raw[0])
    return lines if known else None


def _chosen_objects(objects: Sequence[bytes], chosen: Array, extra: Mapping[str, Array]) -> bytes:
    """Some of the lines, byte for byte, with further keys at their ends."""
    lines = [objects[at] for at in chosen.tolist()]
    for name, values in extra.items():
        ends = [json.dumps({name: value})[1:].encode("ascii") for value in values.tolist()]
        starts = [line[:-1].rstrip() for line in lines]
        lines = [start + (b"" if start == b"{" else b", ") + end for start, end in zip(starts, ends, strict=True)]
    return b"".join(line + b"\n" for line in lines)


def _taken(values: Any, chosen: Array) -> Any:
    """Some values of a column as an Arrow array, with their types."""
    import pyarrow as pa

    column = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values, from_pandas=True)
    try:
        return column.take(pa.array(chosen))
    except pa.ArrowNotImplementedError:  # views of text, for one, cannot be taken from
        values = column.to_pylist()
        return pa.array([values[at] for at in chosen.tolist()], column.type)


def _listed(values: Any, chosen: Array) -> list[Any]:
    """Some values of a column as a list; of several types, as JSON lines may have them, they stay as they were read."""
    import pyarrow as pa

    try:
        return list(_taken(values, chosen).to_pylist())
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return [values[at] for at in chosen.tolist()]


def _binary(rows: Table, chosen: Array, suffix: str, extra: Mapping[str, Array]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = [_taken(values, chosen) for values in rows.raw]
    made = pa.table([*columns, *(pa.array(values) for values in extra.values())], names=[*rows.names, *extra])
    schema = None if rows.as_read is None else binary_schema(rows.as_read)
    if schema is not None and len(schema) == len(columns):  # with what the file says of itself and of its columns
        fields = [*schema, *list(made.schema)[len(columns) :]]
        made = pa.table(made.columns, schema=pa.schema(fields, metadata=schema.metadata))
    out = pa.BufferOutputStream()
    if suffix == ".parquet":
        pq.write_table(made, out)
    else:
        with pa.ipc.new_file(out, made.schema) as writer:
            writer.write_table(made)
    return bytes(out.getvalue())
