"""Which rows each split tests: a line per split, a column per row; the others are learned from, or those among some."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from heldout.batch import Array
from heldout.lab.learning.bias_variance_result import Measured


def moments(values: Array) -> Array:
    """Sums and sums of squares over repetitions (lines), two lines.

    >>> moments(np.array([[1.0], [3.0]])).tolist()
    [[4.0], [10.0]]
    """
    return np.stack([values.sum(axis=0), (values**2).sum(axis=0)])


def averages(sums: Array, repeats: int) -> list[Measured]:
    """The mean of every column of `moments`, and its standard error sqrt((mean of squares - mean²) / (R - 1)).

    >>> averages(moments(np.array([[1.0], [3.0]])), 2)
    [Measured(value=2.0, error=1.0)]
    """
    means, squares = sums / repeats
    errors = np.sqrt(np.maximum(squares - means**2, 0.0)) / sqrt(max(repeats - 1, 1))
    return [Measured(value=float(mean), error=float(error)) for mean, error in zip(means, errors, strict=True)]


def folds(rows: int, count: int, repeats: int, rng: np.random.Generator) -> Array:
    """The fold of every row, a line per repetition: folds of equal size, up to one row.

    >>> np.bincount(folds(7, 3, 1, np.random.default_rng(0))[0]).tolist()
    [3, 2, 2]
    """
    places: Array = rng.permuted(np.tile(np.arange(rows) % count, (repeats, 1)), axis=1)
    return places


def in_turn(places: Array, count: int) -> Array:
    """Every fold of every repetition once.

    >>> in_turn(np.array([[0, 1, 0]]), 2).tolist()
    [[True, False, True], [False, True, False]]
    """
    found: Array = (places[:, None, :] == np.arange(count)[:, None]).reshape(-1, places.shape[1])
    return found


def drawn(rows: int, test: int, splits: int, rng: np.random.Generator) -> Array:
    """So many rows drawn at random, for every split anew.

    >>> drawn(10, 3, 2, np.random.default_rng(0)).sum(axis=1).tolist()
    [3, 3]
    """
    found: Array = rng.permuted(np.tile(np.arange(rows) < test, (splits, 1)), axis=1)
    return found


def drawn_among(chosen: Array, test: int, rng: np.random.Generator) -> Array:
    """So many of the rows that each line has chosen.

    >>> drawn_among(np.array([[True, True, False, False]]), 2, np.random.default_rng(0)).tolist()
    [[True, True, False, False]]
    """
    keys = np.where(chosen, rng.random(chosen.shape), 2.0)
    found: Array = keys <= np.partition(keys, test - 1, axis=1)[:, test - 1 : test]
    return found


def means(losses: Array, tested: Array) -> Array:
    """The mean loss of every split over the rows that it tests.

    >>> means(np.array([[1.0, 3.0, 9.0]]), np.array([[True, True, False]])).tolist()
    [2.0]
    """
    found: Array = np.where(tested, losses, 0.0).sum(axis=1) / tested.sum(axis=1)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Splits of some rows: a line per split."""

    learned: Array
    """How often each row is learned from."""
    tested: Array
    """Whether a row is tested."""
    places: Array | None = None
    """The fold of every row, a line per repetition, where the method needs to know."""


def parted(tested: Array) -> Layout:
    """What is not tested is learned from."""
    return Layout(learned=(~tested).astype(int), tested=tested)


def bags(rows: int, draws: int, rng: np.random.Generator) -> Layout:
    """All rows, learned from and tested; then rows drawn with replacement, those left out being tested [efron79].

    >>> found = bags(5, 2, np.random.default_rng(0))
    >>> found.learned.sum(axis=1).tolist(), found.tested[0].tolist()
    ([5, 5, 5], [True, True, True, True, True])
    """
    counts = rng.multinomial(rows, np.full(rows, 1 / rows), size=draws)
    everyone = np.ones((1, rows), int)
    return Layout(
        learned=np.concatenate([everyone, counts]), tested=np.concatenate([everyone.astype(bool), counts == 0])
    )


def pairs(count: int) -> tuple[Array, Array]:
    """Folds (j, k) with j ≤ k, one pair per fit: leaving out both serves two turns.

    >>> [part.tolist() for part in pairs(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    first, second = np.triu_indices(count)
    return first, second


def nested_folds(rows: int, count: int, repeats: int, rng: np.random.Generator) -> Layout:
    """Every repetition leaves out every fold and every pair of folds.

    >>> found = nested_folds(6, 3, 1, np.random.default_rng(0))
    >>> found.learned.sum(axis=1).tolist()
    [4, 2, 2, 4, 2, 4]
    """
    places = folds(rows, count, repeats, rng)
    first, second = (part[:, None] for part in pairs(count))
    tested = ((places[:, None, :] == first) | (places[:, None, :] == second)).reshape(-1, rows)
    return Layout(learned=(~tested).astype(int), tested=tested, places=places)


def halved(rows: int, test: int, splits: int, halvings: int, rng: np.random.Generator) -> Layout:
    """Random splits of all rows; then, of every halving, as many of either half, with as many test rows each.

    >>> found = halved(20, 2, 3, 1, np.random.default_rng(0))
    >>> found.tested.sum(axis=1).tolist(), found.learned.sum(axis=1).tolist()
    ([2, 2, 2, 2, 2, 2, 2, 2, 2], [18, 18, 18, 8, 8, 8, 8, 8, 8])
    """
    first = drawn(rows, rows // 2, halvings, rng)
    halves = np.stack([first, ~first], axis=1).repeat(splits, axis=1).reshape(-1, rows)
    among = np.concatenate([np.ones((splits, rows), bool), halves])
    tested = drawn_among(among, test, rng)
    return Layout(learned=(among & ~tested).astype(int), tested=tested)
