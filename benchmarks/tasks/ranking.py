"""Metrics of the order of scores."""

from __future__ import annotations

from typing import Any

import numpy as np

import heldout
from benchmarks import worlds
from benchmarks.ratios import largest_gap
from benchmarks.task import Data, Limit, Peer, Task

SINGLE = "it computes in single precision"


def area(data: Data) -> Any:
    return heldout.evaluate(data["truth"], y_score=data["score"], metrics="roc_auc", method="delong")["roc_auc"]


def average_precision(data: Data) -> Any:
    return heldout.evaluate(data["truth"], y_score=data["score"], metrics="average_precision")["average_precision"]


def area_over_classes(data: Data) -> Any:
    return heldout.evaluate(data["truth"], y_proba=data["probability"], metrics="roc_auc_ovr")["roc_auc_ovr"]


def sklearn_area(data: Data) -> Any:
    from sklearn.metrics import roc_auc_score

    return roc_auc_score(data["truth"], data["score"])


def torchmetrics_area(data: Data) -> Any:
    import torch
    from torchmetrics.functional.classification import binary_auroc

    return binary_auroc(torch.from_numpy(data["score"]), torch.from_numpy(data["truth"]), thresholds=None).item()


def confidenceinterval_area(data: Data) -> Any:
    from confidenceinterval import roc_auc_score

    return roc_auc_score(data["truth"], data["score"])[0]


def sklearn_average_precision(data: Data) -> Any:
    from sklearn.metrics import average_precision_score

    return average_precision_score(data["truth"], data["score"])


def torchmetrics_average_precision(data: Data) -> Any:
    import torch
    from torchmetrics.functional.classification import binary_average_precision

    score, truth = torch.from_numpy(data["score"]), torch.from_numpy(data["truth"])
    return binary_average_precision(score, truth, thresholds=None).item()


def sklearn_area_over_classes(data: Data) -> Any:
    from sklearn.metrics import roc_auc_score

    return roc_auc_score(data["truth"], data["probability"], multi_class="ovr")


def gap(ours: Any, theirs: Any) -> float:
    return largest_gap(float(ours), theirs)


SORT = Limit(name="sorting the scores (np.sort)", call=lambda data: np.sort(data["score"]))

AREA = Task(
    name="auc",
    title="AUC with DeLong interval, float64",
    rows=10**7,
    data=worlds.scores,
    ours=area,
    limit=SORT,
    peers=(
        Peer(name="scikit-learn roc_auc_score", call=sklearn_area, gap=gap, bar=12),
        Peer(name="torchmetrics AUROC, exact", call=torchmetrics_area, gap=gap, error=SINGLE),
        Peer(
            name="confidenceinterval roc_auc_score",
            call=confidenceinterval_area,
            gap=gap,
            error=SINGLE,
            note="with DeLong interval",
        ),
    ),
)

SINGLE_AREA = Task(
    name="auc_float32",
    title="AUC with DeLong interval, float32",
    rows=10**7,
    data=worlds.single_scores,
    ours=area,
    limit=SORT,
    peers=(
        Peer(name="torchmetrics AUROC, exact", call=torchmetrics_area, gap=gap, bar=10, error=SINGLE),
        Peer(name="scikit-learn roc_auc_score", call=sklearn_area, gap=gap),
    ),
)

PRECISION = Task(
    name="average_precision",
    title="average precision with interval",
    rows=10**7,
    data=worlds.scores,
    ours=average_precision,
    limit=SORT,
    peers=(
        Peer(name="scikit-learn average_precision_score", call=sklearn_average_precision, gap=gap, bar=8),
        Peer(name="torchmetrics average precision, exact", call=torchmetrics_average_precision, gap=gap, error=SINGLE),
    ),
)

OVER_CLASSES = Task(
    name="auc_ovr",
    title="multi-class AUC one-vs-rest, 10 classes",
    rows=10**6,
    data=worlds.class_probabilities,
    ours=area_over_classes,
    limit=Limit(name="sorting the 10 columns (np.sort)", call=lambda data: np.sort(data["probability"].T, axis=1)),
    peers=(Peer(name="scikit-learn roc_auc_score", call=sklearn_area_over_classes, gap=gap, bar=6),),
)
