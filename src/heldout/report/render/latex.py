"""A result as LaTeX tables in the style of booktabs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldout.report.document import Cell, Remark, Table
from heldout.report.kinds.registry import page
from heldout.report.plain_text import shortened, visible

LONGEST = 80
"""Characters of a label that are shown."""
SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "[": "{[}",  # a bracket after the end of a row would be read as its height
    "]": "{]}",
}


def evaluation_latex(d: Mapping[str, Any]) -> str:
    """The tables of a result, each in a `table` with a caption; needs the package booktabs."""
    whole = page(d, brief=False)
    subject = f"{_cell(whole.name)}: " if whole.name.text else ""
    facts = f"{subject}{escaped(', '.join((*whole.opening, *whole.facts)))}."
    tables = [_table(table, facts if i == 0 else "") for i, table in enumerate(whole.tables)]
    said = [Remark("Verdict", " ".join(whole.verdict))] if whole.verdict else []
    remarks = [_remark(remark) for remark in (*said, *whole.remarks)]
    return "\n\n".join(["% needs \\usepackage[T1]{fontenc} and \\usepackage{booktabs}", *tables, *remarks]) + "\n"


def escaped(text: str) -> str:
    r"""The text so that LaTeX prints it as it is.

    >>> print(escaped("f1_macro 95% {x}"))
    f1\_macro 95\% \{x\}
    """
    return "".join(SPECIAL.get(c, c) for c in visible(text))


def _cell(cell: Cell) -> str:
    # in our own cells only the percent sign means something to LaTeX; the brackets of an interval never open a row
    return escaped(shortened(visible(cell.text), LONGEST)) if cell.given else cell.text.replace("%", r"\%")


def _remark(remark: Remark) -> str:
    return rf"\par\noindent\textbf{{{escaped(remark.about or 'note')}}} {escaped(shortened(remark.text, 600))}"


def _row(cells: tuple[Cell, ...]) -> str:
    return " & ".join(map(_cell, cells)) + r" \\"


def _table(table: Table, facts: str) -> str:
    caption = " ".join(part for part in (facts, _sentence(table.title), *map(_sentence, table.foot)) if part)
    lines = [
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{caption}}}"] if caption else []),
        rf"\begin{{tabular}}{{{table.align}}}",
        r"\toprule",
        _row(table.head),
        r"\midrule",
        *map(_row, table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def _sentence(cell: Cell) -> str:
    text = _cell(cell) if cell.text else ""
    return text[:1].upper() + text[1:] + "." if text else ""
