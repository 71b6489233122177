"""Intervals over splits, each with the splits that it is measured on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError, did_you_mean
from heldout.intervals.out_of_bag import dot632, dot632_plus, no_information_loss, out_of_bag
from heldout.intervals.over_splits import (
    OverSplits,
    Target,
    all_pairs,
    conservative_z,
    corrected_t,
    holdout,
    leave_one_out,
    naive_fold_interval,
    nested,
    within_folds,
)
from heldout.lab.folds.test_rows import Layout, bags, drawn, folds, halved, in_turn, means, nested_folds, parted

FOLDS, INNER, REPEATS = 10, 5, 25
"""Folds of cross-validation; folds and repetitions of nested cross-validation."""
SPLITS, HALVINGS = 10, 10
"""Splits of the conservative z, of all rows and of each half."""
BAGS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a learner lost over splits of one sample."""

    layout: Layout
    losses: Array
    """A line per split, a column per row; those of tested rows count."""
    every: Callable[[], Array]
    """The loss of every truth (line) under every prediction (column) of the model of all rows; bags have one."""

    @property
    def values(self) -> Array:
        """The mean loss of every split."""
        return means(self.losses, self.layout.tested)

    @property
    def by_row(self) -> tuple[Array, Array]:
        """Of folds: the loss of every row, and its fold."""
        tested = self.layout.tested
        return self.losses.T[tested.T], np.nonzero(tested.T)[1]


LAYOUTS: dict[str, Callable[[int, np.random.Generator], Layout]] = {
    "10": lambda rows, rng: parted(in_turn(folds(rows, FOLDS, 1, rng), FOLDS)),
    "shuffle:25x0.1": lambda rows, rng: parted(drawn(rows, rows // 10, 25, rng)),
    "holdout:0.2": lambda rows, rng: parted(drawn(rows, rows // 5, 1, rng)),
    "nested:25x5": lambda rows, rng: nested_folds(rows, INNER, REPEATS, rng),
    "halves:10x10": lambda rows, rng: halved(rows, rows // 10, SPLITS, HALVINGS, rng),
    "loo": lambda rows, _: parted(np.eye(rows, dtype=bool)),
    "boot:200": lambda rows, rng: bags(rows, BAGS, rng),
}
"""Splits by word; those of `heldout.splits` where it has one. Classes are not stratified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """An interval for an error, on splits of one kind."""

    method: str
    splits: str
    words: str
    """What the interval calls itself."""
    target: Target
    """Whose error it is for."""
    found: Callable[[Seen, float], OverSplits]

    @property
    def name(self) -> str:
        return f"{self.method}@{self.splits}"


def _corrected(seen: Seen, level: float) -> OverSplits:
    test = float(seen.layout.tested.sum(axis=1).mean())
    return corrected_t(seen.values, level, ratio=test / (seen.losses.shape[1] - test))


def _nested(seen: Seen, level: float) -> OverSplits:
    """The losses of every turn: of its fold under the model without it, and of the others without it and their own."""
    places, rows = seen.layout.places, seen.losses.shape[1]
    assert places is not None
    turns = np.arange(INNER)
    line = np.empty((INNER, INNER), int)
    upper = np.triu_indices(INNER)
    line[upper] = line[upper[::-1]] = np.arange(len(upper[0]))
    at = np.arange(len(places))[:, None, None]
    fits = seen.losses.reshape(len(places), -1, rows)
    # for every repetition and turn j, the loss of each row under the model without j and without the row's own fold
    losses = fits[at, line[turns[:, None], places[:, None, :]], np.arange(rows)]
    turn = np.broadcast_to(at * INNER + turns[:, None], losses.shape)
    inner = places[:, None, :] != turns[:, None]
    return nested(losses.ravel(), turn.ravel(), inner.ravel(), level, folds=INNER, rows=rows)


def _conservative(seen: Seen, level: float) -> OverSplits:
    values = seen.values
    halves = values[SPLITS:].reshape(HALVINGS, 2, SPLITS).mean(axis=2)
    return conservative_z(values[:SPLITS], halves, level)


def _left_out(seen: Seen, level: float) -> OverSplits:
    return out_of_bag(seen.losses[1:], seen.layout.learned[1:], level)


def _with_training(seen: Seen, level: float) -> OverSplits:
    return dot632(_left_out(seen, level), float(seen.losses[0].mean()))


def _with_overfitting(seen: Seen, level: float) -> OverSplits:
    training = float(seen.losses[0].mean())
    return dot632_plus(_left_out(seen, level), training, no_information_loss(seen.every()))


METHODS: tuple[Method, ...] = (
    Method(
        method="all_pairs", splits="10", words="cross-validation, all pairs", target="these k models",
        found=lambda seen, level: all_pairs(seen.by_row[0], level),
    ),
    Method(
        method="within_folds", splits="10", words="cross-validation, within folds", target="these k models",
        found=lambda seen, level: within_folds(*seen.by_row, level),
    ),
    Method(
        method="naive_fold_interval", splits="10", words="naive t over folds (not valid)", target="this learner",
        found=lambda seen, level: naive_fold_interval(seen.values, level),
    ),
    Method(method="corrected_t", splits="10", words="corrected t", target="this learner", found=_corrected),
    Method(
        method="naive_fold_interval", splits="shuffle:25x0.1", words="naive t over folds (not valid)",
        target="this learner", found=lambda seen, level: naive_fold_interval(seen.values, level),
    ),
    Method(
        method="corrected_t", splits="shuffle:25x0.1", words="corrected t", target="this learner", found=_corrected
    ),
    Method(
        method="holdout", splits="holdout:0.2", words="holdout, t", target="this model",
        found=lambda seen, level: holdout(seen.by_row[0], level),
    ),
    Method(
        method="nested", splits="nested:25x5", words="nested cross-validation", target="this learner", found=_nested
    ),
    Method(
        method="conservative_z", splits="halves:10x10", words="conservative z", target="this learner",
        found=_conservative,
    ),
    Method(
        method="leave_one_out", splits="loo", words="leave-one-out", target="these k models",
        found=lambda seen, level: leave_one_out(seen.by_row[0], level),
    ),
    Method(
        method="out_of_bag", splits="boot:200", words="out of bag (e0)", target="this learner", found=_left_out
    ),
    Method(method="dot632", splits="boot:200", words=".632", target="this learner", found=_with_training),
    Method(method="dot632_plus", splits="boot:200", words=".632+", target="this learner", found=_with_overfitting),
)  # fmt: skip
"""Every interval, in the order in which they are shown."""


def methods(names: list[str] | tuple[str, ...] = ()) -> tuple[Method, ...]:
    """The intervals of these names, all without one; `corrected_t` is all of that name, `corrected_t@10` one of them.

    >>> [one.name for one in methods(["corrected_t"])]
    ['corrected_t@10', 'corrected_t@shuffle:25x0.1']
    """
    found: list[Method] = []
    for name in names:
        named = [one for one in METHODS if name in (one.method, one.name)]
        if not named:
            known = dict.fromkeys(one.method for one in METHODS)
            fix = f"choose of {', '.join(known)}, with splits where there are several, as in corrected_t@10"
            raise UsageError(f"no interval over splits is named {name!r}{did_you_mean(name, known)}", fix=fix)
        found += [one for one in named if one not in found]
    return tuple(found) or METHODS
