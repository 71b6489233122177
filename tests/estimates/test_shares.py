"""Intervals of shares and of what is made of shares: known answers, and where one form gives way to another."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import stats

import heldout
from heldout.estimates.interval_choice import estimate
from heldout.estimates.question import Question
from heldout.estimates.shares import FULL, NAMES, SMALL
from heldout.formulas import METRICS
from heldout.inputs import from_arrays
from heldout.intervals.shares import SHARES, wilson
from heldout.intervals.unit_spread import hidden_by_weights
from heldout.tallies.cells import tally_cells
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

Z = stats.norm.ppf(0.975)


def evaluated(table, metric, **options):
    """Of a table [[tn, fp], [fn, tp]]."""
    return heldout.evaluate_confusion(table, **options)[metric]


def rows_of(table):
    (tn, fp), (fn, tp) = table
    truth = np.repeat([0, 0, 1, 1], [tn, fp, fn, tp])
    return truth, np.repeat([0, 1, 0, 1], [tn, fp, fn, tp])


def test_every_method_for_shares_has_a_name():
    assert set(NAMES) == set(SHARES)


@pytest.mark.parametrize(
    ("metric", "right", "of"),
    [("accuracy", 83, 100), ("recall", 33, 41), ("specificity", 50, 59), ("precision", 33, 42), ("npv", 50, 58)],
)
def test_shares_are_counted_among_the_rows_they_are_about(metric, right, of):
    found = evaluated([[50, 9], [8, 33]], metric)
    assert (found.low, found.high) == pytest.approx(wilson(right, of, 0.95))
    assert found.count == (right, of)


@pytest.mark.parametrize(("rows", "said"), [(SMALL - 1, True), (SMALL, False)])
def test_below_thirty_rows_the_guaranteed_interval_stands_beside(rows, said):
    found = heldout.evaluate_counts(wrong=5, of=rows)["error_rate"]
    low, high = SHARES["clopper_pearson"](5, rows, 0.95)
    note = f"fewer than 30 rows: the guaranteed (Clopper-Pearson) interval is [{low:.3f}, {high:.3f}]"
    assert (note in found.notes) is said


def test_the_normal_interval_is_cut_and_where_it_has_no_width_replaced():
    cut = heldout.evaluate_counts(wrong=1, of=40, method="normal")["error_rate"]
    assert cut.low == 0.0
    assert any("left [0, 1] and was cut" in note for note in cut.notes)
    none = heldout.evaluate_counts(wrong=0, of=40, method="normal")["error_rate"]
    assert (none.low, none.high) == pytest.approx(wilson(0, 40, 0.95))
    assert none.method == "Wilson"


@pytest.mark.parametrize(
    ("table", "metric", "why"),
    [
        ([[5, 0], [3, 0]], "precision", "no row was predicted positive"),
        ([[5, 2], [0, 0]], "recall", "no row is positive"),
        ([[0, 0], [3, 4]], "specificity", "no row is negative"),
        ([[0, 5], [0, 4]], "npv", "no row was predicted negative"),
    ],
)
def test_a_share_of_no_rows_says_which_there_are_none_of(table, metric, why):
    found = evaluated(table, metric)
    assert (np.isnan(found.value), found.low, found.high) == (True, 0.0, 1.0)
    assert found.notes == (f"{metric} is 0/0: {why}",)


def test_rows_of_unequal_weight_are_worth_fewer():
    """(sum w)² / sum w² of them."""
    rng = np.random.default_rng(1)
    weight = rng.gamma(1, 1, 80)
    right = (np.arange(80) % 5 > 0).astype(int)
    found = heldout.evaluate(np.ones(80, int), right, labels=[0, 1], pos_label=1, sample_weight=weight)["accuracy"]
    worth = weight.sum() ** 2 / np.sum(weight**2)
    share = weight @ right / weight.sum()
    assert (found.low, found.high) == pytest.approx(wilson(share * worth, worth, 0.95))
    assert found.method == "Wilson, weighted"


@pytest.mark.parametrize("metric", ["accuracy", "recall"])
def test_intervals_cover_where_weights_follow_difficulty(metric):
    """Weight 9 on a tenth of the rows, half of which are wrong: Kish's number of rows covered 88%."""
    held, repetitions = 0, 300
    for seed in range(repetitions):
        rng = np.random.default_rng([12, seed])
        hard, truth = rng.random(400) < 0.1, (rng.random(400) < 0.4).astype(int)
        said = np.where(rng.random(400) < np.where(hard, 0.5, 0.05), 1 - truth, truth)
        found = heldout.evaluate(truth, said, metrics=metric, sample_weight=np.where(hard, 9.0, 1.0))[metric]
        held += found.low <= 1 - (0.1 * 9 * 0.5 + 0.9 * 0.05) / (0.1 * 9 + 0.9) <= found.high
    assert held / repetitions > 0.95 - 3 * sqrt(0.05 * 0.95 / repetitions)


def test_groups_of_rows_that_are_all_alike_are_worth_one_row_each_or_less():
    right = np.repeat(np.arange(20) % 4 > 0, 6).astype(int)
    groups = np.repeat(np.arange(20), 6)
    found = heldout.evaluate(np.ones(120, int), right, labels=[0, 1], pos_label=1, groups=groups)["accuracy"]
    once, naive = wilson(15, 20, 0.95), wilson(90, 120, 0.95)
    assert found.high - found.low >= once[1] - once[0]
    assert found.high - found.low > 2 * (naive[1] - naive[0])
    assert found.method == "Wilson, clustered"


def test_youden_and_balanced_accuracy_combine_the_intervals_of_both_rates():
    """MOVER: J - sqrt((se - l1)² + (sp - l2)²), and likewise above; balanced accuracy is half of J + 1."""
    table = [[50, 9], [8, 33]]
    sides = [(33 / 41, *wilson(33, 41, 0.95)), (50 / 59, *wilson(50, 59, 0.95))]
    value = sum(p for p, _, _ in sides) - 1
    low = value - sqrt(sum((p - least) ** 2 for p, least, _ in sides))
    high = value + sqrt(sum((h - p) ** 2 for p, _, h in sides))
    youden, balanced = (evaluated(table, name) for name in ("youden_j", "balanced_accuracy"))
    assert (youden.value, youden.low, youden.high) == pytest.approx((value, low, high))
    assert (balanced.low, balanced.high) == pytest.approx(((low + 1) / 2, (high + 1) / 2))


def test_a_mean_over_classes_leaves_out_those_that_never_come():
    truth, said = np.repeat(["a", "b"], [35, 26]), np.repeat(["a", "b", "a", "b", "c"], [30, 5, 4, 20, 2])
    found = heldout.evaluate(truth, said, labels=["a", "b", "c"])["balanced_accuracy"]
    assert found.value == pytest.approx((30 / 35 + 20 / 26) / 2)
    assert found.notes == ("mean of 2 of 3 classes; left out, because never true: 'c'",)


def test_mcc_is_on_fishers_scale_with_half_a_row_more_where_a_cell_is_empty():
    plain, empty = evaluated([[50, 9], [8, 33]], "mcc"), evaluated([[50, 0], [8, 33]], "mcc")
    half_up = np.arctanh(plain.high) - np.arctanh(plain.value)
    half_down = np.arctanh(plain.value) - np.arctanh(plain.low)
    assert half_up == pytest.approx(half_down)
    assert (plain.notes, empty.notes) == ((), ("half a row was added to every cell for the interval",))


@pytest.mark.parametrize("metric", ["mcc", "kappa"])
def test_agreement_with_one_class_that_was_never_predicted_says_nothing(metric):
    found = evaluated([[50, 0], [8, 0]], metric)
    if np.isnan(found.value):
        assert found.notes[0].startswith(f"{metric} is undefined")
    else:
        assert found.notes[0].startswith("one of the two classes was never predicted")
    assert (found.low, found.high) == (-1.0, 1.0)


@pytest.mark.parametrize("metric", ["lr_positive", "lr_negative", "diagnostic_odds_ratio"])
def test_ratios_are_symmetric_on_the_log_scale(metric):
    found = evaluated([[50, 9], [8, 33]], metric)
    assert log(found.high / found.value) == pytest.approx(log(found.value / found.low))


def test_the_log_odds_ratio_has_the_variance_of_woolf():
    tn, fp, fn, tp = 50, 9, 8, 33
    found = evaluated([[tn, fp], [fn, tp]], "diagnostic_odds_ratio")
    reach = Z * sqrt(1 / tn + 1 / fp + 1 / fn + 1 / tp)
    value = tp * tn / (fp * fn)
    assert (found.low, found.high) == pytest.approx((value * exp(-reach), value * exp(reach)), rel=1e-6)


@pytest.mark.parametrize("rows", [FULL - 1, FULL])
def test_a_metric_of_one_class_takes_the_larger_of_two_variances_while_a_cell_is_small(rows):
    """f2 of a table whose smallest cell is about a hundred: half a row more hardly matters, and then not at all."""
    table = [[300, rows], [rows, 300]]
    found = evaluated(table, "f2")
    truth, said = rows_of(table)
    plain = heldout.evaluate(truth, said, metrics="f2", method="normal")["f2"]
    assert (found.high - found.low) == pytest.approx(plain.high - plain.low, rel=0.01)


def test_at_the_end_of_its_range_a_metric_rests_on_its_smaller_class():
    found = evaluated([[90, 0], [0, 7]], "f2")
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(7 / (7 + Z**2))
    assert found.notes[0].startswith("at the end of its range; the interval rests on 7 units")


def test_a_mean_over_rare_classes_covers():
    """Twelve classes with shares 1 / k, 150 rows: without half rows and the bias of F1, .85 of the intervals cover."""
    rng = np.random.default_rng(12)
    shares = 1 / np.arange(1, 13)
    shares /= shares.sum()

    def drawn(rows):
        truth = rng.choice(12, rows, p=shares)
        score = rng.normal(size=(rows, 12)) + np.log(shares) / 2
        score[np.arange(rows), truth] += 2
        return tally_cells(truth, score.argmax(axis=1), 12)

    metric = METRICS["f1_macro"]
    true = estimate(metric, drawn(400_000)).value
    found = [estimate(metric, drawn(150)) for _ in range(300)]
    found = [one for one in found if not np.isnan(one.value)]
    assert np.mean([one.low <= true <= one.high for one in found]) >= 0.95 - 2.6 * np.sqrt(0.95 * 0.05 / 300)


def test_of_classes_that_are_all_right_the_mean_is_not_certain():
    truth = np.repeat(np.arange(4), [40, 20, 3, 2])
    found = estimate(METRICS["precision_macro"], tally_cells(truth, truth, 4))
    assert found.high == 1
    assert found.low < 0.7


def test_rare_classes_are_counted_in_a_note():
    truth = np.repeat(["a", "b", "c", "d"], [40, 20, 4, 2])
    said = np.roll(truth, 1)
    found = heldout.evaluate(truth, said, metrics=["f1_macro", "balanced_accuracy", "accuracy"])
    note = "2 of 4 classes have fewer than 5 true rows, and count as much as the others"
    assert [note in found[name].notes for name in ("f1_macro", "balanced_accuracy", "accuracy")] == [True, True, False]


@pytest.mark.parametrize("metric", ["mcc", "cohen_kappa", "lr_positive", "diagnostic_odds_ratio"])
def test_many_rows_in_each_of_few_clusters_do_not_make_sure(metric):
    low = {}
    for size in (10, 200):
        group = np.repeat(np.arange(50), size)
        truth = np.tile([0, 1], 25 * size)
        low[size] = heldout.evaluate(truth, truth, groups=group, metrics=metric, pos_label=1)[metric].low
    # half a cluster, not half a row, is what 50 clusters may lack
    assert low[200] == pytest.approx(low[10], rel=0.02)


def test_rows_of_unequal_weight_are_worth_no_more_than_they_are():
    truth = np.tile([0, 1], 500)
    weight = np.where(np.arange(1000) % 50 < 2, 400.0, 1.0)
    heavy = heldout.evaluate(truth, truth, sample_weight=weight, metrics="mcc", pos_label=1)["mcc"]
    few = heldout.evaluate(np.tile([0, 1], 21), np.tile([0, 1], 21), metrics="mcc", pos_label=1)["mcc"]
    assert heavy.low == pytest.approx(few.low, abs=0.03)  # 42 rows of 400, and hardly anything else
    assert heavy.notes[-1] == "1,000 rows of unequal weight are worth 44.9 of equal weight: the interval is rough"


HEAVY = np.where(np.arange(120) % 12 < 1, 20.0, 1.0)


def question(name, truth, said, weight=HEAVY, **more):
    """What is asked of a metric of rows of which ten weigh 20."""
    measured = Measurement(from_arrays(truth, said, sample_weight=weight, **more).batch, Settings())
    return Question(metric=METRICS[name], tally=measured.tally(METRICS[name]), level=0.95)


@pytest.mark.parametrize("name", ["mcc", "kappa", "f1_micro"])
def test_heavy_rows_that_are_all_right_hide_variance(name):
    """Light rows are wrong in a fifth of cases; the sum of squares alone takes heavy ones for never wrong."""
    truth = np.arange(120) // 2 % (3 if name == "f1_micro" else 2)
    wrong = (np.arange(120) % 5 == 3) & (HEAVY == 1)
    asked = question(name, truth, np.where(wrong, (truth + 1) % 2, truth))
    cells = asked.tally
    moved = cells.influence(asked.gradient)
    # of each class by itself, where a metric rests on classes
    sides = [cells.truth >= 0] if name == "f1_micro" else [cells.truth == 0, cells.truth == 1]
    want = sum(hidden_by_weights(moved[one], cells.weight[one], cells.rows[one]) for one in sides)
    assert want > 5 * cells.variance(asked.gradient)
    assert asked.hidden == pytest.approx(want)
    assert asked.variance == pytest.approx(cells.variance(asked.gradient) + want)


def test_nothing_is_hidden_where_rows_weigh_the_same_or_share_clusters():
    truth = np.arange(120) % 2
    said = np.where((np.arange(120) % 7 == 0) & (HEAVY == 1), 1 - truth, truth)
    assert question("mcc", truth, said, None).hidden == 0.0
    assert question("mcc", truth, said, groups=np.arange(120) // 2).hidden == 0.0
    assert question("mcc", truth, said).hidden > 0
    score = question("roc_auc", truth, None, y_score=np.arange(120.0) % 11)
    assert score.hidden == 0.0
    assert score.variance == score.summed.variance(score.gradient)


def test_what_heavy_rows_hide_of_a_mean():
    errors = np.where(HEAVY == 1, np.arange(120.0) % 5, 2.0)
    asked, ratio = (
        question(name, np.full(120, 10.0) + np.arange(120) % 2 * 1e-9, 10.0 + errors, task="regression")
        for name in ("mae", "wmape")
    )
    want = hidden_by_weights(asked.tally.influence(asked.gradient), HEAVY)
    assert want > 0
    assert asked.hidden == pytest.approx(want, rel=1e-6)
    assert ratio.hidden == 0.0  # what it is divided by is no weight


def test_labels_of_a_row_have_no_one_size():
    truth = np.stack([np.arange(120) % 2, np.arange(120) % 3 == 0], axis=1).astype(int)
    measured = Measurement(
        from_arrays(truth, truth[::-1], sample_weight=HEAVY, task="multilabel").batch, Settings()
    )  # fmt: skip
    metric = next(one for one in measured.metrics() if one.name == "f1_macro")
    asked = Question(metric=metric, tally=measured.tally(metric), level=0.95)
    assert asked.sizes.shape == (120, 2)
    assert asked.hidden == 0.0


def test_clusters_of_unequal_size_are_few_for_all_rows_as_for_those_of_a_class():
    group = np.repeat(np.arange(20), [100] * 4 + [2] * 16)
    truth = np.arange(len(group)) % 2
    wrong = np.arange(len(group)) % 5 == 0
    found = heldout.evaluate(truth, np.where(wrong, 1 - truth, truth), groups=group, metrics="accuracy")["accuracy"]
    assert len(found.notes) == 1
    assert found.notes[0].startswith("accuracy rests on 4.7 effective clusters of 20: too few")
