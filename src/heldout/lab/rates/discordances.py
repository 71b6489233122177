"""Two coins on the same rows: how often each alone is right, and how often McNemar's tests reject, without drawing."""

from __future__ import annotations

from bisect import bisect_left
from math import pi, sqrt

import numpy as np

from heldout.comparisons.discordance import Method, mcnemar

DISCORDANT: dict[str, Method] = {
    "auto": "midp",
    "mcnemar": "midp",
    "exact": "exact",
    "asymptotic": "asymptotic",
    "corrected": "corrected",
}
"""Tests of the rows on which models disagree, by the names that `compare` gives them."""


def discordance(first: float, second: float, correlation: float) -> tuple[float, float]:
    """Chances that the second model alone is right, and that the first alone is.

    Each is right where a normal of its own exceeds a bound; given what the normals share, they are independent.

    >>> [round(share, 4) for share in discordance(0.8, 0.8, 0.0)]
    [0.16, 0.16]
    """
    from scipy.special import ndtr, ndtri

    at = np.linspace(-9, 9, 4001)
    density = np.exp(-(at**2) / 2) / sqrt(2 * pi)
    one, other = (ndtr((sqrt(correlation) * at + ndtri(share)) / sqrt(1 - correlation)) for share in (first, second))
    both = float(np.trapezoid(density * one * other, at))
    return second - both, first - both


def rejected(more: float, less: float, n: int, method: Method, alpha: float) -> float:
    """P(p < alpha) of a McNemar test on n rows, b ~ more and c ~ less: over all (b, c), trinomial.

    >>> round(rejected(0.1, 0.1, 100, "exact", 0.05), 4)
    0.0294
    """
    from scipy.special import gammaln, xlogy

    total = np.arange(n + 1)
    fewer = np.array([_largest(int(m), method, alpha) for m in total])
    kept = fewer >= 0
    b = np.concatenate([np.r_[: k + 1, m - k : m + 1] for m, k in zip(total[kept], fewer[kept], strict=True)] or [[]])
    c = np.repeat(total[kept], 2 * (fewer[kept] + 1)) - b
    ways = gammaln(n + 1) - gammaln(b + 1) - gammaln(c + 1) - gammaln(n - b - c + 1)
    return float(np.sum(np.exp(ways + xlogy(b, more) + xlogy(c, less) + xlogy(n - b - c, 1 - more - less))))


def _largest(total: int, method: Method, alpha: float) -> int:
    """The largest smaller count of so many discordant rows that still rejects; -1 where none does."""
    half = total // 2 + 1
    return bisect_left(range(half), True, key=lambda k: mcnemar(total - k, k, method=method) >= alpha) - 1
