"""Rows, values and columns as messages write them: a few of them, and the number of the others."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np

from heldout.batch import Array

SHOWN = 5
"""Number of rows or values that a message lists; the others are counted."""
MOST = 20
"""Classes, models and folds that a message lists, of which a reader wants to see all if there are few."""
LONGEST = 120
"""Characters of a value that is not text, such as a list, from which on it is shortened."""

TOO_LARGE = "a whole number of thousands of digits, beyond the largest floating-point number (1.8e308)"
SMALLER = "write numbers below 1e308"
"""What is wrong with a whole number that Python does not convert, and the remedy."""


def rows_named(rows: Array) -> str:
    """Row numbers, counted from 1, as a message lists them.

    >>> rows_named(np.array([2]))
    'row 2'
    >>> rows_named(np.arange(1, 9))
    'rows 1, 2, 3, 4, 5 and 3 more'
    """
    head = ", ".join(str(row) for row in rows[:SHOWN].tolist())
    more = f" and {len(rows) - SHOWN:,} more" if len(rows) > SHOWN else ""
    return f"row {head}" if len(rows) == 1 else f"rows {head}{more}"


def rows_where(mask: Array) -> Array:
    """Numbers of the rows where the mask is true, counted from 1.

    >>> rows_where(np.array([False, True])).tolist()
    [2]
    """
    return np.flatnonzero(mask) + 1


def quoted(value: Any, width: int = 40) -> str:
    """A value, in quotes if it is text, shortened if it is long.

    >>> quoted("Yes "), quoted(3)
    ("'Yes '", '3')
    """
    if not isinstance(value, str):
        text = str(value)
        return text if len(text) <= LONGEST else f"{text[:width]}… ({len(text):,} characters)"
    return repr(value) if len(value) <= width else f"{value[:width]!r}… ({len(value):,} characters)"


def listed(values: Iterable[Any], shown: int = SHOWN) -> str:
    """Values with commas between; the others are counted.

    >>> listed(["a", "b"]), listed(range(7))
    ("'a', 'b'", '0, 1, 2, 3, 4 and 2 more')
    """
    known = list(values)
    more = f" and {len(known) - shown:,} more" if len(known) > shown else ""
    return ", ".join(quoted(value) for value in islice(known, shown)) + more


def names_listed(names: Sequence[str], shown: int = 12) -> str:
    """Column names as the header has them; the others are counted.

    >>> names_listed(["id", " y "])
    "id, ' y '"
    """
    head = [name if name and name == name.strip() and len(name) <= 40 else quoted(name) for name in names[:shown]]
    return ", ".join(head) + (f" and {len(names) - shown:,} more" if len(names) > shown else "")


LATIN_LOOK = str.maketrans(
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408"  # Cyrillic
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bd\u03bf",  # Greek
    "ABEKMHOPCTYXSIJaeopcyxsijhdqwABEZHIKMNOPTYXvo",
)
"""Letters of Cyrillic and Greek, and the Latin ones that look the same."""


def escaped_if_alike(words: Sequence[str]) -> str:
    r"""Texts in quotes; with escapes where they would look the same on a screen.

    >>> escaped_if_alike(["caf\u00e9", "cafe\u0301"])
    "'caf\\xe9', 'cafe\\u0301'"
    """
    same = len({unicodedata.normalize("NFC", word).translate(LATIN_LOOK) for word in words}) < len(words)
    return ", ".join(ascii(word[:60]) if same else quoted(word) for word in words[:SHOWN])
