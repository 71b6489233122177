"""What is timed: one question about seeded data, asked of this package and of its peers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

TOLERANCE = 1e-9
"""How far a peer's numbers may lie from ours."""

Data = Mapping[str, Any]
"""Columns by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Another package's answer to the task: the value alone, without an interval, unless its name says otherwise."""

    name: str
    call: Callable[[Data], Any]
    gap: Callable[[Any, Any], float]
    """Largest absolute difference between our numbers and theirs, from both answers."""
    bar: float | None = None
    """How many times faster we must be; None: shown for comparison."""
    share: float = 1.0
    """Share of the work that the call does; its time is divided by this."""
    error: str = ""
    """Why the peer's number is off by more than the tolerance, where that is known."""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The one unavoidable step."""

    name: str
    call: Callable[[Data], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A question about seeded data, with everybody's way to answer it."""

    name: str
    title: str
    rows: int
    data: Callable[[int], Data]
    """Rows → columns."""
    ours: Callable[[Data], Any] | None
    """Through the public door, with the interval. None: not there yet."""
    peers: tuple[Peer, ...]
    limit: Limit | None = None
    note: str = ""
    grows: bool = True
    """Whether it is timed at rising sizes too; not where rows are fits, images or segments of one fixed case."""
