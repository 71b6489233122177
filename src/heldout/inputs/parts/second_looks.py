"""A fault that witness rows show is looked at again before it is believed, and named with its file and row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from heldout.errors import DataError, HeldoutError
from heldout.inputs.files import Table
from heldout.inputs.labels import MOST
from heldout.inputs.parts.label_codes import first_of_each, flat
from heldout.inputs.parts.part import Piece, pieces
from heldout.inputs.parts.recipes import rows_of
from heldout.inputs.parts.witnesses import HEAD, Witnesses, roles_of, table_of
from heldout.inputs.tables import read

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
