from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from heldout.errors import DataError
from heldout.inputs.formats.coco import coco_detections, coco_objects

FORMAT = 'write {"images": [{"id": …}], "categories": [{"id": …, "name": …}], "annotations": […]}'
LIST = 'write a list of {"image_id": …, "category_id": …, "bbox": [x, y, w, h], "score": …}'
BOX = "write bbox as [x, y, width, height]"
TRUTH = {
    "images": [{"id": 2, "width": 100, "height": 80}, {"id": 1, "width": 100, "height": 80}],
    "categories": [{"id": 3, "name": "cat"}, {"id": 1, "name": "dog"}],
    "annotations": [
        {"id": 7, "image_id": 1, "category_id": 3, "bbox": [10, 10, 20, 20], "area": 300, "iscrowd": 0},
        {"id": 8, "image_id": 2, "category_id": 1, "bbox": [0, 0, 5, 4], "iscrowd": 1},
    ],
}
SAID = [{"image_id": 2, "category_id": 3, "bbox": [1, 2, 3, 4], "score": 0.5}]


def test_objects():
    found = coco_objects(TRUTH)
    assert found.images == (1, 2)
    assert found.classes == ("dog", "cat")
    assert found.image.tolist() == [0, 1]
    assert found.label.tolist() == [1, 0]
    assert found.area.tolist() == [300, 20]
    assert found.crowd.tolist() == [False, True]
    assert [check.text for check in found.checks] == [
        "1 annotation of the truth without area: width times height is used"
    ]


def test_detections():
    found = coco_detections(SAID, coco_objects(TRUTH))
    assert (found.image.tolist(), found.label.tolist(), found.area.tolist()) == ([1], [1], [12])


def test_categories_that_contradict_the_truth_are_refused():
    swapped = {"annotations": SAID, "categories": [{"id": 3, "name": "dog"}, {"id": 1, "name": "cat"}]}
    with pytest.raises(DataError) as caught:
        coco_detections(swapped, coco_objects(TRUTH))
    assert str(caught.value) == (
        "[H101] the category 3 is 'dog' in the detections, but 'cat' in the truth\n"
        "  Fix: give every category the id that the truth gives it"
    )


@pytest.mark.parametrize(
    ("kinds", "true"),
    [
        ([{"id": 3, "name": "Cat "}, {"id": 5, "name": "dog"}], TRUTH["categories"]),
        ([{"id": 3}, {"name": "dog"}, "dog"], TRUTH["categories"]),
        ([{"id": 3, "name": "cat"}], [{"id": 3, "name": "cat"}, {"id": 1, "name": "cat"}]),
        ([{"id": 3, "name": "cat"}], [{"id": 3}, {"id": 1}]),
        (None, TRUTH["categories"]),
    ],
)
def test_categories_that_say_nothing_else_are_read(kinds, true):
    said = {"annotations": SAID, "categories": kinds}
    assert coco_detections(said, coco_objects({**TRUTH, "categories": true})).count == 1


def test_a_wrapped_list_is_read_with_a_note():
    found = coco_detections({"annotations": SAID}, coco_objects(TRUTH))
    assert found.count == 1
    assert [check.text for check in found.checks] == [
        "the detections is an object; its list 'annotations' is read as the detections"
    ]


def test_classes_of_one_name_are_told_apart():
    truth = {**TRUTH, "categories": [{"id": 3, "name": "cat"}, {"id": 1, "name": "cat"}]}
    assert coco_objects(truth).classes == ("cat (1)", "cat (3)")


def spoiled(change):
    truth = copy.deepcopy(TRUTH)
    change(truth)
    return truth


WRONG = [
    (lambda t: t.pop("annotations"), "[H106] the truth has no key 'annotations'", FORMAT),
    (lambda t: t.update(images=3), "[H106] the truth holds no list under 'images'", FORMAT),
    (lambda t: t["annotations"].append(3), "[H100] entry 3 of 'annotations' in the truth is not an object", FORMAT),
    (lambda t: t["images"][0].pop("id"), "[H106] image 1 of the truth has no id", FORMAT),
    (
        lambda t: t["annotations"][1].update(id=7),
        "[H105] the annotation id 7 occurs more than once in the truth (again as annotation 2)",
        "give every annotation an id of its own",
    ),
    (lambda t: t["annotations"][1].pop("bbox"), "[H106] annotation 2 (id 8) of the truth has no bbox", BOX),
    (
        lambda t: t["annotations"][1].update(bbox=[1, 2, "3", 4]),
        "[H106] annotation 2 (id 8) of the truth has the bbox \"[1, 2, '3', 4]\", not four numbers",
        BOX,
    ),
    (
        lambda t: t["annotations"][1].update(bbox=[1, 2, -3, 4]),
        "[H113] annotation 2 (id 8) of the truth has the bbox [1, 2, -3, 4], whose size is negative",
        BOX,
    ),
    (
        lambda t: t["annotations"][0].update(bbox=[1, 2, float("inf"), 4]),
        "[H113] annotation 1 (id 7) of the truth has the bbox [1, 2, inf, 4], which is not finite",
        BOX,
    ),
    (
        lambda t: t["annotations"][0].update(image_id=9),
        "[H101] annotation 1 of the truth has the image_id 9, but it declares no such image",
        "declare the image, or leave the annotation out",
    ),
    (
        lambda t: t["annotations"][0].update(category_id="3"),
        "[H101] annotation 1 of the truth has the category_id '3', but it declares 3: text is not a number",
        "write category_id as 3",
    ),
    (lambda t: t["annotations"][0].pop("image_id"), "[H106] annotation 1 of the truth has no image_id", FORMAT),
    (
        lambda t: t["annotations"][0].update(area="big"),
        "[H108] annotation 1 of the truth has the area 'big'",
        "write its size in pixels",
    ),
    (
        lambda t: t["images"][1].update(id=[1]),
        "[H108] image 2 of the truth has the id '[1]'",
        "give it a number",
    ),
]


@pytest.mark.parametrize(("change", "message", "fix"), WRONG)
def test_what_is_wrong_with_the_truth(change, message, fix):
    with pytest.raises(DataError) as caught:
        coco_objects(spoiled(change))
    assert str(caught.value) == f"{message}\n  Fix: {fix}"


def test_a_list_is_no_truth():
    with pytest.raises(DataError) as caught:
        coco_objects([1, 2])
    assert str(caught.value) == (
        "[H100] the truth holds a list where an object with images, annotations and categories belongs\n"
        f"  Fix: {FORMAT}"
    )


SAID_WRONG = [
    ({"score": None}, "[H106] detection 1 of the detections has no score", LIST),
    (
        {"score": float("nan")},
        "[H305] detection 1 of the detections has the score 'nan', which is not a finite number",
        LIST,
    ),
    ({"score": True}, "[H305] detection 1 of the detections has the score 'True', which is not a finite number", LIST),
    ({"bbox": [1, 2, 3]}, "[H106] detection 1 of the detections has the bbox '[1, 2, 3]', not four numbers", BOX),
    (
        {"image_id": 5},
        "[H101] detection 1 of the detections has the image_id 5, but the truth declares no such image",
        "declare the image, or leave the detection out",
    ),
    (
        {"category_id": 9},
        "[H101] detection 1 of the detections has the category_id 9, but the truth declares no such category",
        "declare the category, or leave the detection out",
    ),
]


@pytest.mark.parametrize(("change", "message", "fix"), SAID_WRONG)
def test_what_is_wrong_with_detections(change, message, fix):
    with pytest.raises(DataError) as caught:
        coco_detections([{**SAID[0], **change}], coco_objects(TRUTH))
    assert str(caught.value) == f"{message}\n  Fix: {fix}"


def test_detections_are_a_list():
    for content, kind in (({"a": 1}, "an object"), (3, "an int")):
        with pytest.raises(DataError) as caught:
            coco_detections(content, coco_objects(TRUTH))
        assert str(caught.value) == (
            f"[H100] the detections holds {kind} where a list of detections belongs\n  Fix: {LIST}"
        )
    with pytest.raises(DataError) as caught:
        coco_detections([3], coco_objects(TRUTH))
    assert str(caught.value) == f"[H100] entry 1 of the detections is not an object\n  Fix: {LIST}"


def test_notes_on_odd_boxes():
    objects = coco_objects(TRUTH)
    flat = coco_detections([{**SAID[0], "bbox": [1, 1, 0, 4]}], objects)
    assert [check.text for check in flat.checks] == [
        "1 detection of the detections has a box of width or height 0, which nothing can overlap (first: detection 1)"
    ]
    far = coco_detections([{**SAID[0], "bbox": [10, 10, 300, 20]}], objects)
    assert [check.text for check in far.checks] == [
        (
            "1 of 1 detections of the detections ends far outside the image (first: detection 1, [10, 10, 300, 20] in "
            "an image of 100 x 80); are these corners instead of sizes?"
        )
    ]


@pytest.mark.parametrize("box", [[500, 500, 20, 20], [120, 10, 5, 5], [-30, 10, 20, 20]])
def test_a_true_box_outside_its_image_is_noted(box):
    notes = [check.text for check in coco_objects(with_line(bbox=box)).checks]
    shown = ", ".join(map(str, box))
    assert any(f"outside the image (first: annotation 1, [{shown}] in an image of 100 x 80)" in text for text in notes)
    inside = coco_objects(with_line(bbox=[-10, 10, 20, 20])).checks
    assert not any("outside" in check.text for check in inside)


@pytest.mark.parametrize("size", [0, -1, "100", True, float("nan")])
def test_the_size_of_an_image_is_a_number_of_pixels(size):
    truth = copy.deepcopy(TRUTH)
    truth["images"][0]["width"] = size
    with pytest.raises(DataError) as caught:
        coco_objects(truth)
    assert str(caught.value).startswith("[H113] image 2 of the truth has the width ")
    truth["images"][0]["width"] = None
    assert np.isnan(coco_objects(truth).sizes[1, 0])


def test_true_is_no_number_of_a_box_or_score():
    objects = coco_objects(TRUTH)
    with pytest.raises(DataError, match="has the bbox '\\[True, 1, 5, 5\\]', not four numbers"):
        coco_objects(with_line(bbox=[True, 1, 5, 5]))
    with pytest.raises(DataError, match="detection 2 of the detections has the score 'True'"):
        coco_detections([SAID[0], {**SAID[0], "score": True}], objects)


def test_files(tmp_path):
    path = tmp_path / "gt.json"
    path.write_text(json.dumps(TRUTH), encoding="utf-8")
    found = coco_objects(path)
    assert found.place == "gt.json"
    assert len(found.sources) == 1
    path.write_text(json.dumps(TRUTH)[:60], encoding="utf-8")
    with pytest.raises(DataError) as caught:
        coco_objects(path)
    assert caught.value.message.startswith("gt.json is not valid JSON: ")
    path.write_text("  ", encoding="utf-8")
    with pytest.raises(DataError, match=r"gt\.json is empty"):
        coco_objects(path)
    path.write_bytes(b'{"images": "\xff"}')
    with pytest.raises(DataError, match=r"gt\.json"):
        coco_objects(path)


def test_no_detections_are_noted():
    found = coco_detections([], coco_objects(TRUTH))
    assert (found.count, found.checks[0].text) == (0, "the detections has no detections")
    assert np.array_equal(found.box, np.zeros((0, 4)))


@pytest.mark.parametrize("key", ["neg_category_ids", "not_exhaustive_category_ids"])
def test_a_federated_truth_is_refused(key):
    """In LVIS not every class is annotated in every image: read as COCO, right detections would count as wrong."""
    truth = copy.deepcopy(TRUTH)
    for image in truth["images"]:
        image[key] = []
    assert coco_objects(truth).images == (1, 2)
    truth["images"][1][key] = [3]
    with pytest.raises(DataError) as caught:
        coco_objects(truth)
    assert str(caught.value) == (
        f"[H113] image 1 of the truth has {key}, as LVIS has: its images are annotated for some classes only, and a "
        "detection of another class may be right\n"
        "  Fix: evaluate it with the lvis package, or give a truth with every object of every class, without that key"
    )


def test_keypoints_are_told():
    line = {"image_id": 1, "category_id": 1, "keypoints": [1, 2, 2], "score": 0.5}
    truth = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "person"}], "annotations": []}
    with pytest.raises(DataError) as caught:
        coco_detections([line], coco_objects(truth))
    assert str(caught.value) == (
        "[H106] detection 1 of the detections has keypoints and no bbox: keypoints are not evaluated\n"
        "  Fix: give boxes or masks, or evaluate keypoints with pycocotools"
    )


def test_images_are_called_by_their_files():
    truth = {
        "categories": [],
        "annotations": [],
        "images": [{"id": 2, "file_name": "b.jpg"}, {"id": 1, "file_name": "a.jpg"}],
    }
    assert coco_objects(truth).names == ("a.jpg", "b.jpg")
    truth["images"][0].pop("file_name")
    assert coco_objects(truth).names == ()


HUGE = 10**400


def with_line(**changes):
    """The truth with a changed first annotation."""
    truth = copy.deepcopy(TRUTH)
    truth["annotations"][0] |= changes
    return truth


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"bbox": [0, 0, HUGE, 1]}, "(id 7) of the truth has the bbox [0, 0, inf, 1], which is not finite"),
        ({"bbox": [0, 0, 2**70, 1]}, "of the truth has the bbox [0, 0, 1.18059e+21, 1], which is beyond any image"),
        ({"bbox": [1e200, 0, 1, 1]}, "of the truth has the bbox [1e+200, 0, 1, 1], which is beyond any image"),
        ({"area": HUGE}, f"of the truth has the area {str(HUGE)[:40]}… (401 characters)"),
        ({"iscrowd": "0"}, "(id 7) of the truth has the iscrowd '0'"),
        ({"iscrowd": [0]}, "(id 7) of the truth has the iscrowd [0]"),
        ({"category_id": True}, "of the truth has the category_id True, but it declares no such category"),
        ({"category_id": 1.9}, "of the truth has the category_id 1.9, but it declares no such category"),
        ({"category_id": None}, "of the truth has the category_id None, but it declares no such category"),
        ({"category_id": [3] * 99}, f"{str([3] * 99)[:40]}… (297 characters), but it declares no such category"),
    ],
)
def test_numbers_of_an_object_that_are_none(changes, wrong):
    """Text "0" was a crowd, true was the category 1, and long numbers ended in a traceback."""
    with pytest.raises(DataError) as caught:
        coco_objects(with_line(**changes))
    assert str(caught.value).splitlines()[0].endswith(wrong)


@pytest.mark.parametrize("score", [HUGE, -HUGE, True, "0.5", [0.5]])
def test_a_score_is_a_finite_number(score):
    with pytest.raises(DataError) as caught:
        coco_detections([{**SAID[0], "score": score}], coco_objects(TRUTH))
    assert str(caught.value).startswith("[H305] detection 1 of the detections has the score ")


def test_a_width_of_many_digits_is_infinite():
    truth = copy.deepcopy(TRUTH)
    truth["images"][0]["width"] = HUGE
    assert coco_objects(truth).sizes.tolist() == [[100, 80], [np.inf, 80]]


def test_many_categories_of_one_name_are_told_apart_in_time():
    """Counting every name anew took minutes for 50,000 categories."""
    kinds = [{"id": at, "name": "cat"} for at in range(50_000)]
    assert coco_objects({"images": [], "annotations": [], "categories": kinds}).classes[-1] == "cat (49999)"
