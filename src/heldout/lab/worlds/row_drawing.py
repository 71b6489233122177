"""How rows of a simulation are drawn, whatever its family: clusters, weights, times, ties, fixed class sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from heldout.batch import Array, Batch, TimeOrder
from heldout.errors import UsageError
from heldout.lab.name_parsing import Range, within
from heldout.lab.worlds.recipe import Recipe

SHARED: dict[str, float] = {
    "icc": 0.0, "size": 1, "largest": 0, "weights": 0.0, "hard": 0.0, "heavy": 9.0, "rho": 0.0,
    "digits": -1, "ties": 0.0, "fixed": 0,
}  # fmt: skip
"""Parameters that every simulation has, and their defaults."""
RANGES: dict[str, Range] = {
    "icc": Range(0, 1, closed="low"),
    "size": Range(1, 100_000),
    "largest": Range(0, 100_000),
    "weights": Range(0, 5),
    "hard": Range(0, 1, closed="low"),
    "heavy": Range(0, 1_000_000, closed="high"),
    "rho": Range(-1, 1, closed="neither"),
    "digits": Range(-1, 15),
    "ties": Range(0, 1_000),
    "fixed": Range(0, 1),
}
"""What they may be."""
UNITS: dict[str, float] = {"icc": 0.3, "size": 10}
"""What `clustered-` sets."""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """How rows are drawn, whatever the family."""

    icc: float = 0.0
    """Correlation of the normals behind two rows of one unit."""
    size: int = 1
    """Rows of a unit."""
    largest: int = 0
    """Rows of the largest unit, where sizes differ: ten sizes from 1 to it, in turns; 0: all have `size` rows."""
    weights: float = 0.0
    """Spread of the logarithm of the weights; 0: no weights."""
    hard: float = 0.0
    """Share of the rows about which the model knows nothing."""
    heavy: float = 9.0
    """What such a row weighs, others weighing 1."""
    rho: float = 0.0
    """Correlation of the normals behind a row and the next one; rows have times then."""
    step: float = 0.0
    """Scores are rounded to multiples of this; 0: not at all."""
    fixed: bool = False
    """Whether every sample has the expected number of rows of each class."""

    @property
    def plain(self) -> bool:
        """Whether every row is drawn by itself and counts one."""
        return not (self.clustered or self.weighted or self.rho)

    @property
    def clustered(self) -> bool:
        """Whether rows share units."""
        return self.size > 1 or self.largest > 1

    @property
    def weighted(self) -> bool:
        """Whether rows weigh differently."""
        return bool(self.weights or self.hard)

    @property
    def unseen(self) -> float:
        """How much of all weight is on rows about which the model knows nothing."""
        return self.hard * self.heavy / (1 - self.hard + self.hard * self.heavy)

    @property
    def mean_size(self) -> float:
        """Rows of a unit in the mean."""
        return float(self._sizes.mean()) if self.largest > 1 else self.size

    @property
    def _sizes(self) -> Array:
        """Sizes of units that follow each other, largest and smallest mixed."""
        return np.rint(np.geomspace(1, self.largest, 10)).astype(int)[[4, 9, 1, 6, 3, 8, 0, 7, 2, 5]]

    def units(self, rows: int, samples: int = 1) -> Array | None:
        """Which unit each row belongs to: where rows depend on those before, its time; None where it is its own."""
        if not (self.clustered or self.rho):
            return None
        if self.rho:
            one = np.arange(rows)
        elif self.largest > 1:
            sizes = np.tile(self._sizes, rows // int(self._sizes.sum()) + 1)
            one = np.repeat(np.arange(len(sizes)), sizes)[:rows]
        else:
            one = np.arange(rows) // self.size
        if samples == 1:
            return one
        return (one + (int(one[-1]) + 1) * np.arange(samples)[:, None]).ravel()

    def normals(self, count: int, rows: int, rng: np.random.Generator, samples: int = 1) -> Array:
        """Standard normals, `count` for each row, alike within units and from row to row."""
        alone = rng.standard_normal((count, samples * rows))
        if self.rho and alone.size:
            alone = _serial(alone.reshape(count, samples, rows), self.rho).reshape(count, -1)
        unit = self.units(rows, samples) if self.clustered else None
        if unit is None:
            return alone
        common = rng.standard_normal((count, int(unit[-1]) + 1))[:, unit]
        return sqrt(self.icc) * common + sqrt(1 - self.icc) * alone

    def shared(self, recipe: Recipe, rows: int, rng: np.random.Generator, samples: int = 1) -> Array:
        """The normals that decide the truth; with `fixed`, the first of them at equal steps of probability."""
        drawn = self.normals(recipe.shared, rows, rng, samples)
        if self.fixed and recipe.shared:
            from scipy.special import ndtri

            places = np.argsort(np.argsort(drawn[0].reshape(samples, rows), axis=1), axis=1)
            drawn[0] = ndtri((places + 0.5) / rows).ravel()
        return drawn

    def seen(self, shared: Array, rng: np.random.Generator) -> tuple[Array, Array | None]:
        """What models see of the normals that decide the truth, and which rows are hard: there it is nothing."""
        if not self.hard:
            return shared, None
        hard = np.asarray(rng.random(shared.shape[1]) < self.hard)
        return np.where(hard, rng.standard_normal(shared.shape), shared), hard

    def batch(self, recipe: Recipe, shared: Array, own: Array, weight: Array | None, **more: Any) -> Batch:
        """One model's rows; `more`: what it sees of the shared normals, and samples that follow each other."""
        said: dict[str, Any] = dict(recipe.said(more.get("seen", shared), own))
        if self.step and "score" in said:
            said["score"] = np.round(said["score"] / self.step) * self.step
        samples = more.get("samples", 1)
        unit = self.units(shared.shape[1] // samples, samples)
        facts: dict[str, Any] = {"unit": unit, "time": TimeOrder() if self.rho else None, "weight": weight}
        return Batch(task=recipe.task, truth=recipe.truth(shared), **facts, **said, **recipe.facts)

    def weighed(self, rows: int, rng: np.random.Generator, hard: Array | None = None) -> Array | None:
        """Weights that have nothing to do with the rows, or that tell hard rows."""
        if hard is not None:
            return np.where(hard, self.heavy, 1.0)
        return np.exp(self.weights * rng.standard_normal(rows)) if self.weights else None


def _serial(alone: Array, rho: float) -> Array:
    """Standard normals of which each correlates by rho with the one before it, along the last axis."""
    from scipy.signal import lfilter

    scaled = sqrt(1 - rho**2) * alone
    scaled[..., 0] = alone[..., 0]
    return np.asarray(lfilter([1.0], [1.0, -rho], scaled, axis=-1))


def drawing(word: str, chosen: Mapping[str, Any]) -> Drawing:
    """How a simulation with these parameters is drawn; parameters out of range are refused.

    >>> drawing("coin", {**SHARED, "size": 2}).units(5).tolist()
    [0, 0, 1, 1, 2]
    """
    within(word, RANGES, chosen)
    if chosen["rho"] and (chosen["size"] > 1 or chosen["largest"] > 1):
        fix = "rho is for rows whose units are times: leave out size, largest and clustered-"
        raise UsageError(f"the world {word!r} has both rho and clusters", fix=fix)
    return Drawing(
        **{name: float(chosen[name]) for name in ("icc", "weights", "hard", "heavy", "rho")},
        size=int(chosen["size"]),
        largest=int(chosen["largest"]),
        step=float(chosen["ties"]) or (10.0 ** -int(chosen["digits"]) if chosen["digits"] >= 0 else 0.0),
        fixed=bool(chosen["fixed"]),
    )
