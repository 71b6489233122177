"""Learners over splits in worlds whose truth is known: figures measured elsewhere, measured again. `-s` prints.

Small and seeded here; docs/measured has the same from larger runs, made by the commands of the page on learners and
splits. Two simulations are compared, so that both have an error.
"""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path

import pytest

from heldout import lab

pytestmark = pytest.mark.simulation

MEASURED = Path(__file__).parents[2] / "docs" / "measured"
ELSEWHERE = 3000
"""Samples behind the figures of intervals and tests."""
COVERS = {
    ("all_pairs", "10"): (0.833, 0.794, 1.308, 0.297),
    ("naive_fold_interval", "10"): (0.849, 0.807, 1.308, 0.326),
    ("corrected_t", "10"): (0.948, 0.930, 1.308, 0.473),
    ("naive_fold_interval", "shuffle:25x0.1"): (0.565, 0.532, 1.307, 0.186),
    ("corrected_t", "shuffle:25x0.1"): (0.866, 0.835, 1.307, 0.361),
    ("holdout", "holdout:0.2"): (0.862, 0.848, 1.360, 0.665 * 1.729 / 1.645),
    ("nested", "nested:25x5"): (0.980, 0.968, 1.246, 0.595),
    ("conservative_z", "halves:10x10"): (0.997, 0.993, 1.310, 1.033),
}
"""Least squares on noise, n = 100, 20 features, level 0.9: covers Err, covers Err_XY, mean, half-width.

Elsewhere the holdout of 20 rows has a normal quantile, here Student's with 19 degrees of freedom.
"""
REJECTED = {
    ("two_proportions", "holdout:0.33"): (0.049, 0.059),
    ("mcnemar_corrected", "holdout:0.33"): (0.035, 0.040),
    ("mcnemar_exact", "holdout:0.33"): (0.037, 0.041),
    ("mcnemar", "holdout:0.33"): (0.053, 0.055),
    ("naive_fold_t", "shuffle:30x0.33"): (0.594, 0.625),
    ("corrected_resampled_t", "shuffle:30x0.33"): (0.040, 0.058),
    ("corrected_resampled_t", "shuffle:25x0.1"): (0.051, 0.094),
    ("kfold_paired_t", "10"): (0.052, 0.132),
    ("corrected_resampled_t", "10"): (0.008, 0.037),
    ("naive_fold_t", "10x10"): (0.549, 0.636),
    ("corrected_resampled_t", "10x10"): (0.036, 0.097),
    ("five_by_two_t", "5x2"): (0.042, 0.122),
    ("five_by_two_f", "5x2"): (0.047, 0.134),
    ("all_pairs", "10"): (0.059, 0.131),
    ("mcnemar_corrected", "10"): (0.044, 0.113),
}
"""Exchangeable blocks of 5 features, n = 300, nominal 0.05: the linear discriminant, the nearest neighbour."""
OWN = {("mcnemar", "10"): (0.056, 0.130)}
"""The same where nobody else has a figure: 3000 repetitions of ours, with another seed than here."""
BIASES = {
    (20, 50): (0.142, 0.060, -0.016, 0.945),
    (20, 500): (0.162, 0.144, -0.039, 0.915),
    (40, 500): (0.102, 0.053, -0.016, 0.980),
    (100, 500): (0.042, -0.035, -0.016, 0.960),
    (500, 500): (0.010, -0.027, -0.004, 0.950),
}
"""The winner's own accuracy, Tibshirani's, BBC-CV's, each less the truth; and the coverage of BBC-CV."""
FEW = 200
"""Samples behind those figures, as their coverages are multiples of a two-hundredth."""
COSTS = {50: (0.271, 0.515, 0.523), 200: (0.359, 0.460, 0.463), 1000: (0.403, 0.439, 0.440)}
"""A threshold's apparent, true and cross-fitted cost."""


def apart(found, known, repeats, elsewhere=ELSEWHERE):
    """By how many errors of both two simulated shares differ."""
    share = (known * elsewhere + 1) / (elsewhere + 2)
    return (found - known) / sqrt(share * (1 - share) * (1 / repeats + 1 / elsewhere))


def off(found, known, errors):
    """What lies more than three errors from what is known."""
    for name, value in found.items():
        print(f"{name}: {value:.3f}, elsewhere {known[name]:.3f}")
    return {name: value for name, value in found.items() if abs(value - known[name]) > 3 * errors[name]}


def stored(name):
    return json.loads((MEASURED / f"{name}.json").read_text(encoding="utf-8"))


def check_coverage(results):
    for one in results:
        learner, model, mean, half = COVERS[one["method"], one["splits"]]
        print(f"{one['method']} {one['splits']}: {one['covers_learner']:.3f}, elsewhere {learner:.3f}")
        assert abs(apart(one["covers_learner"], learner, one["repeats"])) < 3
        assert abs(apart(one["covers_model"], model, one["repeats"])) < 3
        assert one["mean"] == pytest.approx(mean, rel=0.5 / sqrt(one["repeats"]))
        assert one["half_width"] == pytest.approx(half, rel=1 / sqrt(one["repeats"]))


def test_least_squares_on_noise():
    found = lab.split_coverage([f"{method}@{splits}" for method, splits in COVERS], confidence_level=0.9, repeats=200)
    assert {(one.method, one.splits) for one in found} == set(COVERS)
    check_coverage([one.to_dict() for one in found])


def test_least_squares_on_noise_as_measured():
    results = stored("split-coverage")["results"]
    assert {(one["method"], one["splits"]) for one in results} == set(COVERS)
    check_coverage(results)


def check_sizes(results):
    for one in results:
        rates = (REJECTED | OWN)[one["test"], one["splits"]]  # a test without a figure is an error
        rate = rates[["linear", "knn"].index(one["learner"])]
        print(f"{one['learner']} {one['test']} {one['splits']}: {one['rejected']:.3f}, elsewhere {rate:.3f}")
        assert abs(apart(one["rejected"], rate, one["repeats"])) < 3, (one["learner"], one["test"], one["splits"])


@pytest.mark.parametrize("learner", ["linear", "knn"])
def test_sizes_of_tests_over_splits(learner):
    found = lab.split_size(models=learner, world="twins:distance=1.118", repeats=300, random_state=1)
    assert {(one.test, one.splits) for one in found} == set(REJECTED | OWN)
    check_sizes([one.to_dict() for one in found])


def test_sizes_of_tests_over_splits_as_measured():
    results = stored("split-size")["results"]
    both = {(learner, *place) for learner in ("linear", "knn") for place in REJECTED | OWN}
    assert {(one["learner"], one["test"], one["splits"]) for one in results} == both
    check_sizes(results)
    naive = [one["rejected"] for one in results if (one["test"], one["splits"]) == ("naive_fold_t", "10x10")]
    assert len(naive) == 2
    assert min(naive) > 0.5


def check_winner(d):
    own, tibshirani, bbc, cover = BIASES[d["n"], d["configurations"]]
    named = {"apparent": own, "tibshirani": tibshirani, "bootstrap_corrected": bbc}
    found = {name: d["biases"][name]["value"] for name in named}
    errors = {name: d["biases"][name]["error"] * sqrt(1 + d["repeats"] / FEW) for name in named}
    assert off(found, named, errors) == {}
    assert abs(apart(d["coverage"]["value"], cover, d["repeats"], FEW)) < 3


@pytest.mark.parametrize(("n", "configurations"), [(20, 50), (40, 500)])
def test_the_winner_is_optimistic_and_its_bootstrap_is_not(n, configurations):
    check_winner(lab.selection_bias(n, configurations, n_resamples=100, repeats=120).to_dict())


@pytest.mark.parametrize(("n", "configurations"), BIASES)
def test_the_winner_is_optimistic_as_measured(n, configurations):
    check_winner(stored(f"selection-bias-n{n}-c{configurations}"))


def test_on_noise_the_winner_of_fifty_claims_what_is_not_there_as_measured():
    biases = stored("selection-bias-null")["biases"]
    assert biases["apparent"]["value"] > 0.1
    for name in ("nested", "bootstrap_corrected"):
        assert abs(biases[name]["value"]) < 3 * biases[name]["error"]


def check_costs(d, elsewhere):
    known = dict(zip(("apparent", "truth", "cross_fitted"), COSTS[d["n"]], strict=True))
    found = {name: d[name]["value"] for name in known}
    # how many samples the other figures rest on is not known; they are given to three places
    errors = {name: d[name]["error"] * sqrt(1 + d["repeats"] / elsewhere) + 0.0002 for name in known}
    assert off(found, known, errors) == {}
    assert d["best"] == pytest.approx(0.4295, abs=5e-5)


@pytest.mark.parametrize("n", COSTS)
def test_a_threshold_chosen_on_its_own_rows_looks_cheaper_than_it_is(n):
    check_costs(lab.threshold_bias(n, repeats=400).to_dict(), 1000)


@pytest.mark.parametrize("n", COSTS)
def test_the_cost_of_a_threshold_as_measured(n):
    check_costs(stored(f"threshold-bias-n{n}"), 1000)


def test_failures_as_measured():
    found = {(one["case"].split()[0], one["method"]): one for one in stored("failures")["results"]}
    assert found["share", "naive t over 10x10"]["value"] > 0.5
    known = {".632": 0.316, ".632+": 0.473, "out of bag (e0)": 0.501, "leave-one-out": 0.501, "10-fold": 0.501}
    for name, value in known.items():
        one = found["nearest", name]
        assert one["value"] == pytest.approx(value, abs=3 * one["error"] + 0.001)


@pytest.mark.parametrize(("learner", "least"), [("linear", 3), ("knn", 3), ("tree", -3)])
def test_A8_the_order_of_estimates_as_measured(learner, least):
    """Training error <= true error of the final rule <= cross-validated error, on average.

    With two folds the excess is seen, but for the tree, to which 30 rows more say little in this world.
    """
    found = {
        one["name"]: one for one in stored(f"estimation-bias-{learner}")["estimators"] if "tested" not in one["target"]
    }
    assert found["training"]["bias"]["value"] < -3 * found["training"]["bias"]["error"]
    by_folds = [found[name] for name in ("2-fold", "3-fold", "5-fold", "10-fold", "20-fold", "leave-one-out")]
    assert by_folds[0]["bias"]["value"] > least * by_folds[0]["bias"]["error"]
    assert all(one["bias"]["value"] > -3 * one["bias"]["error"] for one in by_folds)
    assert by_folds[0]["bias"]["value"] > by_folds[-1]["bias"]["value"]
