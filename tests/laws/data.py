"""Random rows of every task, as the arguments of `evaluate`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from heldout.formulas import MARK_METRICS, METRICS

Rows = dict[str, Any]
COLUMNS = ("data", "y_pred", "y_score", "y_proba", "sample_weight", "groups")


def binary(rng: np.random.Generator, rows: int = 60) -> Rows:
    truth = rng.integers(0, 2, rows)
    truth[:2] = 0, 1
    chance = np.round(np.clip(0.2 * rng.standard_normal(rows) + 0.35 + 0.3 * truth, 0.01, 0.99), 2)  # with ties
    return {"data": truth, "y_proba": chance}


def multiclass(rng: np.random.Generator, rows: int = 60) -> Rows:
    truth = rng.integers(0, 3, rows)
    truth[:3] = 0, 1, 2
    chance = rng.dirichlet([1, 1, 1], rows) + 0.7 * np.eye(3)[truth]
    return {"data": truth, "y_proba": chance / chance.sum(axis=1, keepdims=True)}


def multilabel(rng: np.random.Generator, rows: int = 60) -> Rows:
    truth = rng.integers(0, 2, (rows, 3))
    truth[:2] = [0, 1, 0], [1, 0, 1]
    said = np.where(rng.random((rows, 3)) < 0.7, truth, 1 - truth)
    return {"data": truth, "y_pred": said}


def regression(rng: np.random.Generator, rows: int = 60) -> Rows:
    truth = rng.gamma(3, 1, rows) + 0.1
    return {"data": truth, "y_pred": truth + rng.standard_normal(rows), "task": "regression"}


def targets(rng: np.random.Generator, rows: int = 60) -> Rows:
    truth = rng.gamma(3, 1, (rows, 2)) + 0.1
    return {"data": truth, "y_pred": truth + rng.standard_normal((rows, 2)), "task": "regression"}


WORLDS: dict[str, Callable[..., Rows]] = {
    "binary": binary,
    "multiclass": multiclass,
    "multilabel": multilabel,
    "regression": regression,
    "targets": targets,
}


def taken(rows: Rows, chosen: Any) -> Rows:
    """The rows at these positions."""
    return {name: column[chosen] if name in COLUMNS else column for name, column in rows.items()}


def every_metric() -> dict[str, Any]:
    """Built-in metrics by name, averages over labels apart."""
    return METRICS | {f"{name} of labels": one for name, one in MARK_METRICS.items()}
