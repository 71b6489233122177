"""Two parts drawn alike, or not."""

from __future__ import annotations

import numpy as np

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
    assert [one.text.split(" (")[0] for one in found] == [
        "age differs between training and test part",
        "a classifier tells training and test rows apart",
    ]
    assert {one.code for one in found} == {"H205"}


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
