"""Curves of one or several models in one picture: ROC, precision and recall, gain, lift, cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from heldout.charts.figure import Columns, Estimated, Figure, Shape, brief, percent, told
from heldout.charts.thinning import TOLERANCE, thinned
from heldout.curves.bands import Curve
from heldout.errors import UsageError, did_you_mean

Place = tuple[float, float, float]
"""A threshold, and x and y there."""


MOST_BANDS = 4
"""With more curves than this no band is drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What the axes of a curve are, in plain words."""

    title: str
    x: str
    y: str
    area: str | None = None
    """The metric that is the area below the curve."""
    without_skill: str = ""
    """What the dashed line is."""


CURVES = {
    "roc": Meaning(
        title="ROC curve",
        x="false positive rate: share of the negatives predicted positive",
        y="recall: share of the positives found",
        area="roc_auc",
        without_skill="guessing",
    ),
    "precision_recall": Meaning(
        title="Precision and recall",
        x="recall: share of the positives found",
        y="precision: share of the predicted positives that are right",
        area="average_precision",
        without_skill="random scores: precision is the prevalence",
    ),
    "gain": Meaning(
        title="Cumulative gain",
        x="share of the rows taken, highest scores first",
        y="share of the positives found",
        without_skill="rows in random order",
    ),
    "lift": Meaning(
        title="Lift",
        x="share of the rows taken, highest scores first",
        y="lift: positives relative to random order",
        without_skill="rows in random order",
    ),
    "cost": Meaning(
        title="Cost curve",
        x="probability cost: prevalence and costs in one number",
        y="lowest expected cost, as a share of the highest",
        without_skill="always predicting the cheaper class",
    ),
}


@dataclass(frozen=True, kw_only=True)
class CurveLines(Figure):
    """Curves of one kind, one per model, with bands: pointwise, and valid for all points at once."""

    shape: ClassVar[Shape] = "square"
    curve: str
    """roc, precision_recall, gain, lift or cost."""
    curves: Mapping[str, Curve]
    """By model; points are thinned, bands are at a grid of places."""
    areas: Mapping[str, Estimated] = field(default_factory=dict)
    """By model: the area below the curve, with its interval."""
    operating: Mapping[str, Place] = field(default_factory=dict)
    """By model: where the threshold in use puts it."""
    prevalence: float | None = None
    """Share of the positives: the precision of guessing."""

    @property
    def kind(self) -> str:
        return self.curve

    @property
    def meaning(self) -> Meaning:
        return CURVES[self.curve]

    @property
    def title(self) -> str:
        return self.meaning.title

    @property
    def level(self) -> float:
        return next(iter(self.curves.values())).level

    @property
    def names(self) -> dict[str, str]:
        """What stands beside each line: the model, and the area below its curve."""
        areas = {model: f"area {told(area)}" for model, area in self.areas.items()}
        if len(self.curves) == 1:
            return {model: areas.get(model, model) for model in self.curves}
        return {model: ": ".join(filter(None, (model, areas.get(model)))) for model in self.curves}

    @property
    def banded(self) -> bool:
        """Whether bands are drawn: more than a few would hide each other."""
        return len(self.curves) <= MOST_BANDS and any(curve.band for curve in self.curves.values())

    @property
    def caption(self) -> str:
        level = percent(self.level)
        inner = f", inner band: {level} at each place alone" if len(self.curves) == 1 else ""
        said = [f"Band: {level} for the whole curve at once{inner}."] if self.banded else []
        if len(self.curves) > MOST_BANDS:
            said.append("Bands of so many curves would overlap: they are in the table only.")
        if self.curve != "precision_recall" or self.prevalence is not None:
            said.append(f"Dashed: {self.meaning.without_skill}.")
        dots = sorted({f"{threshold:.6g}" for threshold, _, _ in self.operating.values()})
        if dots:
            said.append(f"Dot: the threshold {', '.join(dots)}.")
        return " ".join(said)

    @property
    def alt(self) -> str:
        said = "; ".join(f"{model}: {self._walk(curve)}" for model, curve in self.curves.items())
        areas = "; ".join(f"{model}: area {told(area)}" for model, area in self.areas.items())
        meaning = self.meaning
        axes = f"{meaning.title}: {brief(meaning.y)} against {brief(meaning.x)}"
        return ". ".join(filter(None, (axes, areas, said))) + "."

    def _walk(self, curve: Curve) -> str:
        """The curve at a few places."""
        across, up = brief(self.meaning.x), brief(self.meaning.y)
        places = [0.1, 0.2, 0.5]
        found = np.interp(places, curve.points[curve.x], curve.points[curve.y])
        return f"{up} " + ", ".join(
            f"{y:.2f} at {across if first else ''} {x:g}".replace("  ", " ")
            for x, y, first in zip(places, found, (True, False, False), strict=True)
        )

    @property
    def parts(self) -> dict[str, Columns]:
        """`points`: model, threshold, x, y; `band`: model, x, y, low, high, band_low, band_high; `operating` points."""
        parts = {"points": _joined({name: _named(curve) for name, curve in self.curves.items()})}
        if any(curve.band for curve in self.curves.values()):
            parts["band"] = _joined({name: curve.band for name, curve in self.curves.items() if curve.band})
        if self.operating:
            columns = np.array(list(self.operating.values())).T
            parts["operating"] = {
                "model": list(self.operating),
                "threshold": columns[0],
                "x": columns[1],
                "y": columns[2],
            }
        return parts


def curve_lines(
    name: str,
    curves: Mapping[str, Curve],
    *,
    areas: Mapping[str, Estimated] | None = None,
    thresholds: Mapping[str, float | None] | None = None,
    prevalence: float | None = None,
) -> CurveLines:
    """The curves of one or several models, thinned, with the places of the thresholds in use.

    >>> from heldout.curves import roc
    >>> figure = curve_lines("roc", {"model": roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])}, thresholds={"model": 0.5})
    >>> figure.operating["model"]
    (0.5, 0.0, 0.5)
    """
    if name not in CURVES:
        known = f"choose one of {', '.join(CURVES)}"
        raise UsageError(f"no chart of curves is named {name!r}{did_you_mean(name, CURVES)}", fix=known)
    given = {model: at for model, at in (thresholds or {}).items() if at is not None}
    return CurveLines(
        curve=name,
        curves={model: thinned_curve(through_ties(one) if name == "lift" else one) for model, one in curves.items()},
        areas=areas or {},
        operating={model: _place(curves[model], at) for model, at in given.items() if name != "cost"},
        prevalence=prevalence,
    )


STEP = 0.01
"""Between two points of a lift curve that are farther apart, points are put in."""


def through_ties(curve: Curve) -> Curve:
    """The lift between tied scores too, whose rows are taken in random order: the gain is linear there, not the lift.

    >>> from heldout.curves import lift
    >>> tied = lift([1, 0, 1, 0, 0], [0.9, 0.9, 0.1, 0.1, 0.1])
    >>> dense = through_ties(tied).points
    >>> [round(float(np.interp(at, dense["taken"], dense["lift"])), 3) for at in (0.2, 0.4, 0.7, 1.0)]
    [1.25, 1.25, 1.071, 1.0]
    """
    taken, thresholds = curve.points["taken"], curve.points["threshold"]
    gain = np.append(0.0, taken * curve.points["lift"])
    between = np.arange(STEP, 1, STEP)
    places = np.union1d(taken, between)
    group = np.minimum(np.searchsorted(taken, places), len(taken) - 1)
    # rows of a dense curve stay as they are: a place is put in only where no point is near
    near = np.diff(np.append(0.0, taken))[group] <= STEP
    kept = ~near | np.isin(places, taken)
    places, group = places[kept], group[kept]
    lift = np.interp(places, np.append(0.0, taken), gain) / places
    return replace(curve, points={"threshold": thresholds[group], "taken": places, "lift": lift})


def thinned_curve(curve: Curve, tolerance: float = TOLERANCE) -> Curve:
    """The curve with few points: at no x farther from the whole one than the tolerance, in units of its highest point.

    Curves of shares have 1 as their unit, even where they stay low.
    """
    x, y = curve.points[curve.x], curve.points[curve.y]
    kept = thinned(x, y, tolerance * max(1.0, float(np.max(y))))
    return replace(curve, points={name: column[kept] for name, column in curve.points.items()})


def _place(curve: Curve, threshold: float) -> Place:
    """Where the curve is when scores at or above the threshold are positive; thresholds fall along the curve."""
    reached = np.searchsorted(-curve.points["threshold"], -threshold, side="right") - 1
    at = max(int(reached), 0)
    return threshold, float(curve.points[curve.x][at]), float(curve.points[curve.y][at])


def _named(curve: Curve) -> dict[str, Any]:
    return {"threshold": curve.points["threshold"], "x": curve.points[curve.x], "y": curve.points[curve.y]}


def _joined(tables: Mapping[str, Columns]) -> Columns:
    """Tables by model, one below the other, with the model as a column."""
    first = next(iter(tables.values()))
    sizes = {model: len(next(iter(table.values()))) for model, table in tables.items()}
    joined = {name: np.concatenate([table[name] for table in tables.values()]) for name in first}
    return {"model": [model for model, size in sizes.items() for _ in range(size)], **joined}
