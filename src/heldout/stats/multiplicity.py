"""Many p-values at once: each adjusted so that it can be held against the level of the whole family.

nan stays nan and does not count as a test.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import numpy as np

from heldout.batch import Array

Adjustment = Callable[[Array], Array]


def _of_known(rule: Adjustment) -> Adjustment:
    """The rule over the p-values there are."""

    @wraps(rule)
    def adjusted(p: Array) -> Array:
        given = np.asarray(p, float)
        known = ~np.isnan(given)
        result = np.full(given.shape, np.nan)
        if known.any():
            result[known] = np.minimum(rule(given[known]), 1.0)
        return result

    return adjusted


@_of_known
def bonferroni(p: Array) -> Array:
    """Each p times m, the number of tests: holds the family-wise error whatever the dependence [dunn61].

    >>> bonferroni(np.array([0.01, 0.02, 0.4])).round(4).tolist()
    [0.03, 0.06, 1.0]
    """
    return len(p) * p


@_of_known
def sidak(p: Array) -> Array:
    """1 - (1 - p)^m: holds the family-wise error of independent tests [sidak67].

    >>> sidak(np.array([0.01, 0.02, 0.4])).round(4).tolist()
    [0.0297, 0.0588, 0.784]
    """
    with np.errstate(divide="ignore"):
        return -np.expm1(len(p) * np.log1p(-p))


@_of_known
def holm(p: Array) -> Array:
    """Stepping down: the largest (m - j + 1) p_(j) so far, p_(1) the smallest; holds whatever the dependence [holm79].

    >>> holm(np.array([0.01, 0.02, 0.4])).round(4).tolist()
    [0.03, 0.04, 0.4]
    """
    return _in_order(p, np.maximum.accumulate(np.sort(p) * np.arange(len(p), 0, -1)))


@_of_known
def hochberg(p: Array) -> Array:
    """Stepping up: the least (m - j + 1) p_(j) from here on; holds for independent or positively dependent tests.

    [hochberg88]

    >>> hochberg(np.array([0.03, 0.04, 0.02])).round(4).tolist()
    [0.04, 0.04, 0.04]
    """
    return _in_order(p, _least_from_here(np.sort(p) * np.arange(len(p), 0, -1)))


@_of_known
def benjamini_hochberg(p: Array) -> Array:
    """The least m p_(j) / j from here on: holds the expected share of false rejections, not their chance [benjamini95].

    >>> benjamini_hochberg(np.array([0.01, 0.02, 0.4])).round(4).tolist()
    [0.03, 0.03, 0.4]
    """
    return _in_order(p, _least_from_here(np.sort(p) * len(p) / np.arange(1, len(p) + 1)))


def _least_from_here(values: Array) -> Array:
    return np.minimum.accumulate(values[::-1])[::-1]


def _in_order(p: Array, of_sorted: Array) -> Array:
    """Values of the sorted p-values, put back where each came from."""
    result = np.empty_like(p)
    result[np.argsort(p, kind="stable")] = of_sorted
    return result
