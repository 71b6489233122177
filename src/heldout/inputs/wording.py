"""How messages name rows, values and columns: short, exact and countable."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np

from heldout.batch import Array

SHOWN = 5
"""How many rows or values a message names before it counts the rest."""


def rows_named(rows: Array) -> str:
    """Rows as a message names them; `rows` counts from 1.

    >>> rows_named(np.array([2]))
    'row 2'
    >>> rows_named(np.arange(1, 9))
    'rows 1, 2, 3, 4, 5 and 3 more'
    """
    head = ", ".join(str(row) for row in rows[:SHOWN].tolist())
    more = f" and {len(rows) - SHOWN:,} more" if len(rows) > SHOWN else ""
    return f"row {head}" if len(rows) == 1 else f"rows {head}{more}"


def rows_where(mask: Array) -> Array:
    """Which rows are true, counted from 1.

    >>> rows_where(np.array([False, True])).tolist()
    [2]
    """
    return np.flatnonzero(mask) + 1


def quoted(value: Any, width: int = 40) -> str:
    """A value in quotes where it is text, cut where it is long.

    >>> quoted("Yes "), quoted(3)
    ("'Yes '", '3')
    """
    if not isinstance(value, str):
        return str(value)
    return repr(value) if len(value) <= width else f"{value[:width]!r}… ({len(value):,} characters)"


def listed(values: Iterable[Any], shown: int = SHOWN) -> str:
    """Values one after the other, the rest counted.

    >>> listed(["a", "b"]), listed(range(7))
    ("'a', 'b'", '0, 1, 2, 3, 4 and 2 more')
    """
    known = list(values)
    more = f" and {len(known) - shown:,} more" if len(known) > shown else ""
    return ", ".join(quoted(value) for value in islice(known, shown)) + more


def names_listed(names: Sequence[str], shown: int = 12) -> str:
    """Column names as they stand in the header, the rest counted.

    >>> names_listed(["id", " y "])
    "id, ' y '"
    """
    head = [name if name and name == name.strip() and len(name) <= 40 else quoted(name) for name in names[:shown]]
    return ", ".join(head) + (f" and {len(names) - shown:,} more" if len(names) > shown else "")


def told_apart(words: Sequence[str]) -> str:
    r"""Spellings that may look the same on a screen, written so that they differ.

    >>> told_apart(["caf\u00e9", "cafe\u0301"])
    "'caf\\xe9', 'cafe\\u0301'"
    """
    same = len({unicodedata.normalize("NFC", word) for word in words}) < len(words)
    return ", ".join(ascii(word[:60]) if same else quoted(word) for word in words[:SHOWN])
