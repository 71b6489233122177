"""Frames that are not in memory: DuckDB relations, Spark and Dask frames, known by their package and not imported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from heldout.inputs.chunked.chunked_table import PIECE, Piece
from heldout.inputs.chunked.witness_rows import Witnesses

PACKAGES = {"duckdb": "duckdb", "_duckdb": "duckdb", "pyspark": "spark", "dask": "dask", "dask_expr": "dask"}
"""Package a frame's type lives in → what it is."""
PLACES = {"duckdb": "the relation", "spark": "the Spark frame", "dask": "the Dask frame"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A frame whose rows lie elsewhere."""

    kind: str
    """duckdb, spark or dask."""
    place: str
    """How messages call it."""
    names: tuple[str, ...]
    frame: Any


def relation(source: Any) -> Relation | None:
    """What a DuckDB relation, a Spark or a Dask frame says about itself; None for anything else.

    >>> relation({"y": [0, 1]}) is None
    True
    """
    kind = PACKAGES.get(type(source).__module__.split(".")[0])
    columns = getattr(source, "columns", None)
    if kind is None or columns is None or type(source).__name__ not in ("DuckDBPyRelation", "DataFrame"):
        return None
    return Relation(kind=kind, place=PLACES[kind], names=tuple(str(name) for name in columns), frame=source)


def relation_pieces(frame: Any, columns: Sequence[str]) -> Iterator[Piece]:
    """The rows of a DuckDB relation, some at a time; older and newer versions call the stream differently."""
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in dict.fromkeys(columns))
    chosen = frame.project(quoted)
    stream = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_record_batch
    first = 0
    for batch in stream(PIECE):
        yield Piece(batch=batch, place=PLACES["duckdb"], first=first)
        first += batch.num_rows


def frame_piece(rows: Any, columns: Sequence[str], place: str, first: int = 0) -> Piece:
    """A partition of a frame as a piece: an Arrow batch or table, or a pandas frame."""
    import pyarrow as pa

    if not isinstance(rows, (pa.RecordBatch, pa.Table)):
        rows = pa.Table.from_pandas(rows[list(columns)], preserve_index=False)
    if isinstance(rows, pa.Table):
        rows = rows.combine_chunks()
        batches = rows.to_batches()
        rows = batches[0] if batches else pa.RecordBatch.from_pylist([], schema=rows.schema)
    return Piece(batch=rows.select(list(columns)), place=place, first=first)


def head_of(source: Any, columns: Sequence[str], rows: int) -> Witnesses:
    """The first rows of a frame."""
    found = relation(source)
    assert found is not None, "asked only of frames that `relation` knows"
    names = list(dict.fromkeys(columns))
    if found.kind == "duckdb":
        taken = list(relation_pieces(source.limit(rows), names))
    elif found.kind == "spark":
        limited = source.select(*["`" + name.replace("`", "``") + "`" for name in names]).limit(rows)
        taken = [
            frame_piece(limited.toArrow() if hasattr(limited, "toArrow") else limited.toPandas(), names, found.place)
        ]
    else:
        taken = [frame_piece(source[names].head(rows, npartitions=-1), names, found.place)]
    count = sum(piece.batch.num_rows for piece in taken)
    if not count:
        from heldout.errors import DataError

        raise DataError(f"{found.place} has no rows", code="H112", fix="check the query")
    return Witnesses(
        place=found.place, names=found.names, pieces=tuple(taken), of=count if count < rows else float("inf")
    )
