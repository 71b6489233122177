"""Compressed files (gzip, bzip2, xz, Zstandard), known by their first bytes; names of files without their ending."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from heldout.errors import DataError
from heldout.inputs.limits import UNPACKED, unpacked_most

MARKS = {
    "gzip": (b"\x1f\x8b",),
    "bzip2": tuple(b"BZh%d1AY&SY" % level for level in range(1, 10)),  # BZh alone could begin a text
    "xz": (b"\xfd7zXZ\x00",),
    "zstd": (b"\x28\xb5\x2f\xfd",),
}
"""Compression → the first bytes of its files."""
LONGEST = max(len(mark) for marks in MARKS.values() for mark in marks)
ENDINGS = (".gz", ".bz2", ".xz", ".zst")
PIECE = 1 << 24
"""Bytes that are unpacked at a time."""


def compression_of(start: bytes) -> str | None:
    """The compression of a file that begins with these bytes.

    >>> compression_of(gzip.compress(b"y")), compression_of(b"BZh,y_true")
    ('gzip', None)
    """
    return next((name for name, marks in MARKS.items() if start.startswith(marks)), None)


def ending(path: str | Path) -> str:
    """The ending that names a file's format, in small letters, without that of a compression.

    >>> ending("rows.TSV.gz"), ending("rows.xz"), ending("-")
    ('.tsv', '', '')
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() not in ENDINGS]
    return suffixes[-1] if suffixes else ""


def without_compression(name: str) -> str:
    """The name of a file without the ending of its compression.

    >>> without_compression("runs/a.csv.bz2"), without_compression("a.csv")
    ('runs/a.csv', 'a.csv')
    """
    return next((name.removesuffix(one) for one in ENDINGS if name.endswith(one)), name)


def stem(path: str | Path) -> str:
    """The name of a file without its folder, format and compression.

    >>> stem("runs/a.csv.gz"), stem("a.json")
    ('a', 'a')
    """
    return Path(without_compression(str(path))).stem


def opened(file: IO[bytes], compression: str) -> Any:
    """An open file as a stream of its unpacked bytes."""
    if compression == "gzip":
        return gzip.GzipFile(fileobj=file)
    if compression == "bzip2":
        import bz2

        return bz2.BZ2File(file)
    if compression == "xz":
        import lzma

        return lzma.LZMAFile(file)
    import pyarrow as pa

    return pa.CompressedInputStream(file, "zstd")


@contextmanager
def naming(place: str, compression: str | None) -> Iterator[None]:
    """Turn what is wrong with the bytes of a compressed file called `place` into an error that names it."""
    try:
        yield
    except _faults(compression) as error:
        if getattr(error, "errno", None):  # the system refuses the file, whatever its bytes
            raise
        cut = isinstance(error, EOFError) or "Truncated" in str(error)
        what = f"truncated: the {compression} stream has no end marker"
        text = f"{place} is {what if cut else f'not a valid {compression} file: {error}'}"
        raise DataError(text, code="H100", fix="copy the file again") from error


def _faults(compression: str | None) -> tuple[type[Exception], ...]:
    """What the reader of a compression raises; looked up only when something was raised."""
    if compression is None:
        return ()
    if compression == "xz":
        import lzma

        return (EOFError, OSError, lzma.LZMAError)
    return (EOFError, OSError, zlib.error)


def unpacked(data: bytes, place: str) -> bytes:
    """The bytes without compression, if they have any."""
    compression = compression_of(data)
    if compression is None:
        return data
    pieces, size = [], 0
    with naming(place, compression), opened(BytesIO(data), compression) as file:
        while piece := file.read(PIECE):
            pieces.append(piece)
            size += len(piece)
            UNPACKED.check(size, place, most=unpacked_most(len(data)))
    return b"".join(pieces)
