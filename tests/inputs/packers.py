"""Compressions by the endings of their files."""

from __future__ import annotations

import bz2
import gzip
import lzma

import pyarrow as pa


def zstd(data: bytes) -> bytes:
    """The bytes compressed as zstd does it."""
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd}
