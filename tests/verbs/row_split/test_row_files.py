"""Rows are written in the format they were read in, with their types."""

from __future__ import annotations

import json

import pandas as pd
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


def test_values_of_several_types_stay_as_they_are(tmp_path):
    values = ["u", 0, None, [1], 1.5, 10**20, True, {"a": "é"}]
    lines = [json.dumps({"site": value}) + "\n" for value in values]
    (tmp_path / "r.jsonl").write_text("".join(lines), encoding="utf-8")
    heldout.split(tmp_path / "r.jsonl").write()
    written = [(tmp_path / f"r-{part}.jsonl").read_text(encoding="utf-8") for part in ("train", "test")]
    assert sorted("".join(written).splitlines()) == sorted(line.strip() for line in lines)


def test_lines_of_json_are_written_as_they_were_read(tmp_path):
    """A key that a row lacks stays absent, and numbers keep their spelling."""
    lines = [
        '{"b": 1.0, "c":true}',
        '{"a": null, "b": 1e2}',
        "{}",
        '{"b": 3, "text": "\\u00e9, é"}',
        '{"a": 1.50 }',
        '{"c":[1]}',
    ]
    (tmp_path / "r.jsonl").write_text("\n\n".join(lines) + "\r\n", encoding="utf-8")
    heldout.split(tmp_path / "r.jsonl").write()
    written = [(tmp_path / f"r-{part}.jsonl").read_text(encoding="utf-8") for part in ("train", "test")]
    assert sorted("".join(written).splitlines()) == sorted(lines)
    found = heldout.split(tmp_path / "r.jsonl", {"train": 1, "test": 1}).write(column="set")
    texts = (tmp_path / "r-parts.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(text) for text in texts] == [
        {**json.loads(line), "set": part} for line, part in zip(lines, found.labels.tolist(), strict=True)
    ]
    assert texts[1].startswith('{"a": null, "b": 1e2, "set": "t')


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_metadata_of_a_schema_survives(tmp_path, suffix):
    field = pa.field("x", pa.int64(), nullable=False, metadata={"unit": "mm"})
    table = pa.table([pa.array(range(12))], schema=pa.schema([field], metadata={"license": "CC0"}))
    path = tmp_path / f"rows{suffix}"
    if suffix == ".parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table)

    def schema(name):
        whole = str(tmp_path / f"{name}{suffix}")
        return pq.read_schema(whole) if suffix == ".parquet" else pa.ipc.open_file(whole).schema

    heldout.split(path).write()
    for part in ("train", "test"):
        assert schema(f"rows-{part}").equals(schema("rows"), check_metadata=True)
    heldout.split(path, folds=3).write()
    folds = schema("rows-folds")
    assert (folds.names, folds.metadata, folds.field("x").metadata) == (
        ["x", "fold"],
        {b"license": b"CC0"},
        schema("rows").field("x").metadata,
    )


def test_frames_of_pandas_in_parquet_are_read_again(tmp_path):
    names = pd.Index([f"r{at:02}" for at in range(12)], name="row")
    frame = pd.DataFrame({"x": range(12), "c": pd.Categorical(list("abc") * 4)}, index=names)
    frame.to_parquet(tmp_path / "rows.parquet")
    heldout.split(tmp_path / "rows.parquet").write()
    parts = [pd.read_parquet(tmp_path / f"rows-{part}.parquet") for part in ("train", "test")]
    assert pd.concat(parts).sort_index().equals(frame)
