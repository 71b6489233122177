"""Tables side by side: beside every row the same row of the others, wherever files and chunks end."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st

from heldout.errors import DataError
from heldout.inputs.chunked.aligned_tables import (
    SAME_ORDER,
    AlignedTables,
    FileLengths,
    OtherTable,
    count_rows,
    known_lengths,
    other_table,
    rows_before,
)
from heldout.inputs.chunked.chunked_table import Chunk, ChunkedTable, open_chunks, read_chunks

ROWS = 60


def written(folder, cuts, group, rows=ROWS):
    """Numbered rows in files cut at these rows."""
    folder.mkdir()
    for at, (first, last) in enumerate(zip([0, *cuts], [*cuts, rows], strict=True)):
        pq.write_table(pa.table({"n": np.arange(first, last)}), folder / f"{at}.parquet", row_group_size=group)
    return open_chunks(folder)


def of(source: ChunkedTable):
    return [chunk for file_chunk in source.file_chunks for chunk in read_chunks(file_chunk, ["n"])]


def zipped(first: ChunkedTable, others, some) -> list[tuple[Chunk, ...]]:
    counted = known_lengths(first)
    others = tuple(other_table(other, known_lengths(other), ["n"]) for other in others)
    return list(AlignedTables(starts=rows_before(first, counted), others=others)(some))


@settings(max_examples=25, deadline=None)
@given(
    cuts=st.lists(st.lists(st.integers(0, ROWS), max_size=4), min_size=2, max_size=3),
    groups=st.lists(st.integers(1, 40), min_size=3, max_size=3),
    begin=st.integers(0, 5),
)
def test_every_row_stands_beside_itself(tmp_path_factory, cuts, groups, begin):
    folder = tmp_path_factory.mktemp("tables")
    sources = [written(folder / str(at), sorted(some), groups[at]) for at, some in enumerate(cuts)]
    some = of(sources[0])[begin:]
    found = zipped(sources[0], sources[1:], some)
    seen = [np.concatenate([one[at].batch.column(0) for one in found] or [[]]) for at in range(len(sources))]
    wanted = np.concatenate([chunk.batch.column(0) for chunk in some] or [[]])
    for rows in seen:
        assert np.array_equal(rows, wanted)
    for row in found:
        for source, chunk in zip(sources, row, strict=True):
            numbers = chunk.batch.column(0).to_numpy()
            assert numbers[0] == rows_before(source, known_lengths(source))[chunk.place] + chunk.first


def test_chunks_that_do_not_follow_each_other(tmp_path):
    first, other = written(tmp_path / "a", [10, 40], 7), written(tmp_path / "b", [33], 9)
    some = of(first)
    some = [some[-1], some[0]]
    found = zipped(first, [other], some)
    assert all(one.batch.column(0).equals(two.batch.column(0)) for one, two in found)
    assert sum(one.batch.num_rows for one, _ in found) == sum(chunk.batch.num_rows for chunk in some)


def test_a_table_that_ends_early(tmp_path):
    first, other = written(tmp_path / "a", [], 60), written(tmp_path / "b", [], 60, rows=59)
    with pytest.raises(DataError) as error:
        zipped(first, [other], of(first))
    assert (error.value.message, error.value.fix) == ("a table has fewer rows than the first one", SAME_ORDER)


def test_lengths_add_up(tmp_path):
    source = written(tmp_path / "a", [10, 40], 7)
    some = of(source)
    assert count_rows(some[:3]) + count_rows(some[3:]) == known_lengths(source)
    assert known_lengths(source) == FileLengths(rows={"0.parquet": 10, "1.parquet": 30, "2.parquet": 20})
    assert rows_before(source, known_lengths(source)) == {"0.parquet": 0, "1.parquet": 10, "2.parquet": 40}


def test_a_file_that_does_not_say_how_long_it_is(tmp_path):
    (tmp_path / "a.csv").write_text("n\n1\n2\n")
    source = open_chunks(tmp_path / "a.csv")
    assert known_lengths(source) is None
    assert count_rows(of(source)).rows == {"a.csv": 2}


def test_it_travels_with_whole_paths(tmp_path, monkeypatch):
    source = written(tmp_path / "a", [10, 40], 7)
    monkeypatch.chdir(tmp_path)
    near = other_table(open_chunks("a"), known_lengths(source), ["n"])
    monkeypatch.chdir("/")
    there: OtherTable = pickle.loads(pickle.dumps(near))
    assert next(there.from_row(12)).batch.column(0)[0].as_py() == 12
