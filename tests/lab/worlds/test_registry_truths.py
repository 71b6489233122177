"""What worlds know of themselves: every true value against a large draw, and against closed forms."""

from __future__ import annotations

from math import e, log, sqrt

import numpy as np
import pytest
from scipy.special import expit, ndtr

from heldout.estimates.interval_choice import value_of
from heldout.estimates.question import Question
from heldout.formulas import METRICS, metric
from heldout.lab.rates.card_settings import INTERVAL_WORLDS, WITHOUT_TRUTH, asked_intervals
from heldout.lab.rates.coverage import coverage
from heldout.lab.rates.size import size
from heldout.lab.worlds import one_model, several_models, world
from heldout.lab.worlds.multilabel_worlds import mark_values
from heldout.lab.worlds.registry import FAMILIES
from heldout.lab.worlds.regression_worlds import amount_values
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

ROWS, PARTS = 200_000, 25
WORDS = (
    "coin:p=0.97",
    "labels:prevalence=0.1,precision=0.6,recall=0.7",
    "clustered-labels:size=4",
    "labels:weights=0.7",
    "classes:right=0.7",
    "marks:right=0.85,labels=3,share=0.2,alike=0.5",
    "rankings:apart=1.2,labels=4,share=0.3",
    "binormal:auc=0.8,prevalence=0.2",
    "columns:apart=1.5,classes=4",
    "probabilities:prevalence=0.3,slope=1.4,shift=-0.3,noise=0.6,miss=3",
    "probabilities:prevalence=0.2,slope=0.7,miss=20",
    "logistic:strength=2,noise=1",
    "numbers:own=0.5",
    "numbers:noise=laplace",
    "numbers:noise=skewed,own=0.7",
    "numbers:noise=t3,own=1",
    "amounts:spread=0.7,noise=0.3,own=0.4",
)


def seen(place, batch):
    """The value of every metric that the world knows, on these rows."""
    measured = Measurement(batch, Settings(cost=place.recipe.cost))
    found = []
    for name in place.values:
        one = metric(name)
        label = batch.positive if one.one_class else None
        asked = Question(metric=one, tally=measured.tally(one, label), level=0.95, label=label, draws=100, seed=0)
        found.append(value_of(asked))
    return np.array(found)


@pytest.mark.parametrize("word", WORDS)
def test_every_true_value_is_that_of_a_large_draw(word):
    """Within 4 standard errors, these from the values on parts of the draw."""
    place = one_model(word)
    batch = place.draw(ROWS, np.random.default_rng(5))
    whole = seen(place, batch)
    step = ROWS // PARTS
    parts = [seen(place, batch.take(np.arange(at, at + step))) for at in range(0, ROWS, step)]
    errors = np.std(parts, axis=0, ddof=1) / sqrt(PARTS)
    truths = np.array(list(place.values.values()))
    off = np.abs(whole - truths) - 1e-9
    assert {name: part for name, part in zip(place.values, off / errors, strict=True) if not part < 4} == {}
    assert np.all(errors < 0.05 * np.maximum(1, np.abs(truths)))


def test_every_family_is_among_them():
    assert {word.partition(":")[0].removeprefix("clustered-") for word in WORDS} == set(FAMILIES)


def test_every_metric_with_a_true_value_is_measured_for_the_cards():
    measured = {name for asked in asked_intervals() for name in asked.metrics}
    assert set(METRICS) - measured == set(WITHOUT_TRUTH) == {"max_error"}
    assert {word.partition(":")[0] for word in INTERVAL_WORLDS} == set(FAMILIES) - {"logistic"}


def test_the_largest_error_has_no_true_value_because_it_grows_with_the_rows():
    batch = one_model("numbers").draw(100_000, np.random.default_rng(1))
    largest = np.maximum.accumulate(np.abs(batch.truth - batch.prediction))
    assert largest[99] < largest[9_999] < largest[-1]


def test_losses_of_two_classes_hang_together():
    values = one_model("probabilities:prevalence=0.2,noise=0.5").values
    assert values["log_loss_bits"] == pytest.approx(values["log_loss"] / log(2), rel=1e-12)
    assert values["quadratic_loss"] == pytest.approx(2 * values["brier"], rel=1e-12)


def test_equal_costs_are_the_error_rate():
    values = one_model("probabilities:prevalence=0.2,noise=0.5,shift=0.4,miss=1").values
    assert values["cost"] == pytest.approx(values["error_rate"], rel=1e-12)
    assert values["cost_minimum_risk"] == pytest.approx(values["error_rate"], rel=1e-12)


def test_a_calibrated_model_pays_the_least_that_is_possible():
    """E min(p miss, 1 - p) over the true chances."""
    found = one_model("probabilities:spread=1.5,miss=5").values["cost_minimum_risk"]
    at = np.linspace(-9, 9, 200_001)
    chance = expit(1.5 * at)
    density = np.exp(-(at**2) / 2) / sqrt(2 * np.pi)
    assert found == pytest.approx(np.trapezoid(density * np.minimum(5 * chance, 1 - chance), at), abs=1e-6)


def test_without_noise_recalibration_undoes_slope_and_shift():
    values = one_model("probabilities:prevalence=0.3,slope=1.6,shift=0.5").values
    assert values["calibration_slope"] == pytest.approx(1 / 1.6, rel=1e-10)
    assert values["calibration_intercept"] == pytest.approx(-0.5 / 1.6, rel=1e-10)


def test_what_is_calibrated_has_no_calibration_error():
    assert one_model("probabilities:prevalence=0.3").values["rms_calibration_error_debiased"] == pytest.approx(
        0, abs=1e-12
    )


def test_labels_that_are_right_independently():
    assert mark_values(0.9, 4, 0.0)["subset_accuracy"] == pytest.approx(0.9**4, rel=1e-9)


def test_labels_at_one_half_have_the_orthant_probability():
    """Two normals of correlation r are both below 0 with chance 1/4 + arcsin(r) / (2 pi)."""
    found = mark_values(0.5, 2, 0.6)["subset_accuracy"]
    assert found == pytest.approx(0.25 + np.arcsin(0.6) / (2 * np.pi), rel=1e-9)


def test_amounts_without_an_error_of_ones_own():
    """With ln R of spread s: E |R - 1| = exp(s²/2) (2 Phi(s) - 1), and the total error is 2 Phi(s) - 1 of the total."""
    s = 0.3
    found = amount_values(s, 0.0)
    assert found["mape"] == pytest.approx(e ** (s**2 / 2) * (2 * ndtr(s) - 1), rel=1e-12)
    assert found["wmape"] == pytest.approx(2 * ndtr(s) - 1, rel=1e-12)
    assert found["rmspe"] ** 2 == pytest.approx(found["mspe"], rel=1e-12)


def test_amounts_without_noise_have_the_same_error_by_row_and_in_total():
    found = amount_values(0.0, 0.4)
    assert found["wmape"] == pytest.approx(found["mape"], rel=1e-12)
    assert amount_values(0.0, 0.0) == {"mape": 0.0, "mspe": 0.0, "rmspe": 0.0, "wmape": 0.0}


def test_marks_are_as_often_set_and_as_alike_as_said():
    batch = one_model("marks:right=0.5,labels=2,share=0.2,alike=0.6").draw(200_000, np.random.default_rng(3))
    assert batch.truth.mean() == pytest.approx(0.2, abs=0.003)
    wrong = batch.truth != batch.prediction
    assert np.corrcoef(wrong.T)[0, 1] == pytest.approx(4 * np.arcsin(0.6) / (2 * np.pi), abs=0.01)


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("marks", ("subset_accuracy", "hamming_loss")),
        ("clustered-marks", ("subset_accuracy", "hamming_loss")),
        ("amounts", ("mape", "mspe", "rmspe", "wmape")),
        ("probabilities:noise=0.5,miss=3", ("cost", "cost_minimum_risk", "log_loss_bits", "quadratic_loss")),
    ],
)
def test_intervals_and_tests_of_the_new_metrics_can_be_measured(word, names):
    held = coverage("auto", word, 200, metrics=names, repeats=30, n_resamples=100)
    assert [one.undefined for one in held] == [0] * len(names)
    assert all(one.coverage >= 0.8 for one in held)
    wrong = size("auto", f"pair-{word}", 200, metrics=names, repeats=30, n_resamples=100)
    assert all(one.rejected <= 0.2 and one.undefined == 0 for one in wrong)


def test_a_gain_makes_the_later_model_better():
    for word, name, sign in (("marks:gain=0.05", "subset_accuracy", 1), ("amounts:gain=0.1", "mape", -1)):
        assert sign * several_models(f"pair-{word}").truth(name) > 0.01


def test_costs_of_a_world_change_nothing_but_costs():
    one, other = (world(f"probabilities:miss={miss}") for miss in (2, 9))
    assert {name for name in one.values if one.values[name] != other.values[name]} == {"cost", "cost_minimum_risk"}
    first, second = (place.draw(50, np.random.default_rng(0)) for place in (one, other))
    assert np.array_equal(first.score, second.score)
    assert np.array_equal(one.recipe.cost, [[0, 1], [2, 0]])
