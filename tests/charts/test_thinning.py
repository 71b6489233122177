"""Thinning: the polyline of the points kept is never farther from that of all points than the tolerance."""

from __future__ import annotations

from time import process_time

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from heldout.charts.curve_lines import thinned_curve
from heldout.charts.thinning import thinned
from heldout.curves import curve_of_batch
from heldout.inputs import from_arrays


def upright(x, xs, ys):
    """Lowest and highest y of a polyline at each x, where several points may share one."""
    starts = np.flatnonzero(np.diff(xs, prepend=xs[0] - 1))
    lowest, highest = np.minimum.reduceat(ys, starts), np.maximum.reduceat(ys, starts)
    after = np.searchsorted(xs, x)  # the first point at or right of x
    there = xs[after] == x
    before = np.maximum(after - 1, 0)
    share = (x - xs[before]) / np.where(there, 1, xs[after] - xs[before])
    between = ys[before] + share * (ys[after] - ys[before])
    place = np.searchsorted(xs[starts], xs[after])
    return np.where(there, lowest[place], between), np.where(there, highest[place], between)


def distance(x, y, kept):
    """The largest vertical distance between the two polylines, looked for at every corner of the whole one."""
    whole, thin = upright(x, x, y), upright(x, x[kept], y[kept])
    return max(np.abs(whole[0] - thin[0]).max(), np.abs(whole[1] - thin[1]).max())


numbers = st.integers(2, 120).flatmap(
    lambda n: st.tuples(
        arrays(float, n, elements=st.integers(0, 12).map(lambda k: k / 12)), arrays(float, n, elements=st.floats(0, 1))
    )
)


@given(numbers, st.sampled_from([0.5, 0.1, 0.01, 0.0005]))
def test_no_place_is_farther_than_the_tolerance(points, tolerance):
    x, y = np.sort(points[0]), points[1]
    kept = thinned(x, y, tolerance)
    assert kept[0] == 0
    assert kept[-1] == len(x) - 1
    assert np.all(np.diff(kept) > 0)
    assert distance(x, y, kept) <= tolerance + 1e-12


@given(numbers, st.sampled_from([0.1, 0.01]))
def test_steps_that_rise_are_kept_as_well(points, tolerance):
    x, y = np.sort(points[0]), np.sort(points[1])
    assert distance(x, y, thinned(x, y, tolerance)) <= tolerance + 1e-12


def test_a_straight_line_is_its_ends():
    x = np.linspace(0, 1, 5000)
    assert thinned(x, 2 * x, 1e-6).tolist() == [0, 4999]


def test_a_step_keeps_its_corners():
    x, y = np.array([0, 0.5, 0.5, 1]), np.array([0, 0, 1, 1.0])
    assert thinned(x, y, 0.1).tolist() == [0, 1, 2, 3]


def test_a_jagged_line_ends_and_keeps_everything():
    y = np.arange(3001) % 2 * 1.0
    assert len(thinned(np.linspace(0, 1, 3001), y, 0.1)) == 3001


def test_a_million_points_are_few_and_near_and_fast():
    rng = np.random.default_rng(0)
    truth = rng.random(1_000_000) < 0.15
    batch = from_arrays(truth.astype(int), y_score=rng.normal(size=1_000_000) + truth).batch
    for name, most in (("roc", 300), ("precision_recall", 3000)):
        found = curve_of_batch(name, batch)
        x, y = found.points[found.x], found.points[found.y]
        start = process_time()
        kept = thinned(x, y)
        assert process_time() - start < 0.2
        assert len(kept) < most
        six_digits = np.array([float(f"{value:.6g}") for value in y[kept]])  # as they are drawn
        thin = upright(x, x[kept], six_digits)
        whole = upright(x, x, y)
        assert max(np.abs(a - b).max() for a, b in zip(whole, thin, strict=True)) <= 0.0005


def test_a_curve_keeps_its_other_columns():
    batch = from_arrays([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8]).batch
    whole = curve_of_batch("roc", batch)
    thin = thinned_curve(whole)
    assert {name: len(column) for name, column in thin.points.items()} == {"threshold": 5, "fpr": 5, "tpr": 5}
    assert thin.band is whole.band
