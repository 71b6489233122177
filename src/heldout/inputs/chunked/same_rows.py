"""Whether pieces of several tables are the same rows: same ids, truths, weights and groups, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.inputs.chunked.aligned_tables import JOIN
from heldout.inputs.chunked.chunked_table import Piece
from heldout.inputs.chunked.column_recipe import Coded, Recipe


def same_rows(names: Sequence[str], pieces: Sequence[Piece], found: Sequence[Coded], recipes: Sequence[Recipe]) -> None:
    """Raise where the rows of a model are not those of the first."""
    for other in range(1, len(names)):
        if pieces[other] is pieces[0]:
            continue
        pair = (0, other)
        if all(recipes[at].id is not None for at in pair):
            ids = [pieces[at].batch.column(recipes[at].id) for at in pair]
            _alike("ids", ids, names, pieces, other)
        batches = [found[at].batch for at in pair]
        _alike("truths", [_truths(found[at], recipes[at]) for at in pair], names, pieces, other)
        if any(batch.weight is not None for batch in batches):
            _alike("weights", [batch.weight for batch in batches], names, pieces, other)
        if any(recipes[at].group is not None for at in pair):
            units = [found[at].unit if recipes[at].group is not None else None for at in pair]
            _alike("groups", units, names, pieces, other)


def _truths(found: Coded, recipe: Recipe) -> Array:
    """The truth of each row, as it is called."""
    truth = found.batch.truth
    return truth if recipe.task == "regression" else np.asarray(recipe.labels)[truth]


def _alike(what: str, columns: Sequence[Any], names: Sequence[str], pieces: Sequence[Piece], other: int) -> None:
    """Raise where two columns differ, at the first row where they do."""
    one, two = names[0], names[other]
    if columns[0] is None or columns[1] is None:
        have, lack = (one, two) if columns[1] is None else (two, one)
        raise DataError(f"{have} has {what} and {lack} has none", code="H101", fix=JOIN)
    first = _first_apart(*columns)
    if first is not None:
        pairs = zip((0, other), columns, strict=True)
        said = [
            f"{_shown(column, first)} in {names[at]} (row {pieces[at].first + first + 1} of {pieces[at].place})"
            for at, column in pairs
        ]
        raise DataError(
            f"{one} and {two} have different {what}: {', '.join(said)}",
            code="H101",
            fix=JOIN
            if what != "truths"
            else f"use one truth for all models, and see that the rows are the same; or {JOIN}",
        )


def _first_apart(one: Any, two: Any) -> int | None:
    """The first row in which two columns differ."""
    if isinstance(one, np.ndarray):
        if np.array_equal(one, two):
            return None
        return int(np.flatnonzero(one != two)[0])
    import pyarrow as pa
    import pyarrow.compute as pc

    if one.equals(two):
        return None
    texts = [_flat(column).cast(pa.string()) for column in (one, two)]
    at = pc.index(pc.fill_null(pc.equal(*texts), fill_value=False), value=False).as_py()
    return None if at < 0 else int(at)


def _flat(column: Any) -> Any:
    import pyarrow as pa

    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return whole.dictionary_decode() if pa.types.is_dictionary(whole.type) else whole


def _shown(column: Any, at: int) -> str:
    value = column[at]
    return repr(value.as_py() if hasattr(value, "as_py") else value.item() if hasattr(value, "item") else value)
