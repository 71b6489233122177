"""Detections and masks: by overlap, size and class, and curves whose area is the average precision."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.charts.axis_scales import scaled
from heldout.charts.detection_figures import class_curve, mean_curve, overlap_steps
from heldout.charts.subgroup_forest import class_difference_forest, image_class_forest
from heldout.errors import UsageError


def area(figure, name):
    """The mean over 101 recalls of a curve, 0 beyond its end."""
    points = figure.curves[name].points
    at = np.searchsorted(points["recall"], np.linspace(0, 1, 101) - 1e-12)
    return np.append(points["precision"], 0.0)[at].mean()


def test_the_steps_are_those_of_the_result_and_the_mean_is_ap(detector):
    found = overlap_steps(detector.to_dict())
    assert found.data["iou"].tolist() == np.linspace(0.5, 0.95, 10).round(2).tolist()
    assert found.data["value"].mean() == pytest.approx(detector["AP"].value)
    assert found.data["low"][0] == detector.by_iou["sharp"]["0.50"].low
    assert found.caption == (
        "AP, mean over classes, by the IoU threshold of a match. Band: 95% interval at each IoU alone."
    )


def test_one_threshold_has_no_steps(boxes):
    import heldout

    found = heldout.detect(boxes[0], {"sharp": boxes[1]["sharp"]}, rule="voc", n_resamples=100)
    assert {"by_iou", "sizes", "precision_recall:iou"} & set(found.plot.views) == set()
    with pytest.raises(UsageError) as caught:
        overlap_steps(found.to_dict())
    assert str(caught.value) == "the by_iou chart needs several IoU thresholds\n  Fix: match with rule='coco'"


def test_the_classes_of_a_detector_stand_with_the_lowest_first(detector, hostile):
    figure = detector.plot.figure("classes")
    table = figure.data.set_index("segment")
    assert table["value"].is_monotonic_increasing
    assert set(table.index) == {"cat", "dog", hostile}
    assert table.loc["cat", "rows"] == detector.scene.label.tolist().count(detector.labels.index("cat"))
    assert (table.loc["cat", "low"], figure.overall["value"]) == (
        detector.classes["sharp"]["cat"]["AP"].low,
        detector["AP"].value,
    )
    assert figure.caption == "95% intervals that hold for all classes at once. Dashed: all classes."
    assert image_class_forest(detector.to_dict(), "AP50").title == "AP50 by class"


def test_the_classes_of_two_detectors_are_their_differences(detectors, hostile):
    figure = detectors.plot.figure("classes")
    told = {one.label: one for one in detectors.class_differences}
    assert figure.pair == (hostile, "sharp")
    assert figure.data.set_index("segment").loc["dog", "high"] == told["dog"].high
    with pytest.raises(UsageError) as caught:
        class_difference_forest(detectors.to_dict(), "sharpest")
    assert str(caught.value).startswith("no model is named 'sharpest'")


def test_a_class_without_an_interval_has_no_line(detectors):
    d = detectors.to_dict()
    d["class_differences"][0] |= {"low": None, "high": None}
    assert d["class_differences"][0]["class"] not in class_difference_forest(d).shown
    with pytest.raises(UsageError) as caught:
        class_difference_forest({**d, "class_differences": []})
    assert (
        str(caught.value) == "there are no classes to show one by one\n"
        "  Fix: leave out the chart, or give predictions of several classes"
    )


def test_the_area_below_a_curve_is_the_average_precision(detector):
    figure = detector.plot.figure("precision_recall")
    assert list(figure.curves)[-1] == "mean"
    for label in ("cat", "dog"):
        assert area(figure, label) == pytest.approx(detector.classes["sharp"][label]["AP50"].value, abs=1e-9)
        assert f"{label}: AP " in figure.names[label]
    assert area(figure, "mean") == pytest.approx(detector["AP50"].value, abs=2e-3)  # thinned


def test_the_mean_curve_is_the_mean_of_the_classes(detector):
    m = detector.drawn["sharp"].matches
    grid = np.linspace(0, 1, 101)
    each = []
    for kind in range(m.classes):
        points = class_curve(m, kind, 5).points
        at = np.searchsorted(points["recall"], grid - 1e-12)
        each.append(np.append(points["precision"], 0.0)[at])
    assert mean_curve(m, 5).points["precision"] == pytest.approx(np.mean(each, axis=0))


def test_curves_by_overlap_fall_with_it(detector):
    figure = detector.plot.figure("precision_recall:iou")
    assert list(figure.curves) == ["IoU 0.5", "IoU 0.6", "IoU 0.7", "IoU 0.75", "IoU 0.8", "IoU 0.9"]
    areas = [area(figure, name) for name in figure.curves]
    assert areas == sorted(areas, reverse=True)


def test_several_detectors_have_a_curve_each_and_classes_by_name(detectors, hostile):
    figure = detectors.plot.figure("precision_recall")
    assert list(figure.curves) == ["sharp", hostile]
    assert figure.title == "Precision and recall, mean over classes, IoU 0.5"
    chosen = detectors.plot.figure("precision_recall", model="sharp", labels=["dog"], iou=0.75)
    assert (list(chosen.curves), chosen.title) == (["dog"], "Precision and recall, IoU 0.75")
    assert chosen.alt.startswith("Precision and recall, IoU 0.75. dog: precision 1.00 at recall 0.1, ")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"iou": 0.52}, "nothing was matched at IoU 0.52\n  Fix: choose one of 0.5, 0.55, 0.6, 0.65, "),
        ({"labels": ["dot"]}, "no class is named 'dot'; did you mean 'dog'?\n  Fix: choose one of "),
        ({"model": "shar"}, "no model is named 'shar'; did you mean 'sharp'?\n  Fix: choose one of "),
        ({"by": "size"}, "curves go by class, iou or model, not by 'size'"),
    ],
)
def test_curves_that_there_are_not(detectors, asked, said):
    with pytest.raises(UsageError) as caught:
        detectors.plot.figure("precision_recall", **asked)
    assert str(caught.value).startswith(said)


def test_a_detector_that_finds_nothing_of_a_class_has_a_curve_at_zero():
    import heldout

    truth = {"image": ["a", "b"], "label": ["cat", "dog"], "x": [0, 0], "y": [0, 0], "w": [9, 9], "h": [9, 9]}
    said = {**truth, "label": ["cat", "cat"], "score": [0.9, 0.8]}
    figure = heldout.detect(truth, said, n_resamples=100).plot.figure("precision_recall")
    assert figure.curves["dog"].points["precision"].tolist() == [0.0]
    assert "A line ends where no more objects are found." in figure.caption


def test_sizes_are_put_into_words(detector):
    figure = detector.plot.figure("sizes")
    assert (figure.kind, figure.title) == ("sizes", "By size of the object")
    assert list(figure.metrics) == ["APsmall", "APmedium", "APlarge", "ARsmall", "ARmedium", "ARlarge"]
    assert figure.caption.endswith("Objects below 32 x 32 pixels are small, those above 96 x 96 large.")


def test_pixels_are_counted_by_model(label_maps, hostile):
    figure = label_maps.plot.figure("confusion")
    assert figure.counts.tolist() == label_maps.confusion["net"]
    assert figure.title == "Confusion matrix of net"
    other = label_maps.plot.figure(f"confusion:{hostile}")
    assert other.counts.sum() == label_maps.pixels
    assert "true road called sky: " in figure.alt


def test_figures_of_images_and_of_texts_share_their_axes():
    assert scaled(["AP", "bleu", "AR100", "chrf", "iou", "ter", "bertscore_f"]) == {
        "share": [0, 2, 4, 6],
        "percent": [1, 3],
        "ter": [5],
    }


def test_curves_can_be_drawn_on_axes_of_ones_own(detectors):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    _, ax = pyplot.subplots()
    assert detectors.plot.precision_recall(ax=ax) is ax
    assert [line.get_label() for line in ax.get_lines()] == list(
        detectors.plot.figure("precision_recall").names.values()
    )
    assert ax.get_xlabel() == "recall: share of the objects found"
    pyplot.close("all")
