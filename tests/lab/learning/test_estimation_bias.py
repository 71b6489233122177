from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from heldout import lab
from heldout.errors import UsageError
from heldout.report.schema import schema


def test_the_memoriser_is_right_about_what_it_has_seen_and_varies_not_at_all():
    training = lab.estimation_bias("knn:k=1", n=20, repeats=30)["training"]
    assert (training.mean.value, training.variance.value, training.bias.value) == (0, 0, -training.truth.value)


def test_the_variance_of_a_holdout_error_is_binomial():
    # a rule that never changes: the only variance is that of the test rows
    found = lab.estimation_bias("constant", world="gaussian:prevalence=0.1", n=60, repeats=200)["holdout"]
    assert found.variance.value == pytest.approx(0.1 * 0.9 / 20, abs=4 * found.variance.error)


def test_holdout_has_more_variance_than_training():
    found = lab.estimation_bias("linear", repeats=200)
    assert found["holdout"].variance.value > 2 * found["training"].variance.value


def test_the_share_held_out():
    found = lab.estimation_bias("constant", n=40, test_size=0.25, repeats=20)
    assert found.test == 10
    assert [one.target for one in found.estimators] == [
        "the rule of all 40 rows",
        "the rule of 30 rows that it tested",
        "the rule of all 40 rows",
    ]


def test_results_are_valid_and_the_same_for_the_same_seed():
    first, again = (lab.estimation_bias("linear", repeats=20, random_state=5).to_dict() for _ in range(2))
    Draft202012Validator(schema("heldout.estimation-bias/1")).validate(first)
    assert first == again


def test_what_is_printed():
    text = str(lab.estimation_bias("knn:k=1", n=30, repeats=40))
    lines = text.splitlines()
    assert lines[0] == "knn:k=1 in gaussian:distance=2: 40 samples of 30 rows, of which the holdout"
    assert lines[1] == "  keeps 10; the Bayes error is 0.1587"
    assert lines[3] == "training error, for the rule of all 30 rows"
    assert lines[4].split() == ["value", "±", "error"]
    assert lines[5] == "on average  0.0000"
    assert lines[7].startswith("bias ")
    assert lines[7].endswith("optimistic")
    assert lines[-1] == "note ± is one Monte-Carlo standard error"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"world": "sine", "folds": [2]},
            (
                "sine:noise=0.3 is of numbers, and folds and bootstrap are simulated for classes\n"
                "  Fix: leave out folds and n_resamples, or take a world of classes such as gaussian:distance=2"
            ),
        ),
        ({"repeats": 3}, "repeats is 3, too few samples for a variance\n  Fix: ask for 20 or more"),
        (
            {"n": 10, "test_size": 1.0},
            (
                "10 rows with the share 1 for testing leave no rows on one side\n"
                "  Fix: such as n=60 with a third for testing"
            ),
        ),
    ],
)
def test_what_makes_no_sense_is_refused(given, message):
    with pytest.raises(UsageError) as caught:
        lab.estimation_bias("linear", **given)
    assert str(caught.value) == message


def test_errors_shrink_with_repeats():
    few, many = (lab.estimation_bias("linear", n=30, repeats=repeats)["holdout"].bias.error for repeats in (25, 225))
    assert few / many == pytest.approx(3, rel=0.35)


ORDER = {"n": 40, "repeats": 200, "folds": (2, 5, 10, "loo"), "n_resamples": 25}


@pytest.fixture(scope="module", params=["linear", "knn:k=1"])
def all_estimates(request):
    return lab.estimation_bias(request.param, **ORDER)


def test_A8_training_error_is_too_low_and_cross_validation_a_little_too_high(all_estimates):
    """The order of estimates: training <= true error of the final rule <= cross-validation, on average."""
    found = all_estimates
    assert found["training"].bias.value < -3 * found["training"].bias.error
    for one in found.by_folds:
        assert one.bias.value > -3 * one.bias.error
    assert found["2-fold"].bias.value > found["leave-one-out"].bias.value


def test_the_bootstrap_beside_it(all_estimates):
    found = all_estimates
    assert found[".632"].mean.value < found[".632+"].mean.value <= found["out of bag (e0)"].mean.value
    assert found["out of bag (e0)"].variance.value < found["holdout"].variance.value


def test_F8_the_choice_of_the_number_of_folds_can_be_drawn(all_estimates):
    found = all_estimates
    assert [one.folds for one in found.by_folds] == [2, 5, 10, 40]
    for one in found.by_folds:
        of_truth = one.squared.value - one.bias.value**2  # the variance of what it is off by
        assert 0 < of_truth < 2 * one.variance.value
    Draft202012Validator(schema("heldout.estimation-bias/1")).validate(found.to_dict())


def test_the_choice_of_the_number_of_folds_in_text():
    text = str(lab.estimation_bias("linear", n=30, repeats=20, folds=["loo", 3]))
    lines = text[text.index("by number of folds") :].splitlines()
    assert lines[1].split("  ", 1)[0] == "folds"
    assert lines[1].endswith("  bias  standard deviation  root mean squared error")
    assert [line.split()[0] for line in lines[2:4]] == ["3", "30"]


def test_other_estimates_change_no_number():
    given = {"n": 30, "repeats": 120, "random_state": 3}
    few, more = lab.estimation_bias(**given), lab.estimation_bias(**given, folds=[3], n_resamples=5)
    assert more.estimators[:3] == few.estimators
    assert [one.name for one in more.estimators[3:]] == ["3-fold", "out of bag (e0)", ".632", ".632+"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"folds": [1]}, "1 is not a number of folds for 60 rows\n  Fix: give 2 to 60, or loo"),
        ({"folds": ["many"]}, "many is not a number of folds for 60 rows\n  Fix: give 2 to 60, or loo"),
        ({"n_resamples": -1}, "n_resamples is -1, but must be 0 or more\n  Fix: such as 50, or 0 for no bootstrap"),
    ],
)
def test_what_is_no_number_of_folds_or_draws(given, message):
    with pytest.raises(UsageError) as caught:
        lab.estimation_bias("linear", **given)
    assert str(caught.value) == message
