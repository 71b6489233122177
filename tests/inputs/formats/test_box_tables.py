from __future__ import annotations

from math import isnan

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import heldout
from heldout.errors import DataError, UsageError
from heldout.inputs.formats.box_tables import read_boxes, table_objects

TRUTH = {"image": ["10", "9"], "label": ["cat", "dog"], "x": [0, 1], "y": [0, 1], "w": [4, 5], "h": [5, 6]}
SAID = {**TRUTH, "score": [0.9, 0.8]}
SHAPE = "give the columns image, label, x, y, w, h and, for detections, score"


def test_images_that_are_numbers_stand_in_their_order():
    found = read_boxes(TRUTH, {"a": SAID}).objects
    assert found.images == ("9", "10")
    assert found.area.tolist() == [20, 30]


def test_images_of_detections_alone_have_no_objects():
    found = read_boxes(TRUTH, {"a": {**SAID, "image": ["9", "11"]}}).objects
    assert found.images == ("9", "10", "11")
    assert [check.text for check in found.checks] == [
        "1 image only in the detections: counted as images without objects"
    ]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_whole_numbers_that_are_written_as_floats_name_the_same_images_and_classes(tmp_path, suffix):
    boxes = {"x": [0, 1, 2], "y": [0, 1, 2], "w": [4, 5, 6], "h": [5, 6, 7]}
    truth = {"image": [1, 2, 10], "label": [3, 3, 4], **boxes}
    floats = {"image": [1.0, 2.0, 10.0], "label": [3.0, 3.0, 4.0], **boxes, "score": [0.9, 0.8, 0.7]}
    for name, columns in (("truth", truth), ("found", floats)):
        path = tmp_path / f"{name}.{suffix}"
        if suffix == "csv":
            rows = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
            path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        else:
            pq.write_table(pa.table(columns), path)
    both = read_boxes(tmp_path / f"truth.{suffix}", {"a": tmp_path / f"found.{suffix}"})
    assert (both.objects.images, both.objects.classes) == (("1", "2", "10"), ("3", "4"))
    assert both.objects.checks == ()
    assert both.detections["a"].image.tolist() == both.objects.image.tolist() == [0, 1, 2]
    notes = [(check.code, check.text) for check in both.detections["a"].checks]
    assert notes == [
        ("H107", f"{column} of found.csv has whole numbers as {text}.0; they are read as {text}")
        for column, text in (("image", 1), ("label", 3))
        if suffix == "csv"
    ]
    coco = {
        "images": [{"id": 1}, {"id": 2}, {"id": 10}],
        "categories": [{"id": 3, "name": "cat"}, {"id": 4, "name": "dog"}],
        "annotations": [],
    }
    assert read_boxes(coco, {"a": tmp_path / f"found.{suffix}"}).detections["a"].label.tolist() == [0, 0, 1]


def test_a_detection_of_a_class_without_objects_is_a_false_positive():
    found = read_boxes(TRUTH, {"a": {**SAID, "label": ["cat", "cow"]}, "b": SAID})
    assert found.objects.classes == ("cat", "cow", "dog")
    assert found.detections["a"].label.tolist() == [0, 1]
    (check,) = found.detections["a"].checks
    assert check.text == (
        "1 detection of the dict has a class that no object of the dict has ('cow'): it is a false positive of a class "
        "without objects, which means over classes leave out"
    )
    assert found.detections["b"].checks == ()


def test_a_class_without_objects_changes_no_mean_over_classes():
    more = {name: [*column, column[0]] for name, column in SAID.items()} | {"label": ["cat", "dog", "cow"]}
    both = heldout.detect(TRUTH, {"plain": SAID, "more": more}, n_resamples=100, score_threshold=0.5)
    assert both.estimates["more"]["AP"].value == both.estimates["plain"]["AP"].value == pytest.approx(1)
    assert isnan(both.classes["more"]["cow"]["AP"].value)
    assert (both.at_score["plain"].fp, both.at_score["more"].fp) == (0, 1)
    for options in ({"by_class": False}, {"rule": "voc"}):
        found = heldout.detect(TRUTH, more, n_resamples=100, **options)
        assert 0 < next(iter(found.estimates["detections"].values())).value <= 1


def test_crowds_can_be_marked():
    assert read_boxes({**TRUTH, "difficult": [0, 1]}, {"a": SAID}).objects.crowd.tolist() == [False, True]


def test_a_coco_truth_with_a_table_of_detections():
    truth = {
        "images": [{"id": 9}, {"id": 10}],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
        "annotations": [{"id": 1, "image_id": 9, "category_id": 2, "bbox": [1, 1, 5, 6]}],
    }
    found = read_boxes(truth, {"a": SAID, "b": {**SAID, "label": [1, 2]}})
    assert found.detections["a"].label.tolist() == found.detections["b"].label.tolist() == [0, 1]
    assert found.detections["a"].image.tolist() == [1, 0]


WRONG = [
    ({"score": None}, "[H106] the dict has no column 'score'; its columns are image, label, x, y, w, h", SHAPE),
    ({"w": ["4", ""]}, "[H305] row 2 of the dict has no finite number in the column 'w'", "complete the column"),
    ({"w": ["", "x"]}, "[H305] rows 1, 2 of the dict have no finite number in the column 'w'", "complete the column"),
    (
        {"h": [0, -1]},
        "[H113] rows 1, 2 of the dict have no size (first: [0, 0, 4, 0])",
        "give width and height above zero; w and h are sizes, not corners",
    ),
    ({"label": ["cat", ""]}, "[H305] row 2 of the dict has no label", "complete the column"),
    (
        {"label": ["hen", "cow"]},
        "[H101] the detections of the dict and the objects of the dict share no label: 'cow', 'hen' and 'cat', 'dog'",
        "give both the same names of classes",
    ),
]


@pytest.mark.parametrize(("change", "message", "fix"), WRONG)
def test_what_is_wrong(change, message, fix):
    said = {name: column for name, column in {**SAID, **change}.items() if column is not None}
    with pytest.raises(DataError) as caught:
        read_boxes(TRUTH, {"a": said})
    assert str(caught.value) == f"{message}\n  Fix: {fix}"


def test_something_must_be_judged():
    with pytest.raises(UsageError) as caught:
        read_boxes(TRUTH, {})
    assert str(caught.value) == "no detections were given\n  Fix: name a file of detections beside the truth"


def test_a_row_with_an_image_alone_declares_an_image_without_objects(tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text("image,label,x,y,w,h\na,cat,0,0,4,5\nempty,,,,,\nb,cat,1,1,4,5\n", encoding="utf-8")
    objects = table_objects(path, {})
    assert (objects.images, objects.count, objects.checks) == (("a", "b", "empty"), 2, ())
    assert objects.image.tolist() == [0, 1]
    path.write_text("image,label,x,y,w,h\na,cat,0,0,4,5\nempty,,,,,\nb,cat,1,,4,5\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        table_objects(path, {})
    assert caught.value.message == "row 3 of truth.csv has no finite number in the column 'y'"
    path.write_text("image,label,x,y,w,h\na,cat,0,0,4,5\nempty,,,,,\nb,cat,1,1,0,5\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        table_objects(path, {})
    assert caught.value.message == "row 3 of truth.csv has no size (first: [1, 1, 0, 5])"


def test_classes_of_a_table_can_be_declared():
    truth = {"image": ["a", "b"], "label": ["cat", "cat"], "x": [0, 0], "y": [0, 0], "w": [4, 4], "h": [5, 5]}
    assert table_objects(truth, {}, labels=["dog", "cat"]).classes == ("dog", "cat")
    with pytest.raises(DataError) as caught:
        table_objects(truth, {}, labels=["dog"])
    assert "has the label 'cat', which is not declared" in caught.value.message
    coco = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "cat"}], "annotations": []}
    with pytest.raises(UsageError) as refused:
        read_boxes(coco, {"net": []}, labels=["cat"])
    assert refused.value.message == "labels has no effect on a COCO file, which declares its categories"


def test_names_of_images_that_are_long_numbers_are_put_in_order():
    """Python does not convert texts of more than 4,300 digits to numbers."""
    names = ["9" * 5000, "10", "9", "010"]
    rows = {"image": names, "label": ["cat"] * 4, "x": [0] * 4, "y": [0] * 4, "w": [4] * 4, "h": [5] * 4}
    assert table_objects(rows, {}).images == ("9", "010", "10", "9" * 5000)


def test_a_coordinate_beyond_any_image_is_refused():
    rows = {"image": ["a"], "label": ["cat"], "x": [1e200], "y": [0], "w": [4], "h": [5]}
    with pytest.raises(DataError) as caught:
        table_objects(rows, {})
    assert str(caught.value) == (
        "[H113] row 1 of the dict has 1e+200 in the column 'x', which is beyond any image\n"
        "  Fix: give positions and sizes in pixels"
    )
