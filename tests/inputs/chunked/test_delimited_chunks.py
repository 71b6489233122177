"""Text files in chunks: every value stays text, and what is wrong with the bytes is said."""

from __future__ import annotations

import gzip

import pytest

import heldout
from heldout.errors import DataError
from heldout.inputs.chunked import delimited_chunks as module
from heldout.inputs.chunked.chunked_table import open_chunks, read_chunks
from tests.inputs.packers import PACKERS


def rows_of(path, columns=("y", "p"), most=100):
    return [
        row
        for file_chunk in open_chunks(path).file_chunks
        for chunk in read_chunks(file_chunk, columns, most)
        for row in rows_in(chunk)
    ]


def rows_in(chunk):
    return [(chunk.first + at, *row.values()) for at, row in enumerate(chunk.batch.to_pylist())]


@pytest.fixture
def file(tmp_path):
    def made(data, name="rows.csv"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return made


def test_values_stay_text_so_that_nothing_is_guessed(file):
    assert rows_of(file("y,p\n01,1e3\nNA,\n")) == [(0, "01", "1e3"), (1, "NA", "")]


@pytest.mark.parametrize(
    ("text", "name"), [("y;p\n1;0,5\n", "a.csv"), ("y\tp\n1\t0,5\n", "a.tsv"), ("\n\ny;p\n1;0,5\n", "b.csv")]
)
def test_semicolons_tabs_and_blank_lines_before_the_header(file, text, name):
    (file_chunk,) = open_chunks(file(text, name)).file_chunks
    (chunk,) = read_chunks(file_chunk, ("y", "p"))
    assert chunk.batch.to_pylist() == [{"y": "1", "p": "0,5"}]
    assert chunk.decimal_comma is (";" in text)


def test_quoted_fields_may_hold_line_ends_and_delimiters(file):
    assert rows_of(file('y,p\n"a\nb","1,5"\n')) == [(0, "a\nb", "1,5")]


def test_chunks_are_cut_and_count_on(file):
    path = file("y,p\n" + "".join(f"{at},{at}\n" for at in range(7)))
    assert [row[0] for row in rows_of(path, most=3)] == list(range(7))
    assert [row[1] for row in rows_of(path, most=3)] == [str(at) for at in range(7)]


@pytest.mark.parametrize("ending", PACKERS)
def test_compressed_files_are_read_alike(file, ending):
    data = b"y,p\n1,0.5\n"
    assert rows_of(file(PACKERS[ending](data), f"rows.csv{ending}")) == rows_of(file(data))


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        *(
            (pack(b"y,p\n" + b"1,0.5\n" * 9000)[:-9], f"cut.csv{ending}", f"cut.csv{ending} is truncated")
            for ending, pack in PACKERS.items()
        ),
        ("y,p\n".encode("utf-16"), "wide.csv", "wide.csv is encoded as UTF-16, which cannot be read in chunks"),
        (b'{"y": 1}\n', "lines.csv", "lines.csv holds JSON lines, which cannot be read in chunks"),
        (b"y,p\n1,0.5\n\xe9,0.7\n", "latin.csv", "latin.csv cannot be decoded: byte 0xe9"),
        (b"y,p\n1,0.5\n1,0.7,9\n", "wide.csv", "wide.csv"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(file, data, name, message):
    with pytest.raises(DataError) as refused:
        rows_of(file(data, name))
    assert message in str(refused.value)


def test_a_line_longer_than_a_block_is_no_silent_loss(file, monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 64)
    path = file("y,p\n" + "x" * 300 + ",1\n")
    with pytest.raises(DataError, match=r"rows\.csv"):
        rows_of(path)


@pytest.mark.parametrize("ending", PACKERS)
def test_a_compressed_file_says_how_large_it_is(file, ending):
    """Files that pack well were taken for six times their size, and read into memory whatever the limit was."""
    data = b"y_true,y_pred\n" + b"1,1\n0,1\n" * 500_000
    path = file(PACKERS[ending](data), f"rows.csv{ending}")
    assert path.stat().st_size < len(data) / 100
    assert open_chunks(path).size >= len(data)
    found = heldout.evaluate(path, memory="16M")
    assert (found.chunked, found["accuracy"].value) == (True, 0.5)


def test_a_gzip_file_of_several_parts_says_how_large_it_is(file):
    data = b"y_true,y_pred\n" + b"1,1\n0,1\n" * 500_000
    several = file(gzip.compress(data) * 3, "several.csv.gz")
    assert open_chunks(several).size >= len(data)
