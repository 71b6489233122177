"""Workers that are killed change nothing; parts that cannot be read are named, and nothing partial is reported."""

from __future__ import annotations

import os
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import heldout
from heldout.engines import engine
from heldout.errors import DataError
from heldout.inputs.chunked.chunked_table import open_chunks
from tests.engines import works


def made(cluster):
    return engine(cluster["engine"], cluster.get("engine_address"))


def at_work(folder: Path) -> int:
    """A process that has begun to work."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        found = list(folder.glob("*.pid"))
        if found:
            return int(found[0].stem)
        time.sleep(0.05)
    raise AssertionError("no worker has begun")


def killed(folder: Path, victim=lambda worker: worker) -> None:
    """Kill whoever has begun first, and only then let the others go on."""
    worker = victim(at_work(folder))
    os.kill(worker, signal.SIGKILL)
    until = time.monotonic() + 30
    while Path(f"/proc/{worker}").exists() and "Z" not in Path(f"/proc/{worker}/stat").read_text().split()[2]:
        assert time.monotonic() < until
        time.sleep(0.05)
    (folder / "go").touch()


def parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])


@pytest.mark.parametrize("walk", ["summed", "grouped"])
def test_a_killed_worker_changes_nothing(cluster, folders, tmp_path, walk):
    work = {"summed": works.summing, "grouped": works.by_group}[walk]
    columns = {"summed": ["label", "score"], "grouped": ["patient", "score"]}[walk]
    source = open_chunks(folders["even"])
    with ThreadPoolExecutor() as pool:
        held = works.Held(str(tmp_path), work)
        found = pool.submit(getattr(made(cluster), walk), source, columns, held)
        killed(tmp_path)
        total = found.result(timeout=200)
    here = getattr(engine("local"), walk)(source, columns, work)
    if walk == "summed":
        assert (total.rows, total.counts.tolist()) == (here.rows, here.counts.tolist())
        assert total.score == pytest.approx(here.score, rel=1e-12)
    else:
        assert total.units == here.units
        assert total.products == pytest.approx(here.products, rel=1e-12)


def test_a_killed_executor_changes_nothing(spark_session, folders, tmp_path):
    source = open_chunks(folders["even"])
    with ThreadPoolExecutor() as pool:
        work = works.Held(str(tmp_path))
        found = pool.submit(engine("spark").summed, source, ["label", "score"], work)
        killed(tmp_path, lambda worker: parent(parent(worker)))  # worker, its daemon, the Java of the executor
        total = found.result(timeout=200)
    assert total.counts.tolist() == engine("local").summed(source, ["label", "score"], works.summing).counts.tolist()


def vanished(path):
    path.unlink()
    return f"{path.name} no longer exists: {path}"


def cut_off(path):
    path.write_bytes(path.read_bytes()[:2000])
    return f"{path.name} is truncated: the end marker of a parquet file is missing"


def of_another_schema(path):
    pq.write_table(pa.table({"label": [1], "chance": [0.5]}), path)
    return f"{path.name} has no column 'score'; its columns are label, chance"


@pytest.mark.parametrize("spoiled", [vanished, cut_off, of_another_schema])
def test_a_part_that_is_spoiled_during_the_work_is_named(cluster, folders, tmp_path, spoiled):
    folder = tmp_path / "rows"
    shutil.copytree(folders["even"], folder)
    source = open_chunks(str(folder))
    says = spoiled(folder / "2.parquet")
    with pytest.raises(DataError) as here:
        engine("local").summed(source, ["label", "score"], works.summing)
    with pytest.raises(DataError) as there:
        made(cluster).summed(source, ["label", "score"], works.summing)
    assert here.value.message.startswith(says)
    assert (there.value.message, there.value.code, there.value.fix) == (
        here.value.message,
        here.value.code,
        here.value.fix,
    )


def test_bad_values_are_told_as_on_one_machine(cluster, folders, tmp_path):
    folder = tmp_path / "rows"
    shutil.copytree(folders["even"], folder)
    table = pq.read_table(folder / "3.parquet")
    score = table["score"].to_numpy().copy()
    score[17] = float("nan")
    pq.write_table(table.set_column(1, "score", pa.array(score)), folder / "3.parquet")
    said = []
    for where in ({"engine": "local"}, cluster):
        with pytest.raises(DataError) as error:
            heldout.evaluate(str(folder), y_score="score", truth="label", **where)
        said.append(str(error.value))
    assert said[0] == said[1]
    assert "3.parquet" in said[0]
