"""How a case is put to heldout: the rows its parameters name, evaluated once and kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np

import heldout
from tests.oracles.reader import Case

Answers = Mapping[str, Callable[..., Any]]
"""Pattern of an entry's name → how it is answered: a function of the case and of the pattern's groups."""

FAST = "normal"
"""The method asked for where only the value counts: the quickest one that every metric has."""
NARROW = 0.1
"""A level at which no interval reaches the end of its range, so that its width gives the standard error."""


def answered(known: Answers, case: Case, key: str) -> Any:
    """The answer to one entry; KeyError where it is not known."""
    for pattern, answer in known.items():
        found = re.fullmatch(pattern, key)
        if found:
            return answer(case, *found.groups())
    raise KeyError(key)


def named(metrics: Mapping[str, str], ask: Callable[[Case], Any]) -> dict[str, Callable[..., Any]]:
    """Entries that are values of one evaluation: the tool's name → the metric."""
    return {re.escape(entry): lambda case, metric=metric: ask(case)[metric] for entry, metric in metrics.items()}


@lru_cache(maxsize=64)
def labelled(case: Case, method: str = FAST, level: float = 0.95) -> heldout.Evaluation:
    """Truth and predicted labels, all metrics."""
    return heldout.evaluate(
        case.text("truth"),
        case.text("predicted"),
        pos_label=positive(case),
        labels=labels(case),
        sample_weight=weight(case),
        method=method,
        confidence_level=level,
    )


@lru_cache(maxsize=64)
def chances(case: Case) -> heldout.Evaluation:
    """Truth and the probability of the positive class, all metrics."""
    return heldout.evaluate(
        case.text("truth"),
        y_proba=case.numbers("probability"),
        pos_label=positive(case),
        sample_weight=weight(case),
        method=FAST,
    )


def chance(case: Case, metric: str, **options: Any) -> heldout.Estimate:
    """One metric of the probability of the positive class."""
    options = {"method": FAST, **options}
    found = heldout.evaluate(
        case.text("truth"),
        y_proba=case.numbers("probability"),
        pos_label=positive(case),
        sample_weight=weight(case),
        metrics=metric,
        **options,
    )
    return found[metric]


def ranked(case: Case, metric: str = "roc_auc", *, swapped: bool = False, **options: Any) -> heldout.Estimate:
    """One metric of the score; swapped: the other class is the positive one, and low scores speak for it."""
    return ranking(case, metric, swapped=swapped, **{"method": FAST, **options})[metric]


@lru_cache(maxsize=64)
def ranking(case: Case, metric: str = "roc_auc", *, swapped: bool = False, **options: Any) -> heldout.Evaluation:
    """Truth and score, one metric; curves can be asked of it."""
    truth, score, sought = case.text("truth"), numbers_of(case), positive(case)
    if swapped:
        score = -score
        sought = next(label for label in truth if label != sought)
    return heldout.evaluate(truth, y_score=score, pos_label=sought, metrics=metric, **options)


@lru_cache(maxsize=64)
def points(case: Case, curve: str, *metrics: str) -> dict[str, np.ndarray]:
    """The columns of a curve of the score (or probability)."""
    options = {"metrics": metrics} if metrics else {}
    return dict(ranking(case, method=FAST).curve(curve, **options).points)


def numbers_of(case: Case) -> np.ndarray:
    """The score, or the probability, of each row."""
    return case.numbers("score" if "score" in case.params else "probability")


def positive(case: Case) -> str | None:
    return str(case.params["positive"]) if "positive" in case.params else None


def labels(case: Case) -> tuple[str, ...] | None:
    return tuple(str(label) for label in case.params["labels"]) if "labels" in case.params else None


def weight(case: Case) -> np.ndarray | None:
    return case.numbers("weight") if "weight" in case.params else None


def ends(estimate: heldout.Estimate) -> list[float]:
    return [estimate.low, estimate.high]


def triple(estimate: heldout.Estimate) -> list[float]:
    return [estimate.value, estimate.low, estimate.high]


def standard_error(estimate: heldout.Estimate) -> float:
    """Half the width of a normal interval, in standard normal quantiles of its level."""
    return (estimate.high - estimate.low) / 2 / NormalDist().inv_cdf((1 + estimate.level) / 2)
