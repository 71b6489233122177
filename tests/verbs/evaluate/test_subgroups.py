"""Segments: one test per metric, the largest supported gap, and differences of two models by segment."""

from __future__ import annotations

import json
from math import isnan

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import heldout
from heldout.formulas import METRICS
from heldout.report.schema import schema
from heldout.stats.heterogeneity import heterogeneity_of_shares
from heldout.verbs.measurement import Measurement

rng = np.random.default_rng(0)
SITE = np.repeat(["north", "south", "west"], 100)
TRUTH = np.tile([0, 1], 150)
RIGHT = np.tile(np.arange(100), 3) >= np.repeat([10, 40, 12], 100)
SAID = np.where(RIGHT, TRUTH, 1 - TRUTH)
SCORE = 0.5 + (TRUTH - 0.5) * np.where(SITE == "south", 0.1, 0.6) + 0.15 * rng.standard_normal(300)


def sites(**options):
    return heldout.evaluate(TRUTH, SAID, segments={"site": SITE}, **options).segments["site"]


def test_one_test_and_the_largest_supported_gap():
    found = sites(metrics="accuracy")
    one, gap = found.heterogeneity["accuracy"], found.gap["accuracy"]
    assert one.pvalue == heterogeneity_of_shares([90, 60, 88], [100] * 3, draws=2000, seed=0)
    assert (one.pvalue < 0.001, one.pvalue_adjusted, one.test) == (True, one.pvalue, "chi-square, hits permuted")
    assert (gap.more, gap.less, gap.value, gap.level) == ("north", "south", pytest.approx(0.3), 0.95)
    assert 0 < gap.low < gap.value < gap.high < 0.5


def test_alike_segments_have_no_gap():
    found = heldout.evaluate(TRUTH, SAID, segments={"day": np.tile(["mon", "tue", "wed"], 100)}, metrics="accuracy")
    assert found.segments["day"].heterogeneity["accuracy"].pvalue > 0.2
    assert found.segments["day"].gap == {}
    assert "accuracy does not differ significantly by day: p 0." in str(found)


def test_p_values_are_corrected_for_the_number_of_metrics():
    found = heldout.evaluate(TRUTH, y_score=SCORE, segments={"site": SITE}, metrics="roc_auc,average_precision")
    tests = found.segments["site"].heterogeneity
    assert [one.test for one in tests.values()] == ["Q, segments permuted"] * 2
    assert [one.pvalue for one in tests.values()] == [1 / 2001] * 2
    assert [one.pvalue_adjusted for one in tests.values()] == [2 / 2001] * 2


def test_a_metric_that_is_not_smooth_is_not_tested():
    found = heldout.evaluate(
        SCORE, SCORE + rng.standard_normal(300), segments={"site": SITE}, metrics="median_absolute_error,mae"
    ).segments["site"]
    assert isnan(found.heterogeneity["median_absolute_error"].pvalue)
    assert found.heterogeneity["median_absolute_error"].to_dict() == {
        "pvalue": None,
        "pvalue_adjusted": None,
        "test": "none",
    }
    assert found.heterogeneity["mae"].pvalue_adjusted == found.heterogeneity["mae"].pvalue
    assert "median_absolute_error" not in found.gap


def test_f1_is_tested_through_the_share_it_is_a_function_of():
    found = sites(metrics="f1,jaccard")
    assert found.heterogeneity["f1"].pvalue == found.heterogeneity["jaccard"].pvalue
    assert found.heterogeneity["f1"].test == "chi-square, hits permuted"


def test_groups_in_several_segments_are_tested_jointly():
    across = sites(metrics="accuracy", groups=np.tile(np.arange(100), 3))
    within = sites(metrics="accuracy", groups=np.arange(300) // 2)
    assert across.heterogeneity["accuracy"].test == "joint Wald, F"
    assert within.heterogeneity["accuracy"].test == "Q, segments permuted"
    assert across.heterogeneity["accuracy"].pvalue < 0.001
    assert across.gap["accuracy"].low > within.gap["accuracy"].low  # the same patients fail: pairing tells more


def test_weights_are_importance():
    weight = np.tile([1.0, 3.0], 150)
    heavy, scaled = (sites(metrics="accuracy", sample_weight=weight * by) for by in (1.0, 100.0))
    assert heavy.heterogeneity["accuracy"].test == "Q, segments permuted"
    assert heavy.heterogeneity == scaled.heterogeneity
    assert heavy.heterogeneity["accuracy"].pvalue == 1 / 2001
    assert heavy.gap["accuracy"].value == pytest.approx(0.3)


def test_one_bound_asked_for_does_not_change_test_and_gap():
    assert sites(metrics="accuracy", side="lower").gap == sites(metrics="accuracy").gap
    assert sites(metrics="accuracy", side="lower").heterogeneity == sites(metrics="accuracy").heterogeneity


def test_segments_of_few_units_are_not_tested():
    found = sites(metrics="accuracy", groups=SITE)
    assert (found.heterogeneity["accuracy"].test, found.gap) == ("none", {})


def test_an_infinite_loss_is_left_out():
    chance = np.clip(SCORE, 0.01, 0.99)
    chance[0] = 1.0 - TRUTH[0]
    found = heldout.evaluate(TRUTH, y_proba=chance, segments={"site": SITE}, metrics="log_loss").segments["site"]
    assert found.heterogeneity["log_loss"].pvalue < 0.01  # south and west are left
    assert found.gap["log_loss"].more == "south"


def test_one_segment_alone_is_not_tested():
    found = heldout.evaluate(TRUTH, SAID, segments=np.repeat("only", 300), metrics="accuracy").segments["segment"]
    assert (found.heterogeneity, found.gap) == ({}, {})


def test_where_the_truth_has_one_class_segments_are_not_folded_for_lack_of_the_other():
    """The log of an evaluation: every sample should be right."""
    found = heldout.evaluate(
        np.ones(300, int), RIGHT.astype(int), labels=[0, 1], segments={"site": SITE}, metrics="accuracy"
    ).segments["site"]
    assert (list(found.shown), found.folded) == (["north", "south", "west"], (0, 0))
    assert list(found.gap) == ["accuracy"]


def test_plain_values_are_valid():
    found = heldout.evaluate(TRUTH, SAID, segments={"site": SITE}).to_dict()
    assert json.loads(json.dumps(found)) == found
    Draft202012Validator(schema("heldout.evaluation/1")).validate(found)
    assert set(found["segments"]["site"]["gap"]["accuracy"]) == {"more", "less", "value", "low", "high", "level"}


# ---- two models


def compared(**options):
    return heldout.compare(
        TRUTH, {"old": TRUTH ^ (np.arange(300) % 5 == 0), "new": SAID}, segments={"site": SITE}, **options
    )


def test_the_difference_by_segment():
    found = compared(primary="accuracy")
    parts = found.segments["site"][0]
    assert (parts.model, parts.baseline, list(parts.shown)) == ("new", "old", ["north", "south", "west"])
    assert {name: one["accuracy"].value for name, (_, _, one) in parts.shown.items()} == pytest.approx(
        {"north": 0.1, "south": -0.2, "west": 0.08}
    )
    assert parts.level == pytest.approx(1 - 0.05 / 3)
    alone = heldout.compare(
        TRUTH[:100], {"old": (TRUTH ^ (np.arange(300) % 5 == 0))[:100], "new": SAID[:100]},
        primary="accuracy", confidence_level=parts.level,
    )["accuracy"]  # fmt: skip
    first = parts.shown["north"][2]["accuracy"]
    assert (first.low, first.high, first.test) == (alone.low, alone.high, alone.test)
    assert list(parts.heterogeneity) == ["accuracy"]
    assert parts.heterogeneity["accuracy"].pvalue < 0.005


def test_without_a_primary_metric_all_that_are_tested():
    found = compared(metrics="accuracy,recall,f1")
    tests = found.segments["site"][0].heterogeneity
    assert list(tests) == ["accuracy", "recall", "f1"]
    assert all(one.pvalue <= one.pvalue_adjusted <= 3 * one.pvalue for one in tests.values())


def test_a_model_and_itself_vary_nowhere():
    found = heldout.compare(TRUTH, {"a": SAID, "b": SAID}, segments={"site": SITE}, primary="accuracy")
    parts = found.segments["site"][0]
    for rows, _, one in parts.shown.values():  # how far rows that were not seen may put them apart
        assert (one["accuracy"].value, one["accuracy"].low) == (0.0, -one["accuracy"].high)
        assert 1 / rows < one["accuracy"].high < 8 / rows
    assert parts.heterogeneity["accuracy"].pvalue == 1.0


def test_it_is_told_on_the_page_and_in_the_json():
    found = compared(primary="accuracy")
    plain = found.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    Draft202012Validator(schema("heldout.comparison/1")).validate(plain)
    text = str(found)
    assert "accuracy: new - old by site, simultaneous: 98.3333% each\n" in text
    assert "\nthe difference varies by site: p 0.001\n" in text
    assert max(map(len, text.splitlines())) <= 80


def test_segments_need_the_same_rows():
    with pytest.raises(heldout.UsageError) as refused:
        heldout.compare({"a": (TRUTH, SAID), "b": (TRUTH, SAID)}, segments={"site": SITE}, paired=False)
    assert str(refused.value) == (
        "segments need the same rows under every model\n  Fix: leave out segments=, or paired=False"
    )


def counted(monkeypatch):
    """Every metric that is estimated from now on, with the rows it is estimated on."""
    seen = []
    plain = Measurement._estimated

    def estimated(self, metric, tally, label):
        seen.append((self.batch.rows, metric.name))
        return plain(self, metric, tally, label)

    monkeypatch.setattr(Measurement, "_estimated", estimated)
    return seen


def test_only_what_is_shown_is_measured_in_segments(monkeypatch):
    """Hundreds of segments would pay for the intervals of metrics that nobody sees."""
    seen = counted(monkeypatch)
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 400)
    found = heldout.evaluate(
        truth, y_score=rng.random(400), segments={"site": np.repeat(["a", "b"], 200)}, n_resamples=200
    )
    inside = {name for rows, name in seen if rows == 200}
    shown = {name for _, _, every in found.segments["site"].shown.values() for name in every}
    assert "ks" in {name for rows, name in seen if rows == 400}
    assert "ks" not in inside
    assert shown <= inside
    assert {METRICS[name].printed for name in shown} == {True}


def test_a_comparison_estimates_each_metric_of_a_model_once(monkeypatch):
    seen = counted(monkeypatch)
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 60)
    heldout.compare(truth, {"a": rng.random(60), "b": rng.random(60)}, n_resamples=200)
    assert {name: [one for _, one in seen].count(name) for name in ("ks", "average_precision", "accuracy")} == {
        "ks": 2,
        "average_precision": 2,
        "accuracy": 2,
    }


def test_notes_on_a_segment_name_the_rows_of_the_input():
    score = np.clip(np.random.default_rng(0).random(160), 0.01, 0.99)
    truth = np.arange(160) % 2
    score[135] = 1 - truth[135]
    found = heldout.evaluate(truth, y_score=score, segments=np.repeat(["a", "b"], 80), metrics="log_loss")
    _, _, inside = found.segments["segment"].shown["b"]
    assert inside["log_loss"].notes[0] == (
        "infinite (inf): row 136 gave probability 0 to the true class (1 row); probabilities are clipped only with "
        "--clip (clip=)"
    )


def test_a_metric_that_is_nan_in_a_late_row_names_it():
    truth = np.arange(200_000.0)

    def odd(y_true, y_pred):
        return np.where(y_true == 150_000, np.nan, y_true)

    with pytest.raises(heldout.DataError, match="'odd' gave nan in row 150001"):
        heldout.evaluate(truth, truth, metrics=heldout.metrics.define("odd", odd))
