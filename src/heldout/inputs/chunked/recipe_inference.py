"""Infer from sample rows what the columns of a chunked table mean, and make it a recipe for all rows."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, Unpack

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, HeldoutError, UsageError
from heldout.inputs.chunked.chunked_table import Chunk, read_chunks
from heldout.inputs.chunked.column_recipe import Recipe, pick_rows
from heldout.inputs.chunked.label_codes import KnownValues, first_of_each, known_values, plain_array
from heldout.inputs.chunked.sample_rows import HEAD, SampleRows, columns_by_name, sample_table
from heldout.inputs.columns.column_names import holds_probabilities
from heldout.inputs.columns.label_column import MOST_CLASSES
from heldout.inputs.columns.role_columns import RoleColumns
from heldout.inputs.formats.files import Table
from heldout.inputs.read_table import read
from heldout.inputs.reading import Reading, ReadOptions

TRIED = 256
"""Number of sample chunks that are searched for an error, to name its file and row."""


def infer_recipe(rows: SampleRows, *, log: str | None = None, **options: Unpack[ReadOptions]) -> tuple[Reading, Recipe]:
    """Read the sample rows with the options of `read`, and make the result a recipe for all rows.

    What only all rows can tell (missing values, one class only, scores that point the other way) is not checked.
    """
    if log is not None:
        raise UsageError(
            "an evaluation log cannot be read in chunks", fix="give one log file, or leave out the engine (engine=)"
        )
    table = sample_table(rows)
    try:
        reading = read(table, of=rows.of, **options)
    except DataError as error:
        more = _complete_rows(rows, options) if error.code == "H305" else _rows_with_other_labels(rows, options)
        if more:
            return infer_recipe(replace(rows.plus(more), source=None), **options)
        raise _located(rows, options, error) from error
    return _with_id(reading, rows, options), recipe_of(reading, table, options)


def _located(rows: SampleRows, options: ReadOptions, error: DataError) -> DataError:
    """The same error with the name of the file and the row in it, if one sample chunk alone shows it."""
    # a missing value that may not be dropped is an error in any table; other checks need to know it is a sample
    of = None if error.code == "H305" and options.get("on_nan") != "drop" else rows.of
    for chunk in (chunk for chunk in rows.chunks[:TRIED] if chunk.batch.num_rows):
        try:
            read(_chunk_table(rows, chunk), of=of, **options)
        except HeldoutError as same:
            if isinstance(same, DataError) and same.code == error.code:
                return same
    return error


def _chunk_table(rows: SampleRows, chunk: Chunk) -> Table:
    """One sample chunk as a table."""
    return replace(sample_table(replace(rows, place=chunk.place, chunks=(chunk,))), first=chunk.first)


def _complete_rows(rows: SampleRows, options: ReadOptions) -> list[Chunk]:
    """The first chunk of the table with complete rows, where the sample has none and incomplete rows are dropped."""
    if rows.source is None or options.get("on_nan") != "drop":
        return []
    columns = rows.chunks[0].batch.schema.names
    for chunk in (chunk for part in rows.source.file_chunks for chunk in read_chunks(part, columns, HEAD)):
        try:
            read(_chunk_table(rows, chunk), of=rows.of, **options)
        except DataError as error:
            if error.code in ("H305", "H112"):
                continue
        return [chunk]
    return []


def _rows_with_other_labels(rows: SampleRows, options: ReadOptions) -> list[Chunk]:
    """Rows of the whole table with labels that the sample lacks, searched for before an error is raised.

    Another class may change what a column beside a prediction is for, or be the class that a column names. A table with
    nothing but a single score stays as it is, whatever the other classes are.
    """
    if rows.source is None or rows.source.rows == sum(chunk.batch.num_rows for chunk in rows.chunks):
        return []
    roles = columns_by_name(rows.names, rows.place, options)
    if len(roles.truth) != 1 or not (roles.prediction or roles.classes):
        return []
    columns = rows.chunks[0].batch.schema.names
    seen: dict[str, set[object]] = {column.name: set() for column in (*roles.truth, *roles.prediction)}
    for chunk in rows.chunks:
        _first_seen(chunk, seen)
    every = (chunk for part in rows.source.file_chunks for chunk in read_chunks(part, columns))
    return [row for chunk in every for row in _first_seen(chunk, seen)]


def _first_seen(chunk: Chunk, seen: dict[str, set[object]]) -> list[Chunk]:
    """The first row of each value that some columns did not have before; `seen` is updated."""
    import pyarrow as pa

    rows: list[int] = []
    for name, known in seen.items():
        values = plain_array(chunk.batch.column(name))
        present = values.is_valid().to_numpy(zero_copy_only=False)
        if len(known) > MOST_CLASSES or not present.any():
            continue
        at = first_of_each(values, present)
        pairs = zip(at.tolist(), values.take(pa.array(at)).to_pylist(), strict=True)
        new = [(row, value) for row, value in pairs if value not in known]
        rows += [row for row, _ in new]
        known.update(value for _, value in new)
    return pick_rows(chunk, rows)


def _with_id(reading: Reading, rows: SampleRows, options: ReadOptions) -> Reading:
    """The reading with the name of the id column, also where its values were not needed."""
    column = columns_by_name(rows.names, rows.place, options).id
    if column is None or "id" in reading.columns:
        return reading
    return replace(reading, columns={**reading.columns, "id": column.name})


def recipe_of(reading: Reading, table: Table, options: ReadOptions) -> Recipe:
    """The recipe that codes every row of the table as the reading of the sample coded its rows."""
    batch = reading.batch
    columns = columns_by_name(table.names, table.place, options)
    truth = columns.truth[0].name
    prediction = columns.prediction[0].name if columns.prediction and "pred" in reading.columns else None
    used = _scores(reading, columns)
    regression = batch.task == "regression"
    return Recipe(
        task=batch.task,
        truth=truth,
        prediction=prediction,
        score=used.score,
        class_scores=used.class_scores,
        weight=None if columns.weight is None else columns.weight.name,
        group=None if columns.group is None else columns.group.name,
        id=None if columns.id is None else columns.id.name,
        segments=tuple(column.name for column in columns.segments),
        labels=batch.labels,
        positive=batch.positive,
        threshold=reading.threshold,
        probabilities=batch.probabilities,
        link=options.get("link"),
        clip=options.get("clip") or 0.0,
        on_nan=options.get("on_nan") or "error",
        origin=float(np.mean(batch.truth)) if regression else None,
        must_be_probability=not regression
        and (
            bool(used.class_scores) or used.of_negative or (used.score is not None and holds_probabilities(used.score))
        ),
        of_negative=used.of_negative,
        unused=() if regression else _unused_scores(columns, (used.score, *used.class_scores)),
        truths=() if regression else _known(reading, table, truth, batch.truth),
        predictions=()
        if regression or prediction is None or batch.prediction is None
        else _known(reading, table, prediction, batch.prediction),
    )


def _unused_scores(columns: RoleColumns, used: tuple[str | None, ...]) -> tuple[str, ...]:
    """Scores that the task has no use for."""
    scores = [*columns.classes.values(), *([] if columns.score is None else [columns.score])]
    return tuple(column.name for column in scores if column.name not in used)


def _known(reading: Reading, table: Table, name: str, codes: Array) -> KnownValues:
    import pyarrow as pa

    values = table.raw[table.names.index(name)]
    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    return known_values(name, values, reading.rows, codes)


class UsedScores(NamedTuple):
    """The column of the score, or one per class, and whether the one column is of the negative class."""

    score: str | None = None
    class_scores: tuple[str, ...] = ()
    of_negative: bool = False


def _scores(reading: Reading, columns: RoleColumns) -> UsedScores:
    if "score" in reading.columns and columns.score is not None:
        return UsedScores(score=columns.score.name)
    if "prob" not in reading.columns:
        return UsedScores()
    batch = reading.batch
    by_label = {label: columns.classes[label].name for label in map(str, batch.labels) if label in columns.classes}
    if len(by_label) == len(batch.labels):
        return UsedScores(class_scores=tuple(by_label.values()))
    (label, name), *_ = by_label.items()
    return UsedScores(score=name, of_negative=label != str(batch.labels[batch.positive or 0]))
