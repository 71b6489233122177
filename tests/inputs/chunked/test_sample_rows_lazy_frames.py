"""Frames that are not in memory: what a DuckDB relation says about itself, and its rows."""

from __future__ import annotations

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

from heldout.inputs.chunked import sample_rows as sampling
from heldout.inputs.chunked.column_recipe import Facts, code_chunk
from heldout.inputs.chunked.recipe_inference import infer_recipe
from heldout.inputs.chunked.sample_rows import columns_needed, duckdb_chunks, partition_chunk, sample_rows
from heldout.inputs.formats.frames import lazy_frame

QUERY = """
    select i % 2 as y, case when i % 2 = 1 then 0.75 else (i % 7) / 10.0 end as "my p", i as id from range(40) rows(i)
"""


@pytest.fixture
def rows():
    with duckdb.connect() as database:
        yield database.sql(QUERY)


def test_a_relation_is_known_and_says_its_columns(rows):
    found = lazy_frame(rows)
    assert (found.kind, found.place, found.names) == ("duckdb", "the relation", ("y", "my p", "id"))
    assert lazy_frame(pd.DataFrame({"y": [1]})) is None
    assert lazy_frame(pa.table({"y": [1]})) is None


def test_the_rows_of_a_relation_come_in_pieces(rows, monkeypatch):
    monkeypatch.setattr(sampling, "HEAD", 8)
    columns = columns_needed(lazy_frame(rows), with_id=False, score="my p")
    assert columns == ("y", "my p")
    found = sample_rows(lazy_frame(rows), columns)
    assert sum(chunk.batch.num_rows for chunk in found.chunks) == 8
    reading, recipe = infer_recipe(found, score="my p")
    assert reading.columns == {"truth": "y", "score": "my p", "id": "id"}
    batches = [code_chunk(chunk, recipe) for chunk in duckdb_chunks(rows, columns)]
    facts = sum((each.facts for each in batches), Facts())
    assert (facts.rows, facts.bounds, facts.new_rows) == (40, {"my p": (0.0, 0.75)}, None)


def test_older_versions_call_the_stream_differently(rows):
    class Older:
        def project(self, columns):
            chosen = rows.project(columns)
            return type("Chosen", (), {"fetch_record_batch": staticmethod(chosen.to_arrow_reader)})

    assert sum(chunk.batch.num_rows for chunk in duckdb_chunks(Older(), ["y"])) == 40


def test_a_relation_without_rows_is_refused(rows, said):
    assert (
        said(sample_rows, lazy_frame(rows.filter("y > 7")), ["y"])
        == "[H112] the relation has no rows\n  Fix: check the query"
    )


def test_partitions_of_frames_become_pieces():
    frame = pd.DataFrame({"p": [0.5, 0.25], "y": [1, 0], "name": ["a", "b"]}, index=[7, 8])
    for rows in (frame, pa.Table.from_pandas(frame), pa.RecordBatch.from_pandas(frame)):
        chunk = partition_chunk(rows, ["y", "p"], "the Dask frame", 5)
        assert chunk.batch.to_pylist() == [{"y": 1, "p": 0.5}, {"y": 0, "p": 0.25}]
        assert (chunk.place, chunk.first) == ("the Dask frame", 5)
    assert partition_chunk(frame.iloc[:0], ["y"], "the Dask frame").batch.num_rows == 0
