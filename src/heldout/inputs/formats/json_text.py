"""JSON text to values: every name once in an object, and no more levels than the limit."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError
from heldout.inputs.limits import NESTING
from heldout.inputs.message_text import SMALLER, TOO_LARGE, quoted

STRUCTURE = b'[]{}"'
OTHER_BYTES = bytes(set(range(256)) - set(STRUCTURE))
STEPS = np.zeros(256, dtype=np.int8)
STEPS[list(b"[{")], STEPS[list(b"]}")] = 1, -1
QUOTE, LINE_END = ord('"'), ord("\n")
AT_ONCE = 1 << 22
"""Brackets and quotes that are counted at a time."""


def json_value(text: str, place: str, *, fix: str = "copy or export the file again") -> Any:
    """The value of a JSON text called `place`.

    >>> json_value('{"a": 1, "a": 2}', "line 1")
    Traceback (most recent call last):
    heldout.errors.DataError: [H106] line 1 has the name 'a' twice in one object
      Fix: write every name once in an object
    """
    if text.count("[") + text.count("{") > NESTING.most:
        NESTING.check(nesting(text.encode("utf-8", "surrogatepass")), place)
    try:
        return json.loads(text, object_pairs_hook=_object)
    except _NameTwice as twice:
        text = f"{place} has the name {quoted(twice.name)} twice in one object{twice.beginning}"
        raise DataError(text, code="H106", fix="write every name once in an object") from None
    except ValueError as error:
        if not isinstance(error, json.JSONDecodeError):  # more digits than Python converts
            raise DataError(f"{place} has {TOO_LARGE}", code="H108", fix=SMALLER) from error
        raise DataError(f"{place} is not valid JSON: {str(error).splitlines()[0]}", code="H100", fix=fix) from error


class _NameTwice(Exception):  # noqa: N818 it never leaves this module
    """A name that is twice in an object, and how the object begins, to find it by."""

    def __init__(self, name: str, pairs: list[tuple[str, Any]]) -> None:
        first, value = pairs[0]
        plain = first != name and isinstance(value, str | int | float)
        self.name, self.beginning = name, f", the one with {quoted(first)} {quoted(value)}" if plain else ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object; the standard reader would keep the last of two values under one name."""
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        raise _NameTwice(next(name for at, name in enumerate(names) if name in names[:at]), pairs)
    return values


def check_nesting_of_lines(data: bytes, place: str) -> None:
    """Raise if a line of JSON lines has more levels than the limit: the reader of Arrow would end the process."""
    brackets = np.frombuffer(data.translate(None, bytes(set(range(256)) - set(b"[{\n"))), np.uint8)
    line_ends = np.append(np.append(-1, np.flatnonzero(brackets == LINE_END)), len(brackets))
    if np.diff(line_ends).max() - 1 > NESTING.most:  # a line with fewer brackets cannot be too deep
        NESTING.check(nesting(data, lines=True), place)


def nesting(data: bytes, *, lines: bool = False) -> int:
    r"""How many lists and objects are in each other at most, of the whole text or of one of its lines.

    >>> nesting(b'{"a": [[1], "[[["]}'), nesting(b'[[1\n[[1]]', lines=True)
    (3, 2)
    """
    if b"\\" in data:  # an escaped quote does not end a text
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    marks = np.frombuffer(data.translate(None, OTHER_BYTES.replace(b"\n", b"") if lines else OTHER_BYTES), np.uint8)
    most = quotes = levels = 0
    for first in range(0, len(marks), AT_ONCE):
        some = marks[first : first + AT_ONCE]
        line_ends = np.flatnonzero(some == LINE_END)
        quoted_so_far = _running(some == QUOTE, line_ends, quotes)
        open_so_far = _running(np.where(quoted_so_far % 2 == 1, 0, STEPS[some]), line_ends, levels)
        ended = some[-1] == LINE_END
        quotes, levels = (0, 0) if ended else (int(quoted_so_far[-1]), int(open_so_far[-1]))
        most = max(most, int(open_so_far.max()))
    return most


def _running(steps: Array, line_ends: Array, before: int) -> Array:
    """Running sums that begin with `before`, and anew with 0 after every line end."""
    sums = np.cumsum(steps, dtype=np.int64) + before
    reached = np.append(0, sums[line_ends])
    result: Array = sums - np.repeat(reached, np.diff(np.append(np.append(0, line_ends + 1), len(sums))))
    return result
