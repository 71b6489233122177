from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from heldout.boxes.overlapping_pairs import iou

SIDE = st.floats(0.5, 50)
BOX = st.tuples(st.floats(-50, 50), st.floats(-50, 50), SIDE, SIDE).map(np.array)


@given(BOX, BOX)
def test_iou_is_symmetric_and_a_share(one, other):
    assert iou(one, other) == iou(other, one)
    assert 0 <= iou(one, other) <= 1 + 1e-12


@given(BOX)
def test_a_box_is_itself(box):
    assert abs(iou(box, box) - 1) < 1e-9


def test_a_box_without_size_overlaps_nothing():
    flat = np.array([10.0, 10, 0, 20])
    assert iou(flat, flat) == 0


def test_a_detection_inside_a_crowd_overlaps_it_whole():
    inside, crowd = np.array([2.0, 2, 4, 4]), np.array([0.0, 0, 100, 100])
    assert iou(inside, crowd) == 16 / 10_000
    assert iou(inside, crowd, np.array(True)) == 1


def test_pixels_are_counted_inclusively_on_request():
    one, other = np.array([0.0, 0, 9, 9]), np.array([10.0, 0, 9, 9])
    assert iou(one, other) == 0
    assert iou(one, other, pixels=True) == 0
    assert iou(one, np.array([9.0, 0, 9, 9]), pixels=True) == 10 / 190
