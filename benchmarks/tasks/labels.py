"""Label metrics: the confusion matrix and everything that follows from it."""

from __future__ import annotations

from typing import Any

import numpy as np

import heldout
from benchmarks import worlds
from benchmarks.ratios import largest_gap
from benchmarks.task import Data, Limit, Peer, Task


def evaluated(data: Data) -> Any:
    """Confusion matrix and every label metric, over all classes and for each, with intervals."""
    return heldout.evaluate(data["truth"], data["prediction"])


def sklearn_matrix(data: Data) -> Any:
    from sklearn.metrics import confusion_matrix

    return confusion_matrix(data["truth"], data["prediction"])


def sklearn_report(data: Data) -> Any:
    from sklearn.metrics import classification_report

    return classification_report(data["truth"], data["prediction"], output_dict=True)


def torchmetrics_matrix(data: Data) -> Any:
    import torch
    from torchmetrics.functional.classification import multiclass_confusion_matrix

    truth, prediction = torch.from_numpy(data["truth"]), torch.from_numpy(data["prediction"])
    return multiclass_confusion_matrix(prediction, truth, worlds.CLASSES).numpy()


def pandas_matrix(data: Data) -> Any:
    import pandas as pd

    return pd.crosstab(data["truth"], data["prediction"]).to_numpy()


def pycm_matrix(data: Data) -> Any:
    from pycm import ConfusionMatrix

    return ConfusionMatrix(data["truth"], data["prediction"])


def confidenceinterval_f1(data: Data) -> Any:
    from confidenceinterval import f1_score

    return f1_score(data["truth"], data["prediction"], average="macro")


def statsmodels_accuracy(data: Data) -> Any:
    from statsmodels.stats.proportion import proportion_confint

    right = int(np.sum(data["truth"] == data["prediction"]))
    return proportion_confint(right, len(data["truth"]), method="wilson")


def matrix_gap(ours: Any, theirs: Any) -> float:
    return largest_gap(ours.confusion, theirs)


def report_gap(ours: Any, theirs: Any) -> float:
    """Over accuracy, the averages, and precision, recall and F1 of each class."""
    names = {"precision": "precision", "recall": "recall", "f1": "f1-score"}
    pairs = [(ours["accuracy"], theirs["accuracy"])]
    for name, called in names.items():
        pairs += [(ours[f"{name}_{mean}"], theirs[f"{mean} avg"][called]) for mean in ("macro", "weighted")]
        pairs += [(found[name], theirs[label][called]) for label, found in ours.classes.items()]
    return largest_gap(*zip(*((float(our), their) for our, their in pairs), strict=True))


def pycm_gap(ours: Any, theirs: Any) -> float:
    found = [float(ours[name]) for name in ("accuracy", "f1_macro", "kappa", "mcc")]
    return largest_gap(found, [theirs.Overall_ACC, theirs.F1_Macro, theirs.Kappa, theirs.Overall_MCC])


def f1_gap(ours: Any, theirs: Any) -> float:
    return largest_gap(float(ours["f1_macro"]), theirs[0])


def accuracy_gap(ours: Any, theirs: Any) -> float:
    """Over the ends of the Wilson interval."""
    return largest_gap([ours["accuracy"].low, ours["accuracy"].high], theirs)


def hashed(data: Data) -> Any:
    import pandas as pd

    return [pd.factorize(column)[0] for column in data.values()]


LABELS = Task(
    name="labels",
    title="confusion matrix and all label metrics, ints, 10 classes",
    rows=10**7,
    data=worlds.classes,
    ours=evaluated,
    limit=Limit(name="reading both columns (np.sum)", call=lambda data: [np.sum(column) for column in data.values()]),
    peers=(
        Peer(name="scikit-learn confusion_matrix", call=sklearn_matrix, gap=matrix_gap, bar=15),
        Peer(name="scikit-learn classification_report", call=sklearn_report, gap=report_gap, bar=50),
        Peer(name="torchmetrics confusion matrix", call=torchmetrics_matrix, gap=matrix_gap),
        Peer(name="PyCM ConfusionMatrix", call=pycm_matrix, gap=pycm_gap),
        Peer(
            name="confidenceinterval macro-F1", call=confidenceinterval_f1, gap=f1_gap, note="one metric, with interval"
        ),
        Peer(
            name="statsmodels proportion_confint",
            call=statsmodels_accuracy,
            gap=accuracy_gap,
            note="accuracy alone, with interval",
        ),
    ),
)

STRINGS = Task(
    name="labels_strings",
    title="the same, Python strings (object)",
    rows=10**6,
    data=worlds.named_classes,
    ours=evaluated,
    limit=Limit(name="hashing both columns (pandas.factorize)", call=hashed),
    peers=(
        Peer(name="scikit-learn confusion_matrix", call=sklearn_matrix, gap=matrix_gap, bar=25),
        Peer(name="pandas crosstab", call=pandas_matrix, gap=matrix_gap),
    ),
)
