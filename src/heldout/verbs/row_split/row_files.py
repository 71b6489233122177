"""Some rows of a table as a file of the same format; a file that exists is never written over."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.inputs.formats.files import Table

ARROW = (".arrow", ".ipc", ".feather")
JSON_LINES = (".jsonl", ".ndjson")
KNOWN = (".csv", ".tsv", *JSON_LINES, ".parquet", *ARROW)


def suffix_of(path: str | Path) -> str:
    """The suffix of the files to write: that of the file that was read, without .gz; .csv where it has none.

    >>> suffix_of("rows.TSV.gz"), suffix_of("-")
    ('.tsv', '.csv')
    """
    found = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() != ".gz"]
    last = {".pq": ".parquet", ".tab": ".tsv", ".json": ".jsonl", ".arrows": ".arrow"}
    suffix = last.get(found[-1], found[-1]) if found else ".csv"
    return suffix if suffix in KNOWN else ".csv"


def write_new(files: Mapping[Path, bytes]) -> None:
    """Write files that do not exist yet: all of them, or none."""
    for path in files:
        if path.exists() or path.is_symlink():
            raise UsageError(
                f"{path} exists already and is not written over", fix="remove it, or choose another folder"
            )
    made: list[Path] = []
    try:
        for path, content in files.items():
            with path.open("xb") as file:  # x: refuses a file that came into being meanwhile
                made.append(path)
                file.write(content)
    except OSError as problem:
        for path in made:
            with suppress(OSError):
                path.unlink()
        reason = problem.strerror or str(problem)
        fix = "choose a folder that exists and may be written"
        raise UsageError(f"{path} cannot be written: {reason}", fix=fix) from None


def rows_as_bytes(rows: Table, chosen: Array, suffix: str, added: Mapping[str, Array] | None = None) -> bytes:
    """The chosen rows of a table, and columns beside them, as the content of a file with this suffix."""
    extra = {name: np.asarray(values)[chosen] for name, values in (added or {}).items()}
    if suffix in (".parquet", *ARROW):
        return _binary(rows, chosen, suffix, extra)
    names = [*rows.names, *extra]
    columns = [*(_taken(values, chosen).to_pylist() for values in rows.raw), *(one.tolist() for one in extra.values())]
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


def _taken(values: Any, chosen: Array) -> Any:
    """Some values of a column as an Arrow array, with their types."""
    import pyarrow as pa

    column = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values, from_pandas=True)
    return column.take(pa.array(chosen))


def _binary(rows: Table, chosen: Array, suffix: str, extra: Mapping[str, Array]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = [_taken(values, chosen) for values in rows.raw]
    made = pa.table([*columns, *(pa.array(values) for values in extra.values())], names=[*rows.names, *extra])
    out = pa.BufferOutputStream()
    if suffix == ".parquet":
        pq.write_table(made, out)
    else:
        with pa.ipc.new_file(out, made.schema) as writer:
            writer.write_table(made)
    return bytes(out.getvalue())
