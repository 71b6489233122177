"""Mean cost under a cost matrix."""

from __future__ import annotations

import numpy as np

import heldout
from tests.oracles.answers.asking import FAST, Answers, points, rows
from tests.oracles.reader import Case


def cost(case: Case, metric: str = "cost", **decided: object) -> float:
    """Mean cost, false alarms and misses priced as the case has it; labels by threshold, or one label for all rows."""
    of = rows(case)
    truth, order = of.text(of.truth), [of.negative, of.positive]
    matrix = [[0.0, case.params["cost_fp"]], [case.params["cost_fn"], 0.0]]
    told = {"y_pred": [order[int(bool(decided["always"]))]] * len(truth)} if "always" in decided else {}
    at = {} if metric == "cost_minimum_risk" else {"threshold": decided.get("threshold", 0.5)}
    told = told or {"y_proba": of.numbers(of.told), **at}
    options = {"pos_label": of.positive, "labels": order, "metrics": metric, "method": FAST}
    return heldout.evaluate(truth, cost=matrix, **told, **options)[metric]


def best_threshold(case: Case) -> float:
    """The lowest of the thresholds that cost least on these rows."""
    sweep = points(case, "sweep")
    total = case.params["cost_fp"] * sweep["fp"] + case.params["cost_fn"] * sweep["fn"]
    return float(sweep["threshold"][np.flatnonzero(total == total.min())[-1]])


COST: Answers = {
    r"mean_cost_at_0_(\d+)": lambda case, threshold: cost(case, threshold=float(f"0.{threshold}")),
    "mean_cost_at_bayes_threshold": lambda case: cost(case, "cost_minimum_risk"),
    "min_mean_cost": lambda case: cost(case, threshold=best_threshold(case)),
    "argmin_threshold_lowest": best_threshold,
    "mean_cost_all_negative": lambda case: cost(case, always=False),
    "mean_cost_all_positive": lambda case: cost(case, always=True),
}
