"""One table in every format that is read, and what is said where a file is not what it claims to be."""

from __future__ import annotations

import gzip
import hashlib
import io
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from heldout.inputs import read, source_of
from heldout.inputs.formats.files import read_file

CSV = "id,y,yhat,p\nu,yes,yes,0.75\nv,no,yes,0.5\nw,no,no,0.125\n"
TABLE = pa.table(
    {"id": ["u", "v", "w"], "y": ["yes", "no", "no"], "yhat": ["yes", "yes", "no"], "p": [0.75, 0.5, 0.125]}
)
JSON = "".join(
    f'{{"id": "{i}", "y": "{y}", "yhat": "{h}", "p": {p}}}\n'
    for i, y, h, p in zip(*TABLE.to_pydict().values(), strict=False)
)


def parquet(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def arrow(table: pa.Table, kind: str) -> bytes:
    sink = pa.BufferOutputStream()
    with (pa.ipc.new_file if kind == "file" else pa.ipc.new_stream)(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


SAME = {
    "plain.csv": CSV,
    "crlf.csv": CSV.replace("\n", "\r\n"),
    "cr.csv": CSV.replace("\n", "\r"),
    "no_final_newline.csv": CSV.rstrip("\n"),
    "blank_lines.csv": "\n\n" + CSV.replace("\n", "\n\n"),
    "bom.csv": b"\xef\xbb\xbf" + CSV.encode(),
    "utf16.csv": CSV.encode("utf-16"),
    "utf32.csv": CSV.encode("utf-32"),
    "semicolon.csv": CSV.replace(",", ";"),
    "decimal_comma.csv": CSV.replace(",", ";").replace(".", ","),
    "tab.tsv": CSV.replace(",", "\t"),
    "tab.csv": CSV.replace(",", "\t"),
    "quoted.csv": "\n".join(",".join(f'"{cell}"' for cell in line.split(",")) for line in CSV.split("\n")[:-1]),
    "spaces.csv": " id , y , yhat , p \n" + CSV.split("\n", 1)[1],
    "upper.csv": CSV.split("\n", 1)[0].upper() + "\n" + CSV.split("\n", 1)[1],
    "index.csv": "".join(f"{i},{line}" for i, line in zip(["", 0, 1, 2], CSV.splitlines(keepends=True), strict=False)),
    "shuffled.csv": "".join(",".join(line.split(",")[::-1]) + "\n" for line in CSV.splitlines()),
    "zipped.csv.gz": gzip.compress(CSV.encode()),
    "not_zipped.csv.gz": CSV,
    "no_suffix": CSV,
    "lines.jsonl": JSON,
    "lines_with_gaps.ndjson": JSON.replace("\n", "\n\n"),
    "lines_without_suffix": JSON,
    "table.parquet": parquet(TABLE),
    "table.pq": parquet(TABLE),
    "parquet_without_suffix": parquet(TABLE),
    "table.arrow": arrow(TABLE, "file"),
    "stream.arrow": arrow(TABLE, "stream"),
    "table.feather": arrow(TABLE, "file"),
    "categorical.parquet": parquet(TABLE.set_column(1, "y", TABLE["y"].dictionary_encode())),
    "floats.parquet": parquet(TABLE.set_column(3, "p", TABLE["p"].cast(pa.float32()))),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_table_in_every_dress(name, file):
    reading = read(file(name, SAME[name]))
    batch = reading.batch
    assert batch.labels == ("no", "yes")
    assert batch.positive == 1
    assert batch.truth.tolist() == [1, 0, 0]
    assert batch.prediction.tolist() == [1, 1, 0]
    assert batch.score.tolist() == [0.75, 0.5, 0.125]
    assert batch.probabilities
    assert reading.ids.tolist() == ["u", "v", "w"]
    assert {role: found.strip().lower() for role, found in reading.columns.items()} == {
        "truth": "y",
        "pred": "yhat",
        "score": "p",
        "id": "id",
    }


def test_decimal_commas_are_noted(file):
    checks = read(file("preds.csv", SAME["decimal_comma.csv"])).checks
    assert [check.text for check in checks] == ["p is written with decimal commas; they are read as points"]


def test_the_source_is_hashed(file):
    path = file("preds.csv", CSV)
    (source,) = read(path).sources
    assert source.path == str(path)
    assert source.sha256 == hashlib.sha256(CSV.encode()).hexdigest()
    assert source_of(path) == source


def test_standard_input(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(CSV.encode())

    monkeypatch.setattr(sys, "stdin", Stdin)
    reading = read("-")
    assert reading.batch.rows == 3
    assert reading.sources[0].path == "-"


BROKEN = {
    "empty.csv": (b"", "[H100] empty.csv is empty (0 bytes)\n  Fix: export the predictions again"),
    "empty.parquet": (b"", "[H100] empty.parquet is empty (0 bytes)\n  Fix: export the predictions again"),
    "empty.csv.gz": (
        gzip.compress(b""),
        "[H100] empty.csv.gz is empty (0 bytes)\n  Fix: export the predictions again",
    ),
    "newlines.csv": (
        b"\n\n\r\n",
        "[H100] newlines.csv is empty: it contains nothing but blanks\n  Fix: export the predictions again",
    ),
    "header.csv": (b"y,p\n", "[H112] header.csv has no rows\n  Fix: export the predictions again"),
    "ragged.csv": (
        b"y,p\na,0.5\nb,0.5,1,2\n",
        (
            "[H100] line 3 of ragged.csv has 4 fields where the header has 2: 2 too many\n"
            "  Fix: complete the line, or quote fields that contain the delimiter"
        ),
    ),
    "short.csv": (
        b'y,p\n"a\nb",0.5\n\nb\n',
        (
            "[H100] line 5 of short.csv has 1 of 2 fields: 1 missing\n"
            "  Fix: complete the line, or quote fields that contain the delimiter"
        ),
    ),
    "quote.csv": (
        b'y,p\na,0.5\n"b,0.5\nc,0.1\n',
        (
            "[H100] the quote that opens in line 3 of quote.csv is never closed\n"
            '  Fix: close the quote, or write a quote inside a field twice ("")'
        ),
    ),
    "latin.csv": (
        "y,p\nété,0.5\n".encode("latin-1"),
        (
            "[H100] line 2 of latin.csv cannot be decoded: byte 0xe9 is not valid in the encoding UTF-8\n"
            "  Fix: save the file in UTF-8 encoding (from Latin-1: iconv -f latin1 -t utf-8)"
        ),
    ),
    "nul.csv": (
        b"y,p\na\0,0.5\n",
        (
            "[H100] line 2 of nul.csv contains a NUL byte, so the file is not plain text\n"
            "  Fix: export the file again as CSV in UTF-8 encoding"
        ),
    ),
    "page.csv": (
        b"<!DOCTYPE html><html><h1>404 Not Found</h1></html>",
        (
            "[H100] page.csv is HTML or XML, not a table with columns; "
            "it starts with '<!DOCTYPE html><html><h1>404 Not Found</'\n"
            "  Fix: download the file itself, not a web page"
        ),
    ),
    "cut.csv.gz": (
        gzip.compress(CSV.encode())[:30],
        "[H100] cut.csv.gz is truncated: the gzip stream has no end marker\n  Fix: copy the file again",
    ),
    "cut.parquet": (
        parquet(TABLE)[:200],
        (
            "[H100] cut.parquet is truncated: the end marker of a parquet file is missing\n  "
            "Fix: copy or export the file again"
        ),
    ),
    "text.parquet": (
        CSV.encode(),
        (
            "[H100] text.parquet is not a valid parquet file\n"
            "  Fix: export it as parquet again, or give the file the suffix of its format"
        ),
    ),
    "text.arrow": (
        CSV.encode(),
        (
            "[H100] text.arrow is not a valid arrow file\n"
            "  Fix: export it as arrow again, or give the file the suffix of its format"
        ),
    ),
    "sheet.csv": (
        b"PK\x03\x04 and so on",
        (
            "[H100] sheet.csv is a zip archive or a spreadsheet, not a table of predictions\n"
            "  Fix: save the sheet as CSV (UTF-8), or unpack the archive"
        ),
    ),
    "broken.jsonl": (
        b'{"y": 1, "p": 0.5}\n{"y": 0, "p":\n',
        (
            "[H100] line 2 of broken.jsonl is not valid JSON: Expecting value: line 1 column 14 (char 13)\n"
            '  Fix: write one object per line, such as {"y": "yes", "p": 0.7}'
        ),
    ),
    "list.jsonl": (
        b'{"y": 1, "p": 0.5}\n[1, 2]\n',
        (
            "[H100] line 2 of list.jsonl holds a JSON list, not an object with column names\n"
            '  Fix: write one object per line, such as {"y": "yes", "p": 0.7}'
        ),
    ),
    "nested.parquet": (
        parquet(pa.table({"y": [["a"], ["b"]], "p": [0.1, 0.2]})),
        (
            "[H107] nested.parquet: y holds list<element: string> values, and one label or number per row is needed\n"
            "  Fix: write y as one plain value per row"
        ),
    ),
    "list.csv": (
        b' [ {"y": 1}, {"y": 0}]',
        (
            "[H100] line 1 of list.csv holds a JSON list, not an object with column names\n"
            '  Fix: write one object per line, such as {"y": "yes", "p": 0.7}'
        ),
    ),
    "twice.csv": (
        b"y,y,p\na,a,0.5\n",
        "[H106] twice.csv has the column 'y' twice\n  Fix: rename or remove one of the two",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(name, file, said):
    data, message = BROKEN[name]
    assert said(read, file(name, data)) == message


def test_a_damaged_gzip_names_itself(file, said):
    data = bytearray(gzip.compress(CSV.encode() * 9))
    data[-6] ^= 255
    text = said(read, file("damaged.csv.gz", bytes(data)))
    assert text.startswith("[H100] damaged.csv.gz is not a valid gzip file: CRC check failed")


def test_a_folder_and_a_typo(tmp_path, file, said):
    assert (
        said(read, tmp_path) == f"[H100] {str(tmp_path)!r} cannot be read: Is a directory\n  Fix: name a readable file"
    )
    file("preds.csv", CSV)
    missing = tmp_path / "pred.csv"
    assert said(read, missing) == (
        f"[H100] there is no file {missing}; did you mean 'preds.csv'?\n"
        "  Fix: check the path and the folder it starts from"
    )


def test_text_is_not_guessed(file):
    path = file("labels.csv", 'y,yhat\n01,1\nNA,NA\n99999999999999999999,01\n"two\nlines","two\nlines"\n')
    assert read(path).batch.labels == ("01", "1", "99999999999999999999", "NA", "two\nlines")


def test_json_keeps_what_arrow_would_change(file):
    path = file("dates.jsonl", '{"y": "2020-01-01", "yhat": "2020-01-01"}\n{"y": "b", "yhat": "2020-01-01"}\n')
    assert read(path).batch.labels == ("2020-01-01", "b")
    dates = file("only.jsonl", '{"y": "2020-01-01", "yhat": "2020-01-01"}\n')
    assert read(dates).batch.labels[0] == "2020-01-01"
    line = '{"y": 99999999999999999999, "yhat": 99999999999999999998}'
    huge = file("huge.jsonl", f"{line}\n{line.replace('8}', '9}')}\n")
    assert read(huge).batch.labels == ("99999999999999999998", "99999999999999999999")


def test_a_missing_key_is_a_missing_value(file, said):
    path = file("gap.jsonl", '{"y": "a", "yhat": "a"}\n{"y": "b"}\n')
    assert said(read, path).startswith("[H305] gap.jsonl: yhat is missing in row 2")


def test_lines_longer_than_a_block(file):
    long = "x" * (3 << 20)
    table = read_file(file("long.csv", f"y,yhat\n{long},{long}\na,a\n"))
    assert table.column(0).words.to_pylist() == [long, "a"]


def test_a_separator_inside_quotes_is_none(file):
    table = read_file(file("quotes.csv", '"a;b;c",y\n1,2\n'))
    assert table.names == ("a;b;c", "y")


def test_a_comma_in_a_label_is_not_a_decimal_comma(file):
    reading = read(file("labels.csv", "y;yhat\n1,5;1,5\na,b;a,b\n"))
    assert reading.batch.labels == ("1,5", "a,b")
