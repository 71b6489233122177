"""Overfitting as it is defined: two hypotheses, of which the better one on the sample is the worse one in truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError
from heldout.lab.concepts.hypotheses import Space
from heldout.lab.concepts.joint_table import JointTable, table_error
from heldout.lab.concepts.version_space import wrong_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Overfitting:
    """A hypothesis that overfits, and one that shows it: error_S(h) < error_S(h′), but error_D(h) > error_D(h′)."""

    chosen: int
    """The position of h, which looks better on the sample."""
    better: int
    """The position of h′, which is better in truth."""
    sample_errors: tuple[float, float]
    """Of h and of h′."""
    true_errors: tuple[float, float]

    @property
    def loss(self) -> float:
        """How much truer the other hypothesis is: error_D(h) − error_D(h′)."""
        return self.true_errors[0] - self.true_errors[1]


def overfitting_pair(
    table: JointTable, space: Space, point: Any, label: Any, *, chosen: int | None = None
) -> Overfitting | None:
    """A hypothesis that overfits: better on the sample than another one, and worse in truth.

    Parameters
    ----------
    table : JointTable
        The true distribution; it has two classes, the second of which is positive.
    space : Space
        The hypotheses, over the domain of the table.
    point : array-like of int of shape (n_rows,)
        The point of each row, as its position in the domain.
    label : array-like of bool of shape (n_rows,)
        Whether each row is positive.
    chosen : int, optional
        Position of the hypothesis that is asked about, such as what a learner found (default: the one whose loss is
        largest).

    Returns
    -------
    Overfitting or None
        The pair h, h′ with error_S(h) < error_S(h′) and error_D(h) > error_D(h′) whose loss is largest; None where
        there is none.

    Raises
    ------
    UsageError
        If the table does not have two classes, or the domains differ.
    DataError
        If there is no row.

    References
    ----------
    T. M. Mitchell (1997). Machine Learning. McGraw-Hill. [mitchell97]

    Examples
    --------
    >>> from heldout.lab import hypothesis_space, joint_table
    >>> table = joint_table([[0.4, 0.1], [0.4, 0.1]])
    >>> space = hypothesis_space("all", table.domain)
    >>> pair = overfitting_pair(table, space, [0, 0, 1], [False, False, True])
    >>> pair.sample_errors, [round(error, 12) for error in pair.true_errors]
    ((0.0, 0.3333333333333333), [0.5, 0.2])
    """
    if len(table.classes) != 2:
        raise UsageError(f"the world has {len(table.classes)} classes", fix="give a joint table of two classes")
    if table.domain.shape != space.domain.shape:
        raise UsageError(
            f"the world has {table.domain.points} points and the space {space.domain.points}",
            fix="make the space over the domain of the table",
        )
    wrong = wrong_rows(space, point, label)
    if not np.size(point):
        raise DataError("there is no row", code="H112", fix="give at least one row")
    true = table_error(table, space.members)
    rivals = _best_of_the_worse(wrong, true)
    loss = true - np.where(rivals >= 0, true[rivals], np.inf)
    h = int(_largest(loss, wrong)) if chosen is None else chosen
    if not 0 <= h < space.size:
        raise UsageError(f"there is no hypothesis {h} among {space.size:,}", fix="give a position in the space")
    if loss[h] <= ROUNDING:
        return None
    other, rows = int(rivals[h]), np.size(point)
    return Overfitting(
        chosen=h,
        better=other,
        sample_errors=(float(wrong[h] / rows), float(wrong[other] / rows)),
        true_errors=(float(true[h]), float(true[other])),
    )


ROUNDING = 1e-12
"""True errors closer than this are equal."""


def _best_of_the_worse(wrong: Array, true: Array) -> Array:
    """For each hypothesis the truest one that gets more rows wrong; −1 where none does."""
    levels, at = np.unique(wrong, return_inverse=True)
    order = np.lexsort((true, wrong))
    best = order[np.searchsorted(wrong[order], levels)]  # the truest of each level
    rivals = np.full(len(levels), -1)
    for level in range(len(levels) - 2, -1, -1):
        above, ahead = best[level + 1], rivals[level + 1]
        rivals[level] = above if ahead < 0 or true[above] <= true[ahead] else ahead
    return rivals[at]


def _largest(loss: Array, wrong: Array) -> Any:
    """The largest loss; of equal ones, that which looks best on the sample."""
    close = np.flatnonzero(loss >= loss.max() - ROUNDING)
    return close[wrong[close].argmin()]
