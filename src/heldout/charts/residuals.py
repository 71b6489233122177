"""Residuals of a regression: against the prediction, and their quantiles against the normal ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from heldout.batch import Array, Batch
from heldout.charts.figure import Columns, Figure, Shape, counted, percent
from heldout.errors import UsageError, did_you_mean
from heldout.intervals.scales import critical_t
from heldout.intervals.simultaneous import sidak

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
        return f"Normal Q-Q plot of errors{f', {self.target}' if self.target else ''}"

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
            return "Normal errors lie on the dashed line. There is no band, because rows are clustered."
        level = percent(self.level)
        return (
            f"Normal errors lie on the dashed line. Band: simultaneous {level} band of normal errors; "
            f"inner band: {level} at each point."
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


POINTS = 1500
"""So many rows are drawn one by one."""
ACROSS, UP = 60, 44
"""Cells of the grid."""


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """Rows by two numbers: points, or cells with the rows in each."""

    columns: Columns
    """x and y of each point; or left, right, bottom, top and rows of each cell that has rows."""
    binned: bool


def cloud(x: Array, y: Array) -> Cloud:
    """The rows one by one where they are few, otherwise counted in a grid over their range.

    >>> cloud(np.arange(3.0), np.arange(3.0)).binned, int(cloud(np.arange(9e3), np.arange(9e3)).columns["rows"].sum())
    (False, 9000)
    """
    if len(x) <= POINTS:
        return Cloud(columns={"x": x, "y": y}, binned=False)
    (i, across), (j, up) = _cells(x, ACROSS), _cells(y, UP)
    counts = np.bincount(i * UP + j, minlength=ACROSS * UP)
    kept = np.flatnonzero(counts)
    i, j = kept // UP, kept % UP
    edges = {"left": across[i], "right": across[i + 1], "bottom": up[j], "top": up[j + 1]}
    return Cloud(columns={**edges, "rows": counts[kept]}, binned=True)


def _cells(values: Array, count: int) -> tuple[Array, Array]:
    """Which of `count` equal cells each value is in, and their edges."""
    low, high = float(values.min()), float(values.max())
    high = high if high > low else low + 1
    place = ((values - low) * (count / (high - low))).astype(np.int64)
    return np.minimum(place, count - 1), np.linspace(low, high, count + 1)


BINS = 10


@dataclass(frozen=True, kw_only=True)
class PredictedTruth(Figure):
    """Truth against prediction, and the line on which they agree."""

    shape: ClassVar[Shape] = "square"
    cloud: Cloud
    rows: int
    within: float
    """The correlation of truth and prediction."""
    target: str = ""

    @property
    def kind(self) -> str:
        return "predicted"

    @property
    def title(self) -> str:
        return f"Truth against prediction{f', {self.target}' if self.target else ''}"

    @property
    def caption(self) -> str:
        shown = "The stronger the colour, the more rows." if self.cloud.binned else "One dot per row."
        return f"Dashed: predictions that are right. {shown}"

    @property
    def alt(self) -> str:
        return f"{self.title}, {counted(self.rows, 'row')}. Their correlation is {self.within:.3f}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`rows`: x (prediction) and y (truth); where they are many, cells: left, right, bottom, top, rows."""
        return {"rows": self.cloud.columns}


@dataclass(frozen=True, kw_only=True)
class ResidualCloud(Figure):
    """Truth less prediction, against prediction; its mean in bins, with intervals."""

    cloud: Cloud
    rows: int
    bins: Mapping[str, Array]
    """prediction (mean of the bin), mean, low, high, band_low, band_high, rows."""
    level: float
    target: str = ""

    @property
    def kind(self) -> str:
        return "residuals"

    @property
    def title(self) -> str:
        return f"Errors against prediction{f', {self.target}' if self.target else ''}"

    @property
    def caption(self) -> str:
        level = percent(self.level)
        return f"Error: truth minus prediction. Points: mean in bins; bars: {level} of each alone, thin: all at once."

    @property
    def alt(self) -> str:
        b = self.bins
        lines = zip(b["prediction"], b["mean"], b["low"], b["high"], strict=True)
        means = ", ".join(f"{mean:.3g} [{low:.3g}, {high:.3g}] at {x:.3g}" for x, mean, low, high in lines)
        return f"{self.title}, {counted(self.rows, 'row')}. Mean error by prediction: {means}."

    @property
    def parts(self) -> dict[str, Columns]:
        """`bins`: prediction, mean, low, high, band_low, band_high, rows; `rows`: x (prediction) and y (error)."""
        return {"bins": self.bins, "rows": self.cloud.columns}


def predicted_truth(batch: Batch, target: str | None = None) -> PredictedTruth:
    """Truth against prediction of a batch of numbers, of one target where there are several."""
    truth, prediction, name = _target(batch, target)
    spread = float(np.std(truth) * np.std(prediction))
    around = np.mean((truth - truth.mean()) * (prediction - prediction.mean()))
    return PredictedTruth(
        cloud=cloud(prediction, truth),
        rows=len(truth),
        within=float(around) / spread if spread > 0 else float("nan"),
        target=name,
    )


def residual_cloud(batch: Batch, target: str | None = None, *, level: float = 0.95) -> ResidualCloud:
    """Errors against predictions, and their mean in ten bins of equal size."""
    truth, prediction, name = _target(batch, target)
    error = truth - prediction
    return ResidualCloud(
        cloud=cloud(prediction, error),
        rows=len(error),
        bins=binned_means(prediction, error, level=level, weight=batch.weight, unit=batch.unit),
        level=level,
        target=name,
    )


def binned_means(
    x: Array, y: Array, *, level: float, bins: int = BINS, weight: Array | None = None, unit: Array | None = None
) -> dict[str, Array]:
    """Mean of y in bins of x with equally many rows: Student intervals, of each alone and all at once (Sidak).

    Rows of one unit count as one draw: the variance of a mean is that of its units' sums.

    >>> found = binned_means(np.arange(6.0), np.array([1.0, 2, 3, 5, 6, 7]), level=0.95, bins=2)
    >>> found["mean"].tolist(), found["low"].round(3).tolist()
    ([2.0, 6.0], [-0.484, 3.516])
    """
    order = np.argsort(x, kind="stable")
    count = max(min(bins, len(x) // 2), 1)
    place = np.empty(len(x), dtype=np.int64)
    place[order] = np.arange(len(x)) * count // len(x)
    w = np.ones(len(x)) if weight is None else weight
    total = np.bincount(place, w, count)
    mean = np.bincount(place, w * y, count) / total
    apart = w * (y - mean[place])
    draws = np.arange(len(x)) if unit is None else unit
    lines, line = np.unique(np.stack([place, draws]), axis=1, return_inverse=True) if unit is not None else (None, None)
    inside = place if lines is None else lines[0]
    moved = apart if line is None else np.bincount(line.ravel(), apart)
    units = np.bincount(inside, minlength=count)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(np.bincount(inside, moved**2, count) * units / (units - 1)) / total
    found = {"prediction": np.bincount(place, w * x, count) / total, "mean": mean}
    for names, each in ((("low", "high"), level), (("band_low", "band_high"), sidak(level, count))):
        reach = np.array([critical_t(each, max(int(n) - 1, 1)) for n in units]) * error
        found[names[0]], found[names[1]] = mean - reach, mean + reach
    return {**found, "rows": np.bincount(place, minlength=count)}


def _target(batch: Batch, target: str | None) -> tuple[Array, Array, str]:
    """Truth and prediction of one target, and its name where there are several."""
    assert batch.prediction is not None
    if batch.truth.ndim == 1:
        return batch.truth, batch.prediction, ""
    names = [str(label) for label in batch.labels]
    name = names[0] if target is None else target
    if name not in names:
        raise UsageError(
            f"no target is named {name!r}{did_you_mean(name, names)}", fix=f"choose one of {', '.join(names)}"
        )
    at = names.index(name)
    return batch.truth[:, at], batch.prediction[:, at], name
