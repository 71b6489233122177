"""The metrics of one or several models, each with its interval, on common axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from heldout.charts.axis_scales import scaled
from heldout.charts.figure import Columns, Estimated, Figure, number_or_nan, percent, told
from heldout.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class MetricForest(Figure):
    """One interval per metric and model; beside it the value of the dummy model."""

    estimates: Mapping[str, Mapping[str, Estimated]]
    """By model, by metric."""
    constant: Mapping[str, float]
    """Value of the dummy model by metric, where there is one."""
    constant_name: str = ""
    level: float = 0.95
    view: str = "metrics"
    heading: str = ""
    """The title, where it is not that of metrics."""
    said: str = ""
    """What the names of the metrics mean, where the caption must tell."""

    @property
    def kind(self) -> str:
        return self.view

    @property
    def title(self) -> str:
        if self.heading:
            return self.heading
        scales = scaled(self.metrics)
        return "Metrics" if len(scales) > 1 or "share" in scales else f"Metrics: {', '.join(self.metrics)}"

    def panels(self) -> dict[str, Figure]:
        """A figure per scale: only metrics of one scale share an axis."""
        scales = {scale: {self.metrics[at] for at in places} for scale, places in scaled(self.metrics).items()}
        return {
            scale if number else "": replace(
                self,
                estimates={
                    model: {name: e for name, e in found.items() if name in names}
                    for model, found in self.estimates.items()
                },
                constant={name: value for name, value in self.constant.items() if name in names},
            )
            for number, (scale, names) in enumerate(scales.items())
        }

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(metric for found in self.estimates.values() for metric in found))

    @property
    def caption(self) -> str:
        tick = f" Grey tick: a dummy model ({self.constant_name})." if self.constant else ""
        return f"Point: value; line: {percent(self.level)} interval of each metric alone.{tick}{self.said}"

    @property
    def alt(self) -> str:
        said = [
            f"{model}: " + ", ".join(f"{metric} {told(e)}" for metric, e in found.items())
            for model, found in self.estimates.items()
        ]
        return f"{self.heading or 'Metrics'} with {percent(self.level)} intervals. {'. '.join(said)}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`metrics`: metric, model, value, low, high, method, constant."""
        lines = [
            (metric, model, self.estimates[model][metric])
            for metric in self.metrics
            for model in self.estimates
            if metric in self.estimates[model]
        ]
        ends = {name: [number_or_nan(e[name]) for _, _, e in lines] for name in ("value", "low", "high")}
        return {
            "metrics": {
                "metric": [metric for metric, _, _ in lines],
                "model": [model for _, model, _ in lines],
                **ends,
                "method": [e.get("method", "") for _, _, e in lines],
                "constant": [number_or_nan(self.constant.get(metric)) for metric, _, _ in lines],
            }
        }


def metric_forest(d: Mapping[str, Any], metrics: list[str] | None = None) -> MetricForest:
    """The printed metrics of an evaluation or of a comparison's models (its `to_dict()`), or those named.

    >>> one = {"value": 0.7, "low": 0.55, "high": 0.82, "printed": True}
    >>> metric_forest({"estimates": {"accuracy": one}, "baseline": None, "level": 0.95}).alt
    'Metrics with 95% intervals. model: accuracy 0.700 [0.550, 0.820].'
    """
    by_model = d["estimates"] if "models" in d else {"model": d["estimates"]}
    found = {
        model: {name: e for name, e in estimates.items() if _wanted(name, e, metrics)}
        for model, estimates in by_model.items()
    }
    if not any(found.values()):
        raise UsageError(
            "there is no value to draw: none of the metrics is defined here",
            fix="name metrics that have a value, or leave out the chart",
        )
    constant = d.get("baseline") if isinstance(d.get("baseline"), Mapping) else None
    shown = {name for estimates in found.values() for name in estimates}
    values = {name: value for name, value in (constant or {"estimates": {}})["estimates"].items() if name in shown}
    return MetricForest(
        estimates=found,
        constant={name: value for name, value in values.items() if value is not None},
        constant_name="" if constant is None else constant["name"],
        level=d["level"],
    )


def _wanted(name: str, e: Estimated, metrics: list[str] | None) -> bool:
    return e["value"] is not None and (e.get("printed", True) if metrics is None else name in metrics)
