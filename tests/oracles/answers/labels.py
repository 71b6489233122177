"""Metrics of predicted labels, and their intervals."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

import heldout
from tests.oracles.answers.asking import (
    NARROW,
    Answers,
    ends,
    labelled,
    named,
    rivals,
    rows,
    standard_error,
    triple,
    typed,
)
from tests.oracles.reader import Case

SKLEARN = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "precision": "precision",
    "recall": "recall",
    "specificity": "specificity",
    "npv": "npv",
    "f1": "f1",
    "f2": "f2",
    "f05": "f0.5",
    "mcc": "mcc",
    "kappa": "kappa",
    "jaccard": "jaccard",
}
MLR3 = {"acc": "accuracy", "ce": "error_rate", "bacc": "balanced_accuracy", "mcc": "mcc"}
PYCM = {
    "Overall ACC": "accuracy",
    "Kappa": "kappa",
    "Overall MCC": "mcc",
    "Hamming Loss": "error_rate",
    "TPR Macro": "recall_macro",
    "PPV Macro": "precision_macro",
    "F1 Macro": "f1_macro",
    "TPR Micro": "recall_micro",
    "PPV Micro": "precision_micro",
    "F1 Micro": "f1_micro",
}
AVERAGED = {
    f"{name}_{average}": f"{name}_{average}"
    for name in ("precision", "recall", "f1", "jaccard")
    for average in ("micro", "macro", "weighted")
}
CARET = {
    "Sensitivity": "recall",
    "Specificity": "specificity",
    "Pos Pred Value": "precision",
    "Neg Pred Value": "npv",
    "Precision": "precision",
    "Recall": "recall",
    "F1": "f1",
    "Prevalence": "prevalence",
}
EPIR = {
    "tp": "prevalence",
    "se": "recall",
    "sp": "specificity",
    "diag.ac": "accuracy",
    "diag.or": "diagnostic_odds_ratio",
    "pv.pos": "precision",
    "pv.neg": "npv",
    "lr.pos": "lr_positive",
    "lr.neg": "lr_negative",
    "p.tpdn": "fpr",
    "p.tndp": "fnr",
}
EPIR_COMPLEMENTS = {"p.dntp": "precision", "p.dptn": "npv"}
EPIR_METHODS = {"exact": "clopper_pearson", "wilson": "wilson"}


def place(case: Case, label: str | None) -> int:
    """Where a class stands in the confusion matrix."""
    return [str(name) for name in labelled(case).labels].index(str(label))


def cells(case: Case) -> dict[str, float]:
    """The four counts of the positive class."""
    table, at = labelled(case).confusion, place(case, rows(case).positive)
    tp, fn, fp = table[at, at], table[at].sum() - table[at, at], table[:, at].sum() - table[at, at]
    return {"tp": tp, "fp": fp, "fn": fn, "tn": table.sum() - tp - fp - fn}


def in_order(case: Case, *names: str) -> list[float]:
    return [cells(case)[name] for name in names]


def wrong(case: Case) -> float:
    return labelled(case)["error_rate"].count[0]


def per_class(case: Case, *metrics: str) -> list[list[float]]:
    """A list per metric, with an entry per class."""
    found = labelled(case)
    support = found.confusion.sum(axis=1)
    return [
        list(support) if name == "support" else [found.classes[label][name] for label in rows(case).labels]
        for name in metrics
    ]


def caret_class(case: Case, label: str) -> dict[str, float]:
    """What caret tells of one class."""
    found, at = labelled(case), place(case, label)
    metrics, table = found.classes[label] if found.classes else found.estimates, found.confusion
    told = {entry: metrics[name] for entry, name in CARET.items()}
    told["Detection Rate"] = table[at, at] / table.sum()
    told["Detection Prevalence"] = table[:, at].sum() / table.sum()
    told["Balanced Accuracy"] = (metrics["youden_j"] + 1) / 2
    return told


def by_class(case: Case) -> Any:
    """Of the positive class; where there is none, a line per class with the columns that caret names."""
    if rows(case).positive is not None:
        return caret_class(case, rows(case).positive)
    lines = [caret_class(case, name.removeprefix("Class: ")) for name in case.expected["byClass_rows"]]
    return [[line[column] for column in case.expected["byClass_columns"]] for line in lines]


def overall(case: Case) -> dict[str, float]:
    found, exact = labelled(case), labelled(case, "clopper_pearson")["accuracy"]
    return {
        "Accuracy": found["accuracy"],
        "Kappa": found["kappa"],
        "AccuracyLower": exact.low,
        "AccuracyUpper": exact.high,
        "AccuracyNull": found.baseline.values["accuracy"],
        "AccuracyPValue": above_the_constant(case),
        "McnemarPValue": as_many_of_each_error(case),
    }


def as_many_of_each_error(case: Case) -> float | None:
    """Test of as many false positives as false negatives; None where there are more classes than two."""
    if rows(case).positive is None:
        return None
    return rivals((0, int(cells(case)["fp"]), int(cells(case)["fn"]), 0), "corrected")["accuracy"].pvalue


def above_the_constant(case: Case) -> float:
    """Exact test of more rows being right than the most frequent class would have, its share taken as known."""
    found = labelled(case)
    right, total = int(np.trace(found.confusion)), int(found.confusion.sum())
    share = found.baseline.values["accuracy"]
    words = ("--of", total, "--share", repr(float(share)), "--alternative", "greater")
    return typed("test", "binomial", right, *words)["pvalue"]


def diagnostic(case: Case, method: str) -> dict[str, list[float]]:
    """[value, low, high] of every rate, from the counts; ratios on the log scale whatever the method."""
    tp, fp, fn, tn = rows(case).counts
    sure = {"method": EPIR_METHODS[method], "confidence_level": case.params["level"]}
    found = heldout.evaluate_confusion([[tn, fp], [fn, tp]], labels=["no", "yes"], pos_label="yes", **sure)
    said = heldout.evaluate_counts(wrong=tp + fp, of=tp + fp + fn + tn, **sure)["error_rate"]
    told = {entry: triple(found[name]) for entry, name in EPIR.items()}
    told |= {entry: _complement(found[name]) for entry, name in EPIR_COMPLEMENTS.items()}
    return {**told, "ap": triple(said), "p.rin": triple(said), "p.rout": _complement(said)}


def _complement(of: heldout.Estimate) -> list[float]:
    return [1 - of.value, 1 - of.high, 1 - of.low]


def kappa(case: Case) -> dict[str, float]:
    found = labelled(case, "normal", NARROW)["kappa"]
    return {"value": found.value, "ASE": standard_error(found)}


def weighted_kappa(case: Case, spacing: str) -> dict[str, float]:
    """The tool's error divides by n, ours by n - 1."""
    of = rows(case)
    metric = {"equal_spacing": "kappa_linear", "fleiss_cohen": "kappa_quadratic"}[spacing]
    options = {"metrics": metric, "method": "normal", "confidence_level": NARROW}
    found = heldout.evaluate(of.text(of.truth), of.text(of.told), **of.beside, **options)[metric]
    return {"value": found.value, "ASE": standard_error(found) * np.sqrt(1 - 1 / found.units)}


def kappa_interval(case: Case) -> dict[str, float]:
    found = labelled(case, "normal")["kappa"]
    return {"lower": found.low, "upper": found.high}


def rounded_normal(case: Case) -> list[float]:
    """PyCM takes 1.96 standard errors, a hair more than 95%."""
    return ends(labelled(case, "normal", 2 * NormalDist().cdf(1.96) - 1)["accuracy"])


CONFUSION: Answers = {
    **named(MLR3, labelled),
    "table_rows_pred_cols_truth": lambda case: np.transpose(labelled(case).confusion),
    "overall": overall,
    "byClass": by_class,
}
CONFUSION_INTERVALS: Answers = {"(exact|wilson)": diagnostic}
AGREEMENT: Answers = {
    "vcd_unweighted": kappa,
    "vcd_(equal_spacing|fleiss_cohen)": weighted_kappa,
    "psych_kappa|irr_unweighted": lambda case: labelled(case)["kappa"],
    "psych_ci95_unweighted": kappa_interval,
}
LABELS: Answers = {
    **named(SKLEARN, labelled),
    "confusion_tn_fp_fn_tp": lambda case: in_order(case, "tn", "fp", "fn", "tp"),
    "lr_plus_minus": lambda case: [labelled(case)["lr_positive"], labelled(case)["lr_negative"]],
    "zero_one_loss_count": wrong,
}
MULTICLASS: Answers = {
    **named({**SKLEARN, **AVERAGED, **PYCM}, labelled),
    "confusion_rows_truth": lambda case: labelled(case).confusion,
    "per_class_precision_recall_f1_support": lambda case: per_class(case, "precision", "recall", "f1", "support"),
    "per_class_precision_recall_zero_division_nan": lambda case: per_class(case, "precision", "recall", "f1"),
    "Zero-one Loss": wrong,
    "NIR": lambda case: labelled(case).baseline.values["accuracy"],
    "Standard Error": lambda case: standard_error(labelled(case, "normal", NARROW)["accuracy"]),
    "95% CI": rounded_normal,
    "P-Value": above_the_constant,
}
