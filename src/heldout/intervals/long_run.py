"""The variance of a sum over times whose terms depend on those before: long-run variance, with degrees of freedom.

Two estimators. Where the horizon of a forecast is known, its errors are a moving average of horizon - 1 terms, and the
equal-weighted cosine estimator is used alone [lazarus18]. Otherwise an autoregression of one lag is
first removed (prewhitening), with its coefficient corrected for bias in short series [kendall54], and the variance is
scaled back [andrews92]: cosines alone reject 11% of true nulls at autocorrelation 0.8 and 50 times, and this 3%.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan

import numpy as np

from heldout.batch import Array

MOST = 0.97
"""The largest autocorrelation that is allowed for: beyond it a series wanders, and its mean says little."""
COSINES = 0.4
"""How many cosines are used: this times n^(2/3) [lazarus18]."""
FEWEST = 4
"""With fewer times than this nothing can be said about how they depend on each other."""
STILL = 1e-13
"""Terms that differ by less than this part of the largest do not differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LongRun:
    """The variance of a sum over times, and how well it is known."""

    variance: float
    df: float
    """Degrees of freedom of the variance: what Student's t takes."""
    autocorrelation: float
    """Between each time and the one before, as seen."""
    times: int
    plain: float
    """The variance if times were independent."""

    @property
    def effective(self) -> float:
        """Independent times that would give the same variance; no more than there are."""
        if not (self.variance > 0 and self.plain > 0):
            return nan
        return min(self.times * self.plain / self.variance, float(self.times))

    @property
    def widening(self) -> float:
        """How many times wider an interval is than if times were independent, degrees of freedom left aside."""
        return float(np.sqrt(self.variance / self.plain)) if self.variance > 0 and self.plain > 0 else nan


def cosine_count(times: int, horizon: int | None = None) -> int:
    """How many cosines carry the variance: 0.4 n^(2/3), and with a horizon h no more than n / (2 h); two at least.

    >>> cosine_count(100), cosine_count(50, 6), cosine_count(8)
    (9, 4, 2)
    """
    most = inf if horizon is None else times / (2 * horizon)
    return int(max(2, min(round(COSINES * times ** (2 / 3)), most)))


def long_run(moved: Array, horizon: int | None = None) -> LongRun:
    """The long-run variance of the sum of `moved`, which has one number per time, in order.

    >>> rng = np.random.default_rng(0)
    >>> white = rng.standard_normal(400)
    >>> linked = np.convolve(white, np.ones(5))[4:-4]
    >>> found = long_run(linked)
    >>> round(found.autocorrelation, 1), 3 < found.widening**2 < 7, found.df < 20
    (0.8, True, True)
    """
    times = len(moved)
    centred = moved - moved.mean() if times else moved
    squares = float(centred @ centred)
    level = float(np.abs(moved).max(initial=0.0))
    if times < FEWEST or not np.isfinite(squares) or not squares > (STILL * level) ** 2 * times:
        known = times > 1 and np.isfinite(squares)
        return LongRun(
            variance=0.0 if known and squares <= (STILL * level) ** 2 * times else nan, df=max(times - 1, 0),
            autocorrelation=nan, times=times, plain=squares * times / (times - 1) if known else nan,
        )  # fmt: skip
    seen = float(centred[1:] @ centred[:-1]) / squares
    coefficient = 0.0 if horizon is not None else _carried(seen, times)
    left = centred if coefficient == 0.0 else centred[1:] - coefficient * centred[:-1]
    count = cosine_count(times, horizon)
    waves = _projected(left[:, None], count)[:, 0]
    variance = times * float(waves @ waves) / count / (1 - coefficient) ** 2
    return LongRun(
        variance=variance,
        df=count if horizon is not None else _degrees(count, coefficient, times),
        autocorrelation=seen,
        times=times,
        plain=squares * times / (times - 1),
    )


SEASON = "a season: "
"""How the note on a season begins."""
SHORTEST_SEASON, LONGEST_SEASON = 4, 60
CHANCE, ALIKE = 4.0, 0.2
"""Times so far apart are alike where their autocorrelation is this many standard errors above zero, and so large."""


SHUFFLES, SHUFFLED = 199, 20_000
"""Orders of the times that chance is judged by, and up to how many times: a few heavy ones are alike at some lag."""


def _alike_by_chance(left: Array, lags: Array) -> float:
    """The largest autocorrelation at these lags among shuffled times."""
    rng = np.random.default_rng(0)
    length = 1 << (2 * len(left) - 1).bit_length()
    largest = 0.0
    for _ in range(SHUFFLES):
        waves = np.abs(np.fft.rfft(rng.permutation(left), length)) ** 2
        largest = max(largest, float(np.fft.irfft(waves)[lags].max()))
    return largest / max(float(left @ left), 1e-300)


def season_notes(moved: Array) -> tuple[str, ...]:
    """A note where times a season apart are alike beyond what neighbouring times explain; no estimator here sees that.

    >>> rng = np.random.default_rng(0)
    >>> season_notes(rng.standard_normal(300))
    ()
    >>> weekly = np.tile(rng.standard_normal(7), 40) + rng.standard_normal(280)
    >>> season_notes(weekly)[0][:29]
    'a season: times 7 apart are a'
    """
    times, lags = len(moved), np.arange(SHORTEST_SEASON, min(len(moved) // 4, LONGEST_SEASON) + 1)
    centred = moved - moved.mean() if times else moved
    squares = float(centred @ centred)
    if not len(lags) or not (0 < squares < inf):
        return ()
    left = centred[1:] - _carried(float(centred[1:] @ centred[:-1]) / squares, times) * centred[:-1]
    left = left - left.mean()
    alike = np.array([float(left[lag:] @ left[:-lag]) for lag in lags]) / max(float(left @ left), 1e-300)
    # the first of the largest: a season comes again at its multiples
    lag, seen = int(lags[alike.argmax()]), float(alike.max())
    first = next((int(one) for one, r in zip(lags, alike, strict=True) if lag % one == 0 and r > 0.8 * seen), lag)
    if seen <= max(CHANCE / times**0.5, ALIKE) or (times <= SHUFFLED and seen <= _alike_by_chance(left, lags)):
        return ()
    apart = f"times {first} apart are alike (autocorrelation {seen:.2f})"
    return (f"{SEASON}{apart}, which is not allowed for: do not rely on this, or let each time be a whole season",)


def joint_long_run(moved: Array, horizon: int | None = None) -> tuple[Array, float]:
    """The long-run covariance of several sums, a column of `moved` each, and its degrees of freedom.

    One autoregression, the strongest of all columns, is removed from every column, so that the matrix is a covariance.

    >>> one = np.random.default_rng(0).standard_normal(300)
    >>> covariance, df = joint_long_run(np.stack([one, one], axis=1))
    >>> bool(np.isclose(covariance[0, 0], covariance[0, 1])), 10 < df < 18
    (True, True)
    """
    times = len(moved)
    if times < FEWEST:
        return np.full((moved.shape[1], moved.shape[1]), nan), float(max(times - 1, 0))
    centred = moved - moved.mean(axis=0)
    squares = np.einsum("ij,ij->j", centred, centred)
    products = np.einsum("ij,ij->j", centred[1:], centred[:-1])
    seen = np.divide(products, squares, out=np.full(len(squares), -1.0), where=squares > 0)
    coefficient = 0.0 if horizon is not None else _carried(float(seen.max()), times)
    left = centred if coefficient == 0.0 else centred[1:] - coefficient * centred[:-1]
    count = cosine_count(times, horizon)
    waves = _projected(left, count)
    covariance = times * (waves.T @ waves) / count / (1 - coefficient) ** 2
    return covariance, count if horizon is not None else _degrees(count, coefficient, times)


def _carried(seen: float, times: int) -> float:
    """The autocorrelation corrected for its bias, -(1 + 3 r) / n [kendall54]; 0 where it is negative."""
    return float(min(max((times * seen + 1) / (times - 3), 0.0), MOST))


def _degrees(count: int, coefficient: float, times: int) -> float:
    """Degrees of freedom after Satterthwaite: of the cosines, and of the coefficient, known from n (1 - r) / (1 + r).

    The variance is divided by (1 - r)^2, and r has the variance (1 - r^2) / n: in relative terms 2 / B + 4 / n_eff.
    """
    worth = times * (1 - coefficient) / (1 + coefficient)
    return 1 / (1 / count + 2 / worth)


def _projected(terms: Array, count: int) -> Array:
    """sqrt(2 / n) sum_t cos(pi j (t - 1/2) / n) x_t for j = 1 .. count, of every column x."""
    times = len(terms)
    if count <= DIRECT:
        phase = (np.arange(times) + 0.5) * (np.pi / times)
        waves = np.cos(np.multiply.outer(np.arange(1, count + 1), phase))
        return np.asarray(np.sqrt(2 / times) * (waves @ terms))
    from scipy.fft import dct  # n log n where many cosines would take n^(5/3)

    return np.asarray(np.sqrt(2 / times) / 2 * dct(terms, axis=0)[1 : count + 1])


DIRECT = 60
"""Up to so many cosines, sums are faster than loading a Fourier transform."""
