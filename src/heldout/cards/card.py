"""A card: how often a method was right in worlds where the truth is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.resources import files
from math import log
from typing import Any

LEVEL = 0.95
"""The level at which intervals were measured; tests were at 1 - LEVEL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What was measured in one world: the coverage of an interval, or how often a test rejected what was true."""

    world: str
    n: int
    """Units per repetition."""
    truth: float
    """The metric's true value in that world (of a test: of both models)."""
    rate: float
    """Share of the repetitions whose interval held the truth, or whose test rejected it."""
    error: float
    """Monte-Carlo standard error of that share; 0 where all samples were enumerated."""
    worst: float
    """The worst rate in worlds whose truth lies within 20% of this one; the same as `rate` where one was measured."""
    width: float | None
    """Mean width of the interval."""
    repeats: int
    """Repetitions; 0 where all samples were enumerated."""

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values."""
        return asdict(self)


COLUMNS = tuple(field.name for field in fields(Card))


def interval_card(metric: str, method: str, *, clustered: bool, units: int, value: float) -> Card | None:
    """The card nearest to a number of units, and then to a value; None where nothing was measured.

    >>> interval_card("accuracy", "auto", clustered=False, units=60, value=0.99).n
    50
    """
    return _nearest(_known()["intervals"].get(_design(clustered), {}).get(metric, {}).get(method, ()), units, value)


def rejection_card(metric: str, test: str, *, clustered: bool, units: int, value: float) -> Card | None:
    """The card of a test of a difference, nearest to a number of units, and then to a value."""
    return _nearest(_known()["tests"].get(_design(clustered), {}).get(metric, {}).get(test, ()), units, value)


def _design(clustered: bool) -> str:
    return "clustered" if clustered else "rows"


def _nearest(rows: Sequence[Sequence[Any]], units: int, value: float) -> Card | None:
    if not rows or units < 1:
        return None
    world, *facts = min(rows, key=lambda row: (abs(log(row[1] / units)), abs(row[2] - value)))
    return Card(**dict(zip(COLUMNS, (_known()["worlds"][world], *facts), strict=True)))


@cache
def _known() -> dict[str, Any]:
    """All cards: intervals and tests, by design (rows or clustered), metric, method; one line per world and size."""
    stored: dict[str, Any] = json.loads(files("heldout").joinpath("data", "cards.json").read_text(encoding="utf-8"))
    return stored
