"""Errors against a normal distribution, quantile by quantile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from heldout.batch import Array, Batch
from heldout.charts.captions import counted, percent
from heldout.charts.figure import Columns, Figure, Shape
from heldout.charts.residuals import _target

PLACES = 161
DRAWS = 1000


@dataclass(frozen=True, kw_only=True)
class QuantilePlot(Figure):
    """Quantiles of standardised errors against those of a normal distribution, with the bands of normal errors."""

    shape: ClassVar[Shape] = "square"
    points: Mapping[str, Array]
    """normal, error (mean 0, standard deviation 1); low, high and band_low, band_high where rows are independent."""
    rows: int
    level: float
    seed: int
    target: str = ""

    @property
    def kind(self) -> str:
        return "quantiles"

    @property
    def title(self) -> str:
        return f"Errors against a normal distribution{f', {self.target}' if self.target else ''}"

    @property
    def outside(self) -> float:
        """Share of the shown quantiles outside the band for all at once; nan without bands."""
        if "band_low" not in self.points:
            return float("nan")
        error = self.points["error"]
        return float(np.mean((error < self.points["band_low"]) | (error > self.points["band_high"])))

    @property
    def caption(self) -> str:
        if "band_low" not in self.points:
            return "Normal errors lie on the dashed line. Rows share units, so no band can be given."
        level = percent(self.level)
        return (
            f"Normal errors lie on the dashed line; band: where {level} of samples of normal errors stay "
            f"as a whole, inner band: {level} at each place alone."
        )

    @property
    def alt(self) -> str:
        said = "" if np.isnan(self.outside) else f" {self.outside:.0%} of the quantiles lie outside the band."
        first, last = self.points["error"][0], self.points["error"][-1]
        ends = f"The smallest error is {first:.3g}, the largest {last:.3g} standard deviations from the mean."
        return f"{self.title}, {counted(self.rows, 'row')}. {ends}{said}"

    @property
    def parts(self) -> dict[str, Columns]:
        """`quantiles`: normal, error, low, high, band_low, band_high."""
        return {"quantiles": self.points}


def quantile_plot(batch: Batch, target: str | None = None, *, level: float = 0.95, seed: int = 0) -> QuantilePlot:
    """Quantiles of a batch's errors, standardised by their mean and standard deviation; weights are left out."""
    from scipy.special import ndtri

    truth, prediction, name = _target(batch, target)
    error = np.sort(truth - prediction)
    n, spread = len(error), float(np.std(truth - prediction))
    ranks = _ranks(n)
    found = {
        "normal": ndtri((ranks - 0.5) / n),
        "error": (error[ranks - 1] - error.mean()) / (spread or 1.0),
    }
    if batch.unit is None:
        found |= normal_bands(ranks, n, level=level, seed=seed)
    return QuantilePlot(points=found, rows=n, level=level, seed=seed, target=name)


def normal_bands(ranks: Array, n: int, *, level: float, seed: int) -> dict[str, Array]:
    """Where the order statistics of n standard normal rows lie: each alone, and all at once by equal local levels.

    The k-th smallest of n uniform numbers is beta(k, n + 1 - k) [david03]. The local level of the band is the quantile,
    over drawn samples, of their least two-sided local p-value [aldor13]. Mean and standard deviation are taken as
    known; estimating them brings errors closer to the line, so that the bands are a little too wide.
    """
    from scipy.special import betainc, betaincinv, ndtri

    rng = np.random.default_rng(seed)
    steps = np.diff(ranks, prepend=0, append=n + 1)
    sums = np.cumsum(rng.standard_gamma(steps, size=(DRAWS, len(steps))), axis=1)
    below = betainc(ranks, n + 1 - ranks, sums[:, :-1] / sums[:, -1:])
    local = float(np.quantile(2 * np.minimum(below, 1 - below).min(axis=1), 1 - level))
    bands = {}
    for names, each in ((("low", "high"), 1 - level), (("band_low", "band_high"), local)):
        for end, tail in zip(names, (each / 2, 1 - each / 2), strict=True):
            bands[end] = ndtri(betaincinv(ranks, n + 1 - ranks, tail))
    return bands


def _ranks(n: int) -> Array:
    """All ranks where they are few; otherwise ranks evenly spaced on the normal scale, both ends among them."""
    from scipy.special import ndtr, ndtri

    if n <= PLACES:
        return np.arange(1, n + 1)
    edge = float(ndtri(1 - 0.5 / n))
    return np.unique(np.clip(np.round(n * ndtr(np.linspace(-edge, edge, PLACES)) + 0.5), 1, n).astype(np.int64))
