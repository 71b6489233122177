"""What Weka's own evaluation prints: labels, probabilities per class and costs in one."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

import heldout
from tests.oracles.answers.asking import FAST, Answers, labelled, rows
from tests.oracles.reader import Case

PER_CLASS = {"precision": "precision", "recall": "recall", "f": "f1", "fpr": "fpr", "auc": "roc_auc"}


def sides(case: Case) -> tuple[list[str], list[str]]:
    of = rows(case)
    return of.text(of.truth), of.text(of.told)


def labels(case: Case) -> tuple[str, ...]:
    return rows(case).labels or ()


@lru_cache(maxsize=8)
def of_class(case: Case, label: str) -> heldout.Evaluation:
    """One class against the rest."""
    rest = "not " + label
    score = rows(case).numbers(case.params["probabilities"][labels(case).index(label)])
    truth, said = ([label if name == label else rest for name in side] for side in sides(case))
    return heldout.evaluate(truth, said, y_score=score, pos_label=label, method=FAST)


@lru_cache(maxsize=8)
def probabilities(case: Case) -> heldout.Evaluation:
    """A probability for every class."""
    table = np.stack([rows(case).numbers(name) for name in case.params["probabilities"]], axis=1)
    wanted = ["log_loss_bits", "quadratic_loss"]
    return heldout.evaluate(sides(case)[0], y_proba=table, labels=labels(case), metrics=wanted, method=FAST)


def per_class(case: Case, entry: str) -> list[float]:
    return [of_class(case, label)[PER_CLASS[entry]] for label in labels(case)]


def by_size(case: Case, entry: str) -> float:
    """The mean over classes, each with the weight of its true rows."""
    return float(np.average(per_class(case, entry), weights=labelled(case).confusion.sum(axis=1)))


def root_mean_square(case: Case) -> float:
    """Weka's error of a probability vector is the quadratic loss, divided by the number of classes, then its root."""
    return float(np.sqrt(probabilities(case)["quadratic_loss"] / len(labels(case))))


def cost(case: Case) -> heldout.Estimate:
    """Mean cost: truth by row, prediction by column."""
    matrix = [
        [float(number) for number in line.split()]
        for line in case.params["cost_matrix_text"].splitlines()
        if line.strip() and not line.startswith("%")
    ][1:]
    return heldout.evaluate(*sides(case), labels=labels(case), cost=matrix, metrics="cost", method=FAST)["cost"]


WEKA: Answers = {
    "correct": lambda case: labelled(case)["accuracy"].count[0],
    "incorrect": lambda case: labelled(case)["error_rate"].count[0],
    "pct_correct": lambda case: 100 * labelled(case)["accuracy"],
    "kappa": lambda case: labelled(case)["kappa"],
    "confusion_rows_truth": lambda case: labelled(case).confusion,
    "root_mean_squared_error": root_mean_square,
    "informational_loss_mean_bits": lambda case: probabilities(case)["log_loss_bits"],
    "informational_loss_total_bits": lambda case: probabilities(case)["log_loss_bits"] * labelled(case).rows,
    "(precision|recall|f|fpr|auc)_per_class": per_class,
    "weighted_(precision|recall|f|auc)": by_size,
    "average_cost": cost,
    "total_cost": lambda case: cost(case) * labelled(case).rows,
}
