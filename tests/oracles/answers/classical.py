"""Textbook tests, and thresholds with a certified false positive rate."""

from __future__ import annotations

from typing import Any

import numpy as np

import heldout
from heldout.stats.textbook_tests import chi_square_table
from tests.oracles.answers.asking import Answers, typed
from tests.oracles.reader import Case, columns, numbers


def binomial(case: Case, side: str, share: str) -> float:
    words = ("--of", case.params["n"], "--share", share, "--alternative", side)
    return typed("test", "binomial", case.params["x"], *words)["pvalue"]


def chi_square(case: Case) -> dict[str, Any]:
    if "table_rows" in case.params:
        found = chi_square_table(np.array(case.params["table_rows"]))
        return {"statistic": found.statistic, "pvalue": found.pvalue, "df": found.df}
    return typed("test", "chi2", *case.params["observed"])


def ratio(case: Case) -> dict[str, Any]:
    sigmas = ("--sigma0", case.params["H0_sd"], "--sigma1", case.params["H1_sd"])
    return typed("test", "lr", *case.params["x"], *sigmas)


def certified(case: Case, entry: str) -> Any:
    table = columns(case.file)
    score = numbers(table[case.params["score"]])
    positive = np.array(table[case.params["truth"]]) == str(case.params["positive"])
    options = {"max_fpr": case.params["alpha"], "confidence_level": 1 - case.params["delta"], "metrics": "roc_auc"}
    try:
        found = heldout.evaluate(positive, y_score=score, pos_label=True, **options).operating_point
    except heldout.DataError:  # so few negatives certify nothing
        return {"cutoff": None, "order_statistic_rank": None, "empirical_fpr": 0.0, "empirical_tpr": 0.0}[entry]
    assert found is not None
    return {
        "cutoff": found.threshold,
        "order_statistic_rank": int(np.sum(score[~positive] <= found.threshold)),
        "empirical_fpr": np.mean(score[~positive] > found.threshold),
        "empirical_tpr": found.recall.value,
        "violation_probability_bound": found.violation,
    }[entry]


BINOMIAL: Answers = {
    r"p_(two|greater|less)_(\.\d+)": binomial,
    "p_one_sided_(greater)|p_(two)_sided": lambda case, one, two: binomial(case, one or two, case.params["p0"]),
}
CHI_SQUARE: Answers = {
    "chisq": lambda case: chi_square(case)["statistic"],
    "p": lambda case: chi_square(case)["pvalue"],
    "df": lambda case: chi_square(case)["df"],
    "chi2": lambda case: [chi_square(case)["statistic"], chi_square(case)["pvalue"]],
}
RATIO: Answers = {
    "log_likelihood_ratio": lambda case: ratio(case)["log_ratio"],
    "stat_sum_sq_over_s0": lambda case: ratio(case)["statistic"],
    "p_value": lambda case: ratio(case)["pvalue"],
    "critical_sum_sq_at_5pct": lambda case: ratio(case)["critical"],
    "power_at_5pct": lambda case: ratio(case)["power"],
}
CERTIFIED: Answers = {
    "(cutoff|order_statistic_rank|empirical_fpr|empirical_tpr|violation_probability_bound)": certified
}
