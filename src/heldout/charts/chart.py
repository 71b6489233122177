"""A figure that can be looked at, saved, and taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from json import dumps
from pathlib import Path
from typing import Any

from heldout.batch import Backend
from heldout.charts import vega
from heldout.charts.drawing import SQUARE, WIDTH, spec
from heldout.charts.drawing.theme import PAPER
from heldout.charts.figure import Figure
from heldout.errors import UsageError
from heldout.file_writing import write_file

MIME = "application/vnd.vegalite.v6+json"
FORMATS = ("svg", "png", "pdf", "html", "csv")


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart: it shows itself in a notebook, and `save` writes it as SVG, PNG, PDF, HTML or its numbers as CSV."""

    figure: Figure
    dark: bool = False

    @property
    def data(self) -> Any:
        """The numbers behind the chart, as a frame: `to_frame()`."""
        return self.figure.data

    @property
    def spec(self) -> dict[str, Any]:
        """The chart as a Vega-Lite specification, as wide as what contains it."""
        return spec(self.figure, dark=self.dark, titled=True)

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

        See Also
        --------
        records : The same as a list of dictionaries.
        """
        return self.figure.to_frame(part, backend)

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
        """
        return self.figure.records(part)

    def save(
        self, path: str | Path, *, scale: float = 2.0, width: int | None = None, escape_formulas: bool = True
    ) -> Path:
        """Write the chart to a file.

        Parameters
        ----------
        path : str or Path
            Where to write it; the name ends in .svg, .png, .pdf or .html, or in .csv for the numbers.
        scale : float, default 2.0
            Pixels of a .png per pixel of the chart.
        width : int, optional
            Width in pixels (default: one that suits the chart).
        escape_formulas : bool, default True
            In a .csv: whether texts that a spreadsheet would compute, such as =1+1, begin with an apostrophe.

        Returns
        -------
        Path
            Where it was written.

        Raises
        ------
        UsageError
            If the name ends in something else, or the file cannot be written.
        """
        place = Path(path)
        form = place.suffix.lower().removeprefix(".")
        if form not in FORMATS:
            raise UsageError(
                f"a chart cannot be saved as {place.name!r}", fix=f"end the name in one of .{', .'.join(FORMATS)}"
            )
        if form == "html":
            return write_file(place, self._document())
        if form == "csv":
            return write_file(place, self.figure.to_csv(escape_formulas=escape_formulas))
        drawn, convert = dumps(vega.in_xml(self._fixed(width))), vega.converter()
        if form == "svg":
            return write_file(place, convert.vegalite_to_svg(drawn))
        if form == "png":
            return write_file(place, convert.vegalite_to_png(drawn, scale=scale))
        return write_file(place, convert.vegalite_to_pdf(drawn))

    def _fixed(self, width: int | None) -> dict[str, Any]:
        """The specification at a width in pixels, on paper."""
        wide = width or (SQUARE if self.figure.shape == "square" else WIDTH)
        made = spec(self.figure, dark=self.dark, titled=True, width=wide)
        made["background"] = PAPER[self.dark]
        made["padding"] = {"left": 36, "top": 6, "right": 64, "bottom": 6}  # a viewer's font may be wider than ours
        return made

    def _document(self, *, packed: bool = False) -> str:
        return vega.document(spec(self.figure, dark=self.dark), self.figure, dark=self.dark, packed=packed)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """For notebooks: the specification, and a frame that draws it; words where nothing is installed to do so."""
        del include, exclude
        try:
            made, figure = self.spec, self.figure
        except UsageError as error:  # without what draws charts: an error here would be shown as a traceback
            return {"text/plain": f"{self}\n{error}"}
        width = SQUARE + 140 if figure.shape == "square" else WIDTH + 200
        size = f"width:100%;max-width:{width}px;height:{_height(made)}px;border:0"
        inside = escape(self._document(packed=True))
        frame = (
            f'<iframe sandbox="allow-scripts" title="{escape(figure.title)}" style="{size}" srcdoc="{inside}"></iframe>'
        )
        return {MIME: made, "text/html": frame, "text/plain": str(self)}

    def __str__(self) -> str:
        return self.figure.alt


def _height(made: dict[str, Any]) -> int:
    """Pixels for the panels, and for the words around them."""
    panels = made.get("vconcat", [made])
    return int(sum(panel["height"] for panel in panels) + 70 * len(panels) + 130)
