"""Every public function of `heldout.stats` refuses arguments that cannot be; a new parameter name needs a line here."""

from __future__ import annotations

import inspect
import pickle
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from heldout import stats
from heldout.errors import HeldoutError, UsageError
from heldout.stats.outcome import Outcome

ROW = np.array([0.3, -0.1, 0.2, 0.4, 0.1, -0.2, 0.5, 0.3, 0.2, 0.1])
GOOD = {
    "successes": 3, "trials": 9, "x1": 3, "n1": 9, "x2": 4, "n2": 8, "a": 5, "b": 2, "c": 3, "d": 4, "n": 12,
    "first": (3, 9), "second": (4, 9), "both": (2, 5), "mean1": 0.1, "mean2": 0.2, "var1": 1.0, "var2": 2.0,
    "mean": 0.1, "error": 0.1, "units": 12, "area": 0.8, "variance": 0.001, "pvalues": [0.01, 0.2],
    "negative_scores": np.arange(200.0), "max_fpr": 0.1, "n_models": 3, "n_datasets": 12, "rope": 0.1, "ratio": 0.2,
    "correlation": 0.1, "scores": np.arange(12.0).reshape(4, 3) % 5, "differences": ROW,
}  # fmt: skip
PAIRED = {name: ROW.reshape(5, 2) for name in ("five_by_two_t", "five_by_two_f")}
BAD = {
    **dict.fromkeys(("confidence_level", "alpha", "max_fpr"), (0, 1, 2, np.nan, "x")),
    **dict.fromkeys(
        ("successes", "trials", "x1", "n1", "x2", "n2", "a", "b", "c", "d", "n"), (-1, np.nan, np.inf, "x")
    ),
    **dict.fromkeys(("var1", "var2", "variance", "error", "rope"), (-1, np.nan, "x")),
    **dict.fromkeys(("mean1", "mean2", "mean"), (np.nan, "x")),
    **dict.fromkeys(("n_resamples", "n_models", "n_datasets", "units", "horizon"), (0, -1)),
    **dict.fromkeys(("first", "second", "both"), ((5, 3), (-1, 3), (np.nan, 3))),
    "area": (-0.1, 1.1, np.nan),
    "pvalues": ([-0.1, 0.5], [1.5], [[0.1]], ["x"]),
    "ratio": (-1, np.nan),
    "correlation": (-1, 2, np.nan),
    "negative_scores": ([np.nan] * 9, ["x"], [[0.1]]),
    "scores": (ROW, [[np.nan, 1.0], [2.0, 3.0]], [["x", "y"]]),
    "differences": (["x"], ROW.reshape(5, 2, 1)),
}
UNCHECKED = {"random_state", "correction", "tie_correction"}
FUNCTIONS = {name: getattr(stats, name) for name in stats.__all__ if inspect.isfunction(getattr(stats, name))}


def good(name):
    """Arguments that a function takes."""
    given = {one: GOOD[one] for one in inspect.signature(FUNCTIONS[name]).parameters if one in GOOD}
    return given | ({"differences": PAIRED[name]} if name in PAIRED else {})


def bad(name):
    """Each parameter with a value that it cannot have."""
    kinds = get_type_hints(FUNCTIONS[name])
    for one in set(inspect.signature(FUNCTIONS[name]).parameters) - UNCHECKED:
        for value in ("bogus", None) if get_origin(kinds[one]) is Literal else BAD[one]:
            yield one, value
        if one == "differences" and kinds["return"] is not Outcome and "correlated" not in name:
            yield one, np.r_[ROW, np.nan]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_that_cannot_be_are_refused(name):
    FUNCTIONS[name](**good(name))
    for parameter, value in bad(name):
        assert refused(name, parameter, value), f"{parameter}={value!r}"


def refused(name, parameter, value):
    try:
        FUNCTIONS[name](**good(name) | {parameter: value})
    except HeldoutError:
        return True
    return False


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: stats.mcnemar(1, 2, method="exakt"),
            (
                "mcnemar: method is 'exakt'; did you mean 'exact'?\n"
                "  Fix: give one of 'midp', 'exact', 'asymptotic', 'corrected'"
            ),
        ),
        (lambda: stats.wilson(-1, 5), "wilson: successes is -1, but must be 0 or more\n  Fix: give a number from 0 on"),
        (
            lambda: stats.tango(6, 5, 10),
            "tango: b and c add up to 11, which is more than n, 10\n  Fix: give the part, then the whole",
        ),
        (
            lambda: stats.newcombe(1, 5, 1, 5, 95),
            "newcombe: confidence_level is 95, but must be between 0 and 1\n  Fix: give a number such as 0.95 or 0.05",
        ),
    ],
)
def test_a_refusal_names_the_function_and_the_argument(call, said):
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == said


def test_they_are_pickled_and_documented_as_before():
    assert all(pickle.loads(pickle.dumps(function)) is function for function in FUNCTIONS.values())
    assert [name for name, function in FUNCTIONS.items() if get_args(function) or not function.__doc__] == []
