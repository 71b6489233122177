from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from heldout.boxes.average_precision import average_precisions, recalls
from heldout.boxes.image_resamples import weighed
from heldout.boxes.matching import coco_matches, voc_matches
from tests.boxes.scenes import scene


def repeated(lines, times):
    """The lines with every image as often as `times` says, each copy an image of its own."""
    parts = []
    for image, count in enumerate(times):
        mine = np.flatnonzero(lines.image == image)
        parts += [(mine, np.full(len(mine), sum(times[:image]) + copy)) for copy in range(count)]
    chosen = np.concatenate([part for part, _ in parts])
    moved = {"image": np.concatenate([image for _, image in parts])}
    if hasattr(lines, "images"):
        moved["images"] = tuple(range(sum(times)))
    fields = {
        name: getattr(lines, name)[chosen]
        for name in ("label", "box", "area", "crowd", "score")
        if hasattr(lines, name)
    }
    return replace(lines, **fields, **moved)


@pytest.mark.parametrize("seed", range(6))
def test_weighing_an_image_is_repeating_it(seed):
    objects, detections = scene(seed)
    # tied scores would stand image by image, and a copy is another image
    detections = replace(detections, score=np.random.default_rng(seed).permutation(detections.count) / detections.count)
    times = np.random.default_rng(seed).multinomial(6, np.full(6, 1 / 6)).tolist()
    found = weighed(coco_matches(objects, detections), np.array([times, [1] * 6]).T)
    for draw, counts in enumerate((times, [1] * 6)):
        m = coco_matches(repeated(objects, counts), repeated(detections, counts))
        np.testing.assert_allclose(found.precision[..., draw], average_precisions(m), atol=2e-6)
        np.testing.assert_allclose(found.recall[100][..., draw], recalls(m, 100), atol=1e-6)
        np.testing.assert_allclose(found.recall[1][:, 0, :, draw], recalls(m, 1)[:, 0], atol=1e-6)


@pytest.mark.parametrize("points", ["11", "all"])
def test_other_interpolations_are_weighed_too(points):
    objects, detections = scene(4)
    m = voc_matches(objects, detections, thresholds=np.array([0.3, 0.5]))
    found = weighed(m, np.ones((6, 1)), points=points, most=())
    np.testing.assert_allclose(found.precision[..., 0], average_precisions(m, points), atol=2e-6)


def test_a_draw_without_objects_of_a_class_says_nothing_of_it():
    objects, detections = scene(2, images=2, classes=2)
    only = replace(objects, label=objects.image)  # class 0 is in the first image, class 1 in the second
    found = weighed(coco_matches(only, detections), np.array([[2, 0], [0, 2]]).T)
    absent = np.isnan(found.precision[:, 0, 0])
    assert absent.tolist() == [[False, True], [True, False]]
