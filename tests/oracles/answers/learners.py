"""Learners over data sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import stdtr

from heldout.stats import rank_tests as many_sets
from heldout.stats.multiplicity import bonferroni
from heldout.stats.paired_means import paired_mean
from heldout.stats.textbook_tests import binomial
from heldout.stats.wilcoxon import bayes_signed_rank, signed_rank
from tests.oracles.answers.asking import Answers
from tests.oracles.reader import Case, columns, numbers

ZEROS = {"wilcox": "drop", "pratt": "pratt", "zsplit": "split", "wilcoxon": "drop"}


def table(case: Case) -> np.ndarray:
    """A line per data set, a column per learner."""
    return np.column_stack([numbers(columns(case.file)[name]) for name in case.params["columns"]])


def friedman(case: Case, *, tied: bool = True) -> many_sets.Friedman:
    return many_sets.friedman(table(case), higher=case.params.get("higher_is_better", True), tied=tied)


def names(case: Case, values: Any) -> dict[str, float]:
    return dict(zip(case.params["columns"], values, strict=False))


def critical(case: Case, percent: str) -> float:
    sets, learners = table(case).shape
    return many_sets.nemenyi(learners, sets, float(percent) / 100)


def nemenyi(case: Case) -> np.ndarray:
    return many_sets.nemenyi_p(friedman(case).ranks, len(table(case)))


def lower_triangle(case: Case) -> np.ndarray:
    found = nemenyi(case)
    return np.where(np.tri(len(found), k=-1, dtype=bool), found, np.nan)[1:, :-1]


def versus_first(case: Case, control: int = 0) -> many_sets.Pairs:
    return many_sets.versus_control(friedman(case).ranks, len(table(case)), control=control)


def against_first(case: Case, p: Any) -> dict[str, float]:
    return dict(zip(case.params["columns"][1:], p, strict=True))


def every_z(case: Case) -> np.ndarray:
    learners = len(case.params["columns"])
    found = np.full((learners, learners), np.nan)
    for control in range(learners):
        one = versus_first(case, control)
        found[control, one.pairs[:, 1]] = one.p
    return found


def pair(case: Case) -> tuple[np.ndarray, np.ndarray]:
    first, second = (numbers(columns(case.file)[case.params[name]]) for name in ("a", "b"))
    return first, second


def apart(case: Case) -> np.ndarray:
    first, second = pair(case)
    return first - second


def approximate(case: Case, zeros: str) -> list[float]:
    found = signed_rank(apart(case), zeros=ZEROS[zeros], method="normal", corrected=True)
    return [min(found.plus, found.minus), found.p]


def normal(case: Case, correction: str) -> float:
    return signed_rank(apart(case), zeros="drop", method="normal", corrected=correction == "cc").p


def default(case: Case) -> float:
    """Exact without ties and zeros and below fifty data sets, else normal and corrected: the tool's rule."""
    sizes = np.abs(apart(case))
    plain = len(np.unique(sizes)) == len(sizes) and sizes.all() and len(sizes) < 50
    return signed_rank(apart(case), zeros="drop", method="exact" if plain else "normal", corrected=not plain).p


def sign_test(case: Case) -> float:
    signs = np.sign(apart(case))
    wins, losses = int(np.sum(signs > 0)), int(np.sum(signs < 0))
    return binomial(wins, wins + losses, 0.5).p


def paired_t(case: Case) -> list[float]:
    """The statistic, and the tail of Student's t beyond it: below 100 units heldout's own p-value is by sign flips."""
    statistic = paired_mean(apart(case), 0.95, draws=1, seed=0).statistic
    return [statistic, 2 * stdtr(len(apart(case)) - 1, -abs(statistic))]


def probable(case: Case) -> list[float]:
    below, within, above = bayes_signed_rank(
        apart(case) / scale(case), case.params["rope"], draws=case.params["nsamples"], seed=0
    )
    return [above, within, below]


def scale(case: Case) -> float:
    return float(case.params["scale"].rpartition(" ")[2])


LEARNERS: Answers = {
    "mean_ranks": lambda case: names(case, friedman(case).ranks),
    "mean_ranks_best_is_1": lambda case: friedman(case).ranks,
    "friedman_chi2": lambda case: friedman(case).chi_square,
    "friedman_p": lambda case: friedman(case).chi_square_p,
    "scipy_friedman": lambda case: [friedman(case).chi_square, friedman(case).chi_square_p],
    "autorank_pvalue": lambda case: friedman(case).chi_square_p,
    "iman_davenport_F": lambda case: friedman(case, tied=False).f,
    "iman_davenport_p": lambda case: friedman(case, tied=False).f_p,
    r"nemenyi_CD_(\d\d)": critical,
    "autorank_cd": lambda case: critical(case, "05"),
    "nemenyi_p_lower_triangle": lower_triangle,
    "posthoc_nemenyi": nemenyi,
    "z_test_p_raw": every_z,
    "raw_vs_first": lambda case: against_first(case, versus_first(case).p),
    "holm_vs_first": lambda case: against_first(case, versus_first(case).adjusted),
    "bonferroni_dunn_vs_first": lambda case: against_first(case, bonferroni(versus_first(case).p)),
}
PAIRS: Answers = {
    "V": lambda case: signed_rank(apart(case), zeros="drop").plus,
    "p_default": default,
    "p_normal_(cc|nocc)": normal,
    "coin_exact_(wilcoxon|pratt)": lambda case, zeros: signed_rank(apart(case), zeros=ZEROS[zeros], method="exact").p,
    "(wilcox|pratt|zsplit)_approx": approximate,
    "sign_test_p|sign_test": sign_test,
    "wins_ties_losses": lambda case: [int(np.sum(np.sign(apart(case)) == side)) for side in (1, 0, -1)],
    "t_paired": paired_t,
}
PROBABLE: Answers = {"signrank_rope": probable}
