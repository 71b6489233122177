"""From differences to verdicts: what is corrected, which word is said, which metric decides."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest
from scipy import stats

import heldout
from heldout.cards.lookup import Card, Found
from heldout.errors import UsageError
from heldout.intervals.unit_spread import UnitSpread, skew_adjusted_t
from heldout.stats.mcnemar_tests import tango
from heldout.stats.multiplicity import holm
from heldout.stats.outcome import Outcome, no_difference
from heldout.verbs.judgement import (
    SAME_QUANTITY,
    judge,
    known_name,
    margin_by_metric,
    margin_of,
    overall,
    rows_needed,
    verdict_of,
)


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


def straight_lines(classes):
    """Pairs of metrics that lie on a straight line in five data sets of different prevalence."""
    rng, values = np.random.default_rng(1), {}
    for _ in range(5):
        truth = rng.choice(classes, 120, p=rng.dirichlet([8] * classes))
        scores = rng.dirichlet([1] * classes, 120)
        scores[np.arange(120), truth] += rng.uniform(0.1, 1)
        scores /= scores.sum(axis=1, keepdims=True)
        found = heldout.evaluate(truth, y_score=scores[:, 1] if classes == 2 else scores)
        for name, one in found.estimates.items():
            values.setdefault(name, []).append(one.value)
    known = {name: line for name, line in values.items() if len(line) == 5 and np.std(line) > 1e-9}
    return {
        (one, other)
        for one, line in known.items()
        for other, beside in known.items()
        if one != other and abs(np.corrcoef(line, beside)[0, 1]) > 1 - 1e-12
    }


def test_metrics_that_are_one_test_are_multiples_of_each_other():
    """Of two classes all that are; of more also those of the macro average, and micro averages are not in the table."""
    two = {pair for pair in straight_lines(2) if not any("@" in name for name in pair)}
    one_test = {pair for pair in SAME_QUANTITY.items() if pair[0] != "recall_macro"}
    assert two == one_test | {(metric, repeated) for repeated, metric in one_test}
    assert ("recall_macro", "balanced_accuracy") in straight_lines(3)
    assert SAME_QUANTITY["recall_macro"] == "balanced_accuracy"


# What is decided from numbers alone, without data.


def with_p(p, value=0.1, **facts):
    defaults = {"low": value - 0.2, "high": value + 0.2, "test": "t", "error": 0.1}
    return Outcome(value=value, pvalue=p, **(defaults | facts))


def of(judgement, model, metric):
    (one,) = [one for one in judgement.differences if (one.model, one.metric) == (model, metric)]
    return one


def test_a_repeated_metric_that_could_not_be_tested_has_no_p_value():
    """A macro recall is undefined where a class never occurs, and balanced accuracy leaves the class out."""
    untested = Outcome(value=nan, low=nan, high=nan, pvalue=nan, test="none", notes=("undefined",))
    for primary in (None, "balanced_accuracy"):
        found = judged({("new", "balanced_accuracy"): with_p(0.01), ("new", "recall_macro"): untested}, primary=primary)
        macro = of(found, "new", "recall_macro")
        assert (macro.verdict, np.isnan(macro.pvalue_adjusted)) == (None, True)
        assert of(found, "new", "balanced_accuracy").pvalue_adjusted == 0.01
    found = judged(
        {("new", "balanced_accuracy"): with_p(0.01), ("new", "recall_macro"): untested}, primary="recall_macro"
    )
    assert of(found, "new", "balanced_accuracy").pvalue_adjusted == 0.01
    assert np.isnan(of(found, "new", "recall_macro").pvalue_adjusted)


def test_p_values_of_a_family_are_corrected_by_holm_and_the_primary_metric_stands_alone():
    outcomes = {("new", name): with_p(p) for name, p in (("f1", 0.01), ("mcc", 0.04), ("brier", 0.03), ("kappa", 0.5))}
    for one, p in zip(judged(outcomes).differences, (0.04, 0.09, 0.09, 0.5), strict=True):
        assert (one.pvalue_adjusted, one.tests, one.correction) == (pytest.approx(p), 4, "holm")
    with_primary = judged(outcomes, primary="mcc")
    assert (of(with_primary, "new", "mcc").pvalue_adjusted, of(with_primary, "new", "mcc").tests) == (0.04, 1)
    assert of(with_primary, "new", "mcc").correction == "none"
    assert [of(with_primary, "new", name).pvalue_adjusted for name in ("f1", "brier", "kappa")] == [
        pytest.approx(p) for p in (0.03, 0.06, 0.5)
    ]


def test_metrics_outside_the_family_are_corrected_for_all_and_cost_the_family_nothing():
    outcomes = {("new", name): with_p(p) for name, p in (("f1", 0.01), ("mcc", 0.04), ("brier", 0.012))}
    judgement = judged(outcomes, tested={("new", "f1"), ("new", "mcc")})
    assert [one.printed for one in judgement.differences] == [True, True, False]
    assert [one.pvalue_adjusted for one in judgement.differences] == pytest.approx([0.02, 0.04, 0.03])
    assert [one.tests for one in judgement.differences] == [2, 2, 3]
    shown = judged(outcomes, tested={("new", "f1")}, shown={("new", "brier")})
    assert [one.printed for one in shown.differences] == [True, False, True]
    primary = judged(outcomes, tested={("new", "f1")}, primary="brier")
    assert [one.printed for one in primary.differences] == [True, False, True]


def test_a_repeated_metric_has_the_p_value_of_the_one_it_repeats_and_no_place_of_its_own():
    for metric, repeated in SAME_QUANTITY.items():
        outcomes = {("new", name): with_p(p) for name, p in ((repeated, 0.03), (metric, 0.03), ("mcc", 0.02))}
        judgement = judged(outcomes)
        assert [one.pvalue_adjusted for one in judgement.differences] == pytest.approx([0.04, 0.04, 0.04])
        assert {one.tests for one in judgement.differences} == {2}
        turned = judged(outcomes, primary=metric)
        assert [one.pvalue_adjusted for one in turned.differences] == pytest.approx([0.03, 0.03, 0.02])
        apart = judged({("new", metric): with_p(0.03), ("new", "mcc"): with_p(0.02)})  # what it repeats is not there
        assert [one.pvalue_adjusted for one in apart.differences] == pytest.approx([0.04, 0.04])


def test_a_metric_that_repeats_one_outside_the_family_is_in_the_family():
    outcomes = {("new", name): with_p(p) for name, p in (("accuracy", 0.03), ("error_rate", 0.03), ("mcc", 0.02))}
    judgement = judged(outcomes, tested={("new", "error_rate"), ("new", "mcc")})
    assert [of(judgement, "new", name).tests for name in ("error_rate", "mcc")] == [2, 2]


def test_joint_p_values_are_those_of_the_primary_metric_and_never_below_its_own():
    outcomes = {(model, name): with_p(0.03) for model in ("b", "c", "d") for name in ("f1", "mcc")}
    outcomes["d", "f1"] = with_p(nan)
    judgement = judged(outcomes, primary="f1", joint_pvalues={"b": 0.045, "c": 0.01, "d": 0.2})
    facts = [(of(judgement, model, "f1").pvalue_adjusted, of(judgement, model, "f1").correction) for model in "bc"]
    assert facts == [(0.045, "max-t"), (0.03, "max-t")]
    assert np.isnan(of(judgement, "d", "f1").pvalue_adjusted)
    assert of(judgement, "b", "mcc").correction == "holm"
    without = judged(outcomes, primary="f1", joint_pvalues={"b": 0.045})
    assert (of(without, "c", "f1").correction, of(without, "c", "f1").pvalue_adjusted) == ("holm", pytest.approx(0.06))


def test_what_has_no_p_value_has_no_part_in_the_correction():
    outcomes = {("new", "f1"): with_p(0.03), ("new", "mcc"): with_p(nan), ("new", "kappa"): with_p(0.2, test="none")}
    first, second, third = judged(outcomes).differences
    assert (first.tests, first.pvalue_adjusted, first.correction) == (1, 0.03, "none")
    assert (second.verdict, third.verdict, second.rows_needed) == (None, None, None)
    assert np.isnan([second.pvalue_adjusted, third.pvalue_adjusted]).all()
    assert [(one.tests, one.correction) for one in (second, third)] == [(1, "none")] * 2
    alone = of(judged(outcomes, primary="mcc"), "new", "mcc")
    assert (alone.tests, alone.verdict, np.isnan(alone.pvalue_adjusted)) == (1, "UNDECIDED", True)


@pytest.mark.parametrize(
    ("words", "primary", "verdict"),
    [
        ("BB", None, "BETTER"), ("BU", None, "BETTER"), ("BW", None, "UNDECIDED"), ("WU", None, "WORSE"),
        ("WW", None, "WORSE"), ("UU", None, "UNDECIDED"), ("EE", None, "EQUIVALENT"), ("EB", None, "BETTER"),
        ("EW", None, "WORSE"), ("EU", None, "UNDECIDED"), ("", None, "UNDECIDED"), ("N", None, "UNDECIDED"),
        ("NE", None, "EQUIVALENT"), ("BW", "m0", "BETTER"), ("BW", "m1", "WORSE"), ("EB", "m0", "EQUIVALENT"),
        ("UB", "m0", "UNDECIDED"),
    ],
)  # fmt: skip
def test_one_word_for_a_model(words, primary, verdict):
    kinds = {"B": "BETTER", "W": "WORSE", "U": "UNDECIDED", "E": "EQUIVALENT", "N": None}
    (template,) = judged({("new", "f1"): with_p(0.5)}).differences
    differences = [replace(template, metric=f"m{at}", verdict=kinds[word]) for at, word in enumerate(words)]
    assert overall(differences, primary) == verdict
    hidden = [replace(one, printed=False) for one in differences]
    assert overall(hidden, primary) == (verdict if primary else "UNDECIDED")


def test_several_models_have_one_verdict_where_they_share_it():
    same = judged({(model, "f1"): with_p(0.001) for model in "ab"})
    assert (same.verdict, same.verdicts) == ("BETTER", {"a": "BETTER", "b": "BETTER"})
    apart = judged({("a", "f1"): with_p(0.001), ("b", "f1"): with_p(0.9)})
    assert (apart.verdict, apart.verdicts) == ("UNDECIDED", {"a": "BETTER", "b": "UNDECIDED"})
    assert judged({}).verdict is None


def test_a_note_says_that_several_metrics_without_a_primary_one_are_corrected():
    two = {("new", "f1"): with_p(0.03), ("new", "mcc"): with_p(0.2)}
    (check,) = judged(two).checks
    assert (check.code, check.text) == (
        "H303",
        "2 metrics and no primary metric: p-values are corrected for their number (Holm)",
    )
    assert judged(two, primary="f1").checks == ()
    assert judged(two, tested={("new", "f1")}).checks == ()
    assert judged({(model, "f1"): with_p(0.03) for model in "ab"}).checks == ()


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("tests", [1, 3])
def test_rows_needed_give_the_difference_eighty_percent_power(level, tests):
    """With n units the difference is expected value / (error sqrt(units / n)) standard errors from 0."""
    outcome = with_p(0.4, value=0.02, error=0.03)
    needed = rows_needed(outcome, 500, level, tests)
    z = stats.norm.ppf(1 - (1 - level) / tests / 2)
    power = [stats.norm.sf(z - 0.02 / (0.03 * np.sqrt(500 / n))) for n in (needed - 1, needed)]
    assert power[0] < 0.8 <= power[1] + 1e-12
    assert rows_needed(replace(outcome, value=-0.02), 500, level, tests) == needed
    in_each = rows_needed(replace(outcome, size=250.0), 500, level, tests)
    assert in_each == pytest.approx(needed / 2, abs=1)


def test_rows_needed_of_a_sequence_allow_for_its_width():
    outcome = with_p(0.4, value=0.02, error=0.03, wider=1.7)
    needed = rows_needed(outcome, 500, 0.95)
    assert needed == pytest.approx(500 * ((1.7 * 1.959964 + 0.841621) * 0.03 / 0.02) ** 2, abs=1)


def test_rows_needed_are_unknown_without_a_difference_an_error_or_units():
    for facts in ({"value": 0.0}, {"error": 0.0}, {"error": nan}):
        assert rows_needed(replace(with_p(0.4, value=0.02, error=0.03), **facts), 500, 0.95) is None
    assert rows_needed(with_p(0.4, value=0.02, error=0.03), 0, 0.95) is None
    assert rows_needed(with_p(0.9, value=1e-9, error=0.03), 500, 0.95) is None  # more than a million times as wide
    assert rows_needed(with_p(0.9, value=1e-7, error=0.03), 500, 0.95) > 10**12


def test_only_what_is_undecided_says_how_many_rows_it_takes():
    undecided, decided = judged({("new", "f1"): with_p(0.9), ("new", "mcc"): with_p(0.001)}).differences
    assert undecided.rows_needed == rows_needed(with_p(0.9), 100, 0.95, 2)
    assert decided.rows_needed is None


@pytest.mark.parametrize("models", [1, 3])
def test_equivalence_draws_the_interval_in_by_normal_quantiles(models):
    outcome = with_p(0.6, value=0.01, low=-0.03, high=0.06)
    ratio = stats.norm.ppf(1 - 0.05 / models) / stats.norm.ppf(0.975)
    low, high = 0.01 - ratio * 0.04, 0.01 + ratio * 0.05
    margin = high
    assert margin > -low
    assert verdict_of(outcome, "higher", 0.6, margin + 1e-9, 0.95, models=models) == "EQUIVALENT"
    assert verdict_of(outcome, "higher", 0.6, margin - 1e-9, 0.95, models=models) == "UNDECIDED"
    turned = with_p(0.6, value=-0.01, low=-0.06, high=0.03)
    assert verdict_of(turned, "higher", 0.6, margin + 1e-9, 0.95, models=models) == "EQUIVALENT"
    assert verdict_of(turned, "higher", 0.6, margin - 1e-9, 0.95, models=models) == "UNDECIDED"


def test_the_interval_must_lie_inside_the_margin_not_on_it():
    at = Outcome(value=0.0, low=-0.1, high=0.1, pvalue=1.0, test="t", interval_at=lambda level: (-0.05, 0.04))
    assert verdict_of(at, "higher", 1.0, 0.05, 0.95) == "UNDECIDED"
    assert verdict_of(at, "higher", 1.0, 0.0501, 0.95) == "EQUIVALENT"
    at = replace(at, interval_at=lambda level: (-0.04, 0.05))
    assert verdict_of(at, "higher", 1.0, 0.05, 0.95) == "UNDECIDED"


def test_a_p_value_of_just_alpha_is_not_significant_and_no_difference_is_not_better():
    assert verdict_of(with_p(0.25), "higher", 0.25, None, 0.75) == "UNDECIDED"
    assert verdict_of(with_p(0.25), "higher", 0.2499, None, 0.75) == "BETTER"
    assert verdict_of(with_p(0.001, value=0.0), "higher", 0.001, None, 0.95) == "WORSE"
    at = judge({("new", "f1"): with_p(0.25, low=0.01)}, baseline="old", level=0.75, units=9, better={"f1": "higher"})
    note = "the interval excludes 0 and p is 0.25: they are two methods, and the p-value decides"
    assert at.differences[0].notes == (note,)


@pytest.mark.parametrize(
    ("low", "high", "p", "note"),
    [
        (0.01, 0.2, 0.06, "the interval excludes 0 and p is 0.06: they are two methods, and the p-value decides"),
        (-0.2, -0.01, 0.06, "the interval excludes 0 and p is 0.06: they are two methods, and the p-value decides"),
        (-0.01, 0.2, 0.04, "the interval contains 0 and p is 0.04: they are two methods, and the p-value decides"),
        (0.0, 0.2, 0.04, "the interval contains 0 and p is 0.04: they are two methods, and the p-value decides"),
        (-0.2, 0.0, 0.04, "the interval contains 0 and p is 0.04: they are two methods, and the p-value decides"),
        (0.01, 0.2, 0.04, None),
        (-0.01, 0.2, 0.06, None),
        (nan, nan, 0.04, None),
    ],
)
def test_a_note_where_interval_and_p_value_disagree(low, high, p, note):
    outcome = with_p(p, low=low, high=high, notes=("first",))
    (one,) = judged({("new", "f1"): outcome}).differences
    assert one.notes == ("first", note) if note else one.notes == ("first",)
    corrected = judged({("new", "f1"): outcome, ("new", "mcc"): with_p(0.9)})  # the two are of different families
    assert of(corrected, "new", "f1").notes == ("first",)


def test_margins_by_metric_are_under_the_names_that_are_compared():
    assert margin_by_metric(None, ["f1"]) is None
    assert margin_by_metric(0.1, ["f1"]) == 0.1
    with pytest.raises(UsageError, match="margin"):
        margin_by_metric("wide", ["f1"])
    assert margin_by_metric({"dice": 0.1}, ["f1", "mcc"]) == {"f1": 0.1}
    with pytest.raises(UsageError) as error:
        margin_by_metric(0.1, [])
    assert str(error.value) == (
        "a margin has no effect with one model: nothing is compared\n"
        "  Fix: give a second model, or leave out the margin"
    )
    with pytest.raises(UsageError) as error:
        margin_by_metric({"mcd": 0.1}, ["f1", "mcc"])
    assert str(error.value) == (
        "the margin of mcd has no effect: mcd is not compared; did you mean 'mcc'?\n  Fix: choose one of f1, mcc"
    )


def test_a_margin_beyond_what_models_can_differ_by_is_refused():
    for metric, span in (("f1", 1.0), ("mcc", 2.0)):
        assert margin_of(0.999 * span, metric, None) == 0.999 * span
        with pytest.raises(UsageError) as error:
            margin_of(span, metric, None)
        assert str(error.value) == (
            f"the margin of {metric} is {span:g}, but no two models can differ by more than {span:g}\n"
            "  Fix: write 0.02 for two points in a hundred"
        )
    assert margin_of(10.0**6, "log_loss", None) == 10.0**6
    with pytest.raises(UsageError) as error:
        margin_of({"f1": -1}, "f1", None)
    assert str(error.value) == "the margin of f1 is -1, but must be 0 or more\n  Fix: give the size of a difference"
    assert margin_of(5.0, "my_metric", None) == 5.0
    with pytest.raises(UsageError):
        margin_of(inf, "my_metric", None)
    assert margin_of(0, "f1", "f1") == 0.0


def test_a_difference_as_plain_values_and_in_words():
    outcome = with_p(0.012345, value=0.1, low=0.03, high=inf, in_time={"lag": 0.3}, wider=1.5)
    (one,) = judged({("new", "f1"): outcome}).differences
    plain = one.to_dict()
    assert (plain["low"], plain["high"], plain["time"]) == (0.03, None, {"lag": 0.3})
    assert (plain["card"], plain["notes"]) == (None, [])
    assert (plain["wider"], plain["pvalue"]) == (1.5, 0.012345)
    assert "time" not in judged({("new", "f1"): with_p(0.5)}).differences[0].to_dict()
    (one,) = judged({("new", "f1"): with_p(0.0123, low=0.03, high=0.17)}).differences
    assert str(one) == "f1 +0.100 [+0.030, +0.170], p 0.012 (t): BETTER"
    assert repr(one) == f"new - old: {one}\n[Difference: .value, .low, .high, .pvalue_adjusted, .to_dict()]"
    (joint,) = judged({("new", "f1"): with_p(0.01)}, primary="f1", joint_pvalues={"new": 0.02}).differences
    assert str(joint) == "f1 +0.100 [-0.100, +0.300], p 0.020 adjusted (max-T) (t): BETTER"
    (no,) = judged({("new", "f1"): with_p(0.0123, low=0.03, high=0.17, test="none")}).differences
    assert str(no) == "f1 +0.100 [+0.030, +0.170], p 0.012 unadjusted (none): not tested"


def test_every_fact_of_an_outcome_reaches_its_difference():
    outcome = with_p(0.3, value=0.1, low=0.05, high=0.17, in_time={"lag": 0.3}, wider=1.5)
    measured = Card(world="w", n=50, truth=0.5, rate=0.04, error=0.01, worst=0.06, width=None, repeats=400)
    card = Found(card=measured, unlike="so few rows")
    judgement = judge(
        {("new", "f1"): outcome}, baseline="old", level=0.8, units=77, better={"f1": "lower"}, margin=0.01,
        card=lambda metric, one: card if (metric, one) == ("f1", outcome) else Found(),
    )  # fmt: skip
    (one,) = judgement.differences
    assert (one.metric, one.model, one.baseline, one.value, one.low, one.high) == ("f1", "new", "old", 0.1, 0.05, 0.17)
    assert (one.level, one.pvalue, one.test, one.margin, one.better) == (0.8, 0.3, "t", 0.01, "lower")
    assert (one.time, one.unlike, one.wider, one.printed) == ({"lag": 0.3}, "so few rows", 1.5, True)
    assert (one.card, one.to_dict()["card"]) == (measured, measured.to_dict())
    assert (one.verdict, one.rows_needed) == ("UNDECIDED", rows_needed(outcome, 77, 0.8))
    assert judgement.primary is None
    untestable = judge(
        {("new", "f1"): replace(outcome, test="none")}, baseline="old", level=0.8, units=77, better={"f1": "lower"},
        card=lambda metric, one: card,
    )  # fmt: skip
    assert untestable.differences[0].unlike == ""


def test_a_name_among_those_there_are():
    with pytest.raises(UsageError) as error:
        known_name("c", ["a", "b"], "model")
    assert str(error.value) == "no model is named 'c'\n  Fix: choose one of a, b"
    assert known_name(1, ["a", "1"], "model") == "1"


def test_two_names_of_one_metric_have_one_margin():
    with pytest.raises(UsageError) as refused:
        margin_by_metric({"f1": 0.1, "f1_score": 0.2, "recall": 0.3}, ["f1", "recall"])
    assert str(refused.value) == "f1 has 2 margins: f1, f1_score\n  Fix: give one margin for f1"
