"""What the columns of a table in parts mean: the door's reading of its witnesses, made a recipe for all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from heldout.errors import DataError, HeldoutError, UsageError
from heldout.inputs.chunked.chunked_table import Piece, pieces
from heldout.inputs.chunked.column_recipe import Recipe, rows_of
from heldout.inputs.chunked.label_codes import first_of_each, flat, known_values
from heldout.inputs.chunked.witness_rows import HEAD, Witnesses, roles_of, table_of
from heldout.inputs.columns.label_column import MOST
from heldout.inputs.columns.roles import Roles
from heldout.inputs.formats.files import Table
from heldout.inputs.reading import Reading
from heldout.inputs.tables import promises, read

TRIED = 256
"""In so many pieces a fault is looked for to name its file and row."""


def located(rows: Witnesses, options: dict[str, Any], error: DataError) -> DataError:
    """The same fault with the name of the file and its own row, if some rows alone show it."""
    # missing values that may not be dropped are said as of any table
    of = None if error.code == "H305" and options.get("on_nan") != "drop" else rows.of
    for piece in (piece for piece in rows.pieces[:TRIED] if piece.batch.num_rows):
        try:
            read(_alone(rows, piece), of=of, **options)
        except HeldoutError as found:
            if isinstance(found, DataError) and found.code == error.code:
                return found
    return error


def _alone(rows: Witnesses, piece: Piece) -> Table:
    return replace(table_of(replace(rows, place=piece.place, pieces=(piece,))), first=piece.first)


def complete_rows(rows: Witnesses, options: dict[str, Any]) -> list[Piece]:
    """The first rows of all that are complete, where the witnesses have none and may be dropped."""
    if rows.source is None or options.get("on_nan") != "drop":
        return []
    columns = rows.pieces[0].batch.schema.names
    for piece in (piece for part in rows.source.parts for piece in pieces(part, columns, HEAD)):
        try:
            read(_alone(rows, piece), of=rows.of, **options)
        except DataError as error:
            if error.code in ("H305", "H112"):
                continue
        return [piece]
    return []


def other_labels(rows: Witnesses, options: dict[str, Any]) -> list[Piece]:
    """Rows with other labels than the witnesses have, looked for in all parts before a fault is believed.

    A class yet to come may change what a column beside a prediction is for, or be the one that a column names; a single
    score it leaves as faulty as it was.
    """
    if rows.source is None or rows.source.rows == sum(piece.batch.num_rows for piece in rows.pieces):
        return []
    found = roles_of(rows.names, rows.place, options)
    if len(found.truth) != 1 or not (found.prediction or found.classes):
        return []
    columns = rows.pieces[0].batch.schema.names
    seen: dict[str, set[Any]] = {rows.names[at]: set() for at in (*found.truth, *found.prediction)}
    for piece in rows.pieces:
        _first_seen(piece, seen)
    walk = (piece for part in rows.source.parts for piece in pieces(part, columns))
    return [row for piece in walk for row in _first_seen(piece, seen)]


def _first_seen(piece: Piece, seen: dict[str, set[Any]]) -> list[Piece]:
    """The first row of each value that was not seen before in some columns; no more of them than classes can be."""
    import pyarrow as pa

    rows: list[int] = []
    for name, known in seen.items():
        values = flat(piece.batch.column(name))
        there = values.is_valid().to_numpy(zero_copy_only=False)
        if len(known) > MOST or not there.any():
            continue
        at = first_of_each(values, there)
        new = [
            (row, value)
            for row, value in zip(at, values.take(pa.array(at)).to_pylist(), strict=True)
            if value not in known
        ]
        rows += [int(row) for row, _ in new]
        known.update(value for _, value in new)
    return rows_of(piece, rows)


def decided(rows: Witnesses, **options: Any) -> tuple[Reading, Recipe]:
    """What the columns mean, by the options of `read`: the reading of the witnesses, and the recipe for all rows.

    What only all rows together can tell (missing values, one class only, scores that point the other way) is not said.
    """
    if options.get("log") is not None:
        raise UsageError(
            "an evaluation log is not read in parts", fix="give one log file, or leave out the engine (engine=)"
        )
    table = table_of(rows)
    try:
        reading = read(table, of=rows.of, **options)
    except DataError as error:
        more = complete_rows(rows, options) if error.code == "H305" else other_labels(rows, options)
        if more:
            return decided(replace(rows.plus(more), source=None), **options)
        raise located(rows, options, error) from error
    return _with_id(reading, rows, options), recipe_of(reading, table, **options)


def _with_id(reading: Reading, rows: Witnesses, options: dict[str, Any]) -> Reading:
    at = roles_of(rows.names, rows.place, options).id
    if at is None or "id" in reading.columns:
        return reading
    return replace(reading, columns={**reading.columns, "id": rows.names[at]})


def recipe_of(reading: Reading, table: Table, **options: Any) -> Recipe:
    """The recipe that gives every row of the table what the reading of its witnesses gave them."""
    batch = reading.batch
    found = roles_of(table.names, table.place, options)
    if len(found.truth) > 1:
        names = ", ".join(table.names[at] for at in found.truth)
        raise UsageError(
            f"{table.place}: several truths ({names}) are not read in parts",
            code="H106",
            fix="name one with --truth (truth=), or read the rows as a whole (--memory, memory=)",
        )
    truth = table.names[found.truth[0]]
    prediction = table.names[found.prediction[0]] if found.prediction and "pred" in reading.columns else None
    score, chances, turned = _scored(reading, table, found)
    regression = batch.task == "regression"
    return Recipe(
        task=batch.task,
        truth=truth,
        prediction=prediction,
        score=score,
        chances=chances,
        weight=None if found.weight is None else table.names[found.weight],
        group=None if found.group is None else table.names[found.group],
        id=None if found.id is None else table.names[found.id],
        segments=tuple(table.names[at] for at in found.segments),
        labels=batch.labels,
        positive=batch.positive,
        threshold=reading.threshold,
        probabilities=batch.probabilities,
        link=options.get("link"),
        on_nan=options.get("on_nan") or "error",
        origin=float(np.mean(batch.truth)) if regression else None,
        promised=not regression and (bool(chances) or turned or (score is not None and promises(score))),
        turned=turned,
        beside=() if regression else _unused(table, found, (score, *chances)),
        truths=() if regression else _known(reading, table, truth, batch.truth),
        predictions=()
        if regression or prediction is None or batch.prediction is None
        else _known(reading, table, prediction, batch.prediction),
    )


def _unused(table: Table, found: Roles, used: Sequence[str | None]) -> tuple[str, ...]:
    """Scores that the task has no use for."""
    scores = [*found.classes.values(), *([] if found.score is None else [found.score])]
    return tuple(table.names[at] for at in scores if table.names[at] not in used)


def _known(reading: Reading, table: Table, name: str, codes: Any) -> Any:
    import pyarrow as pa

    values = table.raw[table.names.index(name)]
    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    return known_values(name, values, reading.rows, codes)


def _scored(reading: Reading, table: Table, found: Roles) -> tuple[str | None, tuple[str, ...], bool]:
    """The column of the score, or one per class, and whether the one column is of the other class."""
    if "score" in reading.columns and found.score is not None:
        return table.names[found.score], (), False
    if "prob" not in reading.columns:
        return None, (), False
    batch = reading.batch
    columns = {label: table.names[found.classes[label]] for label in map(str, batch.labels) if label in found.classes}
    if len(columns) == len(batch.labels):
        return None, tuple(columns.values()), False
    (label, name), *_ = columns.items()
    return name, (), label != str(batch.labels[batch.positive or 0])
