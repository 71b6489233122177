"""Probabilities and ranking: rows C1 to C8 of what the system must do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import heldout
from heldout import curves

# twenty scores and classes, with their figures: area 0.68, best accuracy 0.70 at 0.54
SCORES = [
    0.9,
    0.8,
    0.7,
    0.6,
    0.55,
    0.54,
    0.53,
    0.52,
    0.51,
    0.505,
    0.4,
    0.39,
    0.38,
    0.37,
    0.36,
    0.35,
    0.34,
    0.33,
    0.30,
    0.1,
]
TRUTH = [int(mark == "p") for mark in "ppnpppnnpnpnpnnnpnpn"]


def test_C1_quadratic_loss(command, file):
    certain = np.eye(3)[[1, 1, 2]]
    found = heldout.evaluate(["a", "b", "c"], y_proba=certain, labels=["a", "b", "c"], metrics="quadratic_loss")
    assert found["quadratic_loss"].value == pytest.approx(2 / 3)  # one certain wrong answer of three costs 2
    wrong = heldout.evaluate(["a", "b"], y_proba=np.eye(3)[[1, 2]], labels=["a", "b", "c"], metrics="quadratic_loss")
    assert wrong["quadratic_loss"].value == 2.0
    several = np.array([[0.2, 0.5, 0.3], [0.7, 0.2, 0.1]])
    found = heldout.evaluate(["a", "a"], y_proba=several, labels=["a", "b", "c"], metrics="quadratic_loss")
    assert found["quadratic_loss"].value == pytest.approx((0.64 + 0.25 + 0.09 + 0.09 + 0.04 + 0.01) / 2)
    binary = heldout.evaluate(TRUTH, y_proba=SCORES, metrics="brier,quadratic_loss")
    assert binary["brier"].value == pytest.approx(np.mean((np.array(SCORES) - TRUTH) ** 2))
    assert binary["quadratic_loss"].value == pytest.approx(2 * binary["brier"].value)
    shown = command(file(y_true=TRUTH, y_prob=SCORES))["estimates"]
    assert shown["brier"]["value"] == pytest.approx(binary["brier"].value)


@pytest.mark.parametrize("name", ["quadratic_loss", "log_loss"])
def test_C1_C2_losses_are_smallest_at_the_true_probabilities(name):
    """Over all outcomes, each as often as it happens: weights are the true probabilities."""
    true = np.array([0.5, 0.3, 0.2])
    rng = np.random.default_rng(0)

    def expected(said):
        found = heldout.evaluate(
            [0, 1, 2], y_proba=np.tile(said, (3, 1)), sample_weight=true, labels=[0, 1, 2], metrics=name
        )
        return found[name].value

    best = expected(true)
    assert all(expected(said) > best for said in rng.dirichlet([2, 2, 2], size=20))


@pytest.mark.filterwarnings("error")
def test_C2_one_zero_is_infinite_and_named(command, file):
    truth, chance = [1, 0, 1, 1], [0.5, 0.25, 0.0, 1.0]
    found = heldout.evaluate(truth, y_proba=chance)
    said = (
        "infinite (inf): row 3 gave probability 0 to the true class (1 row); probabilities are clipped only with "
        "--clip (clip=)"
    )
    for name in ("log_loss", "log_loss_bits"):
        assert (found[name].value, found[name].low, found[name].high) == (np.inf, 0.0, np.inf)
        assert found[name].notes[0] == said
    assert ("H308", f"log_loss is {said}") in [(check.code, check.text) for check in found.checks]
    assert np.isfinite(found["brier"].value)
    shown = command(file(y_true=truth, y_prob=chance))
    assert shown["estimates"]["log_loss"]["value"] is None
    assert shown["estimates"]["log_loss"]["notes"][0] == said


def test_C2_bits_and_nats():
    found = heldout.evaluate(TRUTH, y_proba=SCORES, metrics="log_loss,log_loss_bits")
    nats, bits = found["log_loss"], found["log_loss_bits"]
    assert nats.value == pytest.approx(-np.mean(np.log(np.where(TRUTH, SCORES, 1 - np.array(SCORES)))))
    for end in ("value", "low", "high"):
        assert getattr(bits, end) == pytest.approx(getattr(nats, end) / np.log(2))


def test_C3_a_calibrated_world_is_not_called_miscalibrated_more_often_than_alpha():
    rng = np.random.default_rng(11)
    repeats, called, wide = 250, 0, 0
    for _ in range(repeats):
        chance = 1 / (1 + np.exp(-1.5 * rng.standard_normal(300)))
        found = heldout.evaluate(
            (rng.random(300) < chance).astype(int),
            y_proba=chance,
            metrics="calibration_slope,ece,rms_calibration_error_debiased",
        )
        called += "H204" in {check.code for check in found.checks}
        wide += found["rms_calibration_error_debiased"].low > 0 or found["ece"].low > 0
    most = binom.ppf(0.9995, repeats, 0.05)
    assert called <= most
    assert wide <= most


def test_C3_a_miscalibrated_world_is(command, file):
    rng = np.random.default_rng(12)
    odds = 1.5 * rng.standard_normal(800)
    truth, said = (rng.random(800) < 1 / (1 + np.exp(-odds))).astype(int), 1 / (1 + np.exp(-2 * odds))
    found = heldout.evaluate(truth, y_proba=said)
    assert "H204" in {check.code for check in found.checks}
    assert found["calibration_slope"].low < 0.5 < found["calibration_slope"].high
    assert found["rms_calibration_error_debiased"].low > 0
    assert found["ece"].low > 0
    curve = found.curve("calibration")
    assert curve.points["rows"].sum() == 800
    assert np.all(curve.band["low"] <= curve.points["happened"])
    assert np.all(curve.points["happened"] <= curve.band["high"])
    assert np.all(curve.band["band_low"] <= curve.band["low"])
    shown = command(file(y_true=truth, y_prob=said))
    assert any(
        check["code"] == "H204" and check["text"].endswith("scores are overconfident") for check in shown["checks"]
    )


def test_C4_ties_are_one_segment():
    curve = curves.roc([1, 0, 1, 0, 0], [0.9, 0.5, 0.5, 0.5, 0.1])
    assert curve.points["threshold"].tolist() == [np.inf, 0.9, 0.5, 0.1]
    assert curve.points["fpr"].tolist() == [0.0, 0.0, pytest.approx(2 / 3), 1.0]
    assert curve.points["tpr"].tolist() == [0.0, 0.5, 1.0, 1.0]
    assert (curve.x, curve.y) == ("fpr", "tpr")
    tied = curves.roc([1, 0, 1, 0], [3, 3, 3, 3])
    assert (tied.points["fpr"].tolist(), tied.points["tpr"].tolist()) == ([0.0, 1.0], [0.0, 1.0])


def test_C5_area_is_the_pair_count(command, file):
    rng = np.random.default_rng(3)
    truth, score = rng.integers(0, 2, 80), rng.integers(0, 12, 80)
    above = score[truth == 1][:, None] - score[truth == 0]
    pairs = float(np.mean((above > 0) + (above == 0) / 2))
    found = heldout.evaluate(truth, y_score=score)
    assert found["roc_auc"].value == pytest.approx(pairs, abs=1e-14)
    assert found["roc_auc"].low < pairs < found["roc_auc"].high
    assert found["partial_auc"].low <= found["partial_auc"].value <= found["partial_auc"].high
    assert heldout.evaluate(TRUTH, y_score=SCORES)["roc_auc"].value == pytest.approx(0.68)
    shown = command(file(y_true=truth, y_score=score))["estimates"]["roc_auc"]
    assert shown["value"] == pytest.approx(pairs, abs=1e-14)


def test_C5_several_classes():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 90)
    said = rng.dirichlet([1, 1, 1], size=90) + np.eye(3)[truth] / 3
    said /= said.sum(axis=1, keepdims=True)

    def pairs(k, others):
        above = said[truth == k, k][:, None] - said[np.isin(truth, others), k]
        return np.mean((above > 0) + (above == 0) / 2)

    found = heldout.evaluate(truth, y_proba=said, metrics="roc_auc_ovr,roc_auc_ovo")
    rest = [pairs(k, [j for j in range(3) if j != k]) for k in range(3)]
    each = [pairs(k, [j]) for k in range(3) for j in range(3) if j != k]
    assert found["roc_auc_ovr"].value == pytest.approx(np.mean(rest))
    assert found["roc_auc_ovo"].value == pytest.approx(np.mean(each))
    assert all(one.low < one.value < one.high for one in found.estimates.values())


def test_C6_equal_error_rate(command, file):
    found = heldout.evaluate(TRUTH, y_score=SCORES)
    assert found["eer"].value == pytest.approx(0.4)  # four of ten missed, four of ten false alarms
    assert found["eer"].low < 0.4 < found["eer"].high
    assert command(file(y_true=TRUTH, y_score=SCORES))["estimates"]["eer"]["value"] == pytest.approx(0.4)


def test_C6_likelihood_ratios_and_convex_hull():
    rng = np.random.default_rng(5)
    truth = np.repeat([0, 1], 4000)
    score = rng.standard_normal(8000) + truth  # the likelihood ratio at s is exp(s - 1/2)
    curve = curves.sweep(truth, score)
    middle = np.abs(curve.points["threshold"]) < 1
    ratio = curve.points["likelihood_ratio"][middle] / np.exp(curve.points["threshold"][middle] - 0.5)
    assert 0.75 < ratio.min() < ratio.max() < 1.35
    hull = curves.convex_hull(TRUTH, SCORES)
    assert hull.points["fpr"].tolist() == pytest.approx([0.0, 0.0, 0.1, 0.5, 0.9, 1.0])
    assert hull.points["tpr"].tolist() == pytest.approx([0.0, 0.2, 0.5, 0.8, 1.0, 1.0])
    slopes = np.diff(hull.points["tpr"]) / np.maximum(np.diff(hull.points["fpr"]), 1e-300)
    assert np.all(np.diff(slopes) < 0)


def test_C7_average_precision(command, file):
    """Seven detections TP FP TP FP TP TP TP by falling confidence, twelve objects, five of them found."""
    hits, confidence = np.array([1, 0, 1, 0, 1, 1, 1]), np.linspace(0.9, 0.3, 7)
    found = heldout.evaluate(hits, y_score=confidence, metrics="average_precision")["average_precision"]
    assert found.value * 5 / 12 == pytest.approx(0.3040, abs=5e-5)
    # the seven objects nobody detected stand below every detection
    curve = curves.precision_recall(np.append(hits, np.ones(7, int)), np.append(confidence, np.full(7, -1.0)))
    recall, precision = curve.points["recall"][:8], curve.points["precision"][:8]
    assert (recall[0], precision[0]) == (0.0, 1.0)
    assert np.diff(recall) @ precision[1:] == pytest.approx(0.3040, abs=5e-5)
    interpolated = np.maximum.accumulate(precision[::-1])[::-1]
    assert np.diff(recall) @ interpolated[1:] == pytest.approx(0.3214, abs=5e-5)
    shown = command(file(y_true=hits, y_score=confidence))["estimates"]["average_precision"]
    assert shown["value"] * 5 / 12 == pytest.approx(0.3040, abs=5e-5)


def test_C7_the_curve_ends_at_the_prevalence():
    curve = curves.precision_recall(TRUTH, SCORES)
    assert (curve.points["recall"][-1], curve.points["precision"][-1]) == (1.0, 0.5)
    found = heldout.evaluate(TRUTH, y_score=SCORES, metrics="average_precision")["average_precision"]
    assert found.value == pytest.approx(0.735748, abs=5e-7)
    assert np.diff(curve.points["recall"]) @ curve.points["precision"][1:] == pytest.approx(found.value)


def test_C8_lift(command, file):
    """A million households, 0.1% respond; 100,000 of them at 0.4%, then 300,000 at 0.1333%, the rest at 0.0333%."""
    truth, score = [1, 0, 1, 0, 1, 0], [3, 3, 2, 2, 1, 1]
    households = [400, 99_600, 400, 299_600, 200, 599_800]
    found = heldout.evaluate(
        truth, y_score=score, sample_weight=households, metrics="lift@10%,lift@40%,gain@10%,gain@40%"
    )
    assert (found["lift@10%"].value, found["lift@40%"].value) == (pytest.approx(4.0), pytest.approx(2.0))
    assert (found["gain@10%"].value, found["gain@40%"].value) == (pytest.approx(0.4), pytest.approx(0.8))
    path = file(y_true=truth, y_score=score, weight=households)
    shown = command(path, "--weight", "weight", "--metric", "lift@10%,lift@40%")["estimates"]
    assert (shown["lift@10%"]["value"], shown["lift@40%"]["value"]) == (pytest.approx(4.0), pytest.approx(2.0))


def test_C8_lift_of_a_million_rows_has_its_interval():
    """Four hundred of a thousand respondents in the top tenth: the error of lift is 10 sqrt(0.4 0.6 / 1000) = 0.155."""
    households = [400, 99_600, 400, 299_600, 200, 599_800]
    truth, score = np.repeat([1, 0, 1, 0, 1, 0], households), np.repeat([3, 3, 2, 2, 1, 1], households)
    lift = heldout.evaluate(truth, y_score=score, metrics="lift@10%")["lift@10%"]
    assert lift.value == pytest.approx(4.0)
    assert (lift.low, lift.high) == (pytest.approx(3.70, abs=0.05), pytest.approx(4.31, abs=0.05))


def test_C8_charts():
    gain, lift = curves.gain(TRUTH, SCORES), curves.lift(TRUTH, SCORES)
    assert (gain.points["taken"][0], gain.points["gained"][0]) == (0.0, 0.0)
    assert (gain.points["taken"][-1], gain.points["gained"][-1]) == (1.0, 1.0)
    assert lift.points["lift"][-1] == pytest.approx(1.0)
    assert lift.points["lift"][1] == pytest.approx(2.0)  # the two highest scores are positive, half of all rows are
    for curve in (gain, lift):
        assert np.all(curve.band["low"] <= curve.band["y"] + 1e-12)
        assert np.all(curve.band["y"] <= curve.band["high"] + 1e-12)
        assert np.all(curve.band["band_low"] <= curve.band["low"] + 1e-12)
