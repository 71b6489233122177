"""Two models on the same rows: areas, labels and losses."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from scipy.special import chdtri, ndtr

import heldout
from heldout.stats.independent_samples import unpaired_areas
from tests.oracles.answers.asking import NARROW, Answers, standard_error
from tests.oracles.reader import Case, columns, numbers

MCNEMAR = {"mcnemar": "asymptotic", "exactbinom": "exact"}


@lru_cache(maxsize=64)
def areas(case: Case) -> heldout.Comparison:
    """The first area less the second."""
    table, asked = columns(case.file), case.params
    scores = {name: numbers(table[asked[name]]) for name in ("score2", "score1")}
    options = {"metrics": "roc_auc", "pos_label": asked["positive"], "test": "delong"}
    return heldout.compare(table[asked["truth"]], scores, **options)


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
    told = {"diff": found.value, "z": z, "p_two_sided": found.pvalue, "ci95_diff": [found.low, found.high]}
    told |= {"p_greater": ndtr(-z), "p_less": ndtr(z)}
    return told[entry] if entry != "cov" else (variance(case, "1") + variance(case, "2") - error**2) / 2


def unpaired_area(case: Case, entry: str) -> Any:
    """The rows as if they were other rows for each model."""
    table, asked = columns(case.file), case.params
    if entry == "p":
        models = {name: (table[asked["truth"]], numbers(table[asked[name]])) for name in ("score2", "score1")}
        options = {"metrics": "roc_auc", "pos_label": asked["positive"], "paired": False, "test": "delong"}
        return heldout.compare(None, models, **options)["roc_auc"].pvalue
    parts = [part for which in "12" for part in (area(case, which), variance(case, which))]
    rows = areas(case).rows
    found = unpaired_areas(*parts, rows, rows, level=0.95)
    return {"D": found.statistic, "df": found.df}[entry]


NAMES = {"sensitivity": "recall", "ppv": "precision"}


def apart(case: Case, metric: str, **options: Any) -> tuple[dict[str, float], Any]:
    """What both models have and the second less the first; and their difference with its test."""
    table, asked = columns(case.file), case.params
    models = {name: table[asked[name]] for name in ("predicted1", "predicted2")}
    name = NAMES.get(metric, metric)
    found = heldout.compare(table[asked["truth"]], models, metrics=name, pos_label=asked["positive"], **options)
    first, second = (found.estimates[model][name].value for model in models)
    return {"test1": first, "test2": second, "diff": found[name].value}, found[name]


def tested(case: Case, metrics: tuple[str, str], test: str) -> dict[str, Any]:
    told = {}
    for metric in metrics:
        shares, found = apart(case, metric, test=test)
        told[metric] = {**shares, "test.statistic": float(chdtri(1, found.pvalue)), "p.value": found.pvalue}
    return told


def classes_limits(case: Case) -> dict[str, Any]:
    told = {}
    for metric in ("sensitivity", "specificity"):
        shares, found = apart(case, metric, confidence_level=case.params["level"])
        told[metric] = {**shares, "diff.se": float("nan"), "diff.lcl": found.low, "diff.ucl": found.high}
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
    "sesp_(mcnemar|exactbinom)": lambda case, test: tested(case, ("sensitivity", "specificity"), MCNEMAR[test]),
    "sesp_diff_ci_tango": classes_limits,
    "pv_wgs": lambda case: tested(case, ("ppv", "npv"), "kosinski"),
}
