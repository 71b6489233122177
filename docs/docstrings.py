"""Docstrings are plain text with backticks; formulas in them must not be taken for markup."""

from __future__ import annotations

import re

MARKUP = re.compile(r"(`+[^`]*`+)|([\\*|]|_(?=\W|$))")


def escaped(line: str) -> str:
    r"""The line with `*`, `|`, a backslash and a trailing `_` made harmless, except between backticks.

    >>> print(escaped("2 * q, |a - b| and `x * y`"))
    2 \* q, \|a - b\| and `x * y`
    """
    return MARKUP.sub(lambda found: found[1] or "\\" + found[2], line)


def as_plain_text(_app: object, _what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
    """Escape the prose of a docstring in place; doctests, up to the next empty line, stay as they are."""
    in_doctest = False
    for number, line in enumerate(lines):
        in_doctest = line.lstrip().startswith(">>>") or (in_doctest and bool(line.strip()))
        if not in_doctest:
            lines[number] = escaped(line)
