"""What `text` gives: values with intervals for every system, and their differences from the first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from heldout.batch import Array
from heldout.charts.difference_forest import difference_forest
from heldout.charts.figure import Figure
from heldout.charts.metric_forest import metric_forest
from heldout.charts.more_data import more_data, more_data_apart
from heldout.charts.plot import Plot
from heldout.charts.text_segment_values import segment_values
from heldout.verbs.model_results import ModelsResult

if TYPE_CHECKING:
    from heldout.charts import Plot

Views = dict[str, Callable[..., Figure]]


def text_charts(result: TextEvaluation, d: Mapping[str, Any]) -> Plot:
    """The charts of one or several systems on the same segments."""
    base = result.baseline
    views: Views = {"metrics": partial(metric_forest, d)}
    if any(one["low"] is not None for one in d["differences"]):
        views |= {"differences": partial(difference_forest, d), "more_data": partial(more_data_apart, d)}
    elif len(result.models) == 1:
        whole = {**d, "estimates": d["estimates"][base]}
        views["more_data"] = partial(more_data, whole, metric=result.segment_metric)
    return Plot(views=views | _by_segment(result))


def _by_segment(result: TextEvaluation) -> Views:
    """Of one system the values of its segments; of several, the differences from the baseline, a chart for each."""
    name, values, base = result.segment_metric, result.segment_values, result.baseline
    if not values:
        return {}
    better = result.estimates[base][name].better
    if len(values) == 1:
        return {"segment_values": partial(segment_values, name, values[base], better=better)}
    others = [one for one in values if one != base]
    return {
        f"segment_values:{one}" if at else "segment_values": partial(
            segment_values, name, values[one] - values[base], better=better, pair=(one, base)
        )
        for at, one in enumerate(others)
    }


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class TextEvaluation(ModelsResult):
    """Values with intervals for one or several systems, and their differences from the reference system."""

    kind = "text"

    signatures: dict[str, str]
    """By metric: the words by which others can repeat its number."""
    rows: int
    """Segments."""
    units: int
    references: tuple[int, int]
    """The fewest and the most references of a segment."""
    matched: str = "position"
    segments: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)
    """By system: the segments on which it loses and gains most, or, of one system, those that lower its value most."""
    segment_metric: str = ""
    """The metric that decides, or the first: by it segments are told."""
    segment_values: dict[str, Array] = field(default_factory=dict, compare=False)
    """By system: that metric of every segment alone."""

    def __getitem__(self, name: str | tuple[str, str]) -> Any:
        """The estimate of a metric; of two systems the difference in it, of several that of one: `[metric, system]`."""
        metric, *system = (name,) if isinstance(name, str) else name
        known = "bertscore_f" if metric == "bertscore" else metric
        return super().__getitem__((known, system[0]) if system else known)

    @property
    def unit(self) -> str:
        """What is sampled independently: segments, or documents where they are named."""
        return "segment" if self.units == self.rows else "document"

    def content(self) -> dict[str, Any]:
        """Everything but the head of the dictionary."""
        return {
            "matched": {"by": self.matched, "rows": self.rows, "only": {}},
            "rows": self.rows,
            "units": self.units,
            "references": {"fewest": self.references[0], "most": self.references[1]},
            **self.models_content(),
            "signatures": self.signatures,
            "segments": {name: [dict(one) for one in found] for name, found in self.segments.items()},
        }

    def charts(self, d: Mapping[str, Any]) -> Plot:
        """Charts of metrics, differences and segments."""
        return text_charts(self, d)
