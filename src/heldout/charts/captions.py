"""Numbers in the words of titles, captions and descriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from heldout.estimates.rounding import number, spec

Estimated = Mapping[str, Any]
"""One estimate as a plain dictionary: value, low, high and so on; None is undefined or infinite."""


def told(e: Estimated) -> str:
    """Value and interval, with the digits of the interval.

    >>> told({"value": 0.81604, "low": 0.7912, "high": 0.8391})
    '0.816 [0.791, 0.839]'
    """
    form = spec(e["value"], e["low"], e["high"])
    value, low, high = (_number(e[name], form, missing) for name, missing in FACTS)
    return f"{value} [{low}, {high}]"


FACTS = (("value", "undefined"), ("low", "-inf"), ("high", "inf"))


def _number(x: float | None, form: str, missing: str) -> str:
    return missing if x is None or not isfinite(x) else number(x, form)


def percent(share: float) -> str:
    """A level as a percentage.

    >>> percent(0.95), percent(0.9833333333333)
    ('95%', '98.3333%')
    """
    return f"{100 * share:.6g}%"


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names in a row, those beyond the first few counted.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], most=1)
    ('a, b, c', 'a and 2 more')
    """
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def counted(number: int, what: str) -> str:
    """A count and its noun.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def number_or_nan(x: float | None) -> float:
    """A number as arrays hold it: None is nan."""
    return float("nan") if x is None else float(x)


def brief(axis: str) -> str:
    """The first words of an axis title, before it explains itself.

    >>> brief("recall: share of the positives found"), brief("share of the rows taken, highest scores first")
    ('recall', 'share of the rows taken')
    """
    return axis.partition(":")[0].partition(",")[0]
