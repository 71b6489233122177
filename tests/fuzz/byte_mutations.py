"""Mutations of bytes, whatever they mean: flipped, cut, spliced, in another encoding."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from random import Random

TEXTS = (
    "", " ", "a", "b", "0", "1", "1.0", "01", "0.5", "0,5", "1e400", "nan", "NaN", "inf", "-inf", "null", "NULL",
    "None", "NA", "true", "True", "yes", "50%", "1 000", "½", "٣", "é", "e\u0301", "日本", "\u200b", "\ufeff", "a,b",
    'a"b', "a;b", "a\tb", "a\nb", "a\rb", "a\x00b", "\x1b[31m", "::error::x", "=1+1", "<script>", "../x", "%s", "{}",
    "{0}", "2024-01-01", "13/01/2024", "01/02/2024", "2024-01-01T00:00:00Z", "9999-12-31", "0000-00-00", "12:30",
    "x" * 3000, "\ud800",
)  # fmt: skip
"""Texts that have meant something else to some reader."""


def flipped(data: bytes, rng: Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 4, 16)) if out else 0):
        out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def cut(data: bytes, rng: Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def spliced(data: bytes, rng: Random) -> bytes:
    """A piece of it repeated or dropped somewhere else."""
    first, last = sorted(rng.choices(range(len(data) + 1), k=2))
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[first:last] + data[at if rng.random() < 0.5 else min(len(data), at + last - first) :]


def inserted(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(PIECES) + data[at:]


def replaced(data: bytes, rng: Random) -> bytes:
    """One mark of its syntax for another, everywhere or once."""
    marks = [mark for mark in MARKS if mark in data]
    if not marks:
        return inserted(data, rng)
    return data.replace(rng.choice(marks), rng.choice((*MARKS, b"")), rng.choice((1, -1)))


def encoded(data: bytes, rng: Random) -> bytes:
    """In another encoding, with a mark of one, or compressed."""
    text = data.decode("utf-8", "replace")
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: text.encode("utf-16"),
        lambda: text.encode("utf-32"),
        lambda: text.encode("latin-1", "replace"),
        lambda: b"\xef\xbb\xbf" + data,
        lambda: b"\xff\xfe" + data,
        lambda: gzip.compress(data, mtime=0),
        lambda: gzip.compress(data, mtime=0)[:-5],
        lambda: data.replace(b"\n", b"\r\n"),
        lambda: b"",
    )
    return rng.choice(ways)()


MARKS = (
    b",",
    b";",
    b"\t",
    b"\n",
    b'"',
    b"'",
    b":",
    b"{",
    b"}",
    b"[",
    b"]",
    b"=",
    b".",
    b"0",
    b"1",
    b"a",
    b"\r\n",
    b"-",
)
PIECES = (
    *(text.encode("utf-8", "surrogatepass") for text in TEXTS),
    *MARKS,
    *(b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1f\x8b", b"[" * 3000, b'{"a":' * 3000, b"\n\n", b"#", b"//", b"1e999"),
)
BYTE_MUTATIONS = (flipped, cut, spliced, inserted, replaced, encoded)
