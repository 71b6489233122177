"""A result on one screen: plain text of at most 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from heldout.report.document import Bar, Cell, Page, Remark, Table
from heldout.report.kinds.registry import page
from heldout.report.plain_text import columns_of, folded, padded, shortened, visible

GAPS = ("  ", " ")
"""What stands between columns: two blanks where they fit."""
LONGEST = 600
"""Characters of a remark that are shown; the rest is in the JSON."""
FEWEST = 8
"""No column of labels is made narrower than this."""
BOLD, YELLOW, PLAIN = "\x1b[1m", "\x1b[33m", "\x1b[0m"


def evaluation_text(d: Mapping[str, Any], width: int = 80, color: bool = False) -> str:
    """The page of a result as lines no wider than `width`; digits follow the interval."""
    return page_text(page(d), width, color=color)


def page_text(whole: Page, width: int = 80, *, color: bool = False) -> str:
    """A page as lines no wider than `width`."""
    lines = [*_top(whole, width)]
    for table in whole.tables:
        lines += ["", *_table_lines(table, width, color)]
    if whole.verdict:
        lines += ["", *_verdict_lines(whole.verdict, width, color)]
    said = [line for remark in whole.remarks for line in _remark_lines(remark, width, color)]
    return "\n".join([*lines, *([""] if said else []), *said]) + "\n"


def _top(whole: Page, width: int) -> list[str]:
    """What was evaluated, and which column played which part."""
    opening = [line for text in whole.opening for line in folded(_cut(visible(text), width - 2), width, rest="  ")]
    name = shortened(visible(whole.name.text), width // 2) if whole.name.text else ""
    first = [part for part in (name, *whole.facts) if part]
    one_line = "   ".join(first)
    lines = [one_line] if columns_of(one_line) <= width else [shortened(part, width) for part in first]
    if whole.columns:
        parts = [f"{role}={shortened(visible(name), width // 2)}" for role, name in whole.columns]
        lines += _listed(parts, width, "columns  ")
    return [*opening, *lines]


def _listed(parts: Iterable[str], width: int, first: str) -> list[str]:
    """Parts side by side, going on in the next line where they do not fit."""
    lines, line = [], first
    for part in parts:
        apart = "" if not line.strip() or line == first else GAPS[0]
        if apart and columns_of(line) + len(apart) + columns_of(part) > width:
            lines.append(line)
            line, apart = " " * len(first), ""
        line += apart + shortened(part, width - len(first))
    return [*lines, line]


def _table_lines(table: Table, width: int, color: bool) -> list[str]:
    table = _narrowed(table, width)
    gap = next((gap for gap in GAPS if _natural(table, gap) <= width), GAPS[-1])
    widths = _widths(table, width, gap)
    lines = folded(visible(table.title.text), width, rest="  ") if table.title.text else []
    head = _line(table.head, widths, table.align, gap).rstrip()
    lines.append(f"{BOLD}{head}{PLAIN}" if color else head)
    forest = _forest(table, width - sum(widths) - len(gap) * len(widths))
    for row, drawing in zip(table.rows, forest, strict=True):
        lines.append((_line(row, widths, table.align, gap) + gap + drawing).rstrip())
    for foot in table.foot:
        lines += folded(_cut(visible(foot.text), width - 2), width, rest="  ")
    return lines


def _line(cells: Iterable[Cell], widths: list[int], align: str, gap: str) -> str:
    triples = zip(cells, widths, align, strict=True)
    return gap.join(padded(shortened(_shown(cell), width), width, side) for cell, width, side in triples)


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
    widths = [max(columns_of(_shown(cell)) for cell in column) for column in _columns(table)]
    return sum(widths) + len(gap) * (len(widths) - 1)


def _widths(table: Table, width: int, gap: str) -> list[int]:
    """Natural widths, the widest columns of labels cut until the line fits."""
    columns = _columns(table)
    widths = [max(columns_of(_shown(cell)) for cell in column) for column in columns]
    least = [_least(column) for column in columns]
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


def _narrowed(table: Table, width: int) -> Table:
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
        foot=(*table.foot, Cell(f"{left}: see --format md, csv or json", given=True)),
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


def _verdict_lines(sentences: Iterable[str], width: int, color: bool) -> list[str]:
    """The sentences one below the other, after the word that a reader looks for."""
    first, rest = "VERDICT  ", "         "
    lines: list[str] = []
    for text in sentences:
        lines += folded(_cut(visible(text), width - len(rest)), width, first if not lines else rest, rest)
    if color:
        lines[0] = f"{BOLD}VERDICT{PLAIN}" + lines[0].removeprefix("VERDICT")
    return lines


def _remark_lines(remark: Remark, width: int, color: bool) -> list[str]:
    about, text = visible(remark.about) if remark.about else "", _cut(visible(remark.text), width - 5)
    if columns_of(about) > width // 2:  # too long to stand before the note: it is folded with it
        lines = folded(f"{_cut(about, width - 5)}: {text}", width, "note ", "     ")
    else:
        lines = folded(text, width, f"note {about}{GAPS[0] if about else ''}", "     ")
    if color:
        lines[0] = f"{YELLOW}note{PLAIN}" + lines[0].removeprefix("note")
    return lines


def _cut(text: str, width: int) -> str:
    """Long words first, so that one endless label does not hide the sentence around it."""
    return shortened(" ".join(shortened(word, width) for word in text.split()), LONGEST)
