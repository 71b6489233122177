"""A result as GitHub-flavoured Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from heldout.report.document import Cell, Remark, Table
from heldout.report.kinds.registry import page
from heldout.report.plain_text import shortened, visible

LONGEST = 80
"""Characters of a label that are shown."""
SPECIAL = re.compile(r"[\\`*{}\[\]()#+!|~$]|(?<![^\W_])_|_(?![^\W_])")
"""What Markdown would read as markup; an underscore inside a word is plain text."""


def evaluation_markdown(d: Mapping[str, Any]) -> str:
    """The page of a result as headings and pipe tables, everything that came from outside escaped."""
    whole = page(d, brief=False)
    name = _cell(whole.name) if whole.name.text else d["schema"].split(".")[-1].split("/")[0].capitalize()
    blocks = [f"## {name}", *map(escaped, whole.opening), ", ".join(whole.facts)]
    if whole.columns:
        found = [f"{role} = {_cell(Cell(column, given=True))}" for role, column in whole.columns]
        blocks.append(f"columns: {', '.join(found)}")
    for table in whole.tables:
        blocks += _table(table)
    if whole.verdict:
        blocks.append(f"**Verdict** {' '.join(map(escaped, whole.verdict))}")
    if whole.remarks:
        blocks.append("\n".join(_remark(remark) for remark in whole.remarks))
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    r"""The text so that Markdown shows it as it is.

    >>> print(escaped("roc_auc a|b <script> *x*"))
    roc_auc a\|b &lt;script&gt; \*x\*
    """
    text = SPECIAL.sub(lambda found: "\\" + found[0], visible(text))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _remark(remark: Remark) -> str:
    about = f"**{escaped(remark.about)}** " if remark.about else ""
    return f"- {about}{escaped(shortened(remark.text, 600))}"


def _cell(cell: Cell) -> str:
    return escaped(shortened(visible(cell.text), LONGEST)) if cell.given else cell.text


def _table(table: Table) -> list[str]:
    head = "| " + " | ".join(map(_cell, table.head)) + " |"
    rule = "|" + "|".join("---:" if side == "r" else ":---" for side in table.align) + "|"
    rows = ["| " + " | ".join(map(_cell, row)) + " |" for row in table.rows]
    title = [f"**{_cell(table.title)}**"] if table.title.text else []
    return [*title, "\n".join([head, rule, *rows]), *map(_cell, table.foot)]
