"""Which interval a metric of the order of scores has, and where it changes to another."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

import heldout
from heldout import lab
from heldout.estimates.interval_choice import estimate
from heldout.estimates.ranking import ENOUGH, FEW, MANY
from heldout.formulas import METRICS
from heldout.tallies.scores import tally_scores

RNG = np.random.default_rng(2)


def scored(positives, negatives, area=0.8):
    """Normal scores of two classes."""
    truth = np.repeat([1, 0], [positives, negatives])
    return truth, RNG.normal(size=positives + negatives) + sqrt(2) * stats.norm.ppf(area) * truth


def evaluated(truth, score, metric, **options):
    return heldout.evaluate(truth, y_score=score, metrics=metric, pos_label=1, **options)[metric]


@pytest.mark.parametrize(
    ("positives", "negatives", "method"),
    [
        (FEW, FEW, "DeLong, logit"),
        (FEW - 1, 100, "Newcombe score"),
        (100, FEW - 1, "Newcombe score"),
    ],
)
def test_few_rows_in_a_class_take_newcombes_form(positives, negatives, method):
    assert evaluated(*scored(positives, negatives), "roc_auc").method == method


def test_classes_that_do_not_overlap_have_no_spread_to_take_delongs():
    truth = np.repeat([1, 0], 40)
    found = evaluated(truth, truth + np.linspace(0, 0.5, 80), "roc_auc")
    assert (found.value, found.high, found.method) == (1.0, 1.0, "Newcombe score")
    assert 0.9 < found.low < 1


def test_delong_by_hand():
    """The variance of the placements of both classes, each over its size."""
    truth, score = scored(60, 90)
    above = (score[truth == 1][:, None] > score[truth == 0]).astype(float)
    variance = above.mean(axis=1).var(ddof=1) / 60 + above.mean(axis=0).var(ddof=1) / 90
    area = above.mean()
    plain = evaluated(truth, score, "roc_auc", method="delong")
    assert (plain.low, plain.high) == pytest.approx(stats.norm.interval(0.95, area, sqrt(variance)), rel=1e-3)
    reach = stats.norm.ppf(0.975) * sqrt(variance) / (area * (1 - area))
    odds = log(area / (1 - area))
    logit = evaluated(truth, score, "roc_auc")
    assert (logit.low, logit.high) == pytest.approx(
        (1 / (1 + exp(reach - odds)), 1 / (1 + exp(-reach - odds))), rel=1e-3
    )


@pytest.mark.parametrize(("rows", "area", "said"), [(99, 0.8, True), (100, 0.8, False), (100, 0.97, True)])
def test_delong_on_the_plain_scale_warns_where_it_is_too_narrow(rows, area, said):
    found = evaluated(*scored(rows, rows, area), "roc_auc", method="delong")
    assert (found.notes == ("DeLong on the plain scale is too narrow for few rows or areas near 1",)) is said


def test_average_precision_rests_on_the_positives_alone():
    truth, score = scored(30, 170)
    found = evaluated(truth, score, "average_precision", method="boyd")
    spread = sqrt(1 / (found.value * (1 - found.value) * 30))
    odds, reach = log(found.value / (1 - found.value)), stats.norm.ppf(0.975) * spread
    known = 1 / (1 + exp(reach - odds)), 1 / (1 + exp(-reach - odds))
    assert (found.low, found.high) == pytest.approx(known)
    assert found.method == "logit, n = positives"
    assert found.notes == ("depends on the prevalence, 0.15 here",)


def test_average_precision_of_a_model_with_two_kinds_of_rows_goes_by_influence():
    rng, share, recall, alarms, held = np.random.default_rng(0), 0.5, 0.9, 0.1, 0
    reached = (np.arange(100_000) + 0.5) / 100_000
    top, other = np.array([recall, alarms]) / 2, np.array([1 - recall, 1 - alarms]) / 2
    later = top + reached[:, None] * other
    true = recall * top[0] / top.sum() + (1 - recall) * np.mean(later[:, 0] / later.sum(axis=1))
    for _ in range(200):
        truth = (rng.random(2000) < share).astype(int)
        first = rng.random(2000) < np.where(truth, recall, alarms)
        found = evaluated(truth, np.where(first, 0.7, 0.2) + rng.uniform(0, 0.1, 2000), "average_precision")
        held += found.low <= true <= found.high
    assert found.method == "influence, logit"
    assert held / 200 >= 0.95 - 3 * sqrt(0.95 * 0.05 / 200)  # 0.88 with as many rows as positives


def test_average_precision_of_weighted_or_grouped_rows_goes_by_influence_where_that_is_wider():
    truth, score = scored(150, 50)
    weighted = evaluated(truth, score, "average_precision", sample_weight=RNG.random(200) + 0.5)
    grouped = evaluated(truth, score, "average_precision", groups=np.arange(200) // 2)
    assert (weighted.method, grouped.method) == ("logit, n = positives, weighted", "logit, n = positives, clustered")
    again = np.tile(np.arange(200), 4)
    repeated = evaluated(truth[again], score[again], "average_precision", groups=again)
    assert repeated.method == "influence, logit, clustered"
    assert repeated.high - repeated.low == pytest.approx(grouped.high - grouped.low, rel=0.3)


def test_a_perfect_ranking_rests_on_the_smaller_class():
    truth = np.repeat([1, 0], [9, 80])
    found = evaluated(truth, truth + np.linspace(0, 0.5, 89), "average_precision")
    z = stats.norm.ppf(0.975)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(9 / (9 + z**2))


@pytest.mark.parametrize(
    ("sizes", "by_influence"), [((ENOUGH, ENOUGH), True), ((ENOUGH - 1, ENOUGH), False), ((60, MANY - 60), True)]
)
def test_a_metric_of_one_threshold_goes_by_influence_where_there_are_enough_rows(sizes, by_influence):
    found = evaluated(*scored(*sizes), "eer", n_resamples=100)
    assert found.method.startswith("influence, ") is by_influence
    assert by_influence or found.method == "bootstrap BCa, 100 resamples"


def test_lift_goes_by_influence_at_any_size():
    assert evaluated(*scored(20, 60), "lift@10%", n_resamples=100).method.startswith("influence, ")


@pytest.mark.parametrize(("label", "word"), [(1, "negative"), (0, "positive")])
def test_one_class_only(label, word):
    truth = np.full(6, label)
    found = heldout.evaluate(truth, y_score=np.arange(6) / 7, labels=[0, 1], pos_label=1)["roc_auc"]
    assert found.notes == (f"roc_auc is undefined: no row is {word} (one class only)",)
    assert (found.low, found.high, found.method) == (0.0, 1.0, "none")


def test_rows_that_share_units_are_worth_fewer():
    """Each row five times over, in groups: the interval is about that of the rows once."""
    truth, score = scored(15, 15)
    once = evaluated(truth, score, "roc_auc")
    many = evaluated(np.repeat(truth, 5), np.repeat(score, 5), "roc_auc", groups=np.repeat(np.arange(30), 5))
    naive = evaluated(np.repeat(truth, 5), np.repeat(score, 5), "roc_auc")
    assert many.high - many.low == pytest.approx(once.high - once.low, rel=0.25)
    assert naive.high - naive.low < 0.6 * (many.high - many.low)


def test_the_mean_area_of_several_classes_adds_up_what_a_row_moves_before_squaring():
    """By leaving out rows one at a time."""
    truth = np.repeat([0, 1, 2], 40)
    chance = RNG.dirichlet([1, 1, 1], 120) + 0.4 * np.eye(3)[truth]
    chance /= chance.sum(axis=1, keepdims=True)

    def value(rows):
        options = {"metrics": "roc_auc_ovr", "labels": [0, 1, 2]}
        return heldout.evaluate(truth[rows], y_proba=chance[rows], **options)["roc_auc_ovr"].value

    every = np.arange(120)
    without = np.array([value(np.delete(every, at)) for at in every])
    jackknife = sqrt(119 / 120 * np.sum((without - without.mean()) ** 2))
    found = heldout.evaluate(truth, y_proba=chance, metrics="roc_auc_ovr")["roc_auc_ovr"]
    assert found.method == "DeLong, effective-n Wilson"
    assert (found.high - found.low) / 2 / stats.norm.ppf(0.975) == pytest.approx(jackknife, rel=0.05)


def test_the_distance_of_a_useless_model_covers_zero():
    """A largest distance over thresholds is positive by chance: resampling it covered zero in half of the samples."""
    rng = np.random.default_rng(150)
    found = [estimate(METRICS["ks"], tally_scores(rng.normal(size=150), rng.random(150) < 0.3)) for _ in range(300)]
    assert np.mean([one.low == 0 for one in found]) >= 0.95 - 2.6 * np.sqrt(0.95 * 0.05 / 300)


def test_the_distance_of_a_useful_model_is_held():
    rng = np.random.default_rng(151)
    true = 2 * ndtr(0.6) - 1  # of normal scores whose means are 1.2 apart
    covered = 0
    for _ in range(200):
        positive = rng.random(200) < 0.4
        found = estimate(METRICS["ks"], tally_scores(rng.normal(size=200) + 1.2 * positive, positive))
        covered += found.low <= true <= found.high
    assert covered >= 200 * (0.95 - 2.6 * np.sqrt(0.95 * 0.05 / 200))


def test_scaling_the_weights_moves_no_end_of_a_distance():
    rng = np.random.default_rng(3)
    score, positive, weight = rng.normal(size=80), rng.random(80) < 0.4, rng.uniform(0.5, 2, 80)
    one, other = (estimate(METRICS["ks"], tally_scores(score, positive, by * weight)) for by in (1.0, 7.3))
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)


def test_areas_of_rare_classes_are_not_certain():
    rng = np.random.default_rng(5)
    truth = np.repeat(np.arange(4), [60, 30, 3, 2])
    score = np.eye(4)[truth] + 1e-3 * rng.random((95, 4))
    found = heldout.evaluate(truth, y_score=score / score.sum(axis=1, keepdims=True), metrics="roc_auc_ovr")
    assert found["roc_auc_ovr"].low < 0.99


@pytest.mark.parametrize(
    ("metric", "world", "n"),
    [
        ("gain@10%", "binormal:auc=0.999,prevalence=0.2", 100),  # 66% before: the window at the cut was too wide
        ("average_precision_macro", "rankings:apart=1,labels=10,share=0.1", 150),  # 73% before: the mean is biased
        ("average_precision_weighted", "rankings:apart=1,labels=10,share=0.1", 150),  # 61% before
        ("average_precision", "binormal:auc=0.8,prevalence=0.2,rho=0.8", 150),  # 85% before: influence alone
        ("average_precision", "clustered-binormal:auc=0.7,prevalence=0.1,size=5", 100),  # 88% before
    ],
)
def test_coverage_where_classes_are_few_or_the_top_is_pure(metric, world, n):
    """Beyond the bound of the goal (90%) by less than three standard errors of 200 repetitions."""
    (found,) = lab.coverage("auto", world, n, metrics=metric, repeats=200)
    assert found.coverage > 0.90 - 3 * found.error


def test_a_mean_of_average_precisions_of_large_classes_is_not_bounded():
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, (2000, 3)), rng.random((2000, 3))
    few = heldout.evaluate(truth[:60], y_proba=score[:60], metrics=["average_precision_macro"])
    many = heldout.evaluate(truth, y_proba=score, metrics=["average_precision_macro"])
    assert few["average_precision_macro"].method.endswith("bias bounded")
    assert not many["average_precision_macro"].method.endswith("bias bounded")


def test_bounds_of_bias_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, (60, 4)), rng.integers(0, 5, (60, 4)) / 4
    order = rng.permutation(60)
    given = {"metrics": ["average_precision_macro"], "sample_weight": rng.integers(1, 4, 60).astype(float)}
    one = heldout.evaluate(truth, y_proba=score, **given)["average_precision_macro"]
    given["sample_weight"] = given["sample_weight"][order]
    other = heldout.evaluate(truth[order], y_proba=score[order], **given)["average_precision_macro"]
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-12)


def test_average_precision_is_no_narrower_where_every_row_is_a_group():
    truth, score = scored(30, 150)
    alone = heldout.evaluate(truth, y_score=score)["average_precision"]
    grouped = heldout.evaluate(truth, y_score=score, groups=np.arange(180))["average_precision"]
    assert grouped.low <= alone.low + 1e-12
    assert grouped.high >= alone.high - 1e-12


@pytest.mark.parametrize("metric", ["ks", "eer"])
def test_weights_give_separable_scores_an_interval_of_some_width_at_every_scale(metric):
    """Sums of weights miss 1 by their last digit, and the width of rounding was taken for that of the sample."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = np.array([0, 1] * 4)
        score, weight = truth / 2 + 0.2 + rng.random(8) / 10, np.exp(rng.normal(size=8))
        found = [evaluated(truth, score, metric, sample_weight=weight * scale) for scale in (1, 3, 1e9)]
        assert found[0].high - found[0].low > 0.05
        for other in found[1:]:
            assert (other.low, other.high) == pytest.approx((found[0].low, found[0].high), abs=1e-9)


def test_negatives_that_stand_for_many_leave_the_average_precision_unsure():
    def sample(rng, n):
        truth = (rng.random(n) < 0.5).astype(int)
        return {
            "y_true": truth,
            "y_score": 1.5 * truth + rng.normal(size=n),
            "sample_weight": np.where(truth, 1.0, 99.0),
        }

    rng = np.random.default_rng(0)
    given = sample(rng, 400_000)
    truth = float(heldout.evaluate(**given, metrics="average_precision")["average_precision"])
    found = [heldout.evaluate(**sample(rng, 400), metrics="average_precision")["average_precision"] for _ in range(200)]
    assert np.mean([one.low <= truth <= one.high for one in found]) > 0.93  # 44% without the bound
    assert found[0].method.endswith("bias bounded")


def test_weights_that_are_alike_in_both_classes_bound_nothing():
    truth, score = scored(60, 60)
    weight = np.tile([1.0, 3.0], 60)
    found = heldout.evaluate(truth, y_score=score, sample_weight=weight, metrics="average_precision", pos_label=1)
    assert "bounded" not in found["average_precision"].method
