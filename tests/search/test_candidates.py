from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import randint
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from heldout.errors import UsageError
from heldout.search.candidates import Range, candidates_named, configuration, with_parameters
from tests.search.learners import Stump


class Bare:
    """No parameters that can be set by name."""

    def fit(self, X, y): ...

    def predict(self, X): ...


def test_a_learner_a_pair_and_the_parts_of_a_file_are_candidates():
    alone, pair, parts = candidates_named(
        {
            "alone": Stump(),
            "pair": (Stump(), {"column": [0, 1]}),
            "parts": {"learner": Stump, "parameters": {"column": 3}, "complexity": 0.5},
        }
    )
    assert (alone.space, pair.space, parts.space) == ({}, {"column": (0, 1)}, {})
    assert parts.estimator.column == 3
    assert [one.complexity for one in (alone, pair, parts)] == [1, 2, 0.5]


def test_a_list_of_learners_is_named_by_their_classes():
    assert [one.name for one in candidates_named([Stump(), Stump(1)])] == ["Stump", "Stump 2"]


def test_a_range_has_both_ends_and_draws_between_them():
    log = Range(low=0.01, high=100, log=True)
    assert [log.at(share) for share in (0, 0.5, 1)] == [0.01, 1.0, 100.0]
    whole = Range(low=1, high=4, whole=True)
    found = [whole.at(share) for share in np.linspace(0, 1, 1000)]
    assert {number: found.count(number) for number in sorted(set(found))} == {1: 250, 2: 250, 3: 250, 4: 250}
    state = np.random.RandomState(0)
    drawn = [log.rvs(random_state=state) for _ in range(200)]
    assert 0.01 <= min(drawn) < 0.1
    assert 10 < max(drawn) <= 100
    assert all(f"{number:.4g}" == f"{number:.10g}" for number in drawn)


def test_ends_without_a_decimal_point_are_whole_numbers():
    ((whole, real),) = (
        tuple(one.space.values())
        for one in candidates_named({"s": (SVC(), {"degree": {"low": 1, "high": 4}, "C": {"low": 1.0, "high": 4}})})
    )
    assert whole == Range(low=1, high=4, whole=True)
    assert real == Range(low=1, high=4)


def test_distributions_are_taken_as_they_are():
    (one,) = candidates_named({"s": (Stump(), {"column": randint(0, 9)})})
    assert hasattr(one.space["column"], "rvs")


def test_a_configuration_is_a_fresh_learner_whose_name_says_what_it_is():
    given = Stump(5)
    (one,) = candidates_named({"stump": (given, {"column": np.array([3, 4])})})
    made = configuration(one, {"column": 4})
    assert made.name == "stump(column=4)"
    assert made.estimator.column == 4
    assert given.column == 5
    assert made.simplicity == (1, 1)
    assert configuration(one, {"column": 3}).simplicity == (1, 0)


def test_values_that_are_objects_are_told_apart_by_their_place():
    pipe = make_pipeline(SelectKBest(), SVC())
    (one,) = candidates_named({"p": (pipe, {"svc": [SVC(C=1), SVC(C=9)], "selectkbest__k": [(1, "a")]})})
    first, second = one.space["svc"]
    settings = [{"svc": value, "selectkbest__k": (1, "a")} for value in (first, second)]
    assert [configuration(one, setting).name for setting in settings] == [
        "p(svc=SVC#1, selectkbest__k=(1, a))",
        "p(svc=SVC#2, selectkbest__k=(1, a))",
    ]
    assert configuration(one, settings[1]).estimator.named_steps["svc"] is not second
    assert configuration(one, settings[1]).estimator.named_steps["svc"].C == 9


def test_no_parameters_leave_the_learner_as_it_is():
    given = Stump()
    assert with_parameters(given, {}) is given


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"lr": (LogisticRegression(), {"c": [1]})},
            (
                "lr has no parameter 'c'\n  Fix: LogisticRegression has C, class_weight, dual, fit_intercept, "
                "intercept_scaling, l1_ratio, max_iter, n_jobs, …"
            ),
        ),
        (
            {"lr": (LogisticRegression(), {"max_itr": [1]})},
            (
                "lr has no parameter 'max_itr'; did you mean 'max_iter'?\n  Fix: LogisticRegression has C, "
                "class_weight, dual, fit_intercept, intercept_scaling, l1_ratio, max_iter, n_jobs, …"
            ),
        ),
        (
            {"a": (Stump(), [1])},
            'a is not a pair (learner, grid)\n  Fix: write {"lr": (LogisticRegression(), {"C": [0.1, 1, 10]})}',
        ),
        (
            {},
            (
                "there is no candidate\n  Fix: give some by name, as in "
                '{"lr": (LogisticRegression(), {"C": [0.1, 1, 10]})}'
            ),
        ),
        (
            {"a": {"lerner": "x:y"}},
            (
                "a has an unknown key 'lerner'; did you mean 'learner'?\n"
                "  Fix: the keys are learner, parameters, grid, complexity"
            ),
        ),
        (
            {"a": {"grid": {}}},
            'a names no learner\n  Fix: write learner = "sklearn.linear_model:LogisticRegression"',
        ),
        (
            {"a": {"learner": Stump(), "grid": 3}},
            "grid of a is not a table of parameters\n  Fix: write [a.grid], then C = …",
        ),
        (
            {"a": {"learner": Stump(), "grid": {"column": [1]}, "parameters": {"column": 2}}},
            "a has column among its parameters and in its grid\n  Fix: leave one of them out",
        ),
        (
            {"a": {"learner": Stump(), "complexity": "low"}},
            "complexity of a is 'low'\n  Fix: give a number: the simpler of two has the lower one",
        ),
        (
            {"a": (Bare(), {"column": [1]})},
            (
                "a has no parameters that can be set by name, and column is to be set\n"
                "  Fix: give get_params and set_params, or one candidate per setting"
            ),
        ),
        (
            {"a": (Stump(), {"column": 3})},
            (
                "column of a is 3, which is neither a list of values nor a range\n"
                "  Fix: write a list such as [3], or a range such as {low = 0.01, high = 100}"
            ),
        ),
        (
            {"a": (Stump(), {"column": []})},
            "column of a has no value to try\n  Fix: give some, or leave the parameter out",
        ),
        (
            {"a": (Stump(), {"column": {"low": 1, "hihg": 2}})},
            "column of a has an unknown key 'hihg'; did you mean 'high'?\n  Fix: a range has low, high and log",
        ),
        (
            {"a": (Stump(), {"column": {"low": 1}})},
            "column of a is a range from 1 to None\n  Fix: give two numbers, low and high",
        ),
        (
            {"a": (Stump(), {"column": {"low": 3, "high": 1}})},
            "column of a is a range from 3 to 1\n  Fix: low must lie below high",
        ),
        (
            {"a": (Stump(), {"column": {"low": 0, "high": 1, "log": True}})},
            "column of a is a range from 0 to 1\n  Fix: a range on a log scale starts above 0",
        ),
        (
            {"a": (Stump(), {"column": {"low": 1, "high": 2, "log": 10}})},
            "column of a has log = 10\n  Fix: write log = true or log = false",
        ),
    ],
)
def test_what_is_wrong_is_named(given, said):
    with pytest.raises(UsageError) as caught:
        candidates_named(given)
    assert str(caught.value) == said
