from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

import heldout
from heldout.errors import DataError, HeldoutError
from heldout.report import FORMATS, rendered
from heldout.report.kinds.estimates import split_card_line
from heldout.report.schema import schema
from heldout.stats.split_tests import (
    bayes_correlated_t,
    corrected_resampled_t,
    five_by_two_f,
    five_by_two_t,
    kfold_paired_t,
)

A = np.array([0.90, 0.91, 0.87, 0.90, 0.88, 0.92, 0.89, 0.90, 0.86, 0.91])
B = A + np.array([0.02, 0.01, -0.01, 0.03, 0.02, 0.0, 0.04, 0.01, 0.02, 0.03])
SIZES = {"n_train": 1800, "n_test": 200}


def told(outcome):
    return pytest.approx((outcome.value, outcome.low, outcome.high, outcome.pvalue))


def as_told(found):
    one = found.difference
    return one.value, one.low, one.high, one.pvalue


def test_the_corrected_t_is_the_test_unless_another_is_named():
    found = heldout.compare_fold_scores({"a": A, "b": B}, **SIZES)
    assert as_told(found) == told(corrected_resampled_t(B - A, 0.95, ratio=200 / 1800))
    assert (found.verdict, found.difference.test, found.splits) == ("BETTER", "corrected resampled t", 10)
    assert (found.difference.model, found.difference.baseline, found.difference.metric) == ("b", "a", "score")
    assert found.pvalue == found.difference.pvalue
    assert [check.text for check in found.checks] == [
        "the 10 scores are matched by position: both are taken to be of the same splits"
    ]


@pytest.mark.parametrize(
    ("test", "outcome"),
    [
        ("kfold_t", kfold_paired_t(B - A, 0.9)),
        ("5x2cv_t", five_by_two_t((B - A).reshape(5, 2), 0.9)),
        ("5x2cv_f", five_by_two_f((B - A).reshape(5, 2), 0.9)),
    ],
)
def test_tests_by_name(test, outcome):
    found = heldout.compare_fold_scores({"a": A, "b": B}, test=test, confidence_level=0.9)
    assert as_told(found) == told(outcome)
    assert found.difference.test == outcome.test
    assert found.n_train is None


def test_five_by_two_numbered_splits_have_the_f_test():
    frame = pd.DataFrame({"repeat": np.repeat(np.arange(5), 2), "fold": [0, 1] * 5, "a": A, "b": B})
    found = heldout.compare_fold_scores(frame)
    assert as_told(found) == told(five_by_two_f((B - A).reshape(5, 2), 0.95))
    assert found.checks == ()


def test_lower_is_better_where_the_name_says_so():
    frame = pd.DataFrame({"learner": ["a"] * 10 + ["b"] * 10, "fold": [*range(10)] * 2, "log_loss": [*A, *B]})
    assert heldout.compare_fold_scores(frame, **SIZES).verdict == "WORSE"
    assert heldout.compare_fold_scores(frame, **SIZES, better="higher").verdict == "BETTER"
    assert heldout.compare_fold_scores({"a": A, "b": B}, **SIZES, better="lower").verdict == "WORSE"


def test_the_baseline_is_subtracted():
    found = heldout.compare_fold_scores({"tree": A, "forest": B}, **SIZES, baseline="forest")
    assert found.difference.value == pytest.approx(-(B - A).mean())
    assert (found.difference.model, found.difference.baseline, list(found.models)) == (
        "tree",
        "forest",
        ["forest", "tree"],
    )


def test_a_margin_and_a_region_of_no_consequence():
    found = heldout.compare_fold_scores({"a": A, "b": B}, **SIZES, margin=0.1, rope=0.01)
    assert found.verdict == "EQUIVALENT"
    assert found.posterior == bayes_correlated_t(B - A, 0.01, correlation=0.1)


def test_undecided_says_how_many_rows_would_settle_it():
    found = heldout.compare_fold_scores({"a": A, "b": A + 0.2 * (B - A) + np.tile([0.03, -0.03], 5)}, **SIZES)
    assert found.verdict == "UNDECIDED"
    assert found.difference.rows_needed > 2000
    assert "rows would settle a difference of this size" in " ".join(str(found).split())


def test_identical_scores_do_not_differ():
    found = heldout.compare_fold_scores({"a": A, "b": A})
    assert (*as_told(found), found.verdict) == (0, 0, 0, 1, "UNDECIDED")
    assert found.difference.notes == ("identical scores on every split",)
    assert heldout.compare_fold_scores({"a": A, "b": A}, margin=0.01).verdict == "EQUIVALENT"


def test_no_variance_has_no_p_value():
    found = heldout.compare_fold_scores({"a": A, "b": A - 0.1}, **SIZES)
    assert np.isnan(found.pvalue)
    assert found.verdict == "UNDECIDED"
    assert found.difference.notes == (
        (
            "all 10 splits gave the same difference, -0.1, so nothing says how much it varies: "
            "a variance of zero gives no test"
        ),
    )
    Draft202012Validator(schema("heldout.fold-comparison/1")).validate(found.to_dict())


@pytest.mark.parametrize(
    ("models", "given", "message"),
    [
        (
            {"a": A, "b": B},
            {},
            (
                "[H301] the corrected t needs to know how many rows a split trains on and tests\n"
                "  Fix: give n_train=1800 and n_test=200, with the numbers of your splits"
            ),
        ),
        (
            {"a": A, "b": B},
            {"n_train": 0, "n_test": 200},
            "n_train is 0, but every split has rows on both sides\n  Fix: give the number of rows of a split",
        ),
        (
            {"a": A, "b": B},
            {"n_train": 1e308, "n_test": 10},
            "n_train is 1e+308, which is more rows than there are\n  Fix: give the number of rows of a split",
        ),
        (
            {"a": A, "b": B},
            {"n_train": 1800, "n_test": 200, "metric": 1j},
            "metric is 1j, but must be a name\n  Fix: write metric='accuracy', or leave it out",
        ),
        (
            {"a": A, "b": B},
            {"test": "t"},
            "no test of fold scores is named 't'\n  Fix: choose one of corrected_t, kfold_t, 5x2cv_t, 5x2cv_f",
        ),
        (
            {"a": A[:4], "b": B[:4]},
            {"test": "5x2cv_t"},
            (
                "the test 5x2cv_t is for 5 x 2 splits, and there are 4 scores\n"
                "  Fix: leave out the test, or score five repetitions of two halves"
            ),
        ),
        (
            {"fold": np.arange(10), "a": A, "b": B},
            {"test": "5x2cv_t"},
            (
                "the test 5x2cv_t is for 5 x 2 splits, and there are 1 x 10\n"
                "  Fix: leave out the test, or score five repetitions of two halves"
            ),
        ),
        (
            {"repeat": np.arange(10) // 5, "fold": np.arange(10) % 5, "a": A, "b": B},
            {"test": "kfold_t"},
            (
                "the test kfold_t is for one cross-validation, and there are 2 repeats\n"
                "  Fix: take corrected_t, which is for any splits"
            ),
        ),
        (
            {"a": A[:1], "b": B[:1]},
            SIZES,
            (
                "[H310] each learner has the score of one fold, and one fold says nothing about how much scores vary\n"
                "  Fix: score both on several splits, better 30; or compare their predictions: "
                "heldout compare a.csv b.csv"
            ),
        ),
        (
            {"a": A, "b": B},
            {**SIZES, "baseline": "c"},
            "no learner is named 'c'\n  Fix: the learners are a and b",
        ),
        (
            {"a": A, "b": B},
            {**SIZES, "better": "more"},
            "better is 'more', but must be 'higher' or 'lower'\n  Fix: leave it out if higher scores are better",
        ),
        (
            {"a": A, "b": B, "c": B},
            SIZES,
            "3 learners were given, and two are compared\n  Fix: give two learners by name",
        ),
    ],
)
def test_what_is_refused(models, given, message):
    with pytest.raises(HeldoutError) as caught:
        heldout.compare_fold_scores(models, **given)
    assert str(caught.value) == message


def test_every_form():
    found = heldout.compare_fold_scores({"a": A, "b": B}, **SIZES, rope=0.01)
    d = found.to_dict()
    Draft202012Validator(schema("heldout.fold-comparison/1")).validate(d)
    for form in FORMATS:
        assert rendered(d, form)
    rates = split_card_line("corrected resampled t", d["cards"], 0.05)
    text = str(found)
    start = text.index("simulated type I error")
    shown = text[start : text.index("\n\n", start)]
    assert " ".join(shown.split()) == rates  # its rates are those of the cards
    assert text.replace(f"{shown}\n", "") == (
        "scores of 2 learners on 10 splits   1800 training and 200 test rows each\n"
        "\n"
        "metric      a      b  difference  95% CI            p      test\n"
        "score   0.894  0.911      +0.017  [+0.001, +0.033]  0.035  corrected resampled t\n"
        "\n"
        "probability of being  lower  practically the same  higher\n"
        "b                      0.2%                 16.6%   83.3%\n"
        "differences of up to 0.01 either way are practically the same\n"
        "Bayesian correlated t-test: what to believe after these splits, not an error\n"
        "  rate\n"
        "\n"
        "VERDICT  b is BETTER than a on score (+0.017, 95% CI +0.001 to +0.033).\n"
        "         The gain may be as small as 0.001.\n"
        "\n"
        "note H111  the 10 scores are matched by position: both are taken to be of the\n"
        "     same splits\n"
    )
    assert rendered(d, "csv").splitlines()[0] == (
        "metric,model,baseline,model_value,baseline_value,value,low,high,level,pvalue,pvalue_adjusted,test,verdict,"
        "rows_needed,better,notes"
    )
    (record,) = found.records()
    assert (record["model_value"], record["baseline_value"]) == pytest.approx((B.mean(), A.mean()))


def test_cards_are_those_of_such_splits():
    assert {card.splits for card in heldout.compare_fold_scores({"a": A, "b": B}, **SIZES).cards} == {"10"}
    frame = pd.DataFrame({"repeat": np.repeat(np.arange(5), 2), "fold": [0, 1] * 5, "a": A, "b": B})
    assert {card.splits for card in heldout.compare_fold_scores(frame).cards} == {"5x2"}
    assert heldout.compare_fold_scores({"a": A[:7], "b": B[:7]}, **SIZES).cards == ()
    assert heldout.compare_fold_scores({"a": A, "b": B}, **SIZES, confidence_level=0.9).cards == ()


def test_missing_scores_are_refused():
    with pytest.raises(DataError, match="H305"):
        heldout.compare_fold_scores({"a": [0.8, None, 0.9], "b": A[:3]}, **SIZES)
