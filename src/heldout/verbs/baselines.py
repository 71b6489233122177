"""The constant predictor beside the model: majority class, prevalence, mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np

from heldout.batch import Array, Batch, Label
from heldout.estimates import Estimate
from heldout.tallies.cells import Cells
from heldout.tallies.ordering import parts
from heldout.verbs.measurement import Measurement

DECIDING = ("accuracy", "roc_auc", "log_loss", "r2", "subset_accuracy", "cost")
"""Where the model does no better than the constant on one of these, it is said."""


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
    settings = beside.settings
    constant, name = _constant(beside)
    measured = Measurement(constant, replace(settings, method="auto", draws=100))
    values = {}
    for metric_name in estimates:
        value = _value(measured, metric_name)
        if not isnan(value):
            values[metric_name] = value
    beaten = {
        name: _better(estimates[name], value)
        for name, value in values.items()
        if estimates[name].better and not isnan(estimates[name])
    }
    return Baseline(name=name, values=values, beaten=beaten)


def no_better(baseline: Baseline, estimates: dict[str, Estimate]) -> list[str]:
    """A sentence for each deciding metric on which the model is not shown to beat the constant."""
    sentences = []
    for name in DECIDING:
        if name in baseline.beaten and not baseline.beaten[name]:
            value, low, high = (
                f"{number:.3f}" for number in (estimates[name], estimates[name].low, estimates[name].high)
            )
            sentences.append(
                f"{name} {value} [{low}, {high}] is no better than {baseline.name} ({baseline.values[name]:.3f})"
            )
    return sentences


def _constant(beside: Measurement) -> tuple[Batch, str]:
    """The rows as a constant predictor sees them: of rows that are alike one, with the weight of all."""
    batch, cost = beside.batch, beside.settings.cost
    if batch.task == "regression":
        mean = np.average(batch.truth, axis=0, weights=batch.weight)
        return replace(batch, prediction=np.broadcast_to(mean, batch.truth.shape)), "the mean"
    if batch.task == "multilabel":
        share = np.average(batch.truth, axis=0, weights=batch.weight)
        said = np.broadcast_to((share > 0.5).astype(batch.truth.dtype), batch.truth.shape)
        return replace(batch, prediction=said, score=np.broadcast_to(share, batch.truth.shape)), "each label's majority"
    counts = _class_weights(beside)
    most = int(counts.argmax() if cost is None else (counts @ cost).argmin())
    present = np.flatnonzero(counts)
    shares = counts / counts.sum()
    constant = replace(
        batch,
        truth=present,
        prediction=np.full(len(present), most),
        score=None if batch.score is None else _chances(batch, shares, len(present)),
        weight=counts[present],
        unit=None,
        segments={},
    )
    return constant, f"always {_quoted(batch.labels[most])}"


def _class_weights(beside: Measurement) -> Array:
    """How much the rows of each class weigh; from the confusion matrix where it is there already."""
    batch, size = beside.batch, len(beside.batch.labels)
    if "labels" in beside.__dict__ and isinstance(beside.labels, Cells):
        return beside.labels.counts.sum(axis=1)
    if batch.weight is not None:
        return np.bincount(batch.truth, weights=batch.weight, minlength=size)
    if size == 2:
        ones = float(np.count_nonzero(batch.truth))
        return np.array([batch.rows - ones, ones])
    counts = np.zeros(size)
    for part in parts(batch.rows):
        counts += np.bincount(batch.truth[part], minlength=size)
    return counts


def _chances(batch: Batch, shares: Array, rows: int) -> Array:
    assert batch.score is not None
    if batch.score.ndim == 1:
        return np.full(rows, shares[batch.positive])
    return np.broadcast_to(shares, (rows, len(shares)))


def _value(measured: Measurement, name: str) -> float:
    from heldout.estimates.question import Question
    from heldout.formulas import MARK_METRICS, metric

    of = MARK_METRICS[name] if measured.batch.task == "multilabel" and name in MARK_METRICS else metric(name)
    if of.reads in ("reliability", "columns", "ordered"):
        return 0.5 if of.reads == "columns" else float("nan")
    if measured.batch.truth.ndim == 2 and of.reads == "numbers":
        return float(np.mean(of(measured.tally(of).sums)))
    label = measured.batch.positive if of.one_class else None
    return Question(metric=of, tally=measured.tally(of, label), level=0.95, label=label).value


def _better(estimate: Estimate, constant: float) -> bool:
    return estimate.low > constant if estimate.better == "higher" else estimate.high < constant


def _quoted(label: Label) -> str:
    return f'"{label}"' if isinstance(label, str) else str(label)


def _plain(value: float) -> float | None:
    return value if np.isfinite(value) else None
