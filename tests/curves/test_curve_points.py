from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import heldout
from heldout import curves
from heldout.curves.curve_points import roc_curve
from heldout.tallies.scores import tally_scores

rng = np.random.default_rng(0)
TRUTH = (np.arange(200) % 3 == 0).astype(int)
SCORE = np.round(1 / (1 + np.exp(-(rng.standard_normal(200) + 1.5 * TRUTH - 1))), 2)
BANDED = ["roc", "precision_recall", "gain", "lift", "cost", "calibration"]
OPTIONS = {"rows": {}, "weights": {"sample_weight": rng.random(200) + 0.5}, "groups": {"groups": np.arange(200) // 4}}


@pytest.mark.parametrize("name", BANDED)
@pytest.mark.parametrize("options", OPTIONS)
def test_bands_hold_the_curve_and_the_wider_the_narrower(name, options):
    curve = getattr(curves, name)(TRUTH, SCORE, **OPTIONS[options])
    band = curve.band
    assert {"x", "y", "low", "high", "band_low", "band_high"} == set(band)
    for narrow, wide in (("low", "band_low"), ("y", "low")):
        assert np.all(band[wide] <= band[narrow] + 1e-9)
    for narrow, wide in (("high", "band_high"), ("y", "high")):
        assert np.all(band[wide] >= band[narrow] - 1e-9)
    assert not any(np.isnan(column).any() for column in band.values())
    assert np.any(band["band_high"] - band["band_low"] > 0.01)
    assert len({len(column) for column in curve.points.values()}) == 1


@pytest.mark.parametrize("name", BANDED)
def test_a_higher_level_is_wider(name):
    narrow, wide = (getattr(curves, name)(TRUTH, SCORE, confidence_level=level).band for level in (0.8, 0.99))
    for end, sign in (("low", -1), ("high", 1), ("band_low", -1), ("band_high", 1)):
        assert np.all(sign * (wide[end] - narrow[end]) >= -1e-9)


def test_without_false_alarms_the_band_is_at_least_wilsons():
    """Recall at a false positive rate is surer than a share of the positives at best: the threshold moves too."""
    curve = curves.roc(TRUTH, SCORE)
    inside = (curve.band["y"] > 0.1) & (curve.band["y"] < 0.9)
    positives = int(TRUTH.sum())
    for low, y, high in zip(*(curve.band[name][inside] for name in ("low", "y", "high")), strict=True):
        share = heldout.evaluate_counts(wrong=round(y * positives), of=positives)["error_rate"]
        assert high - low > 0.95 * (share.high - share.low)


def test_sweep_counts_every_threshold():
    found = curves.sweep([1, 0, 1, 0, 0], [0.9, 0.5, 0.5, 0.5, 0.1], metrics=["f1", "accuracy"])
    assert {name: column.tolist() for name, column in found.points.items() if name in ("tp", "fp", "fn", "tn")} == {
        "tp": [0, 1, 2, 2],
        "fp": [0, 0, 2, 3],
        "fn": [2, 1, 0, 0],
        "tn": [3, 3, 1, 0],
    }
    assert found.points["accuracy"] == pytest.approx([0.6, 0.8, 0.6, 0.4])
    assert found.points["f1"] == pytest.approx([0.0, 2 / 3, 2 / 3, 4 / 7])
    assert found.notes == ("a threshold chosen here and judged on the same rows looks better than it is",)


def test_sweep_agrees_with_evaluate_at_a_threshold():
    found = curves.sweep(TRUTH, SCORE, metrics=["mcc", "precision"])
    at = int(np.flatnonzero(found.points["threshold"] == 0.5)[0]) if 0.5 in found.points["threshold"] else 60
    threshold = float(found.points["threshold"][at])
    evaluated = heldout.evaluate(TRUTH, y_proba=SCORE, threshold=threshold, metrics="mcc,precision")
    assert found.points["mcc"][at] == pytest.approx(evaluated["mcc"].value)
    assert found.points["precision"][at] == pytest.approx(evaluated["precision"].value)


def test_cost_curve_is_the_lower_envelope():
    curve = curves.cost(TRUTH, SCORE)
    roc = curves.roc(TRUTH, SCORE).points
    x = curve.points["probability_cost"]
    lines = (1 - roc["tpr"])[:, None] * x + roc["fpr"][:, None] * (1 - x)
    assert curve.points["expected_cost"] == pytest.approx(lines.min(axis=0))
    assert (curve.points["expected_cost"][0], curve.points["expected_cost"][-1]) == (0.0, 0.0)


def test_the_hull_lies_above_the_curve():
    roc, hull = curves.roc(TRUTH, SCORE).points, curves.convex_hull(TRUTH, SCORE).points
    assert np.all(np.interp(roc["fpr"], hull["fpr"], hull["tpr"]) >= roc["tpr"] - 1e-12)
    assert set(hull["threshold"]) <= set(roc["threshold"])


def test_calibration_bins():
    curve = curves.calibration(TRUTH, SCORE, bins=5)
    assert len(curve.points["rows"]) == 5
    assert curve.points["rows"].sum() == 200
    total = curve.points["rows"] @ curve.points["happened"]
    assert total == pytest.approx(TRUTH.sum())


def test_curves_are_plain_values():
    curve = curves.roc(TRUTH, SCORE)
    plain = curve.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["points"]["threshold"][0] is None  # infinite
    assert list(curve.to_frame().columns) == ["threshold", "fpr", "tpr"]
    assert list(curve.to_frame("band", backend="polars").columns) == ["x", "y", "low", "high", "band_low", "band_high"]


def test_an_evaluation_gives_its_curves():
    found = heldout.evaluate(TRUTH, y_proba=SCORE, metrics="roc_auc", confidence_level=0.9)
    curve = found.curve("roc")
    assert curve.level == 0.9
    area = np.trapezoid(curve.points["tpr"], curve.points["fpr"])
    assert area == pytest.approx(found["roc_auc"].value)


def test_one_class_has_no_band():
    curve = heldout.evaluate([1, 1], y_proba=[0.2, 0.7], labels=[0, 1]).curve("roc")
    assert dict(curve.band) == {}


def said(call):
    with pytest.raises(heldout.UsageError) as refused:
        call()
    return str(refused.value)


def test_refusals():
    rows = heldout.evaluate([0, 1], y_score=[3.0, 4.0])
    assert said(lambda: rows.curve("roq")) == (
        "no curve is named 'roq'; did you mean 'roc'?\n"
        "  Fix: choose one of roc, precision_recall, gain, lift, calibration, cost, convex_hull, sweep"
    )
    assert (
        said(lambda: rows.curve("calibration")) == "the calibration curve needs probabilities\n"
        "  Fix: give predicted probabilities; logits become probabilities with link='logit'"
    )
    assert (
        said(lambda: heldout.evaluate([0, 1], [0, 1]).curve("roc")) == "the roc curve needs a score column\n"
        "  Fix: name the scores with y_score="
    )
    assert (
        said(lambda: curves.roc([0, 1, 2], np.eye(3) * 0.4 + 0.2))
        == "the roc curve is for binary data, not multiclass\n"
        "  Fix: choose the calibration curve, or one class against the rest"
    )
    assert (
        said(lambda: heldout.evaluate_confusion([[1, 2], [1, 2]]).curve("roc"))
        == "counts have no curves\n  Fix: give rows with scores"
    )
    assert said(lambda: curves.sweep([0, 1], [3.0, 4.0], metrics=["roc_auc"])) == (
        "roc_auc is not a metric of labels, so it has no value at a threshold\n"
        "  Fix: choose a metric of labels, such as f1, precision or recall"
    )


def test_only_what_is_public_is_listed():
    assert dir(curves) == sorted(curves.__all__)


def test_the_band_of_a_roc_curve_holds_all_of_it_at_once():
    """Sup-t bands from influence held .79 of curves whole; these hold .95 and more."""
    rng, at = np.random.default_rng(8), np.linspace(0, 1, 101)
    true = ndtr(1.2 + ndtri(at))
    held = 0
    for _ in range(100):
        positive = rng.random(150) < 0.3
        band = roc_curve(tally_scores(rng.normal(size=150) + 1.2 * positive, positive), level=0.95, seed=0).band
        held += bool(np.all((band["band_low"] <= true + 1e-9) & (true <= band["band_high"] + 1e-9)))
    assert held >= 90
