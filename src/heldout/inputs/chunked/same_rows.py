"""Check that chunks of several tables hold the same rows: the same ids, truths, weights and groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.inputs.chunked.aligned_tables import SAME_ORDER
from heldout.inputs.chunked.chunked_table import Chunk
from heldout.inputs.chunked.column_recipe import CodedChunk, Recipe
from heldout.inputs.columns.column_values import ArrowArray


def same_rows(
    names: Sequence[str],
    chunks: Sequence[Chunk],
    coded: Sequence[CodedChunk],
    recipes: Sequence[Recipe],
    *,
    fix: str = SAME_ORDER,
) -> None:
    """Raise with this fix if the rows of a model are not those of the first model."""
    for other in range(1, len(names)):
        if chunks[other] is chunks[0]:
            continue
        pair = (0, other)
        if all(recipes[at].id is not None for at in pair):
            ids = [chunks[at].batch.column(recipes[at].id) for at in pair]
            _check_equal("ids", ids, names, chunks, other, fix=fix)
        batches = [coded[at].batch for at in pair]
        one_truth = f"use one truth for all models, and check that the rows are the same; or {fix}"
        _check_equal("truths", [_truths(coded[at], recipes[at]) for at in pair], names, chunks, other, fix=one_truth)
        if any(batch.weight is not None for batch in batches):
            _check_equal("weights", [batch.weight for batch in batches], names, chunks, other, fix=fix)
        if any(recipes[at].group is not None for at in pair):
            units = [coded[at].unit if recipes[at].group is not None else None for at in pair]
            _check_equal("groups", units, names, chunks, other, fix=fix)


def _truths(coded: CodedChunk, recipe: Recipe) -> Array:
    """The truth of each row: its label, or its number."""
    truth = coded.batch.truth
    return truth if recipe.task == "regression" else np.asarray(recipe.labels)[truth]


def _check_equal(
    what: str,
    columns: Sequence[Array | ArrowArray | None],
    names: Sequence[str],
    chunks: Sequence[Chunk],
    other: int,
    *,
    fix: str,
) -> None:
    """Raise if two columns differ, and name the first row where they do."""
    one, two = names[0], names[other]
    if columns[0] is None or columns[1] is None:
        have, lack = (one, two) if columns[1] is None else (two, one)
        raise DataError(f"{have} has {what} and {lack} has none", code="H101", fix=fix)
    first = _first_difference(columns[0], columns[1])
    if first is not None:
        pairs = zip((0, other), columns, strict=True)
        values = [
            f"{_shown(column, first)} in {names[at]} (row {chunks[at].first + first + 1} of {chunks[at].place})"
            for at, column in pairs
        ]
        raise DataError(
            f"{one} and {two} have different {what}: {', '.join(values)}",
            code="H101",
            fix=fix,
        )


def _first_difference(one: Array | ArrowArray, two: Array | ArrowArray) -> int | None:
    """The first row in which two columns differ; None if they are equal."""
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


def _flat(column: ArrowArray) -> ArrowArray:
    import pyarrow as pa

    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return whole.dictionary_decode() if pa.types.is_dictionary(whole.type) else whole


def _shown(column: Array | ArrowArray, at: int) -> str:
    value = column[at]
    return repr(value.as_py() if hasattr(value, "as_py") else value.item() if hasattr(value, "item") else value)
