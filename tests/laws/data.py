"""Random rows of every task, as the arguments of `evaluate`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from heldout.formulas import MARK_METRICS, METRICS

Rows = dict[str, Any]
COLUMNS = ("y_true", "y_pred", "y_score", "y_proba", "sample_weight", "groups")


def binary(rng: np.random.Generator, rows: int = 60) -> Rows:
    truth = rng.integers(0, 2, rows)
    truth[:2] = 0, 1
    chance = np.round(np.clip(0.2 * rng.standard_normal(rows) + 0.35 + 0.3 * truth, 0.01, 0.99), 2)  # with ties
    return {"y_true": truth, "y_proba": chance}


def multiclass(rng: np.random.Generator, rows: int = 60) -> Rows:
    truth = rng.integers(0, 3, rows)
    truth[:3] = 0, 1, 2
    chance = rng.dirichlet([1, 1, 1], rows) + 0.7 * np.eye(3)[truth]
    return {"y_true": truth, "y_proba": chance / chance.sum(axis=1, keepdims=True)}


def multilabel(rng: np.random.Generator, rows: int = 60) -> Rows:
    truth = rng.integers(0, 2, (rows, 3))
    truth[:2] = [0, 1, 0], [1, 0, 1]
    predicted = np.where(rng.random((rows, 3)) < 0.7, truth, 1 - truth)
    return {"y_true": truth, "y_pred": predicted}


def regression(rng: np.random.Generator, rows: int = 60) -> Rows:
    truth = rng.gamma(3, 1, rows) + 0.1
    return {"y_true": truth, "y_pred": truth + rng.standard_normal(rows), "task": "regression"}


def targets(rng: np.random.Generator, rows: int = 60) -> Rows:
    truth = rng.gamma(3, 1, (rows, 2)) + 0.1
    return {"y_true": truth, "y_pred": truth + rng.standard_normal((rows, 2)), "task": "regression"}


def rankings(rng: np.random.Generator, rows: int = 60) -> Rows:
    truth = multilabel(rng, rows)["y_true"]
    return {"y_true": truth, "y_score": np.round(rng.normal(truth, 1), 1)}


NUMBERED = {
    "binary": ["top_1_accuracy", "ece@5"],
    "multiclass": ["top_3_accuracy", "ece@5", "f3_macro"],
    "multilabel": ["f3_samples", "f3_weighted"],
    "rankings": ["ndcg@2", "dcg@2"],
    "regression": ["pinball@0.9", "d2_pinball@0.9", "tweedie_deviance@1.5", "d2_tweedie@1.5"],
}


def by_name(world: Callable[..., Rows], task: str) -> Callable[..., Rows]:
    """The same rows for the metrics that are computed only where they are asked for."""
    kind = "multilabel" if task == "rankings" else task
    scored = task != "multilabel"
    fitting = [metric for metric in METRICS.values() if metric.by_name and kind in metric.tasks]
    names = [metric.name for metric in fitting if task != "rankings" or metric.of_labels is False]
    names = [name for name in names if scored or METRICS[name].of_labels]

    def made(rng: np.random.Generator, rows: int = 60) -> Rows:
        drawn = world(rng, rows)
        if task == "regression":  # deviances need predictions above zero
            drawn["y_pred"] = np.abs(drawn["y_pred"]) + 0.05
        return drawn | {"metrics": [*names, *NUMBERED[task]]}

    return made


WORLDS: dict[str, Callable[..., Rows]] = {
    "binary": binary,
    "multiclass": multiclass,
    "multilabel": multilabel,
    "regression": regression,
    "targets": targets,
    "binary by name": by_name(binary, "binary"),
    "multiclass by name": by_name(multiclass, "multiclass"),
    "multilabel by name": by_name(multilabel, "multilabel"),
    "rankings by name": by_name(rankings, "rankings"),
    "regression by name": by_name(regression, "regression"),
    "targets by name": by_name(targets, "regression"),
}


def taken(rows: Rows, chosen: Any) -> Rows:
    """The rows at these positions."""
    return {name: column[chosen] if name in COLUMNS else column for name, column in rows.items()}


def every_metric() -> dict[str, Any]:
    """Built-in metrics by name, averages over labels apart."""
    return METRICS | {f"{name} of labels": metric for name, metric in MARK_METRICS.items()}
