"""A figure on the page: the place of its chart, how to read it, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from heldout.charts.figure import Figure, plain
from heldout.report.document import Cell, Table
from heldout.report.html_report.markup import given, table_html
from heldout.report.plain_text import visible

MOST = 101
"""How many lines the table behind a chart has at most."""


def figure_html(name: str, figure: Figure, *, under: str = "") -> str:
    """The chart's place with its description, its caption, and a table of its numbers.

    Where it stands `under` a heading that says the same, its own is left to screen readers.
    """
    quiet = ' class="hidden"' if figure.title == under else ""
    tables = "".join(table_html(_table(part, columns)) for part, columns in figure.parts.items())
    return (
        f'<figure class="{figure.shape}"><h3{quiet}>{given(figure.title)}</h3>'
        f'<div class="plot" role="img" aria-label="{escape(visible(figure.alt))}" data-figure="{escape(name)}"></div>'
        f"<figcaption>{escape(visible(figure.caption))}</figcaption>"
        f"<details><summary>Numbers behind this chart</summary>{tables}</details></figure>"
    )


def _table(name: str, columns: Mapping[str, Any]) -> Table:
    """Columns as a table of text; of a long one, evenly chosen lines."""
    lines = max((len(column) for column in columns.values()), default=0)
    kept = range(lines) if lines <= MOST else sorted({round(i * (lines - 1) / (MOST - 1)) for i in range(MOST)})
    texts = [[_text(plain(column[i])) for i in kept] for column in columns.values()]
    numeric = [all(not isinstance(plain(column[i]), str) for i in kept) for column in columns.values()]
    foot = (Cell(f"{len(kept)} of {lines} lines"),) if len(kept) < lines else ()
    return Table(
        name=name,
        title=Cell(name.replace("_", " "), given=True),
        head=tuple(Cell(str(key).replace("_", " "), given=True) for key in columns),
        rows=tuple(zip(*map(_cells, texts), strict=True)),
        align="".join("r" if number else "l" for number in numeric),
        foot=foot,
    )


def _cells(texts: Sequence[str]) -> list[Cell]:
    return [Cell(text, given=True) if text else Cell("") for text in texts]


def _text(value: Any) -> str:
    """A number with five digits that count; nothing where there is none."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, float):
        return str(value)
    return f"{value:.5g}"
