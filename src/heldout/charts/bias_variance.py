"""The parts that an expected loss is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from heldout.charts.figure import Columns, Figure


@dataclass(frozen=True, kw_only=True)
class LossParts(Figure):
    """Bias, variance, noise and whatever else a decomposition names, each with the error that drawing leaves."""

    learner: str
    loss: str
    whole: Mapping[str, float]
    """value and error."""
    decompositions: Mapping[str, Mapping[str, Mapping[str, float]]]
    """By name of the decomposition, by part: value and error."""

    @property
    def kind(self) -> str:
        return "bias_variance"

    @property
    def title(self) -> str:
        return f"Where the {self.loss} loss of {self.learner} comes from"

    @property
    def caption(self) -> str:
        return "Bars add up to the whole. Lines: two Monte-Carlo errors."

    @property
    def alt(self) -> str:
        said = [
            f"{name}: " + ", ".join(f"{part} {one['value']:.4g}" for part, one in parts.items())
            for name, parts in self.decompositions.items()
        ]
        return f"{self.title}. The whole is {self.whole['value']:.4g}. {'. '.join(said)}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`parts`: decomposition, part, value, error, low, high (two errors around the value)."""
        lines = [
            (name, part, one["value"], one["error"])
            for name, parts in self.decompositions.items()
            for part, one in (*parts.items(), ("whole", self.whole))
        ]
        names, parts, values, errors = (list(column) for column in zip(*lines, strict=True))
        low, high = ([v + sign * 2 * e for v, e in zip(values, errors, strict=True)] for sign in (-1, 1))
        columns = {"decomposition": names, "part": parts, "value": values, "error": errors, "low": low, "high": high}
        return {"parts": columns}


def loss_parts(d: Mapping[str, Any]) -> LossParts:
    """The parts of a decomposition that the lab measured (its `to_dict()`)."""
    return LossParts(
        learner=d["learner"],
        loss=d["loss"],
        whole=d["whole"],
        decompositions={
            one["name"]: {part["name"]: {"value": part["value"], "error": part["error"]} for part in one["parts"]}
            for one in d["decompositions"]
        },
    )
