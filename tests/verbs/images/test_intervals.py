"""Intervals from draws of images: what they rest on, and what they allow for."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.boxes.matching import coco_matches
from heldout.intervals.shares import wilson
from heldout.lab.corpora.box_world import boxes
from heldout.verbs.images.image_intervals import (
    Rests,
    figure_difference,
    figure_estimate,
    figure_interval,
    images_with,
    rests_on,
)

FEW = "objects of this class: do not rely on this interval"
MANY = Rests(images=400.0, freedom=399.0)


def draws(centre, spread, count=400):
    return centre + spread * np.linspace(-1.5, 1.5, count)


def test_images_that_have_objects_of_each_class_and_size():
    objects, (said, _) = boxes(classes=3, objects=0.5).sample(12, np.random.default_rng(0))
    matches = coco_matches(objects, said)
    there = images_with(matches)
    pairs = set(zip(objects.label.tolist(), objects.image.tolist(), strict=True))
    assert set(zip(*(part.tolist() for part in np.nonzero(there)), strict=True)) == pairs
    small = images_with(matches, "small")
    assert small.sum() < there.sum()
    assert not np.any(small & ~there)


@pytest.mark.parametrize(
    ("there", "rests"),
    [
        ([[1, 1, 1, 1], [1, 1, 0, 0]], Rests(images=3.0, freedom=3.0)),  # no more than all images less one
        ([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]], Rests(images=2.0, freedom=2.0)),
        ([[0, 0, 0], [1, 1, 1]], Rests(images=3.0, freedom=2.0)),  # a class without objects does not count
        ([[1, 0, 0]], Rests(images=1.0, freedom=1.0)),
        ([[0, 0, 0]], Rests(images=1.0, freedom=1.0)),
    ],
)
def test_what_a_figure_rests_on(there, rests):
    assert rests_on(np.array(there, dtype=bool)) == rests


def test_with_many_images_the_interval_is_that_of_the_draws_less_twice_their_bias():
    low, high = figure_interval(0.5, draws(0.505, 0.02), MANY, 0.95)
    assert (low + high) / 2 == pytest.approx(0.49, abs=1e-3)
    plain = figure_interval(0.5, draws(0.5, 0.02), MANY, 0.95)
    assert high - low > plain[1] - plain[0]  # the bias is not well known
    assert sum(figure_interval(0.5, draws(0.505, 0.02), MANY, 0.95, of="recall")) / 2 == pytest.approx(0.495, abs=1e-3)


def test_few_images_make_it_wider_and_the_bias_larger():
    few = Rests(images=5.0, freedom=4.0)
    wide, narrow = (figure_interval(0.5, draws(0.51, 0.02), one, 0.95) for one in (few, MANY))
    assert wide[1] - wide[0] > 1.5 * (narrow[1] - narrow[0])
    assert sum(wide) < sum(narrow)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.4])
def test_where_draws_do_not_differ_the_images_are_all_that_is_known(value):
    rounded = np.float32(value) * np.ones(50) + 1e-8
    found = figure_interval(value, rounded.astype(float), Rests(images=4.0, freedom=3.0), 0.95)
    assert found == pytest.approx(wilson(4 * value, 4.0, 0.95), abs=1e-9)


def test_the_value_is_always_inside():
    low, high = figure_interval(0.9, draws(0.97, 0.005), Rests(images=3.0, freedom=2.0), 0.95)
    assert low < 0.9 <= high


@pytest.mark.parametrize(
    ("given", "notes"),
    [
        ({"units": 9}, ("only 9 images: do not rely on this interval",)),
        ({"units": 10}, ()),
        ({"units": 50, "images": 4.0, "joint": 0.99}, (f"only 4 images have {FEW}",)),
        ({"units": 50, "images": 1.0, "joint": 0.99}, (f"only 1 image has {FEW}",)),
        ({"units": 50, "images": 5.0, "joint": 0.99}, ()),
        (
            {"units": 50, "off": 0.05},
            (
                (
                    "too high by more than its standard error, as classes with few objects make it; the interval"
                    " allows for it"
                ),
            ),
        ),
    ],
)  # fmt: skip
def test_notes(given, notes):
    rests = Rests(images=given.get("images", 50.0), freedom=49.0)
    drawn = draws(0.5 + given.get("off", 0.0), 0.05)
    found = figure_estimate("AP", 0.5, drawn, given["units"], 0.95, rests=rests, joint=given.get("joint"))
    assert found.notes == notes


def test_a_difference_of_few_images_has_a_larger_error_and_no_end_beyond_one():
    few, many = (
        figure_difference(0.3, draws(0.3, 0.2), rests, 0.95) for rests in (Rests(images=4.0, freedom=3.0), MANY)
    )
    assert few.error == pytest.approx(many.error * np.sqrt(4 / 2 * 398 / 400))
    assert few.p > many.p
    assert (few.low, few.high) == (pytest.approx(-0.478, abs=0.01), 1.0)


def test_differences_that_are_rounding_are_none():
    one = figure_difference(1e-9, np.full(20, 1e-9), MANY, 0.95)
    assert (one.value, one.p, one.test, one.notes) == (0.0, 1.0, "identical", ("no figure differs",))
