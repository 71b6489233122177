"""Pages of detections and masks: their views, their words, and nothing unescaped."""

from __future__ import annotations

import re

import numpy as np
import pytest

import heldout
from heldout.report.html_report import page_html
from heldout.verbs.html_report import result_page
from tests.report.test_page import HOSTILE, sections
from tests.verbs.images.test_detection import detector, world


@pytest.fixture(scope="module")
def boxes():
    truth, said = world(images=20, classes=("cat", HOSTILE))
    return truth, {"one": said, HOSTILE: detector(truth, 0.2, 5)}


@pytest.fixture(scope="module")
def alone(boxes):
    truth, said = boxes
    return result_page(heldout.detect(truth, {"one": said["one"]}, draws=100))


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
        "Every score at once",
        "By overlap, size and class",
        "Where it goes wrong",
        "What more images would buy",
    ]
    assert "<h1>Detections of one</h1>" in alone
    assert "<dt>images</dt><dd>20</dd>" in alone
    assert "<dt>objects</dt><dd>60</dd>" in alone


def test_every_figure_has_a_bar_and_is_put_into_words(alone):
    metrics = alone[alone.index('<section id="metrics"') : alone.index('<section id="curves"')]
    assert metrics.count('<svg class="bar"') >= 9  # world has no large objects
    assert "Average precision at IoU .50</td>" in metrics
    assert "COCO: IoU .50 to .95, 101 recalls" in metrics


def test_the_worst_images_stand_with_their_counts(boxes, alone):
    truth, said = boxes
    found = heldout.detect(truth, {"one": said["one"]}, draws=100)
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
    text = result_page(heldout.detect(*boxes, draws=100))
    assert sections(text) == [
        "verdict", "metrics", "differences", "curves", "segments", "disagreement", "more_data", "provenance",
    ]  # fmt: skip
    assert "Where the models differ most" in titles(text)
    assert "alert(1)</script>" not in text
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in text
    assert "missed by one" in text


def test_pascal_voc_and_all_classes_together_have_pages_too(boxes):
    truth, said = boxes
    voc = result_page(heldout.detect(truth, {"one": said["one"]}, rule="voc", score=0.4, draws=100))
    assert sections(voc) == ["verdict", "metrics", "curves", "segments", "disagreement", "more_data", "provenance"]
    assert "detections from score 0.4 on</p>" in voc
    assert "By class" in titles(voc)
    together = result_page(heldout.detect(truth, {"one": said["one"]}, by_class=False, draws=100))
    assert "By overlap, size and class" in titles(together)


def test_masks_show_which_pixels_are_taken_for_which(maps):
    truth, said, labels = maps
    found = heldout.masks(truth, said, labels=labels)
    text = result_page(found)
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
    text = result_page(heldout.masks(truth, {"net": said}))
    assert 'data-figure="confusion"' in text
    assert "<summary>Intervals by class: 14 classes</summary>" in text
    one = result_page(heldout.masks(truth[:1], {"net": said[:1]}))
    assert "<dt>images</dt><dd>1</dd>" in one


def test_methods_that_the_lab_has_not_measured_are_listed_with_their_metrics(maps):
    truth, said, _ = maps
    d = heldout.masks(truth, {"old": said["old"]}).to_dict()
    for found in d["estimates"]["old"].values():
        found |= {"card": None, "method": "one way"}
    d["estimates"]["old"]["pixel_accuracy"]["method"] = "another"
    methods = page_html(d).partition("<h3>Methods</h3>")[2]
    assert '<th scope="row">one way</th><td>mean_iou, mean_dice</td>' in methods
    assert '<th scope="row">another</th><td>pixel_accuracy</td>' in methods


def test_report_writes_the_page(maps, tmp_path):
    truth, said, _ = maps
    found = heldout.masks(truth, {"old": said["old"]})
    assert found.report(tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
