"""Files, folders, patterns and lists in chunks: what is read, and the errors where a file is not like the others."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import heldout
from heldout.inputs import read
from heldout.inputs.chunked import file_opening as opening
from heldout.inputs.chunked.chunked_table import CHUNK_ROWS, bytes_of, open_chunks, read_chunks
from heldout.inputs.chunked.file_listing import list_files
from heldout.inputs.chunked.sample_rows import columns_needed, load_chunks
from heldout.inputs.formats.frames import names_several_files

ROWS = pa.table({"y": [0, 1, 1, 0], "p": [0.25, 0.75, 0.5, 0.125], "name": ["u", "v", "w", "x"]})


def parquet(path: Path, table: pa.Table = ROWS, **options) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, **options)
    return path


def arrow(path: Path, table: pa.Table = ROWS, *, stream: bool = False, rows: int = 3) -> Path:
    with (
        pa.OSFile(str(path), "wb") as sink,
        (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, table.schema) as writer,
    ):
        writer.write_table(table, max_chunksize=rows)
    return path


def rows_of(source, columns=("y", "p")) -> list[dict]:
    """Every row, with the file and the row before it."""
    return [
        {**row, "at": (chunk.place, chunk.first + at)}
        for file_chunk in open_chunks(source).file_chunks
        for chunk in read_chunks(file_chunk, columns)
        for at, row in enumerate(chunk.batch.to_pylist())
    ]


def plain(source, columns=("y", "p")) -> list[dict]:
    return [{name: float(value) for name, value in row.items() if name != "at"} for row in rows_of(source, columns)]


EXPECTED = ROWS.select(["y", "p"]).to_pylist()


@pytest.mark.parametrize("form", ["parquet", "arrow", "stream", "csv", "csv.gz", "tsv", "semicolons"])
def test_every_format_gives_the_same_rows(tmp_path, form):
    lines = [",".join(map(str, row.values())) for row in ROWS.to_pylist()]
    text = "\n".join(["y,p,name", *lines]) + "\n"
    path = tmp_path / f"rows.{form}"
    if form == "parquet":
        parquet(path, row_group_size=3)
    elif form in ("arrow", "stream"):
        path = arrow(tmp_path / "rows.arrow", stream=form == "stream")
    elif form == "csv.gz":
        path.write_bytes(gzip.compress(text.encode()))
    elif form == "semicolons":
        path = tmp_path / "rows.csv"
        path.write_text(text.replace(",", ";"))
    else:
        path.write_text(text.replace(",", "\t") if form == "tsv" else text)
    assert plain(path) == EXPECTED
    assert plain(path, ("p", "y")) == EXPECTED
    assert [row["at"] for row in rows_of(path)] == [(path.name, at) for at in range(4)]
    assert read(load_chunks(open_chunks(path), ("y", "p"))).batch.truth.tolist() == [0, 1, 1, 0]


def test_text_files_with_marks_blank_lines_and_quotes_are_read(tmp_path):
    for contents in (
        b"\xef\xbb\xbfy,p\n1,0.5\n",
        b"\n\r\ny,p\r\n1,0.5\r\n\r\n",
        b'"y","p"\n"1","0.5"\n',
        b'p,y,"two\nlines"\n0.5,1,"a\nb"\n',
    ):
        path = tmp_path / "rows.csv"
        path.write_bytes(contents)
        assert plain(path) == [{"y": 1.0, "p": 0.5}], contents


def test_row_groups_become_parts_of_some_size(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "FILE_CHUNK_ROWS", 4)
    parquet(tmp_path / "a.parquet", pa.table({"y": range(10)}), row_group_size=2)
    source = open_chunks(tmp_path / "a.parquet")
    assert [(file_chunk.groups, file_chunk.first, file_chunk.rows) for file_chunk in source.file_chunks] == [
        ((0, 1), 0, 4),
        ((2, 3), 4, 4),
        ((4,), 8, 2),
    ]
    assert [row["y"] for row in rows_of(tmp_path, ["y"])] == list(range(10))
    assert source.rows == 10


def test_pieces_are_never_larger_than_asked(tmp_path):
    text = tmp_path / "c.csv"
    text.write_text("y\n0\n1\n1\n0\n")
    for path in (parquet(tmp_path / "a.parquet"), arrow(tmp_path / "b.arrow", rows=4), text):
        (file_chunk,) = open_chunks(path).file_chunks
        assert [(chunk.batch.num_rows, chunk.first) for chunk in read_chunks(file_chunk, ["y"], 3)] == [(3, 0), (1, 3)]


def test_folders_name_columns(tmp_path):
    for country in ("de", "fr%20x", "__HIVE_DEFAULT_PARTITION__"):
        parquet(tmp_path / f"preds/country={country}/day=2/a.parquet")
    source = open_chunks(tmp_path / "preds")
    assert source.names == ("y", "p", "name", "country", "day")
    firsts = [
        next(read_chunks(file_chunk, ["day", "y", "country"])).batch.to_pylist()[0] for file_chunk in source.file_chunks
    ]
    assert firsts == [{"day": "2", "y": 0, "country": name} for name in (None, "de", "fr x")]
    assert next(read_chunks(source.file_chunks[1], ["country"])).batch.to_pylist() == [{"country": "de"}] * 4
    pattern = str(tmp_path / "preds/*/day=2/*.parquet")
    assert open_chunks(pattern).names == ("y", "p", "name", "country", "day")
    assert open_chunks(tmp_path / "preds/country=de/day=2/a.parquet").names == ("y", "p", "name")


def test_lists_patterns_and_folders_are_known_from_files(tmp_path):
    one, two = parquet(tmp_path / "a.parquet"), parquet(tmp_path / "b.parquet")
    assert not names_several_files(one)
    assert not names_several_files({"y": [1]})
    assert names_several_files(tmp_path)
    assert names_several_files([one, str(two)])
    assert names_several_files(str(tmp_path / "*.parquet"))
    odd = parquet(tmp_path / "odd[1].parquet")
    assert not names_several_files(odd)
    assert len(rows_of(odd)) == 4
    assert len(rows_of([one, two])) == 8


def test_equal_names_in_several_folders_are_told_apart(tmp_path):
    paths = [parquet(tmp_path / f"{month}/rows.parquet") for month in ("may", "june")]
    assert [file_chunk.place for file_chunk in open_chunks(paths).file_chunks] == [str(path) for path in paths]
    assert [file_chunk.place for file_chunk in open_chunks(tmp_path).file_chunks] == [
        "june/rows.parquet",
        "may/rows.parquet",
    ]


def test_hidden_files_and_empty_tables_do_no_harm(tmp_path):
    parquet(tmp_path / "a.parquet")
    parquet(tmp_path / "b.parquet", ROWS.slice(0, 0))
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".a.parquet.crc").write_bytes(b"crc")
    assert plain(tmp_path) == EXPECTED


def test_widths_may_differ_and_columns_may_stand_in_another_order(tmp_path):
    parquet(tmp_path / "a.parquet")
    narrow = pa.schema({"p": pa.float32(), "name": pa.large_string(), "y": pa.uint8()})
    parquet(tmp_path / "b.parquet", ROWS.select(["p", "name", "y"]).cast(narrow))
    source = open_chunks(tmp_path)
    assert columns_needed(source) == ("y", "p")
    assert plain(tmp_path) == EXPECTED * 2
    table = load_chunks(source, source.names)
    assert read(table).batch.rows == 8
    assert table.names == ("y", "p", "name")


def test_columns_nobody_needs_may_differ(tmp_path):
    parquet(tmp_path / "a.parquet")
    parquet(tmp_path / "b.parquet", pa.table({"y": [1], "p": [0.5], "name": [3], "extra": [True]}))
    source = open_chunks(tmp_path)
    assert columns_needed(source) == ("y", "p")
    assert load_chunks(source, source.names).names == ("y", "p")


def test_what_columns_take_in_memory_is_known(tmp_path):
    parquet(tmp_path / "a.parquet", pa.table({"y": pa.array([1] * 1000, pa.int8()), "p": [0.5] * 1000}))
    source = open_chunks(tmp_path)
    assert bytes_of(source, ["y", "p"]) == 9000
    assert source.size == 9000


def broken(path: Path, change) -> Path:
    path.write_bytes(change(path.read_bytes()))
    return path


def test_a_truncated_file_is_named_at_once(tmp_path, said):
    parquet(tmp_path / "a.parquet")
    broken(parquet(tmp_path / "b.parquet"), lambda data: data[:-20])
    assert said(open_chunks, tmp_path) == (
        "[H100] b.parquet is truncated: the end marker of a parquet file is missing\n  Fix: "
        "copy or export the file again"
    )
    broken(tmp_path / "b.parquet", lambda _: b"")
    assert said(open_chunks, tmp_path) == "[H100] b.parquet is empty (0 bytes)\n  Fix: export the predictions again"


def test_a_corrupt_page_is_named_while_reading(tmp_path, said):
    parquet(tmp_path / "a.parquet")
    many = pa.table({"y": range(10_000), "p": [0.5] * 10_000})
    parquet(tmp_path / "b.parquet", many, use_dictionary=False, write_page_checksum=True, compression="none")
    broken(tmp_path / "b.parquet", lambda data: data[:30_000] + b"\xff" * 100 + data[30_100:])
    assert said(rows_of, tmp_path) == (
        "[H100] b.parquet is not a valid parquet file\n"
        "  Fix: export it as parquet again, or give the file the suffix of its format"
    )


@pytest.mark.parametrize("memory", [None, "1K"])
@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: data[:-8], "is truncated: the end marker of its Arrow stream is missing"),
        (lambda data: data + data, "goes on after the end marker of its Arrow stream"),
    ],
)
def test_a_stream_ends_with_its_marker(tmp_path, said, damage, words, memory):
    rows = pa.table({"y_true": pa.array([0, 1] * 20), "y_pred": pa.array([1, 0] * 20, pa.int32())})
    path = arrow(tmp_path / "rows.arrows", rows, stream=True, rows=10)
    assert heldout.evaluate(path, memory=memory).rows == 40
    broken(path, damage)
    assert f"[H100] rows.arrows {words}" in said(heldout.evaluate, path, memory=memory)


@pytest.mark.parametrize("stream", [False, True])
def test_a_cut_arrow_file_is_named(tmp_path, said, stream):
    arrow(tmp_path / "a.arrow", stream=stream)
    broken(arrow(tmp_path / "b.arrow", stream=stream), lambda data: data[: len(data) // 2])
    assert said(rows_of, tmp_path) == (
        "[H100] b.arrow is not a valid arrow file\n  Fix: export it as arrow again, or give "
        "the file the suffix of its format"
    )


def test_a_missing_column_is_named_with_its_file(tmp_path, said):
    parquet(tmp_path / "a.parquet")
    parquet(tmp_path / "b.parquet", ROWS.rename_columns(["y", "q", "name"]))
    source = open_chunks(tmp_path)
    assert said(columns_needed, source) == (
        "[H106] b.parquet has no column 'p', which a.parquet has; its columns are y, q, name\n"
        "  Fix: export that file again, or leave it out"
    )
    assert said(lambda: list(read_chunks(source.file_chunks[1], ["p"]))) == (
        "[H106] b.parquet has no column 'p'; its columns are y, q, name\n  Fix: export that file again, or leave it out"
    )


def test_another_kind_of_value_is_named_with_both_types(tmp_path, said):
    parquet(tmp_path / "a.parquet")
    parquet(tmp_path / "b.parquet", pa.table({"y": ["0", "1"], "p": [0.5, 0.5], "name": ["a", "b"]}))
    assert said(columns_needed, open_chunks(tmp_path)) == (
        "[H107] b.parquet holds 'y' as string, and a.parquet as int64\n"
        "  Fix: export that file again with y as int64, or leave it out"
    )
    parquet(tmp_path / "b.parquet", pa.table({"y": [0, 1], "p": [0.5, 0.5], "name": [1.0, 2.0]}))
    parquet(tmp_path / "a.parquet", pa.table({"y": [0, 1], "p": [0.5, 0.5], "name": [1, 2]}))
    assert said(columns_needed, open_chunks(tmp_path), group="name") == (
        "[H107] b.parquet holds 'name' as double, and a.parquet as int64\n"
        "  Fix: export that file again with name as int64, or leave it out"
    )


def test_a_missing_file_is_named(tmp_path, said):
    path = parquet(tmp_path / "a.parquet")
    gone = tmp_path / "aa.parquet"
    assert said(open_chunks, [path, gone]) == (
        f"[H100] there is no file {gone}; did you mean 'a.parquet'?\n"
        "  Fix: check the path and the folder it starts from"
    )


def test_a_file_that_vanishes_is_named(tmp_path, said):
    path = parquet(tmp_path / "a.parquet")
    (file_chunk,) = open_chunks(path).file_chunks
    path.unlink()
    assert said(lambda: list(read_chunks(file_chunk, ["y"]))) == (
        f"[H100] a.parquet no longer exists: {path}\n  Fix: do not move or delete files while they are read"
    )


def test_patterns_folders_and_lists_without_files_are_refused(tmp_path, said):
    assert said(open_chunks, f"{tmp_path}/*.parquet") == (
        f"[H100] no file matches {tmp_path}/*.parquet\n  Fix: check the pattern and the folder it starts from"
    )
    (tmp_path / "empty").mkdir()
    assert said(open_chunks, tmp_path / "empty") == (
        "[H100] the folder empty holds no files\n  Fix: check the path; Parquet, CSV and Arrow files can be read"
    )
    (tmp_path / "empty/notes.txt").touch()
    assert said(open_chunks, tmp_path / "empty") == (
        "[H100] the folder empty holds no table, only notes.txt\n"
        "  Fix: check the path; Parquet, CSV and Arrow files can be read"
    )
    assert said(open_chunks, []) == (
        "[H100] the list of files is empty or holds something that is not a path\n  Fix: give the paths of the files"
    )


def test_stray_files_two_formats_and_odd_folders_are_named(tmp_path, said):
    parquet(tmp_path / "preds/a.parquet")
    (tmp_path / "preds/notes.txt").touch()
    assert said(open_chunks, tmp_path / "preds") == (
        "[H100] preds holds files that are not tables: notes.txt\n"
        "  Fix: move them away, or name the files by a pattern such as preds/*.parquet"
    )
    (tmp_path / "preds/notes.txt").unlink()
    (tmp_path / "preds/b.csv").write_text("y,p\n1,0.5\n")
    assert said(open_chunks, tmp_path / "preds") == (
        "[H100] preds holds files of two formats: a.parquet (parquet) and b.csv (CSV)\n"
        "  Fix: name those of one format by a pattern, such as *.parquet"
    )
    (tmp_path / "preds/b.csv").unlink()
    parquet(tmp_path / "preds/country=de/b.parquet")
    assert said(open_chunks, tmp_path / "preds") == (
        "[H106] the folders of country=de/b.parquet name the columns country, and those of a.parquet none\n"
        "  Fix: put all files into folders named alike, such as country=de/"
    )


def test_tables_without_rows_or_columns_are_refused(tmp_path, said):
    parquet(tmp_path / "none/a.parquet", ROWS.slice(0, 0))
    assert said(open_chunks, tmp_path / "none") == "[H112] none has no rows\n  Fix: export the predictions again"
    parquet(tmp_path / "bare/a.parquet", pa.table({}))
    assert said(open_chunks, tmp_path / "bare") == "[H112] bare has no rows\n  Fix: export the predictions again"


def test_text_files_that_cannot_be_read_are_named(tmp_path, said):
    path = tmp_path / "rows.csv"
    read_on = "  Fix: complete the line, or quote fields that contain the delimiter"

    def told(contents: bytes) -> str:
        path.write_bytes(contents)
        return said(rows_of, path)

    assert told(b"y,p\n1,0.5\n0,0.5,7\n") == (
        f"[H100] line 3 of rows.csv has 3 fields where the header has 2: 1 too many\n{read_on}"
    )
    assert told(b"y,p\n1,0.5\n0\n") == f"[H100] line 3 of rows.csv has 1 of 2 fields: 1 missing\n{read_on}"
    assert told("y,p\n1,0.5\né,0.5\n".encode("latin1")) == (
        "[H100] rows.csv cannot be decoded: byte 0xe9 is not valid in the encoding UTF-8\n"
        "  Fix: save the file in UTF-8 encoding (from Latin-1: iconv -f latin1 -t utf-8)"
    )
    assert told("y,p\n1,0.5\n".encode("utf-16")) == (
        "[H100] rows.csv is encoded as UTF-16, which cannot be read in chunks\n"
        "  Fix: save the file in UTF-8 encoding, or as Parquet"
    )
    assert told(b'{"y": 1, "p": 0.5}\n') == (
        "[H100] rows.csv holds JSON lines, which cannot be read in chunks\n  Fix: write the rows as Parquet or CSV"
    )
    zipped = gzip.compress(b"y,p\n" + b"1,0.5\n" * 50_000)
    assert told(zipped[:-9]) == (
        "[H100] rows.csv is truncated: the gzip stream has no end marker\n  Fix: copy the file again"
    )


def test_names_that_stand_twice_are_refused_only_where_they_are_asked_for(tmp_path, said):
    (tmp_path / "a.csv").write_text("y,p,x,x\n1,0.5,a,b\n")
    source = open_chunks(tmp_path)
    assert source.names == ("y", "p", "x", "x")
    assert columns_needed(source) == ("y", "p")
    assert load_chunks(source, source.names).names == ("y", "p")
    assert said(columns_needed, source, group="x") == (
        f"[H106] {tmp_path.name} has the column 'x' twice\n  Fix: rename or remove one of the two"
    )


def test_files_come_in_order_of_their_names(tmp_path):
    for name in ("b", "a", "c/a"):
        parquet(tmp_path / f"{name}.parquet")
    assert [file.place for file in list_files(tmp_path).files] == ["a.parquet", "b.parquet", "c/a.parquet"]
    assert CHUNK_ROWS <= 1 << 20


def test_rows_of_a_folder_that_cannot_be_read_are_not_left_out_in_silence(tmp_path, said):
    folder = tmp_path / "preds"
    parquet(folder / "a.parquet")
    stray = folder / "b.parquet"
    fix = "  Fix: move it away, or name the files by a pattern or a list"
    stray.symlink_to("gone.parquet")
    assert said(open_chunks, folder) == (
        f"[H100] {stray} is a link to gone.parquet, which is not there: its rows cannot be read\n{fix}"
    )
    stray.unlink()
    stray.symlink_to(tmp_path)
    assert said(open_chunks, folder) == (
        f"[H100] {stray} is a link to {tmp_path}, which is a folder: its rows cannot be read\n{fix}"
    )
    stray.unlink()
    os.mkfifo(stray)
    assert said(open_chunks, folder) == (
        f"[H100] {stray} is neither a file nor a folder: its rows cannot be read\n{fix}"
    )
    stray.unlink()
    stray.symlink_to(parquet(tmp_path / "elsewhere.parquet"))
    assert open_chunks(folder).rows == 2 * open_chunks(folder / "a.parquet").rows


def test_what_a_pattern_matches_is_not_left_out_in_silence(tmp_path, said):
    folder = tmp_path / "preds"
    parquet(folder / "a.parquet")
    stray, fix = folder / "b.parquet", "  Fix: move it away, or name the files by a pattern or a list"
    stray.symlink_to("gone.parquet")
    assert said(open_chunks, f"{folder}/*.parquet") == (
        f"[H100] {stray} is a link to gone.parquet, which is not there: its rows cannot be read\n{fix}"
    )
    stray.unlink()
    os.mkfifo(stray)
    assert said(open_chunks, f"{tmp_path}/**/*.parquet") == (
        f"[H100] {stray} is neither a file nor a folder: its rows cannot be read\n{fix}"
    )
    stray.unlink()
    stray.mkdir()
    assert open_chunks(f"{folder}/*").rows == open_chunks(folder / "a.parquet").rows


def test_a_folder_that_a_pattern_cannot_enter_is_named(tmp_path, said, monkeypatch):
    """Rights do not bind every user, so the answer of the system is given here."""
    parquet(tmp_path / "open" / "a.parquet")
    closed = parquet(tmp_path / "closed" / "b.parquet").parent
    monkeypatch.setattr(os, "access", lambda folder, _: os.fspath(folder) != os.fspath(closed))
    for pattern in ("*/*.parquet", "**/*.parquet"):
        assert said(open_chunks, f"{tmp_path}/{pattern}") == (
            f"[H100] {closed} cannot be read: Permission denied\n  Fix: check who may read it"
        )


@pytest.mark.parametrize("form", ["parquet", "arrow"])
@pytest.mark.parametrize("coded", [False, True])
def test_text_that_is_not_utf8_is_named(tmp_path, said, form, coded):
    words = pa.Array.from_buffers(pa.string(), 40, pa.array([b"a\xff", b"b"] * 20).buffers())
    labels = words.dictionary_encode() if coded else words
    path, table = tmp_path / f"a.{form}", pa.table({"y_true": labels, "y_pred": words, "id": words})
    if form == "parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
    message = f"[H100] a.{form} holds text that is not UTF-8\n  Fix: export it again with text in UTF-8 encoding"
    assert said(heldout.evaluate, path) == said(heldout.evaluate, path, engine="local") == message
    assert said(heldout.evaluate, path, engine="local", groups="id") == message


@pytest.mark.parametrize("stream", [False, True])
def test_a_packed_arrow_file_says_how_many_rows_it_has(tmp_path, stream):
    """Its bytes on the disk say little: a stream that was packed took many times the memory that was allowed."""
    ones = pa.array([1] * 200_000)
    table, path = pa.table({"y_true": ones, "y_pred": ones}), tmp_path / "rows.arrow"
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(
        path, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")
    ) as file:
        file.write_table(table, max_chunksize=1000)
    source = open_chunks(path)
    assert (source.rows, source.size) == (200_000, table.nbytes)
    assert path.stat().st_size < table.nbytes / 10
    assert heldout.evaluate(path, memory="16M").chunked


@pytest.mark.parametrize("form", ["parquet", "arrow", "stream"])
def test_names_of_columns_that_are_not_utf8_are_named(tmp_path, said, form):
    table = pa.table({"y_true": [0, 1], "y_pred": [0, 1], "caf\u00e9\u00e9": [0, 1]})
    path = tmp_path / ("a.parquet" if form == "parquet" else "a.arrow")
    parquet(path, table) if form == "parquet" else arrow(path, table, stream=form == "stream")
    path.write_bytes(path.read_bytes().replace("caf\u00e9\u00e9".encode(), b"caf\xff\xff\xff\xff"))
    message = f"[H100] {path.name} holds text that is not UTF-8\n  Fix: export it again with text in UTF-8 encoding"
    assert said(heldout.evaluate, path) == said(heldout.evaluate, path, engine="local") == message
