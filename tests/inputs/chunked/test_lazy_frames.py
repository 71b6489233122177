"""Frames that are not in memory: what a DuckDB relation says about itself, and its rows."""

from __future__ import annotations

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

from heldout.inputs import Facts, coded, columns_needed, decided, witness
from heldout.inputs.chunked import witness_rows as witnesses
from heldout.inputs.chunked.lazy_frames import frame_piece, relation, relation_pieces

QUERY = """
    select i % 2 as y, case when i % 2 = 1 then 0.75 else (i % 7) / 10.0 end as "my p", i as id from range(40) rows(i)
"""


@pytest.fixture
def rows():
    with duckdb.connect() as database:
        yield database.sql(QUERY)


def test_a_relation_is_known_and_says_its_columns(rows):
    found = relation(rows)
    assert (found.kind, found.place, found.names) == ("duckdb", "the relation", ("y", "my p", "id"))
    assert relation(pd.DataFrame({"y": [1]})) is None
    assert relation(pa.table({"y": [1]})) is None


def test_the_rows_of_a_relation_come_in_pieces(rows, monkeypatch):
    monkeypatch.setattr(witnesses, "HEAD", 8)
    columns = columns_needed(relation(rows), with_id=False, score="my p")
    assert columns == ("y", "my p")
    found = witness(rows, columns)
    assert sum(piece.batch.num_rows for piece in found.pieces) == 8
    reading, recipe = decided(found, score="my p")
    assert reading.columns == {"truth": "y", "score": "my p", "id": "id"}
    batches = [coded(piece, recipe) for piece in relation_pieces(rows, columns)]
    facts = sum((each.facts for each in batches), Facts())
    assert (facts.rows, facts.bounds, facts.witnesses) == (40, {"my p": (0.0, 0.75)}, None)


def test_older_versions_call_the_stream_differently(rows):
    class Older:
        def project(self, columns):
            chosen = rows.project(columns)
            return type("Chosen", (), {"fetch_record_batch": staticmethod(chosen.to_arrow_reader)})

    assert sum(piece.batch.num_rows for piece in relation_pieces(Older(), ["y"])) == 40


def test_a_relation_without_rows_is_refused(rows, said):
    assert said(witness, rows.filter("y > 7"), ["y"]) == "[H112] the relation has no rows\n  Fix: check the query"


def test_partitions_of_frames_become_pieces():
    frame = pd.DataFrame({"p": [0.5, 0.25], "y": [1, 0], "name": ["a", "b"]}, index=[7, 8])
    for rows in (frame, pa.Table.from_pandas(frame), pa.RecordBatch.from_pandas(frame)):
        piece = frame_piece(rows, ["y", "p"], "the Dask frame", 5)
        assert piece.batch.to_pylist() == [{"y": 1, "p": 0.5}, {"y": 0, "p": 0.25}]
        assert (piece.place, piece.first) == ("the Dask frame", 5)
    assert frame_piece(frame.iloc[:0], ["y"], "the Dask frame").batch.num_rows == 0
