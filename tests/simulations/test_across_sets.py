"""Learners that are all alike, over data sets: how often some pair is told apart.

`ACROSS_SETS_TABLES=4000 pytest -s tests/simulations/test_across_sets.py` prints the table of the documentation.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from heldout.stats.rank_tests import friedman, nemenyi_pairs, ranks_of, versus_control, wilcoxon_pairs
from tests.simulations.bounds import REJECTS, at_least, at_most

pytestmark = pytest.mark.simulation
ASKED = os.environ.get("ACROSS_SETS_TABLES")
TABLES = int(ASKED or 600)
SETTINGS = [(3, 14), (4, 14)] if ASKED is None else [(k, n) for k in (3, 5) for n in (8, 14, 30)]


def alike(sets, learners, seed):
    """Tables whose scores are the data set's own level plus heavy-tailed noise."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(TABLES, sets, 1)) + 0.3 * rng.standard_t(4, size=(TABLES, sets, learners))


def any_told_apart(scores):
    """Whether each test tells some pair apart at 5%."""
    average = ranks_of(scores).mean(axis=0)
    found = (wilcoxon_pairs(scores), nemenyi_pairs(average, len(scores)), versus_control(average, len(scores)))
    return [*(pairs.adjusted.min() < 0.05 for pairs in found), friedman(scores).f_pvalue < 0.05]


@pytest.mark.parametrize(("learners", "sets"), SETTINGS)
def test_the_family_wise_error_holds(learners, sets):
    rates = np.mean([any_told_apart(scores) for scores in alike(sets, learners, seed=learners)], axis=0)
    print(learners, sets, rates)
    can_reject = slice(1 if (learners, sets) == (5, 8) else 0, None)  # Holm over ten pairs of eight sets never can
    assert (rates <= at_most(REJECTS, TABLES)).all(), rates
    assert (rates[can_reject] >= at_least(0.035, TABLES)).all(), rates  # a test that never rejects is none
