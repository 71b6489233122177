"""Files larger than memory: the cases count alike, and the page shows what was found."""

from __future__ import annotations

import click
import pyarrow.parquet as pq
import pytest

from benchmarks import large
from benchmarks.pages import refreshed

ROWS = 30_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("large")
    large.write_rows(place, ROWS)
    return place


@pytest.mark.parametrize("case", large.CASES)
def test_every_case_counts_alike(case, folder):
    answer = large.CASES[case].call(folder)
    assert answer == large.duckdb_scan(folder)
    assert answer["rows"] == ROWS


def test_rows_are_written_in_files_of_row_groups(folder):
    files = sorted(folder.glob("*.parquet"))
    assert len(files) == large.FILES
    assert sum(pq.ParquetFile(file).metadata.num_rows for file in files) == ROWS
    assert [str(field.type) for field in pq.read_schema(files[0])] == ["int64", "double"]


def test_narrow_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(large, "AT_ONCE", 7)
    large.write_rows(tmp_path, 95, narrow=True)
    first = pq.ParquetFile(tmp_path / "part-00.parquet")
    assert [str(field.type) for field in first.schema_arrow] == ["int8", "float"]
    assert first.metadata.num_row_groups == 2
    assert large.polars_scan(tmp_path)["rows"] == 95


def run(seconds, peak=10, accuracy=0.5):
    return {
        "seconds": seconds,
        "processor_s": 2 * seconds,
        "peak_bytes": peak,
        "answer": {"rows": 4, "accuracy": accuracy},
    }


def test_the_faster_scan_is_the_measure():
    runs = {"duckdb": [run(2.0)], "polars": [run(1.0), run(3.0)], "labels": [run(1.5)], "area": [run(5.0)]}
    found = {line.case: line for line in large.lines(runs, large.ROWS)}
    assert (found["polars"].seconds, found["polars"].ratio, found["polars"].met) == (1.0, None, None)
    assert (found["labels"].ratio, found["labels"].met) == (1.5, True)
    assert (found["area"].ratio, found["area"].met) == (5.0, False)
    assert all(line.met is None for line in large.lines(runs, 10**7))


def test_memory_counts_as_well():
    runs = {"duckdb": [run(2.0)], "labels": [run(2.0), run(2.0, peak=2**30 + 1)]}
    assert [line.met for line in large.lines(runs, large.ROWS)] == [None, False]


def test_cases_that_count_otherwise_are_an_error():
    runs = {"duckdb": [run(2.0)], "labels": [run(2.0, accuracy=0.6)]}
    with pytest.raises(click.ClickException, match=r"^the cases do not count alike: \[\(4, 0\.5\), \(4, 0\.6\)\]$"):
        large.lines(runs, large.ROWS)


def test_the_page_shows_what_was_found():
    """The page holds the table that the kept results give, word for word."""
    page = large.PAGE.read_text(encoding="utf-8")
    if large.PATH.exists():
        assert refreshed(page, large.page_parts(large.read(large.PATH))) == page
    for name in ("large conditions", "large table"):
        assert page.count(f"<!-- {name} -->") == page.count(f"<!-- end of {name} -->") == 1
