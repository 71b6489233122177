"""Tests of two learners over splits, each with the splits that it is measured on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import erfc, nan, sqrt

import numpy as np

from heldout.batch import Array
from heldout.errors import DataError, UsageError, did_you_mean
from heldout.lab.folds.test_rows import drawn, folds, in_turn, means
from heldout.stats.mcnemar_tests import Method, mcnemar
from heldout.stats.split_tests import (
    corrected_resampled_t,
    five_by_two_f,
    five_by_two_t,
    kfold_paired_t,
    naive_fold_t,
)
from heldout.stats.textbook_tests import two_proportions

Layout = Callable[[int, np.random.Generator], Array]
"""Rows and a generator → which rows each split tests."""

LAYOUTS: dict[str, Layout] = {
    "holdout:0.33": lambda rows, rng: drawn(rows, rows // 3, 1, rng),
    "shuffle:30x0.33": lambda rows, rng: drawn(rows, rows // 3, 30, rng),
    "shuffle:25x0.1": lambda rows, rng: drawn(rows, rows // 10, 25, rng),
    "10": lambda rows, rng: in_turn(folds(rows, 10, 1, rng), 10),
    "10x10": lambda rows, rng: in_turn(folds(rows, 10, 10, rng), 10),
    "5x2": lambda rows, rng: in_turn(folds(rows, 2, 5, rng), 2),
}
"""Splits by the words of `heldout.splits`; classes are not stratified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """What two learners lost on the rows of one sample, a line per split, and which of those count."""

    first: Array
    second: Array
    tested: Array

    @property
    def differences(self) -> Array:
        """The difference of the mean losses, one per split."""
        return means(self.first - self.second, self.tested)

    @property
    def by_row(self) -> tuple[Array, Array]:
        """Both losses of every row that was tested; each row once, where splits are folds."""
        return self.first[self.tested], self.second[self.tested]

    @property
    def ratio(self) -> float:
        """Test rows to training rows."""
        test = self.tested.sum(axis=1).mean()
        return float(test / (self.tested.shape[1] - test))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A test of two learners, on splits of one kind."""

    test: str
    splits: str
    words: str
    """What the test calls itself."""
    pvalue: Callable[[Losses, float], float]
    """The p-value, given a level for intervals."""

    @property
    def name(self) -> str:
        return f"{self.test}@{self.splits}"


def _shares(found: Losses, _: float) -> float:
    first, second = found.by_row
    return two_proportions(first.sum(), len(first), second.sum(), len(second)).pvalue


def _mcnemar(method: Method) -> Callable[[Losses, float], float]:
    def p(found: Losses, _: float) -> float:
        first, second = found.by_row
        return mcnemar(float((first > second).sum()), float((first < second).sum()), method=method)

    return p


def _normal(found: Losses, _: float) -> float:
    """Mean of the rows' differences to its error as if rows were independent [bayle20]."""
    first, second = found.by_row
    apart = first - second
    error = float(apart.std()) / sqrt(len(apart))
    return erfc(abs(float(apart.mean())) / error / sqrt(2)) if error > 0 else nan


def _naive(found: Losses, level: float) -> float:
    return naive_fold_t(found.differences, level).pvalue


def _corrected(found: Losses, level: float) -> float:
    return corrected_resampled_t(found.differences, level, ratio=found.ratio).pvalue


RIVALS: tuple[Rival, ...] = (
    Rival(test="two_proportions", splits="holdout:0.33", words="z, pooled", pvalue=_shares),
    Rival(test="mcnemar_corrected", splits="holdout:0.33", words="McNemar, corrected", pvalue=_mcnemar("corrected")),
    Rival(test="mcnemar_exact", splits="holdout:0.33", words="McNemar, exact", pvalue=_mcnemar("exact")),
    Rival(test="mcnemar", splits="holdout:0.33", words="McNemar, mid-p", pvalue=_mcnemar("midp")),
    Rival(
        test="naive_fold_t",
        splits="shuffle:30x0.33",
        words="naive t over folds (not valid)",
        pvalue=_naive,
    ),
    *(
        Rival(
            test="corrected_resampled_t",
            splits=splits,
            words="corrected resampled t",
            pvalue=_corrected,
        )
        for splits in ("shuffle:30x0.33", "shuffle:25x0.1")
    ),
    Rival(
        test="kfold_paired_t",
        splits="10",
        words="k-fold paired t (approximate)",
        pvalue=lambda found, level: kfold_paired_t(found.differences, level).pvalue,
    ),
    Rival(
        test="corrected_resampled_t",
        splits="10",
        words="corrected resampled t",
        pvalue=_corrected,
    ),
    Rival(
        test="naive_fold_t",
        splits="10x10",
        words="naive t over folds (not valid)",
        pvalue=_naive,
    ),
    Rival(
        test="corrected_resampled_t",
        splits="10x10",
        words="corrected resampled t",
        pvalue=_corrected,
    ),
    Rival(
        test="five_by_two_t",
        splits="5x2",
        words="5x2cv t",
        pvalue=lambda found, level: five_by_two_t(found.differences.reshape(5, 2), level).pvalue,
    ),
    Rival(
        test="five_by_two_f",
        splits="5x2",
        words="5x2cv F",
        pvalue=lambda found, level: five_by_two_f(found.differences.reshape(5, 2), level).pvalue,
    ),
    Rival(test="all_pairs", splits="10", words="cross-validation, all pairs", pvalue=_normal),
    Rival(test="mcnemar_corrected", splits="10", words="McNemar, corrected", pvalue=_mcnemar("corrected")),
    Rival(test="mcnemar", splits="10", words="McNemar, mid-p", pvalue=_mcnemar("midp")),
)
"""Every test, in the order in which they are shown."""


def rivals(names: list[str] | tuple[str, ...] = ()) -> tuple[Rival, ...]:
    """The tests of these names, all without one; `mcnemar` is all of that name, `mcnemar@10` the one over 10 folds.

    >>> [one.name for one in rivals(["mcnemar"])]
    ['mcnemar@holdout:0.33', 'mcnemar@10']
    """
    found: list[Rival] = []
    for name in names:
        named = [one for one in RIVALS if name in (one.test, one.name)]
        if not named:
            known = dict.fromkeys(one.test for one in RIVALS)
            fix = f"choose of {', '.join(known)}, with splits where there are several, as in mcnemar@10"
            raise UsageError(f"no test over splits is named {name!r}{did_you_mean(name, known)}", fix=fix)
        found += [one for one in named if one not in found]
    return tuple(found) or RIVALS


def p_value(rival: Rival, losses: Losses, alpha: float) -> float:
    """The p-value; nan where the test refuses, because nothing says how much differences vary."""
    try:
        return rival.pvalue(losses, 1 - alpha)
    except DataError:
        return nan
