"""Which charts detections and masks can give."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.verbs.images.image_charts import MOST_CLASSES, SIZES
from tests.verbs.images.test_detection import detector, world


@pytest.fixture(scope="module")
def one():
    truth, said = world()
    return heldout.detect(truth, said, n_resamples=100)


@pytest.fixture(scope="module")
def two():
    truth, said = world()
    return heldout.detect(truth, {"old": said, "new": detector(truth, 0.05, 9)}, n_resamples=100)


def test_one_detector_has_curves_by_overlap_and_two_have_differences(one, two):
    assert {"metrics", "more_data", "by_iou", "sizes", "precision_recall", "precision_recall:iou"} <= set(
        one.plot.views
    )
    assert "differences" not in one.plot.views
    assert {"differences", "more_data", "precision_recall"} <= set(two.plot.views)
    assert "precision_recall:iou" not in two.plot.views


def test_the_figures_by_size_are_those_of_the_result(one):
    """No object is large here, and a figure without a number has no line."""
    frame = one.plot.figure("sizes").data
    defined = [name for name in SIZES if np.isfinite(one[name].value)]
    assert frame["metric"].tolist() == defined
    assert frame["low"].tolist() == pytest.approx([one[name].low for name in defined])
    assert len(defined) == 4


def test_every_view_can_be_drawn(one, two):
    for result in (one, two):
        for name, view in result.plot.views.items():
            assert view().title, name


def test_many_classes_share_a_curve_of_their_mean():
    truth, said = world(classes=tuple("abcdefghij"))
    figure = heldout.detect(truth, said, n_resamples=100).plot.figure("precision_recall")
    assert len(figure.curves) <= MOST_CLASSES + 1


def test_masks_have_a_confusion_matrix_by_model_and_no_curves():
    rng = np.random.default_rng(1)
    truth = [rng.integers(0, 3, (8, 8)) for _ in range(6)]
    said = [np.where(rng.random((8, 8)) < 0.8, one, 0) for one in truth]
    views = heldout.masks(truth, said).plot.views
    assert "confusion" in views
    assert "precision_recall" not in views


def test_a_chart_that_is_not_there_is_told(one):
    with pytest.raises(AttributeError, match="no chart is named 'precision_recal'; did you mean 'precision_recall'"):
        one.plot.precision_recal()
