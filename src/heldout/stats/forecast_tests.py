"""Two forecasts of the same series: Diebold and Mariano's test, and what autocorrelation its horizon leaves out."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.intervals.means import student
from heldout.stats.outcome import Outcome
from heldout.stats.paired_means import two_sided_t

ROUNDING = 1e-12
"""Differences that differ by less than this part of the largest are equal."""
BEYOND = 3.0
"""Standard errors from which on an autocorrelation that should be zero is named."""


def diebold_mariano(differences: Array, *, horizon: int = 1, confidence_level: float = 0.95) -> Outcome:
    """Diebold and Mariano's test that two forecasts have the same expected loss, with Harvey's correction.

    The variance of the mean difference adds the autocovariances up to lag `horizon` - 1, because errors of forecasts h
    steps ahead depend on the h - 1 before. The statistic is multiplied by sqrt((n + 1 - 2 h + h (h - 1) / n) / n) and
    compared with Student's t with n - 1 degrees of freedom.

    Parameters
    ----------
    differences : array-like of float
        Loss of the first forecast minus loss of the second, in the order of time.
    horizon : int, default 1
        Steps ahead of the forecasts, h.
    confidence_level : float, default 0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    Outcome
        The mean difference, its interval, the corrected statistic and the two-sided p-value; nan with a note where the
        autocovariances add up to no positive variance.

    Raises
    ------
    UsageError
        If the horizon is not a whole number from 1 to the number of differences.

    References
    ----------
    F. X. Diebold, R. S. Mariano (1995). Comparing predictive accuracy. Journal of Business & Economic Statistics
    13(3), 253–263. [diebold95]

    D. Harvey, S. Leybourne, P. Newbold (1997). Testing the equality of prediction mean squared errors. International
    Journal of Forecasting 13(2), 281–291. [harvey97]

    Examples
    --------
    >>> outcome = diebold_mariano([0.1, 0.2, 0.4, 0.5, 0.3, 0.1, -0.2, -0.1, 0.2, 0.3], horizon=2)
    >>> round(outcome.statistic, 3), round(outcome.pvalue, 3)
    (1.622, 0.139)
    """
    given = np.asarray(differences, float)
    n, h = len(given), horizon
    if not 1 <= h <= max(n, 1) or h != int(h):
        raise UsageError(
            f"the horizon is {horizon!r}, but must be a whole number from 1 to the {n:,} differences",
            fix="give the number of steps that the forecasts look ahead",
        )
    words = f"Diebold-Mariano, h={h}"
    mean = float(given.mean()) if n else nan
    if n < 2 or not np.isfinite(given).all():
        return _untold(mean, words, "fewer than two times" if n < 2 else "some differences are infinite or missing")
    centred = given - mean
    covariances = [float(centred[lag:] @ centred[: n - lag]) / n for lag in range(h)]
    variance = (covariances[0] + 2 * sum(covariances[1:])) / n
    correction = (n + 1 - 2 * h + h * (h - 1) / n) / n
    if not variance > (ROUNDING * float(np.abs(given).max())) ** 2 / n:
        why = f"the autocovariances up to lag {h - 1} add up to no positive variance; --test t (test='t') has one"
        return _untold(mean, words, why if h > 1 else "all differences are equal")
    if not correction > 0:
        return _untold(mean, words, f"{n} times are too few for a horizon of {h}")
    error = sqrt(variance / correction)
    low, high = student(mean, error, n - 1, confidence_level)
    return Outcome(
        value=mean, low=low, high=high, level=confidence_level, pvalue=two_sided_t(mean / error, n - 1),
        statistic=mean / error, df=n - 1, error=error, test=words,
    )  # fmt: skip


def _untold(mean: float, test: str, why: str) -> Outcome:
    return Outcome(value=mean, low=nan, high=nan, pvalue=nan, test=test, notes=(f"not tested: {why}",))


def beyond_horizon(moved: Array, horizon: int | None) -> tuple[str, ...]:
    """A note where the autocorrelation at lag `horizon`, which should be zero, is not; Bartlett's error [bartlett46].

    >>> beyond_horizon(np.sin(np.arange(200) / 30), 2)[0][:55]
    'autocorrelation is 1.00 at lag 2, where forecasts 2 ste'
    """
    n = len(moved)
    if horizon is None or n < 4 * horizon + 10:
        return ()
    centred = moved - moved.mean()
    squares = float(centred @ centred)
    if not squares > 0:
        return ()
    seen = [float(centred[lag:] @ centred[: n - lag]) / squares for lag in range(1, horizon + 1)]
    error = sqrt((1 + 2 * sum(r * r for r in seen[:-1])) / n)
    if seen[-1] <= BEYOND * error:
        return ()
    steps = f"{horizon} step{'' if horizon == 1 else 's'} ahead"
    note = (
        f"autocorrelation is {seen[-1]:.2f} at lag {horizon}, where forecasts {steps} should leave none: intervals are "
        "too narrow; leave out --horizon (horizon=)"
    )
    return (note,)
