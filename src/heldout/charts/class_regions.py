"""Gaussian classes: the regions in which the Bayes classifier predicts each of them, or their densities on a line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from heldout.batch import Array
from heldout.charts.figure import Columns, Figure, Shape


@dataclass(frozen=True, kw_only=True)
class ClassRegions(Figure):
    """Two features: the most likely class of each cell of a grid, and an ellipse or two around each class."""

    shape: ClassVar[Shape] = "square"
    world: str
    classes: int
    x: Array
    """Centres of the cells, along the first feature and along the second."""
    y: Array
    best: Array
    """The most likely class, a row per y and a column per x."""
    certainty: Array
    """Its probability at that point."""
    ellipses: Mapping[str, Array]
    """Class and how many standard deviations → points around its mean."""
    borders: Mapping[str, Array] = field(default_factory=dict)
    """Rule → segments of the border of its regions: x, y, x2, y2."""
    bayes_error: float
    slice: bool = False
    """Whether there are more than two features, and the others are 0 here."""

    @property
    def kind(self) -> str:
        return "bayes_regions"

    @property
    def title(self) -> str:
        return f"Regions of the Bayes classifier, {self.world}"

    @property
    def caption(self) -> str:
        cut = " All other features are 0." if self.slice else ""
        return (
            "Background: the most likely class, stronger where it is more certain. Ellipses: one and two standard "
            f"deviations around each mean.{cut} The Bayes error is {self.bayes_error:.4g}."
        )

    @property
    def alt(self) -> str:
        shares = [f"class {c} in {(self.best == c).mean():.0%} of the area" for c in range(self.classes)]
        return f"{self.title}. Most likely: {', '.join(shares)}. The Bayes error is {self.bayes_error:.4g}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`regions`: x1, x2, class, certainty; `ellipses`: class, x1, x2; `borders`: rule, x1, x2, to_x1, to_x2."""
        across, up = np.meshgrid(self.x, self.y)
        found: dict[str, Columns] = {
            "regions": {
                "x1": across.ravel(),
                "x2": up.ravel(),
                "class": self.best.ravel(),
                "certainty": self.certainty.ravel(),
            },
            "ellipses": {
                "class": [name for name, points in self.ellipses.items() for _ in points],
                "x1": np.concatenate([points[:, 0] for points in self.ellipses.values()]),
                "x2": np.concatenate([points[:, 1] for points in self.ellipses.values()]),
            },
        }
        if any(len(border) for border in self.borders.values()):
            segments = np.concatenate(list(self.borders.values()))
            ends = {name: segments[:, at] for at, name in enumerate(("x1", "x2", "to_x1", "to_x2"))}
            found["borders"] = {"rule": [name for name, border in self.borders.items() for _ in border], **ends}
        return found


@dataclass(frozen=True, kw_only=True)
class ClassDensities(Figure):
    """One feature: p(x, c) of each class, and below their minimum what even the best rule gets wrong."""

    world: str
    x: Array
    joint: Array
    """A column per class."""
    thresholds: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Rule → where its prediction changes."""
    bayes_error: float

    @property
    def kind(self) -> str:
        return "bayes_regions"

    @property
    def title(self) -> str:
        return f"Classes and the Bayes error, {self.world}"

    @property
    def caption(self) -> str:
        rules = f" Upright lines: where {', '.join(self.thresholds)} changes its prediction." if self.thresholds else ""
        return (
            f"Lines: p(x, c) of each class. The shaded area, {self.bayes_error:.4g}, is the Bayes error: what every "
            f"class but the most likely one has at x.{rules}"
        )

    @property
    def alt(self) -> str:
        peaks = [f"class {c} peaks at {self.x[self.joint[:, c].argmax()]:.3g}" for c in range(self.joint.shape[1])]
        return f"{self.title}. {', '.join(peaks)}. The Bayes error is {self.bayes_error:.4g}."

    @property
    def lost(self) -> Array:
        """What the best rule gets wrong at each x."""
        return self.joint.sum(axis=1) - self.joint.max(axis=1)

    @property
    def parts(self) -> dict[str, Columns]:
        """`densities`: class, x, p; `lost`: x, p; `thresholds`: rule, x."""
        count = self.joint.shape[1]
        found: dict[str, Columns] = {
            "densities": {
                "class": [f"class {c}" for c in range(count) for _ in self.x],
                "x": np.tile(self.x, count),
                "p": self.joint.T.ravel(),
            },
            "lost": {"x": self.x, "p": self.lost},
        }
        if any(self.thresholds.values()):
            found["thresholds"] = {
                "rule": [name for name, places in self.thresholds.items() for _ in places],
                "x": [place for places in self.thresholds.values() for place in places],
            }
        return found
