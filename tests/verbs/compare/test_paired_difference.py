"""Tests by name: `compare(..., test=...)`."""

from __future__ import annotations

from itertools import product
from math import isnan

import numpy as np
import pytest
from scipy import stats

import heldout
from heldout.batch import Batch
from heldout.formulas import METRICS
from heldout.stats.mcnemar_tests import kosinski, mcnemar
from heldout.verbs.compare.paired_difference import difference
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings


@pytest.fixture(scope="module")
def rows():
    """A truth and two correlated scores, of which the second is better."""
    rng = np.random.default_rng(3)
    truth = (rng.random(120) < 0.4).astype(int)
    shared = rng.standard_normal(120)
    old, new = (
        1 / (1 + np.exp(-(s * (truth - 0.5) + 0.7 * shared + 0.7 * rng.standard_normal(120)))) for s in (1.0, 1.6)
    )
    return truth, old, new


def by_name(rows, metric, test, **options):
    truth, old, new = rows
    return heldout.compare(truth, {"old": old, "new": new}, metrics=metric, test=test, n_resamples=300, **options)[
        metric
    ]


def said(call):
    with pytest.raises(heldout.HeldoutError) as refused:
        call()
    return str(refused.value)


@pytest.mark.parametrize(
    ("test", "method"),
    [("mcnemar", "midp"), ("exact", "exact"), ("asymptotic", "asymptotic"), ("corrected", "corrected")],
)
def test_the_family_of_mcnemar(test, method):
    truth = np.tile([0, 1], 50)
    a, b = truth.copy(), truth.copy()
    a[:15], b[50:75] = 1 - a[:15], 1 - b[50:75]
    found = heldout.compare(truth, {"b": b, "a": a}, metrics="accuracy", test=test)["accuracy"]
    assert found.pvalue == mcnemar(25, 15, method=method)
    assert found.test == f"McNemar {'mid-p' if method == 'midp' else method}, 25 vs 15"


def test_delong_by_name_is_normal_and_the_default_a_little_wider(rows):
    named, default = (by_name(rows, "roc_auc", test) for test in ("delong", None))
    assert (named.test, default.test) == ("DeLong, paired, z", "DeLong, paired")
    assert named.value == default.value
    assert 1 < (default.high - default.low) / (named.high - named.low) < 1.1
    assert named.pvalue < default.pvalue < 1.5 * named.pvalue


def test_t_of_a_mean_is_the_paired_t(rows):
    truth, old, new = rows
    found = by_name(rows, "brier", "t")
    reference = stats.ttest_rel((new - truth) ** 2, (old - truth) ** 2)
    assert found.test == "paired t"
    assert (found.pvalue, found.low) == pytest.approx(
        (reference.pvalue, reference.confidence_interval(0.95).low), rel=1e-9
    )
    assert by_name(rows, "mcc", "t").test == "paired t on influence"


def test_sign_flips_of_few_rows_are_counted_out():
    truth, old, new = np.zeros(6), np.array([0.5, 1.0, 2.0, 1.5, 0.1, 3.0]), np.array([0.4, 0.7, 1.0, 1.6, 0.3, 1.0])
    found = by_name((truth, old, new), "mae", "permutation", task="regression")
    apart = np.abs(new) - np.abs(old)
    sums = [abs(np.dot(signs, apart)) for signs in product((-1, 1), repeat=6)]
    assert found.pvalue == pytest.approx(np.mean(np.array(sums) >= abs(apart.sum()) - 1e-12))
    assert found.test == "sign flips"


def test_swaps_of_predictions_agree_with_the_exact_test(rows):
    truth, old, new = rows
    labels = truth, (old >= 0.5).astype(int), (new >= 0.5).astype(int)
    exact = by_name(labels, "accuracy", "exact")
    swapped = heldout.compare(
        labels[0], {"old": labels[1], "new": labels[2]}, metrics="accuracy", test="permutation", n_resamples=3000
    )["accuracy"]
    assert swapped.test == "prediction swaps, paired BCa"
    assert swapped.pvalue == pytest.approx(
        exact.pvalue, abs=4 * np.sqrt(exact.pvalue * (1 - exact.pvalue) / 3000) + 1 / 3000
    )
    assert swapped.low < swapped.value < swapped.high


@pytest.mark.parametrize("metric", ["accuracy", "f1", "brier", "roc_auc", "average_precision"])
def test_the_bootstrap_p_value_is_that_of_its_interval(rows, metric):
    found = by_name(rows, metric, "bootstrap")
    assert (found.test, found.notes) == ("paired BCa", ("the p-value inverts the interval",))
    for level, inside in ((1 - found.pvalue - 0.002, False), (1 - found.pvalue + 0.002, True)):
        if 0 < level < 1 - 2 / 301:
            again = by_name(rows, metric, "bootstrap", confidence_level=level)
            assert (again.low <= 0 <= again.high) is inside


def test_a_bootstrap_of_few_units_is_told_so(rows):
    assert by_name(tuple(part[:60] for part in rows), "f1", "bootstrap").notes[:2] == (
        "the p-value inverts the interval",
        "60 units: below 100 a bootstrap interval tends to be too narrow",
    )


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
@pytest.mark.parametrize("metric", ["f1", "brier"])
def test_units_are_swapped_and_drawn_as_a_whole(rows, test, metric):
    four = tuple(np.repeat(part, 4) for part in rows)
    alone, grouped = by_name(rows, metric, test), by_name(four, metric, test, groups=np.arange(480) // 4)
    assert grouped.high - grouped.low == pytest.approx(alone.high - alone.low, rel=0.15)
    assert grouped.pvalue == pytest.approx(alone.pvalue, abs=0.05)


def test_a_metric_that_a_test_does_not_suit_keeps_its_own(rows):
    truth, old, new = rows
    found = heldout.compare(truth, {"old": old, "new": new}, metrics="accuracy,roc_auc", test="delong")
    assert found["accuracy"].notes == ("delong does not suit it: its own test was used",)
    assert found["accuracy"].test.startswith("McNemar mid-p")
    assert found["roc_auc"].notes == ()


def test_a_test_must_suit_the_metric_that_decides(rows):
    truth, old, new = rows
    models = {"old": old, "new": new}
    assert said(lambda: heldout.compare(truth, models, primary="roc_auc", metrics="accuracy", test="mcnemar")) == (
        "the test mcnemar suits accuracy, error_rate, recall and specificity of rows without groups and weights, "
        "but not roc_auc\n"
        "  Fix: choose a metric it suits, or leave out the test"
    )
    assert said(lambda: heldout.compare(truth, models, primary="log_loss", test="delong")) == (
        "the test delong suits roc_auc and gini, but not log_loss\n"
        "  Fix: choose a metric it suits, or leave out the test"
    )
    found = heldout.compare(truth, models, primary="accuracy", metrics="roc_auc", test="mcnemar")
    assert found["roc_auc"].notes == ("mcnemar does not suit it: its own test was used",)


def test_rankings_that_nobody_asked_for_are_not_swapped(rows):
    truth, old, new = rows
    models = {"old": old, "new": new}
    every = heldout.compare(truth, models)
    assert {every[name].test for name in ("eer", "ks", "partial_auc")} == {"paired t on influence"}
    assert every["average_precision"].test == "paired influence"
    assert every["gini"].test == "DeLong, paired"
    assert heldout.compare(truth, models, metrics="ks")["ks"].test == "rank swaps, paired BCa"
    assert heldout.compare(truth, models, primary="ks")["ks"].test == "rank swaps, paired BCa"


def test_what_is_refused(rows):
    assert said(lambda: by_name(rows, "accuracy", "delong")) == (
        "the test delong suits roc_auc and gini, but not accuracy\n"
        "  Fix: choose a metric it suits, or leave out the test"
    )
    assert said(lambda: by_name(rows, "accuracy", "mcnemar", groups=np.arange(120) // 2)) == (
        "the test mcnemar suits accuracy, error_rate, recall and specificity of rows without groups and weights, "
        "but not accuracy\n"
        "  Fix: choose a metric it suits, or leave out the test"
    )
    assert said(lambda: by_name(rows, "accuracy", "mcnemars")) == (
        "no test is named 'mcnemars'; did you mean 'mcnemar'?\n"
        "  Fix: choose one of mcnemar, exact, asymptotic, corrected, delong, kosinski, permutation, bootstrap, t, "
        "diebold_mariano"
    )
    assert said(lambda: by_name(rows, "accuracy", "z")) == (
        "the test z is for independent samples, and the rows are matched\n"
        "  Fix: pass paired=False if the models saw different rows"
    )


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("metric", "test", "times"), [("f1", "permutation", 30), ("f1", "bootstrap", 100), ("accuracy", "bootstrap", 100)]
)
def test_no_difference_is_found_too_often(metric, test, times):
    """Two models of equal strength: at 5%, no more than three Monte-Carlo errors above that."""
    found = 0
    for seed in range(times):
        rng = np.random.default_rng(seed)
        truth = (rng.random(150) < 0.4).astype(int)
        shared = rng.standard_normal(150)
        old, new = (1 / (1 + np.exp(-(truth + 0.6 * shared + 0.8 * rng.standard_normal(150) - 0.5))) for _ in range(2))
        models = {"old": old, "new": new}
        found += heldout.compare(truth, models, metrics=metric, test=test, n_resamples=150)[metric].pvalue < 0.05
    assert found / times <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / times)


@pytest.mark.parametrize(("metric", "side"), [("precision", 1), ("npv", 0)])
def test_kosinski_tests_the_rows_that_each_model_calls_positive(metric, side):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 200)
    models = {name: np.where(rng.random(200) < right, truth, 1 - truth) for name, right in (("a", 0.8), ("b", 0.7))}
    called = [models["b"] == side, models["a"] == side]
    counts = [(int(np.sum(one & (truth == side))), int(one.sum())) for one in (*called, called[0] & called[1])]
    found = heldout.compare(truth, models, metrics=metric, test="kosinski")[metric]
    assert found.test == "Kosinski score"
    assert found.pvalue == pytest.approx(kosinski(*counts), rel=1e-12)
    assert found.low < found.value < found.high


def test_kosinski_is_for_predictive_values():
    with pytest.raises(
        heldout.UsageError, match="suits precision and npv of rows without groups and weights, but not recall"
    ):
        heldout.compare([0, 1] * 20, {"a": [0, 1] * 20, "b": [1, 1, 0, 0] * 10}, metrics="recall", test="kosinski")


def few_negatives(clusters):
    """Sixty clusters of five rows, negative ones in so many of them."""
    rng = np.random.default_rng(clusters)
    group = np.repeat(np.arange(60), 5)
    truth = (group >= clusters).astype(int)
    return truth, {name: np.where(rng.random(300) < 0.75, truth, 1 - truth) for name in "ab"}, group


@pytest.mark.parametrize("metric", ["specificity", "mcc"])
def test_one_cluster_of_negatives_gives_no_p_value(metric):
    truth, models, group = few_negatives(1)
    found = heldout.compare(truth, models, metrics=metric, groups=group)[metric]
    assert (found.test, np.isnan(found.pvalue), found.verdict) == ("paired influence", True, None)
    assert found.notes[0].startswith(f"{metric} rests on 1.")
    assert found.notes[0].endswith(" effective clusters: too few for a test (needs 3)")
    passed = heldout.gate(truth, models, primary=metric, margin=0.5, groups=group)
    assert passed.verdict == "INCONCLUSIVE"


def test_two_negative_rows_among_weighted_ones_give_no_p_value():
    truth = np.repeat([0, 1], [2, 98])
    models = {"a": np.r_[0, 0, np.ones(98, int)], "b": np.r_[1, 0, np.ones(98, int)]}
    found = heldout.compare(truth, models, metrics="specificity", sample_weight=np.linspace(1, 2, 100))["specificity"]
    assert found.notes == ("specificity rests on 2.0 effective rows: too few for a test (needs 3)",)


def test_many_clusters_of_negatives_are_tested():
    truth, models, group = few_negatives(30)
    assert heldout.compare(truth, models, metrics="specificity", groups=group)["specificity"].pvalue > 0


def two_numbers(rng, n, tail):
    """Absolute errors of the same mean, one model's with a long tail."""
    long = np.exp(rng.normal(size=n) * tail) if tail else np.abs(rng.normal(size=n))
    return np.zeros(n), long, np.abs(rng.normal(size=n))


def test_long_tails_and_rare_classes_are_told():
    rng = np.random.default_rng(2)
    long = heldout.compare(*_models(two_numbers(rng, 60, 2.0)), metrics="mae", task="regression")["mae"]
    assert long.notes[-1].startswith("60 losses with a skewness of ")
    assert long.notes[-1].endswith(
        ": with long tails, the simulated type I error of this test is up to 32% ± 0.6 (nominal 5%)"
    )
    even = heldout.compare(*_models(two_numbers(rng, 60, 0)), metrics="mae", task="regression")["mae"]
    assert even.notes == ()
    truth = np.r_[np.ones(6, int), np.zeros(94, int)]
    said = [np.where(rng.random(100) < 0.8, truth, 1 - truth) for _ in range(2)]
    few = heldout.compare(truth, dict(zip(("old", "new"), said, strict=True)), metrics="mcc")["mcc"]
    assert few.notes == (
        "6 positive rows: with so few, the simulated type I error of this test is up to 15% ± 1.1 (nominal 5%)",
    )
    truth = np.r_[np.ones(20, int), np.zeros(380, int)]
    score = [truth * 3 + rng.normal(size=400) for _ in range(2)]
    high = heldout.compare(truth, dict(zip(("old", "new"), score, strict=True)), metrics="roc_auc", pos_label=1)
    assert high["roc_auc"].notes == ()  # the type I error is 6% at most: docs/measured/page-rates.json


def _models(rows):
    return rows[0], {"old": rows[1], "new": rows[2]}


def rejected(times, made, metric):
    """How often two models of the same value are told apart at 5%, and whether interval and p-value ever disagree."""
    found = 0
    for _ in range(times):
        one = difference(METRICS[metric], *(Measurement(batch, Settings()) for batch in made()))
        found += one.pvalue < 0.05
        assert isnan(one.pvalue) or (one.pvalue < 0.05) == (not one.low <= 0 <= one.high)
    return found / times


def bound(times, claim=0.06):
    """The claim, and three Monte-Carlo errors."""
    return claim + 3 * np.sqrt(claim * (1 - claim) / times)


@pytest.mark.parametrize("metric", ["balanced_accuracy", "mcc", "f1"])
def test_models_at_different_operating_points_are_not_told_apart_too_often(metric):
    """Recall .9 and specificity .6 against the reverse: counted swaps rejected 8% by f1 in 300 simulations."""
    rng = np.random.default_rng(11)
    specificity = {"balanced_accuracy": 0.9, "mcc": 0.8477, "f1": 0.8786}[metric]

    def made():
        truth = (rng.random(60) < 0.3).astype(int)
        for right in ((0.9, 0.6), (0.6, specificity)):
            said = np.where(rng.random(60) < np.where(truth == 1, *right), truth, 1 - truth)
            yield Batch(task="binary", truth=truth, prediction=said, labels=(0, 1), positive=1)

    assert rejected(200, made, metric) <= bound(200)


@pytest.mark.parametrize("metric", ["mae", "rmse"])
def test_few_clusters_of_unequal_size_are_not_told_apart_too_often(metric):
    """12 clusters of 1 to 50 rows: Student's t with 11 degrees of freedom rejected 8% to 10%."""
    rng = np.random.default_rng(12)

    def made():
        sizes = np.round(np.exp(rng.uniform(0, np.log(50), 12))).astype(int)
        unit = np.repeat(np.arange(12), sizes)
        shared = rng.normal(size=12)[unit] * 0.5
        for _ in range(2):
            error = shared + 0.5 * rng.normal(size=12)[unit] + 0.7 * rng.normal(size=len(unit))
            yield Batch(task="regression", truth=np.zeros(len(unit)), prediction=error, labels=("y",), unit=unit)

    assert rejected(300, made, metric) <= bound(300)


def test_precision_of_few_predictions_is_not_known_to_be_perfect():
    """A model that predicts the class 13 times without an error: 26% of true nulls were rejected before, at 5%."""
    rng = np.random.default_rng(0)
    rejected = 0
    for _ in range(100):
        truth = rng.random(400) < 0.3
        said = {
            name: rng.random(400) < np.where(truth, recall, 0.3 * recall / 9 / 0.7)
            for name, recall in (("a", 0.8), ("b", 0.1))
        }
        rejected += heldout.compare(truth, said, metrics=["precision"], primary="precision")["precision"].pvalue < 0.05
    assert rejected <= 5 + 3 * 2.2  # three standard errors of 100 repetitions at 5%


def test_a_season_is_named_and_has_no_simulated_rate():
    rng = np.random.default_rng(0)
    truth, weekly = rng.normal(size=210), np.tile(rng.normal(size=7), 30)
    models = {"a": truth + rng.normal(size=210), "b": truth + 2 * weekly + rng.normal(size=210)}
    found = heldout.compare(truth, models, time=np.arange(210), primary="mae", metrics=["mae"])["mae"]
    assert any(note.startswith("a season: times 7 apart are alike") for note in found.notes)
    assert (found.card, found.unlike) == (None, "this test with times and a season together")
    alone = heldout.evaluate(truth, models["b"], time=np.arange(210), metrics=["mae"])["mae"]
    assert any(note.startswith("a season: times 7 apart are alike") for note in alone.notes)
    assert alone.card is None
    plain = heldout.evaluate(truth, models["a"], time=np.arange(210), metrics=["mae"])["mae"]
    assert not any("season" in note for note in plain.notes)


def test_identical_models_of_equal_losses_are_not_shown_to_be_equivalent():
    """All losses are 1 but for the last digit, which said that no row can differ: a gate passed with five rows."""
    truth = np.random.default_rng(0).normal(size=60)
    models = {"a": truth + 1.0, "b": truth + 1.0}
    assert heldout.gate(truth, models, primary="mae", margin=0.001, baseline="a").verdict != "PASS"
