"""Peak memory of `evaluate` above its input, each case in a fresh process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import heldout
from benchmarks import worlds
from benchmarks.task import Data

COLUMNS = 3
"""How many columns of 8 bytes a row may be taken beside the input."""
AT_ONCE = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
"""What was freed goes back to the system at once; kept for later it would hide as much of what is taken next."""
ENOUGH = 10**6
"""Rows from which on the bound says something."""
FEW = 1000
"""Rows of the run that only loads what the call imports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A call whose memory is measured."""

    title: str
    data: Callable[[int], Data]
    call: Callable[[Data], Any]


CASES = {
    "labels": Case(
        title="`evaluate` of integer labels, 10 classes",
        data=worlds.classes,
        call=lambda data: heldout.evaluate(data["truth"], data["prediction"]),
    ),
    "scores": Case(
        title="`evaluate` of binary scores, every metric",
        data=worlds.scores,
        call=lambda data: heldout.evaluate(data["truth"], y_score=data["score"]),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What a call took at its highest."""

    task: str
    title: str
    rows: int
    input_bytes: int
    extra_bytes: int
    """Peak above the process with the input loaded."""
    bound_bytes: int
    met: bool | None
    """None: so few rows that the pages of the process weigh more than the columns."""


def memory(name: str, rows: int) -> Memory:
    """Peak resident memory of a case above its input, in a process that has done nothing else."""
    with TemporaryDirectory() as folder:
        data = CASES[name].data(rows)
        for column, values in data.items():
            np.save(Path(folder, f"{column}.npy"), values)
        input_bytes = sum(values.nbytes for values in data.values())
        del data
        command = [sys.executable, "-m", "benchmarks.memory", name, folder]
        ended = subprocess.run(  # noqa: S603  # our own module
            command, env={**os.environ, **AT_ONCE}, capture_output=True, text=True, encoding="utf-8", check=True
        )
    extra, bound = int(json.loads(ended.stdout)), COLUMNS * 8 * rows
    return Memory(
        task=name,
        title=CASES[name].title,
        rows=rows,
        input_bytes=input_bytes,
        extra_bytes=extra,
        bound_bytes=bound,
        met=extra <= bound if rows >= ENOUGH else None,
    )


def extra_bytes(name: str, folder: Path) -> int:
    """How much higher the peak of this process is after the call than before it."""
    case = CASES[name]
    case.call(case.data(FEW))
    data = {path.stem: np.load(path) for path in sorted(folder.glob("*.npy"))}
    forget_peak()
    before = peak_bytes()
    case.call(data)
    return peak_bytes() - before


def forget_peak() -> None:
    """From here on the peak is counted anew, where the system can do that: few rows draw more than many need."""
    counter = Path("/proc/self/clear_refs")
    if counter.exists():
        counter.write_text("5", encoding="utf-8")


def peak_bytes() -> int:
    """The most memory this process has held.

    Linux tells it apart from the parent's, which `getrusage` passes on to a process that is started anew.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    sys.stdout.write(json.dumps(extra_bytes(sys.argv[1], Path(sys.argv[2]))))
