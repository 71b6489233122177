"""Splitters in scikit-learn's protocol that scikit-learn lacks.

The number of splits is `number` in this house; the protocol asks for it as `get_n_splits`, so it has both names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from heldout.batch import Array

Parts = tuple[Array, Array]
"""Rows of the training part, rows of the test part."""


@dataclass(frozen=True, slots=True)
class Given:
    """Parts that were handed over as they are."""

    parts: tuple[Any, ...]

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:  # noqa: ARG002
        return iter(self.parts)

    def number(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        return len(self.parts)

    get_n_splits = number


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """As many units as there are, drawn with replacement; the units not drawn are the test part [efron79].

    >>> train, test = next(Bootstrap(1).split(np.zeros(5)))
    >>> len(train), sorted(set(train.tolist()) | set(test.tolist()))
    (5, [0, 1, 2, 3, 4])
    """

    draws: int = 200
    random_state: int = 0

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Parts]:  # noqa: ARG002
        unit, units = _units(X, groups)
        members, starts = np.argsort(unit, kind="stable"), np.append(0, np.cumsum(np.bincount(unit)))
        for draw in range(self.draws):
            drawn = np.sort(np.random.default_rng([self.random_state, 21, draw]).integers(units, size=units))
            times = np.bincount(drawn, minlength=units)
            train = (
                np.concatenate([members[starts[one] : starts[one + 1]] for one in drawn])
                if groups is not None
                else drawn
            )
            yield train, np.flatnonzero(times[unit] == 0)

    def number(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        return self.draws

    get_n_splits = number


@dataclass(frozen=True, slots=True)
class Halves:
    """Random halves of the units, the first half to learn from, the second to test; classes halved where given."""

    halvings: int = 10
    stratified: bool = False
    random_state: int = 0

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Parts]:
        unit, units = _units(X, groups)
        layer = np.zeros(units, int)
        if self.stratified and groups is None:
            layer = np.unique(np.asarray(y), return_inverse=True)[1]
        for halving in range(self.halvings):
            rng = np.random.default_rng([self.random_state, 22, halving])
            order = rng.permutation(units)
            order = order[np.argsort(layer[order], kind="stable")]
            first = np.zeros(units, bool)
            first[order[::2]] = True  # every second one: classes are halved to within a row
            yield np.flatnonzero(first[unit]), np.flatnonzero(~first[unit])

    def number(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        return self.halvings

    get_n_splits = number


@dataclass(frozen=True, slots=True)
class LeavePairOut:
    """Every pair of a row of one class and a row of the other is tested once; their groups are not learned from.

    >>> [test.tolist() for _, test in LeavePairOut().split(np.zeros(3), np.array([0, 1, 1]))]
    [[0, 1], [0, 2]]
    """

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[Parts]:
        unit, _ = _units(X, groups)
        kinds = np.unique(np.asarray(y), return_inverse=True)[1]
        for first in np.flatnonzero(kinds == 0):
            for second in np.flatnonzero(kinds == 1):
                left_out = (unit == unit[first]) | (unit == unit[second])
                yield np.flatnonzero(~left_out), np.array([first, second])

    def number(self, X: Any, y: Any, groups: Any = None) -> int:  # noqa: ARG002
        _, counts = np.unique(np.asarray(y), return_counts=True)
        return int(np.prod(counts))

    get_n_splits = number


@dataclass(frozen=True, slots=True)
class RepeatedGroups:
    """Folds that keep groups together, of sizes as equal as groups allow, dealt anew in every repeat."""

    folds: int = 5
    repeats: int = 1
    stratified: bool = False
    random_state: int = 0

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Parts]:
        unit, units = _units(X, groups)
        kinds = np.unique(np.asarray(y), return_inverse=True)[1] if self.stratified else np.zeros(len(unit), int)
        counts = np.zeros((units, int(kinds.max()) + 1))
        np.add.at(counts, (unit, kinds), 1)
        for repeat in range(self.repeats):
            fold = _dealt(counts, self.folds, np.random.default_rng([self.random_state, 23, repeat]))[unit]
            for at in range(self.folds):
                yield np.flatnonzero(fold != at), np.flatnonzero(fold == at)

    def number(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        return self.folds * self.repeats

    get_n_splits = number


@dataclass(frozen=True, slots=True)
class ByStrata:
    """A stratified splitter that is shown strata in place of classes."""

    of: Any
    strata: Array

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Parts]:  # noqa: ARG002
        yield from self.of.split(X, self.strata, groups)

    def number(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        return int(self.of.get_n_splits(X, self.strata, groups))

    get_n_splits = number


def _dealt(counts: Array, folds: int, rng: np.random.Generator) -> Array:
    """The fold of each group (its rows of each class in a line), of equal size and classes as far as groups allow.

    Large groups come first, each to the fold that has the fewest rows of its classes. Their order is random within a
    factor of two, or every seed would give the same folds, and folds are numbered at random: whatever its size, a
    group is in each of them with the same chance.
    """
    sizes = counts.sum(axis=1)
    shares = np.column_stack([counts / counts.sum(axis=0), sizes / sizes.sum()])
    held = np.zeros((folds, shares.shape[1]))
    place = np.zeros(len(counts), int)
    for group in np.argsort(-sizes * rng.uniform(0.5, 1, len(sizes))):
        # the fold where this adds least to the sum of squares
        place[group] = at = int((held @ shares[group]).argmin())
        held[at] += shares[group]
    return np.asarray(rng.permutation(folds)[place])


def _units(X: Any, groups: Any) -> tuple[Array, int]:
    """The unit of each row, and how many there are."""
    if groups is None:
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        return np.arange(rows), rows
    names, unit = np.unique(np.asarray(groups), return_inverse=True)
    return unit, len(names)
