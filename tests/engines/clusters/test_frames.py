"""Frames that lie elsewhere are taken as they are: DuckDB relations, Dask and Spark frames."""

from __future__ import annotations

import pytest

import heldout
from tests.engines.alike import alike


@pytest.fixture(scope="module")
def by_rows(folders):
    return kept(heldout.evaluate(folders["even"], engine="local", groups="patient"))


def kept(found):
    """All but where it comes from, and what to do about metrics that are left out."""
    return {
        name: value for name, value in found.to_dict().items() if name not in ("inputs", "engine", "chunks", "checks")
    }


def test_a_dask_frame(dask_address, folders, by_rows):
    import dask.dataframe as dd
    from distributed import Client

    with Client(dask_address):
        found = heldout.evaluate(dd.read_parquet(folders["uneven"]), groups="patient")
    assert found.engine == "dask"
    alike(kept(found), by_rows)


def test_a_spark_frame(spark_session, folders, by_rows):
    found = heldout.evaluate(spark_session.read.parquet(folders["uneven"]).repartition(7), groups="patient")
    assert found.engine == "spark"
    alike(kept(found), by_rows)


def test_a_spark_frame_without_rows_in_some_partitions(spark_session, folders, by_rows):
    frame = spark_session.read.parquet(folders["even"]).repartition(3, "label")
    alike(kept(heldout.evaluate(frame, groups="patient")), by_rows)


def test_a_duckdb_relation(folders, by_rows):
    duckdb = pytest.importorskip("duckdb")
    found = heldout.evaluate(duckdb.read_parquet(f"{folders['uneven']}/*.parquet"), groups="patient")
    assert found.engine == "local"
    alike(kept(found), by_rows)
