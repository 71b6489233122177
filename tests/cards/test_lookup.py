"""What the package ships of the lab's measurements: complete, reproducible, and read where a number is printed."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.cards.lookup import LEVEL, _known, interval_card, rejection_card
from heldout.estimates.interval_choice import KINDS
from heldout.formulas import METRICS
from heldout.lab import coverage
from heldout.lab.rates.card_measurement import WINDOW, Effort, measured
from heldout.lab.rates.card_settings import WITHOUT_TRUTH, asked_intervals, asked_tests, every_setting
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


QUICK = [("intervals", "roc_auc", 20), ("intervals", "mae", 50), ("tests", "roc_auc", 20), ("tests", "f1", 50)]
"""Defaults that are quickly measured again, at a number of rows."""


@pytest.mark.parametrize(("kind", "metric", "n"), QUICK)
def test_a_drawn_rate_comes_out_again(kind, metric, n):
    """Otherwise a default has changed since the cards were measured: heldout lab cards."""
    effort = Effort(**_known()["effort"])
    fitting = (one for one in every_setting() if one.kind == kind and (one.n, one.methods) == (n, ("auto",)))
    asked = next(one for one in fitting if metric in one.metrics and one.level == LEVEL)
    for card in measured((asked, effort)):
        shipped = {(line[0], line[1]): line for line in cards(kind, card["metric"], "auto")}
        line = shipped[asked.world, card["n"]]
        assert tuple(line[3:6]) == tuple(card[name] for name in ("rate", "error", "worst"))


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
