from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.boxes.mask_overlap import detection_masks, mask_overlap, object_masks, outline_edges
from heldout.errors import DataError, UsageError
from heldout.inputs.formats.coco import coco_detections, coco_objects


def outline_mask(outline, size, place="it"):
    """The pixels of an outline, written out."""
    height, width = size
    turns = np.bincount(outline_edges(outline, size, place), minlength=height * width + 1)[: height * width]
    return (np.cumsum(turns) % 2 == 1).reshape(width, height).T


def polygon_mask(corners, height, width):
    return outline_mask([list(corners)], (height, width))


@pytest.mark.parametrize(("left", "top", "right", "bottom"), [(1, 2, 6, 5), (0, 0, 9, 7), (3, 3, 4, 4)])
def test_a_rectangle_has_its_own_pixels(left, top, right, bottom):
    want = np.zeros((7, 9), dtype=bool)
    want[top:bottom, left:right] = True
    corners = [left, top, right, top, right, bottom, left, bottom]
    assert np.array_equal(polygon_mask(corners, 7, 9), want)
    assert np.array_equal(polygon_mask(np.array(corners).reshape(-1, 2)[::-1].ravel(), 7, 9), want)


def test_a_triangle_has_half_of_the_pixels():
    found = polygon_mask([0, 0, 200, 0, 0, 200], 200, 200)
    assert found.sum() == pytest.approx(20_000, rel=0.01)
    assert found[10, 10]
    assert not found[150, 150]


def test_what_lies_outside_the_image_is_cut_off():
    assert polygon_mask([-10, -10, 30, -10, 30, 30, -10, 30], 4, 5).all()
    assert not polygon_mask([10, 10, 30, 10, 30, 30, 10, 30], 4, 5).any()


POLYGON = "write polygons as [[x, y, x, y, x, y, …], …] in pixels of the image"
SQUARE = [10, 10, 50, 10, 50, 50, 10, 50]
WRONG_POLYGONS = [
    ([[float("nan"), *SQUARE[1:]]], "has a polygon with nan, which is not finite"),
    ([SQUARE, [*SQUARE[:-1], float("inf")]], "has a polygon with inf, which is not finite"),
    ([SQUARE[:-1]], "has a polygon of 7 numbers, not x and y of three points or more"),
    ([SQUARE[:4]], "has a polygon of 4 numbers, not x and y of three points or more"),
    ([["ten", *SQUARE[1:]]], "has a polygon of 'ten', which is not a number"),
    ([[None, *SQUARE[1:]]], "has a polygon of None, which is not a number"),
    (SQUARE, "has 10 where a polygon belongs"),
    (["text"], "has 'text' where a polygon belongs"),
    ([[10, 1e12, *SQUARE[2:]]], "has a polygon with the vertex (10, 1e+12), far outside its image of 60 x 60"),
    ([[10**40, 10, *SQUARE[2:]]], "has a polygon with the vertex (1e+40, 10), far outside its image of 60 x 60"),
]


@pytest.mark.parametrize(("outline", "message"), WRONG_POLYGONS)
@pytest.mark.parametrize("side", ["truth", "detections"])
def test_a_polygon_that_is_none_is_refused(outline, message, side):
    truth, said = scene()
    (truth["annotations"] if side == "truth" else said)[2]["segmentation"] = outline
    with pytest.raises(DataError) as caught:
        heldout.detect(truth, said, n_resamples=100, iou_type="masks")
    place = "annotation 3 (id 2, image 2)" if side == "truth" else "detection 3 (image 2)"
    assert str(caught.value) == f"[H113] {place} {message}\n  Fix: {POLYGON}"


def test_run_lengths_of_a_huge_image_need_no_memory():
    truth, said = scene()
    said[1]["segmentation"] = {"size": [10**6, 10**6], "counts": [0, 10**12]}
    with pytest.raises(DataError) as caught:
        heldout.detect(truth, said, n_resamples=100, iou_type="masks")
    assert str(caught.value) == (
        "[H113] detection 2 (image 1) has a mask of 1000000 x 1000000, but its image is 60 x 60\n"
        "  Fix: give masks in the size of the image"
    )


def test_overlaps_are_exact_whatever_the_size():
    """Above 2^24 pixels single precision would round 0.74999999 up to 0.75."""
    side = 5000
    whole, part = side * side, 3 * side * side // 4 - 1
    truth = {
        "images": [{"id": 1, "width": side, "height": side}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [
            {"id": 5, "image_id": 1, "category_id": 1, "bbox": [0, 0, side, side],
             "segmentation": {"size": [side, side], "counts": [0, whole]}}
        ],
    }  # fmt: skip
    runs = {"size": [side, side], "counts": [0, part, whole - part]}
    said = [{"image_id": 1, "category_id": 1, "score": 0.9, "segmentation": runs}]
    objects = coco_objects(truth)
    found = detection_masks(objects, coco_detections(said, objects))
    overlap = mask_overlap(objects, object_masks(objects), found)(np.array([0]), np.array([0]))
    assert overlap.tolist() == [part / whole]
    assert overlap[0] < 0.75


def test_polygons_of_one_object_are_put_together():
    halves = [[0, 0, 2, 0, 2, 4, 0, 4], [2, 0, 4, 0, 4, 4, 2, 4]]
    assert outline_mask(halves, (4, 4), "it").all()


def test_a_mask_has_the_size_of_its_image():
    with pytest.raises(DataError) as caught:
        outline_mask({"size": [2, 2], "counts": [4]}, (3, 2), "detection 1")
    assert str(caught.value) == (
        "[H113] detection 1 has a mask of 2 x 2, but its image is 3 x 2\n  Fix: give masks in the size of the image"
    )


def scene(**more):
    square = [[10, 10, 50, 10, 50, 50, 10, 50]]
    truth = {
        "images": [{"id": i, "width": 60, "height": 60} for i in range(4)],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [
            {"id": i, "image_id": i, "category_id": 1, "bbox": [10, 10, 40, 40], "segmentation": square}
            for i in range(4)
        ],
    }
    part = {"segmentation": [[10, 10, 50, 10, 50, 20, 10, 50]], "bbox": [10, 10, 40, 40], **more}
    return truth, [{"image_id": i, "category_id": 1, "score": 0.9 - i / 10, **part} for i in range(4)]


def test_masks_and_boxes_disagree_about_five_eighths_of_a_square():
    truth, said = scene()
    boxes, masks = (heldout.detect(truth, said, n_resamples=100, iou_type=by) for by in ("boxes", "masks"))
    assert boxes["AP"].value == 1
    assert masks["AP75"].value == 0
    assert masks["AP50"].value == pytest.approx(1)
    assert masks["APmedium"].value == masks["AP"].value


def test_what_cannot_be_judged_by_masks():
    truth, said = scene()
    for line in said:
        line.pop("bbox")
    assert heldout.detect(truth, said, n_resamples=100, iou_type="masks")["AP50"].value == pytest.approx(1)
    with pytest.raises(UsageError) as caught:
        heldout.detect(truth, said, n_resamples=100)
    assert str(caught.value) == ("the detections have masks and no boxes\n  Fix: match their masks: iou_type='masks'")
    with pytest.raises(UsageError) as caught:
        heldout.detect(truth, said, n_resamples=100, iou_type="masks", rule="voc")
    assert str(caught.value) == "Pascal VOC judges boxes\n  Fix: leave out iou_type='masks', or use rule='coco'"
    with pytest.raises(UsageError) as caught:
        heldout.detect(truth, said, n_resamples=100, iou_type="lines")
    assert str(caught.value) == "iou_type is 'lines', but must be 'boxes' or 'masks'\n  Fix: leave it out for 'boxes'"
    truth, said = scene(segmentation=None)
    with pytest.raises(DataError) as caught:
        heldout.detect(truth, said, n_resamples=100, iou_type="masks")
    fix = "give every line a segmentation, or judge boxes"
    assert str(caught.value) == f"[H106] detection 1 has no segmentation\n  Fix: {fix}"
    truth["images"][0].pop("width")
    with pytest.raises(DataError) as caught:
        heldout.detect(truth, said, n_resamples=100, iou_type="masks")
    assert str(caught.value) == (
        "[H113] the truth does not say how large its images are\n"
        "  Fix: give every image width and height in whole pixels"
    )
