"""Label maps from COCO files: ids, sizes and categories that are not what they should be."""

from __future__ import annotations

import pytest

import heldout
from heldout.boxes.mask_overlap import outline_edges
from heldout.inputs.formats.painted_masks import painted_side

SQUARE = [[0, 0, 10, 0, 10, 10, 0, 10]]
RUNS = {"size": [20, 20], "counts": [5, 10, 385]}


def scene(**line):
    return {
        "images": [{"id": 1, "width": 20, "height": 20}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [{"image_id": 1, "category_id": 1, "segmentation": SQUARE, **line}],
    }


@pytest.mark.parametrize("given", [None, "cat", "1", 1.9, True, [1], 10**30, -1, float("nan")])
def test_a_category_is_a_whole_number(said, given):
    """1.9 would be painted as 1, and -1 would leave the pixels bare."""
    message = (
        f"[H108] mask 1 of the truth has the category_id {given!r}, which is not a whole number from 0 on\n"
        "  Fix: number the categories from 1 on"
    )
    assert said(heldout.masks, scene(category_id=given), scene()) == message


def test_a_whole_number_may_be_written_as_a_float():
    assert heldout.masks(scene(category_id=1.0), scene())["mean_iou"].value == 1


@pytest.mark.parametrize("given", [None, 1.5, True, [1]])
def test_an_image_is_named_by_text_or_a_whole_number(said, given):
    assert said(heldout.masks, scene(image_id=given), scene()) == (
        f"[H108] mask 1 of the truth has the image_id {given}, which is neither text nor a whole number\n"
        "  Fix: give the id of its image"
    )


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ([{"id": 1, "width": -20, "height": 20}], "[H106] image 1 of the truth has no id, height and width"),
        ([{"id": 1, "width": 20.5, "height": 20}], "[H106] image 1 of the truth has no id, height and width"),
        ([{"id": 1, "width": 10**40, "height": 20}], "[H106] image 1 of the truth has no id, height and width"),
        ([7], "[H106] image 1 of the truth has no id, height and width"),
        (7, "[H106] the truth holds no list under 'images'"),
        (
            [{"id": 1, "width": 20, "height": 20}, {"id": "1", "width": 9, "height": 9}],
            "[H105] the image id '1' occurs more than once in the truth (again as image 2)",
        ),
    ],
)
def test_images_that_are_not_sizes(said, images, message):
    assert said(heldout.masks, scene() | {"images": images}, scene()).splitlines()[0] == message


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        (7, "[H106] the truth holds no list under 'categories'"),
        ([{"id": 1.9}], "[H108] category 1 of the truth has the id 1.9, which is not a whole number"),
        ([{"name": "cat"}], "[H108] category 1 of the truth has the id None, which is not a whole number"),
        ([{"id": 1}, {"id": 1}], "[H108] category 2 of the truth has the id 1, which another category has"),
    ],
)
def test_categories_that_have_no_number(said, kinds, message):
    assert said(heldout.masks, scene() | {"categories": kinds}, scene()).splitlines()[0] == message


def test_run_lengths_are_painted_run_by_run():
    side = painted_side(scene(segmentation=RUNS), "the truth", outline_edges, None)
    assert side.map("1").sum() == 10
    assert side.map("1").T.ravel()[4:16].tolist() == [0, *[1] * 10, 0]


def test_run_lengths_of_another_size(said):
    truth = scene(segmentation={"size": [-20, -20], "counts": [5, 10, 385]})
    assert said(heldout.masks, truth, scene()) == (
        '[H113] mask 1 of the truth holds no run lengths\n  Fix: write {"size": [height, width], "counts": [...]}'
    )
    truth = scene(segmentation={"size": [10, 10], "counts": [100]})
    assert said(heldout.masks, truth, scene()).splitlines()[0] == (
        "[H113] mask 1 of the truth has a mask of 10 x 10, but its image is 20 x 20"
    )
