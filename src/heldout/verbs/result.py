"""What every verb returns: one contract, from which every format, frame, chart and report follows.

A result says what it is (`kind`, `unit`) and gives itself as plain values (`content`); a few add charts or tables that
only their rows can give. Everything else is derived here, once, for all of them.
"""

from __future__ import annotations

import platform
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from heldout.batch import Backend
from heldout.errors import UsageError, page_of
from heldout.file_writing import is_special, write_file
from heldout.inputs import Check, Source
from heldout.verbs.parameters import with_hints
from heldout.version import __version__

if TYPE_CHECKING:
    from heldout.batch import Batch
    from heldout.charts.figure import Figure
    from heldout.charts.plot import Plot
    from heldout.report.document import Document
    from heldout.report.html_report import Contents
    from heldout.store import Record


def write_report(result: Result, path: str | Path, *, command: str = "") -> Path:
    """Write a result as one HTML file that needs no network, and say where it is.

    >>> import tempfile, heldout
    >>> result = heldout.evaluate([1, 1, 0, 0] * 5, [1, 0, 0, 0] * 5)
    >>> write_report(result, f"{tempfile.mkdtemp()}/report.html").name
    'report.html'
    """
    check_report_path(path)
    return write_file(path, report_text(result, command=command))


def check_report_path(path: str | Path) -> None:
    """Raise if the name of a report does not end as an HTML file does; a device or pipe may have any name."""
    place = Path(path)
    if place.suffix.lower() not in (".html", ".htm") and not is_special(place):
        fix = f"call it {place.with_suffix('.html')}"
        raise UsageError(f"the report {path} would be HTML, and its name does not end in .html", fix=fix)


def report_text(result: Result, *, command: str = "") -> str:
    """The HTML report of a result as text; its dictionary and its document are made once."""
    from heldout.report.html_report import report_html
    from heldout.report.kinds import document

    d = result.to_dict()
    contents = result.report_contents(result.charts(d).figures())
    return report_html(d, document(d), replace(contents, facts=_made(command)))


def _made(command: str) -> dict[str, str]:
    """By what, when and with which versions the report was made."""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    ran = {"command": command} if command else {}
    return {**ran, "written": now, "Python": platform.python_version(), "numpy": np.__version__}


SCREEN = 24
"""Lines of a screen: a `repr` is no longer."""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Result(ABC):
    """What a verb found.

    Attributes
    ----------
    checks
        What was noticed about the data, each with a code that `heldout explain` knows.
    sources
        The files that were read, with their hashes.
    """

    kind: ClassVar[str]
    """The kind of result, as in its JSON: heldout.KIND/1."""

    checks: tuple[Check, ...] = ()
    sources: tuple[Source, ...] = ()

    @abstractmethod
    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary, as plain values."""

    @property
    def unit(self) -> str:
        """What is sampled independently: a row, a cluster, an image, a segment; a time, where rows have times."""
        from heldout.report.kinds import KINDS

        rows, units = getattr(self, "rows", None), getattr(self, "units", None)
        if rows == units or units is None:
            return KINDS[self.kind].unit
        batch = self.batch_of_rows
        return "cluster" if batch is None or batch.time is None else "time"

    @property
    def batch_of_rows(self) -> Batch | None:
        """The rows behind the result, where they are in memory: their hash tells how often they were looked at."""
        return None

    def row_keys(self) -> tuple[str, ...]:
        """Hashes by which the rows behind the result are recognised; none where they are not known."""
        from heldout.store import rows_keys

        batch = self.batch_of_rows
        return () if batch is None else rows_keys(batch)

    def charts(self, d: Mapping[str, Any]) -> Plot:  # noqa: ARG002 those that have charts draw them from it
        """The charts that the result, whose dictionary is given, can give, and why it cannot give others."""
        from heldout.charts.plot import Plot

        return Plot(views={})

    def report_contents(self, figures: Mapping[str, Figure]) -> Contents:
        """What the HTML report shows besides the result's dictionary."""
        from heldout.report.html_report import Contents

        return Contents(figures=figures)

    # ---- derived

    def __eq__(self, other: object) -> bool:
        """Whether both are of one kind and say the same, byte for byte: also a copy, or one that was pickled."""
        return self.to_json() == other.to_json() if type(self) is type(other) and isinstance(other, Result) else False

    def __hash__(self) -> int:
        return hash(self.to_json())

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: the JSON contract `heldout.KIND/1`.

        Returns
        -------
        dict
            JSON-ready values. Undefined and infinite numbers are None.
        """
        return {
            "schema": f"heldout.{self.kind}/1",
            "heldout": __version__,
            "inputs": [{"path": source.path, "sha256": source.sha256} for source in self.sources],
            "unit": self.unit,
            **self.content(),
            "checks": [
                {"code": check.code, "text": check.text, "labels": check.labels, "see": page_of(check.code)}
                for check in self.checks
            ],
        }

    def to_json(self) -> str:
        """The dictionary as JSON text."""
        return self._rendered("json")

    def to_csv(self, *, escape_formulas: bool = True) -> str:
        """The records as CSV text, in full precision; the columns are those of `to_frame`.

        Parameters
        ----------
        escape_formulas : bool, default True
            Whether texts that a spreadsheet would compute, such as a label =1+1, begin with an apostrophe. Numbers
            stay as they are.

        Returns
        -------
        str
            Lines of CSV, the first with the names of the columns.
        """
        return self._rendered("csv", escape_formulas=escape_formulas)

    def to_markdown(self) -> str:
        """The whole result as GitHub-flavoured Markdown."""
        return self._rendered("md")

    def to_latex(self) -> str:
        """The whole result as LaTeX tables (booktabs)."""
        return self._rendered("latex")

    def to_html(self) -> str:
        """The result as plain HTML tables; `report` writes the whole HTML report."""
        return self._rendered("html")

    @with_hints
    def to_text(self, width: int = 80) -> str:
        """The result as it is printed on a screen.

        Parameters
        ----------
        width : int, default 80
            Columns of the screen.

        Returns
        -------
        str
            Lines of text.
        """
        return self._rendered("text", width=width)

    def _rendered(self, form: str, **options: Any) -> str:
        from heldout.report import rendered

        return rendered(self.to_dict(), form, **options)

    def records(self) -> list[dict[str, Any]]:
        """The lines of `to_frame` and `to_csv` as plain rows; undefined and infinite numbers are None.

        Returns
        -------
        list of dict
            One dictionary per line, all with the same keys.
        """
        from heldout.report.kinds import records

        return records(self.to_dict())

    def document(self) -> Document:
        """What a reader meets: tables, sentences and notes, before they are drawn."""
        from heldout.report.kinds import document

        return document(self.to_dict())

    def to_frame(self, backend: Backend | None = None) -> Any:
        """The records as a frame; the columns are those of `to_csv`.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library whose frame is returned (default: the first of these three that is installed; pyarrow always
            is).

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            One line per record, in full precision.

        Raises
        ------
        UsageError
            If the library is not installed.

        See Also
        --------
        records : The same as a list of dictionaries.
        """
        from heldout.report.render.data_formats import records_frame

        return records_frame(self.records(), backend)

    @property
    def plot(self) -> Plot:
        """Charts: `plot()` lists what can be drawn, `plot.roc()` draws one."""
        return self.charts(self.to_dict())

    def figures(self) -> dict[str, Figure]:
        """The numbers of every chart that the result can give, by name."""
        return self.plot.figures()

    @with_hints
    def report(self, path: str | Path, *, command: str = "") -> Path:
        """Write the HTML report: one file that needs no network.

        Parameters
        ----------
        path : str or Path
            Where to write it.
        command : str, default ""
            The command that made the result, for the report's provenance.

        Returns
        -------
        Path
            Where it was written.
        """
        return write_report(self, path, command=command)

    @with_hints
    def save(self, store: str | Path | None = None, *, name: str | None = None, command: str = "") -> Record:
        """Record the result in a store, so that `heldout runs` lists it and counts the looks at its rows.

        Parameters
        ----------
        store : str or Path, optional
            The folder of the store (default: `.heldout`).
        name : str, optional
            What the run is called (default: the name of the first file).
        command : str, default ""
            The command that made the result.

        Returns
        -------
        Record
            What was recorded, with the identifier of the run.
        """
        from heldout.verbs.runs import FOLDER, record

        return record(self, FOLDER if store is None else store, name=name, command=command)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        hint = f"[{type(self).__name__}: print() shows all; .to_frame(), .plot, .report(path)]"
        return self._rendered("text", lines=SCREEN - 1) + hint


class ByMetric(ABC):
    """A result that takes `result["f1"]`: it lists its metrics, and knows whether it has one."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The metrics that it has, by name."""

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        from heldout.formulas import name_among

        return isinstance(name, str) and name_among(name, self.names) in self.names


def plain(number: float) -> float | None:
    """A number as JSON knows it: undefined and infinite ones are None."""
    from math import isfinite

    return number if isfinite(number) else None
