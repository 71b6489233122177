"""From differences to verdicts: what is corrected, which word is said, which metric decides."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest

import heldout
from heldout.errors import UsageError
from heldout.intervals.unit_spread import UnitSpread, skew_adjusted_t
from heldout.stats.mcnemar_tests import tango
from heldout.stats.multiplicity import holm
from heldout.stats.outcome import Outcome, no_difference
from heldout.verbs.judgement import SAME_QUANTITY, judge, known_name, margin_of, verdict_of


def difference(value, low, high, p=0.01, error=None):
    error = (high - low) / 2 / 1.959964 if error is None else error
    return Outcome(value=value, low=low, high=high, pvalue=p, test="t", error=error)


@pytest.mark.parametrize(
    ("value", "better", "p", "verdict"),
    [
        (0.1, "higher", 0.049, "BETTER"),
        (-0.1, "higher", 0.049, "WORSE"),
        (0.1, "lower", 0.049, "WORSE"),
        (-0.1, "lower", 0.049, "BETTER"),
        (0.1, "higher", 0.0501, "UNDECIDED"),
        (0.1, None, 0.001, "UNDECIDED"),
        (0.1, "higher", nan, "UNDECIDED"),
    ],
)
def test_the_corrected_p_value_and_the_side_say_the_word(value, better, p, verdict):
    assert verdict_of(difference(value, value - 0.05, value + 0.05), better, p, None, 0.95) == verdict


def test_equivalent_is_two_one_sided_tests():
    """The interval at 90% lies inside the margin."""
    se = 0.01
    outcome = difference(0.005, 0.005 - 1.96 * se, 0.005 + 1.96 * se, p=0.6)
    reach = 0.005 + 1.644854 * se
    assert verdict_of(outcome, "higher", 0.6, reach + 1e-6, 0.95) == "EQUIVALENT"
    assert verdict_of(outcome, "higher", 0.6, reach - 1e-6, 0.95) == "UNDECIDED"


def test_equivalent_goes_by_the_tests_own_interval_where_it_has_one():
    """Of 27 rows one is discordant: the normal interval lies within 0.1, Tango's reaches -0.16."""
    outcome = Outcome(
        value=-1 / 27, low=-0.18, high=0.08, pvalue=1.0, test="McNemar mid-p, 0 vs 1", error=1 / 27,
        interval_at=lambda level: tango(0, 1, 27, level),
    )  # fmt: skip
    low, high = tango(0, 1, 27, 0.9)
    assert -1 / 27 - 1.645 / 27 > -0.1 > low
    assert verdict_of(outcome, "higher", 1.0, 0.1, 0.95) == "UNDECIDED"
    assert verdict_of(outcome, "higher", 1.0, max(-low, high) + 1e-9, 0.95) == "EQUIVALENT"


def test_identical_predictions_are_equivalent_where_enough_rows_show_it():
    few, many = (no_difference("identical predictions", units=n) for n in (298, 299))
    assert verdict_of(few, "higher", 1.0, 0.01, 0.95) == "UNDECIDED"
    assert verdict_of(many, "higher", 1.0, 0.01, 0.95) == "EQUIVALENT"
    assert verdict_of(many, "higher", 1.0, 0.0, 0.95) == "UNDECIDED"
    assert verdict_of(many, "higher", 1.0, None, 0.95) == "UNDECIDED"


@pytest.mark.parametrize("span", [inf, nan, 0.0])
def test_identical_predictions_without_a_bound_on_what_a_row_can_do_show_nothing(span):
    assert verdict_of(no_difference("identical", units=10**6, span=span), "lower", 1.0, 1.0, 0.95) == "UNDECIDED"


def test_a_margin_belongs_to_the_primary_metric_or_to_those_named():
    assert margin_of(0.1, "f1", "f1") == 0.1
    assert margin_of(0.1, "recall", "f1") is None
    assert margin_of({"recall": 0.2}, "recall", "f1") == 0.2
    assert margin_of({"recall": 0.2}, "f1", "f1") is None
    assert margin_of(None, "f1", None) is None
    with pytest.raises(UsageError, match=r"^the margin of f1 is -0.1, but must be 0 or more"):
        margin_of(-0.1, "f1", "f1")
    with pytest.raises(UsageError):
        margin_of(nan, "f1", "f1")


@pytest.fixture
def models():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 300)
    chance = [np.clip(0.5 + s * (truth - 0.5) + 0.25 * rng.standard_normal(300), 0.01, 0.99) for s in (0.5, 0.6)]
    return truth, dict(zip(("old", "new"), chance, strict=True))


def test_all_metrics_that_are_printed_share_one_correction(models):
    found = heldout.compare(*models, n_resamples=100)
    printed = [one for one in found.differences if one.printed]
    once = [one for one in printed if one.metric != "error_rate"]
    assert [one.pvalue_adjusted for one in once] == pytest.approx(holm(np.array([one.pvalue for one in once])).tolist())
    rest = [one for one in found.differences if not one.printed]
    assert rest
    shared = {one.metric for one in once}
    twins = [one for one in rest if SAME_QUANTITY.get(one.metric) in shared]
    assert {one.metric for one in twins} >= {"error_rate", "gini", "fpr", "fnr", "youden_j"}
    for twin in twins:
        repeated = found[SAME_QUANTITY[twin.metric]]
        assert twin.pvalue_adjusted == repeated.pvalue_adjusted
        assert twin.verdict == repeated.verdict
    every = [*once, *(one for one in rest if one not in twins)]
    adjusted = holm(np.array([one.pvalue for one in every])).tolist()
    assert [one.pvalue_adjusted for one in every[len(once) :]] == pytest.approx(adjusted[len(once) :])
    assert {one.tests for one in every[len(once) :]} == {len(every)}


def test_every_verdict_rests_on_the_corrected_p_value(models):
    found = heldout.compare(*models, n_resamples=100)
    frame = found.to_frame()
    assert frame["pvalue_adjusted"].notna().all()
    significant = (frame["pvalue_adjusted"] < 0.05) & frame["better"].notna()
    assert (frame["verdict"].isin(["BETTER", "WORSE"]) == significant).all()
    assert [one["pvalue_adjusted"] for one in found.to_dict()["differences"]] == frame["pvalue_adjusted"].tolist()
    one = found["roc_auc"]
    assert f"p {one.pvalue_adjusted:.3f} adjusted (Holm) ({one.test})" in str(one)


def test_the_primary_metric_is_not_corrected_for_the_others(models):
    found = heldout.compare(*models, primary="brier", n_resamples=100)
    one = found["brier"]
    assert one.pvalue_adjusted == one.pvalue
    others = [one for one in found.differences if one.printed and one.metric not in ("brier", "error_rate")]
    assert [one.pvalue_adjusted for one in others] == pytest.approx(
        holm(np.array([one.pvalue for one in others])).tolist()
    )


@pytest.mark.parametrize("primary", ["accuracy", "error_rate"])
def test_accuracy_and_error_rate_are_one_test_whichever_is_primary(models, primary):
    found = heldout.compare(*models, metrics=["accuracy", "error_rate", "f1"], primary=primary, n_resamples=100)
    tests = {name: (found[name].tests, found[name].pvalue_adjusted) for name in ("accuracy", "error_rate", "f1")}
    assert tests["accuracy"] == tests["error_rate"] == (1, found[primary].pvalue)
    assert tests["f1"] == (1, found["f1"].pvalue)


def test_accuracy_and_error_rate_are_one_test(models):
    found = heldout.compare(*models, metrics=["accuracy", "error_rate", "f1"], n_resamples=100)
    both = [found[name].pvalue_adjusted for name in ("accuracy", "error_rate")]
    assert both[0] == both[1]
    assert sorted([both[0], found["f1"].pvalue_adjusted]) == pytest.approx(
        sorted(holm(np.array([found["accuracy"].pvalue, found["f1"].pvalue])).tolist())
    )


def test_three_models_on_the_same_rows_share_the_primary_metrics_correction(models):
    truth, said = models
    rng = np.random.default_rng(5)
    said = {**said, "third": np.clip(said["old"] + 0.05 * rng.standard_normal(300), 0.01, 0.99)}
    found = heldout.compare(truth, said, primary="accuracy", n_resamples=200)
    for one in found.differences:
        if one.metric == "accuracy":
            assert one.pvalue <= one.pvalue_adjusted <= min(2 * one.pvalue + 0.02, 1.0)
            assert "its interval holds together with those of both models" in one.notes


def test_names():
    assert known_name(None, ["a", "b"], "model") == "a"
    assert known_name("b", ["a", "b"], "model") == "b"
    with pytest.raises(UsageError, match=r"^no model is named 'bb'; did you mean 'b'\?"):
        known_name("bb", ["a", "b"], "model")


def judged(outcomes, **options):
    better = dict.fromkeys((metric for _, metric in outcomes), "higher")
    return judge(outcomes, baseline="old", level=0.95, units=100, better=better, **options)


def test_what_could_not_be_tested_is_shown_and_has_no_part_in_the_verdict():
    """It is printed where the caller names no family: its note says why there is no test."""
    untestable = Outcome(value=0.1, low=nan, high=nan, pvalue=nan, test="none", notes=("undefined on 3 splits",))
    outcomes = {("new", "f1"): untestable, ("new", "mcc"): difference(0.0, -0.01, 0.01, p=1.0)}
    judgement = judged(outcomes, margin={"mcc": 0.05})
    first, second = judgement.differences
    assert (first.printed, first.verdict, first.notes) == (True, None, ("undefined on 3 splits",))
    assert (second.verdict, judgement.verdict) == ("EQUIVALENT", "EQUIVALENT")
    assert judgement.checks == ()  # one metric is tested: nothing is corrected
    first, second = judged(outcomes, tested=set(outcomes)).differences
    assert (first.printed, second.printed) == (False, True)


def test_a_repeated_metric_has_the_joint_p_value_of_the_primary_one():
    outcomes = {
        (model, metric): difference(0.1, 0.01, 0.19, p=0.03)
        for model in ("new", "third")
        for metric in ("accuracy", "error_rate")
    }
    joint = {"new": 0.04, "third": 0.05}
    for one in judged(outcomes, primary="accuracy", joint_pvalues=joint).differences:
        assert (one.pvalue_adjusted, one.correction) == (joint[one.model], "max-t")


def test_equivalence_is_corrected_for_the_number_of_models():
    spread = UnitSpread(units=100, variance=0.01**2, df=99)
    low, high = skew_adjusted_t(0.0, spread, 0.9)
    found = Outcome(
        value=0.0, low=low, high=high, pvalue=1.0, test="t", error=0.01,
        interval_at=lambda level: skew_adjusted_t(0.0, spread, level),
    )  # fmt: skip
    margin = high * 1.01  # just wide enough for one model
    assert verdict_of(found, "higher", 1.0, margin, 0.95) == "EQUIVALENT"
    assert verdict_of(found, "higher", 1.0, margin, 0.95, models=2) == "UNDECIDED"
    wide = skew_adjusted_t(0.0, spread, 1 - 2 * 0.05 / 4)[1]
    assert verdict_of(found, "higher", 1.0, wide * 1.01, 0.95, models=4) == "EQUIVALENT"
    alone, beside = (
        judge(
            {(f"m{k}", "f1"): found for k in range(models)}, baseline="old", level=0.95, units=100,
            better={"f1": "higher"}, margin=margin,
        )
        for models in (1, 2)
    )  # fmt: skip
    assert (alone.verdicts, beside.verdicts) == ({"m0": "EQUIVALENT"}, {"m0": "UNDECIDED", "m1": "UNDECIDED"})


def test_multiples_of_a_metric_are_no_further_test():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    models = {name: np.clip(truth * 0.3 + 0.7 * rng.random(200), 0, 1) for name in ("old", "new")}
    one = heldout.compare(truth, models, metrics="roc_auc,brier")
    two = heldout.compare(truth, models, metrics="roc_auc,gini,brier")
    assert two["roc_auc"].tests == one["roc_auc"].tests == 2
    assert two["gini"].pvalue_adjusted == two["roc_auc"].pvalue_adjusted == one["roc_auc"].pvalue_adjusted
    assert two["gini"].verdict == two["roc_auc"].verdict


def test_a_note_says_how_the_interval_and_the_p_value_differ():
    found = Outcome(value=0.1, low=0.01, high=0.2, pvalue=0.185, test="rank swaps, paired BCa")
    judged = judge({("new", "ks"): found}, baseline="old", level=0.95, units=90, better={"ks": "higher"})
    note = "the interval excludes 0 and p is 0.185: they are two methods, and the p-value decides"
    assert judged.differences[0].notes == (note,)


def test_two_losses_that_are_multiples_of_each_other_are_one_test():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 200)
    models = {
        name: np.clip(0.3 + gain * truth + rng.normal(0, 0.2, 200), 0.01, 0.99)
        for name, gain in (("a", 0.2), ("b", 0.3))
    }
    both = heldout.compare(truth, models, metrics="brier,quadratic_loss")
    assert {one.tests for one in both.differences} == {1}
    assert both["brier"].pvalue_adjusted == both["quadratic_loss"].pvalue_adjusted == both["brier"].pvalue
