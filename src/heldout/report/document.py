"""What a page is made of: cells, tables, remarks. No arithmetic and no escaping: renderers draw these."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """A text, and whether it came from outside (a label, a name, a path): then it is escaped and may be shortened."""

    text: str
    given: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval to draw in a row of its own."""

    low: float
    value: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells under a head; `align` has one letter (l or r) per column."""

    name: str
    title: Cell
    """What the table is about, where the head does not say it; may be empty."""
    head: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    align: str
    bars: tuple[Bar | None, ...] = ()
    """One interval per row, for renderers that draw a forest beside the table."""
    optional: int = 0
    """How many of the last columns may be left out where the page is too narrow."""
    foot: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Remark:
    """What the reader must know: `about` is a code such as H204 or the name of a metric."""

    about: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One result as a reader meets it, from the top down."""

    name: Cell
    facts: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    tables: tuple[Table, ...]
    remarks: tuple[Remark, ...]
    opening: tuple[str, ...] = ()
    """Sentences before everything else, which may name what came from outside."""
    verdict: tuple[str, ...] = ()
    """Sentences after the tables, which may name what came from outside."""
