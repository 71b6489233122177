"""Mission rows I1, I2 and, of detectors, I5."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from tests.boxes.scenes import plain_ap, scene


def test_I1_pixel_segmentation():
    """Precision, recall, IoU and Dice of a class from its pixels: 3 found, 1 wrongly, 2 missed."""
    truth = [np.array([[1, 1, 1, 1, 1, 0, 0, 0]])] * 4
    said = [np.array([[1, 1, 1, 0, 0, 1, 0, 0]])] * 4
    found = heldout.masks(truth, said).classes["prediction"]["1"]
    assert found["precision"].value == pytest.approx(3 / 4)
    assert found["recall"].value == pytest.approx(3 / 5)
    assert found["iou"].value == pytest.approx(3 / 6)
    assert found["dice"].value == pytest.approx(6 / 9)
    assert all(one.low <= one.value <= one.high for one in found.values())


def test_I2_box_overlap():
    assert float(heldout.box_iou([0, 0, 10, 10], [5, 5, 10, 10], "xywh")) == pytest.approx(25 / 175)


def table(lines, classes, **more):
    names = ("x", "y", "w", "h")
    columns = {name: lines.box[:, at].tolist() for at, name in enumerate(names)}
    return {"image": lines.image.tolist(), "label": [classes[k] for k in lines.label], **columns, **more}


def test_I2_the_twelve_figures_with_intervals_over_images():
    objects, detections = scene(8, images=25, objects=120, detections=360)
    truth = table(objects, objects.classes, iscrowd=objects.crowd.astype(int).tolist())
    said = table(detections, objects.classes, score=detections.score.tolist())
    found = heldout.detect(truth, said, n_resamples=200)
    want = [plain_ap(objects_of(found), detections, kind=kind, step=0.5, ends=(0, 1e10))[0] for kind in range(2)]
    assert found["AP50"].value == pytest.approx(np.mean(want), abs=1e-9)
    assert len(found.estimates["detections"]) == 12
    for one in found.estimates["detections"].values():
        assert one.low <= one.value <= one.high
        assert one.high - one.low > 0.01


def objects_of(found):
    assert found.scene is not None
    return found.scene


def test_I5_two_detectors_are_compared_on_the_same_images():
    """The detectors share their images, and so their luck: paired, a difference is seen that two intervals hide."""
    objects, _ = scene(8, images=60, objects=240, detections=10)
    truth = table(objects, objects.classes)
    rng = np.random.default_rng(0)
    score = rng.random(240)
    worse = rng.random(240) < 0.1
    both = [
        {**truth, "score": score.tolist(), "y": (objects.box[:, 1] + 500 * wrong).tolist()}
        for wrong in (rng.random(240) < 0.3) * np.ones((2, 1)) + [np.zeros(240), worse]
    ]
    found = heldout.detect(truth, {"a": both[0], "b": both[1]}, n_resamples=300)
    first, second = (found.estimates[name]["AP"] for name in "ab")
    assert first.low < second.high  # the intervals overlap
    assert found.verdict == "WORSE"
    assert found["AP"].high < 0
