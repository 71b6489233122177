"""Calls at the edge of what scikit-learn takes: the same value, or a refusal where it refuses."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn import metrics as peers

from heldout import Estimate, UsageError, metrics
from tests.metrics import calls

ONE_HOT, TWO_HOT = np.eye(4, dtype=int)[calls.CLASSES], np.eye(2, dtype=int)[calls.BINARY]
BOTH = np.column_stack([1 - calls.CHANCE, calls.CHANCE])
PROBABILISTIC = ("log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score")
LEFT_OUT = ([0, 1, 1, 1, 1, 0, 0], [0, 0, 2, 2, 0, 0, 0])
NAN_OF_TWO = {"labels": [2, 1], "zero_division": np.nan}
FLAT = np.column_stack([calls.NUMBERS, np.full(calls.ROWS, 2.0)])
FLAT_PREDICTED = np.column_stack([calls.PREDICTED, calls.PREDICTED])
ZEROS = calls.NUMBERS * (np.arange(calls.ROWS) % 9 > 0)


def both(name, *rows, **options):
    """The numbers of the two libraries."""
    found = []
    for module in (metrics, peers):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(getattr(module, name)(*rows, **options))
    return found


@pytest.mark.parametrize("name", ["log_loss", "d2_log_loss_score"])
def test_the_former_name_of_the_probabilities_works_with_a_warning(name):
    function = getattr(metrics, name)
    with pytest.warns(FutureWarning, match=r"y_pred was renamed to y_proba: pass y_proba="):
        found = function(calls.BINARY, y_pred=calls.CHANCE)
    assert found == function(calls.BINARY, calls.CHANCE)
    with pytest.raises(UsageError) as refused:
        function(calls.BINARY, calls.CHANCE, y_pred=calls.CHANCE)
    assert str(refused.value) == (
        "y_pred and y_proba were both given, and y_pred is the former name of y_proba\n  Fix: pass y_proba= only"
    )


@pytest.mark.parametrize("name", PROBABILISTIC)
@pytest.mark.parametrize("weight", [None, calls.WEIGHT])
def test_one_hot_truths_are_the_classes_of_the_columns(name, weight):
    for truth, codes, chances in ((ONE_HOT, calls.CLASSES, calls.CHANCES), (TWO_HOT, calls.BINARY, BOTH)):
        for given in (truth, truth.tolist(), truth.astype(bool), truth.astype(float)):
            ours, theirs = both(name, given, chances, sample_weight=weight)
            assert ours.value == pytest.approx(theirs, rel=1e-12)
            coded = getattr(metrics, name)(codes, chances, sample_weight=weight)
            assert (ours.low, ours.high) == (coded.low, coded.high)
    some = np.minimum(calls.CLASSES, 2)  # the last column has no row
    ours, theirs = both(name, np.eye(4, dtype=int)[some], calls.CHANCES)
    assert ours.value == pytest.approx(theirs, rel=1e-12)


def test_a_two_column_truth_takes_the_probability_of_the_second():
    for name in ("log_loss", "d2_log_loss_score"):
        ours, theirs = both(name, TWO_HOT, calls.CHANCE)
        assert ours.value == pytest.approx(theirs, rel=1e-12)


VALUES = [
    *(("d2_pinball_score", (calls.NUMBERS, calls.PREDICTED), {"alpha": alpha}) for alpha in (0, 1, 0.0, 1.0)),
    *(("d2_pinball_score", (calls.TARGETS, calls.TARGETS_PREDICTED), {"alpha": alpha}) for alpha in (0, 1)),
    ("root_mean_squared_error", (calls.NUMBERS, calls.PREDICTED), {"multioutput": [1]}),
    ("root_mean_squared_error", (calls.NUMBERS, calls.PREDICTED), {"multioutput": [2.5]}),
    *(
        ("explained_variance_score", rows, {"multioutput": of_targets, "force_finite": force})
        for rows in (([1.0], [2.0]), ([1.0], [1.0]), ([[1.0, 2.0]], [[2.0, 2.0]]))
        for of_targets in ("uniform_average", "raw_values", "variance_weighted")
        for force in (True, False)
    ),
    *(
        (name, LEFT_OUT, {"average": average, **NAN_OF_TWO})
        for name in ("precision_score", "recall_score", "f1_score", "precision_recall_fscore_support")
        for average in ("weighted", "macro", "micro")
    ),
    *(
        (name, (FLAT, predicted), {"multioutput": "variance_weighted", "force_finite": force})
        for name in ("r2_score", "explained_variance_score")
        for predicted in (FLAT_PREDICTED, np.column_stack([calls.PREDICTED, FLAT[:, 1]]))
        for force in (False, True)
    ),
    ("mean_absolute_percentage_error", (ZEROS, calls.PREDICTED), {}),
    ("mean_absolute_percentage_error", (ZEROS, calls.PREDICTED), {"sample_weight": calls.WEIGHT}),
    ("mean_absolute_percentage_error", ([1.0, 0.0], [1.5, 0.0]), {}),
    *(
        ("mean_absolute_percentage_error", (np.c_[ZEROS, ZEROS[::-1]], calls.TARGETS[:, :2]), {"multioutput": which})
        for which in ("uniform_average", "raw_values", [0.2, 0.8])
    ),
]


@pytest.mark.parametrize(("name", "rows", "options"), VALUES)
def test_values_at_the_edge_are_those_of_scikit_learn(name, rows, options):
    ours, theirs = both(name, *rows, **options)
    if isinstance(theirs, tuple):
        ours, theirs = ours[:3], theirs[:3]
    np.testing.assert_allclose(np.ravel(ours), np.ravel(theirs), rtol=1e-12, atol=1e-12)


def test_a_report_leaves_undefined_classes_out_of_the_weighted_average():
    ours, theirs = both("classification_report", *LEFT_OUT, output_dict=True, **NAN_OF_TWO)
    assert {name: float(value) for name, value in ours["weighted avg"].items()} == theirs["weighted avg"]


def test_a_constant_target_without_force_finite_is_noted():
    found = metrics.r2_score(FLAT, FLAT_PREDICTED, multioutput="variance_weighted", force_finite=False)
    assert np.isnan(found.value)
    assert found.notes[-1] == "column 1 of y_true is constant, so that its r2 and its weight are 0/0"


def test_a_target_of_zero_is_noted():
    found = metrics.mean_absolute_percentage_error([1.0, 0.0, 2.0, 0.0], [1.0, 1.0, 1.0, 1.0])
    assert found.value == peers.mean_absolute_percentage_error([1.0, 0.0, 2.0, 0.0], [1.0, 1.0, 1.0, 1.0])
    assert found.low <= found.value <= found.high
    assert found.notes[-1] == (
        "2 rows have a target of zero, the first of them row 2: errors there are divided by 2.2e-16 instead; "
        "mean_absolute_error needs no division"
    )
    assert not [note for note in metrics.mean_absolute_percentage_error([1.0, 2.0], [1, 1]).notes if "zero" in note]


@pytest.mark.parametrize("name", PROBABILISTIC)
def test_unknown_classes_are_refused_as_scikit_learn_does(name):
    three = np.array([[0.2, 0.3, 0.5], [0.1, 0.6, 0.3], [0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0.2, 0.5, 0.3]])
    with pytest.raises(ValueError, match="different number of classes"):
        getattr(peers, name)([1, 2, 2, 1, 2], three)
    with pytest.raises(UsageError) as refused:
        getattr(metrics, name)([1, 2, 2, 1, 2], three)
    assert str(refused.value) == (
        "y_true has 2 classes (1, 2) and y_proba has 3 columns, so that the classes of the columns are not known\n"
        "  Fix: pass labels= with all 3 classes, sorted"
    )


@pytest.mark.parametrize("name", ["log_loss", "d2_log_loss_score"])
def test_a_single_class_in_labels_is_refused(name):
    with pytest.raises(UsageError) as refused:
        getattr(metrics, name)([0, 0, 0], [0.2, 0.3, 0.5], labels=[0])
    assert str(refused.value) == (
        "labels is [0], and two or more classes are needed\n  Fix: pass labels= with all classes, sorted"
    )


HOT = [
    (
        ([[1, 1, 0], [0, 0, 1]], [[0.2, 0.3, 0.5], [0.1, 0.6, 0.3]]),
        {},
        (
            "y_true has 3 columns, and row 1 has 2 ones: of one-hot columns every row has one\n"
            "  Fix: pass one label per row"
        ),
    ),
    (
        ([[1, 0, 0], [0, 0, 1]], [[0.2, 0.3, 0.5], [0.1, 0.6, 0.3]]),
        {"labels": [0, 1, 2]},
        "y_true has 3 one-hot columns, and labels is for one label per row\n  Fix: pass labels=None",
    ),
    (
        ([[1, 0, 0], [0, 0, 1]], [[0.2, 0.8], [0.1, 0.9]]),
        {},
        "y_true has 3 columns and y_proba has 2\n  Fix: pass one column per class in both",
    ),
    (
        ([[1, 2, 0], [0, 0, 1]], [[0.2, 0.3, 0.5], [0.1, 0.6, 0.3]]),
        {},
        "y_true has 3 columns, and row 1 has other values than 0 and 1\n  Fix: pass one label per row",
    ),
]


@pytest.mark.parametrize(("rows", "options", "sentence"), HOT)
@pytest.mark.parametrize("name", PROBABILISTIC)
def test_columns_that_are_not_one_hot_are_refused(name, rows, options, sentence):
    with pytest.raises(UsageError) as refused:
        getattr(metrics, name)(*rows, **options)
    assert str(refused.value) == sentence


def test_likelihood_ratios_are_for_two_classes_whatever_labels_says():
    rows = ([0, 1, 2, 1, 2], [0, 1, 2, 2, 1])
    with pytest.raises(ValueError, match="only supports binary"):
        peers.class_likelihood_ratios(*rows, labels=[1, 2])
    with pytest.raises(UsageError) as refused:
        metrics.class_likelihood_ratios(*rows, labels=[1, 2])
    assert str(refused.value) == (
        "likelihood ratios need two classes, and these are 3: 0, 1, 2\n"
        "  Fix: keep the rows of two classes, or make one class against the rest: y_true == 2, y_pred == 2"
    )


def test_an_average_of_none_gives_a_list():
    assert all(isinstance(one, Estimate) for one in metrics.f1_score(*calls.LABELS["classes"], average=None))
    assert "list of Estimate" in metrics.f1_score.__doc__
    assert "list of Estimate" in metrics.r2_score.__doc__
    assert "list of Estimate" in metrics.roc_auc_score.__doc__
    assert "list of Estimate" not in metrics.accuracy_score.__doc__
    assert "average=None" in metrics.__doc__
    assert "raw_values" in metrics.__doc__
