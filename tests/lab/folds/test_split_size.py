"""Tests over splits of learners that are equally good."""

from __future__ import annotations

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from heldout import lab
from heldout.errors import UsageError
from heldout.lab.folds.split_test_methods import RIVALS, Losses, p_value, rivals
from heldout.report.schema import schema
from heldout.stats.split_tests import corrected_resampled_t
from heldout.stats.textbook_tests import two_proportions

QUICK = {"models": "linear", "n": 60, "repeats": 20}


def losses(first, second, tested):
    return Losses(first=np.array(first, float), second=np.array(second, float), tested=np.array(tested, bool))


def test_what_is_asked_beside_a_test_does_not_change_it():
    (alone,) = lab.split_size("five_by_two_f", **QUICK)
    assert alone in lab.split_size(**QUICK)


def test_a_number_does_not_depend_on_how_work_is_shared_out(tmp_path):
    given = {"models": "linear", "n": 30, "repeats": 150}
    whole = lab.split_size("kfold_paired_t", **given)
    kept = tmp_path / "blocks.jsonl"
    lab.split_size("kfold_paired_t", **{**given, "repeats": 100}, into=kept)
    assert lab.split_size("kfold_paired_t", **given, into=kept) == whole


def test_a_test_that_refuses_has_not_rejected():
    """Learners that are never wrong have differences that do not vary."""
    found = lab.split_size(["corrected_resampled_t", "mcnemar", "all_pairs"], world="twins:distance=40", **QUICK)
    assert {(one.test, one.rejected, one.refused) for one in found} == {
        ("corrected_resampled_t", 0.0, 1.0),
        ("mcnemar", 0.0, 0.0),
        ("all_pairs", 0.0, 1.0),
    }


def test_each_test_gets_the_numbers_that_are_its_own():
    given = losses([[1, 0, 1, 0], [0, 1, 1, 0]], [[0, 0, 1, 1], [0, 0, 0, 0]], [[1, 1, 0, 0], [0, 0, 1, 1]])
    assert given.differences.tolist() == [0.5, 0.5]
    assert [one.tolist() for one in given.by_row] == [[1, 0, 1, 0], [0, 0, 0, 0]]
    assert given.ratio == 1.0
    known = {one.name: p_value(one, given, 0.05) for one in RIVALS if one.splits != "5x2"}
    assert np.isnan(known["corrected_resampled_t@10"])
    assert known["two_proportions@holdout:0.33"] == two_proportions(2, 4, 0, 4).pvalue
    assert known["mcnemar_exact@holdout:0.33"] == 0.5


def test_the_corrected_t_has_the_ratio_of_its_splits():
    rng = np.random.default_rng(0)
    tested = np.zeros((30, 90), bool)
    tested[:, :30] = True
    given = losses(rng.integers(0, 2, (30, 90)), rng.integers(0, 2, (30, 90)), rng.permuted(tested, axis=1))
    (one,) = rivals(["corrected_resampled_t@shuffle:30x0.33"])
    assert p_value(one, given, 0.05) == corrected_resampled_t(given.differences, 0.95, ratio=0.5).pvalue


def test_the_naive_t_rejects_more_than_half_of_what_is_true():
    naive, corrected = lab.split_size(
        ["naive_fold_t@10x10", "corrected_resampled_t@10x10"], models="linear", n=100, repeats=100
    )
    assert naive.rejected > 0.4
    assert naive.word == "too high"
    assert corrected.rejected < 0.15


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"tests": "mcnema"},
            (
                "no test over splits is named 'mcnema'; did you mean 'mcnemar'?\n"
                "  Fix: choose of two_proportions, mcnemar_corrected, mcnemar_exact, mcnemar, naive_fold_t,"
                " corrected_resampled_t, kfold_paired_t, five_by_two_t, five_by_two_f, all_pairs, with splits where"
                " there are several, as in mcnemar@10"
            ),
        ),
        ({"n": 20}, ("n is 20, but splits that test a tenth of the rows need 30 or more\n  Fix: write n=30 or more")),
        ({"alpha": 0.7}, "alpha is 0.7, which is not between 0 and 0.5\n  Fix: write a number such as 0.05"),
        (
            {"world": "coin"},
            "no world of exchangeable features is named 'coin'\n  Fix: choose one of twins",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(given, message):
    with pytest.raises(UsageError) as caught:
        lab.split_size(given.pop("tests", ()), **{**QUICK, **given})
    assert str(caught.value) == message


def test_the_facts_keep_to_their_schema():
    found = lab.split_size("mcnemar", **QUICK)
    result = found.to_dict()
    assert (result["alpha"], result["seed"]) == (0.05, 0)
    assert result["results"] == [one.to_dict() for one in found]
    Draft202012Validator(schema("heldout.split-size/1")).validate(result)
