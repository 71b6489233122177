"""What the files of a case hold: structures that can be mutated and made smaller, and how each is written as bytes."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sqlite3
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq


@dataclass(frozen=True)
class Table:
    """Columns by name, all of the same length."""

    columns: dict[str, list[Any]]
    form: str = "csv"
    types: dict[str, str] = field(default_factory=dict)
    """Column → Arrow type, where it is not the one that its values suggest."""

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return list(zip(*self.columns.values(), strict=True))

    def data(self) -> bytes:
        return TABLE_FORMS[self.form](self)


@dataclass(frozen=True)
class Tree:
    """Nested dicts and lists, as JSON, JSON lines, TOML or a zip archive of JSON files."""

    value: Any
    form: str = "json"

    def data(self) -> bytes:
        return TREE_FORMS[self.form](self.value)


@dataclass(frozen=True)
class Lines:
    """Text, line by line."""

    lines: list[str]

    def data(self) -> bytes:
        return "".join(f"{line}\n" for line in self.lines).encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Pixels:
    """An array, as NPY, PNG or TIFF."""

    array: Any
    form: str = "png"

    def data(self) -> bytes:
        out = io.BytesIO()
        if self.form != "npy":
            from PIL import Image

            with suppress(IndexError, OSError, TypeError, ValueError):  # no picture of this format has such pixels
                Image.fromarray(self.array).save(out, format=self.form)
                return out.getvalue()
        out = io.BytesIO()
        np.save(out, self.array, allow_pickle=False)
        return out.getvalue()


@dataclass(frozen=True)
class Index:
    """The SQLite index of a store: its statements and the lines of each table."""

    statements: tuple[str, ...]
    tables: dict[str, list[list[Any]]]

    def data(self) -> bytes:
        inserts = [
            (f"INSERT OR IGNORE INTO {name} VALUES ({','.join('?' * len(line))})", line)
            for name, lines in self.tables.items()
            for line in lines
        ]
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
            for statement, line in [*((one, ()) for one in self.statements), *inserts]:
                with suppress(sqlite3.Error):  # without its table, or not of its type
                    made.execute(statement, line)
            return made.serialize()


@dataclass(frozen=True)
class Raw:
    """Bytes of which nothing is known."""

    bytes: bytes

    def data(self) -> bytes:
        return self.bytes


Content = Table | Tree | Lines | Pixels | Index | Raw


# ---- tables


def cell(value: Any) -> str:
    """A value as CSV has it."""
    if value is None:
        return ""
    return json.dumps(value, default=str) if isinstance(value, list | dict) else str(value)


def delimited(delimiter: str) -> Callable[[Table], bytes]:
    def written(table: Table) -> bytes:
        out = io.StringIO(newline="")
        writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows([cell(value) for value in row] for row in table.rows)
        return out.getvalue().encode("utf-8", "surrogatepass")

    return written


def json_lines(table: Table) -> bytes:
    rows = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    return "".join(json.dumps(row, default=str) + "\n" for row in rows).encode()


def arrow_table(table: Table) -> pa.Table:
    """An Arrow table; a column whose values have no common type is text."""
    names = [name.encode("utf-8", "replace").decode() for name in table.columns]
    columns = [arrow_column(values, table.types.get(name)) for name, values in table.columns.items()]
    return pa.Table.from_arrays(columns, names=names)


def arrow_column(values: list[Any], kind: str | None) -> pa.Array:
    try:
        column = pa.array(values)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        texts = (None if value is None else cell(value) for value in values)
        column = pa.array([None if text is None else text.encode("utf-8", "replace").decode() for text in texts])
    if kind is None:
        return column
    try:
        return column.dictionary_encode() if kind == "dictionary" else column.cast(ARROW_TYPES[kind], safe=False)
    except (pa.ArrowException, ValueError):
        return column


def parquet(table: Table) -> bytes:
    out = io.BytesIO()
    try:
        pq.write_table(arrow_table(table), out)
    except pa.ArrowException:  # Parquet has no such type
        plain = arrow_table(Table(table.columns))
        for at, field in enumerate(plain.schema):
            if pa.types.is_nested(field.type):
                plain = plain.set_column(at, field.name, pa.array([str(value) for value in plain[at].to_pylist()]))
        pq.write_table(plain, out)
    return out.getvalue()


def arrow_file(table: Table) -> bytes:
    out = io.BytesIO()
    made = arrow_table(table)
    with pa.ipc.new_file(out, made.schema) as writer:
        writer.write_table(made)
    return out.getvalue()


ARROW_TYPES = {
    "float16": pa.float16(),
    "float32": pa.float32(),
    "int8": pa.int8(),
    "uint8": pa.uint8(),
    "uint64": pa.uint64(),
    "bool": pa.bool_(),
    "string": pa.string(),
    "large_string": pa.large_string(),
    "string_view": pa.string_view(),
    "binary": pa.binary(),
    "decimal": pa.decimal128(20, 4),
    "date32": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "duration": pa.duration("s"),
    "time64": pa.time64("us"),
    "null": pa.null(),
}
"""Types that a column may be cast to; `dictionary` is one more."""
TABLE_FORMS: dict[str, Callable[[Table], bytes]] = {
    "csv": delimited(","),
    "tsv": delimited("\t"),
    "csv.gz": lambda table: gzip.compress(delimited(",")(table), mtime=0),
    "jsonl": json_lines,
    "parquet": parquet,
    "arrow": arrow_file,
}
"""Ending of a file → how a table is written."""


# ---- trees


def json_text(value: Any) -> bytes:
    return json.dumps(value, default=str).encode()


def eval_archive(value: Any) -> bytes:
    """A zip archive with one JSON file per entry of a dict, as Inspect writes it."""
    out = io.BytesIO()
    entries = value if isinstance(value, dict) else {"header.json": value}
    with zipfile.ZipFile(out, "w") as archive:
        for name, entry in entries.items():
            archive.writestr(zipfile.ZipInfo(str(name) or "_"), json_text(entry))
    return out.getvalue()


def toml_text(value: Any) -> bytes:
    """TOML with a table per entry of a dict, and everything below in one line."""
    if not isinstance(value, Mapping):
        return toml_value(value).encode("utf-8", "replace")
    lines = [f"{toml_key(name)} = {toml_value(part)}" for name, part in value.items() if not isinstance(part, Mapping)]
    for name, part in value.items():
        if isinstance(part, Mapping):
            lines += [f"[{toml_key(name)}]", *(f"{toml_key(key)} = {toml_value(one)}" for key, one in part.items())]
    return "\n".join([*lines, ""]).encode("utf-8", "replace")


def toml_key(name: Any) -> str:
    return json.dumps(str(name), ensure_ascii=False)


def toml_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml_key(key)} = {toml_value(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return json.dumps("" if value is None else value, default=str, ensure_ascii=False)


TREE_FORMS: dict[str, Callable[[Any], bytes]] = {
    "json": json_text,
    "json.gz": lambda value: gzip.compress(json_text(value), mtime=0),
    "jsonl": lambda value: b"".join(json_text(one) + b"\n" for one in (value if isinstance(value, list) else [value])),
    "toml": toml_text,
    "eval": eval_archive,
}
"""Ending of a file → how a tree is written."""
