from __future__ import annotations

import numpy as np
import pytest
from jsonschema import Draft202012Validator, ValidationError

import heldout
from heldout.report import rendered
from heldout.report.schema import schema


@pytest.fixture(scope="module")
def detection():
    rng = np.random.default_rng(0)
    count = 90
    truth = {
        "image": [str(i // 3) for i in range(count)],
        "label": [f"a class with a rather long name {k}" for k in rng.integers(0, 14, count)],
        "x": (100 * rng.random(count)).tolist(), "y": [0.0] * count, "w": [50.0] * count, "h": [50.0] * count,
    }  # fmt: skip
    said = {**truth, "score": rng.random(count).tolist(), "y": (40 * rng.random(count)).tolist()}
    other = {**said, "y": (80 * rng.random(count)).tolist()}
    return {
        models: heldout.detect(
            truth, dict(list({"one": said, "two": other, "three": said}.items())[:models]), n_resamples=100
        )
        for models in (1, 2, 3)
    }


@pytest.mark.parametrize("models", [1, 2, 3])
def test_text_has_80_columns(detection, models):
    lines = str(detection[models]).splitlines()
    assert max(len(line) for line in lines) <= 80
    assert lines[0].startswith("30 images (the unit of resampling), 90 objects, 14 classes; detections: 90 by")


def test_only_the_worst_classes_are_shown(detection):
    text = str(detection[1])
    assert "intervals of all 14 classes are simultaneous\n" in text
    assert "\n4 more classes: see .to_markdown(), .to_csv() or .to_json()\n" in text
    shown = [line for line in text.splitlines() if line.startswith("a class")]
    assert len(shown) == 10
    markdown = rendered(detection[1].to_dict(), "md")
    assert markdown.count("a class with a rather long name") == 14
    assert "average precision of one by IoU threshold" in markdown


def test_differences_that_are_not_significant_are_no_numbers(detection):
    text = str(detection[2])
    assert "AP of two minus one, by class" in text
    assert "images would settle" in text or "is WORSE" in text or "is BETTER" in text
    assert " rows " not in text


@pytest.mark.parametrize("form", ["text", "json", "md", "latex", "csv", "html"])
def test_every_format(detection, form):
    assert rendered(detection[2].to_dict(), form).endswith("\n")


def test_hostile_labels_are_escaped():
    truth = {"image": ["a", "b"], "label": ["<b>\x1b[31m|x", "&_"], "x": [0, 0], "y": [0, 0], "w": [9, 9], "h": [9, 9]}
    found = heldout.detect(truth, {"<i>": {**truth, "score": [0.5, 0.4]}}, n_resamples=100).to_dict()
    assert "\x1b" not in rendered(found, "text")
    assert "<b>" not in rendered(found, "html")
    assert "<i>" not in rendered(found, "html")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.update(extra=1),
        lambda d: d.pop("class_differences"),
        lambda d: d.update(verdict="PERHAPS"),
        lambda d: d["class_differences"][0].pop("low"),
        lambda d: d["by_iou"]["one"]["0.50"].pop("method"),
        lambda d: d.update(unit="rows"),
    ],
)
def test_the_schema_refuses_what_is_wrong(detection, spoil):
    found = detection[2].to_dict()
    Draft202012Validator(schema("heldout.detection/1")).validate(found)
    spoil(found)
    with pytest.raises(ValidationError):
        Draft202012Validator(schema("heldout.detection/1")).validate(found)
