"""What `detect` gives, as a value: figures by name, curves of classes, plain numbers."""

from __future__ import annotations

import json
from math import nan

import numpy as np
import pytest

import heldout
from heldout.errors import UsageError
from heldout.verbs.images.image_evaluation import ClassDifference, Pictured
from tests.verbs.images.test_detection import detector, world


@pytest.fixture(scope="module")
def results():
    truth, said = world()
    return heldout.detect(truth, said, draws=100), heldout.detect(
        truth, {"old": said, "new": detector(truth, 0.05, 9)}, draws=100
    )


def test_by_name_one_model_gives_estimates_and_two_give_differences(results):
    one, two = results
    assert isinstance(one, Pictured)
    assert one["AP"] is one.estimates["detections"]["AP"]
    assert two["AP"].metric == "AP"
    assert (two["AP"].a, two["AP"].b) == ("new", "old")
    values = [two.estimates[name]["AP"].value for name in ("new", "old")]
    assert two["AP"].value == pytest.approx(values[0] - values[1])
    with pytest.raises(UsageError, match=r"^no figure is named 'APP'; did you mean 'AP'\?"):
        one["APP"]


def test_the_curve_of_a_class_ends_at_its_recall(results):
    one, _ = results
    curve = one.curve("cat", iou=0.5)
    assert (np.diff(curve.recall) >= 0).all()
    assert curve.recall[-1] <= 1
    with pytest.raises(UsageError, match="there is no 'cow'"):
        one.curve("cow")
    with pytest.raises(UsageError, match=r"nothing was matched at IoU 0\.33"):
        one.curve("cat", iou=0.33)


def test_plain_values_survive_json(results):
    for result in results:
        plain = result.to_dict()
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain


def test_a_difference_of_a_class_without_a_number_is_none():
    one = ClassDifference(label="cat", a="new", b="old", value=nan, low=nan, high=0.5, level=0.95)
    assert one.to_dict() == {
        "class": "cat", "a": "new", "b": "old", "value": None, "low": None, "high": 0.5, "level": 0.95,
    }  # fmt: skip
