"""A result as small HTML tables, for notebooks."""

from __future__ import annotations

from html import escape

from heldout.report.document import Cell, Document, Note, Table, brief
from heldout.report.plain_text import OLD_COMMANDS, shortened, visible

LONGEST = 200
"""Characters of a label that are shown."""


def document_html(document: Document) -> str:
    """The brief document as tables in one `div`: no script, no style sheet, everything escaped."""
    shown = brief(document)
    top = [part for part in (_text(shown.name.text) if shown.name.text else "", *map(escape, shown.facts)) if part]
    columns = ", ".join(f"{escape(role)} = {_text(name)}" for role, name in shown.columns)
    parts = [f"<p>{escape(visible(text))}</p>" for text in shown.opening]
    if top or columns:
        parts.append(f"<p>{', '.join(top)}{f'<br>columns: {columns}' if columns else ''}</p>")
    parts += [_table(table) for table in shown.tables]
    if shown.verdict:
        parts.append(f"<p><b>{escape(shown.verdict_heading)}</b> {escape(' '.join(map(visible, shown.verdict)))}</p>")
    if shown.notes:
        parts.append("<ul>" + "".join(map(_note, shown.notes)) + "</ul>")
    return OLD_COMMANDS.sub("&#35;", '<div class="heldout">' + "\n".join(parts) + "</div>\n")


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


def _note(note: Note) -> str:
    about = f"<b>{_text(note.about)}</b> " if note.about else ""
    return f"<li>{about}{escape(shortened(visible(note.text), 3 * LONGEST))}</li>"
