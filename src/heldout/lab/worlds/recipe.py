"""How the rows of a world come about: each is made of a few standard normals.

Some of them decide the truth and are seen by every model; the others are a model's own. Rows of one unit share part of
all of them, models that are alike share part of their own: each row and each model by itself stays what it was, so that
the true values hold whatever is shared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from heldout.batch import Array, Task
from heldout.errors import UsageError


def between(low: float, high: float, **given: float) -> None:
    """Refuse parameters that do not lie strictly between two numbers.

    >>> between(0, 1, p=0.5)
    """
    for name, value in given.items():
        if not low < value < high:
            fix = f"such as {name}={(low + high) / 2:g}" if high < float("inf") else f"such as {name}={low + 1:g}"
            raise UsageError(f"the {name} of a world is {value:g}, but must lie between {low:g} and {high:g}", fix=fix)


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Rows from standard normals, one column of them per row."""

    about: str
    """A sentence about the world."""
    task: Task
    shared: int
    """Normals of a row that decide its truth, and that every model sees."""
    own: int
    """Normals of a row that one model alone sees."""
    truth: Callable[[Array], Array]
    """What is right, from the shared normals."""
    said: Callable[[Array, Array], Mapping[str, Array]]
    """What a model says, from the shared normals and its own: prediction, score, or both."""
    values: Callable[[], Mapping[str, float]]
    """The true value of every metric that is known."""
    varied: Callable[[float, float], Mapping[str, float]] | None = None
    """The same where scores are rounded to multiples of a step, and this share of all weight is on rows about which the
    model knows nothing: there truth and prediction are independent; None where these are not known."""
    accuracy: float = 1e-12
    """How exact these are."""
    bayes_error: float | None = None
    """The error that no classifier can go below, where it is known."""
    chances: Array | None = None
    """Of each truth (line) and prediction (column), where a row is no more than these."""
    cost: Array | None = None
    """What each prediction (column) costs for each truth (line), where the world says so."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What else a batch of these rows says of itself."""
