"""Tables and texts as HTML: everything that came from outside is escaped, numbers stand point under point."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from heldout.report.document import Bar, Cell, Note, Table
from heldout.report.plain_text import shortened, visible

LONGEST = 200
"""Characters of a label that are shown."""
SHORT = 44
"""Characters that stand on one line; longer texts may be broken."""
NUMBER = re.compile(r"[+\-−<]?[0-9][0-9,]*(?P<decimals>\.[0-9]+)?[%h*]*")


def given(text: str) -> str:
    r"""A text that came from outside: control characters visible, shortened, escaped.

    >>> given("<script>alert(1)</script>\n")
    '&quot;&lt;script&gt;alert(1)&lt;/script&gt;\\n&quot;'
    """
    return escape(shortened(visible(text), LONGEST))


def sentence(text: str) -> str:
    """A sentence that may name what came from outside: longer than a label, escaped too."""
    return escape(shortened(visible(text), 3 * LONGEST))


def cell_text(cell: Cell) -> str:
    """The text of a cell, escaped."""
    return given(cell.text) if cell.given else escape(cell.text)


def table_html(table: Table) -> str:
    """A table; with bars, a column beside the interval that draws them on one scale."""
    bars = _bars(table.bars, table.marks) if any(table.bars) else []
    title = f'<p class="title">{cell_text(table.title)}</p>' if table.title.text else ""
    columns = list(zip(*table.rows, strict=True)) or [() for _ in table.head]
    pads = [_pads(column, side) for column, side in zip(columns, table.align, strict=True)]
    heads = [_cell("th", cell, side, scope="col") for cell, side in zip(table.head, table.align, strict=True)]
    lines = [_row(row, table.align, [pad[i] for pad in pads]) for i, row in enumerate(table.rows)]
    if bars:  # beside the interval that they draw
        beside = next((i for i, cell in enumerate(table.head) if "CI" in cell.text), len(heads) - 1) + 1
        heads.insert(beside, '<td class="bars"></td>')
        for line, one in zip(lines, bars, strict=True):
            line.insert(beside, f'<td class="bars">{one}</td>')
    head, body = "".join(heads), "".join(f"<tr>{''.join(line)}</tr>" for line in lines)
    foot = "".join(f"<p class=foot>{cell_text(cell)}</p>" for cell in table.foot if cell.text)
    label = escape(visible(table.title.text or table.name)[:LONGEST])
    return title + boxed(label, f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>") + foot


def boxed(label: str, table: str) -> str:
    """A table in a box of its own, which scrolls where the table is too wide; a keyboard reaches it."""
    return f'<div class="box" tabindex="0" role="region" aria-label="{label}">{table}</div>'


def _row(row: Sequence[Cell], align: str, pads: Sequence[float]) -> list[str]:
    cells = [_cell("td", cell, side, pad=pad) for cell, side, pad in zip(row, align, pads, strict=True)]
    return [_cell("th", row[0], align[0], scope="row", pad=pads[0]), *cells[1:]]


def _cell(tag: str, cell: Cell, side: str, *, scope: str = "", pad: float = 0) -> str:
    scoped = f' scope="{scope}"' if scope else ""
    kind = ' class="n"' if side == "r" else ' class="t"' if tag == "td" and len(cell.text) > SHORT else ""
    style = f' style="--pad:{pad:g}ch"' if pad else ""
    return f"<{tag}{scoped}{kind}{style}>{cell_text(cell)}</{tag}>"


def _pads(column: Iterable[Cell], side: str) -> list[float]:
    """How far each number of a column is moved left, so that all have their point at one place."""
    cells = list(column)
    found = [NUMBER.fullmatch(cell.text) for cell in cells]
    if side != "r" or not any(found):
        return [0.0] * len(cells)
    behind = [0.0 if one is None else _behind(one) for one in found]
    longest = max(behind)
    return [0.0 if one is None else longest - length for one, length in zip(found, behind, strict=True)]


def _behind(number: re.Match[str]) -> float:
    """How many digits wide a number is from its point on; a missing point is half a digit."""
    text = number[0]
    return len(text) - (number.start("decimals") if number["decimals"] else len(text.rstrip("%h*")) - 0.5) - 0.5


def _bars(bars: Sequence[Bar | None], reference: Sequence[float | None]) -> list[str]:
    """Each interval on the scale that all of them need."""
    known = [bar for bar in bars if bar]
    marks = list(reference) or [None] * len(bars)
    ends = [x for bar in known for x in (bar.low, bar.high)] + [x for x in marks if x is not None]
    left, right = min(ends), max(ends)
    if left >= 0 and right <= 1 and right - left > 0.4:
        left, right = 0.0, 1.0
    return [bar_html(bar, left, right, mark) if bar else "" for bar, mark in zip(bars, marks, strict=True)]


def bar_html(bar: Bar, left: float, right: float, mark: float | None = None) -> str:
    """One interval with its value, and where a dummy model stands, as a small picture beside its numbers."""

    def place(x: float) -> str:
        return f"{4 + 112 * ((x - left) / (right - left) if right > left else 0.5):.1f}"

    drawn = f'<path d="M{place(bar.low)} 8H{place(bar.high)}"/><circle cx="{place(bar.value)}" cy="8" r="3.5"/>'
    tick = "" if mark is None else f'<path class="dummy" d="M{place(mark)} 3V13"/>'
    return f'<svg class="bar" viewBox="0 0 120 16" width="120" height="16" aria-hidden="true">{tick}{drawn}</svg>'


def notes_html(notes: Iterable[Note]) -> str:
    """Notes as a list; a code or a metric stands before its sentence."""
    lines = [f"<li>{f'<b>{given(one.about)}</b> ' if one.about else ''}{sentence(one.text)}</li>" for one in notes]
    return f"<ul class=notes>{''.join(lines)}</ul>" if lines else ""


def facts_html(facts: Mapping[str, str]) -> str:
    """Names and values side by side."""
    return "<dl>" + "".join(f"<div><dt>{given(k)}</dt><dd>{given(v)}</dd></div>" for k, v in facts.items()) + "</dl>"
