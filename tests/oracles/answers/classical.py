"""Textbook tests, and thresholds with a certified false positive rate."""

from __future__ import annotations

from typing import Any

import numpy as np

from heldout.stats import textbook_tests as classical
from heldout.stats.neyman_pearson import threshold_at
from tests.oracles.answers.asking import Answers
from tests.oracles.reader import Case, columns, numbers

SIDES = {"two": "two-sided", "greater": "greater", "less": "less"}


def binomial(case: Case, side: str, share: str) -> float:
    return classical.binomial(case.params["x"], case.params["n"], float(share), alternative=SIDES[side]).p


def chi_square(case: Case) -> classical.Decision:
    if "table_rows" in case.params:
        return classical.chi_square_table(np.array(case.params["table_rows"]))
    return classical.chi_square(np.array(case.params["observed"]))


def ratio(case: Case) -> classical.LikelihoodRatio:
    return classical.likelihood_ratio_normal(
        np.array(case.params["x"]), case.params["H0_sd"], case.params["H1_sd"], alpha=0.05
    )


def certified(case: Case, entry: str) -> Any:
    table = columns(case.file)
    score = numbers(table[case.params["score"]])
    positive = np.array(table[case.params["truth"]]) == str(case.params["positive"])
    found = threshold_at(score[~positive], case.params["alpha"], 1 - case.params["delta"])
    above = score > (np.inf if found.threshold is None else found.threshold)
    return {
        "cutoff": found.threshold,
        "order_statistic_rank": found.rank,
        "empirical_fpr": np.mean(above[~positive]),
        "empirical_tpr": np.mean(above[positive]),
        "violation_probability_bound": found.violation,
    }[entry]


BINOMIAL: Answers = {
    r"p_(two|greater|less)_(\.\d+)": binomial,
    "p_one_sided_(greater)|p_(two)_sided": lambda case, one, two: binomial(case, one or two, case.params["p0"]),
}
CHI_SQUARE: Answers = {
    "chisq": lambda case: chi_square(case).statistic,
    "p": lambda case: chi_square(case).p,
    "df": lambda case: chi_square(case).df,
    "chi2": lambda case: [chi_square(case).statistic, chi_square(case).p],
}
RATIO: Answers = {
    "log_likelihood_ratio": lambda case: ratio(case).log_ratio,
    "stat_sum_sq_over_s0": lambda case: ratio(case).decision.statistic,
    "p_value": lambda case: ratio(case).decision.p,
    "critical_sum_sq_at_5pct": lambda case: ratio(case).critical,
    "power_at_5pct": lambda case: ratio(case).decision.power,
}
CERTIFIED: Answers = {
    "(cutoff|order_statistic_rank|empirical_fpr|empirical_tpr|violation_probability_bound)": certified
}
