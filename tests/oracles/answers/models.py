"""Two models on the same rows: areas, labels and losses."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import chdtri, ndtr

import heldout
from heldout.stats.independent_samples import unpaired_areas
from heldout.stats.mcnemar_tests import mcnemar, tango
from tests.oracles.answers.asking import NARROW, Answers, standard_error
from tests.oracles.reader import Case, columns, numbers

MCNEMAR = {"mcnemar": "asymptotic", "exactbinom": "exact"}
SIDES = {"sensitivity": True, "specificity": False, "ppv": True, "npv": False}
"""Whether the rows of (or called) the positive class count."""


@lru_cache(maxsize=64)
def areas(case: Case) -> heldout.Comparison:
    """The first area less the second."""
    table, asked = columns(case.file), case.params
    scores = {name: numbers(table[asked[name]]) for name in ("score2", "score1")}
    return heldout.compare(table[asked["truth"]], scores, metrics="roc_auc", pos_label=asked["positive"])


def variance(case: Case, which: str) -> float:
    table, asked = columns(case.file), case.params
    beside: dict[str, Any] = {"metrics": "roc_auc", "method": "delong", "confidence_level": NARROW}
    score = numbers(table[asked[f"score{which}"]])
    found = heldout.evaluate(table[asked["truth"]], y_score=score, pos_label=asked["positive"], **beside)
    return standard_error(found["roc_auc"]) ** 2


def area(case: Case, which: str) -> float:
    return areas(case).estimates[f"score{which}"]["roc_auc"].value


def paired_area(case: Case, entry: str) -> Any:
    found = areas(case)["roc_auc"]
    error = standard_error(found)
    z = found.value / error
    told = {"diff": found.value, "z": z, "p_two_sided": found.p, "ci95_diff": [found.low, found.high]}
    told |= {"p_greater": ndtr(-z), "p_less": ndtr(z)}
    return told[entry] if entry != "cov" else (variance(case, "1") + variance(case, "2") - error**2) / 2


def unpaired_area(case: Case, entry: str) -> Any:
    parts = [part for which in "12" for part in (area(case, which), variance(case, which))]
    rows = areas(case).rows
    found = unpaired_areas(*parts, rows, rows, level=0.95)
    return {"D": found.statistic, "p": found.p, "df": found.df}[entry]


def said(case: Case) -> list[np.ndarray]:
    """Truth, first and second prediction: whether positive."""
    table, asked = columns(case.file), case.params
    names = ("truth", "predicted1", "predicted2")
    return [np.array(table[asked[name]]) == str(asked["positive"]) for name in names]


def shares(case: Case, metric: str) -> dict[str, float]:
    """What both models have, and the second less the first."""
    table, asked = columns(case.file), case.params
    models = {name: table[asked[name]] for name in ("predicted1", "predicted2")}
    name = {"sensitivity": "recall", "ppv": "precision"}.get(metric, metric)
    found = heldout.compare(table[asked["truth"]], models, metrics=name, pos_label=asked["positive"])
    first, second = (found.estimates[model][name].value for model in models)
    return {"test1": first, "test2": second, "diff": found[name].value}


def apart(case: Case, metric: str) -> tuple[int, int, int]:
    """Rows of one class that only the second model, or only the first, has right; and all of them."""
    truth, first, second = said(case)
    of = truth if SIDES[metric] else ~truth
    right = [(one == truth)[of] for one in (second, first)]
    return int(np.sum(right[0] & ~right[1])), int(np.sum(~right[0] & right[1])), int(np.sum(of))


def classes_tested(case: Case, method: str) -> dict[str, Any]:
    told = {}
    for metric in ("sensitivity", "specificity"):
        more, less, _ = apart(case, metric)
        p = mcnemar(more, less, method=MCNEMAR[method])
        told[metric] = {**shares(case, metric), "test.statistic": float(chdtri(1, p)), "p.value": p}
    return told


def classes_limits(case: Case) -> dict[str, Any]:
    told = {}
    for metric in ("sensitivity", "specificity"):
        low, high = tango(*apart(case, metric), case.params["level"])
        told[metric] = {**shares(case, metric), "diff.se": float("nan"), "diff.lcl": low, "diff.ucl": high}
    return told


def predictive(case: Case) -> dict[str, Any]:
    told = {}
    truth, first, second = said(case)
    for metric in ("ppv", "npv"):
        models = {"first": first, "second": second}
        p = heldout.compare(truth, models, metrics=metric, test="kosinski", pos_label=True)[metric].p
        told[metric] = {**shares(case, metric), "test.statistic": float(chdtri(1, p)), "p.value": p}
    return told


AREAS_APART: Answers = {
    r"auc([12])": area,
    r"var([12])": variance,
    "(diff|z|p_two_sided|ci95_diff|p_greater|p_less|cov)": paired_area,
    "unpaired_(D|p|df)": unpaired_area,
    # over many draws the tool's bootstrap of the difference has DeLong's standard error
    "(z)_mean": paired_area,
    "p_mean": lambda case: paired_area(case, "p_two_sided"),
}
DIAGNOSTIC: Answers = {
    "sesp_(mcnemar|exactbinom)": classes_tested,
    "sesp_diff_ci_tango": classes_limits,
    "pv_wgs": predictive,
}
