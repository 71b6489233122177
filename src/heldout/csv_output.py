"""Rows as CSV text, in which no spreadsheet finds a formula."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

SIGNS = "=+\\-@＝＋－＠"
FORMULA = re.compile(
    rf"^(?=[{SIGNS}\t\r\n])|(?<=[;\t\r\n])(?=[{SIGNS}])|(?<=[\r\n])(?=\s*::)|(?<=#)(?=#(\[|vso\[|teamcity\[))"
)
"""Where a spreadsheet would begin to compute: at the start, and after what it may take for the end of a cell; and where
a build server, in whose log the lines are printed, would find a command."""
QUOTED = re.compile(r'[",;\t\r\n]|^\s*::')
"""Cells that need quotes: where semicolons or tabs are delimiters too, and where a build server reads the line."""


def csv_text(head: Iterable[str], rows: Iterable[Iterable[Any]], *, escape_formulas: bool = True) -> str:
    r"""Rows under a head, numbers in full precision and missing values empty.

    With `escape_formulas`, texts that a spreadsheet would compute begin with an apostrophe; numbers stay as they are.

    >>> csv_text(["label", "value"], [["=1+1", 0.5], ["-1", None], ["a;b", -2]])
    'label,value\n\'=1+1,0.5\n-1,\n"a;b",-2\n'
    """
    cell = _safe if escape_formulas else str
    lines = (",".join(_field(value, cell) for value in row) for row in (list(head), *rows))
    text = "".join(f"{line}\n" for line in lines)
    return text.encode("utf-8", "backslashreplace").decode()  # names of files may have bytes that are not Unicode


def _field(value: Any, cell: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int):
        return str(value)
    text = cell(str(value))
    return '"' + text.replace('"', '""') + '"' if QUOTED.search(text) else text


def _safe(text: str) -> str:
    """The text so that a spreadsheet does not compute it.

    >>> _safe("=1+1"), _safe("-1.5"), _safe("-1+1"), _safe("a;=1+1"), _safe("plain")
    ("'=1+1", '-1.5', "'-1+1", "a;'=1+1", 'plain')
    """
    return text if _is_number(text) else FORMULA.sub("'", text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii() and not text[:1].isspace()
