"""How a case is put to heldout: the rows its parameters name, evaluated once and kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from click.testing import CliRunner

import heldout
from heldout.cli import verbs
from tests.oracles.reader import COUNTS, Case, columns, numbers

Answers = Mapping[str, Callable[..., Any]]
"""Pattern of an entry's name → how it is answered: a function of the case and of the pattern's groups."""


class NotAnswered(Exception):  # noqa: N818  (an ending of an entry, not a fault)
    """No question to heldout is known for an entry."""


FAST = "normal"
"""The method asked for where only the value counts: the quickest one that every metric has."""
NARROW = 0.1
"""A level at which no interval reaches the end of its range, so that its width gives the standard error."""


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The rows a case is about. Several tools are asked about the same rows: equal rows are evaluated once."""

    file: Path | None
    counts: tuple[int, ...]
    """(TP, FP, FN, TN), where there is no file."""
    truth: str
    told: str | None
    """The column of predictions, scores or probabilities."""
    weight: str | None
    positive: str | None
    labels: tuple[str, ...] | None

    def text(self, name: str | None) -> list[str]:
        if self.file is not None:
            return columns(self.file)[str(name)]
        yes = self.positive
        no = next(label for label in self.labels or () if label != yes)
        cells = ((yes, yes), (no, yes), (yes, no), (no, no))
        side = 0 if name == self.truth else 1
        return [cell[side] for cell, count in zip(cells, self.counts, strict=True) for _ in range(count)]

    def numbers(self, name: str | None) -> np.ndarray:
        return numbers(self.text(name))

    @property
    def negative(self) -> str:
        """The other label."""
        return next(label for label in self.text(self.truth) if label != self.positive)

    @property
    def beside(self) -> dict[str, Any]:
        """What an evaluation is told about the truth."""
        weight = None if self.weight is None else self.numbers(self.weight)
        return {"pos_label": self.positive, "labels": self.labels, "sample_weight": weight}


def rows(case: Case) -> Rows:
    """The rows that the parameters of a case name."""
    params = case.params
    told = [params[name] for name in ("predicted", "probability", "score") if name in params]
    return Rows(
        file=case.file,
        counts=tuple(params[name] for name in ("tp", "fp", "fn", "tn")) if set(params) >= COUNTS else (),
        truth=params["truth"],
        told=told[0] if told else None,
        weight=params.get("weight"),
        positive=str(params["positive"]) if "positive" in params else None,
        labels=tuple(str(label) for label in params["labels"]) if "labels" in params else None,
    )


def answered(known: Answers, case: Case, key: str) -> Any:
    """The answer to one entry; NotAnswered where it is not known."""
    for pattern, answer in known.items():
        found = re.fullmatch(pattern, key)
        if found:
            return answer(case, *found.groups())
    raise NotAnswered(key)


def named(metrics: Mapping[str, str], ask: Callable[[Case], Any]) -> dict[str, Callable[..., Any]]:
    """Entries that are values of one evaluation: the tool's name → the metric."""
    return {re.escape(entry): lambda case, metric=metric: ask(case)[metric] for entry, metric in metrics.items()}


def labelled(case: Case, method: str = FAST, level: float = 0.95) -> heldout.Evaluation:
    """Truth and predicted labels, all metrics."""
    return _labelled(rows(case), method, level)


@lru_cache(maxsize=64)
def _labelled(of: Rows, method: str, level: float) -> heldout.Evaluation:
    truth, said = of.text(of.truth), of.text(of.told)
    return heldout.evaluate(truth, said, **of.beside, method=method, confidence_level=level)


def chances(case: Case, edge: float = 0.0) -> heldout.Evaluation:
    """Truth and the probability of the positive class, all metrics; `edge` is how far 0 and 1 are kept off."""
    return _chances(rows(case), edge)


@lru_cache(maxsize=64)
def _chances(of: Rows, edge: float) -> heldout.Evaluation:
    chance = np.clip(of.numbers(of.told), edge, 1 - edge)
    return heldout.evaluate(of.text(of.truth), y_proba=chance, **of.beside, method=FAST)


def ranked(case: Case, metric: str = "roc_auc", **options: Any) -> heldout.Estimate:
    """One metric of the score."""
    return ranking(case, metric, **options)[metric]


def ranking(case: Case, metric: str = "roc_auc", **options: Any) -> heldout.Evaluation:
    """Truth and score, one metric; curves can be asked of it.

    swapped=True: the other class is the positive one, and low scores speak for it.
    """
    return _ranking(rows(case), metric, **{"method": FAST, **options})


@lru_cache(maxsize=256)
def _ranking(of: Rows, metric: str, *, swapped: bool = False, **options: Any) -> heldout.Evaluation:
    score, sought = of.numbers(of.told), of.positive
    if swapped:
        score, sought = -score, of.negative
    beside = {**of.beside, "pos_label": sought}
    return heldout.evaluate(of.text(of.truth), y_score=score, **beside, metrics=metric, **options)


def points(case: Case, curve: str, *metrics: str) -> dict[str, np.ndarray]:
    """The columns of a curve of the score (or probability)."""
    return _points(rows(case), curve, metrics)


@lru_cache(maxsize=64)
def _points(of: Rows, curve: str, metrics: tuple[str, ...]) -> dict[str, np.ndarray]:
    options = {"metrics": metrics} if metrics else {}
    return dict(_ranking(of, "roc_auc", method=FAST).curve(curve, **options).points)


def typed(*words: Any) -> dict[str, Any]:
    """What `heldout ...` prints as JSON."""
    result = CliRunner().invoke(verbs, [*map(str, words), "--format", "json"])
    if result.exit_code:
        raise RuntimeError(result.stderr)
    return json.loads(result.stdout)


@lru_cache(maxsize=256)
def rivals(counts: tuple[int, int, int, int], test: str, level: float = 0.95) -> heldout.Comparison:
    """Two models compared that have so many rows right: both, the first only, the second only, neither."""
    right = {name: np.repeat(marks, counts) for name, marks in (("first", (1, 1, 0, 0)), ("second", (1, 0, 1, 0)))}
    options = {"metrics": "accuracy", "pos_label": 1, "labels": (0, 1), "confidence_level": level, "test": test}
    return heldout.compare(np.ones(sum(counts), dtype=int), right, **options)


def ends(estimate: heldout.Estimate) -> list[float]:
    return [estimate.low, estimate.high]


def triple(estimate: heldout.Estimate) -> list[float]:
    return [estimate.value, estimate.low, estimate.high]


def standard_error(estimate: heldout.Estimate) -> float:
    """Half the width of a normal interval, in standard normal quantiles of its level."""
    return (estimate.high - estimate.low) / 2 / NormalDist().inv_cdf((1 + estimate.level) / 2)
