"""Worlds of probabilities: their true values in cases that have closed forms or another way to be computed."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit

from heldout.errors import UsageError
from heldout.lab.worlds import one_model
from heldout.lab.worlds.probability_worlds import logistic, probabilities


def mean_over_odds(function, centre, spread):
    """E f(c + spread z) by adaptive quadrature."""
    return integrate.quad(lambda z: stats.norm.pdf(z) * function(centre + spread * z), -12, 12, limit=400)[0]


def test_a_model_that_says_the_chances_is_calibrated_and_loses_their_entropy():
    values = probabilities(spread=1.5).values()
    entropy = mean_over_odds(lambda odds: np.logaddexp(0, odds) - expit(odds) * odds, 0.0, 1.5)
    assert values["log_loss"] == pytest.approx(entropy, rel=1e-7)
    assert values["log_loss_bits"] == pytest.approx(entropy / log(2), rel=1e-7)
    brier = mean_over_odds(lambda odds: expit(odds) * expit(-odds), 0.0, 1.5)
    assert (values["brier"], values["quadratic_loss"]) == pytest.approx((brier, 2 * brier), rel=1e-7)
    assert values["calibration_slope"] == pytest.approx(1)
    assert values["calibration_intercept"] == pytest.approx(0, abs=1e-9)
    assert values["ece"] == pytest.approx(0, abs=1e-9)
    assert values["rms_calibration_error_debiased"] == pytest.approx(0, abs=1e-9)


def test_the_bayes_error_is_the_mean_of_the_smaller_chance():
    recipe = probabilities(spread=2.0, prevalence=0.2)
    centre = mean_of_odds(recipe, 2.0)
    assert recipe.bayes_error == pytest.approx(mean_over_odds(lambda o: expit(-abs(o)), centre, 2.0), abs=1e-6)
    exact = probabilities(spread=2.0, prevalence=0.2, noise=0.0).values()
    assert exact["accuracy"] == pytest.approx(1 - recipe.bayes_error, rel=1e-5)


def mean_of_odds(recipe, spread):
    """The log odds in the middle: those of a row whose normal is 0."""
    del spread
    score = recipe.said(np.zeros((2, 1)), np.zeros((1, 1)))["score"]
    return float(np.log(score / (1 - score))[0])


@pytest.mark.parametrize("prevalence", [0.05, 0.3, 0.5])
def test_as_many_are_positive_as_was_asked_for(prevalence):
    values = probabilities(prevalence=prevalence, spread=1.0, noise=0.7).values()
    assert values["prevalence"] == pytest.approx(prevalence, abs=1e-6)


def test_a_slope_and_a_shift_are_undone_by_recalibration():
    """logit p = (said - shift) / slope, so that the fit has slope 1 / 2 and intercept - 0.3 / 2."""
    values = probabilities(slope=2.0, shift=0.3).values()
    assert values["calibration_slope"] == pytest.approx(0.5, rel=1e-6)
    assert values["calibration_intercept"] == pytest.approx(-0.15, rel=1e-5)
    plain = probabilities().values()
    assert values["roc_auc"] == pytest.approx(plain["roc_auc"], rel=1e-6)  # the order is the same
    assert values["log_loss"] > plain["log_loss"]


def test_noise_makes_every_figure_worse():
    quiet, noisy = probabilities().values(), probabilities(noise=1.0).values()
    assert noisy["roc_auc"] < quiet["roc_auc"]
    assert noisy["average_precision"] < quiet["average_precision"]
    assert noisy["brier"] > quiet["brier"]
    assert noisy["calibration_slope"] < 1


def test_deciding_by_least_risk_costs_less():
    values = probabilities(prevalence=0.2, miss=5.0).values()
    assert values["cost_minimum_risk"] < values["cost"]
    even = probabilities(prevalence=0.2, miss=1.0).values()
    assert even["cost_minimum_risk"] == pytest.approx(even["cost"])
    assert even["cost"] == pytest.approx(1 - even["accuracy"])


def test_logistic_is_a_short_word_for_it():
    assert logistic(strength=2.0, noise=0.5).values() == probabilities(spread=2.0, noise=0.5).values()


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(UsageError, match="prevalence"):
        probabilities(prevalence=1.0)
    assert one_model("probabilities:miss=3").recipe.cost.tolist() == [[0.0, 1.0], [3.0, 0.0]]
