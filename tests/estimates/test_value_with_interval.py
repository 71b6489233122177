from __future__ import annotations

import json
import pickle
import warnings
from math import inf, nan

import pytest

from heldout import ComparisonWarning, Estimate


def made(value=0.7, low=0.546, high=0.819, **facts):
    return Estimate(value, **{"low": low, "high": high, "level": 0.95, "method": "Wilson", "units": 40} | facts)


def test_it_is_a_float():
    one = made()
    assert isinstance(one, float)
    assert (one + 1, one * 2, round(one, 1), float(one), one == 0.7) == (1.7, 1.4, 0.7, 0.7, True)
    assert type(one.value) is float
    assert type(one + 1) is float
    assert {one: "as a key"}[0.7] == "as a key"


@pytest.mark.parametrize("fact", ["low", "high", "level", "method", "units", "notes", "name", "new"])
def test_it_does_not_change(fact):
    one = made()
    with pytest.raises(AttributeError) as refused:
        setattr(one, fact, 1)
    assert str(refused.value) == f"an estimate does not change: {fact} cannot be set"


def test_it_survives_a_pickle():
    one = made(notes=("few rows",), name="accuracy", better="higher", count=(28.0, 40.0), printed=True)
    again = pickle.loads(pickle.dumps(one))
    assert type(again) is Estimate
    assert again == one
    assert all(getattr(again, fact) == getattr(one, fact) for fact in Estimate.__slots__)


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((0.7, 0.546, 0.819), "0.700 [0.546, 0.819]"),
        ((0.30012, 0.2998, 0.3004), "0.30012 [0.29980, 0.30040]"),
        ((123.4, 117.0, 129.8), "123.4 [117.0, 129.8]"),
        ((5123.4, 4017.0, 6129.8), "5123 [4017, 6130]"),
        ((1.0, 1.0, 1.0), "1.000 [1.000, 1.000]"),
        ((nan, 0.0, 1.0), "nan [0.000, 1.000]"),
        ((inf, 0.0, inf), "inf [0.000, inf]"),
    ],
)
def test_digits_follow_the_interval(ends, text):
    value, low, high = ends
    assert str(made(value, low, high)) == repr(made(value, low, high)) == text


def test_comparing_two_estimates_warns():
    one, other = made(0.7), made(0.6)
    said = "two estimates were compared without a test; heldout.compare tests the difference on the same rows"
    comparisons = {
        "<": lambda: one < other,
        ">": lambda: one > other,
        "<=": lambda: one <= other,
        ">=": lambda: one >= other,
    }
    answers = {}
    for sign, compared in comparisons.items():
        with pytest.warns(ComparisonWarning) as seen:
            answers[sign] = compared()
        assert [str(warning.message) for warning in seen] == [said]
        assert seen[0].filename == __file__
    assert answers == {"<": False, ">": True, "<=": False, ">=": True}


def test_comparing_with_a_number_does_not():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made(0.7) > 0.5
        assert not made(0.7) < 0.5
        assert max(made(0.7), 0.5) == 0.7


def test_what_is_no_number_is_null_in_json():
    facts = made(inf, 0.0, inf, notes=("infinite",)).to_dict()
    assert (facts["value"], facts["low"], facts["high"], facts["notes"]) == (None, 0.0, None, ["infinite"])
    assert json.loads(json.dumps(facts)) == facts
    assert set(facts) == {
        *("value", "low", "high", "level", "method", "target", "units", "better", "card"),
        *("unlike", "notes", "count", "printed"),
    }
