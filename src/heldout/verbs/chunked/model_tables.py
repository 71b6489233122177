"""Models whose tables are read in parts: columns of one table, or tables with the same rows in the same order."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from heldout.engines import Progress
from heldout.engines.tasks import frame_of
from heldout.errors import UsageError
from heldout.inputs import Parted, columns_needed, size_of, witness
from heldout.inputs.chunked.lazy_frames import relation
from heldout.inputs.formats.files import Table
from heldout.verbs.chunked.sources import Stream, allowed, are_paths, fits, opened, whole
from heldout.verbs.compare.model_rows import alone, are_columns, no_other_output, read_options, role


@dataclass(frozen=True, kw_only=True)
class Walk:
    """Who reads tables in parts, and how much of them may be in memory."""

    engine: str | None = None
    address: str | None = None
    memory: float | str | None = None
    progress: Progress | None = None

    @property
    def given(self) -> dict[str, Any]:
        """What was asked for, by its name in Python."""
        known = {"engine": self.engine, "engine_address": self.address, "memory": self.memory}
        return {name: value for name, value in known.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Streams:
    """Models that are read in parts, each with how it is read."""

    models: dict[str, Stream]
    one_table: bool
    """Whether all models are columns of one table."""

    def running(self) -> AbstractContextManager[Any]:
        """One cluster for all walks."""
        return next(iter(self.models.values())).engine.running()


Given = tuple[Any, Mapping[str, Any] | None]
"""A truth or a table, and models, as `compare` takes them."""


def opened_models(
    y_true: Any, models: Mapping[str, Any] | None, options: dict[str, Any], walk: Walk
) -> Streams | Given:
    """The models as streams where they are to be read in parts; else as they were given, put together if in parts."""
    if models is not None and are_columns(y_true, models) and options.get("log") is None:
        return _columns(y_true, models, options, walk)
    tables = y_true if models is None else models if y_true is None else None
    named = isinstance(tables, Mapping) and options.get("log") is None
    if not named or not all(_is_table(one) for one in tables.values()):  # type: ignore[union-attr]
        for name in walk.given:
            fix = f"leave out {name}, or write the rows into files"
            raise UsageError(f"{name} is about tables that are read in parts, and the models are no files", fix=fix)
        return y_true, models
    return _tables(dict(tables), read_options(options), walk)  # type: ignore[arg-type]


def _is_table(source: Any) -> bool:
    """Whether a source may be read in parts: files, or a frame that is not in memory."""
    return isinstance(source, str | Path) or are_paths(source) or frame_of(source) is not None


def _tables(tables: dict[str, Any], options: dict[str, Any], walk: Walk) -> Streams | Given:
    """A table for each model: all are read in parts, or none is."""
    room = allowed(walk.memory) // max(len(tables), 1)
    asked: dict[str, Any] = {"address": walk.address, "progress": walk.progress, "with_id": True}
    found = {
        str(name): opened(source, options, engine=walk.engine, memory=None if frame_of(source) else room, **asked)
        for name, source in tables.items()
    }
    if not any(isinstance(one, Stream) for one in found.values()):
        return None, found
    again = {
        name: one if isinstance(one, Stream) else opened(tables[name], options, engine="local", **asked)
        for name, one in found.items()
    }
    return Streams(models={name: replace(one, tables=len(again)) for name, one in again.items()}, one_table=False)


def _columns(table: Any, models: Mapping[str, str], options: dict[str, Any], walk: Walk) -> Streams | Given:
    """A column for each model."""
    no_other_output(options)
    columns, asked = list(models.values()), read_options(options)
    first = opened(
        table, {**asked, "pred": columns[0]}, engine=walk.engine, address=walk.address, memory=walk.memory,
        progress=walk.progress, every_column=True,
    )  # fmt: skip
    if not isinstance(first, Stream):
        return first, models
    source = first.source
    about = source if isinstance(source, Parted) else relation(source)
    seen = {column: replace(about, names=alone(about.names, column, columns, asked)) for column in columns}  # type: ignore[type-var, union-attr]
    needed = {
        column: columns_needed(about_it, with_id=False, **{**asked, "pred": column})
        for column, about_it in seen.items()
    }
    every = tuple(dict.fromkeys(name for names in needed.values() for name in names))
    unnamed = walk.engine is None and walk.address is None
    if isinstance(source, Parted) and unnamed and fits(size_of(source, every), allowed(walk.memory)):
        return whole(source, every), models
    streams = {}
    for name, column in models.items():
        rows = replace(witness(source, needed[column]), names=seen[column].names)  # type: ignore[union-attr]
        kind = role(_head(rows), column, asked)
        known = {**asked, "pred": None, kind: column}
        streams[str(name)] = replace(first, options=known, columns=needed[column], witnesses=rows, tables=len(models))
    return Streams(models=streams, one_table=True)


def _head(rows: Any) -> Table:
    """The first rows, as a table."""
    import pyarrow as pa

    batch = next(piece.batch for piece in rows.pieces if piece.batch.num_rows)
    table = pa.Table.from_batches([batch])
    return Table(place=rows.place, names=tuple(table.column_names), raw=tuple(table.columns))
