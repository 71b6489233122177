"""Counts at thresholds are exact, round numbers stay between their scores, and bands hold at all of them at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.special import ndtr, ndtri

from heldout.curves.bands import class_covariance
from heldout.curves.threshold_table import MOST, Thresholds, rates_covariance, round_between, thresholds_of
from heldout.tallies.scores import tally_scores


def world(rows: int, seed: int, *, size: int = 1, apart: float = 1.3, prevalence: float = 0.3):
    """Scores of two classes, N(0, 1) and N(apart, 1), and rows in units that are alike (correlation 0.3)."""
    rng = np.random.default_rng(seed)
    unit = np.arange(rows) // size
    shared, own = rng.standard_normal((2, unit[-1] + 1))[:, unit], rng.standard_normal((2, rows))
    illness, noise = np.sqrt(0.3) * shared + np.sqrt(0.7) * own
    truth = illness > -ndtri(prevalence)
    return noise + apart * truth, truth, unit if size > 1 else None


def holds(found: Thresholds, apart: float = 1.3) -> bool:
    """Whether the bands hold both true rates at every threshold."""
    recall, specificity = 1 - ndtr(found.threshold - apart), ndtr(found.threshold)
    inside = (found.recall_low <= recall) & (recall <= found.recall_high)
    return bool(np.all(inside & (found.specificity_low <= specificity) & (specificity <= found.specificity_high)))


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.25, 0.3, 0.31, 0.9]), st.booleans()), min_size=1, max_size=30))
def test_counts_are_those_of_the_rows(rows):
    score, hit = np.array([x for x, _ in rows]), np.array([y for _, y in rows])
    with np.errstate(invalid="ignore", divide="ignore"):
        found = thresholds_of(tally_scores(score, hit))
    for threshold, tp, fp in zip(found.threshold, found.tp, found.fp, strict=True):
        called = score >= threshold
        assert (tp, fp) == (np.count_nonzero(called & hit), np.count_nonzero(called & ~hit))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20, unique=True))
def test_a_round_threshold_lies_between_its_scores(values):
    edges = np.sort(values)
    after, until = np.concatenate([[-np.inf], edges]), np.concatenate([edges, [np.inf]])
    found = round_between(after, until)
    assert np.all((after < found) & (found <= until))


def test_a_round_threshold_is_as_round_as_it_can_be():
    after = np.array([0.19, 0.2, 0.123456, 1234.0, 0.9999])
    until = np.array([0.204, 0.204, 0.123457, 5678.0, np.inf])
    assert round_between(after, until).tolist() == [0.2, 0.204, 0.123457, 5000.0, 1.0]


def test_many_scores_are_thinned_and_the_asked_threshold_stays():
    rng = np.random.default_rng(1)
    score = rng.random(30_000)
    hit = rng.random(30_000) < score**3
    found = thresholds_of(tally_scores(score, hit), at=(0.123456,))
    assert found.scores == 30_000
    assert 500 < len(found.threshold) <= MOST
    place = int(np.searchsorted(found.until, 0.123456))
    assert found.after[place] < 0.123456 <= found.until[place]
    for percent in range(1, 100):  # every whole percentage is exact
        place = int(np.searchsorted(found.until, percent / 100))
        assert found.after[place] < percent / 100 <= found.until[place]
        assert found.tp[place] == np.count_nonzero(hit & (score >= percent / 100))
    assert np.max(np.abs(np.diff(found.recall))) < 0.005
    assert np.max(np.abs(np.diff(found.specificity))) < 0.005
    alerts = (found.tp + found.fp)[::-1]
    assert alerts[:5].tolist() == [0, 1, 2, 3, 4]  # a few alerts a day can be met exactly


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_the_covariance_is_the_one_of_the_curves(weighted, clustered):
    rng = np.random.default_rng(4)
    score, hit = rng.standard_normal(120).round(1), rng.random(120) < 0.4
    unit = np.unique(rng.integers(0, 40, 120), return_inverse=True)[1] if clustered else None
    tally = tally_scores(score, hit, rng.uniform(0.5, 2, 120) if weighted else None, unit)
    places = np.arange(0, len(tally.values) + 1, 4)
    ones, none = np.ones(len(places)), np.zeros(len(places))
    wanted = class_covariance(tally, np.tile(places, 2), np.concatenate([ones, none]), np.concatenate([none, ones]))
    assert rates_covariance(tally, places) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("rows", "size"), [(150, 1), (700, 1), (600, 3)])
def test_bands_hold_at_every_threshold_at_once(rows, size):
    worlds = [world(rows, seed, size=size) for seed in range(120)]
    held = [holds(thresholds_of(tally_scores(score, hit, None, unit))) for score, hit, unit in worlds]
    assert np.mean(held) >= 0.9  # 120 samples: 0.95 has a standard error of 0.02


def test_a_band_at_one_threshold_would_not():
    """What makes the difference: intervals for one threshold hold at all of them far less often."""
    from heldout.intervals.shares import wilson

    held = 0
    for seed in range(30):
        score, hit, _ = world(300, seed)
        found = thresholds_of(tally_scores(score, hit))
        true = 1 - ndtr(found.threshold - 1.3)
        ends = np.array([wilson(tp, found.positives, 0.95) for tp in found.tp])
        held += bool(np.all((ends[:, 0] <= true) & (true <= ends[:, 1])))
    assert held < 15
