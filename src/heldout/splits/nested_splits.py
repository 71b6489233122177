"""Splits within splits: what nested cross-validation and the conservative z are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.splits.listing import Split, splits
from heldout.splits.splitters import Halves


def nested(
    outer: Sequence[Split], y: Any, *, task: str, cv: Any = None, groups: Any = None, random_state: int = 0
) -> list[tuple[Split, list[Split]]]:
    """Each outer split with the splits of its training part, in positions of all rows.

    Without `cv` the other folds of the same repeat serve as inner folds: leaving out folds j and k is one fit for two.

    >>> outer = splits(3, [0, 1] * 6, task="binary")
    >>> [len(inner) for _, inner in nested(outer, [0, 1] * 6, task="binary")]
    [2, 2, 2]
    """
    truth = np.asarray(y)
    if cv is not None:
        return [
            (one, _within(np.unique(one.train), truth, cv, task, groups, random_state + at))
            for at, one in enumerate(outer)
        ]
    return [(one, _reused(one, outer)) for one in outer]


def _reused(one: Split, outer: Sequence[Split]) -> list[Split]:
    others = [other for other in outer if other.repeat == one.repeat and other.fold != one.fold]
    if len(others) < 2:
        raise UsageError(
            "folds serve as inner folds where a repeat has 3 or more", fix="take cv=5, or give the inner cv"
        )
    return [replace(other, train=np.setdiff1d(other.train, one.test), fold=at) for at, other in enumerate(others)]


def _within(part: Array, truth: Array, cv: Any, task: str, groups: Any, seed: int) -> list[Split]:  # noqa: PLR0917
    units = None if groups is None else np.asarray(groups)[part]
    inner = splits(cv, truth[part], task=task, groups=units, random_state=seed)
    return [replace(one, train=part[one.train], test=part[one.test]) for one in inner]


def halved(
    y: Any, *, task: str, groups: Any = None, halvings: int = 12, draws: int = 10, share: float = 0.1,
    random_state: int = 0,
) -> list[tuple[list[Split], list[Split]]]:  # fmt: skip
    """For each random halving of the rows, `draws` splits of either half, testing as many rows as share x n.

    >>> pairs = halved([0, 1] * 50, task="binary", halvings=2, draws=3)
    >>> len(pairs), len(pairs[0][0]), len(pairs[0][0][0].test), len(pairs[0][0][0].train)
    (2, 3, 10, 40)
    """
    if not 0 < share < 0.5:
        raise UsageError(f"share is {share}, and half of the rows must have more than it", fix="take share=0.1")
    truth = np.asarray(y)
    made = Halves(halvings, task in ("binary", "multiclass"), random_state)
    of_half = f"shuffle:{draws}x{2 * share:.6f}"
    found = splits(made, truth, task=task, groups=groups)
    return [
        (
            _within(one.train, truth, of_half, task, groups, random_state + 2 * at),
            _within(one.test, truth, of_half, task, groups, random_state + 2 * at + 1),
        )
        for at, one in enumerate(found)
    ]
