"""Intervals of the twelve COCO figures hold the truth, and tests of equal detectors reject rarely.

Of 3 classes on 40 images, in 2000 other repetitions, the interval of AP covered 95.7%. It is claimed to cover 94.5%: of
800 repetitions at least 91.9%, which a method that covers 90% misses with a chance of 95.9%.
"""

from __future__ import annotations

import pytest

from heldout import lab
from heldout.boxes.average_precision import FIGURES
from tests.simulations.bounds import (
    COVERS,
    FOUND,
    REJECTS,
    TOO_HIGH,
    TOO_LOW,
    at_least,
    at_most,
    found_above,
    found_below,
)

REPEATS = 800
CLAIMED = 0.945
WIDEST = 0.985
"""AP75 of these detectors is 0.07, so near to 0 that its intervals are wide: they cover 97 to 99%."""


@pytest.fixture(scope="module")
def rates():
    results = lab.corpus_rates("boxes:classes=3,objects=2,wrong=1.5,blur=0.12", 40, repeats=REPEATS, random_state=7)
    return {(one.kind, one.metric, one.method): one for one in results}


@pytest.mark.slow
@pytest.mark.simulation
def test_intervals_hold_the_truth(rates):
    covered = {name: rates["interval", name, "auto"].rate for name in FIGURES}
    print(covered)
    assert found_below(CLAIMED, TOO_LOW, REPEATS) > FOUND
    assert covered["AP"] >= at_least(CLAIMED, REPEATS)
    low, high = at_least(COVERS, REPEATS), at_most(WIDEST, REPEATS)
    assert {name: rate for name, rate in covered.items() if not low <= rate <= high} == {}
    assert all(rates["interval", name, "auto"].undefined == 0 for name in FIGURES)


@pytest.mark.slow
@pytest.mark.simulation
def test_intervals_of_all_classes_hold_together(rates):
    for name in ("AP by class", "AP50 by class", "difference of AP by class"):
        assert at_least(COVERS, REPEATS) <= rates["classes", name, "auto"].rate, name


@pytest.mark.slow
@pytest.mark.simulation
def test_the_percentile_interval_is_known_to_fall_short(rates):
    """AP of a sample is biased upwards, and its draws repeat the bias: 87.6% in 2000 other repetitions."""
    assert at_least(0.876, REPEATS) <= rates["interval", "AP", "percentile"].rate <= at_most(0.876, REPEATS)


@pytest.mark.slow
@pytest.mark.simulation
def test_tests_of_equal_detectors_keep_their_size(rates):
    rejected = {name: rates["test", name, "auto"].rate for name in FIGURES}
    print(rejected)
    assert found_above(REJECTS, TOO_HIGH, REPEATS) > FOUND
    low, high = at_least(0.025, REPEATS), at_most(REJECTS, REPEATS)
    assert {name: rate for name, rate in rejected.items() if not low <= rate <= high} == {}
