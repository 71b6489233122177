"""The same values as scikit-learn, to 1e-12, each with an interval around it; and those of `heldout.evaluate`."""

from __future__ import annotations

import warnings
from collections import defaultdict

import numpy as np
import pytest
from sklearn import metrics as peers

import heldout
from heldout import Estimate, metrics
from tests.metrics import calls

BY_FUNCTION = defaultdict(list)
for name_, rows_, options_ in calls.calls():
    BY_FUNCTION[name_].append((rows_, options_))
ARRAYS = ("confusion_matrix", "multilabel_confusion_matrix")


def flat(answer):
    """All numbers of an answer, in order, and the shape they came in."""
    if isinstance(answer, dict):
        return [number for key in answer for number in flat(answer[key])]
    if isinstance(answer, list | tuple):
        return [number for part in answer for number in flat(part)]
    if answer is None:
        return []
    return np.ravel(answer).tolist() if isinstance(answer, np.ndarray) else [answer]


def estimates(answer):
    return [number for number in flat(answer) if isinstance(number, Estimate)]


@pytest.mark.parametrize("name", BY_FUNCTION)
def test_values_are_those_of_scikit_learn(name):
    for rows, options in BY_FUNCTION[name]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours, theirs = (getattr(module, name)(*rows, **options) for module in (metrics, peers))
        told = f"{name} {options}"
        assert len(flat(ours)) == len(flat(theirs)), told
        if isinstance(theirs, dict):
            assert list(ours) == list(theirs), told
        np.testing.assert_allclose(flat(ours), flat(theirs), rtol=1e-12, atol=1e-12, err_msg=told)
        assert name in ARRAYS or estimates(ours), told
        for one in estimates(ours):
            assert np.isnan(one.value) or one.low <= one.value <= one.high, (told, one)
            assert one.low < one.high or one.notes, (told, one)


def test_answers_have_the_shapes_of_scikit_learn():
    rows = calls.LABELS["classes"]
    assert isinstance(metrics.precision_score(*rows, average=None), list)
    assert isinstance(metrics.precision_recall_fscore_support(*rows), tuple)
    assert metrics.precision_recall_fscore_support(*rows, average="macro")[3] is None
    assert metrics.confusion_matrix(*rows).dtype == peers.confusion_matrix(*rows).dtype
    both = (module.multilabel_confusion_matrix(*rows) for module in (metrics, peers))
    assert len({part.shape for part in both}) == 1


def test_every_shared_function_was_called():
    shared = {name for name in metrics.__all__ if name[0].islower() and hasattr(peers, name)}
    assert shared == set(BY_FUNCTION)


EVALUATED = {
    "accuracy_score": ("accuracy", calls.LABELS["classes"], {}),
    "balanced_accuracy_score": ("balanced_accuracy", calls.LABELS["classes"], {}),
    "matthews_corrcoef": ("mcc", calls.LABELS["binary"], {}),
    "cohen_kappa_score": ("kappa_quadratic", calls.LABELS["classes"], {"weights": "quadratic"}),
    "precision_score": ("precision", calls.LABELS["binary"], {}),
    "recall_score": ("recall_macro", calls.LABELS["classes"], {"average": "macro"}),
    "f1_score": ("f1_weighted", calls.LABELS["classes"], {"average": "weighted"}),
    "jaccard_score": ("jaccard_micro", calls.LABELS["classes"], {"average": "micro"}),
    "fbeta_score": ("f3_macro", calls.LABELS["marks"], {"beta": 3, "average": "macro"}),
    "hamming_loss": ("hamming_loss", calls.LABELS["marks"], {}),
}
SCORED = {
    "roc_auc_score": ("roc_auc", (calls.BINARY, calls.CHANCE), {}, "y_score"),
    "average_precision_score": ("average_precision", (calls.BINARY, calls.CHANCE), {}, "y_score"),
    "log_loss": ("log_loss", (calls.CLASSES, calls.CHANCES), {}, "y_proba"),
    "brier_score_loss": ("brier", (calls.BINARY, calls.CHANCE), {}, "y_proba"),
    "d2_log_loss_score": ("d2_log_loss", (calls.CLASSES, calls.CHANCES), {}, "y_proba"),
    "top_k_accuracy_score": ("top_3_accuracy", (calls.CLASSES, calls.CHANCES), {"k": 3}, "y_proba"),
    "hinge_loss": ("hinge_loss", (calls.BINARY, 4 * calls.CHANCE - 2), {}, "y_score"),
    "ndcg_score": ("ndcg@3", (calls.MARKS, calls.MARK_SCORES), {"k": 3}, "y_score"),
    "coverage_error": ("coverage_error", (calls.MARKS, calls.MARK_SCORES), {}, "y_score"),
}
PREDICTED = {
    "mean_squared_error": ("mse", {}),
    "root_mean_squared_log_error": ("rmsle", {}),
    "r2_score": ("r2", {}),
    "explained_variance_score": ("explained_variance", {}),
    "mean_poisson_deviance": ("poisson_deviance", {}),
    "mean_tweedie_deviance": ("tweedie_deviance@1.5", {"power": 1.5}),
    "d2_pinball_score": ("d2_pinball@0.9", {"alpha": 0.9}),
    "d2_absolute_error_score": ("d2_absolute_error", {}),
    "median_absolute_error": ("median_absolute_error", {}),
}


def assert_same(ours, known):
    assert [ours.value, ours.low, ours.high, ours.method] == [known.value, known.low, known.high, known.method]


@pytest.mark.parametrize("weight", [None, calls.WEIGHT])
@pytest.mark.parametrize("groups", [None, np.arange(calls.ROWS) // 3])
def test_values_and_intervals_are_those_of_evaluate(weight, groups):
    beside = {"sample_weight": weight, "groups": groups}
    for name, (metric, (truth, predicted), options) in EVALUATED.items():
        known = heldout.evaluate(truth, predicted, metrics=metric, **beside)[metric]
        assert_same(getattr(metrics, name)(truth, predicted, **options, **beside), known)
    for name, (metric, (truth, score), options, column) in SCORED.items():
        known = heldout.evaluate(truth, metrics=metric, **{column: score}, **beside)[metric]
        assert_same(getattr(metrics, name)(truth, score, **options, **beside), known)
    for name, (metric, options) in PREDICTED.items():
        rows = (calls.NUMBERS, calls.PREDICTED)
        known = heldout.evaluate(*rows, metrics=metric, task="regression", **beside)[metric]
        assert_same(getattr(metrics, name)(*rows, **options, **beside), known)


def test_options_reach_the_interval():
    rows = calls.LABELS["binary"]
    assert metrics.accuracy_score(*rows, confidence_level=0.8).level == 0.8
    assert metrics.accuracy_score(*rows, method="exact").method == "Clopper-Pearson"
    assert metrics.accuracy_score(*rows, side="lower").high == 1.0
    assert metrics.accuracy_score(*rows, groups=np.arange(70) // 4).units == 18
    drawn = {"method": "bootstrap_t"}
    first, second = (
        metrics.mean_squared_error(calls.NUMBERS, calls.PREDICTED, random_state=seed, **drawn) for seed in (0, 1)
    )
    assert (first.low, first.value) != (second.low, second.value)
    few = metrics.accuracy_score(*rows, method="percentile", n_resamples=150)
    assert few.method == "bootstrap percentile, 150 resamples"


def test_lists_frames_and_sparse_matrices():
    import pandas as pd
    from scipy.sparse import csr_array

    assert metrics.roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).value == 0.75
    assert metrics.log_loss(["a", "b"], [[0.8, 0.2], [0.4, 0.6]]).value == pytest.approx(-np.log([0.8, 0.6]).mean())
    shuffled = pd.Series(calls.BINARY, index=np.arange(70)[::-1])
    assert metrics.f1_score(shuffled, calls.CALLED).value == peers.f1_score(calls.BINARY, calls.CALLED)
    frame = pd.DataFrame(calls.TARGETS, columns=list("abc"))
    found = metrics.mean_absolute_error(frame, calls.TARGETS_PREDICTED)
    assert found.value == pytest.approx(peers.mean_absolute_error(frame, calls.TARGETS_PREDICTED))
    sparse = [csr_array(part) for part in calls.LABELS["marks"]]
    assert metrics.accuracy_score(*sparse).value == metrics.accuracy_score(*calls.LABELS["marks"]).value


def test_undefined_values_are_replaced_as_scikit_learn_does_and_noted():
    with pytest.warns(metrics.UndefinedMetricWarning, match="precision is 0/0 on these rows: 0 is put in its place"):
        found = metrics.precision_score([0, 1, 1], [0, 0, 0])
    assert (found.value, found.low, found.high) == (0.0, 0.0, 1.0)
    assert any("0/0" in note for note in found.notes)
    with pytest.warns(metrics.UndefinedMetricWarning, match=r"precision is 0/0 for 2: 0 is put in its place"):
        found = metrics.precision_score([0, 1, 2], [0, 1, 1], average="macro")
    assert found.value == 0.5
    constant = metrics.matthews_corrcoef([1, 1, 0], [1, 1, 1])
    assert (constant.value, constant.low, constant.high) == (0.0, -1.0, 1.0)
    assert "mcc is 0/0 on these rows: 0 is put in its place" in constant.notes
    flat = metrics.r2_score([2.0, 2.0, 2.0], [1.0, 2.0, 3.0])
    assert flat.value == 0.0
    assert any("y_true is constant" in note for note in flat.notes)
    certain = metrics.log_loss([0, 1, 1, 0], [0.0, 0.0, 1.0, 0.5])
    assert certain.value == peers.log_loss([0, 1, 1, 0], [0.0, 0.0, 1.0, 0.5])
    assert "1 rows gave probability 0 to the true class: the log loss is infinite without clipping" in certain.notes


def test_the_text_of_a_report_has_the_intervals():
    text = metrics.classification_report(["a", "b", "a", "b", "b"], ["a", "b", "b", "b", "b"], digits=3)
    lines = [line.split() for line in text.splitlines() if line]
    assert lines[0] == ["precision", "recall", "f1-score", "support"]
    assert lines[2][:4] == ["b", "0.750", "[0.301,", "0.954]"]
    assert lines[3][0] == "accuracy"
    assert [line[-1] for line in lines[1:]] == ["2", "3", "5", "5", "5"]


def test_labels_that_are_positive_in_every_row_or_weigh_nothing():
    every = np.array([[1, 0], [1, 1], [1, 0], [1, 1], [1, 0], [1, 1]])
    scores = np.random.default_rng(0).random((6, 2))
    ours = metrics.average_precision_score(every, scores, average=None)
    assert [float(one) for one in ours] == pytest.approx(peers.average_precision_score(every, scores, average=None))
    truth, weight = np.eye(3, dtype=int)[[0, 1, 2, 0, 1, 0]], np.array([1, 1, 0, 1, 1, 1.0])
    scores = np.random.default_rng(1).random((6, 3))
    with pytest.warns(UserWarning, match="[Nn]o positive"):
        ours = metrics.average_precision_score(truth, scores, sample_weight=weight)
    with pytest.warns(UserWarning, match="[Nn]o positive"):
        theirs = peers.average_precision_score(truth, scores, sample_weight=weight)
    assert float(ours) == pytest.approx(theirs, abs=1e-12)
    classes, weight = [3, 0, 0, 0, 0, 3, 3, 2], [0, 0, 0.5, 1, 2, 1, 0.5, 0]
    chances = np.random.default_rng(2).dirichlet(np.ones(4), 8)
    given = {"sample_weight": weight, "labels": range(4)}
    ours = metrics.d2_log_loss_score(classes, chances, **given)
    assert float(ours) == pytest.approx(peers.d2_log_loss_score(classes, chances, **given), abs=1e-12)
