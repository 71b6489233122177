"""A result as small HTML tables, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from heldout.report.document import Cell, Remark, Table
from heldout.report.kinds.registry import page
from heldout.report.plain_text import shortened, visible

LONGEST = 200
"""Characters of a label that are shown."""


def evaluation_html(d: Mapping[str, Any]) -> str:
    """The page of a result as tables in one `div`: no script, no style sheet, everything escaped."""
    whole = page(d)
    top = [part for part in (_text(whole.name.text) if whole.name.text else "", *map(escape, whole.facts)) if part]
    columns = ", ".join(f"{escape(role)} = {_text(name)}" for role, name in whole.columns)
    parts = [f"<p>{escape(visible(text))}</p>" for text in whole.opening]
    parts += [f"<p>{', '.join(top)}{f'<br>columns: {columns}' if columns else ''}</p>"]
    parts += [_table(table) for table in whole.tables]
    if whole.verdict:
        parts.append(f"<p><b>Verdict</b> {escape(' '.join(map(visible, whole.verdict)))}</p>")
    if whole.remarks:
        parts.append("<ul>" + "".join(map(_remark, whole.remarks)) + "</ul>")
    return '<div class="heldout">' + "\n".join(parts) + "</div>\n"


def _text(text: str) -> str:
    return escape(shortened(visible(text), LONGEST))


def _cell(tag: str, cell: Cell, side: str) -> str:
    text = _text(cell.text) if cell.given else escape(cell.text)
    return f'<{tag} style="text-align:{"right" if side == "r" else "left"}">{text}</{tag}>'


def _row(tag: str, cells: tuple[Cell, ...], align: str) -> str:
    return "<tr>" + "".join(_cell(tag, cell, side) for cell, side in zip(cells, align, strict=True)) + "</tr>"


def _table(table: Table) -> str:
    below = [_text(cell.text) for cell in (table.title, *table.foot) if cell.text]
    caption = f"<caption>{'<br>'.join(below)}</caption>" if below else ""
    head = f"<thead>{_row('th', table.head, table.align)}</thead>"
    body = "<tbody>" + "".join(_row("td", row, table.align) for row in table.rows) + "</tbody>"
    return f"<table>{caption}{head}{body}</table>"


def _remark(remark: Remark) -> str:
    about = f"<b>{_text(remark.about)}</b> " if remark.about else ""
    return f"<li>{about}{escape(shortened(visible(remark.text), 3 * LONGEST))}</li>"
