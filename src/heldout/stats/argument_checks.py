"""What a textbook test is given, checked: each refusal says what was seen and what would do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError

MOST_TRIALS = 10_000_000
"""The exact test looks at every possible count, so this bounds its memory."""
MOST = 10**15
"""Larger counts are no longer whole as floating-point numbers."""
LARGEST = 1e60
"""Numbers beyond this, or closer to 0 than its inverse, have no usable square."""


def checked_alpha(alpha: float, place: str = "alpha") -> None:
    """Refuse what is not a significance level: more than 0, less than a half."""
    if not 1e-12 <= alpha < 0.5:  # below that 1 - alpha is 1, as far as floating-point numbers tell
        fix = "give a number above 0 and below 0.5, such as 0.05"
        raise UsageError(f"{place} is {alpha:g}, which is not a significance level", fix=fix)


def checked_alternative(alternative: str) -> None:
    """Refuse what is not an alternative hypothesis."""
    if alternative not in ("two-sided", "greater", "less"):
        raise UsageError(
            f"alternative is {alternative!r}, but must be 'two-sided', 'greater' or 'less'",
            fix="leave it out for 'two-sided'",
        )


def checked_counts(counts: Sequence[float], of: float | None = None) -> None:
    """Refuse counts that are negative, not whole, more than there are, or all zero."""
    total = sum(counts) if of is None else of
    for count in (*counts, total):
        if not (0 <= count <= MOST and count == int(count)):
            raise DataError(f"{count} is not a count", code="H110", fix="give whole numbers from 0 to 1e15")
    if total == 0:
        raise DataError("there is nothing to count: 0 in all", code="H110", fix="give the counts of at least one row")
    if of is not None and max(counts) > of:
        message = f"{max(counts)} of {of} is more than there are"
        raise DataError(message, code="H110", fix="give the part, then the whole")


def checked_share(share: float, place: str) -> None:
    """Refuse what is not a share between 0 and 1."""
    if not 0 < share < 1:
        raise UsageError(f"{place} is {share:g}, which is not between 0 and 1", fix="give a share such as 0.5")


def checked_mean(mean: float, place: str = "mean") -> None:
    """Refuse a mean that is missing or infinite, or whose square could be."""
    if not abs(mean) <= LARGEST:
        message = f"{place} is {mean:g}, but must be a number from {-LARGEST:g} to {LARGEST:g}"
        raise UsageError(message, fix="give a number such as 0")


def checked_sigmas(sigma0: float, sigma1: float, places: tuple[str, str] = ("sigma0", "sigma1")) -> None:
    """Refuse standard deviations that are not positive, or that do not differ."""
    for place, sigma in zip(places, (sigma0, sigma1), strict=True):
        if not 1 / LARGEST <= sigma <= LARGEST:
            message = f"{place} is {sigma:g}, but must be a standard deviation from {1 / LARGEST:g} to {LARGEST:g}"
            raise UsageError(message, fix="give a number such as 1")
    if sigma0 == sigma1:
        message = f"{places[0]} and {places[1]} are both {sigma0:g}: there is nothing to test"
        raise UsageError(message, fix="give two standard deviations that differ")


def counts_in(given: Any, dimensions: int) -> Array:
    """Counts in a row (one dimension) or a table (two), as numbers."""
    counts = numbers_in(given, "the counts")
    shape = " x ".join(map(str, counts.shape))
    if counts.ndim != dimensions or counts.size == 0:
        wanted = "one row of counts" if dimensions == 1 else "a table of lines and columns"
        raise DataError(f"the counts are {shape or 'one number'}, not {wanted}", code="H110", fix=f"give {wanted}")
    checked_counts(counts.ravel().tolist())
    if dimensions == 1 and len(counts) < 2:
        raise DataError("one count alone fits whatever is expected", code="H110", fix="give at least two counts")
    if dimensions == 2 and min(counts.shape) < 2:
        fix = "give at least two lines and two columns"
        raise DataError(f"a table of {shape} has nothing to be independent of", code="H110", fix=fix)
    return counts


def numbers_in(given: Any, name: str) -> Array:
    """Numbers that are finite and have a square."""
    try:
        found = np.asarray(given, float)
    except (TypeError, ValueError):
        raise DataError(f"{name} are not numbers", code="H108", fix="give a list or an array of numbers") from None
    bad = np.flatnonzero(~(np.abs(found.ravel()) <= LARGEST))
    if len(bad):
        message = f"number {bad[0] + 1} of {name} is {found.ravel()[bad[0]]:g}, which is missing or infinite"
        raise DataError(message, code="H305", fix="remove it, and say why it was removed")
    return found
