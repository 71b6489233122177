"""Estimates over splits, each worked out by hand from the predictions."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import heldout
from heldout.errors import HeldoutError
from heldout.learners import dataset, designed

RNG = np.random.default_rng(9)
X = RNG.normal(size=(90, 3))
Y = (X[:, 0] + RNG.normal(size=90) > 0).astype(int)
NUMBERS = X[:, 0] * 2 + RNG.normal(size=90)
Z = stats.norm.ppf(0.975)


def errors(learner, train, test, y=Y):
    """0-1 losses of a fresh fit."""
    model = learner.fit(X[train], y[train])
    return (model.predict(X[test]) != y[test]).astype(float)


def told(found):
    return float(found), found.low, found.high


def test_corrected_t_of_the_default_splits():
    found = heldout.validate(GaussianNB(), X, Y, metrics=["error_rate", "roc_auc", "f1"])
    scores = {"error_rate": [], "roc_auc": [], "f1": []}
    for one in found.splits:
        model = GaussianNB().fit(X[one.train], Y[one.train])
        scores["error_rate"].append(np.mean(model.predict(X[one.test]) != Y[one.test]))
        scores["roc_auc"].append(roc_auc_score(Y[one.test], model.predict_proba(X[one.test])[:, 1]))
        scores["f1"].append(f1_score(Y[one.test], model.predict(X[one.test])))
    for name, values in scores.items():
        assert len(values) == 25
        error = np.std(values, ddof=1) * sqrt(1 / 25 + 9 / 81)
        reach = stats.t.ppf(0.975, 24) * error
        ends = np.clip([np.mean(values) - reach, np.mean(values) + reach], 0, 1)
        assert told(found[name]) == pytest.approx((np.mean(values), *ends), abs=1e-12)
        assert found[name].method == "corrected t"
        assert found[name].target == "this learner, trained on about 81 rows"


def test_repeated_folds_and_areas_over_folds_are_corrected_too():
    repeated = heldout.validate(GaussianNB(), X, Y, cv="4x5", metrics="error_rate")
    values = [np.mean(errors(GaussianNB(), one.train, one.test)) for one in repeated.splits]
    reach = stats.t.ppf(0.975, 19) * np.std(values, ddof=1) * sqrt(1 / 20 + 1 / 4)
    assert told(repeated["error_rate"]) == pytest.approx(
        (np.mean(values), np.mean(values) - reach, np.mean(values) + reach), abs=1e-12
    )
    folds = heldout.validate(GaussianNB(), X, Y, cv=5, metrics=["roc_auc", "accuracy"])
    assert folds["roc_auc"].method == "corrected t"  # scores of five models have no common order
    assert float(folds["roc_auc"]) == pytest.approx(np.mean(folds.learners["GaussianNB"].values["roc_auc"]))
    assert folds["accuracy"].target == "these 5 models, trained on about 72 rows each"


class ByOrder:
    """Predicts what it is given: the first column."""

    classes_ = (0, 1)

    def get_params(self, deep=True):  # noqa: ARG002 scikit-learn's signature
        return {}

    def fit(self, X, y):  # noqa: ARG002 scikit-learn's signature
        return self

    def predict(self, X):
        return X[:, 0].astype(int)


@pytest.mark.parametrize("wrong", [(1, 1, 1, 1, 1), (1, 1, 1, 2, 1)])
def test_folds_that_agree_by_chance_do_not_pass_for_certainty(wrong):
    truth = np.arange(178) % 2
    order = np.random.default_rng(0).permutation(178)
    place = np.empty(178, int)
    place[order] = np.arange(178) * 5 // 178
    said = truth.copy()
    for fold, many in enumerate(wrong):
        at = np.flatnonzero(place == fold)[:many]
        said[at] = 1 - said[at]
    cv = [(np.flatnonzero(place != fold), np.flatnonzero(place == fold)) for fold in range(5)]
    every = heldout.validate(ByOrder(), said[:, None], truth, cv=cv, metrics="accuracy", method="corrected_t")
    found = every["accuracy"]
    pooled = heldout.evaluate(truth, said, metrics="accuracy")["accuracy"]
    assert found.value == pytest.approx(pooled.value, abs=1e-3)
    assert found.value - found.low >= pooled.value - pooled.low - 1e-12
    assert found.high - found.value >= min(pooled.high - pooled.value, 1 - found.value) - 1e-12
    assert any(note.startswith("widened to the reach of the interval of all test rows") for note in found.notes)


def test_folds_that_differ_keep_the_corrected_t():
    found = heldout.validate(GaussianNB(), X, Y, cv=5, metrics="error_rate", method="corrected_t")
    values = found.learners["GaussianNB"].values["error_rate"]
    reach = stats.t.ppf(0.975, 4) * np.std(values, ddof=1) * sqrt(1 / 5 + 1 / 4)
    assert told(found["error_rate"]) == pytest.approx(
        (np.mean(values), np.mean(values) - reach, np.mean(values) + reach), abs=1e-12
    )
    assert found["error_rate"].notes == ()


def test_bayle_intervals_by_name():
    every = heldout.validate(GaussianNB(), X, Y, cv=5, metrics="error_rate", method="all_pairs")
    losses = [errors(GaussianNB(), one.train, one.test) for one in every.splits]
    pooled = np.concatenate(losses)
    reach = Z * np.std(pooled) / sqrt(90)
    assert told(every["error_rate"]) == pytest.approx((pooled.mean(), pooled.mean() - reach, pooled.mean() + reach))
    within = heldout.validate(GaussianNB(), X, Y, cv=5, metrics="error_rate", method="within_folds")
    reach = Z * sqrt(np.mean([np.var(one, ddof=1) for one in losses]) / 90)
    assert told(within["error_rate"]) == pytest.approx((pooled.mean(), pooled.mean() - reach, pooled.mean() + reach))


def test_the_naive_interval_says_what_it_is():
    found = heldout.validate(GaussianNB(), X, Y, cv="4x5", metrics="error_rate", method="naive_t")["error_rate"]
    assert found.method == "naive t over folds (not valid)"
    assert "splits share training rows, so the interval is too narrow" in found.notes
    honest = heldout.validate(GaussianNB(), X, Y, cv="4x5", metrics="error_rate")["error_rate"]
    assert found.high - found.low < (honest.high - honest.low) / 2


def test_nested_folds():
    found = heldout.validate(GaussianNB(), X, Y, cv="nested:3x5", metrics="error_rate")
    assert (found.fits, len(found.splits)) == (3 * 15, 15)
    parts, inner_all, outer_all = [], [], []
    for repeat in range(3):
        folds = [one.test for one in found.splits[repeat * 5 : repeat * 5 + 5]]
        for held in range(5):
            rest = [other for other in range(5) if other != held]
            inner = np.concatenate([
                errors(GaussianNB(), np.concatenate([folds[k] for k in rest if k != judged]), folds[judged])
                for judged in rest
            ])  # fmt: skip
            outer = errors(GaussianNB(), np.concatenate([folds[k] for k in rest]), folds[held])
            parts.append((inner.mean() - outer.mean()) ** 2 - outer.var(ddof=1) / len(outer))
            inner_all.append(inner)
            outer_all.append(outer)
    nested, plain = np.concatenate(inner_all), np.concatenate(outer_all)
    least = nested.std(ddof=1) / sqrt(90)
    error = np.clip(sqrt(max(0, np.mean(parts)) * 4 / 5), least, least * sqrt(5))
    value = nested.mean() - (1 + 3 / 5) * (nested.mean() - plain.mean())
    assert told(found["error_rate"]) == pytest.approx((value, value - Z * error, value + Z * error), abs=1e-12)
    assert found["error_rate"].target == "this learner, trained on about 72 rows"


def test_nested_of_what_is_no_mean_falls_back_and_says_so():
    found = heldout.validate(GaussianNB(), X, Y, cv="nested:2x3", metrics=["f1", "accuracy"])
    assert found["f1"].method == "corrected t"
    assert "not a mean over rows: the folds' corrected t in place of nested" in found["f1"].notes
    grouped = heldout.validate(GaussianNB(), X, Y, cv="nested:2x3", metrics="accuracy", groups=np.arange(90) // 2)
    assert "rows with weights or groups: the folds' corrected t in place of nested" in grouped["accuracy"].notes


@pytest.mark.parametrize("name", ["error_rate", "roc_auc"])
def test_conservative_z(name):
    found = heldout.validate(GaussianNB(), X, Y, cv="conservative:4x3", metrics=name)
    assert found.fits == 4 + 3 * 2 * 4
    design = designed("conservative:4x3", dataset(X, Y), random_state=0, several=False)

    def value(one):
        if name == "error_rate":
            return np.mean(errors(GaussianNB(), one.train, one.test))
        scores = GaussianNB().fit(X[one.train], Y[one.train]).predict_proba(X[one.test])[:, 1]
        return roc_auc_score(Y[one.test], scores)

    halves = np.array([value(one) for one in design.beside]).reshape(3, 2, 4).mean(axis=2)
    error = sqrt(np.sum((halves[:, 0] - halves[:, 1]) ** 2) / 6)
    middle = np.mean([value(one) for one in design.splits])
    ends = np.clip([middle - Z * error, middle + Z * error], 0, 1)
    assert told(found[name]) == pytest.approx((middle, *ends), abs=1e-12)
    assert found[name].method == "conservative z"


def test_leave_one_out():
    found = heldout.validate(GaussianNB(), X, Y, cv="loo", metrics=["error_rate", "roc_auc"])
    rows = np.arange(90)
    losses = [errors(GaussianNB(), rows[rows != at], [at])[0] for at in rows]
    wilson = heldout.evaluate([1] * 90, (1 - np.array(losses)).astype(int))["error_rate"]
    assert told(found["error_rate"]) == pytest.approx(told(wilson), abs=1e-12)
    assert found["error_rate"].target == "these 90 models, trained on about 89 rows each"
    assert np.isnan(float(found["roc_auc"]))
    assert found["roc_auc"].notes == ("one row has no roc_auc: take cv='lpo' or cv=10",)


def test_leave_pair_out():
    few = np.r_[np.flatnonzero(Y == 0)[:6], np.flatnonzero(Y == 1)[:7]]
    rows, truth = X[few], Y[few]
    found = heldout.validate(GaussianNB(), rows, truth, cv="lpo", metrics=["roc_auc", "accuracy"])
    right = np.empty((7, 6))
    for i, one in enumerate(np.flatnonzero(truth == 1)):
        for j, zero in enumerate(np.flatnonzero(truth == 0)):
            rest = np.setdiff1d(np.arange(13), [one, zero])
            up, down = GaussianNB().fit(rows[rest], truth[rest]).predict_proba(rows[[one, zero]])[:, 1]
            right[i, j] = (np.sign(up - down) + 1) / 2
    value = right.mean()
    error = sqrt(right.mean(axis=1).var(ddof=1) / 7 + right.mean(axis=0).var(ddof=1) / 6)
    turned = np.log(value / (1 - value)) + np.array([-1, 1]) * Z * error / (value * (1 - value))
    assert told(found["roc_auc"]) == pytest.approx((value, *(1 / (1 + np.exp(-turned)))), abs=1e-12)
    assert np.isnan(float(found["accuracy"]))


def test_pairs_of_grouped_rows_have_no_interval():
    found = heldout.validate(GaussianNB(), X[:16], [0, 1] * 8, cv="lpo", metrics="roc_auc", groups=np.arange(16) // 4)
    said = "the interval over pairs assumes independent rows of equal weight: take cv='10x10'"
    assert (np.isnan(float(found["roc_auc"])), found["roc_auc"].notes) == (True, (said,))


def bootstrap_by_hand(learner, splits, y):
    """e0, training error and the error of predictions that know nothing."""
    sums, counts = np.zeros(len(y)), np.zeros(len(y))
    for one in splits:
        sums[one.test] += errors(learner, one.train, one.test, y)
        counts[one.test] += 1
    said = learner.fit(X, y).predict(X)
    p, q = y.mean(), said.mean()
    return (sums / counts).mean(), np.mean(said != y), p * (1 - q) + (1 - p) * q


@pytest.mark.parametrize("learner", [KNeighborsClassifier(1), GaussianNB()])
def test_bootstrap(learner):
    words = ("boot", ".632", ".632+")
    cases = {word: heldout.validate(learner, X, Y, cv=f"{word}:60", metrics="error_rate") for word in words}
    e0, training, unrelated = bootstrap_by_hand(learner, cases["boot"].splits, Y)
    assert float(cases["boot"]["error_rate"]) == pytest.approx(e0, abs=1e-12)
    assert float(cases[".632"]["error_rate"]) == pytest.approx(0.368 * training + 0.632 * e0, abs=1e-12)
    capped = min(e0, unrelated)
    rate = np.clip((capped - training) / (unrelated - training), 0, 1)
    share = 0.632 / (1 - 0.368 * rate)
    plus = (1 - share) * training + share * capped
    assert float(cases[".632+"]["error_rate"]) == pytest.approx(plus, abs=1e-12)
    for word in cases:
        turned = heldout.validate(learner, X, Y, cv=f"{word}:60", metrics="accuracy")["accuracy"]
        error = cases[word]["error_rate"]
        assert told(turned) == pytest.approx((1 - float(error), 1 - error.high, 1 - error.low), abs=1e-12)
    assert [cases[word]["error_rate"].method for word in cases] == ["out of bag (e0)", ".632", ".632+"]
    sizes = [cases[word]["error_rate"].target for word in cases]
    assert sizes == [f"this learner, trained on {size} rows" for size in ("about 57", "90", "90")]


def test_the_bootstrap_does_not_pretend():
    odd = {"sample_weight": RNG.uniform(1, 2, 90)}, {"groups": np.arange(90) // 2}
    for options in odd:
        found = heldout.validate(GaussianNB(), X, Y, cv="boot:20", metrics="accuracy", **options)["accuracy"]
        assert np.isnan(float(found))
        assert found.notes == ("the bootstrap's interval assumes independent rows of equal weight: take cv='10x10'",)
    ranked = heldout.validate(GaussianNB(), X, Y, cv="boot:20", metrics="roc_auc")["roc_auc"]
    assert ranked.notes == ("roc_auc is not a mean over rows, which the bootstrap needs: take cv=10",)


def test_a_memoriser_on_coin_flips():
    """statistics.md 2.5: resubstitution 0, .632 .316, .632+ near .5, leave-one-out and folds .5."""
    coins = np.random.default_rng(2).permutation(np.repeat([0, 1], 45))
    one = KNeighborsClassifier(1)
    found = {word: heldout.validate(one, X, coins, cv=word, metrics="error_rate") for word in (".632", ".632+", "10")}
    assert found[".632"].learners["KNeighborsClassifier"].training["error_rate"] == 0
    assert float(found[".632"]["error_rate"]) == pytest.approx(0.316, abs=0.05)
    assert float(found[".632+"]["error_rate"]) == pytest.approx(0.48, abs=0.05)
    assert float(found["10"]["error_rate"]) == pytest.approx(0.5, abs=0.12)


def test_leave_one_out_of_a_majority_learner():
    found = heldout.validate(DummyClassifier(), X[:50], np.repeat([0, 1], 25), cv="loo", metrics="error_rate")
    assert float(found["error_rate"]) == 1.0
    assert [check.text for check in found.checks if check.code == "H312"] == [
        (
            "leave-one-out with classes of 25 and 25 rows: a learner that says the commonest class errs on every row "
            "left out; take stratified folds (cv=10)"
        )
    ]


def test_holdout_is_about_one_model():
    found = heldout.validate(LogisticRegression(), X, Y, cv="holdout", metrics="error_rate")
    (one,) = found.splits
    wrong = errors(LogisticRegression(), one.train, one.test)
    alone = heldout.evaluate([1] * 30, (1 - wrong).astype(int))["error_rate"]
    assert told(found["error_rate"]) == pytest.approx(told(alone), abs=1e-12)
    assert found["error_rate"].target == "this model, trained on 60 rows"


def test_regression_over_splits():
    found = heldout.validate(LinearRegression(), X, NUMBERS, metrics=["mae", "r2", "rmse"])
    values = []
    for one in found.splits:
        said = LinearRegression().fit(X[one.train], NUMBERS[one.train]).predict(X[one.test])
        values.append(np.mean(np.abs(said - NUMBERS[one.test])))
    reach = stats.t.ppf(0.975, 24) * np.std(values, ddof=1) * sqrt(1 / 25 + 1 / 9)
    assert told(found["mae"]) == pytest.approx((np.mean(values), np.mean(values) - reach, np.mean(values) + reach))
    nested = heldout.validate(LinearRegression(), X, NUMBERS, cv="nested:2x4", metrics="mae")["mae"]
    assert nested.method == "nested cross-validation"
    boot = heldout.validate(LinearRegression(), X, NUMBERS, cv=".632+:30", metrics="mae")["mae"]
    assert boot.low < float(boot) < boot.high


def test_a_metric_that_some_splits_lack():
    rare = np.r_[np.ones(20), np.zeros(70)].astype(int)
    deal = np.random.default_rng(1)
    parts = [part for _ in range(2) for part in np.array_split(deal.permutation(90), 9)]
    several = [(np.setdiff1d(np.arange(90), test), test) for test in parts]
    found = heldout.validate(GaussianNB(), X, rare, cv=several, metrics=["roc_auc", "accuracy"])
    values = found.learners["GaussianNB"].values["roc_auc"]
    lost = int(np.isnan(values).sum())
    assert 0 < lost < 9
    assert found["roc_auc"].notes == (f"undefined or infinite on {lost} of 18 splits, which are left out",)
    assert float(found["roc_auc"]) == pytest.approx(np.nanmean(values))
    most = heldout.validate(GaussianNB(), X, np.r_[np.ones(2), np.zeros(88)].astype(int), cv=several, metrics="roc_auc")
    assert np.isnan(float(most["roc_auc"]))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"cv": 5, "method": "corected_t"},
            (
                "no interval over splits is named 'corected_t'; did you mean 'corrected_t'?\n  Fix: choose one of "
                "corrected_t, pooled, all_pairs, within_folds, nested, conservative_z, naive_t"
            ),
        ),
        (
            {"cv": 5, "method": "nested"},
            "the method nested is for nested, and cv='5' gives folds\n  Fix: choose another method or cv",
        ),
        (
            {"cv": 5, "method": "all_pairs", "metrics": "f1"},
            "[H106] f1 is not a mean over rows, which this method needs\n  Fix: leave out the method",
        ),
        (
            {"cv": 5, "method": "within_folds", "metrics": "accuracy", "groups": np.arange(90) // 2},
            (
                "[H106] rows have weights or groups, and this method assumes independent rows of equal weight\n"
                "  Fix: leave out the method"
            ),
        ),
        (
            {"cv": 5, "metrics": "acuracy"},
            "no metric is named 'acuracy'; did you mean 'accuracy'?\n  Fix: heldout explain metrics lists all",
        ),
    ],
)
def test_methods_that_do_not_fit(options, said):
    with pytest.raises(HeldoutError) as caught:
        heldout.validate(GaussianNB(), X, Y, **options)
    assert str(caught.value) == said
