"""`heldout.metrics`: scikit-learn's names, each giving an estimate with the same value."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as peers

from heldout import Estimate, UsageError, metrics
from tests.laws.data import binary, multiclass, multilabel, regression

rng = np.random.default_rng(0)
BINARY, SEVERAL, MARKS, NUMBERS = (world(rng, 80) for world in (binary, multiclass, multilabel, regression))
CALLED, SAID = (BINARY["y_proba"] >= 0.5).astype(int), SEVERAL["y_proba"].argmax(axis=1)
LABELS = (BINARY["data"], CALLED)
CLASSES = (SEVERAL["data"], SAID)
SCORED = (BINARY["data"], BINARY["y_proba"])
COLUMNS = (SEVERAL["data"], SEVERAL["y_proba"])
VALUES = (NUMBERS["data"], NUMBERS["y_pred"])
CALLS = [
    *(
        (name, LABELS, {})
        for name in ("accuracy_score", "zero_one_loss", "balanced_accuracy_score", "matthews_corrcoef")
    ),
    *(
        (name, LABELS, {})
        for name in ("cohen_kappa_score", "hamming_loss", "precision_score", "recall_score", "f1_score")
    ),
    ("jaccard_score", LABELS, {}),
    ("fbeta_score", LABELS, {"beta": 0.5}),
    ("fbeta_score", LABELS, {"beta": 3}),
    ("precision_score", LABELS, {"pos_label": 0}),
    *(
        (name, CLASSES, {"average": average})
        for name in ("precision_score", "recall_score", "f1_score", "jaccard_score")
        for average in ("macro", "micro", "weighted")
    ),
    ("accuracy_score", (MARKS["data"], MARKS["y_pred"]), {}),
    ("hamming_loss", (MARKS["data"], MARKS["y_pred"]), {}),
    ("roc_auc_score", SCORED, {}),
    ("roc_auc_score", SCORED, {"max_fpr": 0.3}),
    ("roc_auc_score", COLUMNS, {"multi_class": "ovr"}),
    ("roc_auc_score", COLUMNS, {"multi_class": "ovo"}),
    ("average_precision_score", SCORED, {}),
    ("log_loss", SCORED, {}),
    ("log_loss", COLUMNS, {}),
    ("brier_score_loss", SCORED, {}),
    *(
        (name, VALUES, {})
        for name in ("mean_absolute_error", "mean_squared_error", "root_mean_squared_error", "r2_score")
    ),
    *((name, VALUES, {}) for name in ("mean_absolute_percentage_error", "median_absolute_error", "max_error")),
    ("mean_pinball_loss", VALUES, {"alpha": 0.8}),
]


@pytest.mark.parametrize(("name", "rows", "options"), CALLS, ids=[f"{name} {options}" for name, _, options in CALLS])
def test_the_same_value_with_an_interval(name, rows, options):
    found = getattr(metrics, name)(*rows, **options)
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(float(getattr(peers, name)(*rows, **options)), rel=1e-12, abs=1e-12)
    assert found.low <= found.value <= found.high
    assert found.low < found.high


def test_every_function_was_tried():
    functions = {name for name in metrics.__all__ if name[0].islower() and name not in ("define", "metric")}
    assert functions == {name for name, _, _ in CALLS}


def test_options_reach_the_interval():
    plain = metrics.accuracy_score(*LABELS)
    assert metrics.accuracy_score(*LABELS, confidence_level=0.8).level == 0.8
    assert metrics.accuracy_score(*LABELS, method="exact").method == "Clopper-Pearson"
    assert metrics.accuracy_score(*LABELS, side="lower").high == 1.0
    assert metrics.accuracy_score(*LABELS, groups=np.arange(80) // 4).units == 20
    weight = np.where(BINARY["data"] == CALLED, 1.0, 3.0)
    assert metrics.accuracy_score(*LABELS, sample_weight=weight) != plain


def test_lists_are_fine():
    assert metrics.roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).value == 0.75
    assert metrics.log_loss(["a", "b"], [[0.8, 0.2], [0.4, 0.6]]).value == pytest.approx(-np.log([0.8, 0.6]).mean())


def test_mistakes_are_named():
    def said(call):
        with pytest.raises(UsageError) as refused:
            call()
        return str(refused.value)

    assert said(lambda: metrics.f1_score(*LABELS, average="samples")) == (
        "average is 'samples', but must be one of binary, macro, micro, weighted"
    )
    assert (
        said(lambda: metrics.roc_auc_score(*COLUMNS, multi_class="x"))
        == "multi_class is 'x', but must be 'ovr' or 'ovo'"
    )
    assert said(lambda: metrics.f1_score(*CLASSES)) == (
        "f1 is not a metric for multiclass data; it is about one class: "
        "ask for f1_macro, f1_micro or f1_weighted, or see it per class"
    )
