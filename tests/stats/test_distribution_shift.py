"""Two parts drawn alike, or not."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.stats.distribution_shift import shift_checks, shifts


def world(rng, rows, moved=0.0):
    return {"age": rng.normal(moved, 1, rows), "site": rng.choice(["a", "b", "c"], rows), "y": rng.integers(0, 2, rows)}


def test_the_level_holds_where_parts_are_drawn_alike():
    rng = np.random.default_rng(5)
    noted = [bool(shift_checks(shifts(world(rng, 60), world(rng, 40), draws=99))) for _ in range(80)]
    assert np.mean(noted) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 80)


def test_a_shift_is_named():
    rng = np.random.default_rng(6)
    found = shift_checks(shifts(world(rng, 200), world(rng, 100, moved=1.0)))
    assert [one.code for one in found] == ["H205"]
    assert found[0].text.startswith("the test rows are not like the training rows: age (mean ")
    assert "; a classifier distinguishes them (AUC 0." in found[0].text
    assert "site" not in found[0].text


def test_a_spread_is_seen_by_the_whole():
    rng = np.random.default_rng(7)
    found = shifts({"x": rng.normal(0, 1, 200)}, {"x": rng.normal(0, 3, 200)})
    assert found[-1].adjusted < 0.01


def test_missing_values_and_words_are_compared():
    rng = np.random.default_rng(8)
    x = rng.normal(size=200)
    found = shifts({"x": x, "w": ["a"] * 200}, {"x": np.where(x > 0.5, np.nan, x), "w": ["a", "b"] * 100})
    assert [(one.name, one.test, one.adjusted < 0.05) for one in found[:2]] == [
        ("x", "Kolmogorov-Smirnov", True),
        ("w", "chi-square", True),
    ]
    assert shifts({"x": x}, {"z": x}) == []


def test_the_area_of_the_classifier_has_an_interval_that_contains_one_half_without_a_shift():
    rng = np.random.default_rng(9)
    whole = [shifts(world(rng, 80), world(rng, 60), draws=199)[-1] for _ in range(150)]
    covered = np.mean([one.low <= 0.5 <= one.high for one in whole])
    assert covered >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 150)


def test_the_size_of_a_shift_has_its_interval():
    rng = np.random.default_rng(10)
    found = [shifts({"x": rng.normal(size=60)}, {"x": rng.normal(0.8, 1, 40)}, draws=1)[0] for _ in range(200)]
    assert abs(np.mean([one.low <= 0.8 <= one.high for one in found]) - 0.95) < 0.05


def test_infinite_constant_and_missing_columns_break_nothing():
    rng = np.random.default_rng(11)
    x = rng.normal(size=60)
    odd = {"c": np.ones(60), "i": np.where(x > 1, np.inf, x), "n": np.full(60, np.nan)}
    found = shifts(odd, {**odd, "i": rng.normal(size=60)}, draws=99)
    assert [one.name for one in found] == ["c", "i", "n", ""]
    assert all(0 <= one.adjusted <= 1 for one in found)
    only = shifts({"c": np.ones(30)}, {"c": np.ones(20)}, draws=99)
    assert only[0].adjusted == 1


def test_many_rows_have_the_p_value_of_chi_square_itself():
    before, after = np.repeat(["a", "b"], [117, 83]), np.repeat(["a", "b"], [46, 154])
    (found,) = [one for one in shifts({"x": before}, {"x": after}, draws=99) if one.name == "x"]
    assert found.pvalue == pytest.approx(5.02e-13, rel=1e-2)


def test_columns_that_go_together_in_another_way_are_seen_by_the_whole():
    """Both columns are standard normal on both sides; their correlation is 0 on one and 0.8 on the other."""
    rng, areas, noted, alike = np.random.default_rng(8), [], 0, 0
    for _ in range(30):
        x, y, u, v = rng.normal(size=(4, 200))
        together = {"x": u[:100], "y": 0.8 * u[:100] + 0.6 * v[:100]}
        *_, whole = shifts({"x": x, "y": y}, together, draws=199)
        areas.append(whole.size)
        noted += whole.adjusted < 0.05
        alike += bool(shift_checks(shifts({"x": x, "y": y}, {"x": u[100:], "y": v[100:]}, draws=199)))
    assert noted >= 28  # 100 of 100
    assert np.mean(areas) > 0.7  # 0.735; without products 0.51
    # false alarms in 300 samples each: 3.3% here, 3.7% of a skewed, a long-tailed and a categorical column,
    # 3.7% of eight columns in 800 rows
    assert alike <= 5
