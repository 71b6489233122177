"""Errors of a learner by cross-validation and by the bootstrap, on one sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from heldout.batch import Array
from heldout.intervals.out_of_bag import dot632, dot632_plus, no_information_rate, out_of_bag
from heldout.lab.folds.layouts import bags, folds, in_turn, parted
from heldout.lab.folds.models import Said

BOOTSTRAP = ("out of bag (e0)", ".632", ".632+")


def cross_validated(
    fit: Callable[[Array, Array, Array], Said], X: Array, y: Array, counts: Sequence[int], rng: np.random.Generator
) -> list[float]:
    """The share of rows that the model without their fold gets wrong, for each number of folds; n is leave-one-out.

    >>> from heldout.lab.folds.models import nearest
    >>> X, y = np.array([[0.0], [0.1], [5.0], [5.1]]), np.array([0, 0, 1, 1])
    >>> cross_validated(nearest, X, y, [4], np.random.default_rng(0))
    [0.0]
    """
    tested = [in_turn(folds(len(y), count, 1, rng), count) for count in counts]
    every = np.concatenate(tested)
    wrong = (fit(X, y, parted(every).learned)(X) != y) & every
    ends = np.cumsum([0, *counts])
    return [float(wrong[start:end].sum()) / len(y) for start, end in pairwise(ends)]


def bootstrapped(
    fit: Callable[[Array, Array, Array], Said], X: Array, y: Array, draws: int, rng: np.random.Generator
) -> list[float]:
    """The error by e0, .632 and .632+, from so many bootstrap samples [efron97].

    >>> from heldout.lab.folds.models import nearest
    >>> X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    >>> [round(one, 2) for one in bootstrapped(nearest, X, y, 50, np.random.default_rng(0))]
    [0.9, 0.57, 0.5]
    """
    bagged = bags(len(y), draws, rng)
    said = fit(X, y, bagged.learned)(X)
    losses = (said != y).astype(float)
    training = float(losses[0].mean())
    e0 = out_of_bag(losses[1:], bagged.learned[1:], 0.95)
    plus = dot632_plus(e0, training, no_information_rate(y, said[0]))
    return [e0.value, dot632(e0, training).value, plus.value]
