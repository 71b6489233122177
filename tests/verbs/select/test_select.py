from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from jsonschema import Draft202012Validator
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import LinearSVC

import heldout
from heldout.errors import DataError, UsageError
from heldout.intervals.after_selection import bootstrap_corrected
from heldout.report.schema import schema
from tests.search.learners import Cut, Stump, coins, planted

STUMPS = {"stump": (Stump(), {"column": [0, 3, 7]})}
METHODS = ("nested", "bbc", "single")


@pytest.fixture(params=METHODS)
def found(request):
    return heldout.select(STUMPS, *planted(), protocol=request.param)


def test_every_method_finds_the_planted_column(found):
    assert found.winner == "stump(column=7)"
    assert found.parameters == {"column": 7}
    assert found.within == ("stump(column=7)",)
    assert found.simplest == "stump(column=7)"
    assert found["accuracy"] is found.corrected
    assert found.corrected.low < 0.9 < found.corrected.high
    assert found.optimism == pytest.approx(found.apparent - found.corrected)
    assert found.fitted().column == 7


def test_the_result_is_as_its_schema_says(found):
    Draft202012Validator(schema("heldout.selection/1")).validate(json.loads(json.dumps(found.to_dict())))
    assert found._repr_html_().startswith("<")
    assert str(found).splitlines()[0] == "winner: stump(column=7), best of 3 configurations (grid search)"


def test_the_same_seed_gives_the_same_result(found):
    again = heldout.select(STUMPS, *planted(), protocol=found.protocol)
    other = heldout.select(STUMPS, *planted(), protocol=found.protocol, random_state=1)
    assert again.to_dict() == found.to_dict()
    assert other.to_dict() != found.to_dict()


def test_nested_is_what_scikit_learn_would_do_by_hand():
    X, y = coins(0)
    found = heldout.select({"stump": (Stump(), {"column": list(range(5))})}, X, y, cv=4, inner_cv=StratifiedKFold(3))
    outer = StratifiedKFold(4, shuffle=True, random_state=0)
    right = []
    for train, test in outer.split(X, y):
        search = GridSearchCV(Stump(), {"column": list(range(5))}, cv=StratifiedKFold(3), scoring="accuracy")
        search.fit(X[train], y[train])
        right.append(accuracy_score(y[test], search.predict(X[test])))
    assert found.corrected.value == pytest.approx(np.mean(right))
    last = GridSearchCV(Stump(), {"column": list(range(5))}, cv=StratifiedKFold(3), scoring="accuracy").fit(X, y)
    assert found.apparent == pytest.approx(last.best_score_)
    assert found.parameters == last.best_params_
    means = {one.name: one.value for one in found.configurations}
    assert list(means.values()) == pytest.approx(last.cv_results_["mean_test_score"])


def test_bbc_draws_from_the_out_of_fold_losses():
    X, y = coins(1)
    stumps = {"stump": (Stump(), {"column": list(range(20))})}
    found = heldout.select(stumps, X, y, protocol="bbc", inner_cv=10)
    losses = np.empty((60, 20))
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(X, y):
        for column in range(20):
            losses[test, column] = Stump(column).fit(X[train], y[train]).predict(X[test]) != y[test]
    assert found.apparent == pytest.approx(1 - losses.mean(axis=0).min())
    expected = bootstrap_corrected(losses, 0.95, draws=4000, seed=5)
    assert found.corrected.value == pytest.approx(1 - expected.value, abs=0.01)
    assert (found.corrected.low, found.corrected.high) == pytest.approx((1 - expected.high, 1 - expected.low), abs=0.03)
    assert found.fits == 201
    assert found.choices == ()


def test_bbc_of_a_metric_that_is_no_mean_over_rows():
    X, y = coins(2)
    found = heldout.select({"stump": (Stump(), {"column": list(range(20))})}, X, y, protocol="bbc", metrics="f1")
    assert found.corrected.name == "f1"
    assert found.optimism > 0.05
    assert found.corrected.low < 0.5 < found.corrected.high
    numbers = np.random.default_rng(0).normal(size=(60, 3))
    told = heldout.select(
        {"r": (Ridge(), {"alpha": [0.1, 1]})}, numbers, numbers[:, 0] * 2, protocol="bbc", metrics="rmse"
    )
    assert 0 < told.corrected.low <= told.corrected.value <= told.corrected.high
    assert told.optimism > -0.1


def test_bbc_draws_units_where_rows_belong_together():
    X, y = planted(rows=90)
    twice = np.repeat(np.arange(90), 3)
    alone = heldout.select(STUMPS, X, y, protocol="bbc")
    grouped = heldout.select(STUMPS, X[twice], y[twice], protocol="bbc", groups=twice)
    rows = heldout.select(STUMPS, X[twice], y[twice], protocol="bbc")
    widths = [one.corrected.high - one.corrected.low for one in (alone, grouped, rows)]
    assert grouped.units == 90
    assert widths[1] == pytest.approx(widths[0], rel=0.25)
    assert widths[2] < 0.75 * widths[1]


def test_single_tells_three_models_apart():
    X, y = planted(rows=90)
    found = heldout.select(STUMPS, X, y, protocol="single")
    chosen, judged, final = found.models
    assert [(one.role, one.rows) for one in found.models] == [("chosen", 40), ("judged", 60), ("final", 90)]
    assert (chosen.value, judged.value) == (found.apparent, found.corrected.value)
    assert np.isnan(final.value)
    assert final.says.startswith("fitted to all rows, the one to use: no rows are left to evaluate it")
    assert found.corrected.target == "the chosen model, retrained on 60 rows"
    (split,) = found.outside.splits
    retrained = Stump(7).fit(X[split.train], y[split.train])
    assert found.corrected.value == pytest.approx(accuracy_score(y[split.test], retrained.predict(X[split.test])))
    assert found.fitted().cut_ == pytest.approx(Stump(7).fit(X, y).cut_)


def test_outer_splits_by_word_estimate_the_search():
    X, y = planted(rows=90)
    found = heldout.select(STUMPS, X, y, cv="shuffle:10x0.1")
    assert (found.corrected.target, found.corrected.method) == ("this search on about 81 rows", "corrected t")
    folds = heldout.select(STUMPS, X, y, cv=3, inner_cv=2)
    assert (folds.corrected.target, folds.corrected.method) == ("this search on about 60 rows", "corrected t")
    assert len(folds.choices) == 3
    rows = heldout.select(STUMPS, X[:20], y[:20], cv="loo", inner_cv=2)
    assert rows.corrected.target == "this search on about 19 rows, by the 20 models it chose"


def test_several_metrics_are_judged_and_the_first_decides():
    X, y = planted()
    lr = {"lr": (LogisticRegression(), {"C": [0.01, 1]})}
    found = heldout.select(lr, X, y, metrics=["log_loss", "roc_auc"], cv=3, inner_cv=3)
    assert (found.primary, found.better, list(found.estimates)) == ("log_loss", "lower", ["log_loss", "roc_auc"])
    assert found.winner == "lr(C=1)"
    assert found.optimism == pytest.approx(found.corrected.value - found.apparent)
    assert found["roc_auc"].method == "corrected t"
    assert set(found.training) == {"log_loss", "roc_auc"}


@pytest.mark.parametrize("method", METHODS)
def test_a_column_that_gives_the_target_away_is_named(method):
    X, y = planted(rows=120)
    X[:, 3] = 2 * y + 1
    found = heldout.select(STUMPS, X, y, protocol=method, inner_cv=2)
    assert found.winner == "stump(column=3)"
    assert "H206" in {one.code for one in found.checks}
    assert "H206" not in {
        one.code for one in heldout.select(STUMPS, X, y, protocol=method, inner_cv=2, checks=False).checks
    }


def test_later_rows_judge_where_time_is_known():
    X, y = planted(rows=120)
    when = np.random.default_rng(0).permutation(120)
    for method in ("nested", "single"):
        found = heldout.select(STUMPS, X, y, protocol=method, time=when)
        for split in found.outside.splits:
            assert split.train.max() < split.test.min()
    with pytest.raises(UsageError) as caught:
        heldout.select(STUMPS, X, y, protocol="bbc", time=when)
    assert str(caught.value) == (
        "bbc resamples rows in any order, and these are ordered in time\n"
        "  Fix: choose protocol='nested' or 'single', or leave out time"
    )


def test_a_table_by_the_names_of_its_columns():
    X, y = planted(columns=8)
    frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(sick=np.where(y, "yes", "no"), who=np.arange(200) // 2)
    found = heldout.select(STUMPS, frame, "sick", groups="who", cv=3, inner_cv=3)
    assert found.winner == "stump(column=7)"
    assert (found.units, found.roles) == (100, {"target": "sick", "group": "who"})
    assert set(found.fitted().predict(X)) == {"no", "yes"}


def test_a_run_goes_on_where_it_stopped_and_ends_the_same(tmp_path):
    X, y = planted()
    whole = heldout.select(STUMPS, X, y)
    fits = []

    class Tired(Stump):
        def fit(self, X, y):
            fits.append(1)
            if len(fits) == 40:
                raise KeyboardInterrupt
            return super().fit(X, y)

    tired = {"stump": (Tired(), {"column": [0, 3, 7]})}
    with pytest.raises(KeyboardInterrupt):
        heldout.select(tired, X, y, run=tmp_path / "run")
    first = len(fits)
    found = heldout.select(tired, X, y, run=tmp_path / "run")
    assert found.to_dict() == whole.to_dict()
    # the outer folds are those of the search on all rows, whose fits of the winners are there already
    assert len(fits) - first == whole.fits - 39 - 5
    again = len(fits)
    assert heldout.select(tired, X, y, run=tmp_path / "run").to_dict() == whole.to_dict()
    assert len(fits) == again


def test_a_guided_run_goes_on_too(tmp_path):
    X, y = planted()
    given = {"cut": (Cut(), {"at": {"low": -2.0, "high": 2.0}}), **STUMPS}
    options = {"search": "guided", "n_trials": 8, "cv": 3, "inner_cv": 2}
    whole = heldout.select(given, X, y, **options)
    first = heldout.select(given, X, y, **options, run=tmp_path)
    again = heldout.select(given, X, y, **options, run=tmp_path)
    assert first.to_dict() == again.to_dict() == whole.to_dict()
    assert (whole.search, whole.sampler) == ("guided", "tpe")


def test_progress_counts_all_fits():
    seen = []
    found = heldout.select(STUMPS, *planted(), cv=3, inner_cv=2, progress=lambda *told: seen.append(told))
    assert seen == [(done, found.fits) for done in range(1, found.fits + 1)]
    assert found.fits == 3 * (3 * 2 + 2) + 3 + 1


def test_side_by_side_is_the_same():
    X, y = planted()
    with parallel_config("threading"):
        one, two = (heldout.select(STUMPS, X, y, cv=3, inner_cv=2, n_jobs=n) for n in (None, 2))
    assert one.to_dict() == two.to_dict()


def test_any_configuration_may_be_taken_home():
    found = heldout.select(STUMPS, *planted(), protocol="single")
    assert found.fitted("stump(column=3)").column == 3
    with pytest.raises(UsageError) as caught:
        found.fitted("stump(column=33)")
    assert (
        str(caught.value) == "no configuration is named 'stump(column=33)'; did you mean 'stump(column=3)'?\n"
        "  Fix: choose one of stump(column=0), stump(column=3), stump(column=7)"
    )
    with pytest.raises(UsageError) as caught:
        found["acuracy"]
    assert (
        str(caught.value) == "no estimate is named 'acuracy'; did you mean 'accuracy'?\n  Fix: choose one of accuracy"
    )


def test_the_frame_has_a_line_per_configuration_best_first():
    found = heldout.select(STUMPS, *planted(), protocol="bbc").to_frame()
    parts = [f"part_{at}" for at in range(1, 6)]
    assert list(found.columns) == ["configuration", "candidate", "accuracy", "within_noise", *parts]
    np.testing.assert_allclose(found[parts].mean(axis=1), found["accuracy"])
    assert found["configuration"][0] == "stump(column=7)"
    assert list(found["accuracy"]) == sorted(found["accuracy"], reverse=True)


class Touchy(BaseEstimator):
    def __init__(self, calm=True):
        self.calm = calm

    def fit(self, _X, _y):
        if not self.calm:
            raise ValueError("no mood for this")
        return self

    def predict(self, X):
        return np.zeros(len(X), int)


@pytest.mark.parametrize(
    ("candidates", "options", "error", "said"),
    [
        (
            {"svc": LinearSVC()},
            {"metrics": "log_loss"},
            DataError,
            (
                "[H106] svc cannot be judged: log_loss needs probabilities\n"
                "  Fix: take another learner, or another metric"
            ),
        ),
        (
            {"t": (Touchy(), {"calm": [True, False]})},
            {},
            DataError,
            (
                "[H313] t(calm=False) raised ValueError in split 1 of 30: no mood for this\n"
                "  Fix: correct the learner or the data; finished fits of a run are kept"
            ),
        ),
        (
            STUMPS,
            {"metrics": "all"},
            UsageError,
            "metrics is 'all', and one metric must decide\n  Fix: name the metric that decides first",
        ),
        (
            STUMPS,
            {"metrics": "prevalence"},
            UsageError,
            "prevalence has no better and worse, and cannot decide\n  Fix: name another first, such as accuracy",
        ),
        (
            STUMPS,
            {"protocol": "bbc", "metrics": ["accuracy", "f1"]},
            UsageError,
            ("bbc evaluates one metric, and metrics names 2\n  Fix: leave out the others, or choose protocol='nested'"),
        ),
        (
            STUMPS,
            {"protocol": "bbc", "metrics": "roc_auc"},
            UsageError,
            (
                "bbc resamples rows of all folds together, and roc_auc of models of different folds cannot be pooled\n"
                "  Fix: choose protocol='nested', which evaluates fold by fold"
            ),
        ),
        (
            STUMPS,
            {"search": "random", "n_trials": 0},
            UsageError,
            "n_trials is 0, but must be a whole number above 0\n  Fix: give n_trials=50",
        ),
        (
            STUMPS,
            {"protocol": "single", "test_size": 0},
            UsageError,
            "test_size is 0, but must lie between 0 and 1\n  Fix: a third is 0.33",
        ),
        (
            STUMPS,
            {"protocol": "single", "validation_size": 0},
            UsageError,
            "validation_size is 0, but must lie between 0 and 1\n  Fix: a third is 0.33",
        ),
    ],
)
def test_what_cannot_be_judged_is_said(candidates, options, error, said):
    with pytest.raises(error) as caught:
        heldout.select(candidates, *planted(), **options)
    assert str(caught.value) == said


def test_an_unknown_protocol_is_refused_before_its_options():
    with pytest.raises(UsageError) as error:
        heldout.select(STUMPS, *planted(), protocol="x", cv=2)
    assert str(error.value) == "no protocol is named 'x'\n  Fix: choose nested, bbc, single"


@pytest.mark.parametrize("protocol", METHODS)
def test_inner_splits_are_refused_by_their_name(protocol):
    with pytest.raises(UsageError) as error:
        heldout.select(STUMPS, *planted(), protocol=protocol, inner_cv=1)
    assert str(error.value) == (
        "inner_cv='1' asks for 1 fold, and at least 2 are needed\n"
        "  Fix: choose 10, 10x10, 5x2, loo, lpo, holdout, holdout:0.25, boot:200, .632+, group:5, time:5, "
        "shuffle:30x0.33 or halves"
    )
