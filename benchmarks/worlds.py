"""Seeded data: the same rows in every run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from benchmarks.task import Data

CLASSES = 10
SEED = 20


def classes(rows: int) -> Data:
    """Ten classes as integers, of which the model names three quarters rightly.

    >>> {name: column.dtype.name for name, column in classes(5).items()}
    {'truth': 'int64', 'prediction': 'int64'}
    """
    rng = np.random.default_rng(SEED)
    truth = rng.integers(0, CLASSES, rows)
    guess = rng.integers(0, CLASSES, rows)
    return {"truth": truth, "prediction": np.where(rng.random(rows) < 0.72, truth, guess)}


def named_classes(rows: int) -> Data:
    """The same classes as Python strings, each row an object of its own, as a file's reader makes them.

    >>> named_classes(1)["truth"].item()
    'class 8'
    """
    names = np.array([f"class {number}" for number in range(CLASSES)])
    return {name: names[column].astype(object) for name, column in classes(rows).items()}


def decisions(rows: int) -> Data:
    """Yes or no, as integers."""
    columns = scores(rows)
    return {"truth": columns["truth"], "prediction": (columns["score"] >= 0.5).astype(np.int64)}


def scores(rows: int, dtype: DTypeLike = np.float64) -> Data:
    """Three rows in ten are positive; probabilities between 0 and 1, almost all distinct.

    >>> columns = scores(1000)
    >>> bool(columns["score"][columns["truth"] == 1].mean() > columns["score"].mean())
    True
    """
    rng = np.random.default_rng(SEED)
    truth = (rng.random(rows) < 0.3).astype(np.int64)
    return {"truth": truth, "score": _probability(rng.normal(size=rows) + 1.5 * truth - 1.4).astype(dtype)}


def single_scores(rows: int) -> Data:
    """The same in single precision, where many rows tie."""
    return scores(rows, np.float32)


def rival_scores(rows: int) -> Data:
    """The scores of two models that err alike in part."""
    rng = np.random.default_rng(SEED)
    truth = (rng.random(rows) < 0.3).astype(np.int64)
    shared = rng.normal(size=rows)
    first, second = (
        _probability(0.6 * shared + 0.8 * rng.normal(size=rows) + pull * truth - 1.4) for pull in (1.5, 1.4)
    )
    return {"truth": truth, "first": first, "second": second}


def class_probabilities(rows: int) -> Data:
    """Ten classes with a probability for each.

    >>> class_probabilities(3)["probability"].sum(axis=1).round(12).tolist()
    [1.0, 1.0, 1.0]
    """
    rng = np.random.default_rng(SEED)
    truth = rng.integers(0, CLASSES, rows)
    evidence = rng.normal(size=(rows, CLASSES))
    evidence[np.arange(rows), truth] += 1.5
    np.exp(evidence, out=evidence)
    evidence /= evidence.sum(axis=1, keepdims=True)
    return {"truth": truth, "probability": evidence}


def _probability(evidence: Any) -> Any:
    return 1 / (1 + np.exp(-evidence))
