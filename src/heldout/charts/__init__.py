"""Charts: figures are numbers, apart from how they are drawn.

>>> from heldout import evaluate
>>> figure = evaluate([0, 1, 1, 0], [0, 1, 0, 0]).plot.figures()["confusion"]
>>> figure.counts.tolist()
[[2.0, 0.0], [1.0, 1.0]]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heldout.charts.chart import Chart
    from heldout.charts.drawing import spec
    from heldout.charts.drawing.theme import theme
    from heldout.charts.figure import Figure
    from heldout.charts.plot import Plot
    from heldout.charts.thinning import thinned

__all__ = ["Chart", "Figure", "Plot", "spec", "theme", "thinned"]

_HOMES = {
    "Chart": "heldout.charts.chart",
    "Figure": "heldout.charts.figure",
    "Plot": "heldout.charts.plot",
    "spec": "heldout.charts.drawing",
    "theme": "heldout.charts.drawing.theme",
    "thinned": "heldout.charts.thinning",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'heldout.charts' has no attribute {name!r}")
