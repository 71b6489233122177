from __future__ import annotations

import math

import numpy as np
import pytest

from heldout.boxes.average_precision import average_precisions, curve, recalls, the_twelve
from heldout.boxes.matching import AREAS, coco_matches, voc_matches
from heldout.errors import UsageError
from heldout.inputs.formats.image_objects import Detections, Objects, no_detections
from tests.boxes.scenes import plain_ap, scene


@pytest.mark.parametrize("seed", range(12))
def test_matching_follows_the_rules_written_down_plainly(seed):
    objects, detections = scene(seed)
    m = coco_matches(objects, detections)
    precision, recall = average_precisions(m), recalls(m, 100)
    for kind in range(2):
        for area, ends in enumerate(AREAS.values()):
            for t in (0, 3, 9):
                want = plain_ap(objects, detections, kind=kind, step=m.thresholds[t], ends=ends)
                got = precision[kind, area, t], recall[kind, area, t]
                assert got == pytest.approx(want, abs=1e-12, nan_ok=True), (kind, area, t)


@pytest.mark.parametrize("most", [1, 2, 5])
def test_only_the_best_detections_of_an_image_and_class_count(most):
    objects, detections = scene(3, detections=120)
    m = coco_matches(objects, detections, most=most)
    assert m.rank.max() == most - 1
    want = [plain_ap(objects, detections, kind=kind, step=0.5, ends=AREAS["all"], most=most) for kind in range(2)]
    assert average_precisions(m)[:, 0, 0] == pytest.approx([ap for ap, _ in want])
    whole = coco_matches(objects, detections)
    assert recalls(whole, most)[:, 0, 0] == pytest.approx([recall for _, recall in want])


def test_more_ranges_and_thresholds_than_one_number_has_bits():
    objects, detections = scene(4)
    steps = np.linspace(0.3, 0.95, 30)
    whole = coco_matches(objects, detections, thresholds=steps)
    for a, (name, ends) in enumerate(AREAS.items()):
        alone = coco_matches(objects, detections, thresholds=steps, areas={name: ends})
        assert np.array_equal(whole.outcome[:, a], alone.outcome[:, 0]), name
    assert len({whole.outcome[:, a].tobytes() for a in range(len(AREAS))}) == len(AREAS)


def test_classes_put_together():
    objects, detections = scene(5)
    m = coco_matches(objects, detections, by_class=False)
    alone = Objects(
        images=objects.images, classes=("all",), image=objects.image, label=np.zeros_like(objects.label),
        box=objects.box, area=objects.area, crowd=objects.crowd,
    )  # fmt: skip
    first = np.argsort(detections.label, kind="stable")
    said = Detections(
        image=detections.image[first], label=np.zeros_like(first), box=detections.box[first],
        score=detections.score[first], area=detections.area[first],
    )  # fmt: skip
    assert the_twelve(m) == pytest.approx(the_twelve(coco_matches(alone, said)), nan_ok=True)


def test_no_detections_find_nothing():
    objects, _ = scene(1)
    found = the_twelve(coco_matches(objects, no_detections()))
    assert found["AP"] == found["AR100"] == 0


def test_no_objects_leave_precision_undefined():
    objects, detections = scene(1)
    empty = Objects(
        images=objects.images, classes=objects.classes, image=objects.image[:0], label=objects.label[:0],
        box=objects.box[:0], area=objects.area[:0], crowd=objects.crowd[:0],
    )  # fmt: skip
    assert all(math.isnan(value) for value in the_twelve(coco_matches(empty, detections)).values())


def test_a_crowd_takes_any_number_of_detections_and_counts_for_none():
    objects = Objects(
        images=(0,), classes=("cat",), image=np.zeros(2, int), label=np.zeros(2, int),
        box=np.array([[0.0, 0, 50, 50], [100, 100, 20, 20]]), area=np.array([2500.0, 400.0]),
        crowd=np.array([True, False]),
    )  # fmt: skip
    box = np.array([[1.0, 1, 10, 10], [5, 5, 10, 10], [100, 100, 20, 20]])
    detections = Detections(
        image=np.zeros(3, int), label=np.zeros(3, int), box=box, score=np.array([0.9, 0.8, 0.7]), area=np.full(3, 400.0)
    )
    assert the_twelve(coco_matches(objects, detections))["AP"] == pytest.approx(1.0)


def test_pascal_voc_leaves_out_whatever_claims_a_crowd():
    """Two classes, so that a count too many in the first would be looked up in the second."""
    box = np.array([[0.0, 0, 10, 10], [50, 50, 10, 10], [0, 0, 10, 10]])
    objects = Objects(
        images=(0,), classes=("cat", "dog"), image=np.zeros(3, int), label=np.array([0, 0, 1]), box=box,
        area=np.full(3, 100.0), crowd=np.array([True, False, False]),
    )  # fmt: skip
    detections = Detections(
        image=np.zeros(4, int), label=np.array([0, 0, 0, 1]), box=box[[0, 0, 1, 2]], area=np.full(4, 100.0),
        score=np.array([0.9, 0.8, 0.7, 0.6]),
    )  # fmt: skip
    m = voc_matches(objects, detections, thresholds=np.array([0.5]))
    assert m.outcome[:, 0, 0].tolist() == [2, 2, 1, 1]
    assert average_precisions(m, "all")[:, 0, 0] == pytest.approx([1, 1])
    assert recalls(m, 100)[:, 0, 0].tolist() == [1, 1]


def test_pascal_voc_gives_the_second_claim_of_an_object_to_nobody():
    """A detection that overlaps a taken object most is wrong; COCO gives it the free one below."""
    objects = Objects(
        images=(0,), classes=("cat",), image=np.zeros(2, int), label=np.zeros(2, int),
        box=np.array([[0.0, 0, 20, 20], [4, 0, 20, 20]]), area=np.full(2, 400.0), crowd=np.zeros(2, bool),
    )  # fmt: skip
    detections = Detections(
        image=np.zeros(2, int), label=np.zeros(2, int), box=np.array([[0.0, 0, 20, 20], [1, 0, 20, 20]]),
        score=np.array([0.9, 0.8]), area=np.full(2, 400.0),
    )  # fmt: skip
    voc = voc_matches(objects, detections, thresholds=np.array([0.5]))
    assert average_precisions(voc, "all")[0, 0, 0] == pytest.approx(0.5)
    assert average_precisions(coco_matches(objects, detections))[0, 0, 0] == pytest.approx(1.0)


def test_interpolations_of_the_textbook_curve():
    """7 detections, right wrong right wrong right right right, of 12 objects: mission row C7."""
    right = np.array([1, 0, 1, 0, 1, 1, 1], dtype=bool)
    box = np.array([[30.0 * i, 0, 20, 20] for i in range(12)])
    objects = Objects(
        images=(0,), classes=("cat",), image=np.zeros(12, int), label=np.zeros(12, int), box=box,
        area=np.full(12, 400.0), crowd=np.zeros(12, bool),
    )  # fmt: skip
    said = box[:7] + np.where(right, 0.0, 500.0)[:, None] * np.array([0, 1, 0, 0])
    detections = Detections(
        image=np.zeros(7, int), label=np.zeros(7, int), box=said, score=np.linspace(0.9, 0.1, 7), area=np.full(7, 400.0)
    )
    m = voc_matches(objects, detections, thresholds=np.array([0.5]))
    assert average_precisions(m, "all")[0, 0, 0] == pytest.approx(0.3214285714)
    assert average_precisions(m, "11")[0, 0, 0] == pytest.approx(0.3506493506)
    assert average_precisions(m, "steps")[0, 0, 0] == pytest.approx(0.3039682540)
    found = curve(m, 0, 0)
    assert found.precision.tolist() == pytest.approx([1, 1 / 2, 2 / 3, 2 / 4, 3 / 5, 4 / 6, 5 / 7])
    assert found.recall.tolist() == pytest.approx([hits / 12 for hits in (1, 1, 2, 2, 3, 4, 5)])
    assert np.sum(np.diff(found.recall, prepend=0) * found.precision) == pytest.approx(0.3039682540)


def test_too_many_thresholds_are_refused():
    objects, detections = scene(1)
    with pytest.raises(UsageError) as caught:
        coco_matches(objects, detections, thresholds=np.linspace(0.01, 0.99, 64))
    assert str(caught.value) == "64 IoU thresholds are too many at once\n  Fix: give 63 or fewer"
    many = coco_matches(objects, detections, thresholds=np.linspace(0.5, 0.95, 46))
    assert average_precisions(many)[:, 0, ::5] == pytest.approx(
        average_precisions(coco_matches(objects, detections))[:, 0]
    )
