"""How often tests over splits reject that two learners are equally good, where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.lab.folds.split_test_methods import LAYOUTS, Losses, Rival, p_value, rivals
from heldout.lab.folds.vectorised_fits import model
from heldout.lab.learning.gaussian_world import Twins, twins
from heldout.lab.name_parsing import meant
from heldout.lab.rates.repetition import monte_carlo_error, plain, repeated
from heldout.lab.simulated_rates import SplitRejectionRates
from heldout.verbs.parameters import documented

SUMS = ("rejected", "refused")
FEWEST = 30
"""Rows below which a tenth of them is too few to test on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitSize:
    """How often a test over splits rejected that a learner does equally well on two blocks of features alike."""

    test: str
    splits: str
    """By the words of `heldout.splits`."""
    learner: str
    stable: bool
    world: str
    n: int
    alpha: float
    rejected: float
    """The share of all repetitions in which the test rejected; where it refused it did not."""
    error: float
    """Monte-Carlo standard error of that share."""
    refused: float
    """The share of repetitions without an answer: the differences of the splits did not vary."""
    repeats: int

    @property
    def word(self) -> str:
        """`too high` above 1.2 alpha, `timid` below half of it (by three errors), else `ok`."""
        if self.rejected - 3 * self.error > 1.2 * self.alpha:
            return "too high"
        return "timid" if self.rejected + 3 * self.error < 0.5 * self.alpha else "ok"

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values."""
        return plain({**asdict(self), "word": self.word})


@documented(repeats=1000)
def split_size(
    tests: str | Sequence[str] = (),
    *,
    models: str | Sequence[str] = ("linear", "knn"),
    world: str = "twins",
    n: int = 300,
    alpha: float = 0.05,
    repeats: int = 1000,
    random_state: int = 0,
    n_jobs: int = 1,
    into: str | Path | None = None,
) -> SplitRejectionRates:
    """Simulated type I error of tests over splits, where two learners are equally good.

    Both are the same learner, each on a block of features of its own; the blocks have the same distribution. Tests on
    the same splits see the same data.

    Parameters
    ----------
    tests : str or sequence of str, default ()
        Tests with their splits, such as "corrected_resampled_t" or "naive_fold_t@10x10" (default: all).
    models : str or sequence of str, default ("linear", "knn")
        Learners: "linear", "knn", "tree", any name of `learner`, or an import path.
    world : str, default "twins"
        The simulation of two exchangeable blocks of features.
    n : int, default 300
        Number of rows of each data set.
    alpha : float, default 0.05
        Level of the tests: they reject where p < alpha.
    <repeats>
    <simulation_seed>
    <processes>
    <into>

    Returns
    -------
    SplitRejectionRates
        One `SplitSize` per learner and test, with its Monte-Carlo error.

    Raises
    ------
    UsageError
        If a name is not known, or a number is out of range.

    References
    ----------
    T. G. Dietterich (1998). Approximate statistical tests for comparing supervised classification learning
    algorithms. Neural Computation 10(7), 1895–1923. [dietterich98]

    Examples
    --------
    >>> rate, = split_size("naive_fold_t@10x10", models="linear", n=60, repeats=40)
    >>> rate.rejected > 0.3
    True
    """
    chosen = rivals([tests] if isinstance(tests, str) else list(tests))
    where = exchangeable(world)
    checked(n, alpha)
    names = [models] if isinstance(models, str) else list(models)
    found: list[SplitSize] = []
    for name in names:
        fitted = model(name)
        job = SplitRejections(fitted.name, where.name, n, tuple(one.name for one in chosen), alpha)
        shares = repeated(job, repeats, seed=random_state, jobs=n_jobs, into=into) / repeats
        facts: dict[str, Any] = {"learner": fitted.name, "stable": fitted.stable, "world": where.name, "n": n}
        found += [_found(one, share, alpha, repeats, facts) for one, share in zip(chosen, shares, strict=True)]
    return SplitRejectionRates(rates=tuple(found), setting={"alpha": alpha, "seed": random_state})


def exchangeable(word: str) -> Twins:
    """The world of twins that a word stands for."""
    made: Twins = meant(word, {"twins": twins}, "world of exchangeable features")
    if made.gain:
        fix = "leave out gain=, or ask for the power: lab.split_power (lab split-power)"
        raise UsageError(f"the blocks of {made.name} are not equally good", fix=fix)
    return made


def checked(n: int, share: float, name: str = "alpha", most: float = 0.5) -> None:
    """Refuse too few rows, and a level that is none."""
    if n < FEWEST:
        raise UsageError(
            f"n is {n}, but splits that test a tenth of the rows need {FEWEST} or more",
            fix=f"write n={FEWEST} (--n {FEWEST}) or more",
        )
    if not 0 < share < most:
        fix = f"write a number such as {0.05 if name == 'alpha' else 0.95:g}"
        raise UsageError(f"{name} is {share:g}, which is not between 0 and {most:g}", fix=fix)


def _found(one: Rival, shares: Array, alpha: float, repeats: int, facts: dict[str, Any]) -> SplitSize:
    rejected, refused = (float(share) for share in shares)
    return SplitSize(
        test=one.test,
        splits=one.splits,
        alpha=alpha,
        rejected=rejected,
        error=monte_carlo_error(rejected, repeats),
        refused=refused,
        repeats=repeats,
        **facts,
    )


@dataclass(frozen=True)
class SplitRejections:
    """The job behind `split_size`."""

    learner: str
    world: str
    n: int
    tests: tuple[str, ...]
    alpha: float

    def __call__(self, rng: np.random.Generator, repeats: int) -> Array:
        """Sums by test and what is in `SUMS`."""
        chosen, where = rivals(self.tests), exchangeable(self.world)
        sums = np.zeros((len(chosen), len(SUMS)))
        for _ in range(repeats):
            X, y = where.sample(self.n, rng)
            seed = int(rng.integers(2**31))
            losses = {word: self._lost(X, y, word, where, seed) for word in {one.splits for one in chosen}}
            p = [p_value(one, losses[one.splits], self.alpha) for one in chosen]
            sums += [[one < self.alpha, isnan(one)] for one in p]
        return sums

    def _lost(self, X: Array, y: Array, word: str, where: Twins, seed: int) -> Losses:
        # splits of one kind are the same whatever other tests are asked for
        tested = LAYOUTS[word](self.n, np.random.default_rng([seed, list(LAYOUTS).index(word)]))
        fit = model(self.learner).fit
        first, second = (
            (fit(X[:, block], y, (~tested).astype(int))(X[:, block]) != y).astype(float) for block in where.blocks
        )
        return Losses(first=first, second=second, tested=tested)
