"""The numbers of a chart, apart from how it is drawn; captions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, ClassVar, Literal

import numpy as np

from heldout.batch import Backend
from heldout.csv_output import csv_text
from heldout.errors import UsageError, did_you_mean
from heldout.estimates.rounding import number, spec
from heldout.frame_output import frame_of

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


Columns = Mapping[str, Any]
"""Columns of equal length, by name."""
Shape = Literal["square", "wide"]


class Figure(ABC):
    """The numbers of a picture as plain arrays; drawing adds nothing to them."""

    shape: ClassVar[Shape] = "wide"
    """Whether both axes deserve the same length."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """Which picture it is."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What is shown, in a few plain words."""

    @property
    @abstractmethod
    def caption(self) -> str:
        """How to read it: what bands and marks are, at which level, by which method."""

    @property
    @abstractmethod
    def alt(self) -> str:
        """What a reader would see, told from the numbers."""

    @property
    @abstractmethod
    def parts(self) -> dict[str, Columns]:
        """The numbers as tables by name, the main one first."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__repr__ = Figure.__repr__  # type: ignore[method-assign]  # else `dataclass` would print all numbers

    def __repr__(self) -> str:
        tables = ", ".join(f"{name} ({len(next(iter(table.values()), ()))} rows)" for name, table in self.parts.items())
        hint = f"[{type(self).__name__}: .to_frame(part), .caption, .alt, .to_dict()]"
        return f"{self.kind}: {self.title}\ntables: {tables}\n{hint}"

    def panels(self) -> dict[str, Figure]:
        """The figure in parts that each have one pair of axes, the main one first and without a name."""
        return {"": self}

    @property
    def data(self) -> Any:
        """The main table as a frame, `to_frame()`."""
        return self.to_frame()

    def to_frame(self, part: str | None = None, backend: Backend | None = None) -> Any:
        """One of the tables behind the chart, as a frame.

        Parameters
        ----------
        part : str, optional
            Name of the table (default: the main one).
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library whose frame is returned (default: the first of these three that is installed; pyarrow always
            is).

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            The table.

        Raises
        ------
        UsageError
            If there is no table of that name, or the library is not installed.

        See Also
        --------
        records : The same as a list of dictionaries.
        """
        return frame_of({key: list(column) for key, column in self._table(part).items()}, backend)

    def records(self, part: str | None = None) -> list[dict[str, Any]]:
        """One of the tables behind the chart, as plain rows; undefined and infinite numbers are None.

        Parameters
        ----------
        part : str, optional
            Name of the table (default: the main one).

        Returns
        -------
        list of dict
            One dictionary per line of the table.

        Raises
        ------
        UsageError
            If there is no table of that name.
        """
        columns = self._table(part)
        return [dict(zip(columns, map(plain, row), strict=True)) for row in zip(*columns.values(), strict=True)]

    def _table(self, part: str | None) -> Columns:
        """The table of that name, or the main one."""
        tables = self.parts
        name = next(iter(tables)) if part is None else part
        if name not in tables:
            known = f"choose one of {', '.join(tables)}"
            raise UsageError(f"the {self.kind} chart has no part {name!r}{did_you_mean(name, tables)}", fix=known)
        return tables[name]

    def to_csv(self, *, escape_formulas: bool = True) -> str:
        """The main table behind the chart as CSV text, in full precision; undefined and infinite numbers are empty.

        Parameters
        ----------
        escape_formulas : bool, default True
            Whether texts that a spreadsheet would compute, such as =1+1, begin with an apostrophe.

        Returns
        -------
        str
            Lines of CSV, the first with the names of the columns.
        """
        columns = next(iter(self.parts.values()))
        rows = ([plain(value) for value in row] for row in zip(*columns.values(), strict=True))
        return csv_text(columns, rows, escape_formulas=escape_formulas)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; undefined and infinite numbers are None."""
        return {
            "kind": self.kind,
            "title": self.title,
            "caption": self.caption,
            "alt": self.alt,
            "parts": {
                name: {key: [plain(one) for one in column] for key, column in table.items()}
                for name, table in self.parts.items()
            },
        }


def plain(value: Any) -> Any:
    """A value as JSON knows it: no numpy type, no nan, no infinity.

    >>> plain(np.float64(0.5)), plain(np.inf), plain("a")
    (0.5, None, 'a')
    """
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not isfinite(value) else value
