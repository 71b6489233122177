"""The constant predictor beside the model: majority class, prevalence, mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np

from heldout.batch import Array, Batch, Label
from heldout.estimates import Estimate
from heldout.estimates.question import Question
from heldout.estimates.rounding import number
from heldout.formulas import MARK_METRICS, metric
from heldout.verbs.measurement import Measurement

DECIDING = ("accuracy", "roc_auc", "log_loss", "r2", "subset_accuracy", "cost")
"""Where the model does no better than the dummy model on one of these, it is said."""

MEAN = "always predicts the mean"
ROUNDING = 1e-9
"""Sums of weights that differ by less, relative to their size, are equal."""


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """What always saying the same would score on the same rows."""

    name: str
    values: dict[str, float]
    beaten: dict[str, bool]
    """Whether the model's interval lies wholly on the better side of the constant's value."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "estimates": {name: _plain(value) for name, value in self.values.items()},
            "beaten": self.beaten,
        }


def baseline(beside: Measurement, estimates: dict[str, Estimate]) -> Baseline:
    """The constant predictor's values of the metrics that were estimated on these rows."""
    return against(*_constant_values(beside, list(estimates)), estimates)


def against(name: str, reached: dict[str, float], estimates: dict[str, Estimate]) -> Baseline:
    """A dummy model that reaches these values, and which of them the model beats; undefined ones are left out."""
    values = {metric: value for metric, value in reached.items() if not isnan(value)}
    beaten = {
        name: _better(estimates[name], value)
        for name, value in values.items()
        if estimates[name].better and not isnan(estimates[name])
    }
    return Baseline(name=name, values=values, beaten=beaten)


def no_better(baseline: Baseline, estimates: dict[str, Estimate]) -> list[str]:
    """A sentence for each deciding metric on which the model is not shown to beat the dummy model."""
    sentences = []
    for name in DECIDING:
        if name in baseline.beaten and not baseline.beaten[name]:
            estimate, constant = estimates[name], baseline.values[name]
            value, low, high, beside = (number(x, ".3f") for x in (estimate, estimate.low, estimate.high, constant))
            word = "significantly worse" if _worse(estimate, constant) else "not significantly better"
            sentences.append(f"{name} {value} [{low}, {high}] is {word} than the dummy model ({beside})")
    return sentences


def _constant_values(beside: Measurement, names: list[str]) -> tuple[str, dict[str, float]]:
    """What the constant predictor is called, and its values of the metrics, as far as they are defined."""
    sums = beside.sums_of_mean()
    if sums is not None:  # targets that were added up and not kept: what their mean and spread tell
        told = [metric(name) for name in names]
        return MEAN, {of.name: float(of(sums)) for of in told if of.rows is None and set(of.needs) <= set(sums)}
    constant, called = _constant(beside)
    measured = Measurement(constant, replace(beside.settings, method="auto", draws=100))
    return called, {name: _value(measured, name) for name in names}


def _constant(beside: Measurement) -> tuple[Batch, str]:
    """The rows as a constant predictor sees them: of rows that are alike one, with the weight of all."""
    batch, cost = beside.batch, beside.settings.cost
    if batch.task == "regression":
        mean = np.average(batch.truth, axis=0, weights=batch.weight)
        return replace(batch, prediction=np.broadcast_to(mean, batch.truth.shape)), MEAN
    if batch.task == "multilabel":
        share = np.average(batch.truth, axis=0, weights=batch.weight)
        said = np.broadcast_to((share > 0.5 + ROUNDING).astype(batch.truth.dtype), batch.truth.shape)
        called = f"always predicts each label's majority{_and_shares(batch, 'label')}"
        return replace(batch, prediction=said, score=np.broadcast_to(share, batch.truth.shape)), called
    counts = beside.class_weights()
    most = _first_largest(counts if cost is None else -(counts @ cost))
    present = np.flatnonzero(counts)
    shares = counts / counts.sum()
    constant = replace(
        batch,
        truth=present,
        prediction=np.full(len(present), most),
        score=None if batch.score is None else _chances(batch, shares, len(present)),
        weight=counts[present],
        unit=None,
        time=None,
        segments={},
    )
    return constant, f"always predicts {_quoted(batch.labels[most])}{_and_shares(batch, 'class')}"


def _first_largest(values: Array) -> int:
    """The first of the largest values, among which rounding decides nothing: the order of rows must not matter.

    >>> _first_largest(np.array([1.0, 3.0, 3.0 + 1e-15]))
    1
    """
    return int(np.argmax(values >= values.max() - ROUNDING * np.abs(values).max()))


def _and_shares(batch: Batch, each: str) -> str:
    """What it predicts where the model gives probabilities, which log_loss and brier look at."""
    if batch.score is None or not batch.probabilities:
        return ""
    return f"; probabilities: the share of {'positives' if batch.score.ndim == 1 else f'each {each}'}"


def _chances(batch: Batch, shares: Array, rows: int) -> Array:
    assert batch.score is not None
    if batch.score.ndim == 1:
        return np.full(rows, shares[batch.positive])
    return np.broadcast_to(shares, (rows, len(shares)))


def _value(measured: Measurement, name: str) -> float:
    of = MARK_METRICS[name] if measured.batch.task == "multilabel" and name in MARK_METRICS else metric(name)
    if of.reads in ("reliability", "columns", "ordered"):
        return 0.5 if of.reads == "columns" else float("nan")
    if measured.batch.truth.ndim == 2 and of.reads == "numbers":
        return float(np.mean(of(measured.row_sums(of).sums)))
    label = measured.batch.positive if of.one_class else None
    return Question(metric=of, tally=measured.tally(of, label), level=0.95, label=label).value


def _better(estimate: Estimate, constant: float) -> bool:
    return estimate.low > constant if estimate.better == "higher" else estimate.high < constant


def _worse(estimate: Estimate, constant: float) -> bool:
    """Whether the interval lies wholly on the bad side of the dummy model's value."""
    return estimate.high < constant if estimate.better == "higher" else estimate.low > constant


def _quoted(label: Label) -> str:
    return f'"{label}"' if isinstance(label, str) else str(label)


def _plain(value: float) -> float | None:
    return value if np.isfinite(value) else None
