"""A result on one screen: plain text, of at most 80 columns unless the screen is wider."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from heldout.report.document import Bar, Cell, Document, Note, Table, brief, whole
from heldout.report.plain_text import columns_of, folded, in_two_lines, padded, shortened, visible, without_commands

GAPS = ("  ", " ")
"""What stands between columns: two blanks where they fit."""
LONGEST = 600
"""Characters of a note that are shown; the rest is in the JSON."""
FEWEST = 8
"""No column of labels is made narrower than this."""
BOLD, GREEN, RED, YELLOW, PLAIN = "\x1b[1m", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"
TONES = {"good": GREEN, "bad": RED, "open": YELLOW}
"""The color of a decision that stands as the label of its sentences: PASS, FAIL, INCONCLUSIVE."""


@dataclass(frozen=True, slots=True)
class Screen:
    """What is written on: how wide it is, in colors or not, and whether long texts may be cut."""

    width: int
    color: bool
    cuts: bool

    def cut(self, text: str, width: int) -> str:
        """The text, shortened to a width where long texts are cut."""
        return shortened(text, width) if self.cuts else text

    def sentence(self, text: str, width: int) -> str:
        """Long words first, so that one endless label does not hide the sentence around it."""
        return self.cut(" ".join(self.cut(word, width) for word in text.split()), LONGEST)

    def folded(self, text: str, first: str = "", rest: str = "") -> list[str]:
        """A sentence as lines; where nothing is cut a long word has a line of its own."""
        return folded(self.sentence(text, self.width - len(rest)), self.width, first, rest, cuts=self.cuts)


Lines = list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLines:
    """A table as lines: what stands above its rows, the rows, and each text below them."""

    head: Lines
    rows: list[Lines]
    foot: list[Lines]

    @property
    def lines(self) -> Lines:
        return [*self.head, *(line for text in (*self.rows, *self.foot) for line in text)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A document as lines, part by part: those that may be left out can be told from those that may not."""

    top: Lines
    tables: list[TableLines]
    verdict: list[Lines]
    notes: list[Lines]
    left_out: Mapping[str, int] = field(default_factory=dict)
    """What does not fit and is counted: how many rows, tables, footnotes, sentences and notes."""

    @property
    def lines(self) -> Lines:
        """All lines, with a blank one between two parts."""
        verdict = [line for sentence in self.verdict for line in sentence]
        notes = [line for note in self.notes for line in note]
        missing = [f"{count:,} {name}{'' if count == 1 else 's'}" for name, count in self.left_out.items() if count]
        last = [f"not shown: {', '.join(missing)}"] if missing else []
        blocks = [self.top, *(table.lines for table in self.tables), verdict, [*notes, *last]]
        return [line for block in blocks if block for line in ("", *block)][1:]


def document_text(
    document: Document, width: int = 80, *, lines: int | None = None, color: bool = False, verbose: bool = False
) -> str:
    """The brief document, or the whole one in which nothing is cut, as lines of `width` columns.

    With `lines`, no more than so many: notes, tables and their rows are left out and counted, the verdict is not.
    """
    screen = Screen(width, color, cuts=not verbose)
    shown = whole(document) if verbose else brief(document, width)
    parts = Parts(
        top=_top(shown, screen),
        tables=[_table_lines(table, screen, shown.see) for table in shown.tables],
        verdict=_verdict_lines(shown, screen) if shown.verdict else [],
        notes=[_note_lines(note, screen) for note in shown.notes],
    )
    return without_commands("\n".join((parts if lines is None else _fitted(parts, lines)).lines)) + "\n"


FEWEST_ROWS = 3
"""A table after the first one that would have fewer rows on a screen is left out."""


def _fitted(parts: Parts, most: int) -> Parts:
    """The parts in at most so many lines: notes go first, then further tables, footnotes and rows, sentences last."""
    while len(parts.lines) > most and (shorter := _shorter(parts)) is not None:
        parts = shorter
    return parts


def _shorter(parts: Parts) -> Parts | None:
    """Without the next thing that is left out; None where nothing more may be."""
    if parts.notes:
        return _without(parts, "note", notes=parts.notes[:-1])
    if not parts.tables:
        return _fewer_sentences(parts)
    *others, last = parts.tables
    if others:
        if len(last.rows) > FEWEST_ROWS:
            return _without(parts, "row", tables=[*others, replace(last, rows=last.rows[:-1])])
        return _without(parts, "table", tables=others)
    long = [at for at, text in enumerate(last.foot) if len(text) > 1]  # explains numbers rather than marks
    if long:
        return _without(parts, "footnote", tables=[replace(last, foot=_but(last.foot, long[-1]))])
    if len(last.rows) > 1:
        return _without(parts, "row", tables=[replace(last, rows=last.rows[:-1])])
    if last.foot:
        return _without(parts, "footnote", tables=[replace(last, foot=last.foot[:-1])])
    return _without(parts, "table", tables=[])


def _fewer_sentences(parts: Parts) -> Parts | None:
    """More sentences than a screen has lines: the first and the last ones, which sum up, stay."""
    return _without(parts, "sentence", verdict=_but(parts.verdict, -3)) if len(parts.verdict) > 3 else None


def _without(parts: Parts, name: str, **kept: Any) -> Parts:
    order = ("row", "table", "footnote", "sentence", "note")
    counts = {one: parts.left_out.get(one, 0) + (one == name) for one in order}
    if name == "table":  # the rows it had lost are not counted beside it
        counts["row"] = 0
    return replace(parts, left_out=counts, **kept)


def _but(texts: list[Lines], at: int) -> list[Lines]:
    at %= len(texts)
    return [*texts[:at], *texts[at + 1 :]]


def _top(document: Document, screen: Screen) -> Lines:
    """What was evaluated, and which column played which part."""
    width = screen.width
    opening = [line for text in document.opening for line in screen.folded(visible(text), rest="  ")]
    name = screen.cut(visible(document.name.text), width // 2) if document.name.text else ""
    first = [part for part in (name, *document.facts) if part]
    one_line = "   ".join(first)
    lines = [one_line] if columns_of(one_line) <= width else [screen.cut(part, width) for part in first]
    lines = lines if first else []
    if document.columns:
        parts = [f"{role}={screen.cut(visible(name), width // 2)}" for role, name in document.columns]
        lines += _listed(parts, screen, "columns  ")
    return [*opening, *lines]


def _listed(parts: Iterable[str], screen: Screen, first: str) -> Lines:
    """Parts side by side, going on in the next line where they do not fit."""
    lines, line = [], first
    for part in parts:
        apart = "" if not line.strip() or line == first else GAPS[0]
        if apart and columns_of(line) + len(apart) + columns_of(part) > screen.width:
            lines.append(line)
            line, apart = " " * len(first), ""
        line += apart + screen.cut(part, screen.width - len(first))
    return [*lines, line]


def _table_lines(table: Table, screen: Screen, see: str) -> TableLines:
    width = screen.width
    table = _narrowed(table, width, see) if screen.cuts else table
    gap = next((gap for gap in GAPS if _natural(table, gap) <= width or not screen.cuts), GAPS[-1])
    widths = _widths(table, width, gap) if screen.cuts else _natural_widths(table)
    title = folded(visible(table.title.text), width, rest="  ", cuts=screen.cuts) if table.title.text else []
    head = _row_lines(table.head, widths, table.align, gap)
    forest = _forest(table, width - sum(widths) - len(gap) * len(widths))
    return TableLines(
        head=[*title, *(f"{BOLD}{line}{PLAIN}" if screen.color else line for line in head)],
        rows=[
            _row_lines((*row, Cell(drawing)), [*widths, 0], table.align + "l", gap)
            for row, drawing in zip(table.rows, forest, strict=True)
        ],
        foot=[screen.folded(visible(foot.text), rest="  ") for foot in table.foot],
    )


def _row_lines(cells: Iterable[Cell], widths: list[int], align: str, gap: str) -> Lines:
    """One line, or two where a label is wider than its column; what a second line does not hold either is cut."""
    pairs = [
        in_two_lines(_shown(cell), width) if width > 0 else (_shown(cell), "")
        for cell, width in zip(cells, widths, strict=True)
    ]
    lines = [
        gap.join(padded(text, width, side) for text, width, side in zip(texts, widths, align, strict=True)).rstrip()
        for texts in zip(*pairs, strict=True)
    ]
    return [line for at, line in enumerate(lines) if line or at == 0]


def _shown(cell: Cell) -> str:
    """What came from outside with its control characters made visible; our own texts are plain already."""
    return visible(cell.text) if cell.given else cell.text


def _columns(table: Table) -> list[list[Cell]]:
    return [list(column) for column in zip(table.head, *table.rows, strict=True)]


def _least(column: list[Cell]) -> int:
    """How narrow a column may become: our numbers are never cut, labels are."""
    own = max((columns_of(cell.text) for cell in column if not cell.given), default=0)
    given = max((columns_of(_shown(cell)) for cell in column if cell.given), default=0)
    return max(own, min(given, FEWEST))


def _natural(table: Table, gap: str) -> int:
    """How wide the table is with nothing cut."""
    widths = _natural_widths(table)
    return sum(widths) + len(gap) * (len(widths) - 1)


def _natural_widths(table: Table) -> list[int]:
    return [max(columns_of(_shown(cell)) for cell in column) for column in _columns(table)]


def _widths(table: Table, width: int, gap: str) -> list[int]:
    """Natural widths, the widest columns of labels cut until the line fits."""
    widths = _natural_widths(table)
    least = [_least(column) for column in _columns(table)]
    room = width - len(gap) * (len(widths) - 1)
    while sum(widths) > room:
        slack = [now - fewest for now, fewest in zip(widths, least, strict=True)]
        if max(slack) <= 0:
            break
        widest = max((i for i in range(len(widths)) if slack[i] > 0), key=lambda i: widths[i])
        widths[widest] = max(least[widest], widths[widest] - (sum(widths) - room), _next(widths, widest))
    return widths


def _next(widths: list[int], widest: int) -> int:
    """The width of the second widest column: cutting stops there, so that two long columns are cut alike."""
    others = [w for i, w in enumerate(widths) if i != widest and w < widths[widest]]
    return max(others, default=0)


def _narrowed(table: Table, width: int, see: str) -> Table:
    """The table without its last optional columns, as far as they do not fit."""
    kept = len(table.head)
    least = [_least(column) for column in _columns(table)]
    while kept > len(table.head) - table.optional and sum(least[:kept]) + len(GAPS[-1]) * (kept - 1) > width:
        kept -= 1
    if kept == len(table.head):
        return table
    left = ", ".join(cell.text for cell in table.head[kept:])
    return replace(
        table,
        head=table.head[:kept],
        rows=tuple(row[:kept] for row in table.rows),
        align=table.align[:kept],
        foot=(*table.foot, Cell(f"{left}: {see}", given=True)),
    )


def _forest(table: Table, width: int) -> list[str]:
    """One interval per row on a common scale: |---o---|; empty where there is no room."""
    bars = [bar for bar in table.bars if bar]
    width = min(width, 30)
    if not bars or width < 12:
        return [""] * len(table.rows)
    left, right = min(bar.low for bar in bars), max(bar.high for bar in bars)

    def position(x: float) -> int:
        return round((x - left) / (right - left) * (width - 1)) if right > left else 0

    def drawn(bar: Bar) -> str:
        low, value, high = (position(x) for x in (bar.low, bar.value, bar.high))
        marks = {low: "|", high: "|", value: "o"}
        return "".join(marks.get(i, "-" if low < i < high else " ") for i in range(width)).rstrip()

    return [drawn(bar) if bar else "" for bar in table.bars]


def _verdict_lines(document: Document, screen: Screen) -> list[Lines]:
    """The sentences one below the other, after the word that a reader looks for."""
    first = f"{document.verdict_label}  "
    rest = " " * len(first)
    sentences = [screen.folded(visible(text), rest if at else first, rest) for at, text in enumerate(document.verdict)]
    if screen.color:
        label = document.verdict_label
        style = TONES[document.tone] if label == document.word else BOLD
        sentences[0][0] = f"{style}{label}{PLAIN}" + sentences[0][0].removeprefix(label)
    return sentences


def _note_lines(note: Note, screen: Screen) -> Lines:
    about = visible(note.about) if note.about else ""
    text, rest = visible(note.text), " " * 5
    if columns_of(about) > screen.width // 2:  # too long to stand before the note: it is folded with it
        about = screen.sentence(about, screen.width - len(rest))
        lines = folded(
            f"{about}: {screen.sentence(text, screen.width - len(rest))}", screen.width, "note ", rest, cuts=screen.cuts
        )
    else:
        lines = screen.folded(text, f"note {about}{GAPS[0] if about else ''}", rest)
    if screen.color:
        lines[0] = f"{YELLOW}note{PLAIN}" + lines[0].removeprefix("note")
    return lines
