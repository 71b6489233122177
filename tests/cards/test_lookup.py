"""What the package ships of the lab's measurements: complete, reproducible, and read where a number is printed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import heldout
from heldout.cards.lookup import CardKey, _known, found_card
from heldout.estimates.interval_choice import KINDS, estimate
from heldout.formulas import METRICS
from heldout.lab import coverage, size
from heldout.lab.rates.card_measurement import DRAWS, STEPS, WINDOW, Effort, measured
from heldout.lab.rates.card_settings import WITHOUT_TRUTH, asked_intervals, asked_tests, every_setting
from heldout.tallies.cells import cells_of_counts
from heldout.verbs.compare.paired_difference import TESTS


def test_every_interval_of_every_metric_has_a_card():
    missing = []
    for name, metric in METRICS.items():
        behind = METRICS[metric.via[0]] if metric.via else metric
        for method in KINDS[behind.interval] if name not in WITHOUT_TRUTH else ():
            card = found_card("intervals", CardKey(name, method), at=(100, 0.8)).card
            if card is None:
                missing.append((name, method))
                continue
            assert 0 <= card.worst <= card.rate + 1e-9 <= 1 + 1e-9
            assert (card.repeats == 0) == (card.error == 0)
    assert missing == []


def test_every_test_of_every_metric_has_a_card():
    asked = {(name, test) for one in asked_tests() for name in one.metrics for test in one.methods}
    found = {pair: found_card("tests", CardKey(*pair), at=(100, 0.8)).card for pair in asked}
    assert sorted(pair for pair, card in found.items() if card is None) == []
    assert {test for _, test in asked} == {"auto", *TESTS} - {"diebold_mariano"}  # for rows with times
    assert all(0 <= card.rate <= 1 for card in found.values())


def test_every_default_has_a_card_of_clustered_rows():
    asked = {name for one in asked_intervals() if one.world.startswith("clustered-") for name in one.metrics}
    found = {name: found_card("intervals", CardKey(name, design="clustered"), at=(100, 0.8)).card for name in asked}
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


@pytest.mark.parametrize(
    ("kind", "world", "n", "metric"),
    [
        ("intervals", "binormal:auc=0.7,prevalence=0.5", 20, "roc_auc"),
        ("intervals", "numbers:noise=lognormal", 15, "rmse"),
        ("intervals", "labels:prevalence=0.2,precision=0.7,recall=0.7,rho=0.8", 60, "accuracy"),
        ("intervals", "labels:prevalence=0.2,precision=0.7,recall=0.7,weights=1", 60, "recall"),
        ("tests", "pair-numbers:own=1,noise=normal", 20, "mae"),
        ("tests", "pair-binormal:auc=0.8,prevalence=0.5", 20, "roc_auc"),
    ],
)
def test_the_rate_of_a_default_comes_out_again(kind, world, n, metric):
    """Cards are those of the present methods: measured again from the same seed, a rate is the same."""
    place = _known()["worlds"].index(world)
    lines = [line for metrics in _known()[kind].values() for line in metrics.get(metric, {}).get("auto", ())]
    (line,) = [line for line in lines if line[:2] == [place, n]]
    (asked,) = [
        one for one in every_setting()
        if (one.kind, one.world, one.n) == (kind, world, n) and metric in one.metrics and one.methods == ("auto",)
    ]  # fmt: skip
    (again,) = measured((replace(asked, metrics=(metric,)), Effort()))
    assert (again["rate"], again["repeats"]) == (pytest.approx(line[3], abs=2.5 / line[7]), line[7])


def test_a_size_comes_out_again():
    world, n, _truth, rate, error, *_, repeats = smallest("tests", "roc_auc", "delong")
    (again,) = size("delong", world, n, metrics="roc_auc", repeats=repeats)
    assert (round(again.rejected, 5), round(again.error, 5)) == (rate, error)


def test_the_nearest_number_of_units_counts_first():
    sizes = {line[1] for line in cards("intervals", "accuracy", "auto")}
    for units in (7, 70, 700, 70_000):
        card = found_card("intervals", CardKey("accuracy"), at=(units, 0.9)).card
        assert card.n == min(sizes, key=lambda n: abs(np.log(n / units)))


def test_an_estimate_knows_its_card():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 500)
    said = np.where(rng.random(500) < 0.9, truth, 1 - truth)
    found = heldout.evaluate(truth, said)
    assert found["accuracy"].card.n >= 100
    assert 0.9 < found["accuracy"].card.rate < 1
    assert found.to_dict()["estimates"]["accuracy"]["card"]["rate"] == found["accuracy"].card.rate
    assert "coverage*" in str(found)
    assert "* simulated coverage in similar data (nominal 95%, Monte-Carlo error up to" in " ".join(str(found).split())


def drawn(rng, n=300):
    truth = rng.integers(0, 2, n)
    return truth, {name: np.where(rng.random(n) < 0.8, truth, 1 - truth) for name in "ab"}


@pytest.mark.parametrize(
    ("given", "design"),
    [
        ({"groups": np.arange(300) // 5}, ("clustered-",)),
        ({"sample_weight": np.tile([0.5, 1.0, 1.5], 100)}, ("weights=", "hard=")),
        ({"time": np.arange(300)}, ("rho=",)),
    ],
)
def test_the_rate_is_that_of_such_a_design(given, design):
    """Weights, clusters and times are looked up among simulations of them; before, weights and times had no rate."""
    truth, models = drawn(np.random.default_rng(0))
    card = heldout.evaluate(truth, models["a"], **given)["accuracy"].card
    assert any(word in card.world for word in design)
    difference = heldout.compare(truth, models, primary="accuracy", **given)["accuracy"]
    assert any(word in difference.card.world for word in design)


def test_the_rate_is_that_of_the_level_and_of_the_bound():
    truth, models = drawn(np.random.default_rng(0))
    card = heldout.evaluate(truth, models["a"], confidence_level=0.9)["accuracy"].card
    assert (card.level, card.side) == (0.9, "two-sided")
    assert 0.85 < card.rate < 0.95
    bound = estimate(METRICS["accuracy"], cells_of_counts(np.array([[120, 30], [30, 120]])), side="lower").card
    assert (bound.level, bound.side) == (0.95, "lower")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"confidence_level": 0.97}, "this interval with level 0.97"),
        (
            {"groups": np.arange(300) // 5, "sample_weight": np.tile([0.5, 1.0, 1.5], 100)},
            "this interval with weights and clusters together",
        ),
        (
            {"confidence_level": 0.9, "groups": np.arange(300) // 5},
            "this interval with level 0.9 and clusters together",
        ),
        ({"method": "percentile", "sample_weight": np.tile([0.5, 1.0, 1.5], 100)}, "this interval with weights"),
    ],
)
def test_what_was_not_simulated_is_said(given, words):
    truth, models = drawn(np.random.default_rng(0))
    found = heldout.evaluate(truth, models["a"], metrics=["mcc"], **given)
    assert found["mcc"].card is None
    assert found.to_dict()["estimates"]["mcc"]["unlike"] == words
    assert f"coverage not simulated: {words}" in " ".join(str(found).split())
    assert "coverage*" not in str(found)


def test_what_was_not_simulated_of_tests_is_said():
    truth, models = drawn(np.random.default_rng(0))
    found = heldout.compare(truth, models, primary="accuracy", confidence_level=0.9)
    assert "type I error not simulated: this test with level 0.9" in " ".join(str(found).split())
    own = {name: (truth, said) for name, said in models.items()}
    assert "ratio=" in heldout.compare(own, paired=False, primary="accuracy")["accuracy"].card.world


def test_a_difference_knows_its_card():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 500)
    models = {name: np.where(rng.random(500) < 0.8, truth, 1 - truth) for name in "ab"}
    found = heldout.compare(truth, models, primary="accuracy")
    assert found["accuracy"].card.n == 500
    assert 0.02 < found["accuracy"].card.rate < 0.08
    assert found.to_dict()["differences"][0]["card"]["n"] == 500


TWINS = {
    "error_rate": ("accuracy", lambda value: 1 - value),
    "fnr": ("recall", lambda value: 1 - value),
    "gini": ("roc_auc", lambda value: 2 * value - 1),
    "log_loss_bits": ("log_loss", lambda value: value / np.log(2)),
    "mse": ("rmse", np.square),
    "jaccard": ("f1", lambda value: value / (2 - value)),
}
"""What a metric is of the one whose simulated rates it is given."""


@pytest.mark.parametrize("design", ["weights", "time", "level", "bound"])
@pytest.mark.parametrize("name", TWINS)
def test_a_metric_without_rates_has_those_of_the_metric_with_the_same_interval(name, design):
    twin, bent = TWINS[name]
    rng = np.random.default_rng(5)
    n, regression = 200, name == "mse"
    truth = rng.normal(size=n) if regression else rng.random(n) < 0.4
    said = (
        {"y_pred": truth + rng.normal(size=n)}
        if regression
        else {"y_score": np.clip(0.25 + 0.4 * truth + 0.2 * rng.normal(size=n), 0.01, 0.99)}
    )
    how = {
        "weights": {"sample_weight": rng.uniform(0.5, 1.5, n)},
        "time": {"time": np.arange(n)},
        "level": {"confidence_level": 0.9},
        "bound": {"side": "lower"},
    }[design]
    falls = name in {"error_rate", "fnr"}
    other = how | {"side": "upper"} if falls and design == "bound" else how
    one = heldout.evaluate(truth, metrics=[name], **said, **how)[name]
    same = heldout.evaluate(truth, metrics=[twin], **said, **other)[twin]
    ends = sorted(bent(end) for end in (same.low, same.high))
    assert (one.low, one.high) == pytest.approx(ends, rel=1e-9, abs=1e-12)
    # the same of the data matters, but for how near the ends of its range a value is
    assert one.card.rate == pytest.approx(same.card.rate, abs=0.0 if name != "gini" else 0.05)
