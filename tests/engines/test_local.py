"""The engine of one machine: the same sum whatever the threads, few parts at a time, errors at once."""

from __future__ import annotations

import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from heldout.engines.local import Local
from heldout.errors import DataError, UsageError
from heldout.inputs.chunked.chunked_table import open_chunks
from tests.engines import works
from tests.engines.alike import alike


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(2)
    for at in range(9):
        n = 50 * at  # the first has no rows
        rows = {"label": rng.integers(0, 3, n), "score": rng.random(n), "patient": rng.integers(0, 40, n)}
        pq.write_table(pa.table(rows), tmp_path / f"{at}.parquet")
    return str(tmp_path)


def test_the_sum_does_not_depend_on_the_threads(folder):
    found = [Local(workers=some).summed(open_chunks(folder), ["label", "score"], works.summing) for some in (1, 2, 5)]
    assert {one.rows for one in found} == {1800}
    assert len({one.score for one in found}) == 1  # to the last bit


def test_progress_is_told_of_every_part(folder):
    seen = []
    Local().summed(open_chunks(folder), ["label", "score"], works.summing, lambda *some: seen.append(some))
    assert seen == [(at, 9) for at in range(1, 10)]


def test_units_meet(folder):
    found = Local().grouped(open_chunks(folder), ["patient", "score"], works.by_group)
    rows = pq.read_table(folder)
    unit, score = rows["patient"].to_numpy(), rows["score"].to_numpy()
    sums = np.stack([np.bincount(unit), np.bincount(unit, score)])
    assert found.units == len(np.unique(unit))
    alike(found.products.tolist(), (sums @ sums.T).tolist())
    few = found.unit_by_unit().added
    assert few["rows"].tolist() == np.bincount(unit).tolist()  # in the order of their names


def test_no_more_than_a_few_totals_are_there_at_once(folder):
    alive, most, lock = [0], [0], threading.Lock()

    class Counted:
        def __init__(self):
            with lock:
                alive[0] += 1
                most[0] = max(most[0], alive[0])

        def __del__(self):
            with lock:
                alive[0] -= 1

        def __add__(self, other):
            return self

    Local(workers=2).summed(open_chunks(folder), ["label"], lambda chunks: [*chunks] and Counted())
    assert most[0] <= 6  # two threads, two that wait for their turn, the sum, and the one that is added


def test_an_error_is_told_and_the_rest_is_left(folder):
    read = []

    def work(chunks):
        for chunk in chunks:
            read.append(chunk.place)
            if chunk.place == "1.parquet":
                raise DataError("1.parquet: score is not finite", fix="remove the row")
        return 1

    with pytest.raises(DataError, match=r"1.parquet: score is not finite"):
        Local(workers=1).summed(open_chunks(folder), ["score"], work)
    assert len(read) < 8


def test_no_rows_at_all(tmp_path):
    pq.write_table(pa.table({"score": [0.5]}), tmp_path / "a.parquet")
    source = open_chunks(str(tmp_path))
    pq.write_table(pa.table({"score": pa.array([], pa.float64())}), tmp_path / "a.parquet", row_group_size=1)
    with pytest.raises(DataError) as error:
        Local().summed(source, ["score"], lambda chunks: sum(chunk.batch.num_rows for chunk in chunks) or None)
    assert error.value.code in ("H100", "H112")


def test_what_is_neither_files_nor_a_frame():
    with pytest.raises(UsageError) as error:
        Local().summed({"a": 1}, ["a"], len)
    assert str(error.value) == "the engine local cannot read a builtins.dict\n  Fix: give files"
