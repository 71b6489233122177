"""A world of boxes: what it says of itself is so."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.boxes.average_precision import the_twelve
from heldout.boxes.matching import coco_matches
from heldout.lab.corpora.image_worlds import boxes


def test_two_detectors_are_equally_good_and_hard_images_are_hard_for_both():
    world = boxes(classes=2, objects=2, wrong=1, blur=0.08)
    objects, said = world.sample(1500, np.random.default_rng(6))
    first, second = (the_twelve(coco_matches(objects, one)) for one in said)
    assert all(abs(first[name] - second[name]) < 0.04 for name in first)
    assert all(0 < value < 1 for value in first.values())
    found = [np.bincount(one.image[one.box[:, 1] < 400], minlength=1500) for one in said]
    wanted = np.bincount(objects.image, minlength=1500)
    missed = [wanted - one for one in found]
    assert np.corrcoef(*missed)[0, 1] > 0.2


def test_the_frequencies_of_classes():
    objects, _ = boxes(classes=3, objects=1, tail=1).sample(4000, np.random.default_rng(1))
    assert np.bincount(objects.label) / 4000 == pytest.approx(np.array([18, 9, 6]) / 11, abs=0.08)
