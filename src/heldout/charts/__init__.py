"""Charts: figures are numbers, apart from how they are drawn.

>>> from heldout import evaluate
>>> figure = evaluate([0, 1, 1, 0], [0, 1, 0, 0]).plot.figures()["confusion"]
>>> figure.counts.tolist()
[[2.0, 0.0], [1.0, 1.0]]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.lazy import attach

if TYPE_CHECKING:
    from heldout.charts.chart import Chart as Chart
    from heldout.charts.drawing import spec as spec
    from heldout.charts.drawing.theme import theme as theme
    from heldout.charts.figure import Figure as Figure
    from heldout.charts.plot import Plot as Plot
    from heldout.charts.thinning import thinned as thinned

PUBLIC = {
    "heldout.charts.chart": ("Chart",),
    "heldout.charts.drawing": ("spec",),
    "heldout.charts.drawing.theme": ("theme",),
    "heldout.charts.figure": ("Figure",),
    "heldout.charts.plot": ("Plot",),
    "heldout.charts.thinning": ("thinned",),
}
"""Module → the public names that live in it."""

__getattr__, __dir__, __all__ = attach(__name__, PUBLIC)
