"""Methods that are known to fail, and by how much: counted exactly where they can be, else measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.intervals.out_of_bag import dot632, dot632_plus, no_information_rate, out_of_bag
from heldout.lab.folds.split_size import split_size
from heldout.lab.folds.test_rows import averages, bags, folds, in_turn, moments, parted
from heldout.lab.folds.vectorised_fits import Said, nearest
from heldout.lab.rates.repetition import repeated
from heldout.lab.simulated_rates import FailureRates
from heldout.verbs.parameters import documented

BOOTSTRAP = ("out of bag (e0)", ".632", ".632+")


def cross_validated(
    fit: Callable[[Array, Array, Array], Said], X: Array, y: Array, counts: Sequence[int], rng: np.random.Generator
) -> list[float]:
    """The share of rows that the model without their fold gets wrong, for each number of folds; n is leave-one-out.

    >>> from heldout.lab.folds.vectorised_fits import nearest
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

    >>> from heldout.lab.folds.vectorised_fits import nearest
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


ROWS = 100
HALF = 25
"""Rows of either class that the majority learner sees."""
BAGS = 200
MEMORISER = ("training error", *BOOTSTRAP, "leave-one-out", "10-fold")
"""What is said of a learner that remembers every row it has seen, on labels that are coin flips."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What a method says of a case whose truth is known."""

    case: str
    method: str
    value: float
    """What the method says, on average."""
    error: float
    """Its Monte-Carlo standard error; 0: it is exact."""
    truth: float
    """What it should say."""
    repeats: int
    """0: it is exact."""

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values."""
        return asdict(self)


@documented(repeats=1000)
def failures(
    *, repeats: int = 1000, random_state: int = 0, n_jobs: int = 1, into: str | Path | None = None
) -> FailureRates:
    """Known failures of methods over splits: what they say beside the truth.

    The naive t test over 10 x 10 folds of learners that are equally good; error estimates of the nearest neighbour on
    random labels; cross-validation of a majority classifier on equally many rows of both classes; the share of rows in
    a bootstrap sample, 1 - (1 - 1 / n)^n.

    Parameters
    ----------
    <repeats>
    <simulation_seed>
    <processes>
    <into>

    Returns
    -------
    FailureRates
        One `Failure` per case and method: what it says, its Monte-Carlo error, and the truth.

    References
    ----------
    B. Efron, R. Tibshirani (1997). Improvements on cross-validation: the .632+ bootstrap method. Journal of the
    American Statistical Association 92(438), 548–560. [efron97]

    Examples
    --------
    >>> rates = failures(repeats=20)
    >>> {rate.method: round(rate.value, 3) for rate in rates if rate.repeats == 0}["leave-one-out"]
    1.0
    """
    spent: dict[str, Any] = {"random_state": random_state, "n_jobs": n_jobs, "into": into}
    naive, corrected = split_size(
        ["naive_fold_t@10x10", "corrected_resampled_t@10x10"], models="linear", n=ROWS, repeats=repeats, **spent
    )
    case = f"share of true nulls rejected, linear, n = {ROWS}"
    tests = [
        Failure(
            case=case, method=f"{name} t over 10x10", value=one.rejected, error=one.error, truth=one.alpha,
            repeats=repeats,
        )
        for name, one in (("naive", naive), ("corrected", corrected))
    ]  # fmt: skip
    sums = repeated(Memoriser(ROWS, BAGS), repeats, seed=random_state, jobs=n_jobs, into=into)
    known = averages(sums, repeats)
    case = f"nearest neighbour on coin flips, n = {ROWS}"
    memoriser = [
        Failure(case=case, method=name, value=one.value, error=one.error, truth=0.5, repeats=repeats)
        for name, one in zip(MEMORISER, known, strict=True)
    ]
    return FailureRates(rates=(*tests, *memoriser, *majority(), *in_bag()), setting={"seed": random_state})


def majority() -> tuple[Failure, ...]:
    """The error of a majority learner on 25 rows of either class, by cross-validation: exact."""
    case = f"majority learner, {HALF} rows of either class"
    found = {
        "leave-one-out": majority_error(HALF, HALF, 1),
        "10-fold, not stratified": majority_error(HALF, HALF, 5),
        "5-fold, stratified": majority_error_of_fold(HALF, HALF, 5, 5),
    }
    return tuple(
        Failure(case=case, method=name, value=value, error=0.0, truth=0.5, repeats=0) for name, value in found.items()
    )


def majority_error(first: int, second: int, size: int) -> float:
    """The mean error of the majority learner on a fold of so many rows, drawn from rows of two classes.

    >>> majority_error(25, 25, 1), round(majority_error(25, 25, 5), 4)
    (1.0, 0.6798)
    """
    from scipy.special import comb

    k = np.arange(max(0, size - second), min(first, size) + 1)
    chances = comb(first, k) * comb(second, size - k) / comb(first + second, size)
    errors = [majority_error_of_fold(first, second, int(one), size - int(one)) for one in k]
    return float(chances @ errors)


def majority_error_of_fold(first: int, second: int, in_first: int, in_second: int) -> float:
    """Its error on a fold with so many rows of either class, learned from the others; at a tie the first class wins.

    >>> majority_error_of_fold(25, 25, 1, 0), majority_error_of_fold(25, 25, 5, 5)
    (1.0, 0.5)
    """
    wrong = in_second if first - in_first >= second - in_second else in_first
    return wrong / (in_first + in_second)


def in_bag() -> tuple[Failure, ...]:
    """The share of rows that are in a bootstrap sample, which is .632 in the limit only: exact."""
    return tuple(
        Failure(
            case="share of rows in a bootstrap sample", method=f"n = {rows}", value=1 - (1 - 1 / rows) ** rows,
            error=0.0, truth=1 - float(np.exp(-1)), repeats=0,
        )
        for rows in (10, 100, 1000)
    )  # fmt: skip


@dataclass(frozen=True)
class Memoriser:
    """The job behind the memoriser: its error by the methods of `MEMORISER`, on labels that are coin flips."""

    n: int
    draws: int

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        return moments(np.array([self._one(rng) for _ in range(repeats)]))

    def _one(self, rng: np.random.Generator) -> list[float]:
        X, y = rng.standard_normal((self.n, 2)), rng.integers(0, 2, self.n)
        training = float((nearest(X, y, np.ones((1, self.n), int))(X) != y).mean())
        by_folds = cross_validated(nearest, X, y, (self.n, 10), rng)
        return [training, *bootstrapped(nearest, X, y, self.draws, rng), *by_folds]
