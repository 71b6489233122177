"""What can be drawn of a result: `result.plot.roc()`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from heldout.charts.figure import Figure
from heldout.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from heldout.charts.chart import Chart

VIEWS = {
    "metrics": "every metric with its interval",
    "differences": "differences with interval, margin and verdict",
    "by_iou": "average precision against the overlap that is asked for",
    "sizes": "average precision and recall by size of the object",
    "confusion": "which classes are taken for which",
    "classes": "a metric class by class",
    "roc": "recall against false positive rate, with bands",
    "precision_recall": "precision against recall, with bands",
    "gain": "share of the positives among the highest scores",
    "lift": "how much denser positives are among the highest scores",
    "cost": "least expected cost over operating conditions",
    "calibration": "probabilities against what happened",
    "segments": "a metric in parts of the rows",
    "segment_values": "a metric, or a difference, segment by segment",
    "scores": "how scores are spread in each class",
    "predicted": "truth against prediction",
    "residuals": "errors against prediction",
    "quantiles": "errors against a normal distribution",
    "ranks": "average ranks over data sets, with those not told apart",
    "more_data": "what more rows would buy",
    "learning_curve": "values against the rows trained on",
    "fold_values": "values of the parts of a split",
    "fold_choice": "what the number of folds does to the estimate",
    "bias_variance": "the parts of the expected loss",
}
"""What each chart shows, in the order of a page: decision, evidence, diagnosis."""
Views = Mapping[str, Callable[..., Figure]]


@dataclass(frozen=True, kw_only=True)
class Plot:
    """The charts of a result by name; `plot()` lists them, `plot.roc()` draws one.

    >>> from heldout import evaluate
    >>> evaluate([0, 1, 1, 0], [0, 1, 0, 0]).plot()["confusion"]
    'which classes are taken for which'
    """

    views: Views
    """By name: a function that gives the figure."""
    absent: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By name: why the data cannot give a chart, and what would."""

    def __call__(self) -> dict[str, str]:
        """What can be drawn, and what it shows."""
        return {name: VIEWS.get(name.partition(":")[0], "") for name in self.views}

    def figures(self) -> dict[str, Figure]:
        """Every figure that the data can give, in the order of a page; one with several pairs of axes is divided."""
        order = list(VIEWS)
        known = sorted(self.views, key=lambda name: order.index(name.partition(":")[0]))
        found = {name: figure for name in known if (figure := self._given(name)) is not None}
        return {
            f"{name}:{scale}" if scale else name: part
            for name, figure in found.items()
            for scale, part in figure.panels().items()
        }

    def _given(self, name: str) -> Figure | None:
        """The figure, or None where only the numbers show that there is none: no segment is large enough."""
        try:
            return self.views[name]()
        except UsageError:
            return None

    def figure(self, name: str, **options: Any) -> Figure:
        """The numbers of one chart."""
        if name in self.absent:
            why, fix = self.absent[name]
            raise UsageError(why, fix=fix)
        return self.views[name](**options)

    def _drawn(self, name: str, *, ax: Any = None, dark: bool = False, **options: Any) -> Chart | Any:
        figure = self.figure(name, **options)
        if ax is not None:
            from heldout.charts.matplotlib_axes import draw

            return draw(figure, ax)
        from heldout.charts.chart import Chart

        return Chart(figure=figure, dark=dark)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or name in ("views", "absent"):
            raise AttributeError(name)
        if name not in self.views and name not in self.absent:
            raise AttributeError(f"no chart is named {name!r}{did_you_mean(name, self.views)}; plot() lists them")
        return partial(self._drawn, name)

    def __dir__(self) -> list[str]:
        return sorted({"figure", "figures", *(name for name in self.views if name.isidentifier())})
