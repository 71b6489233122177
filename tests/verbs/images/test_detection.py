from __future__ import annotations

import math

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import heldout
from heldout.errors import UsageError
from heldout.report.schema import schema
from heldout.verbs.images.image_intervals import Rests, figure_interval


def world(images=40, noise=0.1, seed=0, classes=("cat", "dog")):
    """Objects in images as a table, and a detector that finds most of them and sees some that are not there."""
    rng = np.random.default_rng(seed)
    count = 3 * images
    truth = {
        "image": [f"{i // 3:03d}" for i in range(count)],
        "label": rng.choice(classes, count).tolist(),
        "x": (100.0 * (np.arange(count) % 3)).tolist(),
        "y": [0.0] * count,
        "w": [50.0] * count,
        "h": rng.choice([20.0, 50.0, 150.0], count).tolist(),
    }
    return truth, detector(truth, noise, seed + 1)


def detector(truth, noise, seed):
    rng = np.random.default_rng(seed)
    count = len(truth["image"])
    found = np.flatnonzero(rng.random(count) < 0.9)
    score = rng.beta(3, 2, len(found))
    table = {name: np.array(column)[found] for name, column in truth.items()}
    table["x"] = table["x"] + 50 * noise * rng.normal(size=len(found))
    wrong = rng.choice(count, count // 3)
    more = {name: np.array(column)[wrong] for name, column in truth.items()}
    more["y"] = more["y"] + 400
    return {
        **{name: np.concatenate([table[name], more[name]]).tolist() for name in truth},
        "score": np.concatenate([score, rng.beta(1, 4, len(wrong))]).tolist(),
    }


def test_one_detector_has_twelve_figures_with_intervals():
    truth, said = world()
    found = heldout.detect(truth, said, n_resamples=200)
    assert list(found.estimates["detections"])[:4] == ["AP", "AP50", "AP75", "APsmall"]
    assert len(found.estimates["detections"]) == 12
    assert found.verdict is None
    one = found["AP"]
    assert one.low < one.value < one.high
    assert (one.method, one.units) == ("image bootstrap", 40)
    assert list(found.classes["detections"]) == ["cat", "dog"]
    assert found.classes["detections"]["cat"]["AP"].method == "image bootstrap, simultaneous"
    assert next(iter(found.by_iou["detections"])) == "0.50"
    assert found.by_iou["detections"]["0.50"].value == found["AP50"].value
    Draft202012Validator(schema("heldout.detection/1")).validate(found.to_dict())


def test_intervals_of_classes_that_hold_together_are_wider():
    truth, said = world(classes=tuple("abcdef"))
    found = heldout.detect(truth, said, n_resamples=300)
    edge = figure_interval(
        found.classes["detections"]["a"]["AP"].value,
        found.drawn["detections"].class_draws["AP"][0],
        Rests(images=10.0, freedom=9.0),
        0.95,
    )
    joint = found.classes["detections"]["a"]["AP"]
    assert joint.high - joint.low > edge[1] - edge[0]


def test_the_same_seed_gives_the_same_interval():
    truth, said = world()
    first, again, other = (heldout.detect(truth, said, n_resamples=150, random_state=seed)["AP"] for seed in (3, 3, 4))
    assert (first.low, first.high) == (again.low, again.high)
    assert (first.low, first.high) != (other.low, other.high)


def test_a_worse_detector_is_worse():
    truth, said = world(images=60)
    found = heldout.detect(truth, {"old": said, "new": detector(truth, 0.5, 9)}, n_resamples=300)
    assert found.verdict == "WORSE"
    one = found["AP"]
    assert one.high < 0
    assert (one.model, one.baseline, one.test) == ("new", "old", "paired image bootstrap")
    assert {part.label for part in found.class_differences} == {"cat", "dog"}
    Draft202012Validator(schema("heldout.detection/1")).validate(found.to_dict())
    back = heldout.detect(truth, {"old": said, "new": detector(truth, 0.5, 9)}, baseline="new", n_resamples=300)
    assert back.verdict == "BETTER"
    assert back["AP"].value == pytest.approx(-one.value)


def test_a_detector_does_not_differ_from_itself():
    truth, said = world()
    found = heldout.detect(truth, {"a": said, "b": said}, n_resamples=150)
    assert found.verdict == "UNDECIDED"
    one = found["AP"]
    assert (one.value, one.pvalue) == (0, 1)
    assert -0.2 < one.low < 0 < one.high < 0.2


def test_a_difference_that_is_the_same_in_every_draw_is_judged_by_swaps():
    truth, _ = world(images=12, classes=("cat",))
    right = {**truth, "score": [0.5] * 36}
    found = heldout.detect(
        truth, {"right": right, "off": {**right, "x": [x + 500 for x in truth["x"]]}}, n_resamples=100
    )
    one = found["AP"]
    assert (one.value, one.pvalue, one.test, one.verdict) == (-1, 2.0**-11, "every swap of images", "WORSE")
    assert -1 <= one.low < one.high < -0.7


def test_a_margin_can_make_detectors_equivalent():
    truth, said = world(images=60)
    other = detector(truth, 0.1, 5)
    assert heldout.detect(truth, {"a": said, "b": other}, n_resamples=200, margin=0.5).verdict == "EQUIVALENT"
    assert heldout.detect(truth, {"a": said, "b": other}, n_resamples=200, margin={"AP50": 0.5}).verdict == "UNDECIDED"


def test_three_detectors_are_judged_against_the_first():
    truth, said = world(images=60)
    found = heldout.detect(
        truth, {"a": said, "b": detector(truth, 0.1, 5), "c": detector(truth, 0.6, 6)}, n_resamples=200
    )
    assert {one.model for one in found.differences} == {"b", "c"}
    assert next(one for one in found.differences if (one.model, one.metric) == ("c", "AP")).verdict == "WORSE"
    assert "c is WORSE than a on AP" in str(found)


def test_perfect_detections_have_no_spread_and_still_an_interval():
    truth, _ = world(images=20)
    found = heldout.detect(truth, {**truth, "score": [0.5] * 60}, n_resamples=100)["AP"]
    assert found.value == pytest.approx(1.0)
    assert 0.7 < found.low < 0.95


def test_one_image_says_next_to_nothing():
    truth, said = world(images=1)
    found = heldout.detect(truth, said, n_resamples=100)["AP"]
    assert found.high - found.low > 0.8
    assert found.notes == ("only 1 image: do not rely on this interval",)


def test_pascal_voc_by_name():
    truth, said = world()
    every, eleven = (heldout.detect(truth, said, rule=rule, n_resamples=150) for rule in ("voc", "voc2007"))
    assert list(every.estimates["detections"]) == list(eleven.estimates["detections"]) == ["AP50"]
    assert every["AP50"].value != eleven["AP50"].value
    assert list(heldout.detect(truth, said, rule="voc", iou=0.3, n_resamples=100).estimates["detections"]) == ["AP30"]


def test_classes_can_be_put_together():
    truth, said = world()
    found = heldout.detect(truth, said, by_class=False, n_resamples=100)
    assert found.labels == ("all classes",)
    assert found.classes == {}


def test_curves():
    truth, said = world()
    found = heldout.detect(truth, {"a": said}, n_resamples=100).curve("cat", model="a", iou=0.5)
    assert np.array_equal(np.diff(found.recall) > 0, found.correct[1:])
    assert np.all(np.diff(found.score) <= 0)
    assert np.array_equal(found.precision, found.tp / (found.tp + found.fp))
    assert found.precision[0] <= 1


WRONG = [
    ({"rule": "kitti"}, "no rule is named 'kitti'\n  Fix: choose one of coco, voc, voc2007"),
    ({"rule": "voc", "iou": 50}, "the IoU is 50, but must lie between 0 and 1\n  Fix: for half write 0.5"),
    (
        {"primary": "APlrge"},
        (
            "no metric is named 'APlrge'; did you mean 'APlarge'?\n  Fix: choose one of AP, AP50, AP75, APsmall, "
            "APmedium, APlarge, AR1, AR10, AR100, ARsmall, ARmedium, ARlarge"
        ),
    ),
    ({"baseline": "b"}, "no detector is named 'b'\n  Fix: choose one of detections"),
    (
        {"rule": "voc", "by_class": False},
        "Pascal VOC judges every class by itself\n  Fix: leave out by_class=False, or use rule='coco'",
    ),
    (
        {"iou": 0.5},
        (
            "iou has no effect with the rule coco, which takes IoU .50 to .95\n"
            "  Fix: leave out iou, or choose rule='voc'"
        ),
    ),
    *(
        (
            {"score_threshold": one},
            f"[H108] the score threshold {one!r} is not a finite number\n  Fix: give a number such as 0.5",
        )
        for one in (float("nan"), float("inf"), "0.5", True)
    ),
    ({"margin": -1}, "the margin of AP is -1, but must be 0 or more\n  Fix: give the size of a difference"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_what_cannot_be_asked(options, message):
    truth, said = world(images=5)
    given = {"detections": said, "other": said} if "margin" in options else said
    with pytest.raises(UsageError) as caught:
        heldout.detect(truth, given, n_resamples=100, **options)
    assert str(caught.value) == message


def test_unknown_names_of_a_result():
    truth, said = world(images=5)
    found = heldout.detect(truth, said, n_resamples=100)
    with pytest.raises(UsageError, match="no estimate is named 'ARlrge'; did you mean 'ARlarge'"):
        found["ARlrge"]
    with pytest.raises(UsageError, match="no class is named 'cow'"):
        found.curve("cow")
    with pytest.raises(UsageError) as caught:
        found.curve("cat", iou=0.33)
    assert caught.value.message == "nothing was matched at IoU 0.33"


def test_a_class_without_objects_is_undefined_and_left_out_of_the_mean():
    truth = {
        "images": [{"id": i} for i in range(4)],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
        "annotations": [{"id": i + 1, "image_id": i, "category_id": 1, "bbox": [0, 0, 50, 50]} for i in range(4)],
    }
    said = [{"image_id": i, "category_id": 1 + i % 2, "bbox": [0, 0, 50, 50], "score": 0.5} for i in range(4)]
    found = heldout.detect(truth, said, n_resamples=100)
    dog = found.classes["detections"]["dog"]["AP"]
    assert math.isnan(dog.value)
    assert dog.notes == ("undefined: no object counts",)
    assert found["AP"].value == found.classes["detections"]["cat"]["AP"].value


def test_frames():
    truth, said = world(images=10)
    frame = heldout.detect(truth, said, n_resamples=100).to_frame()
    assert list(frame.columns) == [
        *("model", "class", "metric", "value", "low", "high", "level", "method", "units", "better", "notes"),
        *("baseline", "pvalue", "pvalue_adjusted", "verdict"),
    ]
    assert len(frame) == 12 + 4
    several = heldout.detect(truth, {"old": said, "new": detector(truth, 0.05, 9)}, n_resamples=100)
    frame = several.to_frame()
    assert len(frame) == 2 * (12 + 4) + 12
    differences = frame[frame["baseline"] == "old"]
    assert differences["metric"].tolist() == [one.metric for one in several.differences]
    assert set(differences["model"]) == {"new"}


def test_right_wrong_and_missed_from_a_score_on():
    truth = {"image": ["a", "a", "b", "c"], "label": ["cat"] * 4, "x": [0, 100, 0, 0], "y": [0] * 4, "w": [50] * 4}
    truth["h"] = [50] * 4
    said = {**truth, "x": [2, 300, 0, 0], "score": [0.9, 0.8, 0.7, 0.2]}
    found = heldout.detect(truth, {"net": said}, n_resamples=100, score_threshold=0.5)
    one = found.at_score["net"]
    assert (one.tp, one.fp, one.fn) == (2, 1, 2)
    assert one.estimates["precision"].value == pytest.approx(2 / 3)
    assert one.estimates["recall"].value == pytest.approx(2 / 4)
    assert one.estimates["f1"].value == pytest.approx(4 / 7)
    assert one.estimates["recall"].method.endswith(", clustered")
    Draft202012Validator(schema("heldout.detection/1")).validate(found.to_dict())
    assert "score >= 0.5, IoU 0.5" in str(found)
    assert "2 tp, 1 fp" in str(found)


def test_a_detection_of_a_crowd_is_neither_right_nor_wrong():
    truth = {"image": ["a", "b"], "label": ["cat"] * 2, "x": [0, 0], "y": [0] * 2, "w": [90] * 2, "h": [90] * 2}
    said = {**truth, "w": [40, 90], "score": [0.9, 0.8]}
    one = heldout.detect({**truth, "iscrowd": [1, 0]}, said, n_resamples=100, score_threshold=0.0).at_score[
        "detections"
    ]
    assert (one.tp, one.fp, one.fn) == (1, 0, 0)


def test_one_class_can_be_looked_up_by_its_name():
    box = {"label": ["cat"] * 3, "x": [0] * 3, "y": [0] * 3, "w": [40] * 3, "h": [40] * 3}
    truth = {"image": ["a", "b", "c"], **box}
    found = heldout.detect(truth, {**truth, "score": [0.9, 0.8, 0.7]}, n_resamples=100)
    assert found.classes["detections"]["cat"]["AP50"].value == 1
    assert "classes" not in found.plot()


def test_sizes_of_objects_without_area_are_those_of_their_masks():
    """A thin diagonal has a large box and few pixels: without `area` it is small if masks are matched."""
    thin = [[0, 0, 4, 0, 100, 96, 100, 100, 96, 100, 0, 4]]
    line = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 100, 100], "segmentation": thin}
    truth = {
        "images": [{"id": 1, "width": 120, "height": 120}], "categories": [{"id": 1, "name": "stick"}],
        "annotations": [{"id": 1, **line}],
    }  # fmt: skip
    by_masks = heldout.detect(truth, [{**line, "score": 0.9}], iou_type="masks", n_resamples=100)
    by_boxes = heldout.detect(truth, [{**line, "score": 0.9}], n_resamples=100)
    sizes = [[name for name in ("APsmall", "APlarge") if found[name].value > 0.99] for found in (by_masks, by_boxes)]
    assert sizes == [["APsmall"], ["APlarge"]]
