"""Two learners over the same splits, each test worked out by hand from the values."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import heldout
from heldout.errors import HeldoutError
from heldout.stats.multiplicity import holm

RNG = np.random.default_rng(10)
X = RNG.normal(size=(90, 3))
Y = (X[:, 0] + RNG.normal(size=90) > 0).astype(int)
TWO = {"nb": GaussianNB(), "knn": KNeighborsClassifier(3)}


def values(found, name, metric="accuracy"):
    return found.learners[name].values[metric]


def test_corrected_resampled_t():
    found = heldout.validate(TWO, X, Y, metrics="accuracy")
    (difference,) = found.differences
    gaps = values(found, "knn") - values(found, "nb")
    assert (len(gaps), len(found.splits[0].test)) == (30, 30)
    error = gaps.std(ddof=1) * sqrt(1 / 30 + 30 / 60)
    reach = stats.t.ppf(0.975, 29) * error
    assert (difference.model, difference.baseline) == ("knn", "nb")
    assert (difference.value, difference.low, difference.high) == pytest.approx(
        (gaps.mean(), gaps.mean() - reach, gaps.mean() + reach), abs=1e-12
    )
    assert difference.pvalue == pytest.approx(2 * stats.t.sf(abs(gaps.mean() / error), 29), abs=1e-12)
    assert difference.test == "corrected resampled t"
    for name, learner in TWO.items():
        cv = [(one.train, one.test) for one in found.splits]
        np.testing.assert_allclose(values(found, name), cross_val_score(learner, X, Y, cv=cv), rtol=1e-12)


def test_five_by_two():
    for test in ("5x2cv_t", "5x2cv_f", None):
        found = heldout.validate(TWO, X, Y, cv="5x2", metrics="accuracy", test=test)
        gaps = (values(found, "knn") - values(found, "nb")).reshape(5, 2)
        spread = np.sum((gaps - gaps.mean(axis=1, keepdims=True)) ** 2, axis=1)
        t = gaps[0, 0] / sqrt(spread.mean())
        f = np.sum(gaps**2) / (2 * spread.sum())
        p = 2 * stats.t.sf(abs(t), 5) if test == "5x2cv_t" else stats.f.sf(f, 10, 5)
        assert found.differences[0].pvalue == pytest.approx(p, abs=1e-12)
        first = test == "5x2cv_t"  # only one of the ten is in its numerator
        assert found.differences[0].value == pytest.approx(gaps[0, 0] if first else gaps.mean(), abs=1e-12)


def test_paired_t_over_folds_is_named_approximate():
    found = heldout.validate(TWO, X, Y, cv=10, metrics="accuracy", test="kfold_t").differences[0]
    again = heldout.validate(TWO, X, Y, cv=10, metrics="accuracy")
    gaps = values(again, "knn") - values(again, "nb")
    assert found.pvalue == pytest.approx(stats.ttest_1samp(gaps, 0).pvalue, abs=1e-12)
    assert "approximate" in found.test or any("approximate" in note for note in found.notes)


def test_the_naive_t_is_there_under_its_name_only():
    found = heldout.validate(TWO, X, Y, cv="10x10", metrics="accuracy", test="naive_t")
    gaps = values(found, "knn") - values(found, "nb")
    assert found.differences[0].pvalue == pytest.approx(stats.ttest_1samp(gaps, 0).pvalue, abs=1e-12)
    assert "not valid" in found.differences[0].test
    honest = heldout.validate(TWO, X, Y, cv="10x10", metrics="accuracy").differences[0]
    assert honest.high - honest.low > 2 * (found.differences[0].high - found.differences[0].low)


def test_a_holdout_is_about_two_models():
    found = heldout.validate(TWO, X, Y, cv="holdout", metrics="accuracy", test="exact")
    (one,) = found.splits
    wrong = [learner.fit(X[one.train], Y[one.train]).predict(X[one.test]) != Y[one.test] for learner in TWO.values()]
    only_first, only_second = int(np.sum(wrong[0] & ~wrong[1])), int(np.sum(~wrong[0] & wrong[1]))
    exact = stats.binomtest(only_first, only_first + only_second).pvalue
    assert found.differences[0].pvalue == pytest.approx(exact, abs=1e-12)


def test_many_learners_are_corrected_for():
    learners = {**TWO, "1-nn": KNeighborsClassifier(1), "logistic": LogisticRegression()}
    options = {"metrics": ["accuracy", "brier"]}
    decided = heldout.validate(learners, X, Y, primary="accuracy", **options)
    first = [one for one in decided.differences if one.metric == "accuracy"]
    rest = [one for one in decided.differences if one.metric == "brier"]
    together = heldout.validate(learners, X, Y, **options)
    assert [one.model for one in first] == ["knn", "1-nn", "logistic"]
    # the primary metric is a family of its own; without one, all metrics are corrected together
    for family in (first, rest, together.differences):
        np.testing.assert_allclose(
            [one.pvalue_adjusted for one in family], holm(np.array([one.pvalue for one in family]))
        )
        assert {(one.correction, one.tests) for one in family} == {("holm", len(family))}
    assert decided.verdicts == {one.model: one.verdict for one in first}
    for found in (decided, together):
        words = set(found.verdicts.values())
        assert list(found.verdicts) == ["knn", "1-nn", "logistic"]
        assert found.verdict == (words.pop() if len(words) == 1 else "UNDECIDED")


def test_the_primary_metric_comes_first_and_everything_else_is_about_it():
    found = heldout.validate(TWO, X, Y, cv="10x10", metrics=["brier", "accuracy"], primary="accuracy", rope=0.01)
    alone = heldout.validate(TWO, X, Y, cv="10x10", metrics="accuracy", rope=0.01)
    assert list(found.estimates["nb"]) == ["accuracy", "brier"]
    assert (found.posteriors, found.naive) == (alone.posteriors, alone.naive)
    assert str(found).splitlines()[4].split()[:3] == ["learner", "accuracy", "*"]
    beside_all = heldout.validate(TWO, X, Y, cv=5, metrics="all", primary="f1")
    assert (next(iter(beside_all.estimates["nb"])), beside_all.primary) == ("f1", "f1")


def test_the_posterior_with_a_region_of_no_consequence():
    found = heldout.validate(TWO, X, Y, cv="10x10", metrics="accuracy", rope=0.01)
    gaps = values(found, "knn") - values(found, "nb")
    scale = gaps.std(ddof=1) * sqrt(1 / 100 + 1 / 9)
    below, above = (stats.t.cdf(end, 99, gaps.mean(), scale) for end in (-0.01, 0.01))
    told = found.posteriors["knn"]
    assert (told.below, told.within, told.above) == pytest.approx((below, above - below, 1 - above), abs=1e-9)


def test_a_learner_against_itself_is_refused_a_test():
    found = heldout.validate({"one": GaussianNB(), "same": GaussianNB()}, X, Y, metrics=["accuracy", "roc_auc"])
    assert found.verdict == "UNDECIDED"
    for difference in found.differences:
        assert (difference.value, difference.verdict, difference.printed) == (0.0, None, True)
        assert np.isnan(difference.pvalue)
        assert difference.notes == ("all 30 splits gave the same difference, 0, so nothing says how much it varies",)
    alone = heldout.validate({"one": GaussianNB(), "same": GaussianNB()}, X, Y, metrics="accuracy")
    (decides,) = alone.differences
    assert (decides.value, decides.verdict) == (0.0, "UNDECIDED")
    assert np.isnan(decides.pvalue_adjusted)


@pytest.mark.parametrize(
    ("cv", "note"),
    [
        (
            "boot:20",
            "bootstrap samples share so many rows that no test over them has a known type I error: leave out cv",
        ),
        ("loo", "one row has no roc_auc, and scores of n models have no common order: take cv=10"),
    ],
)
def test_splits_without_a_test_say_so(cv, note):
    (found,) = heldout.validate(TWO, X[:40], Y[:40], cv=cv, metrics="roc_auc").differences
    assert np.isnan(found.pvalue)
    assert note in found.notes


def test_regression_learners():
    target = X @ [4, 2, 1] + RNG.normal(size=90) / 2
    found = heldout.validate([LinearRegression(), KNeighborsRegressor()], X, target, metrics=["mae", "r2"])
    gaps = values(found, "KNeighborsRegressor", "mae") - values(found, "LinearRegression", "mae")
    error = gaps.std(ddof=1) * sqrt(1 / 30 + 30 / 60)
    assert found.differences[0].pvalue == pytest.approx(2 * stats.t.sf(abs(gaps.mean() / error), 29), abs=1e-12)
    assert found.verdict == "WORSE"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"test": "corrected"},
            (
                "no test of learners is named 'corrected'; did you mean 'corrected_t'?\n"
                "  Fix: choose one of corrected_t, kfold_t, 5x2cv_t, 5x2cv_f, naive_t; "
                "tests of two models, such as mcnemar, go with cv='holdout'"
            ),
        ),
        (
            {"test": "exakt", "cv": "holdout"},
            (
                "no test is named 'exakt'; did you mean 'exact'?\n  Fix: choose one of mcnemar, exact, asymptotic, "
                "corrected, delong, kosinski, permutation, bootstrap, t, diebold_mariano"
            ),
        ),
        ({"test": "5x2cv_f", "cv": 10}, "the test 5x2cv_f does not suit cv='10'\n  Fix: it is for cv='5x2'"),
        (
            {"test": "corrected_t", "cv": "boot:20"},
            "the test corrected_t does not suit cv='boot:20'\n  Fix: it is for any splits but bootstrap samples",
        ),
        (
            {"margin": -1},
            "the margin of the primary metric is -1, but must be 0 or more\n  Fix: give the size of a difference",
        ),
        ({"rope": -1}, "rope is -1, but must be 0 or more\n  Fix: give the largest difference of no consequence"),
    ],
)
def test_tests_that_do_not_fit(options, said):
    with pytest.raises(HeldoutError) as caught:
        heldout.validate(TWO, X, Y, **options)
    assert str(caught.value) == said
