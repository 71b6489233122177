"""Answers of many samples together are those of single calls, for every metric and method."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest

from heldout.estimates.interval_choice import KINDS
from heldout.formulas import METRICS
from heldout.lab.rates.many_samples import Asked, drawn_samples, every_end, interval_ends, stacked_samples
from heldout.lab.worlds import one_model
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

RESAMPLING = ("percentile", "basic", "bca")
"""Methods that are never answered together."""
WORDS = {
    "labels:prevalence=0.3": 40,
    "classes": 60,
    "labels:weights=0.8": 30,
    "labels:hard=0.1": 40,
    "labels:hard=0.02": 30,
    "clustered-labels:largest=9": 60,
    "marks": 30,
    "rankings": 25,
    "binormal:prevalence=0.4": 50,
    "binormal:prevalence=0.4,ties=0.5": 50,
    "clustered-binormal:size=3": 60,
    "columns": 40,
    "probabilities:noise=0.5": 40,
    "numbers:own=1": 30,
    "numbers:own=1,weights=0.5": 110,
    "clustered-numbers:own=1,size=3": 60,
    "numbers:noise=lognormal,rho=0.6": 30,
    "amounts:own=0.4": 25,
}
ALONE = {"eer", "partial_auc", "ks", "gain@10%", "lift@10%", "median_absolute_error", "cost", "cost_minimum_risk"}
"""Metrics whose defaults may be answered one by one: thresholds or values differ by sample, or units are drawn."""


ELSEWHERE = {"probabilities": ("labels", "scores"), "columns": ("labels",)}
"""What is looked at in other worlds."""


def methods_of(name):
    metric = METRICS[name]
    behind = METRICS[metric.via[0]] if metric.via else metric
    return [method for method in KINDS[behind.interval] if method not in RESAMPLING]


@pytest.mark.parametrize("word", WORDS)
def test_the_answers_are_those_of_single_calls(word):
    place = one_model(word)
    samples = drawn_samples(place, 8, WORDS[word], np.random.default_rng(3), Asked(draws=49))
    # weights are added up in another order, and a derivative by differences shows the last digits of sums; what heavy
    # rows may hide is made of its fourth power
    close = 3e-10 if place.drawing.weighted else 1e-12
    off = {}
    for name in place.values:
        for method in methods_of(name) if METRICS[name].reads not in ELSEWHERE.get(place.family, ()) else ():
            many = interval_ends(samples, name, method, seeds=7)
            single = interval_ends(samples, name, method, seeds=7, together=False)
            assert single.together == 0
            if not np.allclose(many.ends, single.ends, rtol=close, atol=1e-12, equal_nan=True):
                off[name, method] = many.ends.tolist(), single.ends.tolist()
    assert off == {}


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_other_levels_and_sides(side):
    samples = drawn_samples(one_model("labels"), 30, 50, np.random.default_rng(1), Asked(level=0.9, side=side))
    for name in ("accuracy", "f1", "mcc"):
        many = interval_ends(samples, name)
        assert many.together > 20
        assert np.allclose(many.ends, interval_ends(samples, name, together=False).ends, rtol=1e-12)


def test_which_defaults_are_answered_together():
    """Otherwise a change of the product would make the lab slow without a word."""
    alone = set()
    for word, n in (
        ("labels", 200), ("classes", 200), ("marks", 100), ("binormal", 200), ("numbers:own=1", 200), ("amounts", 200),
        ("numbers:own=1", 40), ("clustered-labels:size=5", 200), ("clustered-numbers:own=1,size=5", 200),
        ("clustered-binormal:size=5", 200), ("labels:weights=1", 200), ("probabilities:noise=0.5", 200),
    ):  # fmt: skip
        place = one_model(word)
        samples = drawn_samples(place, 100, n, np.random.default_rng(2), Asked(draws=49))
        for name in place.values:
            if METRICS[name].reads not in ("columns", "reliability", *ELSEWHERE.get(place.family, ())):
                found = interval_ends(samples, name)
                if found.together < 80:
                    alone.add((word.partition(":")[0], name, found.reason))
    assert {name for _, name, _ in alone} <= ALONE, alone


def test_a_seed_of_its_own_for_each_sample_gives_the_numbers_of_single_calls():
    place, rng = one_model("numbers:own=1"), np.random.default_rng(5)
    batches = [place.draw(20, rng) for _ in range(6)]
    seeds = np.arange(6)
    found = every_end(stacked_samples(place, batches, Asked(draws=60)), ("mae", "r2"), ("auto",), seeds)
    for batch, seed, ends in zip(batches, seeds, found, strict=True):
        asked = Settings(draws=60, seed=int(seed), metrics=(METRICS["mae"], METRICS["r2"]))
        overall = Measurement(batch, asked).overall()
        np.testing.assert_allclose(ends[0], [[one.low, one.high] for one in overall.values()], rtol=1e-12)


@pytest.mark.slow
def test_thousands_of_samples_take_a_thirtieth_of_single_calls():
    """The goal of the lab; half of it is asked for here, because machines are busy."""
    place = one_model("labels")
    for name in ("accuracy", "f1", "f2", "mcc"):
        samples = drawn_samples(place, 4000, 100, np.random.default_rng(0))
        started = perf_counter()
        interval_ends(samples, name)
        many = (perf_counter() - started) / 4000
        started = perf_counter()
        for batch in (place.draw(100, np.random.default_rng(seed)) for seed in range(100)):
            Measurement(batch, Settings(metrics=(METRICS[name],))).overall()
        assert (perf_counter() - started) / 100 > 15 * many
