"""What a reader meets: cells, tables, notes. No arithmetic and no escaping: the renderers draw these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from heldout.errors import with_arguments, with_options
from heldout.report.plain_text import columns_of


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


Column = tuple[Cell | str, str, Sequence[Cell | str]]
"""A head, an alignment (l or r) and the cells below it."""
NOTHING = Cell("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells under a head; `align` has one letter (l or r) per column."""

    name: str
    head: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    align: str
    title: Cell = NOTHING
    """What the table is about, where the head does not say it."""
    foot: tuple[Cell, ...] = ()
    section: str = "metrics"
    """The section of the HTML report that it stands in; empty where another section shows the same."""
    bars: tuple[Bar | None, ...] = ()
    """One interval per row, for renderers that draw a forest beside the table."""
    marks: tuple[float | None, ...] = ()
    """One reference value per row, drawn on its bar: what a dummy model reaches."""
    optional: int = 0
    """How many of the last columns may be left out where the screen is too narrow."""
    brief_rows: int | None = None
    """How many rows a brief document shows; None: all."""
    brief_columns: int | None = None
    """How many columns a brief document shows; None: all."""
    rows_are: tuple[str, str] = ("row", "rows")
    """What the rows are called, one and several: a brief document counts those it leaves out."""
    in_brief: bool = True
    """Whether a brief document shows the table at all."""
    in_full: bool = True
    """Whether a whole document shows the table: not where it only shortens another one for a screen."""
    brief_foot: tuple[Cell, ...] = ()
    """Lines below the table that only a brief document needs."""
    left_out: str = ""
    """What a brief document leaves out besides rows, counted: the renderer says where it is."""
    bars_on_screen: bool = True
    """Whether bars are drawn in plain text too: only where all rows share one scale."""
    fold_last: bool = False
    """Whether the last column moves below the table, grouped, where it does not fit the screen."""


def table_of(name: str, columns: Iterable[Column], **facts: Any) -> Table:
    """A table from its columns; columns without any text are left out."""
    kept = [(_cell(head), side, [_cell(cell) for cell in cells]) for head, side, cells in columns]
    kept = [column for column in kept if any(cell.text for cell in column[2])] or kept
    return Table(
        name=name,
        head=tuple(head for head, _, _ in kept),
        rows=tuple(zip(*(cells for _, _, cells in kept), strict=True)),
        align="".join(side for _, side, _ in kept),
        **facts,
    )


def _cell(value: Cell | str) -> Cell:
    return Cell(value) if isinstance(value, str) else value


def given(texts: Iterable[Any]) -> list[Cell]:
    """Cells of texts that came from outside."""
    return [Cell(str(text), given=True) for text in texts]


def with_foot(table: Table, *texts: str) -> Table:
    """The table with further lines below it."""
    return replace(table, foot=(*table.foot, *given(texts)))


@dataclass(frozen=True, slots=True)
class Note:
    """What the reader must know: `about` is a code such as H204 or the name of a metric."""

    about: str
    text: str
    in_brief: bool = True
    """Whether a brief document has it: not where it is about numbers that only the whole one shows."""
    in_full: bool = True
    """Whether a whole document has it: not where another note says it of more numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One result as a reader meets it, from the top down."""

    title: str
    """What it is, in a few words: "Evaluation of predictions.csv"."""
    name: Cell = NOTHING
    """The name of the file it is about, where there is one."""
    opening: tuple[str, ...] = ()
    """Sentences before everything else, which may name what came from outside."""
    facts: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    """Role → column, as read."""
    tables: tuple[Table, ...] = ()
    verdict: tuple[str, ...] = ()
    """Sentences after the tables, which may name what came from outside."""
    verdict_label: str = "VERDICT"
    """The word that stands before them."""
    notes: tuple[Note, ...] = ()
    word: str = ""
    """The decision in one or a few words, for the head of the HTML report."""
    tone: str = "open"
    """Whether that is good, bad or open."""
    headline: tuple[str, ...] = ()
    """Sentences at the head of the HTML report (default: the verdict)."""
    data: Mapping[str, str] = field(default_factory=dict)
    """Label → value: what the numbers rest on, at the head of the HTML report."""
    sections: Mapping[str, str] = field(default_factory=dict)
    """Titles of the sections of the HTML report, where they differ from the usual ones."""
    see: str = "see .to_markdown(), .to_csv() or .to_json()"
    """Where a brief document says that the rest is: methods in Python, options on the command line."""
    advice: str = ""
    """A further sentence of the verdict that names an option: only the command line says it."""

    @property
    def verdict_heading(self) -> str:
        """The label beside markup: a decision such as PASS as it is, a plain word such as VERDICT capitalized."""
        return self.verdict_label if self.verdict_label == self.word else self.verdict_label.capitalize()


TONES = {"BETTER": "good", "PASS": "good", "WORSE": "bad", "FAIL": "bad"}
"""Of words that are not open."""


def for_command_line(document: Document) -> Document:
    """The document in the words of the command line: it names options instead of methods and arguments."""
    verdict = (*document.verdict, document.advice) if document.advice else document.verdict
    if document.advice and len(document.verdict) == 1:
        verdict = (" ".join(verdict),)
    document = _reworded(replace(document, verdict=verdict), with_options)
    return replace(document, see="see --format md, csv or json", advice="")


def for_python(document: Document) -> Document:
    """The document in the words of Python: it names arguments instead of options."""
    return _reworded(document, with_arguments)


def _reworded(document: Document, words: Callable[[str], str]) -> Document:
    notes = tuple(replace(note, text=words(note.text)) for note in document.notes)
    return replace(document, verdict=tuple(map(words, document.verdict)), notes=notes)


def whole(document: Document) -> Document:
    """The document for a page: every table in full."""
    return replace(
        document,
        tables=tuple(table for table in document.tables if table.in_full),
        notes=tuple(note for note in document.notes if note.in_full),
    )


def brief(document: Document, width: int = 80) -> Document:
    """The document for a screen: long tables cut and their rest counted, some tables left out."""
    return replace(
        document,
        tables=tuple(_brief_table(table, width, document.see) for table in document.tables if table.in_brief),
        notes=tuple(note for note in document.notes if note.in_brief),
    )


def _brief_table(table: Table, width: int, see: str) -> Table:
    rows = len(table.rows) if table.brief_rows is None else table.brief_rows
    columns = len(table.head) if table.brief_columns is None else table.brief_columns
    left = len(table.rows) - rows
    rest = (Cell(f"{left:,} more {table.rows_are[left > 1]}: {see}"),) if left > 0 else ()
    more = (Cell(f"{table.left_out}: {see}"),) if table.left_out else ()
    cut = replace(
        table,
        head=table.head[:columns],
        rows=tuple(row[:columns] for row in table.rows[:rows]),
        align=table.align[:columns],
        bars=(table.bars if table.bars_on_screen else ())[:rows],
        foot=(*table.foot, *rest, *table.brief_foot, *more),
    )
    return _folded(cut) if table.fold_last and _natural_width(cut) > width else cut


def _natural_width(table: Table) -> int:
    columns = zip(table.head, *table.rows, strict=True)
    return sum(max(columns_of(cell.text) for cell in column) + 2 for column in columns) - 2


def _folded(table: Table) -> Table:
    """The table with its last column below it: each of its texts once, with the rows it belongs to."""
    groups: dict[str, list[str]] = {}
    for row in table.rows:
        if row[-1].text:
            groups.setdefault(row[-1].text, []).append(row[0].text.removesuffix(" *"))
    line = "; ".join(f"{text} ({', '.join(keys)})" for text, keys in groups.items())
    return replace(
        table,
        head=table.head[:-1],
        rows=tuple(row[:-1] for row in table.rows),
        align=table.align[:-1],
        foot=(Cell(f"{table.head[-1].text}s: {line}", given=True), *table.foot),
    )
