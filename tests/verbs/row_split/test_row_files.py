"""Rows are written in the format they were read in, with their types."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import heldout


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_types_survive(tmp_path, suffix):
    table = pa.table({"x": pa.array([1.5, None, 3.0, 4.0]), "n": pa.array([1, 2, 3, 4], pa.int8())})
    path = tmp_path / f"rows{suffix}"
    if suffix == ".parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table)
    heldout.split(str(path), {"train": 1, "test": 1}).write()
    both = [
        pq.read_table(one) if suffix == ".parquet" else pa.ipc.open_file(str(one)).read_all()
        for one in (tmp_path / f"rows-train{suffix}", tmp_path / f"rows-test{suffix}")
    ]
    assert pa.concat_tables(both).sort_by("n").equals(table)


def test_json_lines_and_semicolons_stay_what_they_are(tmp_path):
    lines = [{"x": at, "words": ["a", None], "ü": "é"} for at in range(6)]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    heldout.split(tmp_path / "r.jsonl").write()
    texts = [(tmp_path / f"r-{part}.jsonl").read_text(encoding="utf-8") for part in ("train", "test")]
    assert sorted((json.loads(line) for line in "".join(texts).splitlines()), key=lambda line: line["x"]) == lines
    (tmp_path / "d.csv").write_text("a;b\n" + "1,5;2\n" * 6, encoding="utf-8")
    heldout.split(tmp_path / "d.csv").write()
    assert (tmp_path / "d-test.csv").read_text(encoding="utf-8") == "a;b\n" + "1,5;2\n" * 2
