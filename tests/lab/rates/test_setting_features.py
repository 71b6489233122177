"""Features of settings: what a look-up can see of data like these."""

from __future__ import annotations

import pytest

from heldout.lab.rates.setting_features import features


def test_events_are_the_rarest_thing_that_a_metric_rests_on():
    word = "labels:prevalence=0.1,precision=0.5,recall=0.8"
    expected = {"recall": 0.02, "precision": 0.08, "accuracy": 0.1, "balanced_accuracy": 0.1, "mcc": 0.1}
    for metric, share in expected.items():
        assert features(word, 1000, metric)["events"] == pytest.approx(1000 * share, rel=0.15)
    assert features("binormal:prevalence=0.05", 200, "roc_auc")["events"] == pytest.approx(10, rel=0.1)
    assert features("numbers:own=0,noise=zeros", 100, "mae")["events"] == pytest.approx(30, rel=0.1)


def test_rows_that_are_a_plain_sample():
    found = features("numbers:own=1", 50, "mae")
    assert found | {"skewness": 0, "autocorrelation": 0} == {
        "events": 50.0, "classes": None, "ties": 0.0, "spread": 0.0, "skewness": 0, "design_effect": 1.0,
        "autocorrelation": 0,
    }  # fmt: skip
    assert abs(found["autocorrelation"]) < 0.03


def test_skewness_weights_order_units_and_ties():
    assert features("numbers:noise=lognormal", 50, "mse")["skewness"] > 5
    assert features("numbers:own=1,weights=1", 50, "mae")["design_effect"] == pytest.approx(2.7, abs=0.5)
    assert features("numbers:own=0,rho=0.8", 50, "mean_error")["autocorrelation"] == pytest.approx(0.8, abs=0.03)
    assert features("clustered-labels:largest=50", 140, "accuracy")["spread"] > 0.9
    assert features("clustered-labels:size=5", 50, "accuracy")["spread"] == 0
    assert features("binormal:ties=1", 50, "roc_auc")["ties"] > 0.15
    assert features("classes:classes=12,tail=1", 100, "f1_macro")["classes"] == 12
