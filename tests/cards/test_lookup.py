"""What the package ships of the lab's measurements: complete, reproducible, and read where a number is printed."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.cards.lookup import _known, interval_card, rejection_card
from heldout.estimates.interval_choice import KINDS
from heldout.formulas import METRICS
from heldout.lab import coverage, size
from heldout.lab.rates.card_measurement import DRAWS, STEPS, WINDOW
from heldout.lab.rates.card_settings import WITHOUT_TRUTH, asked_intervals, asked_tests
from heldout.verbs.compare.paired_difference import TESTS


def test_every_interval_of_every_metric_has_a_card():
    missing = []
    for name, metric in METRICS.items():
        behind = METRICS[metric.via[0]] if metric.via else metric
        for method in KINDS[behind.interval] if name not in WITHOUT_TRUTH else ():
            card = interval_card(name, method, clustered=False, units=100, value=0.8)
            if card is None:
                missing.append((name, method))
                continue
            assert 0 <= card.worst <= card.rate + 1e-9 <= 1 + 1e-9
            assert (card.repeats == 0) == (card.error == 0)
    assert missing == []


def test_every_test_of_every_metric_has_a_card():
    asked = {(name, test) for one in asked_tests() for name in one.metrics for test in one.methods}
    found = {pair: rejection_card(*pair, clustered=False, units=100, value=0.8) for pair in asked}
    assert sorted(pair for pair, card in found.items() if card is None) == []
    assert {test for _, test in asked} == {"auto", *TESTS} - {"diebold_mariano"}  # for rows with times
    assert all(0 <= card.rate <= 1 for card in found.values())


def test_every_default_has_a_card_of_clustered_rows():
    asked = {name for one in asked_intervals() if one.world.startswith("clustered-") for name in one.metrics}
    found = {name: interval_card(name, "auto", clustered=True, units=100, value=0.8) for name in asked}
    assert sorted(name for name, card in found.items() if card is None) == []


def cards(kind, metric, method):
    lines = _known()[kind]["rows"][metric][method]
    return [(_known()["worlds"][line[0]], *line[1:]) for line in lines]


def test_counted_coverage_comes_out_again():
    for world, n, _truth, rate, error, worst, _width, repeats in cards("intervals", "accuracy", "normal"):
        if world.startswith("coin") and n <= 100:
            (again,) = coverage("normal", world, n, metrics="accuracy", window=WINDOW)
            assert (round(again.coverage, 5), round(again.minimum, 5), error, repeats) == (rate, worst, 0, 0)


def smallest(kind, metric, method):
    """The card that is quickest to measure again."""
    drawn = [card for card in cards(kind, metric, method) if card[-1]]
    return min(drawn, key=lambda card: (card[1], card[0]))


@pytest.mark.parametrize(("metric", "method"), [("brier", "bootstrap_t")])
def test_drawn_coverage_comes_out_again(metric, method):
    world, n, _truth, rate, error, worst, _width, repeats = smallest("intervals", metric, method)
    (again,) = coverage(method, world, n, metrics=metric, window=WINDOW, repeats=repeats // STEPS, n_resamples=DRAWS)
    assert (round(again.coverage, 5), round(again.minimum, 5), round(again.error, 5)) == (rate, worst, error)


def test_a_size_comes_out_again():
    world, n, _truth, rate, error, *_, repeats = smallest("tests", "roc_auc", "delong")
    (again,) = size("delong", world, n, metrics="roc_auc", repeats=repeats)
    assert (round(again.rejected, 5), round(again.error, 5)) == (rate, error)


def test_the_nearest_number_of_units_counts_first():
    sizes = {line[1] for line in cards("intervals", "accuracy", "auto")}
    for units in (7, 70, 700, 70_000):
        card = interval_card("accuracy", "auto", clustered=False, units=units, value=0.9)
        assert card.n == min(sizes, key=lambda n: abs(np.log(n / units)))


def test_an_estimate_knows_its_card():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 500)
    said = np.where(rng.random(500) < 0.9, truth, 1 - truth)
    found = heldout.evaluate(truth, said)
    assert found["accuracy"].card.n == 500
    assert 0.9 < found["accuracy"].card.rate < 1
    assert found.to_dict()["estimates"]["accuracy"]["card"]["rate"] == found["accuracy"].card.rate
    assert heldout.evaluate(truth, said, confidence_level=0.9)["accuracy"].card is None
    assert heldout.evaluate(truth, said, sample_weight=rng.random(500))["accuracy"].card is None
    assert "coverage*" in str(found)
    assert "* simulated coverage at n " in str(found)
    assert "(nominal 95%, Monte-Carlo error up to" in " ".join(str(found).split())


def test_a_difference_knows_its_card():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 500)
    models = {name: np.where(rng.random(500) < 0.8, truth, 1 - truth) for name in "ab"}
    found = heldout.compare(truth, models, primary="accuracy")
    assert found["accuracy"].card.n == 500
    assert 0.02 < found["accuracy"].card.rate < 0.08
    assert found.to_dict()["differences"][0]["card"]["n"] == 500
