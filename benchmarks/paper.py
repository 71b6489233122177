"""What 10¹¹ rows on 100 nodes would take: an estimate on paper, from what was measured on one machine."""

from __future__ import annotations

from typing import Any

from benchmarks.table import Rows, seconds

ROWS = 10**11
NODES = 100
CORES = 16
"""Of each node."""
WIRE = 10**9
"""Bytes a second that a node reads from storage or hands to another: ten-gigabit Ethernet, well used."""
PART = 1 << 21
"""Rows of a part."""
TASKS = 4096
FAN = 8


def estimate_rows(found: dict[str, Any], engine: str) -> Rows:
    """Bytes and seconds of each step."""
    lines = [line for line in found["results"] if line["engine"] == engine and line["workers"] == 1]
    best = max(lines, key=lambda line: line["rows"])
    rate = best["rows"] / best["seconds"]
    row, total = found["sizes"]["row_bytes"], found["sizes"]["total_bytes"]
    start = max(line["start_s"] for line in found["starts"] if line["engine"] == engine)
    levels = _levels(TASKS)
    moved = total * sum(levels[:-1])
    steps = [
        ("files read", _bytes(ROWS * row), ROWS * row / NODES / WIRE, f"{_bytes(ROWS * row / NODES)} a node"),
        (
            "rows added up",
            "–",
            ROWS / (rate * NODES * CORES),
            f"{rate / 1e6:,.1f} million rows a second and core, as measured at {best['rows']:,} rows",
        ),
        (
            "totals handed on",
            _bytes(moved),
            moved / NODES / WIRE + (len(levels) - 1) * FAN * total / WIRE,
            f"{TASKS:,} totals of {_bytes(total)}, added up {FAN} at a time in {len(levels) - 1} levels",
        ),
        ("the last total to the caller", _bytes(total), total / WIRE, "once"),
        ("start", "–", start, "as measured here"),
    ]
    whole = max(steps[0][2], steps[1][2]) + sum(step[2] for step in steps[2:])
    head = ("step", "bytes", "seconds", "how it is reckoned")
    body = [(name, size, seconds(taken), how) for name, size, taken, how in steps]
    return [head, *body, ("together", "–", seconds(whole), "reading and adding at the same time")]


def _levels(tasks: int) -> list[int]:
    """How many totals each level of the tree has.

    >>> _levels(4096)
    [4096, 512, 64, 8, 1]
    """
    found = [tasks]
    while found[-1] > 1:
        found.append(-(-found[-1] // FAN))
    return found


def _bytes(size: float) -> str:
    """Three digits.

    >>> _bytes(1.6e12), _bytes(25e6)
    ('1.6 TB', '25 MB')
    """
    for unit, letters in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {letters}"
    return f"{size:.0f} B"
