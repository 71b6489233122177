"""The grid of the cards: no default without one."""

from __future__ import annotations

from collections import Counter

import pytest

from heldout.cards.lookup import CardKey, found_card
from heldout.formulas import METRICS
from heldout.lab.rates.card_settings import HARD, TEST_WORLDS, WIDE_WORLDS, WITHOUT_TRUTH, every_setting
from heldout.lab.rates.procedures import PROCEDURES
from heldout.lab.worlds import world

UNTESTED = {"calibration_slope", "calibration_intercept", "ece", "rms_calibration_error_debiased", *WITHOUT_TRUTH}
"""Metrics that `compare` has no test for."""


@pytest.fixture(scope="module")
def settings():
    return list(every_setting())


def with_default(settings, kind):
    return {name for one in settings if one.kind == kind and "auto" in one.methods for name in one.metrics}


def test_every_default_interval_is_on_the_grid(settings):
    assert set(METRICS) - with_default(settings, "intervals") == set(WITHOUT_TRUTH)


def test_every_default_test_is_on_the_grid(settings):
    assert set(METRICS) - with_default(settings, "tests") - UNTESTED == {"max_error"} - UNTESTED


def test_every_default_has_a_shipped_card():
    """A metric or test whose default was never measured must not be printed with a rate that is not there."""
    known = {name for name in METRICS if found_card("intervals", CardKey(name), at=(100, 0.8)).card}
    assert set(METRICS) - known == set(WITHOUT_TRUTH)
    tested = {name for name in METRICS if found_card("tests", CardKey(name), at=(100, 0.8)).card}
    assert set(METRICS) - tested - UNTESTED == set()


def test_every_procedure_is_on_the_grid(settings):
    assert {one.metrics[0] for one in settings if one.kind == "procedures"} == set(PROCEDURES)


def test_no_setting_is_there_twice(settings):
    facts = Counter((one.kind, one.world, one.n, one.metrics, one.methods, one.level, one.side) for one in settings)
    assert [fact for fact, count in facts.items() if count > 1] == []


def test_settings_are_wide(settings):
    words = {one.world for one in settings if one.kind == "intervals"}
    for part in ("ties=", "noise=lognormal", "noise=zeros", "prevalence=0.01", "classes=100", "rare=", "largest=50",
                 "hard=", "rho=0.8", "weights=1", "auc=0.5", "p=0.999", "slope=2.5"):  # fmt: skip
        assert any(part in word for word in words), part
    tests = {one.world for one in settings if one.kind == "tests"}
    for part in ("tilt=", "ratio=10", "models=5", "largest=50", "weights=1", "rho=", "noise=lognormal"):
        assert any(part in word for word in tests), part
    assert {(one.level, one.side) for one in settings} == {
        (0.95, "two-sided"), (0.8, "two-sided"), (0.9, "two-sided"), (0.99, "two-sided"), (0.95, "lower"),
        (0.95, "upper"),
    }  # fmt: skip
    assert set(HARD).isdisjoint(WIDE_WORLDS)
    assert set(TEST_WORLDS) <= tests


def test_tests_are_measured_where_models_are_equally_good(settings):
    for one in settings:
        if one.kind == "tests" and "tilt" in one.world:
            pair = world(one.world)
            assert [abs(pair.truth(name)) < 1e-6 for name in one.metrics] == [True] * len(one.metrics)
            assert pair.values[0] != pair.values[1]
