"""A result as LaTeX tables in the style of booktabs."""

from __future__ import annotations

from heldout.report.document import Cell, Document, Note, Table, whole
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


def document_latex(document: Document) -> str:
    """The tables of the whole document, each in a `table` with a caption; needs the package booktabs."""
    document = whole(document)
    subject = f"{escaped(document.name.text)}: " if document.name.text else ""
    words = ", ".join((*document.opening, *document.facts))
    facts = f"{subject}{escaped(words)}." if words else subject
    tables = [_table(table, facts if i == 0 else "") for i, table in enumerate(document.tables)]
    said = [Note(document.verdict_heading, " ".join(document.verdict))] if document.verdict else []
    notes = [_note(note) for note in (*said, *document.notes)]
    alone = [] if tables or not facts else [facts]
    return "\n\n".join(["% needs \\usepackage[T1]{fontenc} and \\usepackage{booktabs}", *alone, *tables, *notes]) + "\n"


def escaped(text: str) -> str:
    r"""The text so that LaTeX prints it as it is.

    >>> print(escaped("f1_macro 95% {x}"))
    f1\_macro 95\% \{x\}
    """
    text = visible(text)
    command = text.startswith("::")  # a row of a table that begins so would be a command to a build server
    return ("{:}" if command else "") + "".join(SPECIAL.get(c, c) for c in text[command:])


def _cell(cell: Cell) -> str:
    # in our own cells only the percent sign means something to LaTeX; the brackets of an interval never open a row
    return escaped(shortened(visible(cell.text), LONGEST)) if cell.given else cell.text.replace("%", r"\%")


def _note(note: Note) -> str:
    return rf"\par\noindent\textbf{{{escaped(note.about or 'note')}}} {escaped(note.text)}"


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
    # a caption is read as sentences: it keeps what a cell of a table has no room for
    text = escaped(cell.text) if cell.given and cell.text else cell.text.replace("%", r"\%")
    text = text.removesuffix(".")
    return text[:1].upper() + text[1:] + "." if text else ""
