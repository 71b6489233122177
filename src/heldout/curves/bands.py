"""A curve as data, and its bands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from heldout.batch import Array, Backend
from heldout.errors import UsageError, did_you_mean
from heldout.frame_output import frame_of
from heldout.intervals.scales import critical_z
from heldout.intervals.simultaneous import sup_t_of
from heldout.tallies.scores import Scores

GRID = 101
"""How many places along a curve its bands are given at."""


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Points of a curve, and bands around it at a grid of places."""

    name: str
    x: str
    y: str
    points: Mapping[str, Array]
    """Columns of equal length: the threshold and what holds there."""
    band: Mapping[str, Array] = field(default_factory=dict)
    """Columns of equal length: x, y, low and high (pointwise), band_low and band_high (all points at once)."""
    level: float = 0.95
    method: str = ""
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        points = len(next(iter(self.points.values()), ()))
        band = f", {100 * self.level:.6g}% bands ({self.method})" if self.band else ""
        shown = f"{self.name}: {self.y} against {self.x}, {points:,} points{band}"
        return f"{shown}\n[Curve: .to_frame(), .to_frame('band'), .to_dict()]"

    def to_frame(
        self,
        part: Literal["points", "band"] = "points",
        backend: Backend | None = None,
    ) -> Any:
        """The points or the band as a frame.

        Parameters
        ----------
        part : {"points", "band"}, default "points"
            Which of the two.
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library whose frame is returned (default: the first of these three that is installed; pyarrow always
            is).

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            One line per point.

        See Also
        --------
        records : The same as a list of dictionaries.
        """
        return frame_of(self._columns(part), backend)

    def records(self, part: Literal["points", "band"] = "points") -> list[dict[str, Any]]:
        """The points or the band as plain rows; undefined and infinite numbers are None.

        Parameters
        ----------
        part : {"points", "band"}, default "points"
            Which of the two.

        Returns
        -------
        list of dict
            One dictionary per point.
        """
        plain = {name: _plain(column) for name, column in self._columns(part).items()}
        return [dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]

    def _columns(self, part: str) -> Mapping[str, Array]:
        known = {"points": self.points, "band": self.band}
        if part not in known:
            hint = did_you_mean(part, known)
            raise UsageError(f"the curve has no part {part!r}{hint}", fix="choose one of points, band")
        return known[part]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "name": self.name,
            "x": self.x,
            "y": self.y,
            "points": {name: _plain(column) for name, column in self.points.items()},
            "band": {name: _plain(column) for name, column in self.band.items()},
            "level": self.level,
            "method": self.method,
            "notes": list(self.notes),
        }


def banded(
    x: Array,
    y: Array,
    covariance: Array,
    *,
    level: float,
    seed: int,
    ends: tuple[float, float] = (0.0, 1.0),
    at_edge: float,
    together: tuple[Array, Array] | None = None,
) -> dict[str, Array]:
    """Pointwise and simultaneous bands around y from the covariance of its points: effective-n Wilson in the range.

    Where the variance vanishes (at 0 and 1) the band rests on `at_edge` rows, as it does for a single share. A
    simultaneous band that is known otherwise is `together`, low and high; it is never narrower than the pointwise one.
    """
    low, high = ends
    span = high - low
    share = np.clip((y - low) / span, 0, 1)
    variance = np.maximum(np.diag(covariance) / span**2, 0)
    inside = (variance > 1e-24) & (share > 0) & (share < 1)
    trials = np.where(inside, share * (1 - share) / np.where(inside, variance, 1), at_edge)
    trials = np.minimum(trials, 1e15)
    columns = {"x": x, "y": y}
    reaches = {("low", "high"): critical_z(level)}
    if together is None:
        reaches["band_low", "band_high"] = sup_t_of(covariance, level, draws=4000, rng=np.random.default_rng(seed))
    for names, z in reaches.items():
        middle = (share + z**2 / (2 * trials)) / (1 + z**2 / trials)
        reach = z / (1 + z**2 / trials) * np.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
        columns[names[0]] = low + span * np.clip(middle - reach, 0, share)
        columns[names[1]] = low + span * np.clip(middle + reach, share, 1)
    if together is not None:
        columns["band_low"] = np.minimum(together[0], columns["low"])
        columns["band_high"] = np.maximum(together[1], columns["high"])
    return columns


def class_covariance(tally: Scores, thresholds: Array, on_positives: Array, on_negatives: Array) -> Array:
    """Covariance of points that move by `on_positives` per unit of recall and `on_negatives` per unit of FPR.

    `thresholds` are places in the tally: a row counts where its place is at or above it.
    """
    if not tally.row_by_row:
        return _independent(tally.positives_below, thresholds, on_positives) + _independent(
            tally.negatives_below, thresholds, on_negatives
        )
    weight = np.ones(len(tally.hits)) if tally.weight is None else tally.weight
    unit = np.arange(len(tally.hits)) if tally.unit is None else tally.unit
    moved = np.empty((tally.units, len(thresholds)))
    masses = {True: tally.positives.sum(), False: tally.negatives.sum()}
    for j, threshold in enumerate(thresholds):
        called = tally.place >= threshold
        per_row = np.zeros(len(called))
        for side, slope in ((True, on_positives[j]), (False, on_negatives[j])):
            chosen = tally.hits == side
            rate = weight[chosen & called].sum() / masses[side]
            per_row[chosen] = slope * weight[chosen] * (called[chosen] - rate) / masses[side]
        moved[:, j] = np.bincount(unit, weights=per_row, minlength=tally.units)
    return moved.T @ moved


def _independent(below: Array, thresholds: Array, slope: Array) -> Array:
    """The same where every row is drawn by itself: rates at two thresholds share the rows above the higher one."""
    total = below[-1]
    rate = 1 - below[thresholds] / total
    return np.outer(slope, slope) * (np.minimum.outer(rate, rate) - np.outer(rate, rate)) / total


def grid_places(reached: Array, wanted: Array) -> Array:
    """For each wanted rate: the place of the lowest threshold whose rate is at most that; rates fall with the place."""
    found = len(reached) - np.searchsorted(reached[::-1], wanted, side="right")
    return np.clip(found, 0, len(reached))


def _plain(column: Array) -> list[Any]:
    return [None if isinstance(number, float) and not np.isfinite(number) else number for number in column.tolist()]
