"""What parameters of worlds may be."""

from __future__ import annotations

from heldout.errors import UsageError


def between(low: float, high: float, **given: float) -> None:
    """Refuse parameters that do not lie strictly between two numbers.

    >>> between(0, 1, p=0.5)
    """
    for name, value in given.items():
        if not low < value < high:
            raise UsageError(f"the {name} of a world is {value:g}, but must lie between {low:g} and {high:g}")
