"""Faults that a worker loads on request, to see whether the fuzzer finds them: an exception, an abort, a hang."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import heldout


def plant(verb: str, fault: Callable[..., None]) -> None:
    """Have a verb run a fault before its own work."""
    sound = getattr(heldout, verb)

    def faulty(*given: Any, **options: Any) -> Any:
        fault(*given, **options)
        return sound(*given, **options)

    setattr(heldout, verb, faulty)


def raises(file: str, **_: Any) -> None:
    if Path(file).exists() and b"dog" in Path(file).read_bytes():
        raise KeyError("dog")


def aborts(*_: Any, lowercase: bool = False, **__: Any) -> None:
    if lowercase:
        os.abort()


def hangs(*_: Any, random_state: int | None = None, **__: Any) -> None:
    if random_state is not None:
        while True:
            pass


def plant_all() -> None:
    plant("split", raises)
    plant("text", aborts)
    plant("masks", hangs)
