"""The bounds of the simulations tell a method that keeps its claim from one that does not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulations.bounds import (
    COVERAGE_REPEATS,
    COVERS,
    FOUND,
    MISSED,
    REJECTS,
    SIZE_REPEATS,
    TOO_HIGH,
    TOO_LOW,
    at_least,
    at_most,
    found_above,
    found_below,
)


def test_intervals_that_cover_90_percent_are_found():
    assert at_least(COVERS, COVERAGE_REPEATS) == pytest.approx(0.9133, abs=5e-5)
    assert FOUND < found_below(COVERS, TOO_LOW, COVERAGE_REPEATS) == pytest.approx(0.985, abs=5e-4)


def test_tests_that_reject_12_percent_are_found():
    assert at_most(REJECTS, SIZE_REPEATS) == pytest.approx(0.0917, abs=5e-5)
    assert FOUND < found_above(REJECTS, TOO_HIGH, SIZE_REPEATS) == pytest.approx(0.984, abs=5e-4)


def test_who_keeps_the_claim_is_rarely_found():
    assert found_below(COVERS, COVERS, COVERAGE_REPEATS) <= MISSED
    assert found_above(REJECTS, REJECTS, SIZE_REPEATS) <= MISSED


def test_the_chances_are_those_of_drawing():
    rng = np.random.default_rng(1)
    shares = rng.binomial(500, [[0.9], [0.12]], (2, 200_000)) / 500
    assert np.mean(shares[0] < at_least(0.93, 500)) == pytest.approx(found_below(0.93, 0.9, 500), abs=0.004)
    assert np.mean(shares[1] > at_most(0.06, 500)) == pytest.approx(found_above(0.06, 0.12, 500), abs=0.004)
