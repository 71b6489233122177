"""Two learners in a known simulation: what tests say of them, and the power of tests."""

from __future__ import annotations

import pytest

from heldout import lab
from heldout.errors import UsageError


def test_the_power_of_a_test_is_that_of_the_better_learner():
    found = lab.split_power("mcnemar@10", world="twins:gain=1.5", n=60, repeats=20)
    assert found.power("mcnemar@10").value == found.tests[0].second
    with pytest.raises(UsageError, match="'exact' was not simulated"):
        found.power("exact")


def test_learners_that_are_nearly_equal_have_no_power():
    found = lab.compare(["linear", "sklearn.discriminant_analysis:LinearDiscriminantAnalysis"], n=60, repeats=10,
                        tests="mcnemar@10")  # fmt: skip
    assert found.better is None
    with pytest.raises(UsageError, match="no learner is known to be better here"):
        found.power("mcnemar@10")


def test_true_errors_are_those_of_rules_of_all_rows():
    """The linear discriminant of many rows is nearly the best rule there is; the nearest neighbour is not."""
    found = lab.compare(["linear", "knn:k=1"], n=200, repeats=20, tests="mcnemar@holdout:0.33")
    assert found.errors[0].value == pytest.approx(found.bayes_error, abs=0.01)
    assert found.errors[1].value > found.bayes_error + 0.04
    assert found.difference.value == pytest.approx(found.errors[0].value - found.errors[1].value)


def test_one_learner_is_no_comparison():
    with pytest.raises(UsageError, match="1 learners were given, and two are compared"):
        lab.compare("linear")
