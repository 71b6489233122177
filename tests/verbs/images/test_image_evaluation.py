"""What `detect` gives, as a value: figures by name, curves of classes, plain numbers."""

from __future__ import annotations

import json
from math import isnan, nan

import numpy as np
import pytest

import heldout
from heldout.errors import UsageError
from heldout.stats.multiplicity import holm
from heldout.stats.outcome import Outcome
from heldout.verbs.images.image_evaluation import ClassDifference, DetectionEvaluation, judge_images
from tests.verbs.images.test_detection import detector, world


@pytest.fixture(scope="module")
def results():
    truth, said = world()
    return heldout.detect(truth, said, n_resamples=100), heldout.detect(
        truth, {"old": said, "new": detector(truth, 0.05, 9)}, n_resamples=100
    )


def test_by_name_one_model_gives_estimates_and_two_give_differences(results):
    one, two = results
    assert isinstance(one, DetectionEvaluation)
    assert one["AP"] is one.estimates["detections"]["AP"]
    assert two["AP"].metric == "AP"
    assert (two["AP"].model, two["AP"].baseline) == ("new", "old")
    values = [two.estimates[name]["AP"].value for name in ("new", "old")]
    assert two["AP"].value == pytest.approx(values[0] - values[1])
    with pytest.raises(UsageError, match=r"^no estimate is named 'APP'; did you mean 'AP'\?"):
        one["APP"]


def test_the_curve_of_a_class_ends_at_its_recall(results):
    one, _ = results
    curve = one.curve("cat", iou=0.5)
    assert (np.diff(curve.recall) >= 0).all()
    assert curve.recall[-1] <= 1
    with pytest.raises(UsageError, match="no class is named 'cow'"):
        one.curve("cow")
    with pytest.raises(UsageError, match=r"nothing was matched at IoU 0\.33"):
        one.curve("cat", iou=0.33)


def test_plain_values_survive_json(results):
    for result in results:
        plain = result.to_dict()
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain


def test_a_difference_of_a_class_without_a_number_is_none():
    one = ClassDifference(label="cat", model="new", baseline="old", value=nan, low=nan, high=0.5, level=0.95)
    assert one.to_dict() == {
        "class": "cat", "model": "new", "baseline": "old", "value": None, "low": None, "high": 0.5, "level": 0.95,
    }  # fmt: skip


def outcome(p, value=0.1, test="paired image bootstrap"):
    return Outcome(value=value, low=value - 0.08, high=value + 0.08, pvalue=p, test=test, error=0.04)


def judged(outcomes, margin=None):
    judgement = judge_images(
        outcomes, baseline="old", primary="AP", margin=margin, images=50, level=0.95, of_baseline={}
    )
    return judgement, {(one.model, one.metric): one for one in judgement.differences}


def test_the_primary_figure_is_corrected_for_models_and_all_others_together():
    outcomes = {
        (model, figure): outcome(p)
        for model, ps in (("a", (0.02, 0.03, 0.01)), ("b", (0.04, 0.20, 0.005)))
        for figure, p in zip(("AP", "AP50", "AR1"), ps, strict=True)
    }
    _, differences = judged(outcomes)
    first = holm(np.array([0.02, 0.04]))
    assert [differences[model, "AP"].pvalue_adjusted for model in "ab"] == pytest.approx(first.tolist())
    rest = [pair for pair in outcomes if pair[1] != "AP"]
    corrected = holm(np.array([outcomes[pair].pvalue for pair in rest]))
    assert [differences[pair].pvalue_adjusted for pair in rest] == pytest.approx(corrected.tolist())
    assert (differences["a", "AP"].verdict, differences["b", "AP50"].verdict) == ("BETTER", "UNDECIDED")


def test_a_figure_that_could_not_be_tested_is_no_part_of_the_correction():
    """It has no verdict, and is still shown."""
    outcomes = {("a", "AP"): outcome(0.01), ("a", "AP50"): outcome(nan, test="none"), ("a", "AR1"): outcome(0.02)}
    _, differences = judged(outcomes)
    assert isnan(differences["a", "AP50"].pvalue_adjusted)
    assert differences["a", "AP50"].verdict is None
    assert differences["a", "AP50"].printed
    assert differences["a", "AR1"].pvalue_adjusted == pytest.approx(0.02)


def test_undecided_says_how_many_images_would_settle_it():
    _, undecided = judged({("a", "AP"): outcome(0.3)})
    assert undecided["a", "AP"].rows_needed > 50
    _, decided = judged({("a", "AP"): outcome(0.001)})
    assert decided["a", "AP"].rows_needed is None


def test_a_margin_makes_small_differences_equivalent():
    small = Outcome(value=0.001, low=-0.01, high=0.012, pvalue=0.8, test="paired image bootstrap", error=0.0056)
    assert judged({("a", "AP"): small}, margin=0.02)[1]["a", "AP"].verdict == "EQUIVALENT"
    assert judged({("a", "AP"): small}, margin=0.005)[1]["a", "AP"].verdict == "UNDECIDED"


def test_the_overall_verdict_is_that_of_all_models():
    better, worse = outcome(0.001), outcome(0.001, value=-0.1)
    assert judged({("a", "AP"): better})[0].verdict == "BETTER"
    both, _ = judged({("a", "AP"): better, ("b", "AP"): worse})
    assert both.verdicts == {"a": "BETTER", "b": "WORSE"}
    assert both.verdict == "UNDECIDED"
    assert judged({})[0].verdict is None
