"""The functions as scorers: in cross-validation and grid search, pickled, in parallel; and estimates as numbers."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.tree import DecisionTreeClassifier

from heldout import Estimate, metrics
from heldout.estimates import ComparisonWarning

X, y = make_classification(n_samples=150, n_features=6, n_informative=4, n_classes=3, random_state=0)
TWO = (y > 0).astype(int)
NUMBERS_X, NUMBERS = make_regression(n_samples=120, n_features=4, noise=10, random_state=0)
SCORERS = {
    "accuracy": make_scorer(metrics.accuracy_score),
    "f1": make_scorer(metrics.f1_score, average="macro"),
    "log_loss": make_scorer(metrics.log_loss, response_method="predict_proba", greater_is_better=False),
    "roc_auc": make_scorer(metrics.roc_auc_score, response_method="predict_proba", multi_class="ovr"),
}


def test_cross_validation_in_parallel_gives_arrays_of_plain_numbers():
    found = cross_validate(LogisticRegression(max_iter=500), X, y, scoring=SCORERS, n_jobs=2, cv=3)
    names = {"accuracy": "accuracy", "f1": "f1_macro", "log_loss": "neg_log_loss", "roc_auc": "roc_auc_ovr"}
    known = cross_validate(LogisticRegression(max_iter=500), X, y, scoring=names, cv=3)
    for name in SCORERS:
        assert found[f"test_{name}"].dtype == np.float64
        np.testing.assert_allclose(found[f"test_{name}"], known[f"test_{name}"], rtol=1e-12)


def test_one_score_of_numbers():
    scorer = make_scorer(metrics.root_mean_squared_error, greater_is_better=False)
    found = cross_val_score(Ridge(), NUMBERS_X, NUMBERS, scoring=scorer, cv=3, n_jobs=2)
    known = cross_val_score(Ridge(), NUMBERS_X, NUMBERS, scoring="neg_root_mean_squared_error", cv=3)
    np.testing.assert_allclose(found, known, rtol=1e-12)


@pytest.mark.filterwarnings("error::heldout.estimates.ComparisonWarning")
def test_grid_search_over_trees_whose_probabilities_are_all_0_and_1():
    scorer = {
        "area": make_scorer(metrics.roc_auc_score, response_method="predict_proba"),
        "loss": make_scorer(metrics.log_loss, response_method="predict_proba", greater_is_better=False),
        "precision": make_scorer(metrics.average_precision_score, response_method="predict_proba"),
    }
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0), {"max_depth": [2, None]}, scoring=scorer, refit="area", cv=3, n_jobs=2
    ).fit(X, TWO)
    known = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [2, None]}, scoring="neg_log_loss", cv=3)
    np.testing.assert_allclose(
        search.cv_results_["mean_test_loss"], known.fit(X, TWO).cv_results_["mean_test_score"], rtol=1e-12
    )
    assert search.best_score_ == pytest.approx(max(search.cv_results_["mean_test_area"]))
    assert not hasattr(search.best_score_, "low")


def test_a_scorer_without_a_sign_keeps_the_interval():
    model = LogisticRegression(max_iter=500).fit(X, y)
    assert isinstance(metrics.accuracy_score(y, model.predict(X)), Estimate)
    assert SCORERS["accuracy"](model, X, y) == metrics.accuracy_score(y, model.predict(X))


@pytest.fixture(name="estimate")
def _estimate():
    return metrics.accuracy_score([0, 1, 1, 0, 1], [0, 1, 0, 0, 1])


def test_estimates_survive_pickling_and_copying(estimate):
    for again in (pickle.loads(pickle.dumps(estimate)), copy.copy(estimate), copy.deepcopy(estimate)):
        assert type(again) is Estimate
        assert again.to_dict() == estimate.to_dict()
        assert (again.name, again.measured_as, again.count) == (estimate.name, estimate.measured_as, estimate.count)


def test_estimates_are_numbers(estimate):
    assert (estimate + 1, 2 * estimate, -estimate, estimate / 2) == (1.8, 1.6, -0.8, 0.4)
    assert type(estimate + 1) is float
    assert np.asarray([estimate, estimate]).dtype == np.float64
    assert np.mean([estimate, 0.4]) == pytest.approx(0.6)
    assert np.float64(estimate) == 0.8
    assert json.dumps({"accuracy": estimate}) == '{"accuracy": 0.8}'
    assert f"{estimate:.2f}" == "0.80"
    assert round(estimate, 1) == 0.8
    assert {estimate: 1}[0.8] == 1
    assert max([0.3, estimate]) == 0.8
    with pytest.warns(ComparisonWarning):
        assert estimate <= metrics.accuracy_score([0, 1], [0, 1])


def test_weights_are_passed_on_by_cross_validation():
    from sklearn import config_context

    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(metrics.accuracy_score).set_score_request(sample_weight=True)
        learner = LogisticRegression(max_iter=500).set_fit_request(sample_weight=False)
        weight = np.linspace(0.1, 2, len(y))
        found = cross_validate(learner, X, y, scoring=scorer, cv=3, params={"sample_weight": weight})
        plain = cross_validate(learner, X, y, scoring=make_scorer(metrics.accuracy_score), cv=3)
    assert not np.allclose(found["test_score"], plain["test_score"])
