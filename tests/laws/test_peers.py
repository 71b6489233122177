"""The same values as scikit-learn, on random rows, with and without weights."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as peers

import heldout
from tests.laws.data import binary, multiclass, multilabel, regression

rng = np.random.default_rng(0)
BINARY, SEVERAL, MARKS, NUMBERS = (world(rng, 150) for world in (binary, multiclass, multilabel, regression))
CALLED = (BINARY["y_proba"] >= 0.5).astype(int)
SAID = SEVERAL["y_proba"].argmax(axis=1)
WEIGHTS = {"rows": None, "weights": rng.random(150) + 0.2}


def labels(function, truth=BINARY["y_true"], said=CALLED, **options):
    return lambda weight: function(truth, said, sample_weight=weight, **options)


def several(function, average):
    return labels(function, SEVERAL["y_true"], SAID, average=average)


def marks(function, **options):
    return labels(function, MARKS["y_true"], MARKS["y_pred"], **options)


def scores(function, **options):
    return labels(function, said=BINARY["y_proba"], **options)


def numbers(function, **options):
    return labels(function, NUMBERS["y_true"], NUMBERS["y_pred"], **options)


AVERAGES = {
    f"{name}_{average}": several(function, average)
    for name, function in {
        "precision": peers.precision_score,
        "recall": peers.recall_score,
        "f1": peers.f1_score,
        "jaccard": peers.jaccard_score,
    }.items()
    for average in ("macro", "micro", "weighted")
}
PEERS = {
    "binary": {
        "accuracy": labels(peers.accuracy_score),
        "error_rate": labels(peers.zero_one_loss),
        "balanced_accuracy": labels(peers.balanced_accuracy_score),
        "precision": labels(peers.precision_score),
        "recall": labels(peers.recall_score),
        "specificity": labels(peers.recall_score, pos_label=0),
        "npv": labels(peers.precision_score, pos_label=0),
        "f1": labels(peers.f1_score),
        "f0.5": labels(peers.fbeta_score, beta=0.5),
        "f2": labels(peers.fbeta_score, beta=2),
        "jaccard": labels(peers.jaccard_score),
        "mcc": labels(peers.matthews_corrcoef),
        "kappa": labels(peers.cohen_kappa_score),
        "roc_auc": scores(peers.roc_auc_score),
        "partial_auc_standardized@0.2": scores(peers.roc_auc_score, max_fpr=0.2),
        "average_precision": scores(peers.average_precision_score),
        "log_loss": scores(peers.log_loss),
        "brier": scores(peers.brier_score_loss),
    },
    "multiclass": {
        "accuracy": labels(peers.accuracy_score, SEVERAL["y_true"], SAID),
        "balanced_accuracy": labels(peers.balanced_accuracy_score, SEVERAL["y_true"], SAID),
        "mcc": labels(peers.matthews_corrcoef, SEVERAL["y_true"], SAID),
        "kappa": labels(peers.cohen_kappa_score, SEVERAL["y_true"], SAID),
        "log_loss": labels(peers.log_loss, SEVERAL["y_true"], SEVERAL["y_proba"]),
        "roc_auc_ovr": labels(peers.roc_auc_score, SEVERAL["y_true"], SEVERAL["y_proba"], multi_class="ovr"),
        **AVERAGES,
    },
    "multilabel": {
        "hamming_loss": marks(peers.hamming_loss),
        "subset_accuracy": marks(peers.accuracy_score),
        **{f"f1_{average}": marks(peers.f1_score, average=average) for average in ("macro", "micro", "weighted")},
        **{f"precision_{average}": marks(peers.precision_score, average=average) for average in ("macro", "micro")},
    },
    "regression": {
        "mae": numbers(peers.mean_absolute_error),
        "mse": numbers(peers.mean_squared_error),
        "rmse": numbers(peers.root_mean_squared_error),
        "mape": numbers(peers.mean_absolute_percentage_error),
        "r2": numbers(peers.r2_score),
        "pinball@0.9": numbers(peers.mean_pinball_loss, alpha=0.9),
    },
}
ROWS = {"binary": BINARY, "multiclass": SEVERAL, "multilabel": MARKS, "regression": NUMBERS}
CASES = [(task, name) for task, named in PEERS.items() for name in named]


@pytest.mark.parametrize(("task", "name"), CASES, ids=[f"{task} {name}" for task, name in CASES])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_values_agree(task, name, weights):
    weight = WEIGHTS[weights]
    found = heldout.evaluate(**ROWS[task], sample_weight=weight, metrics=name, n_resamples=100)[name].value
    assert found == pytest.approx(float(PEERS[task][name](weight)), rel=1e-12, abs=1e-12)


def test_one_vs_one_agrees():
    """Hand and Till's mean over pairs, which the peer computes without weights only."""
    found = heldout.evaluate(**SEVERAL, metrics="roc_auc_ovo")["roc_auc_ovo"].value
    assert found == pytest.approx(
        peers.roc_auc_score(SEVERAL["y_true"], SEVERAL["y_proba"], multi_class="ovo"), abs=1e-12
    )


def test_medians_and_maxima_agree():
    found = heldout.evaluate(**NUMBERS, metrics="median_absolute_error,max_error")
    assert found["median_absolute_error"].value == pytest.approx(
        peers.median_absolute_error(NUMBERS["y_true"], NUMBERS["y_pred"])
    )
    assert found["max_error"].value == pytest.approx(peers.max_error(NUMBERS["y_true"], NUMBERS["y_pred"]))


def test_points_of_the_roc_curve_agree():
    curve = heldout.curves.roc(BINARY["y_true"], BINARY["y_proba"])
    fpr, tpr, thresholds = peers.roc_curve(BINARY["y_true"], BINARY["y_proba"], drop_intermediate=False)
    for name, theirs in (("fpr", fpr), ("tpr", tpr), ("threshold", thresholds)):
        np.testing.assert_allclose(curve.points[name], theirs)


def test_points_of_the_precision_recall_curve_agree():
    curve = heldout.curves.precision_recall(BINARY["y_true"], BINARY["y_proba"])
    precision, recall, thresholds = peers.precision_recall_curve(BINARY["y_true"], BINARY["y_proba"])
    np.testing.assert_allclose(curve.points["precision"], precision[::-1])
    np.testing.assert_allclose(curve.points["recall"], recall[::-1])
    np.testing.assert_allclose(curve.points["threshold"][1:], thresholds[::-1])
