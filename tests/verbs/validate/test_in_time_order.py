"""Splits in the order of time: errors depend on those before, so nothing is a plain t over folds."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from scipy import stats
from scipy.signal import lfilter
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.errors import HeldoutError
from heldout.intervals.long_run import long_run

RNG = np.random.default_rng(4)
X = RNG.standard_normal((180, 3))
Y = X @ [1.0, 0.5, 0.0] + lfilter([1.0], [1.0, -0.8], RNG.standard_normal(180))
LABELS = (Y > 0).astype(int)
TWO = {"ridge": Ridge(), "stiff": Ridge(alpha=300.0)}


def test_pooled_errors_have_the_long_run_variance():
    found = heldout.validate(Ridge(), X, Y, cv="time:5", metrics="mean_error")
    told = found.predictions("pandas").sort_values("id")
    errors = (told["y_pred"] - told["y_true"]).to_numpy()
    known = long_run(errors / len(errors))
    one = found["mean_error"]
    assert one.high - one.low == pytest.approx(2 * stats.t.ppf(0.975, known.df) * sqrt(known.variance))
    assert one.method == "t, HAC"
    assert one.in_time["effective_n"] == pytest.approx(known.effective)
    d = found.to_dict()
    Draft202012Validator(heldout.schema(d["schema"])).validate(d)


def test_learners_are_compared_row_by_row_in_order():
    found = heldout.validate(TWO, X, Y, cv="time:5", metrics="mae")
    (one,) = found.differences
    told = found.predictions("pandas")
    errors = {name: part.sort_values("id") for name, part in told.groupby("model")}
    losses = {name: np.abs(part["y_pred"] - part["y_true"]).to_numpy() for name, part in errors.items()}
    apart = losses["stiff"] - losses["ridge"]
    known = long_run(apart / len(apart))
    assert one.test == "HAC t"
    assert one.pvalue == pytest.approx(2 * stats.t.sf(abs(apart.mean()) / sqrt(known.variance), known.df))
    by_name = heldout.validate(TWO, X, Y, cv="time:5", metrics="mae", test="diebold_mariano")
    assert by_name.differences[0].pvalue == pytest.approx(heldout.stats.diebold_mariano(apart).pvalue)


def test_scores_of_several_models_are_judged_split_by_split():
    models = {"logistic": LogisticRegression(), "bayes": GaussianNB()}
    found = heldout.validate(models, X, LABELS, cv="time:3", metrics="roc_auc")
    told = found.predictions("pandas")
    first = told[told["model"] == "logistic"]
    folds = [roc_auc_score(part["y_true"], part["y_score"]) for _, part in first.groupby("fold")]
    one = found.estimates["logistic"]["roc_auc"]
    assert float(one) == pytest.approx(np.mean(folds))
    assert one.method == "t on influence by split, HAC"
    assert one.low < float(one) < one.high
    assert found.differences[0].test == "HAC t"


def test_metrics_that_no_row_moves_have_no_interval():
    found = heldout.validate(LogisticRegression(), X, LABELS, cv="time:3", metrics="ece")["ece"]
    assert np.isnan(found.low)
    assert found.notes == ("no interval: no row alone moves ece, and rows in the order of time depend on each other",)


def test_rows_of_one_time_belong_together():
    twice = np.repeat(np.arange(90), 2)
    found = heldout.validate(Ridge(), X, Y, cv="time:5", time=twice, metrics="mean_error")["mean_error"]
    alone = heldout.validate(Ridge(), X, Y, cv="time:5", metrics="mean_error")["mean_error"]
    assert found.in_time["autocorrelation"] != alone.in_time["autocorrelation"]


def test_a_holdout_of_rows_with_times_too():
    found = heldout.validate(Ridge(), X, Y, cv="holdout", time=np.arange(180), metrics="mae")["mae"]
    assert found.method == "delta, log scale, HAC"
    with pytest.raises(HeldoutError) as error:
        heldout.validate(TWO, X, Y, cv="holdout", time=np.arange(180), metrics="mae", test="permutation")
    assert str(error.value) == (
        "the test permutation assumes independent rows, but these have times\n"
        "  Fix: choose one of t, diebold_mariano, or leave out the test"
    )


def test_a_threshold_is_not_chosen_among_dependent_rows():
    with pytest.raises(HeldoutError, match="choose_threshold counts independent rows, and these have times"):
        heldout.validate(LogisticRegression(), X, LABELS, cv="time:3", choose_threshold=(1, 5))
