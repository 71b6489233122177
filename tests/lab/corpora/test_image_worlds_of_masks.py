"""A world of masks: what it says of itself is so."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.lab.corpora.image_worlds import PIXELS, pixels


@pytest.mark.parametrize("given", [{}, {"classes": 6, "present": 0.2}, {"classes": 2, "present": 1.0}])
def test_pixels_of_many_images_come_near_those_on_average(given):
    world = pixels(**given)
    for cells in world.sample(3000, np.random.default_rng(4)):
        assert cells.rows.sum() == 3000 * PIXELS
        assert np.abs(cells.counts / 3000 - world.counts).max() < 0.02 * PIXELS
        right = np.diag(cells.counts)
        iou = right / (cells.counts.sum(axis=0) + cells.counts.sum(axis=1) - right)
        assert np.abs(iou - world.class_truths).max() < 0.02
        assert world.truths["mean_iou"] == pytest.approx(world.class_truths.mean())
