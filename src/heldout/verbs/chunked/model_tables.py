"""Models whose tables are read in chunks: columns of one table, or tables with the same rows in the same order."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from heldout.errors import UsageError
from heldout.inputs.formats.files import Table
from heldout.inputs.formats.frames import LazyFrame, lazy_frame
from heldout.inputs.reading import ReadOptions
from heldout.verbs.chunked.table_source import (
    ChunkedInput,
    InMemory,
    Progress,
    fits,
    is_list_of_files,
    memory_limit,
    open_table,
)
from heldout.verbs.compare.model_columns import are_columns, column_role, columns_seen, no_other_output
from heldout.verbs.compare.model_rows import read_options


@dataclass(frozen=True, kw_only=True)
class ChunkOptions:
    """Options about reading in chunks: the engine, its address, the memory limit, and the progress callback."""

    engine: str | None = None
    address: str | None = None
    memory: float | str | None = None
    progress: Progress | None = None
    at_once: int | None = None
    """Number of tables that are in memory at once; all of them, if None."""

    @property
    def given(self) -> dict[str, str | float]:
        """The options that were given, by their name in Python."""
        known = {"engine": self.engine, "engine_address": self.address, "memory": self.memory}
        return {name: value for name, value in known.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class ChunkedModels:
    """Models that are read in chunks, by name."""

    models: dict[str, ChunkedInput]
    one_table: bool
    """Whether all models are columns of one table."""

    @property
    def in_memory_fix(self) -> str:
        """The fix for what needs all rows in memory."""
        return next(iter(self.models.values())).in_memory_fix

    def running(self) -> AbstractContextManager[Any]:
        """One cluster for all passes."""
        return next(iter(self.models.values())).engine.running()


Given = tuple[Any, Mapping[str, Any] | None]
"""A truth or a table, and models, as `compare` takes them."""


def open_models(
    y_true: Any, models: Mapping[str, Any] | None, options: dict[str, Any], chunking: ChunkOptions
) -> ChunkedModels | Given:
    """Decide as `open_table` does whether the models are read in chunks; if not, give back what was given."""
    if models is not None and are_columns(y_true, models) and options.get("log") is None:
        return _columns(y_true, models, options, chunking)
    tables = y_true if models is None else models if y_true is None else None
    if (
        not isinstance(tables, Mapping)
        or options.get("log") is not None
        or not all(_may_be_chunked(source) for source in tables.values())
    ):
        for name in chunking.given:
            fix = f"leave out {name}, or write the rows into files"
            raise UsageError(f"{name} is for tables that are read in chunks, and the models are not files", fix=fix)
        return y_true, models
    return _tables(dict(tables), read_options(options), chunking)


def models_of_column(
    y_true: Any, models: Mapping[str, Any] | None, column: str, options: dict[str, Any], chunking: ChunkOptions
) -> tuple[dict[str, Table], str]:
    """The models that a column of one table names, each as a table, and the column that matches their rows."""
    from heldout.inputs.checks.long_format import split_by_model

    if models is not None or (isinstance(y_true, Mapping) and not _is_columns(y_true)):
        raise UsageError(
            "model_column names the models of one table, and models were given as well", fix="leave out one of the two"
        )
    if options.get("log") is not None:
        raise UsageError("a log holds one model, and model_column is for several", fix="leave out log")
    opened = open_table(
        y_true, read_options(options), engine=chunking.engine, address=chunking.address, memory=chunking.memory,
        progress=chunking.progress, every_column=True,
    )  # fmt: skip
    if isinstance(opened, ChunkedInput):
        raise UsageError("rows that are read in chunks cannot be divided by model_column", fix=opened.in_memory_fix)
    return split_by_model(opened.table(), column, options.get("id"))


def _is_columns(source: Mapping[Any, Any]) -> bool:
    """Whether a mapping holds columns of one table, rather than a table per model."""
    tables = (isinstance(value, str | Path | Mapping) or hasattr(type(value), "columns") for value in source.values())
    return not any(tables)


def _may_be_chunked(source: Any) -> bool:
    """Whether a source may be read in chunks: files, or a frame that is not in memory."""
    return isinstance(source, str | Path | ChunkedInput) or is_list_of_files(source) or lazy_frame(source) is not None


def _tables(tables: dict[str, Any], options: ReadOptions, chunking: ChunkOptions) -> ChunkedModels | Given:
    """A table for each model: all are read in chunks, or none is. Those that are open stay as they are."""
    if all(isinstance(source, ChunkedInput) for source in tables.values()):
        return ChunkedModels(models=tables, one_table=False)

    def opened(source: Any, engine: str | None, memory: float | str | None) -> InMemory | ChunkedInput:
        return open_table(
            source,
            options,
            engine=engine,
            address=chunking.address,
            memory=memory,
            progress=chunking.progress,
            with_id=True,
            tables=chunking.at_once or max(len(tables), 1),
        )

    first = {str(name): opened(source, chunking.engine, chunking.memory) for name, source in tables.items()}
    if not any(isinstance(model, ChunkedInput) for model in first.values()):
        return None, first
    chunked = {}
    for name, model in first.items():
        again = model if isinstance(model, ChunkedInput) else opened(tables[name], "local", None)
        assert isinstance(again, ChunkedInput), "files for which an engine is named are read in chunks"
        chunked[name] = again
    needed = max(model.needed for model in chunked.values())
    named = any(model.engine_named for model in first.values() if isinstance(model, ChunkedInput))
    every = {name: replace(model, needed=needed, engine_named=named) for name, model in chunked.items()}
    return ChunkedModels(models=every, one_table=False)


def _columns(
    table: Any, models: Mapping[str, str], options: dict[str, Any], chunking: ChunkOptions
) -> ChunkedModels | Given:
    """A column of one table for each model."""
    no_other_output(options)
    columns, asked = list(models.values()), read_options(options)
    with_first: ReadOptions = {**asked, "pred": columns[0]}
    first = open_table(
        table,
        with_first,
        engine=chunking.engine,
        address=chunking.address,
        memory=chunking.memory,
        progress=chunking.progress,
        every_column=True,
    )
    if isinstance(first, InMemory):
        return first.table(), models
    from heldout.inputs.chunked.chunked_table import bytes_of
    from heldout.inputs.chunked.sample_rows import columns_needed, sample_rows, sample_table

    source = first.source
    seen = {column: columns_seen(source.names, column, columns, asked) for column in columns}
    needed = {}
    for column, names in seen.items():
        own: ReadOptions = {**asked, "pred": column}
        needed[column] = columns_needed(replace(source, names=names), with_id=False, **own)
    every = tuple(dict.fromkeys(name for names in needed.values() for name in names))
    unnamed = chunking.engine is None and chunking.address is None
    if not isinstance(source, LazyFrame) and unnamed and fits(bytes_of(source, every), memory_limit(chunking.memory)):
        return InMemory(source=source, columns=every).table(), models
    chunked = {}
    for name, column in models.items():
        rows = replace(sample_rows(source, needed[column]), names=seen[column])
        role = column_role(sample_table(rows), column, asked)
        known: ReadOptions = {**asked, "pred": None}
        known["pred" if role == "pred" else "score"] = column
        chunked[str(name)] = replace(first, options=known, columns=needed[column], sample=rows)
    return ChunkedModels(models=chunked, one_table=True)
