"""Which test a difference gets, what it says where there is none, and what few rows may not show."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

import numpy as np
import pytest
from scipy import stats

from heldout.formulas import METRICS, metric
from heldout.inputs import from_arrays
from heldout.stats.mcnemar_tests import fewest_discordant, tango
from heldout.stats.outcome import no_difference
from heldout.verbs.compare import model_pair
from heldout.verbs.compare.model_pair import Both, class_df, class_factors, rests_on_classes, unit_sizes
from heldout.verbs.compare.paired_difference import (
    TESTS,
    _unseen_discordance,
    _unseen_errors,
    apart_of,
    difference,
    is_area,
    is_error,
    is_mean,
)
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

RNG = np.random.default_rng


def labelled(truth, said, **more):
    return Measurement(from_arrays(np.asarray(truth), np.asarray(said), **{"pos_label": 1} | more).batch, Settings())


def scored(truth, score, **more):
    return Measurement(from_arrays(np.asarray(truth), y_score=np.asarray(score), pos_label=1, **more).batch, Settings())


def numbers(truth, said, **more):
    return Measurement(from_arrays(np.asarray(truth), np.asarray(said), task="regression", **more).batch, Settings())


def counted(tp, fp, fn, tn):
    """Rows with these counts."""
    truth = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
    return truth, np.repeat([1, 1, 0, 0], [tp, fp, fn, tn])


@pytest.mark.parametrize(("right", "wrong"), [(13, 0), (8, 5), (1, 0), (0, 3), (30, 30)])
def test_one_right_and_one_wrong_prediction_more_may_vary_more(right, wrong):
    rows, share = right + wrong, right / (right + wrong)
    more = (right + 1) / (rows + 2)
    want = max(more * (1 - more) - share * (1 - share), 0.0) / rows
    assert _unseen_errors(METRICS["precision"], labelled(*counted(right, wrong, 4, 6))) == pytest.approx(want)
    assert _unseen_errors(METRICS["npv"], labelled(*counted(4, 6, wrong, right))) == pytest.approx(want)


def test_predictive_values_of_no_prediction_or_of_several_classes_have_nothing_unseen():
    assert _unseen_errors(METRICS["precision"], labelled(*counted(0, 0, 4, 6))) == 0.0
    three = np.array([0, 1, 2] * 4)
    many = Measurement(from_arrays(three, three).batch, Settings())
    assert _unseen_errors(METRICS["precision"], many) == 0.0


def test_a_metric_that_no_prediction_moves_has_nothing_unseen():
    rng = RNG(1)
    truth = rng.integers(0, 2, 60)
    both = Both(*(labelled(truth, np.where(rng.random(60) < 0.8, truth, 1 - truth)) for _ in range(2)))
    one = METRICS["balanced_accuracy"]
    still = replace(one, formula=lambda tp, fn: 0 * (tp + fn).sum(axis=-1) + 0.5)
    assert _unseen_discordance(still, both, apart_of(still, both)) == 0.0
    assert rests_on_classes(still)  # so that it was looked at


def test_what_few_predictions_may_not_show_is_added_for_both_models():
    rng = RNG(1)
    truth = rng.integers(0, 2, 60)
    a, b = (labelled(truth, np.where(rng.random(60) < 0.8, truth, 1 - truth)) for _ in range(2))
    both, one = Both(a, b), METRICS["precision"]
    more = apart_of(one, both).spread.variance - both.apart(one).spread.variance
    assert more == pytest.approx(_unseen_errors(one, a) + _unseen_errors(one, b))
    assert apart_of(METRICS["f1"], both).spread == both.apart(METRICS["f1"]).spread
    assert apart_of(METRICS["max_error"], Both(numbers(truth, truth + 0.5), numbers(truth, truth + 0.7))) is None


@pytest.mark.parametrize("better", ["accuracy", "error_rate"])
def test_shares_of_right_rows_have_tangos_interval_and_mcnemars_error(better):
    truth = np.tile([0, 1], 50)
    first, second = truth.copy(), truth.copy()
    first[:9], second[40:63] = 1 - first[:9], 1 - second[40:63]
    found = difference(METRICS[better], labelled(truth, first), labelled(truth, second))
    low, high = tango(23, 9, 100, 0.95)
    ends = (low, high) if better == "accuracy" else (-high, -low)
    assert (found.low, found.high) == pytest.approx(ends)
    apart = (first == truth).astype(float) - (second == truth)
    assert found.error == pytest.approx(apart.std() / 10)
    low, high = tango(23, 9, 100, 0.5)
    narrower = (low, high) if better == "accuracy" else (-high, -low)
    assert found.interval_at(0.5) == pytest.approx(narrower)
    assert (found.test, found.notes) == ("McNemar mid-p, 23 vs 9", ())


@pytest.mark.parametrize("rows", [1, 4, 5])
def test_too_few_discordant_rows_are_named(rows):
    truth = np.tile([0, 1], 20)
    second = truth.copy()
    second[:rows] = 1 - second[:rows]
    found = difference(METRICS["accuracy"], labelled(truth, truth), labelled(truth, second))
    fewest = fewest_discordant("midp", 0.05)
    words = "1 discordant row" if rows == 1 else f"{rows} discordant rows"
    assert found.notes == (() if rows >= fewest else (f"{words}: no test at this level can reject (needs {fewest})",))


def test_shares_of_one_class_count_its_rows_only():
    truth = np.repeat([1, 0], [30, 50])
    first, second = truth.copy(), truth.copy()
    first[:4], second[30:37] = 0, 1
    a, b = labelled(truth, first), labelled(truth, second)
    recall, specificity = (difference(METRICS[name], a, b) for name in ("recall", "specificity"))
    assert (recall.low, recall.high) == pytest.approx(tango(0, 4, 30, 0.95))
    assert (specificity.low, specificity.high) == pytest.approx(tango(7, 0, 50, 0.95))
    assert (recall.test, specificity.test) == ("McNemar mid-p, 0 vs 4", "McNemar mid-p, 7 vs 0")


def test_identical_predictions_leave_room_for_rows_that_were_not_seen():
    truth = np.repeat([1, 0], [12, 40])
    said = np.where(np.arange(52) % 9 == 0, 1 - truth, truth)
    a, b = labelled(truth, said), labelled(truth, said.copy())
    cases = (("accuracy", 52, 1.0), ("recall", 12, 1.0), ("f1", 12, 1.0), ("mcc", 12, 2.0), ("kappa", 12, 2.0))
    for name, units, span in cases:
        found = difference(METRICS[name], a, b)
        want = no_difference("identical predictions", units=units, span=span, level=0.95)
        assert (found.value, found.pvalue) == pytest.approx((0.0, 1.0)), name
        assert (found.low, found.high) == pytest.approx((want.low, want.high)), name
        assert found.notes == ("identical predictions",)


def test_identical_numbers_differ_by_no_more_than_the_rows_of_one_model_do():
    truth = RNG(2).normal(size=40)
    said = truth + RNG(3).normal(size=40)
    found = difference(METRICS["mae"], numbers(truth, said), numbers(truth, said.copy()))
    want = no_difference("", units=40, span=float(np.ptp(np.abs(truth - said))), level=0.95)
    assert (found.low, found.high) == pytest.approx((want.low, want.high), rel=1e-6)
    exact = difference(METRICS["mae"], numbers(truth, truth), numbers(truth, truth.copy()))
    assert exact.notes == ("identical predictions", "no error was seen that could bound the difference")
    assert isnan(exact.high)


def test_losses_that_are_the_same_though_predictions_differ():
    truth, first, second = np.tile([0, 1, 2], 10), np.tile([1, 2, 0], 10), np.tile([2, 0, 1], 10)
    a, b = (labelled(truth, said, pos_label=None) for said in (first, second))
    found = difference(METRICS["accuracy"], a, b)
    assert (found.value, found.test) == (0.0, "McNemar mid-p, 0 vs 0")  # both wrong in every row, in different ways


def test_weights_make_identical_rows_worth_less():
    truth = RNG(2).normal(size=40)
    said, weight = truth + RNG(3).normal(size=40), RNG(4).exponential(size=40)
    even, uneven = (
        difference(METRICS["r2"], *(numbers(truth, said, **more) for _ in range(2)))
        for more in ({}, {"sample_weight": weight})
    )
    assert uneven.high > even.high


def test_a_value_that_is_undefined_for_a_model_is_not_tested():
    truth = np.tile([0, 1], 10)
    found = difference(METRICS["precision"], labelled(truth, truth), labelled(truth, np.zeros(20, int)))
    assert (found.test, found.notes, isnan(found.value)) == ("none", ("precision is undefined for a model",), True)


def test_a_metric_that_no_unit_moves_smoothly_has_no_paired_test():
    truth = RNG(2).normal(size=40)
    found = difference(METRICS["max_error"], numbers(truth, truth + 0.1), numbers(truth, truth + 0.2 * truth))
    assert found.notes == ("max_error has no paired test and no interval of a difference",)
    assert found.value == pytest.approx(0.1 - np.abs(0.2 * truth).max())


@pytest.mark.parametrize("n", [1, 4, 5])
def test_fewer_than_five_rows_are_too_few(n):
    truth = np.array([0.1, 0.5, 0.9, 0.2, 0.4])[:n]
    found = difference(METRICS["mae"], numbers(truth, truth + np.arange(1.0, n + 1)), numbers(truth, truth - 0.3))
    words = "1 row" if n == 1 else f"{n} rows"
    assert (found.notes == (f"{words}: too few for a test (needs 5)",)) == (n < 5)
    assert isnan(found.pvalue) == (n < 5)


def test_differences_that_are_all_alike_have_no_variance():
    truth = np.arange(12.0)
    found = difference(METRICS["mae"], numbers(truth, truth + 0.3), numbers(truth, truth + 0.1))
    assert (found.notes, isnan(found.low)) == (("no variance between units",), True)
    named = difference(METRICS["mae"], numbers(truth, truth + 0.3), numbers(truth, truth + 0.1), "bootstrap")
    assert (named.test, named.notes, isnan(named.pvalue)) == ("paired BCa", ("no variance between units",), True)
    assert named.value == pytest.approx(0.2)


def test_the_mean_of_losses_has_students_t_adjusted_for_skewness():
    rng = RNG(5)
    truth = rng.normal(size=200)
    a, b = (numbers(truth, truth + scale * rng.normal(size=200)) for scale in (1.0, 1.2))
    found = difference(METRICS["mse"], a, b)
    apart = (a.batch.truth - a.batch.prediction) ** 2 - (b.batch.truth - b.batch.prediction) ** 2
    plain = stats.ttest_1samp(apart, 0)
    assert found.statistic == pytest.approx(plain.statistic)
    assert (found.df, found.error) == (199, pytest.approx(stats.sem(apart)))
    assert found.low <= plain.confidence_interval(0.95).low
    assert found.high >= plain.confidence_interval(0.95).high
    by_t = difference(METRICS["mse"], a, b, "t")
    assert (by_t.pvalue, by_t.low) == pytest.approx((plain.pvalue, plain.confidence_interval(0.95).low))
    assert found.interval_at(0.8)[0] > found.low


@pytest.mark.parametrize(
    ("name", "test", "words"),
    [
        ("roc_auc", "delong", "DeLong, paired, z"),
        ("roc_auc", "t", "paired t on influence"),
        ("roc_auc", None, "DeLong, paired"),
        ("gini", None, "DeLong, paired"),
        ("ks", None, "rank swaps, paired BCa"),
        ("roc_auc", "permutation", "rank swaps, paired BCa"),
        ("f1", "permutation", "swaps, counted"),
        ("accuracy", "permutation", "prediction swaps, paired BCa"),
        ("accuracy", "exact", None),
        ("f1", None, "paired influence"),
        ("precision", "kosinski", "Kosinski score"),
        ("brier", None, "paired t"),
        ("brier", "permutation", "sign flips"),
        ("f1", "bootstrap", "paired BCa"),
    ],
)
def test_which_test_it_is(name, test, words):
    rng = RNG(6)
    truth = rng.integers(0, 2, 80)
    chances = [np.clip(0.5 + 0.3 * (truth - 0.5) + 0.2 * rng.standard_normal(80), 0.01, 0.99) for _ in range(2)]
    a, b = (Measurement(from_arrays(truth, y_proba=one, pos_label=1).batch, Settings(draws=200)) for one in chances)
    found = difference(METRICS[name], a, b, test)
    assert found.test == words if words else found.test.startswith("McNemar exact, ")
    assert found.low <= found.value <= found.high
    turned = difference(METRICS[name], b, a, test)
    assert (turned.value, turned.pvalue) == pytest.approx((-found.value, found.pvalue))


def test_a_test_that_does_not_suit_says_so():
    truth = RNG(7).normal(size=30)
    found = difference(METRICS["mae"], numbers(truth, truth + 1), numbers(truth, 2 * truth), "mcnemar")
    assert found.test == "paired t"
    assert found.notes[-1] == "mcnemar does not suit it: its own test was used"


@pytest.mark.parametrize(
    ("unit", "words"), [(None, "DeLong, paired, z"), (np.arange(120) // 3, "DeLong, paired, clustered, z")]
)
def test_delong_by_name_is_normal(unit, words):
    rng = RNG(8)
    truth = rng.integers(0, 2, 120)
    more = {} if unit is None else {"groups": unit}
    a, b = (scored(truth, rng.normal(truth, 1.5), **more) for _ in range(2))
    found = difference(METRICS["roc_auc"], a, b, "delong")
    assert (found.test, found.df) == (words, None)
    assert found.pvalue == pytest.approx(2 * stats.norm.sf(abs(found.value) / found.error))
    assert (found.low, found.high) == pytest.approx(stats.norm.interval(0.95, found.value, found.error))


@pytest.mark.parametrize(("positives", "said"), [(9, True), (10, False)])
def test_fewer_than_ten_rows_of_a_class_are_named(positives, said):
    rng = RNG(9)
    for truth, kind in (
        (np.repeat([1, 0], [positives, 60]), "positive"),
        (np.repeat([0, 1], [positives, 60]), "negative"),
    ):
        a, b = (labelled(truth, np.where(rng.random(len(truth)) < 0.7, truth, 1 - truth)) for _ in range(2))
        simulated = "the simulated type I error of this test is up to 15% ± 1.1 (nominal 5%)"
        note = f"{positives} {kind} rows: with so few, {simulated}"
        assert (note in difference(METRICS["f1"], a, b).notes) == said
        assert not any("simulated" in one for one in difference(METRICS["accuracy"], a, b).notes)


@pytest.mark.parametrize(("rare", "said"), [(9, True), (10, False)])
def test_fewer_than_ten_rows_of_the_rarest_class_are_named(rare, said):
    rng = RNG(10)
    truth = np.repeat([0, 1, 2], [40, 30, rare])
    models = []
    for _ in range(2):
        chance = rng.dirichlet([1, 1, 1], len(truth)) + 0.5 * np.eye(3)[truth]
        chance /= chance.sum(axis=1, keepdims=True)
        models.append(Measurement(from_arrays(truth, y_proba=chance).batch, Settings()))
    simulated = "the simulated type I error of this test is up to 7% ± 0.9 (nominal 5%)"
    note = f"{rare} rows of the rarest class: with so few, {simulated}"
    assert (note in difference(METRICS["roc_auc_ovr"], *models).notes) == said


def test_long_tails_of_losses_are_named():
    rng = RNG(11)
    truth = rng.normal(size=60)
    heavy = truth + np.where(np.arange(60) == 0, 400.0, rng.normal(size=60))
    found = difference(METRICS["mse"], numbers(truth, heavy), numbers(truth, truth + rng.normal(size=60)))
    assert any(note.startswith("60 losses with a skewness of 7.") and "up to 32% ± 0.6" in note for note in found.notes)
    plain = difference(METRICS["mae"], *(numbers(truth, truth + rng.normal(size=60)) for _ in range(2)))
    assert plain.notes == ()


@pytest.mark.parametrize(("rare", "words"), [(1, "1 row"), (4, "4 rows"), (5, "")])
def test_rankings_need_five_rows_of_the_rarer_class(rare, words):
    rng = RNG(12)
    truth = np.repeat([1, 0], [rare, 40])
    a, b = (scored(truth, rng.normal(truth, 1)) for _ in range(2))
    found = difference(METRICS["ks"], a, b)
    note = f"{words} of the rarer class: too few for a test (needs 5)"
    assert (note in found.notes) == bool(words)
    assert isnan(found.pvalue) == bool(words)


def test_what_a_test_suits():
    truth = np.tile([0, 1], 20)
    labels, values = labelled(truth, truth), numbers(truth, truth + 0.1)
    scores = scored(truth, truth + 0.1 * np.arange(40))
    grouped = labelled(truth, truth, groups=np.arange(40) // 2)
    weighted = labelled(truth, truth, sample_weight=np.arange(1.0, 41))
    errors = ("accuracy", "error_rate", "recall", "specificity", "fpr")
    for name in (*errors, "f1", "precision"):
        assert is_error(METRICS[name], labels) == (name in errors), name
        assert not is_error(METRICS[name], grouped)
        assert not is_error(METRICS[name], weighted)
    assert [is_area(METRICS[name], scores) for name in ("roc_auc", "gini", "ks")] == [True, True, False]
    means = [is_mean(METRICS[name], values) for name in ("mae", "rmse", "r2", "mse", "max_error")]
    assert means == [True, True, False, True, False]
    asked = [("accuracy", labels), ("f1", labels), ("roc_auc", scores)]
    asked += [("mae", values), ("precision", labels), ("max_error", values)]
    suit = {name: [TESTS[name][0](METRICS[one], where) for one, where in asked] for name in TESTS}
    assert suit == {
        "mcnemar": [True, False, False, False, False, False],
        "exact": [True, False, False, False, False, False],
        "asymptotic": [True, False, False, False, False, False],
        "corrected": [True, False, False, False, False, False],
        "delong": [False, False, True, False, False, False],
        "kosinski": [False, False, False, False, True, False],
        "permutation": [True, True, True, True, True, False],
        "bootstrap": [True, True, True, True, True, False],
        "t": [True, True, True, True, True, False],
        "diebold_mariano": [False, False, False, False, False, False],
    }


def test_classes_and_what_rests_on_them():
    factors = [min((1 - 1 / 20) / (1 - 1 / 2), 2), (1 - 1 / 20) / (1 - 1 / 18)]
    assert class_factors(np.array([2, 18])).tolist() == pytest.approx(factors)
    assert class_factors(np.array([0, 1, 9]))[:2].tolist() == [2.0, 2.0]
    assert [class_df(np.array(counts)) for counts in ([1, 19], [2, 18], [1, 9, 9])] == [0.0, 19.0, 18.0]
    resting = ("f1", "roc_auc", "gini", "roc_auc_ovr")
    for name in (*resting, "accuracy", "error_rate", "mae", "log_loss", "kappa_linear"):
        assert rests_on_classes(metric(name)) == (name in resting), name


def test_units_are_as_large_as_their_rows_weigh():
    truth, unit = np.array([1, 0, 0, 1, 0]), np.array([0, 0, 1, 1, 2])
    weight = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    batch = labelled(truth, truth, groups=unit, sample_weight=weight).batch
    mean = weight.mean()  # weights are taken relative to it
    assert unit_sizes(METRICS["f1"], batch) * mean == pytest.approx(np.array([[1.0, 4.0, 0.0]]))
    assert unit_sizes(METRICS["mcc"], batch) * mean == pytest.approx(np.array([[1.0, 4.0, 0.0], [2.0, 3.0, 5.0]]))
    assert unit_sizes(METRICS["accuracy"], batch) * mean == pytest.approx(np.array([[3.0, 7.0, 5.0]]))
    plain = labelled(truth, truth).batch
    assert unit_sizes(METRICS["accuracy"], plain).tolist() == [[1.0] * 5]


def test_what_both_models_move_is_subtracted():
    rng = RNG(13)
    truth = rng.normal(size=50)
    a, b = (numbers(truth, truth + rng.normal(size=50)) for _ in range(2))
    apart = Both(a, b).apart(METRICS["mae"])
    each = np.abs(a.batch.truth - a.batch.prediction) - np.abs(b.batch.truth - b.batch.prediction)
    assert apart.each == pytest.approx((each - each.mean()) / 50, abs=1e-9)
    assert (apart.units, apart.df, apart.moves) == (50, 49.0, True)
    assert apart.error == pytest.approx(stats.sem(each), rel=1e-6)
    losses = [np.abs(one.batch.truth - one.batch.prediction) for one in (a, b)]
    assert apart.tail == pytest.approx(max(stats.skew(one) for one in losses), rel=1e-6)
    assert not Both(a, a).apart(METRICS["mae"]).moves
    assert Both(a, a).apart(METRICS["mae"]).spread.variance == 0.0


def test_rows_of_two_classes_are_kept_apart():
    rng = RNG(14)
    truth = np.repeat([1, 0], [20, 30])
    a, b = (scored(truth, rng.normal(truth, 1)) for _ in range(2))
    apart = Both(a, b).apart(METRICS["roc_auc"])
    assert apart.sizes == (20, 30)
    squares = [float(np.sum((apart.each[truth == side] - apart.each[truth == side].mean()) ** 2)) for side in (1, 0)]
    assert apart.squares == pytest.approx(squares, rel=0.1)
    grouped = Both(*(scored(truth, rng.normal(truth, 1), groups=np.arange(50) // 2) for _ in range(2)))
    assert (grouped.apart(METRICS["roc_auc"]).sizes, grouped.apart(METRICS["roc_auc"]).units) == ((0, 0), 25)


@pytest.mark.parametrize("classes", [2, 3, 20])
def test_cells_of_truth_and_both_predictions(classes, monkeypatch):
    """Up to 16 classes all cells are counted, with more those that have rows: the spread is the same either way."""
    rng = RNG(classes)
    truth = np.append(np.arange(classes), rng.integers(0, classes, 300))
    said = [np.where(rng.random(len(truth)) < 0.6, truth, rng.integers(0, classes, len(truth))) for _ in range(2)]
    positive = 1 if classes == 2 else None
    a, b = (Measurement(from_arrays(truth, one, pos_label=positive).batch, Settings()) for one in said)
    spreads = []
    for most in (0, 10**9):
        monkeypatch.setattr(model_pair, "MOST_CELLS", most)
        spreads.append(Both(a, b).apart(METRICS["mcc"]).spread)
    assert (spreads[0].variance, spreads[0].skewness) == pytest.approx((spreads[1].variance, spreads[1].skewness))
    centred = Both(a, b).apart(METRICS["mcc"]).each
    n = len(truth)
    assert spreads[0].variance == pytest.approx(n / (n - 1) * float(np.sum((centred - centred.mean()) ** 2)), rel=0.02)


def test_models_that_say_different_things():
    truth = np.tile([0, 1], 10)
    a, b = labelled(truth, truth), labelled(truth, 1 - truth)
    assert (Both(a, b).differ, Both(a, a).differ, Both(a, b).notes(METRICS["f1"])) == (True, False, ())


def test_the_error_of_a_bootstrap_is_the_spread_of_its_resamples():
    rng = RNG(15)
    truth = rng.normal(size=150)
    a, b = (numbers(truth, truth + rng.normal(size=150)) for _ in range(2))
    found = difference(METRICS["mae"], a, b, "bootstrap")
    each = np.abs(a.batch.truth - a.batch.prediction) - np.abs(b.batch.truth - b.batch.prediction)
    assert found.error == pytest.approx(stats.sem(each), rel=0.06)
    assert found.notes == ("the p-value inverts the interval",)
