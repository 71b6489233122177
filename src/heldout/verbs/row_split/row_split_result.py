"""What `split` gives: the part of every row, and how the parts compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.file_writing import write_new_files
from heldout.inputs.formats.files import Table
from heldout.verbs.result import Result
from heldout.verbs.row_split.row_files import rows_as_bytes, suffix_of

if TYPE_CHECKING:
    from heldout.charts.plot import Plot

How = Literal["random", "stratified", "groups", "stratified groups", "time"]


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of the rows."""

    name: str
    rows: int
    share: float
    groups: int | None = None
    """Number of groups in it, where rows have groups."""
    first: str | None = None
    """Its earliest time, where rows are divided by time."""
    last: str | None = None
    """Its latest time."""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class RowSplit(Result):
    """Rows divided into parts or folds; every row is in one of them.

    Attributes
    ----------
    parts
        The parts in order, with their sizes.
    labels
        The name of the part of each row, in the order of the rows.
    """

    kind = "split"

    parts: tuple[Part, ...]
    labels: Array = field(compare=False)
    by: How
    folds: bool
    """Whether the parts are folds of cross-validation."""
    rows: int
    units: int
    seed: int
    roles: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)
    """Column of strata → value → part → rows."""
    files: tuple[str, ...] = ()
    """What was written."""
    table: Table = field(compare=False)

    def positions(self, name: str) -> Array:
        """Which rows are in a part.

        Parameters
        ----------
        name : str
            The part, such as "test"; of folds its number as text, from "1".

        Returns
        -------
        numpy.ndarray
            Positions of its rows, counted from 0, for `frame.iloc[...]`.
        """
        names = [part.name for part in self.parts]
        if name not in names:
            raise UsageError(f"no part is named {name!r}", fix=f"choose one of {', '.join(names)}")
        return np.flatnonzero(self.labels == name)

    def write(self, folder: str | Path | None = None, *, column: str | None = None) -> RowSplit:
        """Write the parts as files of the format that was read. A file that exists is never written over.

        Parameters
        ----------
        folder : str or Path, optional
            Where to write (default: beside the file that was read, or the current folder).
        column : str, optional
            Write one file of all rows with their part in this column, instead of a file for each part (default: a file
            for each part; of folds one file with the column "fold").

        Returns
        -------
        RowSplit
            The same, with the names of its `files`.

        Raises
        ------
        UsageError
            If a file exists already, the column exists already, or the folder cannot be written.
        """
        paths = self.paths(folder, column=column)
        if not paths[0].parent.is_dir():
            raise UsageError(f"there is no folder {paths[0].parent}", fix="make it, or choose another")
        suffix, column = suffix_of(self._source), "fold" if column is None and self.folds else column
        if column is None:
            made = {
                path: rows_as_bytes(self.table, self.positions(part.name), suffix)
                for path, part in zip(paths, self.parts, strict=True)
            }
        else:
            if column in self.table.names:
                raise UsageError(
                    f"the rows have a column {column!r} already", fix="choose another name with --column NAME (column=)"
                )
            labels = self.labels.astype(int) if self.folds else self.labels
            made = {paths[0]: rows_as_bytes(self.table, np.arange(self.rows), suffix, {column: labels})}
        write_new_files(made)
        return replace(self, files=tuple(str(path) for path in made))

    def paths(self, folder: str | Path | None = None, *, column: str | None = None) -> tuple[Path, ...]:
        """The files that `write` makes of the same arguments.

        Parameters
        ----------
        folder : str or Path, optional
            Where they are written (default: beside the file that was read, or the current folder).
        column : str, optional
            One file with the part of each row in this column, instead of a file for each part.

        Returns
        -------
        tuple of Path
            One for each part, or a single one.
        """
        stem = "rows" if str(self._source) == "-" else self._source.name.split(".")[0]
        into = self._source.parent if folder is None else Path(folder)
        whole = "folds" if self.folds else "parts"
        names = [part.name for part in self.parts] if column is None and not self.folds else [whole]
        return tuple(into / f"{stem}-{name}{suffix_of(self._source)}" for name in names)

    @property
    def _source(self) -> Path:
        return Path(self.table.sources[0].path) if self.table.sources else Path("rows.csv")

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """Charts of the sizes of the parts, and of the shares of the strata in them."""
        from heldout.charts.plot import Plot
        from heldout.charts.rows_compared import split_views

        return Plot(views=split_views(d))

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "columns": dict(self.roles),
            "by": self.by,
            "folds": self.folds,
            "rows": self.rows,
            "units": self.units,
            "seed": self.seed,
            "parts": [asdict(part) for part in self.parts],
            "counts": {name: {value: dict(each) for value, each in of.items()} for name, of in self.counts.items()},
            "files": list(self.files),
        }
