"""HTML reports of detections and masks: their sections, their words, and nothing unescaped."""

from __future__ import annotations

import re

import numpy as np
import pytest

import heldout
from heldout.report.html_report import Contents, report_html
from heldout.report.kinds import document
from heldout.verbs.result import report_text
from tests.report.test_html_report import HOSTILE, sections
from tests.verbs.images.test_detection import detector, world


@pytest.fixture(scope="module")
def boxes():
    truth, said = world(images=20, classes=("cat", HOSTILE))
    return truth, {"one": said, HOSTILE: detector(truth, 0.2, 5)}


@pytest.fixture(scope="module")
def alone(boxes):
    truth, said = boxes
    return report_text(heldout.detect(truth, {"one": said["one"]}, n_resamples=100))


@pytest.fixture(scope="module")
def maps():
    rng = np.random.default_rng(0)
    truth = [rng.integers(0, 3, (6, 7)) for _ in range(10)]
    said = {
        name: [np.where(rng.random(one.shape) < share, 0, one) for one in truth]
        for name, share in (("old", 0.3), (HOSTILE, 0.2))
    }
    return truth, said, {0: "road", 1: HOSTILE, 2: "sky"}


def titles(text: str) -> list[str]:
    return re.findall(r"<h2 id=[^>]*>([^<]*)</h2>", text)


def test_the_views_of_one_detector(alone):
    assert sections(alone) == [
        "verdict", "metrics", "curves", "segments", "disagreement", "more_data", "provenance",
    ]  # fmt: skip
    assert titles(alone)[2:6] == [
        "Precision and recall at every score",
        "By overlap, size and class",
        "Images with the lowest values",
        "Confidence intervals with more images",
    ]
    assert "<h1>Object detection of one</h1>" in alone
    assert "<dt>images</dt><dd>20</dd>" in alone
    assert "<dt>objects</dt><dd>60</dd>" in alone


def test_every_figure_has_a_bar_and_is_put_into_words(alone):
    metrics = alone[alone.index('<section id="metrics"') : alone.index('<section id="curves"')]
    assert metrics.count('<svg class="bar"') >= 9  # world has no large objects
    assert "Average precision at IoU .50</td>" in metrics
    provenance = alone.partition('<section id="provenance"')[2].partition("</section>")[0]
    assert "COCO: IoU .50 to .95, 101 recalls, 100 detections per image and class" in provenance


def test_the_worst_images_stand_with_their_counts(boxes, alone):
    truth, said = boxes
    found = heldout.detect(truth, {"one": said["one"]}, n_resamples=100)
    first = found.worst_images()["one"][0]
    part = alone[alone.index('<section id="disagreement"') :]
    row = re.search(r'<tr><th scope="row">(\d+)</th>((?:<td[^>]*>[^<]*</td>)+)</tr>', part)
    cells = re.findall(r">([^<]*)</td>", row[2])
    assert row[1] == first["image"]
    assert [float(cell) for cell in cells] == [
        pytest.approx(first["moves"], abs=5e-3),
        first["objects"],
        first["found"],
        first["wrong"],
        first["missed"],
    ]
    assert "where F1 is highest on these images" in part


def test_the_views_of_two_detectors(boxes):
    text = report_text(heldout.detect(*boxes, n_resamples=100))
    assert sections(text) == [
        "verdict", "metrics", "differences", "curves", "segments", "disagreement", "more_data", "provenance",
    ]  # fmt: skip
    assert "Where the models differ most" in titles(text)
    assert "alert(1)</script>" not in text
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in text
    assert "missed by one" in text


def test_pascal_voc_and_all_classes_together_have_reports_too(boxes):
    truth, said = boxes
    voc = report_text(heldout.detect(truth, {"one": said["one"]}, rule="voc", score_threshold=0.4, n_resamples=100))
    assert sections(voc) == ["verdict", "metrics", "curves", "segments", "disagreement", "more_data", "provenance"]
    assert "detections from score 0.4 on</p>" in voc
    assert "By class" in titles(voc)
    together = report_text(heldout.detect(truth, {"one": said["one"]}, by_class=False, n_resamples=100))
    assert "By overlap, size and class" in titles(together)


def test_masks_show_which_pixels_are_taken_for_which(maps):
    truth, said, labels = maps
    found = heldout.masks(truth, said, labels=labels)
    text = report_text(found)
    assert sections(text) == [
        "verdict", "metrics", "differences", "confusion", "segments", "disagreement", "more_data", "provenance",
    ]  # fmt: skip
    matrix = text[text.index('<section id="confusion"') : text.index('<section id="segments"')]
    counts = [int(one) for one in re.findall(r'data-counts="(\d+)"', matrix)]
    assert counts == [n for model in found.models for line in found.confusion[model] for n in line]
    assert matrix.count("Per 1,000 pixels") == 2
    assert matrix.count('data-way="truth" aria-pressed="true"') == 2
    assert 'data-figure="confusion' not in text
    assert "alert(1)</script>" not in text


def test_of_many_classes_the_matrix_is_a_chart_and_the_table_is_folded():
    rng = np.random.default_rng(0)
    truth = [rng.integers(0, 14, (8, 9)) for _ in range(10)]
    said = [np.where(rng.random(one.shape) < 0.2, 0, one) for one in truth]
    text = report_text(heldout.masks(truth, {"net": said}))
    assert 'data-figure="confusion"' in text
    assert "<summary>Intervals by class: 14 classes</summary>" in text
    one = report_text(heldout.masks(truth[:1], {"net": said[:1]}))
    assert "<dt>images</dt><dd>1</dd>" in one


def test_methods_without_simulated_coverage_are_listed_with_their_metrics(maps):
    truth, said, _ = maps
    d = heldout.masks(truth, {"old": said["old"]}).to_dict()
    for found in d["estimates"]["old"].values():
        found |= {"card": None, "method": "one way"}
    d["estimates"]["old"]["pixel_accuracy"]["method"] = "another"
    methods = report_html(d, document(d), Contents()).partition("<h3>Methods</h3>")[2]
    rows = re.findall(r'<tr><th scope="row">(\w+)</th><td>([\w ]+)</td>', methods)
    assert rows == [("mean_iou", "one way"), ("mean_dice", "one way"), ("pixel_accuracy", "another")]


def test_report_writes_the_file(maps, tmp_path):
    truth, said, _ = maps
    found = heldout.masks(truth, {"old": said["old"]})
    assert found.report(tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
