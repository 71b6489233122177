"""Witness rows: the few rows of a table in parts by which the meaning of its columns is decided, at the one door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from typing import Any

from heldout.errors import DataError
from heldout.inputs.chunked.chunked_table import Parted, Piece, alike, fitting, pieces
from heldout.inputs.columns.multiple_targets import roles
from heldout.inputs.columns.roles import Roles
from heldout.inputs.formats.files import Table


def gathered(source: Parted, columns: Sequence[str]) -> Table:
    """The rows of every part under one another, as a table that `read` takes; rows count through the files.

    Columns that some file lacks, has twice, or has in another kind are left out: those that play a role were looked at
    by `columns_needed`.
    """
    import pyarrow as pa

    names = [name for name in dict.fromkeys(columns) if alike(source, name)]
    found = [piece for part in source.parts for piece in pieces(part, names)]
    tables = [plain_text(pa.Table.from_batches([piece.batch])) for piece in found]
    whole = pa.concat_tables(tables, promote_options="permissive")
    return Table(
        place=source.place,
        names=tuple(whole.schema.names),
        raw=tuple(whole.columns),
        decimal_comma=any(piece.decimal_comma for piece in found),
    )


HEAD = 1 << 16
"""So many rows are read to see what the columns mean."""
ELSEWHERE = 16
"""So many other parts are looked into."""
GLANCE = 1 << 11
"""So many rows are taken from each of them."""
ROLES = ("truth", "pred", "score", "prob_prefix", "group", "weight", "id", "segments")
"""Options of `read` that name columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnesses:
    """Rows that stand for all rows of a table: its first ones, some of other parts, any that showed something new."""

    place: str
    """How messages call the table."""
    names: tuple[str, ...]
    """All columns of the table."""
    pieces: tuple[Piece, ...]
    of: float = inf
    """How many rows the table has; without end where nobody knows before it was read."""
    source: Parted | None = None
    """Where more rows can be looked for."""

    def plus(self, found: Sequence[Piece]) -> Witnesses:
        """With more rows that showed something new (`Facts.witnesses`)."""
        return replace(self, pieces=(*self.pieces, *found))


def columns_needed(source: Any, *, with_id: bool = True, **options: Any) -> tuple[str, ...]:
    """The columns that play a role under these options of `read`; files that lack one, or differ in it, are named.

    The column of ids is only needed where units are drawn by their id (`with_id`).
    """
    found = roles_of(source.names, source.place, options)
    names = source.names
    named = [at for at in (found.group, found.id if with_id else None) if at is not None]
    used = [
        *found.truth,
        *found.prediction,
        *([] if found.score is None else [found.score]),
        *found.classes.values(),
        *([] if found.weight is None else [found.weight]),
        *named,
        *found.segments,
    ]
    columns = tuple(dict.fromkeys(names[at] for at in used))
    if isinstance(source, Parted):
        fitting(source, columns, exact=[names[at] for at in (*named, *found.segments)])
    return columns


def roles_of(names: Sequence[str], place: str, options: dict[str, Any]) -> Roles:
    """The role of every column, by those of the options of `read` that name columns."""
    given = {name: options[name] for name in ROLES if options.get(name) is not None}
    if isinstance(given.get("segments"), str):
        given["segments"] = (given["segments"],)
    return roles(names, place, **given)


def witness(source: Any, columns: Sequence[str]) -> Witnesses:
    """The first rows of a table in parts, and some of other parts spread over it.

    Where the table has no more rows than are looked at, these are all of them.
    """
    if not isinstance(source, Parted):
        from heldout.inputs.chunked.lazy_frames import head_of

        return head_of(source, columns, HEAD)
    taken: list[Piece] = []
    rows = 0
    parts = iter(source.parts)
    for part in parts:
        for piece in pieces(part, columns, HEAD):
            taken.append(_cut(piece, HEAD - rows))
            rows += taken[-1].batch.num_rows
            if rows >= HEAD:
                break
        if rows >= HEAD:
            break
    else:
        return Witnesses(place=source.place, names=source.names, pieces=_some(source, taken), of=rows)
    left = list(parts)
    spread = sorted({(len(left) - 1) * step // ELSEWHERE for step in range(ELSEWHERE + 1)}) if left else []
    taken += [_cut(piece, GLANCE) for at in spread for piece in islice(pieces(left[at], columns, GLANCE), 1)]
    return Witnesses(place=source.place, names=source.names, pieces=tuple(taken), of=source.rows or inf, source=source)


def _some(source: Parted, taken: Sequence[Piece]) -> tuple[Piece, ...]:
    if not any(piece.batch.num_rows for piece in taken):
        raise DataError(f"{source.place} has no rows", code="H112", fix="export the predictions again")
    return tuple(taken)


def _cut(piece: Piece, rows: int) -> Piece:
    return replace(piece, batch=piece.batch.slice(0, rows))


def table_of(rows: Witnesses) -> Table:
    """The witnesses as a table with all names; columns that were not read are empty and nobody asks for them."""
    import pyarrow as pa

    tables = [pa.Table.from_batches([piece.batch]) for piece in rows.pieces]
    whole = pa.concat_tables([plain_text(table) for table in tables], promote_options="permissive")
    read_ones = set(whole.schema.names)
    names = [name for name in rows.names if name in read_ones or name.strip().lower() != "id"]
    return Table(
        place=rows.place,
        names=tuple(names),
        raw=tuple(whole.column(name) if name in read_ones else None for name in names),
        decimal_comma=any(piece.decimal_comma for piece in rows.pieces),
    )


def plain_text(table: Any) -> Any:
    """Text as text, not by dictionaries, which differ from piece to piece; exact decimals as numbers."""
    import pyarrow as pa
    import pyarrow.types as kinds

    for at, field in enumerate(table.schema):
        if kinds.is_dictionary(field.type):
            table = table.set_column(at, field.name, table.column(at).cast(field.type.value_type))
        elif kinds.is_decimal(field.type):
            table = table.set_column(at, field.name, table.column(at).cast(pa.float64()))
    return table
