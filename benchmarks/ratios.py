"""Ratio: the peer's time divided by ours, both from one run, ours with the interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks.task import TOLERANCE, Peer, Task
from benchmarks.turns import Timing, take_turns

FEW = 1000
"""Rows of the run that only loads what the calls import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One peer beside us, on one task."""

    task: str
    title: str
    rows: int
    ours_s: float | None
    peer: str
    peer_s: float | None
    ratio: float | None
    limit: str | None
    limit_s: float | None
    bar: float | None
    met: bool | None
    """None: there is no bar, or it is for more rows, or one of the two is missing."""
    gap: float | None
    """Largest absolute difference between the numbers."""
    agrees: bool | None
    """Within the tolerance, or off by an error of the peer that the note names."""
    note: str


def lines(task: Task, *, rows: int, budget: float, rounds: int) -> list[Line]:
    """One line per peer, from one run in which all take turns."""
    missing = _missing(task)
    peers = {peer.name: peer for peer in task.peers if peer.name not in missing}
    data = task.data(rows)
    calls: dict[str, Callable[[], Any]] = {} if task.ours is None else {"ours": partial(task.ours, data)}
    calls |= {name: partial(peer.call, data) for name, peer in peers.items()}
    if task.limit is not None:
        calls["limit"] = partial(task.limit.call, data)
    times = take_turns(calls, budget=budget, rounds=rounds)
    found = []
    for peer in task.peers:
        line = _line(task, peer, rows, times)
        if peer.name in missing:
            found.append(replace(line, note=f"not installed: {missing[peer.name]}"))
        else:
            found.append(_checked(line, peer, times))
    return found


def _missing(task: Task) -> dict[str, str]:
    """Names of the peers that cannot be imported, with what lacks. All others have then loaded what they need."""
    data = task.data(FEW)
    if task.ours is not None:
        task.ours(data)
    lacking = {}
    for peer in task.peers:
        try:
            peer.call(data)
        except ModuleNotFoundError as error:
            lacking[peer.name] = str(error.name)
    return lacking


def _line(task: Task, peer: Peer, rows: int, times: dict[str, Timing]) -> Line:
    ours_s = times["ours"].seconds if "ours" in times else None
    peer_s = times[peer.name].seconds / peer.share if peer.name in times else None
    ratio = ratio_of(peer_s, ours_s)
    full = rows == task.rows
    return Line(
        task=task.name,
        title=task.title,
        rows=rows,
        ours_s=ours_s,
        peer=peer.name,
        peer_s=peer_s,
        ratio=ratio,
        limit=None if task.limit is None else task.limit.name,
        limit_s=times["limit"].seconds if "limit" in times else None,
        bar=peer.bar,
        met=ratio >= peer.bar if full and ratio is not None and peer.bar is not None else None,
        gap=None,
        agrees=None,
        note="; ".join(filter(None, [peer.note, task.note])),
    )


def _checked(line: Line, peer: Peer, times: dict[str, Timing]) -> Line:
    if "ours" not in times:
        return line
    gap = float(peer.gap(times["ours"].answer, times[peer.name].answer))
    close = gap <= TOLERANCE
    remark = "" if close else f"differs by {gap:.1e}" + (f": {peer.error}" if peer.error else "")
    return replace(line, gap=gap, agrees=close or bool(peer.error), note="; ".join(filter(None, [remark, line.note])))


def ratio_of(peer_s: float | None, ours_s: float | None) -> float | None:
    """The peer's time divided by ours; None where either is missing.

    >>> ratio_of(6.0, 0.5), ratio_of(None, 0.5)
    (12.0, None)
    """
    return None if peer_s is None or ours_s is None else peer_s / ours_s


def largest_gap(ours: Any, theirs: Any) -> float:
    """Largest absolute difference; nan where either has no number.

    >>> largest_gap([0.5, 1.0], [0.5, 0.75])
    0.25
    """
    return float(np.max(np.abs(np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64))))
