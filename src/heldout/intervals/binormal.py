"""Areas under the ROC curve of normal scores with equal spread in both classes: how far they and two of them vary."""

from __future__ import annotations

from functools import cache
from math import asin, pi

import numpy as np

from heldout.batch import Array

NODES = 64
"""Points of the quadrature: 12 digits for correlations up to 0.99."""


def orthant_covariance(first: float, second: float, correlation: float) -> float:
    """P(Z1 < h, Z2 < k) - P(Z1 < h) P(Z2 < k) of two standard normals, by Plackett's integral [plackett54].

    It is the integral of exp(-(h^2 + k^2 - 2 h k sin t) / (2 cos^2 t)) / (2 pi) for t from 0 to arcsin(correlation).

    >>> round(orthant_covariance(0.0, 0.0, 0.5), 6)  # arcsin(1/2) / (2 pi)
    0.083333
    """
    points, shares = _nodes()
    reach = asin(correlation)
    angle = (points + 1) * reach / 2
    spread = first**2 + second**2 - 2 * first * second * np.sin(angle)
    return float(shares @ np.exp(-spread / (2 * np.cos(angle) ** 2)) * reach / (4 * pi))


@cache
def _nodes() -> tuple[Array, Array]:
    """Gauss and Legendre's points between -1 and 1, and how much each counts."""
    return np.polynomial.legendre.leggauss(NODES)


def binormal_covariance(
    first: float, second: float, positives: float, negatives: float, correlation: float = 0.0
) -> float:
    """[C(r) + (m + k - 2) C(r / 2)] / (m k): covariance of two areas whose scores in a class correlate by r.

    C(r) is the covariance above at the normal quantiles of the areas: two models order one pair of rows by differences
    of scores that correlate by r, and two pairs that share one row by differences that correlate by r / 2. These are
    the terms of a two-sample U-statistic [delong88], so that nothing is left out, for m positives and k negatives.

    >>> round(binormal_covariance(0.8, 0.85, 50, 100, 0.5) * 1e4, 4)
    5.4497
    """
    from scipy.special import ndtri

    h, k = float(ndtri(first)), float(ndtri(second))
    same, shared = (orthant_covariance(h, k, r) for r in (correlation, correlation / 2))
    return (same + (positives + negatives - 2) * shared) / (positives * negatives)


def binormal_variance(area: float, positives: float, negatives: float) -> float:
    """[A (1 - A) + (m + k - 2) C(1/2)] / (m k): the covariance of an area with itself.

    >>> round(binormal_variance(0.68, 10, 10) ** 0.5, 6)
    0.121453
    """
    from scipy.special import ndtri

    h = float(ndtri(area))
    return (area * (1 - area) + (positives + negatives - 2) * orthant_covariance(h, h, 0.5)) / (positives * negatives)
