"""How much more one model has than another, with interval, margin and verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from heldout.charts.axis_scales import scaled
from heldout.charts.figure import Columns, Estimated, Figure, number_or_nan, percent, told
from heldout.errors import UsageError

FACTS = (
    "metric",
    "model",
    "baseline",
    "value",
    "low",
    "high",
    "pvalue_adjusted",
    "test",
    "verdict",
    "margin",
    "rows_needed",
)


@dataclass(frozen=True, kw_only=True)
class DifferenceForest(Figure):
    """One interval per difference a - b, the margin around zero, and what may be said of it."""

    differences: Sequence[Mapping[str, Any]]
    """As a comparison's `to_dict()` has them: metric, model, baseline, value, low, high, verdict, margin and so on."""
    level: float = 0.95
    primary: str | None = None
    subject: str = "metric"
    """What names the lines: the metric, or the pair of models."""

    @property
    def kind(self) -> str:
        return "differences"

    @property
    def title(self) -> str:
        pairs = {(one["model"], one["baseline"]) for one in self.differences}
        return f"{' minus '.join(next(iter(pairs)))}" if len(pairs) == 1 else "Differences"

    def panels(self) -> dict[str, Figure]:
        """A figure per scale, that of the metric which decides first: only metrics of one scale share an axis."""
        if self.subject == "pair":
            return {"": self}
        scales = scaled([one["metric"] for one in self.differences])
        first = sorted(scales.items(), key=lambda one: 0 not in one[1]) if self.primary else list(scales.items())
        return {
            scale if number else "": replace(self, differences=[self.differences[at] for at in places])
            for number, (scale, places) in enumerate(first)
        }

    @property
    def margins(self) -> bool:
        return any(one.get("margin") for one in self.differences)

    @property
    def caption(self) -> str:
        margin = " Grey band: equivalence margin." if self.margins else ""
        decides = any(one["metric"] == self.primary for one in self.differences)
        first = f" {self.primary} decides." if decides else ""
        return (
            f"Line: {percent(self.level)} interval of the difference. Filled: decided; hollow, marked ~: undecided."
            f"{margin}{first}"
        )

    @property
    def names(self) -> list[str]:
        """What each line is called."""
        many = len({(one["model"], one["baseline"]) for one in self.differences}) > 1
        pairs = [f"{one['model']} − {one['baseline']}" for one in self.differences]
        if self.subject == "pair":
            return pairs
        return [
            f"{one['metric']}: {pair}" if many else one["metric"]
            for one, pair in zip(self.differences, pairs, strict=True)
        ]

    @property
    def alt(self) -> str:
        said = [f"{name} {told(one)}, {one['verdict']}" for name, one in zip(self.names, self.differences, strict=True)]
        return f"{self.title}, with {percent(self.level)} intervals. {'; '.join(said)}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`differences`: one column per fact in `FACTS`."""
        numbers = ("value", "low", "high", "pvalue_adjusted", "margin", "rows_needed")
        return {
            "differences": {
                name: [number_or_nan(one.get(name)) if name in numbers else one.get(name) for one in self.differences]
                for name in FACTS
            }
        }


def difference_forest(d: Mapping[str, Any], metrics: list[str] | None = None) -> DifferenceForest:
    """The printed differences of a comparison (its `to_dict()`), the primary metric first, or those named."""
    primary = d.get("primary")
    shown = [one for one in d["differences"] if one["value"] is not None and _wanted(one, primary, metrics)]
    if not shown:
        raise UsageError(
            "there is no difference to draw: none of the metrics has a test here",
            fix="name metrics that are tested, or leave out the chart",
        )
    ordered = sorted(shown, key=lambda one: bool(one["metric"] != primary))
    return DifferenceForest(differences=ordered, level=d["level"], primary=primary)


def pair_forest(d: Mapping[str, Any]) -> DifferenceForest:
    """Every pair of learners over data sets (the `to_dict()` of a ranking)."""
    named = {"metric": "score", "margin": d["rope"]}
    pairs = [{**one, **named, "model": one["a"], "baseline": one["b"]} for one in d["pairs"]]
    return DifferenceForest(differences=pairs, level=d["level"], subject="pair")


def _wanted(one: Estimated, primary: str | None, metrics: list[str] | None) -> bool:
    if metrics is not None:
        return one["metric"] in metrics
    return bool(one.get("printed", True)) or one["metric"] == primary
