"""JSON lines: the same columns by the fast way and line by line, and which line is wrong."""

from __future__ import annotations

import json

import pytest

import heldout
from heldout.errors import DataError
from heldout.inputs.formats import json_lines
from heldout.inputs.formats.json_lines import read_json_lines

ROWS = [{"y": "yes", "p": 0.7}, {"y": "no", "p": 0.2, "late": 3}]


def written(rows):
    return "\n".join(json.dumps(row) for row in rows).encode() + b"\n\n"


def plain(columns):
    return [column.to_pylist() if hasattr(column, "to_pylist") else list(column) for column in columns]


def test_columns_by_name_and_what_a_line_lacks_is_missing():
    names, columns = read_json_lines(written(ROWS), "rows.jsonl")
    assert names == ("y", "p", "late")
    assert plain(columns) == [["yes", "no"], [0.7, 0.2], [None, 3]]


def test_line_by_line_gives_the_same():
    assert json_lines._slow(written(ROWS), "rows.jsonl") == (
        ("y", "p", "late"),
        (["yes", "no"], [0.7, 0.2], [None, 3]),
    )


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        ([{"id": "2024-01-02"}, {"id": "2024-01-03"}], ["2024-01-02", "2024-01-03"]),
        ([{"id": 2**63 + 1}, {"id": 2**63 + 3}], [2**63 + 1, 2**63 + 3]),
        ([{"id": 1}, {"id": "one"}], [1, "one"]),
    ],
)
def test_what_arrow_would_change_stays_as_it_was_written(rows, kept):
    """A date, a number beyond 64 bits, and two kinds of values in one column."""
    _, (column,) = read_json_lines(written(rows), "rows.jsonl")
    assert plain([column]) == [kept]


@pytest.mark.parametrize(
    "rows", [b"null", b"null\n", b'null{"a": 1}\n', b'{"a": 1}\nnull\n', b'{"a": 1}null\n', b"  null"]
)
def test_a_row_that_is_null_does_not_end_the_process(rows):
    """Four bytes were a segmentation fault in Arrow's reader; further down, null was a row without values."""
    with pytest.raises(DataError) as refused:
        read_json_lines(rows, "rows.jsonl")
    message = refused.value.message
    assert message.endswith("holds a JSON null, not an object with column names") or "is not valid JSON" in message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"y": 1', "line 2 of rows.jsonl is not valid JSON: "),
        (b"[1, 2]", "line 2 of rows.jsonl holds a JSON list, not an object with column names"),
        (b"7", "line 2 of rows.jsonl holds a JSON int, not an object with column names"),
    ],
)
def test_the_line_that_is_wrong_is_named(line, message):
    with pytest.raises(DataError) as refused:
        read_json_lines(b'{"y": 1}\n' + line + b"\n", "rows.jsonl")
    assert str(refused.value).startswith(f"[H100] {message}")


def test_a_name_that_is_twice_in_a_row_is_refused(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"y_true": 1, "y_pred": 1}\n{"y_true": 0, "y_pred": 1, "y_pred": 0}\n', encoding="utf-8")
    with pytest.raises(DataError) as caught:
        heldout.evaluate(path)
    assert str(caught.value) == (
        "[H106] line 2 of rows.jsonl has the name 'y_pred' twice in one object, the one with 'y_true' 0\n"
        "  Fix: write every name once in an object"
    )
    path.write_text('{"y_true": "y_true", "y_pred": "no"}\n{"y_true": "no", "y_pred": "no"}\n', encoding="utf-8")
    assert heldout.evaluate(path)["accuracy"].value == 0.5


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        (400, "y_true is a number of 400 characters in row 4, beyond the largest floating-point number (1.8e308)"),
        (
            5000,
            "line 4 of big.jsonl has a whole number of thousands of digits, beyond the largest floating-point number",
        ),
    ],
)
def test_a_number_that_is_too_large_is_not_called_infinite(tmp_path, digits, words):
    rows = [f'{{"y_true": {"9" * digits if at == 3 else at}, "y_pred": {at}}}' for at in range(40)]
    (tmp_path / "big.jsonl").write_text("\n".join(rows))
    with pytest.raises(DataError) as caught:
        heldout.evaluate(tmp_path / "big.jsonl", task="regression")
    assert words in str(caught.value)
    assert caught.value.code == "H108"


def test_a_whole_number_that_python_does_not_write_is_refused():
    with pytest.raises(DataError, match="y_true has a whole number of thousands of digits"):
        heldout.evaluate([1, 2, 10**5000] * 10, [1, 2, 3] * 10)
