from __future__ import annotations

from math import floor, log10

import pytest
from hypothesis import given, strategies as st

from heldout.report.number_text import amount, interval_text, like, number, percent, spec, value_text


def e(value, low, high, notes=()):
    return {"value": value, "low": low, "high": high, "notes": list(notes)}


@pytest.mark.parametrize(
    ("estimate", "value", "interval"),
    [
        (e(0.3, 0.18073, 0.45384), "0.300", "[0.181, 0.454]"),
        (e(0.3, 0.15799, 0.44201), "0.300", "[0.158, 0.442]"),
        (e(0.99996, 0.99982, 1.0), "0.999960", "[0.999820, 1.000000]"),
        (e(123.41, 117.0, 129.8), "123.4", "[117.0, 129.8]"),
        (e(12345.6, 11000.0, 13000.0), "12346", "[11000, 13000]"),
        (e(1.2e12, 1.1e12, 1.3e12), "1.20e+12", "[1.10e+12, 1.30e+12]"),
        (e(3e-7, 2e-7, 4e-7), "3.00e-07", "[2.00e-07, 4.00e-07]"),
        (e(0.0, 0.0, 0.07), "0.000", "[0.000, 0.070]"),
        (e(1.0, 1.0, 1.0), "1.000", "[1.000, 1.000]"),
        (e(0.0, 0.0, 0.0), "0.000", "[0.000, 0.000]"),
        (e(3.2, 1.1, None), "3.2", "[1.1, inf]"),
        (e(None, 1.1, None), "inf", "[1.10, inf]"),
        (e(None, None, None, ["the log loss is infinite"]), "inf", "--"),
        (e(None, None, None, ["0/0"]), "undefined", "--"),
        (e(None, 0.0, 1.0, ["0/0"]), "undefined", "[0.000, 1.000]"),
        (e(-0.2, None, 0.4), "-0.200", "[-inf, 0.400]"),
    ],
)
def test_digits_follow_the_interval(estimate, value, interval):
    assert value_text(estimate) == value
    assert interval_text(estimate) == interval


@given(value=st.floats(-9e6, 9e6), half=st.floats(1e-8, 1e6))
def test_the_half_width_keeps_two_significant_digits(value, half):
    form = spec(value, value - half, value + half)
    if form.endswith("f"):
        shown = (value + half) - (value - half)
        assert int(form[1:-1]) >= min(1 - floor(log10(shown / 2)), 10)
    assert abs(float(number(value, form)) - value) <= 0.06 * half + 1e-9


def test_no_minus_before_a_zero():
    assert number(-0.0004, ".3f") == "0.000"
    assert number(-0.0, ".2e") == "0.00e+00"
    assert number(-1e-12, ".2e") == "-1.00e-12"


def test_a_number_beside_an_estimate_has_its_digits():
    assert like(0.5, e(0.8163, 0.7912, 0.8391)) == "0.500"
    assert like(None, e(0.8163, 0.7912, 0.8391)) == "--"


def test_amounts_and_percentages():
    assert [amount(x) for x in (0, 7, 7.0, 12.34, 1e9, 0.5)] == ["0", "7", "7", "12.3", "1000000000", "0.5"]
    assert [percent(x) for x in (0.95, 0.9, 0.99999)] == ["95%", "90%", "99.999%"]
