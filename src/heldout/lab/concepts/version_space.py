"""Version spaces: the hypotheses that agree with every row seen, and what they still agree on.

Where all of them say the same of an unseen point, the language has decided; where they differ, only the order of the
search can.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.lab.concepts.hypotheses import Space

Order = Literal["specific", "general"]
MOST_COMPARED = 4_000
"""Hypotheses that are compared each with each for the borders of a version space."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VersionSpace:
    """What list-then-eliminate leaves of a space [mitchell97]."""

    space: Space
    point: Array
    """The position of each row's point, in the order the rows were seen."""
    label: Array
    """Whether each row is positive."""
    kept: Array
    """Positions of the hypotheses that agree with every row."""
    remaining: Array
    """How many agree with the first i rows, for i = 0, 1, …, rows: the trace."""

    @property
    def members(self) -> Array:
        """The consistent hypotheses as lines of yes and no over the domain."""
        return self.space.members[self.kept]

    @property
    def seen(self) -> Array:
        """Which points of the domain have a row."""
        found = np.zeros(self.space.domain.points, dtype=bool)
        found[self.point] = True
        return found


def list_then_eliminate(space: Space, point: Any, label: Any) -> VersionSpace:
    """The version space: all hypotheses that agree with every row, by list-then-eliminate.

    Parameters
    ----------
    space : Space
        The hypotheses.
    point : array-like of int of shape (n_rows,)
        The point of each row, as its position in the domain.
    label : array-like of bool of shape (n_rows,)
        Whether each row is positive.

    Returns
    -------
    VersionSpace
        The consistent hypotheses (`kept`), and how many were left after each row (`remaining`).

    Raises
    ------
    DataError
        If there are not as many labels as points.
    UsageError
        If a point is outside the domain.

    References
    ----------
    T. M. Mitchell (1997). Machine Learning. McGraw-Hill. [mitchell97]

    Examples
    --------
    >>> from heldout.lab import domain, hypothesis_space
    >>> space = hypothesis_space("rectangles", domain({"x": range(5)}))
    >>> left = list_then_eliminate(space, [1, 3, 4], [True, True, False])
    >>> left.remaining.tolist(), [space.words(h) for h in left.kept]
    ([16, 8, 4, 2], ['0 <= x <= 3', '1 <= x <= 3'])
    """
    points, labels = checked_rows(space, point, label)
    # a row that repeats an earlier one eliminates nothing: only the first of each kind is looked at
    pairs, first = np.unique(points * 2 + labels, return_index=True)
    order = np.argsort(first)
    pairs, first = pairs[order], first[order]
    wrong = space.members[:, pairs // 2] != (pairs % 2).astype(bool)
    falls = wrong.any(axis=1)
    at = first[wrong[falls].argmax(axis=1)] if len(pairs) else np.zeros(0, dtype=np.intp)
    fallen = np.bincount(at, minlength=len(points)) if len(points) else np.zeros(0, dtype=np.intp)
    remaining = space.size - np.concatenate([[0], np.cumsum(fallen)])
    return VersionSpace(
        space=space, point=points, label=labels, kept=np.flatnonzero(~falls), remaining=remaining.astype(np.int64)
    )


def checked_rows(space: Space, point: Any, label: Any) -> tuple[Array, Array]:
    """Rows as positions and truth values, or a sentence about what they are instead."""
    points, labels = np.asarray(point), np.asarray(label)
    if points.shape != labels.shape or points.ndim != 1:
        raise DataError(f"there are {points.size} points and {labels.size} labels", code="H112", fix="give one each")
    points, labels = points.astype(np.intp), labels.astype(bool)
    if points.size and not 0 <= points.min() <= points.max() < space.domain.points:
        wrong = points.min() if points.min() < 0 else points.max()
        raise UsageError(
            f"point {wrong} is not among the positions 0 to {space.domain.points - 1} of the domain",
            fix="give positions of points in the domain of the space",
        )
    return points, labels


def votes(found: VersionSpace) -> Array:
    """The share of the consistent hypotheses that say yes at each point; nan where none is left."""
    if not len(found.kept):
        return np.full(found.space.domain.points, np.nan)
    return found.members.mean(axis=0)


def unanimous(version_space: VersionSpace) -> Array:
    """What all consistent hypotheses predict at each point.

    Parameters
    ----------
    version_space : VersionSpace
        What `list_then_eliminate` left.

    Returns
    -------
    ndarray of int of shape (n_points,)
        1: positive, 0: negative, −1: they differ, or none is left.

    Examples
    --------
    >>> from heldout.lab import domain, hypothesis_space
    >>> space = hypothesis_space("rectangles", domain({"x": range(6)}))
    >>> left = list_then_eliminate(space, [1, 3, 5], [True, True, False])
    >>> unanimous(left).tolist()
    [-1, 1, 1, 1, -1, 0]
    """
    if not len(version_space.kept):
        return np.full(version_space.space.domain.points, -1)
    lines = version_space.members
    return np.where(lines.all(axis=0), 1, np.where(lines.any(axis=0), -1, 0))


def unanimous_coverage(version_space: VersionSpace, *, weight: Any = None, unseen: bool = False) -> float:
    """The share of the domain on which the version space is unanimous.

    Parameters
    ----------
    version_space : VersionSpace
        What `list_then_eliminate` left.
    weight : array-like of float of shape (n_points,), optional
        p(x) of each point (default: all alike).
    unseen : bool, default False
        Whether to leave out the points that have a row.

    Returns
    -------
    float
        The share, from 0 to 1; nan where there is nothing to cover.

    Raises
    ------
    UsageError
        If the weights do not fit the domain.

    Examples
    --------
    >>> from heldout.lab import domain, hypothesis_space
    >>> space = hypothesis_space("rectangles", domain({"x": range(6)}))
    >>> left = list_then_eliminate(space, [1, 3, 5], [True, True, False])
    >>> unanimous_coverage(left, unseen=True)
    0.3333333333333333
    """
    p = np.ones(version_space.space.domain.points) if weight is None else np.asarray(weight, dtype=float)
    if p.shape != (version_space.space.domain.points,) or not (p >= 0).all():
        raise UsageError(
            f"the weight has the shape {p.shape} for {version_space.space.domain.points} points",
            fix="give p(x), zero or more, for each point of the domain",
        )
    asked = ~version_space.seen if unseen else np.ones(len(p), dtype=bool)
    if not p[asked].sum():
        return float("nan")
    return float(p[asked & (unanimous(version_space) >= 0)].sum() / p[asked].sum())


def empty_because(version_space: VersionSpace) -> Literal["contradiction", "language"] | None:
    """Why a version space is empty.

    Parameters
    ----------
    version_space : VersionSpace
        What `list_then_eliminate` left.

    Returns
    -------
    {"contradiction", "language"} or None
        "contradiction": one point has both labels. "language": no hypothesis of the space fits the rows. None: it
        is not empty.

    Examples
    --------
    >>> from heldout.lab import domain, hypothesis_space
    >>> space = hypothesis_space("rectangles", domain({"x": range(3)}))
    >>> empty_because(list_then_eliminate(space, [0, 0], [True, False]))
    'contradiction'
    >>> empty_because(list_then_eliminate(space, [0, 1, 2], [True, False, True]))
    'language'
    """
    if len(version_space.kept):
        return None
    return "contradiction" if contradicting_rows(version_space).size else "language"


def contradicting_rows(found: VersionSpace) -> Array:
    """Rows, counted from 0, whose point also has the other label: noise that no language can express."""
    yes, no = label_counts(found.space.domain.points, found.point, found.label)
    return np.flatnonzero((yes * no > 0)[found.point])


def label_counts(points: int, point: Array, label: Array) -> tuple[Array, Array]:
    """How many positive and how many negative rows each point has."""
    positive = np.bincount(point[label], minlength=points)
    return positive, np.bincount(point[~label], minlength=points)


def wrong_rows(space: Space, point: Any, label: Any) -> Array:
    """How many of the rows each hypothesis gets wrong; over their number, the sample error.

    >>> from heldout.lab.concepts.domains import line_domain
    >>> from heldout.lab.concepts.hypotheses import labelings
    >>> wrong_rows(labelings(line_domain(2)), [0, 1, 1], [True, True, False]).tolist()
    [2, 2, 1, 1]
    """
    yes, no = label_counts(space.domain.points, *checked_rows(space, point, label))
    # small whole numbers are exact as floats, whose product is fast
    return (yes.sum() + space.members @ (no - yes).astype(float)).round().astype(np.int64)


def first_found(version_space: VersionSpace, order: Order = "specific") -> int | None:
    """The consistent hypothesis that a search finds first.

    The space decides which hypotheses can be found (language bias), the order which of them is (search bias).

    Parameters
    ----------
    version_space : VersionSpace
        What `list_then_eliminate` left.
    order : {"specific", "general"}, default "specific"
        Whether the search goes from hypotheses with the fewest positive points up, or from those with the most
        down.

    Returns
    -------
    int or None
        Position of the hypothesis in its space; None where none is left.

    Raises
    ------
    UsageError
        If the order is not known.

    Examples
    --------
    >>> from heldout.lab import domain, hypothesis_space
    >>> space = hypothesis_space("rectangles", domain({"x": range(6)}))
    >>> left = list_then_eliminate(space, [1, 3, 5], [True, True, False])
    >>> [space.words(first_found(left, order)) for order in ("specific", "general")]
    ['1 <= x <= 3', '0 <= x <= 4']
    """
    if order not in ("specific", "general"):
        raise UsageError(f"there is no order of search {order!r}", fix="choose specific or general")
    if not len(version_space.kept):
        return None
    covered = version_space.members.sum(axis=1)
    return int(version_space.kept[(covered if order == "specific" else -covered).argmin()])


def borders(found: VersionSpace) -> tuple[Array, Array] | None:
    """Positions of the most specific and of the most general hypotheses left; None where too many are left to compare.

    A hypothesis is most specific where no other one left says yes at fewer of its points only, and so on.

    >>> from heldout.lab.concepts.domains import line_domain
    >>> from heldout.lab.concepts.hypotheses import rectangles
    >>> some = list_then_eliminate(rectangles(line_domain(6)), [1, 3, 5], [True, True, False])
    >>> [[some.space.words(h) for h in side] for side in borders(some)]
    [['1 <= x <= 3'], ['0 <= x <= 4']]
    """
    if len(found.kept) > MOST_COMPARED:
        return None
    lines = found.members.astype(np.float32)
    outside = lines @ (1 - lines).T  # points of the first that the second lacks
    within = (outside == 0) & ~np.eye(len(lines), dtype=bool)
    return found.kept[~within.any(axis=0)], found.kept[~within.any(axis=1)]
