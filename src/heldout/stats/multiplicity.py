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
    def adjusted(pvalues: Array) -> Array:
        given = np.asarray(pvalues, float)
        known = ~np.isnan(given)
        result = np.full(given.shape, np.nan)
        if known.any():
            result[known] = np.minimum(rule(given[known]), 1.0)
        return result

    return adjusted


@_of_known
def bonferroni(pvalues: Array) -> Array:
    """Bonferroni's correction: each p-value times the number of tests.

    It controls the family-wise error rate under any dependence of the tests. `holm` does too, and rejects more.

    Parameters
    ----------
    pvalues : array-like of float
        One p-value per test; nan stays nan and does not count as a test.

    Returns
    -------
    ndarray
        The adjusted p-values, in the order given, at most 1.

    References
    ----------
    O. J. Dunn (1961). Multiple comparisons among means. Journal of the American Statistical Association 56(293),
    52–64. [dunn61]

    Examples
    --------
    >>> bonferroni([0.01, 0.02, 0.4]).round(4).tolist()
    [0.03, 0.06, 1.0]
    """
    return len(pvalues) * pvalues


@_of_known
def sidak(pvalues: Array) -> Array:
    """Šidák's correction: 1 - (1 - p)^m for m tests.

    It controls the family-wise error rate of independent tests.

    Parameters
    ----------
    pvalues : array-like of float
        One p-value per test; nan stays nan and does not count as a test.

    Returns
    -------
    ndarray
        The adjusted p-values, in the order given, at most 1.

    References
    ----------
    Z. Šidák (1967). Rectangular confidence regions for the means of multivariate normal distributions. Journal of
    the American Statistical Association 62(318), 626–633. [sidak67]

    Examples
    --------
    >>> sidak([0.01, 0.02, 0.4]).round(4).tolist()
    [0.0297, 0.0588, 0.784]
    """
    with np.errstate(divide="ignore"):
        return -np.expm1(len(pvalues) * np.log1p(-pvalues))


@_of_known
def holm(pvalues: Array) -> Array:
    """Holm's step-down correction for several tests.

    The j-th smallest p-value becomes the largest (m - i + 1) p_(i) over i <= j. It controls the family-wise error rate
    under any dependence of the tests.

    Parameters
    ----------
    pvalues : array-like of float
        One p-value per test; nan stays nan and does not count as a test.

    Returns
    -------
    ndarray
        The adjusted p-values, in the order given, at most 1.

    References
    ----------
    S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics
    6(2), 65–70. [holm79]

    Examples
    --------
    >>> holm([0.01, 0.02, 0.4]).round(4).tolist()
    [0.03, 0.04, 0.4]
    """
    return _in_order(pvalues, np.maximum.accumulate(np.sort(pvalues) * np.arange(len(pvalues), 0, -1)))


@_of_known
def hochberg(pvalues: Array) -> Array:
    """Hochberg's step-up correction for several tests.

    The j-th smallest p-value becomes the least (m - i + 1) p_(i) over i >= j. It controls the family-wise error rate
    of independent or positively dependent tests.

    Parameters
    ----------
    pvalues : array-like of float
        One p-value per test; nan stays nan and does not count as a test.

    Returns
    -------
    ndarray
        The adjusted p-values, in the order given, at most 1.

    References
    ----------
    Y. Hochberg (1988). A sharper Bonferroni procedure for multiple tests of significance. Biometrika 75(4),
    800–802. [hochberg88]

    Examples
    --------
    >>> hochberg([0.03, 0.04, 0.02]).round(4).tolist()
    [0.04, 0.04, 0.04]
    """
    return _in_order(pvalues, _least_from_here(np.sort(pvalues) * np.arange(len(pvalues), 0, -1)))


@_of_known
def benjamini_hochberg(pvalues: Array) -> Array:
    """Benjamini and Hochberg's correction, which controls the false discovery rate.

    The j-th smallest p-value becomes the least m p_(i) / i over i >= j. It controls the expected share of false
    rejections among all rejections, not the chance of any.

    Parameters
    ----------
    pvalues : array-like of float
        One p-value per test; nan stays nan and does not count as a test.

    Returns
    -------
    ndarray
        The adjusted p-values, in the order given, at most 1.

    References
    ----------
    Y. Benjamini, Y. Hochberg (1995). Controlling the false discovery rate: a practical and powerful approach to
    multiple testing. Journal of the Royal Statistical Society B 57(1), 289–300. [benjamini95]

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.02, 0.4]).round(4).tolist()
    [0.03, 0.03, 0.4]
    """
    return _in_order(pvalues, _least_from_here(np.sort(pvalues) * len(pvalues) / np.arange(1, len(pvalues) + 1)))


def _least_from_here(values: Array) -> Array:
    return np.minimum.accumulate(values[::-1])[::-1]


def _in_order(p: Array, of_sorted: Array) -> Array:
    """Values of the sorted p-values, put back where each came from."""
    result = np.empty_like(p)
    result[np.argsort(p, kind="stable")] = of_sorted
    return result
