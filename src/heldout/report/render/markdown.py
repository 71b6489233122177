"""A result as GitHub-flavoured Markdown."""

from __future__ import annotations

import re

from heldout.report.document import Cell, Document, Note, Table, whole
from heldout.report.plain_text import shortened, visible

LONGEST = 80
"""Characters of a label that are shown."""
SPECIAL = re.compile(r"[\\`*{}\[\]()#+!|~$@]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.|^:(?=:)", re.IGNORECASE)
"""What Markdown would read as markup, an address or a person, and what a build server would read as its command; an
underscore inside a word is plain text."""


def document_markdown(document: Document) -> str:
    """The whole document as headings and pipe tables, everything that came from outside escaped."""
    document = whole(document)
    blocks = [f"## {escaped(document.title)}", *map(escaped, document.opening)]
    if document.facts:
        blocks.append(", ".join(document.facts))
    if document.columns:
        found = [f"{role} = {_cell(Cell(column, given=True))}" for role, column in document.columns]
        blocks.append(f"columns: {', '.join(found)}")
    for table in document.tables:
        blocks += _table(table)
    if document.verdict:
        blocks.append(f"**{document.verdict_heading}** {' '.join(map(escaped, document.verdict))}")
    if document.notes:
        blocks.append("\n".join(_note(note) for note in document.notes))
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    r"""The text so that Markdown shows it as it is.

    >>> print(escaped("roc_auc a|b <script> *x*"))
    roc_auc a\|b &lt;script&gt; \*x\*
    """
    text = SPECIAL.sub(lambda found: "\\" + found[0], visible(text))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _note(note: Note) -> str:
    about = f"**{escaped(note.about)}** " if note.about else ""
    return f"- {about}{escaped(note.text)}"


def _cell(cell: Cell) -> str:
    return escaped(shortened(visible(cell.text), LONGEST)) if cell.given else cell.text


def _table(table: Table) -> list[str]:
    head = "| " + " | ".join(map(_cell, table.head)) + " |"
    rule = "|" + "|".join("---:" if side == "r" else ":---" for side in table.align) + "|"
    rows = ["| " + " | ".join(map(_cell, row)) + " |" for row in table.rows]
    title = [f"**{_sentence(table.title)}**"] if table.title.text else []
    return [*title, "\n".join([head, rule, *rows]), *map(_sentence, table.foot)]


def _sentence(cell: Cell) -> str:
    """What stands above or below a table: there is room for all of it."""
    return escaped(cell.text) if cell.given else cell.text
