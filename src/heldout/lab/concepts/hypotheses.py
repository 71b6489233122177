"""Finite hypothesis spaces: each hypothesis is a line of yes and no over the points of a domain.

A space is a language: what it cannot say, a learner that uses it cannot learn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import Literal

import numpy as np

from heldout.batch import Array, Label
from heldout.errors import UsageError, did_you_mean
from heldout.lab.concepts.domains import Domain
from heldout.lab.concepts.joint_table import told

MOST_CELLS = 10_000_000
"""Hypotheses times points that are enumerated: one byte each."""
SpaceName = Literal["all", "conjunctions", "rectangles", "unions"]
NOTHING, EVERYTHING = "nothing", "everything"
"""How the hypotheses are called that say no, and yes, everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Space:
    """Hypotheses over a domain, all of them different: `members[h, x]` says whether h says yes at x."""

    name: str
    domain: Domain
    members: Array
    describe: Callable[[int], str]
    """The hypothesis at a position in words."""

    @property
    def size(self) -> int:
        return len(self.members)

    def words(self, at: int) -> str:
        """A hypothesis in words.

        Parameters
        ----------
        at : int
            Position of the hypothesis.

        Returns
        -------
        str
            The hypothesis in the language of its space.
        """
        if not self.members[at].any():
            return NOTHING
        return EVERYTHING if self.members[at].all() else self.describe(at)


def hypothesis_space(name: SpaceName, domain: Domain, *, rectangles: int = 2) -> Space:
    """A finite hypothesis space over a domain.

    Parameters
    ----------
    name : {"all", "conjunctions", "rectangles", "unions"}
        "all": every labelling. "conjunctions": one value or any for each attribute. "rectangles": an interval of
        values of each attribute. "unions": unions of rectangles.
    domain : Domain
        The points that hypotheses classify.
    rectangles : int, default 2
        Number of rectangles that a union may have, for "unions".

    Returns
    -------
    Space
        All hypotheses, each once.

    Raises
    ------
    UsageError
        If the space is not known, or is too large to be listed.

    References
    ----------
    T. M. Mitchell (1997). Machine Learning. McGraw-Hill. [mitchell97]

    Examples
    --------
    >>> from heldout.lab import domain
    >>> weather = domain({"sky": ["cloudy", "rainy", "sunny"], "wind": ["strong", "weak"]})
    >>> {name: hypothesis_space(name, weather).size for name in ("all", "conjunctions", "rectangles")}
    {'all': 64, 'conjunctions': 13, 'rectangles': 19}
    """
    if name not in SPACES:
        raise UsageError(
            f"no hypothesis space is named {name!r}{did_you_mean(name, SPACES)}",
            fix=f"choose one of {', '.join(SPACES)}",
        )
    return unions(domain, rectangles) if name == "unions" else SPACES[name](domain)


def labelings(where: Domain) -> Space:
    """Every way to say yes or no at each point, 2^points: a language without bias.

    >>> from heldout.lab.concepts.domains import line_domain
    >>> labelings(line_domain(2)).members.astype(int).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    points = where.points
    _enumerable(f"all labelings of {points:,} points are", 2**points, points)
    bits = np.arange(points)[::-1]
    members = (np.arange(2**points)[:, None] >> bits & 1).astype(bool)

    def describe(at: int) -> str:
        return " or ".join(f"({told(where, int(x))})" for x in np.flatnonzero(members[at]))

    return Space(name="all", domain=where, members=members, describe=describe)


def conjunctions(where: Domain) -> Space:
    """A value or any value for each attribute, joined by and; besides, nothing: 1 + Π (values + 1) [mitchell97].

    >>> from heldout.lab.concepts.domains import domain
    >>> found = conjunctions(domain({"sky": ["rainy", "sunny"], "wind": ["strong", "weak"]}))
    >>> found.size, found.words(1), found.words(3), found.words(9)
    (10, 'sky=rainy and wind=strong', 'sky=rainy', 'everything')
    """
    subsets, texts = [], []
    for name, known in zip(where.attributes, where.values, strict=True):
        any_value = np.ones((int(len(known) > 1), len(known)), dtype=bool)  # of one value, any value is that value
        subsets.append(np.vstack([np.eye(len(known), dtype=bool), any_value]))
        texts.append([*(f"{name}={value}" for value in known), ""])
    return _products("conjunctions", where, subsets, texts)


def rectangles(where: Domain) -> Space:
    """An interval of each attribute's values in their order, and nothing: 1 + Π k(k + 1)/2 for k values.

    >>> from heldout.lab.concepts.domains import domain
    >>> found = rectangles(domain({"a": [1, 2, 3], "b": [1, 2]}))
    >>> found.size, found.words(4), found.words(5)
    (19, '1 <= a <= 2 and b=1', '1 <= a <= 2')
    """
    subsets, texts = [], []
    for name, known in zip(where.attributes, where.values, strict=True):
        k = len(known)
        ends = [(low, high) for low in range(k) for high in range(low, k)]
        low, high = np.array(ends).T
        at = np.arange(k)
        subsets.append((low[:, None] <= at) & (at <= high[:, None]))
        texts.append([_interval(name, known, *pair) for pair in ends])
    return _products("rectangles", where, subsets, texts)


def _interval(name: str, known: Sequence[Label], low: int, high: int) -> str:
    if high - low == len(known) - 1:
        return ""
    return f"{name}={known[low]}" if low == high else f"{known[low]} <= {name} <= {known[high]}"


def unions(where: Domain, most: int = 2) -> Space:
    """Unions of up to `most` rectangles, each counted once however it can be written.

    >>> from heldout.lab.concepts.domains import domain
    >>> line = domain({"x": [1, 2, 3]})
    >>> rectangles(line).size, unions(line, 2).size
    (7, 8)
    """
    if most < 1:
        raise UsageError(f"a union of {most} rectangles says nothing", fix="give 1 or more")
    one = rectangles(where)
    most = min(most, one.size - 1)
    written = 1 + sum(comb(one.size - 1, k) for k in range(1, most + 1))
    _enumerable(f"unions of up to {most} rectangles of {where.points:,} points are", written, where.points)
    parts = np.zeros((written, most), dtype=np.intp)  # part 0 is the empty rectangle
    start = 1
    for k in range(1, most + 1):
        chosen = np.array(list(combinations(range(1, one.size), k)), dtype=np.intp).reshape(-1, k)
        parts[start : start + len(chosen), :k] = chosen
        start += len(chosen)
    members = _joined(one.members, parts)
    _, first = np.unique(np.packbits(members, axis=1), axis=0, return_index=True)
    first.sort()
    kept = parts[first]

    def describe(at: int) -> str:
        return " or ".join(f"({one.words(int(part))})" for part in kept[at] if part)

    return Space(name=f"unions of {most}", domain=where, members=members[first], describe=describe)


def _joined(members: Array, parts: Array) -> Array:
    """The or of several hypotheses, one column of parts after the other to spare memory."""
    found = members[parts[:, 0]]
    for column in parts.T[1:]:
        found |= members[column]
    return found


def _products(name: str, where: Domain, subsets: Sequence[Array], texts: Sequence[Sequence[str]]) -> Space:
    """Nothing, and every choice of one subset for each attribute; a point is in where each of its values is."""
    sizes = [len(chosen) for chosen in subsets]
    _enumerable(f"{name} of {where.points:,} points are", 1 + prod(sizes), where.points)
    members = np.ones((1, 1), dtype=bool)
    for chosen in subsets:
        members = np.kron(members, chosen)
    members = np.vstack([np.zeros((1, where.points), dtype=bool), members])

    def describe(at: int) -> str:
        choice = np.unravel_index(at - 1, sizes)
        said = [text[int(i)] for text, i in zip(texts, choice, strict=True)]
        return " and ".join(text for text in said if text)

    return Space(name=name, domain=where, members=members, describe=describe)


def _enumerable(what: str, size: int, points: int) -> None:
    """Refuse a space that is too large to be listed."""
    most = MOST_CELLS // points
    if size > most:
        shown = f"{size:,}" if size < 10**15 else f"about {size:.1e}" if size < 10**300 else "more than 1e300"
        raise UsageError(
            f"{what} {shown} hypotheses, and at most {most:,} can be listed over so many points",
            fix="use a smaller space, fewer attributes or fewer values",
        )


SPACES: dict[str, Callable[[Domain], Space]] = {
    "all": labelings,
    "conjunctions": conjunctions,
    "rectangles": rectangles,
    "unions": unions,
}
"""The spaces by name."""
