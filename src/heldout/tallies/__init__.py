"""Sums of what rows add, in the smallest form that answers the questions asked.

Every form offers

- ``a + b``: the tally of both parts,
- ``sums``: the named totals that metrics are formulas on, and ``squares``, the same with squared weights,
- ``variance(gradient)``: the variance of a smooth formula, from its gradient on the sums,
- ``influence(gradient)``: how far each line moves the value, and ``lines``, how many units are alike on that line,
- ``drawn(draws, seed)``: the sums in resamples of units with replacement, as blocks that are made when called,
- ``worth(names, label)``: where rows share units, how many units of equal size the rows are worth that add up to some
  sums of a class; all rows, without names; ``worth_by_class(names)``: the same of every class,
- ``units``: how many independent draws the rows are; ``clustered``, ``weighted``: whether rows share units, weigh.

| form | keeps | for |
|---|---|---|
| `Cells` | a count per truth and prediction | every label metric, costs |
| `Units` | what each unit adds | losses, regression, several labels per row, clusters, anything of the user's |
| `Moments` | n, sums, and sums of products | the same in constant memory |
| `Scores` | the order of rows by score | ROC, AUC, average precision, lift |
| `Binned` | counts by place of the score on a fixed grid | the same in constant memory, within a proven bound |
| `BinnedNumbers` | counts by place of a number | medians and largest errors in constant memory |
| `GroupedCells` | counts, and sums of products over units | label metrics of units that lie in several files |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from heldout.batch import Array
from heldout.weights import Block

Sums = Mapping[str, Array]
Drawn = Callable[[], Sums]
"""The sums of some draws, made when called; blocks may be called in any order, or side by side."""


class Tally(Protocol):
    """What every form knows: how many independent units it has, and whether they are clusters or have weights."""

    @property
    def units(self) -> int: ...
    @property
    def clustered(self) -> bool: ...
    @property
    def weighted(self) -> bool: ...


class Clustered(Tally, Protocol):
    """A form whose rows may share units."""

    def worth(self, names: Sequence[str] = (), label: int | None = None) -> float: ...
    def worth_by_class(self, names: Sequence[str]) -> Array: ...


class Summed(Tally, Protocol):
    """A form that keeps named sums over units, and the variance of smooth formulas on them."""

    @property
    def sums(self) -> Sums: ...
    @property
    def squares(self) -> Sums: ...
    def variance(self, gradient: Sums) -> float: ...
    def drawn(self, draws: int, seed: int) -> list[Drawn]: ...


class Listed(Summed, Protocol):
    """A form that also knows how far each line of units moves a formula."""

    @property
    def lines(self) -> Array: ...
    def influence(self, gradient: Sums) -> Array: ...


def of_blocks(blocks: Iterable[Block], sums: Callable[[Array], Sums]) -> list[Drawn]:
    """The sums that each block of weights gives."""

    def drawn(block: Block) -> Drawn:
        return lambda: sums(block())

    return [drawn(block) for block in blocks]


def joined(first: Array | None, second: Array | None, shift: int = 0) -> Array | None:
    """Two columns as one, the second's entries moved by `shift` (units of two parts are different units)."""
    return None if first is None or second is None else np.concatenate([first, second + shift if shift else second])


def worth_of_classes(unit: Array, code: Array, mass: Array, classes: int) -> Array:
    """How many units of equal size the rows of each class are worth; infinite where a class has none.

    >>> worth_of_classes(np.array([0, 0, 1]), np.array([0, 1, 1]), np.ones(3), 3).tolist()
    [1.0, 2.0, inf]
    """
    lines, inverse = np.unique(unit * np.int64(classes) + code, return_inverse=True)
    sizes, of_class = np.bincount(inverse, mass), lines % classes
    total, squares = (np.bincount(of_class, sizes**power, classes) for power in (1, 2))
    return np.divide(total**2, squares, out=np.full(classes, np.inf), where=squares > 0)


def effective_units(sizes: Array | None, units: float) -> float:
    """How many units of equal size are as uneven as these: (sum s)^2 / sum s^2 [kish65]; all, without sizes.

    >>> effective_units(np.array([1.0, 1.0, 0.0, 0.0]), 4)
    2.0
    """
    squares = 0.0 if sizes is None else float(np.sum(sizes**2))
    return float(np.sum(sizes)) ** 2 / squares if sizes is not None and squares > 0 else float(units)
