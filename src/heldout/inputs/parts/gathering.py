"""A table in parts put together: where the rows fit into memory, they go the way of every table."""

from __future__ import annotations

from collections.abc import Sequence

from heldout.inputs.files import Table
from heldout.inputs.parts.part import Parted, alike, pieces
from heldout.inputs.parts.witnesses import plain_text


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
