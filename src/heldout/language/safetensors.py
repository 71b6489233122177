"""Arrays in a file of the format safetensors: the length of a header, the header in JSON, and then the numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError

KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1"}
LARGEST = 100_000_000
"""Bytes of a header beyond which a file is not taken for one of this format."""


def read_safetensors(path: Path) -> dict[str, Array]:
    """The arrays of a file by name; they are read from the disk when they are used."""
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(size)) if 2 <= size <= LARGEST else None
        if not isinstance(header, dict):
            raise ValueError("it has no header")  # noqa: TRY004, TRY301  (told below, as all that can be wrong here)
        found = {name: facts for name, facts in header.items() if name != "__metadata__" and facts["dtype"] in KINDS}
        return {name: _array(path, 8 + size, facts) for name, facts in found.items()}
    except (OSError, ValueError, KeyError, TypeError) as problem:
        fix = "copy or download the file again"
        raise DataError(f"{path.name} is not a sound safetensors file: {problem}", code="H100", fix=fix) from None


def _array(path: Path, start: int, facts: dict[str, Any]) -> Array:
    first, last = facts["data_offsets"]
    kind = np.dtype(KINDS[facts["dtype"]])
    if last - first != kind.itemsize * int(np.prod(facts["shape"])):
        raise ValueError(f"{last - first} bytes for the shape {facts['shape']}")
    return np.memmap(path, dtype=kind, mode="r", offset=start + first, shape=tuple(facts["shape"]))
