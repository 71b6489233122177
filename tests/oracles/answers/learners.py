"""Learners over data sets."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import stdtrit

import heldout
from heldout.stats import signed_rank
from tests.oracles.answers.asking import Answers, typed
from tests.oracles.reader import Case, columns, numbers

ZEROS = {"wilcox": "drop", "pratt": "pratt", "zsplit": "split", "wilcoxon": "drop"}


@lru_cache(maxsize=64)
def ranking(case: Case, post_hoc: str = "nemenyi", baseline: str | None = None, **options: Any) -> heldout.Ranking:
    """Learners over data sets, a column per learner."""
    table = {name: numbers(columns(case.file)[name]) for name in case.params["columns"]}
    better = "higher" if case.params.get("higher_is_better", True) else "lower"
    return heldout.compare_across_sets(table, post_hoc=post_hoc, baseline=baseline, better=better, **options)


def friedman(case: Case, *, tie_correction: bool = True) -> Any:
    return ranking(case, tie_correction=tie_correction).friedman


def ranks(case: Case) -> list[float]:
    found = ranking(case).ranks
    return [found[name] for name in case.params["columns"]]


def names(case: Case, values: Any) -> dict[str, float]:
    return dict(zip(case.params["columns"], values, strict=False))


def critical(case: Case, percent: str) -> float | None:
    return ranking(case, confidence_level=1 - float(percent) / 100).critical_difference


def matrix(case: Case, pairs: Any, part: str, diagonal: float) -> np.ndarray:
    """P-values of pairs by the places of their learners."""
    place = {name: at for at, name in enumerate(case.params["columns"])}
    found = np.full((len(place), len(place)), np.nan)
    np.fill_diagonal(found, diagonal)
    for one in pairs:
        found[place[one.a], place[one.b]] = found[place[one.b], place[one.a]] = getattr(one, part)
    return found


def nemenyi(case: Case) -> np.ndarray:
    """Corrected for all pairs by the studentised range itself."""
    return matrix(case, ranking(case).pairs, "pvalue_adjusted", 1.0)


def lower_triangle(case: Case) -> np.ndarray:
    found = nemenyi(case)
    return np.where(np.tri(len(found), k=-1, dtype=bool), found, np.nan)[1:, :-1]


def against(case: Case, control: str) -> tuple[Any, ...]:
    return ranking(case, post_hoc="control", baseline=control).pairs


def versus_first(case: Case, part: str) -> dict[str, float]:
    return {one.a: getattr(one, part) for one in against(case, case.params["columns"][0])}


def bonferroni_dunn(case: Case) -> dict[str, float]:
    found = versus_first(case, "pvalue")
    return {name: min(len(found) * p, 1.0) for name, p in found.items()}


def every_z(case: Case) -> np.ndarray:
    return matrix(case, [one for name in case.params["columns"] for one in against(case, name)], "pvalue", np.nan)


def pair(case: Case) -> tuple[np.ndarray, np.ndarray]:
    first, second = (numbers(columns(case.file)[case.params[name]]) for name in ("a", "b"))
    return first, second


def apart(case: Case) -> np.ndarray:
    first, second = pair(case)
    return first - second


def approximate(case: Case, zeros: str) -> list[float]:
    found = signed_rank(apart(case), zeros=ZEROS[zeros], method="normal", correction=True)
    return [min(found.plus, found.minus), found.pvalue]


def normal(case: Case, correction: str) -> float:
    return signed_rank(apart(case), zeros="drop", method="normal", correction=correction == "cc").pvalue


def default(case: Case) -> float:
    """Exact without ties and zeros and below fifty data sets, else normal and corrected: the tool's rule."""
    sizes = np.abs(apart(case))
    plain = len(np.unique(sizes)) == len(sizes) and sizes.all() and len(sizes) < 50
    return signed_rank(apart(case), zeros="drop", method="exact" if plain else "normal", correction=not plain).pvalue


def sign_test(case: Case) -> float:
    signs = np.sign(apart(case))
    wins, losses = int(np.sum(signs > 0)), int(np.sum(signs < 0))
    return typed("test", "binomial", wins, "--of", wins + losses)["pvalue"]


def paired_t(case: Case) -> list[float]:
    """Student's t by name, of two models' mean errors; the statistic is the one whose tail the p-value is."""
    first, second = pair(case)
    truth = np.zeros(len(first))  # errors are truth less prediction
    options = {"metrics": "mean_error", "task": "regression", "test": "t"}
    found = heldout.compare(truth, {"b": -second, "a": -first}, **options)["mean_error"]
    return [float(np.sign(found.value) * -stdtrit(len(first) - 1, found.pvalue / 2)), found.pvalue]


def probable(case: Case) -> list[float]:
    first, second = pair(case)
    given = {"b": second / scale(case), "a": first / scale(case)}
    draws = case.params["nsamples"]
    found = heldout.compare_across_sets(given, rope=case.params["rope"], n_resamples=draws)["a", "b"].practical
    assert found is not None
    return [found.better, found.within, found.worse]


def scale(case: Case) -> float:
    return float(case.params["scale"].rpartition(" ")[2])


LEARNERS: Answers = {
    "mean_ranks": lambda case: names(case, ranks(case)),
    "mean_ranks_best_is_1": ranks,
    "friedman_chi2": lambda case: friedman(case).chi_square,
    "friedman_p": lambda case: friedman(case).chi_square_pvalue,
    "scipy_friedman": lambda case: [friedman(case).chi_square, friedman(case).chi_square_pvalue],
    "autorank_pvalue": lambda case: friedman(case).chi_square_pvalue,
    "iman_davenport_F": lambda case: friedman(case, tie_correction=False).f,
    "iman_davenport_p": lambda case: friedman(case, tie_correction=False).f_pvalue,
    r"nemenyi_CD_(\d\d)": critical,
    "autorank_cd": lambda case: critical(case, "05"),
    "nemenyi_p_lower_triangle": lower_triangle,
    "posthoc_nemenyi": nemenyi,
    "z_test_p_raw": every_z,
    "raw_vs_first": lambda case: versus_first(case, "pvalue"),
    "holm_vs_first": lambda case: versus_first(case, "pvalue_adjusted"),
    "bonferroni_dunn_vs_first": bonferroni_dunn,
}
PAIRS: Answers = {
    "V": lambda case: signed_rank(apart(case), zeros="drop").plus,
    "p_default": default,
    "p_normal_(cc|nocc)": normal,
    "coin_exact_(wilcoxon|pratt)": lambda case, zeros: (
        signed_rank(apart(case), zeros=ZEROS[zeros], method="exact").pvalue
    ),
    "(wilcox|pratt|zsplit)_approx": approximate,
    "sign_test_p|sign_test": sign_test,
    "wins_ties_losses": lambda case: [int(np.sum(np.sign(apart(case)) == side)) for side in (1, 0, -1)],
    "t_paired": paired_t,
}
PROBABLE: Answers = {"signrank_rope": probable}
