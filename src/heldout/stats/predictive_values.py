"""Precision (or negative predictive value) of two models on the same rows.

Each is a share of the rows that its own model calls positive, so the two denominators differ and share some rows.
"""

from __future__ import annotations

from math import erfc, nan, sqrt

RightOfSaid = tuple[float, float]
"""Of the rows a model (or both) calls positive, how many are, and how many there are."""


def kosinski(first: RightOfSaid, second: RightOfSaid, both: RightOfSaid) -> float:
    """P-value of z^2 = (p1 - p2)^2 / ((p (1 - p) - 2 c) (1/n1 + 1/n2)), the weighted generalized score [kosinski13].

    p is the share in both samples together and c = (x (1 - p)^2 + (n - x) p^2) / (n1 + n2) over the n rows that both
    models call positive, x of them rightly. Without such rows it is the pooled z of two independent shares. 1 where the
    models call the same rows positive, nan where one of them calls none.

    >>> round(kosinski((65, 68), (66, 84), (64, 66)), 6)
    0.000305
    """
    (x1, n1), (x2, n2), (x, n) = first, second, both
    if n1 == 0 or n2 == 0:
        return nan
    apart, share = x1 / n1 - x2 / n2, (x1 + x2) / (n1 + n2)
    shared = (x * (1 - share) ** 2 + (n - x) * share**2) / (n1 + n2)
    variance = (share * (1 - share) - 2 * shared) * (1 / n1 + 1 / n2)
    return erfc(abs(apart) / sqrt(2 * variance)) if variance > 1e-15 else 1.0
