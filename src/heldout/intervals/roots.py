"""Where an interval that has no closed form ends."""

from __future__ import annotations

from collections.abc import Callable

STEPS = 64
"""Halvings: a few more than the bits of a double."""


def edge(inside: Callable[[float], bool], outside: float, within: float) -> float:
    """The last point inside on the way from `within` to `outside`, by bisection.

    `inside` has to change once between the two; where it never holds, the answer is `within`.

    >>> round(edge(lambda p: p * p > 0.5, 0.0, 1.0), 6)
    0.707107
    """
    for _ in range(STEPS):
        middle = (outside + within) / 2
        if inside(middle):
            within = middle
        else:
            outside = middle
    return within
