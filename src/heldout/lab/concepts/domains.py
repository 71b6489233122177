"""Finitely many points: every combination of the values of some attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10, prod

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import DataError, UsageError
from heldout.inputs.message_text import SHOWN, listed, quoted

MOST_POINTS = 100_000
"""The largest number of points of a joint table."""
MOST_ATTRIBUTES = 32
"""As many dimensions as arrays of all versions of NumPy have; 17 attributes of two values make too many points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """Every combination of the attributes' values; the last attribute changes fastest."""

    attributes: tuple[str, ...]
    values: tuple[tuple[Label, ...], ...]
    """The values of each attribute, in order."""

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(known) for known in self.values)

    @property
    def points(self) -> int:
        """How many points there are."""
        return prod(self.shape)

    @property
    def codes(self) -> Array:
        """The value of each attribute at each point, as a position among its values: points × attributes."""
        return np.indices(self.shape).reshape(len(self.shape), -1).T

    def point(self, at: int) -> tuple[Label, ...]:
        """The values that make up one point.

        Parameters
        ----------
        at : int
            Position of the point.

        Returns
        -------
        tuple of labels
            The value of each attribute.
        """
        where = np.unravel_index(at, self.shape)
        return tuple(known[int(i)] for known, i in zip(self.values, where, strict=True))


def domain(values: Mapping[str, Sequence[Label]]) -> Domain:
    """The domain of all combinations of the values of some attributes.

    Parameters
    ----------
    values : mapping of str to sequence of labels
        Attribute → its values, each once; at most 100,000 combinations.

    Returns
    -------
    Domain
        The points, in the order of the attributes; the last attribute changes fastest.

    Raises
    ------
    UsageError
        If there is no attribute, or there are too many combinations.
    DataError
        If an attribute has no value, or one twice.

    Examples
    --------
    >>> small = domain({"colour": ["red", "green"], "size": [1, 2, 3]})
    >>> small.points, small.point(4)
    (6, ('green', 2))
    """
    if not values:
        raise UsageError(
            "a domain needs at least one attribute", fix='give values such as {"colour": ["red", "green"]}'
        )
    for name, known in values.items():
        if not len(known) or len(set(known)) < len(known):
            twice = [value for value in known if list(known).count(value) > 1]
            wrong = f"has {quoted(twice[0])} twice" if twice else "has no value"
            raise DataError(f"the attribute {name!r} {wrong}", code="H107", fix="give each value once")
    if len(values) > MOST_ATTRIBUTES:
        text = f"there are {len(values):,} attributes ({listed(values)}), and a domain has at most {MOST_ATTRIBUTES}"
        raise UsageError(text, fix="leave out attributes, first those with one value")
    points = prod(len(known) for known in values.values())
    if points > MOST_POINTS:
        several = [str(len(known)) for known in values.values()]
        sizes = " × ".join(several[:SHOWN]) + (" × …" if len(several) > SHOWN else "")
        count = f"{points:,}" if points < 10**15 else f"about 10^{int(log10(points))}"
        raise UsageError(
            f"the attributes {listed(values)} make {count} points ({sizes}), and a domain has at most {MOST_POINTS:,}",
            fix="leave out attributes, or merge values",
        )
    return Domain(attributes=tuple(values), values=tuple(tuple(known) for known in values.values()))


def line_domain(points: int) -> Domain:
    """A domain of one attribute x with the values 0, 1, … .

    >>> line_domain(3).values
    ((0, 1, 2),)
    """
    return domain({"x": range(points)})
