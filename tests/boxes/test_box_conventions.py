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
