"""Arguments of the public functions, checked in calls from outside: code of the package passes what it has checked."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from heldout.errors import DataError, UsageError, did_you_mean
from heldout.stats.outcome import Outcome

SHARES = ("confidence_level", "alpha", "max_fpr")
LEAST = {
    **dict.fromkeys(("successes", "trials", "x1", "n1", "x2", "n2", "a", "b", "c", "d", "n"), 0),
    **dict.fromkeys(("var1", "var2", "variance", "error", "rope", "area"), 0),
    **dict.fromkeys(("n_resamples", "n_datasets", "units"), 1),
    "n_models": 2,
}
"""The least that a number may be. What is counted need not be whole: rows have weights."""
ANY_NUMBER = ("mean1", "mean2", "mean")
PARTS = ((("successes",), "trials"), (("x1",), "n1"), (("x2",), "n2"), (("b", "c"), "n"))
"""Counts, and of what they are parts."""
DIMENSIONS = {"differences": 1, "negative_scores": 1, "scores": 2, "pvalues": 1}
PAIRS = ("first", "second", "both")
"""A count, and of how many it is."""


def with_checked_arguments(function: Callable[..., Any], home: str) -> Callable[..., Any]:
    """The function, refusing what its arguments cannot be; it is pickled by its name in the package `home`.

    >>> from heldout.intervals.shares import wilson
    >>> with_checked_arguments(wilson, "heldout.stats")(6, 5)
    Traceback (most recent call last):
    heldout.errors.UsageError: wilson: successes is 6, which is more than trials, 5
      Fix: give the part, then the whole
    """
    shape, kinds = signature(function), get_type_hints(function)
    choices = {name: get_args(kind) for name, kind in kinds.items() if get_origin(kind) is Literal}

    @wraps(function)
    def checked(*given: Any, **named: Any) -> Any:
        try:
            bound = shape.bind(*given, **named).arguments
        except TypeError:
            return function(*given, **named)  # which says what is missing
        for name, value in bound.items():
            _check(f"{function.__name__}: {name}", name, value, choices.get(name))
            if name in DIMENSIONS and kinds[name] is not Any:  # the others look at shapes themselves
                _check_rows(f"{function.__name__}: {name}", name, value, noted=kinds["return"] is Outcome)
        for parts, whole in PARTS:
            if whole in bound and all(part in bound for part in parts):
                seen = sum(bound[part] for part in parts)
                if seen > bound[whole]:
                    verb = "is" if len(parts) == 1 else "add up to"
                    text = f"{function.__name__}: {' and '.join(parts)} {verb} {seen:g}, which is more than {whole}"
                    raise UsageError(f"{text}, {bound[whole]:g}", fix="give the part, then the whole")
        return function(*given, **named)

    checked.__module__ = home
    return checked


def _check(place: str, name: str, value: Any, choices: tuple[Any, ...] | None) -> None:
    if choices is not None and value not in choices:
        hint = did_you_mean(str(value), [str(one) for one in choices])
        raise UsageError(f"{place} is {value!r}{hint}", fix=f"give one of {', '.join(map(repr, choices))}")
    if name in SHARES and not 0 < _number(place, value) < 1:
        raise UsageError(f"{place} is {value:g}, but must be between 0 and 1", fix="give a number such as 0.95 or 0.05")
    if name in LEAST and not _number(place, value) >= LEAST[name]:
        text = f"{place} is {value:g}, but must be {LEAST[name]} or more"
        raise UsageError(text, fix=f"give a number from {LEAST[name]} on")
    if name in ANY_NUMBER:
        _number(place, value)
    if name == "area" and value > 1:
        raise UsageError(f"{place} is {value:g}, but must be 1 at most", fix="give an area from 0 to 1")
    if name in PAIRS:
        part, whole = (_number(place, one) for one in value)
        if not 0 <= part <= whole:
            raise UsageError(f"{place} is {part:g} of {whole:g}, which is no part", fix="give the part, then the whole")


def _check_rows(place: str, name: str, value: Any, *, noted: bool) -> None:
    """`noted`: the function gives back an outcome, whose note says what is missing."""
    try:
        found = np.asarray(value, float)
    except (TypeError, ValueError):
        raise DataError(f"{place} are not numbers", code="H108", fix="give a list or an array of numbers") from None
    if found.ndim != DIMENSIONS[name]:
        wanted = "one row of numbers" if DIMENSIONS[name] == 1 else "a table of numbers"
        raise DataError(f"{place} has the shape {found.shape}, not {wanted}", code="H112", fix=f"give {wanted}")
    if name != "pvalues" and not noted and np.isnan(found).any():
        fix = "complete it, or leave it out and say so"
        raise DataError(f"{place} has {int(np.isnan(found).sum())} nan", code="H305", fix=fix)
    outside = (found < 0) | (found > 1)
    if name == "pvalues" and outside.any():  # nan is a test that was not made
        text = f"{place} has {found[outside][0]:g}, but p-values are from 0 to 1"
        raise DataError(text, code="H108", fix="give p-values, and nan for a test that was not made")


def _number(place: str, value: Any) -> float:
    """A number that is finite."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{place} is {value!r}, which is not a number", fix="give one number") from None
    if not np.isfinite(found):
        raise UsageError(f"{place} is {found:g}, but must be a finite number", fix="give one number")
    return found
