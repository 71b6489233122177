"""Probabilities against what happened, with the spread of the scores below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from heldout.batch import Array
from heldout.charts.figure import Columns, Estimated, Figure, Shape, percent, told
from heldout.curves.bands import Curve

BINS = 40
"""Bins of the histogram of scores."""


@dataclass(frozen=True, kw_only=True)
class CalibrationBins(Figure):
    """Mean probability and share that happened in bins, with intervals, per model; and how often scores occur."""

    shape: ClassVar[Shape] = "square"
    curves: Mapping[str, Curve]
    """By model: chance, happened and rows of each bin; bands alone and all bins together."""
    spread: Mapping[str, Array] = field(default_factory=dict)
    """By model: share of the rows in each of equal bins from 0 to 1."""
    slopes: Mapping[str, Estimated] = field(default_factory=dict)
    """By model: the calibration slope; 1 is calibrated."""

    @property
    def kind(self) -> str:
        return "calibration"

    @property
    def title(self) -> str:
        return "Calibration"

    @property
    def names(self) -> dict[str, str]:
        """What stands beside each model's points: its slope."""
        slopes = {model: f"slope {told(slope)}" for model, slope in self.slopes.items()}
        if len(self.curves) == 1:
            return {model: slopes.get(model, model) for model in self.curves}
        return {model: ": ".join(filter(None, (model, slopes.get(model)))) for model in self.curves}

    @property
    def caption(self) -> str:
        level = percent(next(iter(self.curves.values())).level)
        below = " Below: histogram of the scores." if self.spread else ""
        return f"Dashed: perfect calibration. Bars: {level} in each bin alone, thin: in all bins at once.{below}"

    @property
    def alt(self) -> str:
        models = [
            f"{model}: in {len(curve.points['chance'])} bins, "
            + ", ".join(
                f"{y:.2f} observed where {x:.2f} was predicted"
                for x, y in zip(curve.points["chance"], curve.points["happened"], strict=True)
            )
            for model, curve in self.curves.items()
        ]
        slopes = [f"{model}: calibration slope {told(slope)}" for model, slope in self.slopes.items()]
        return ". ".join(["Calibration", *slopes, *models]) + "."

    @property
    def parts(self) -> dict[str, Columns]:
        """`bins`: model, chance, happened, rows and both intervals; `spread`: model, left, right, share."""
        curves = self.curves
        names = ("chance", "happened", "rows")
        bins = {name: np.concatenate([curve.points[name] for curve in curves.values()]) for name in names}
        ends = ("low", "high", "band_low", "band_high")
        bins |= {name: np.concatenate([curve.band[name] for curve in curves.values()]) for name in ends}
        model = [name for name, curve in curves.items() for _ in curve.points["chance"]]
        parts: dict[str, Columns] = {"bins": {"model": model, **bins}}
        if self.spread:
            edges = [np.linspace(0, 1, len(share) + 1) for share in self.spread.values()]
            parts["spread"] = {
                "model": [name for name, share in self.spread.items() for _ in share],
                "left": np.concatenate([edge[:-1] for edge in edges]),
                "right": np.concatenate([edge[1:] for edge in edges]),
                "share": np.concatenate(list(self.spread.values())),
            }
        return parts


def calibration_bins(
    curves: Mapping[str, Curve],
    *,
    scores: Mapping[str, tuple[Array, Array | None]] | None = None,
    slopes: Mapping[str, Estimated] | None = None,
) -> CalibrationBins:
    """Calibration curves of one or several models; `scores` are probabilities and weights, for the histogram.

    >>> from heldout.curves import calibration
    >>> p = np.array([0.1, 0.2, 0.7, 0.9])
    >>> figure = calibration_bins({"model": calibration([0, 0, 1, 1], p, bins=2)}, scores={"model": (p, None)})
    >>> figure.curves["model"].points["happened"].tolist(), float(figure.spread["model"].sum())
    ([0.0, 1.0], 1.0)
    """
    spread = {model: shares_in_bins(score, weight) for model, (score, weight) in (scores or {}).items()}
    return CalibrationBins(curves=dict(curves), spread=spread, slopes=slopes or {})


def shares_in_bins(score: Array, weight: Array | None = None, bins: int = BINS) -> Array:
    """Share of the rows whose score lies in each of equal bins from 0 to 1.

    >>> shares_in_bins(np.array([0.0, 0.1, 0.6, 1.0]), bins=2).tolist()
    [0.5, 0.5]
    """
    place = np.minimum((score * bins).astype(np.int64), bins - 1)
    found = np.bincount(place, weights=weight, minlength=bins)
    return found / found.sum()
