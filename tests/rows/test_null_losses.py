"""Losses of the best constant prediction, against scikit-learn's losses of that constant."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as peer

from heldout.batch import Batch
from heldout.rows.null_losses import (
    null_deviances,
    null_log_losses,
    null_pinball,
    null_quadratic_losses,
    null_rank_disagreements,
)

RNG = np.random.default_rng(6)
NUMBERS = np.round(RNG.gamma(2.0, 3.0, 41), 1) + 0.5
CODES, SAID = RNG.integers(0, 3, 80), RNG.integers(0, 3, 80)
WEIGHTS = RNG.integers(0, 4, 80).astype(float)


def numbers(truth=NUMBERS, weight=None):
    return Batch(task="regression", truth=truth, prediction=truth, weight=weight, labels=("y",))


def classes(weight=None):
    return Batch(task="multiclass", truth=CODES, prediction=SAID, weight=weight, labels=(0, 1, 2))


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.75])
def test_the_best_constant_of_the_pinball_loss(quantile):
    own = null_pinball(numbers(), quantile).mean()
    others = [
        peer.mean_pinball_loss(NUMBERS, np.full(41, constant), alpha=quantile)
        for constant in np.linspace(NUMBERS.min(), NUMBERS.max(), 400)
    ]
    assert own <= min(others) + 1e-12
    scores = peer.d2_pinball_score(NUMBERS, NUMBERS + 1, alpha=quantile)
    assert 1 - peer.mean_pinball_loss(NUMBERS, NUMBERS + 1, alpha=quantile) / own == pytest.approx(scores, abs=1e-12)


def test_weights_count_rows_as_often():
    weight = RNG.integers(0, 4, 41).astype(float)
    repeated = numbers(np.repeat(NUMBERS, weight.astype(int)))
    own = null_pinball(numbers(weight=weight), 0.3)
    assert weight @ own == pytest.approx(null_pinball(repeated, 0.3).sum(), rel=1e-12)
    assert weight @ null_deviances(numbers(weight=weight), 1.0) == pytest.approx(null_deviances(repeated, 1.0).sum())


def test_every_target_has_a_quantile_of_its_own():
    both = np.column_stack([NUMBERS, -NUMBERS])
    apart = [null_pinball(numbers(part), 0.25) for part in both.T]
    assert null_pinball(numbers(both), 0.25) == pytest.approx(np.column_stack(apart))


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5, 2.0])
def test_deviances_of_the_mean(power):
    theirs = peer.mean_tweedie_deviance(NUMBERS, np.full(41, NUMBERS.mean()), power=power)
    assert null_deviances(numbers(), power).mean() == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("weight", [None, WEIGHTS])
def test_losses_of_the_shares_of_classes(weight):
    shares = np.bincount(CODES, weights=weight, minlength=3) / (80 if weight is None else weight.sum())
    constant = np.tile(shares, (80, 1))
    log = peer.log_loss(CODES, constant, sample_weight=weight)
    assert np.average(null_log_losses(classes(weight)), weights=weight) == pytest.approx(log, rel=1e-12)
    apart = ((constant - np.eye(3)[CODES]) ** 2).sum(axis=1)
    assert null_quadratic_losses(classes(weight)) == pytest.approx(apart, abs=1e-12)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("weight", [None, WEIGHTS])
def test_disagreement_by_chance(power, weight):
    counted = np.ones(80) if weight is None else weight
    actual, predicted = (np.bincount(codes, counted, 3) / counted.sum() for codes in (CODES, SAID))
    distances = np.abs(np.subtract.outer(np.arange(3), np.arange(3))) ** power
    rows = null_rank_disagreements(classes(weight), power)
    assert counted @ rows == pytest.approx(counted.sum() * (actual @ distances @ predicted), rel=1e-12)
    seen = counted @ np.abs(CODES - SAID) ** power
    kappa = peer.cohen_kappa_score(CODES, SAID, weights=("linear", "quadratic")[power - 1], sample_weight=weight)
    assert 1 - seen / (counted @ rows) == pytest.approx(kappa, abs=1e-12)
