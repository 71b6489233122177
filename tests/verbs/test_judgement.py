"""From differences to verdicts: what is corrected, which word is said, which metric decides."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest

import heldout
from heldout.errors import UsageError
from heldout.stats.multiplicity import holm
from heldout.verbs.compare.paired_difference import Found
from heldout.verbs.judgement import known_test, margin_of, verdict_of


def difference(value, low, high, p=0.01, error=None):
    error = (high - low) / 2 / 1.959964 if error is None else error
    return Found(value=value, low=low, high=high, p=p, test="t", error=error)


@pytest.mark.parametrize(
    ("value", "better", "p", "verdict"),
    [
        (0.1, "higher", 0.049, "BETTER"),
        (-0.1, "higher", 0.049, "WORSE"),
        (0.1, "lower", 0.049, "WORSE"),
        (-0.1, "lower", 0.049, "BETTER"),
        (0.1, "higher", 0.0501, "UNDECIDED"),
        (0.1, None, 0.001, "UNDECIDED"),
        (0.1, "higher", None, "UNDECIDED"),
    ],
)
def test_the_corrected_p_value_and_the_side_say_the_word(value, better, p, verdict):
    assert verdict_of(difference(value, value - 0.05, value + 0.05), better, p, None, 0.95) == verdict


def test_equivalent_is_two_one_sided_tests():
    """The interval at 90% lies inside the margin."""
    se = 0.01
    found = difference(0.005, 0.005 - 1.96 * se, 0.005 + 1.96 * se, p=0.6)
    reach = 0.005 + 1.644854 * se
    assert verdict_of(found, "higher", 0.6, reach + 1e-6, 0.95) == "EQUIVALENT"
    assert verdict_of(found, "higher", 0.6, reach - 1e-6, 0.95) == "UNDECIDED"


def test_identical_predictions_are_equivalent_at_any_margin():
    found = Found(value=0.0, low=0.0, high=0.0, p=1.0, test="identical", error=0.0)
    assert verdict_of(found, "higher", 1.0, 0.0, 0.95) == "EQUIVALENT"
    assert verdict_of(found, "higher", 1.0, None, 0.95) == "UNDECIDED"


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


@pytest.mark.parametrize(
    ("test", "paired", "said"),
    [
        ("mcnemarr", True, r"^no test is named 'mcnemarr'; did you mean 'mcnemar'\?"),
        ("z", True, "^the test z is for independent samples, and the rows are matched"),
        ("mcnemar", False, "^the test mcnemar is for matched rows, and these are independent samples"),
    ],
)
def test_a_test_that_is_not_for_these_rows(test, paired, said):
    with pytest.raises(UsageError, match=said):
        known_test(test, paired=paired)


@pytest.fixture
def models():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 300)
    chance = [np.clip(0.5 + s * (truth - 0.5) + 0.25 * rng.standard_normal(300), 0.01, 0.99) for s in (0.5, 0.6)]
    return truth, dict(zip(("old", "new"), chance, strict=True))


def test_all_metrics_that_are_printed_share_one_correction(models):
    found = heldout.compare(*models, draws=100)
    printed = [one for one in found.differences if one.printed]
    once = [one for one in printed if one.metric != "error_rate"]
    assert [one.p_adjusted for one in once] == pytest.approx(holm(np.array([one.p for one in once])).tolist())
    rest = [one for one in found.differences if not one.printed]
    assert rest
    assert all(np.isnan(one.p_adjusted) for one in rest)


def test_the_primary_metric_is_not_corrected_for_the_others(models):
    found = heldout.compare(*models, primary="brier", draws=100)
    one = found["brier"]
    assert one.p_adjusted == one.p
    others = [one for one in found.differences if one.printed and one.metric not in ("brier", "error_rate")]
    assert [one.p_adjusted for one in others] == pytest.approx(holm(np.array([one.p for one in others])).tolist())


def test_accuracy_and_error_rate_are_one_test(models):
    found = heldout.compare(*models, metrics=["accuracy", "error_rate", "f1"], draws=100)
    both = [found[name].p_adjusted for name in ("accuracy", "error_rate")]
    assert both[0] == both[1]
    assert sorted([both[0], found["f1"].p_adjusted]) == pytest.approx(
        sorted(holm(np.array([found["accuracy"].p, found["f1"].p])).tolist())
    )


def test_three_models_on_the_same_rows_share_the_primary_metrics_correction(models):
    truth, said = models
    rng = np.random.default_rng(5)
    said = {**said, "third": np.clip(said["old"] + 0.05 * rng.standard_normal(300), 0.01, 0.99)}
    found = heldout.compare(truth, said, primary="accuracy", draws=200)
    for one in found.differences:
        if one.metric == "accuracy":
            assert one.p <= one.p_adjusted <= min(2 * one.p + 0.02, 1.0)
            assert "its interval holds together with those of both models" in one.notes
