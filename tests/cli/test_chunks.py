from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from heldout.cli import output as progress, verbs


def run(*arguments):
    return CliRunner().invoke(verbs, ["evaluate", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for part in range(3):
        truth = rng.integers(0, 2, 500)
        score = 1 / (1 + np.exp(-rng.normal(2 * truth - 1)))
        pq.write_table(pa.table({"y_true": truth, "y_score": score}), tmp_path / f"{part}.parquet")
    return tmp_path


def test_the_options_arrive_under_their_names(calls):
    run("x.parquet", "--engine", "dask", "--engine-address", "tcp://there:1", "--memory", "4G")
    asked = {"engine": "dask", "engine_address": "tcp://there:1", "memory": "4G"}
    assert calls == [("evaluate", ("x.parquet",), asked)]


def test_several_files_are_one_table(calls):
    run("a.parquet", "b.parquet")
    assert calls == [("evaluate", (["a.parquet", "b.parquet"],), {})]


def test_an_unknown_engine_is_refused():
    found = run("x.parquet", "--engine", "sparc")
    assert found.exit_code == 2
    assert "'sparc' is not one of 'local', 'dask', 'ray', 'spark'" in found.stderr


def test_counts_have_no_chunks():
    found = run("--wrong", 1, "--of", 10, "--engine", "local")
    assert found.exit_code == 2
    assert found.stderr == (
        "error: --engine has no effect with --wrong and --of: it needs rows\n  Fix: leave out --engine\n"
    )


def test_memory_that_is_none(folder):
    found = run(folder, "--memory", "much")
    assert found.exit_code == 2
    assert found.stderr == (
        "error: --memory is 'much', which is not an amount of memory\n"
        "  Fix: give bytes, or a number with K, M, G or T, such as 4G or 500M\n"
    )


def test_the_page_says_how_rows_were_read(folder):
    found = run(folder, "--engine", "local")
    assert found.exit_code == 0
    assert "1,500 rows, 780 positive (52.0%)\ntask: binary\n3 chunks (local)\n" in found.stdout
    assert "note binned: the exact value lies within: roc_auc ±" in " ".join(found.stdout.split())


def test_the_json_says_who_read_how_many_chunks(folder):
    said = json.loads(run(folder, "--memory", "1K", "--format", "json").stdout)
    assert (said["engine"], said["chunks"], said["inputs"][0]["sha256"]) == ("local", 3, None)
    said = json.loads(run(folder, "--format", "json").stdout)
    assert (said["engine"], said["chunks"], len(said["inputs"])) == ("local", 1, 3)


def test_an_output_is_never_one_of_the_chunks(folder):
    found = run(*sorted(folder.iterdir()), "--output", folder / "1.parquet")
    assert found.exit_code == 2
    assert found.stderr.startswith("error: --output ")


def test_the_bar_begins_anew_with_every_walk(monkeypatch, capsys):
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True, raising=False)
    with progress.bar("chunks", quiet=False) as told:
        for done in (1, 2, 1, 2):
            told(done, 2)
    assert capsys.readouterr().err.count("2/2") >= 1


def test_nobody_looks_at_the_bar_of_a_quiet_run():
    with progress.bar("chunks", quiet=True) as told:
        assert told is None
