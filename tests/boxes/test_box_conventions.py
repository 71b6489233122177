"""Boxes given as corners or as shares of the image are noticed where next to nothing is found."""

from __future__ import annotations

import numpy as np
import pytest

import heldout

RNG = np.random.default_rng(3)
COUNT = 40
TRUTH = {
    "image": [str(at // 2) for at in range(COUNT)], "label": ["cat", "dog"] * (COUNT // 2),
    "x": RNG.integers(100, 400, COUNT), "y": RNG.integers(100, 400, COUNT), "w": RNG.integers(20, 60, COUNT),
    "h": RNG.integers(20, 60, COUNT),
}  # fmt: skip
SAID = {**TRUTH, "score": RNG.random(COUNT)}


def corners(table):
    return {**table, "w": table["x"] + table["w"], "h": table["y"] + table["h"]}


def shares(table):
    return {**table, **{name: np.asarray(table[name]) / 640 for name in "xywh"}}


def notes(truth, said):
    return [one.text for one in heldout.detect(truth, said, n_resamples=100).checks]


def test_boxes_that_are_read_right_have_no_note():
    assert notes(TRUTH, SAID) == []
    assert notes(shares(TRUTH), shares(SAID)) == []


@pytest.mark.parametrize(
    ("truth", "said", "which"),
    [(TRUTH, corners(SAID), "the detections"), (corners(TRUTH), SAID, "the objects of the table")],
)
def test_corners(truth, said, which):
    (text,) = notes(truth, said)
    assert text.startswith("next to no object is found, but 100% are if w and h of ")
    assert text.endswith("are read as the right and the lower end: give width and height")
    assert which.split(" of ")[0] in text


@pytest.mark.parametrize(
    ("truth", "said", "which"), [(TRUTH, shares(SAID), "the detections"), (shares(TRUTH), SAID, "the objects of")]
)
def test_shares_of_the_image(truth, said, which):
    (text,) = notes(truth, said)
    assert text.startswith(f"next to no object is found, and all boxes of {which}")
    assert text.endswith("are they shares of the image? Give x, y, w and h in pixels on both sides.")


def test_a_bad_detector_is_not_told_that_its_boxes_are_corners():
    elsewhere = {**SAID, "x": np.asarray(SAID["x"]) + 500}
    assert notes(TRUTH, elsewhere) == []


def near_origin(share, seed=0, count=200):
    """Objects of which some begin near the corner of the image, where sizes and corners are almost the same."""
    rng = np.random.default_rng(seed)
    near = rng.random(count) < share
    x, y = (np.where(near, rng.integers(0, 4, count), rng.integers(60, 400, count)) for _ in range(2))
    truth = {
        "image": [str(at // 2) for at in range(count)], "label": ["cat", "dog"] * (count // 2),
        "x": x, "y": y, "w": rng.integers(20, 60, count), "h": rng.integers(20, 60, count),
    }  # fmt: skip
    return truth, {**truth, "score": rng.random(count)}


@pytest.mark.parametrize("share", [0.03, 0.1, 0.3])
@pytest.mark.parametrize("side", ["truth", "said"])
def test_corners_are_noticed_where_some_boxes_overlap_by_chance(share, side):
    truth, said = near_origin(share)
    (text,) = notes(corners(truth), said) if side == "truth" else notes(truth, corners(said))
    assert "% of the objects are found, but 100% are if w and h of the " in text
    assert text.endswith("are read as the right and the lower end: give width and height")


def test_one_flat_box_hides_no_corners():
    truth, said = near_origin(0.1)
    said = corners(said)
    said["w"] = np.append(said["x"][0], said["w"][1:])
    assert len([one for one in notes(truth, said) if "the lower end" in one]) == 1


@pytest.mark.parametrize("shift", [10, 20, 30])
def test_boxes_that_are_merely_off_are_not_taken_for_corners(shift):
    truth, said = near_origin(0.3)
    assert notes(truth, {**said, "x": said["x"] + shift}) == []
    assert notes(truth, {**said, "w": said["w"] + shift, "h": said["h"] + shift}) == []
