from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from heldout.stats.mcnemar_tests import kosinski
from heldout.stats.textbook_tests import two_proportions


def test_without_shared_rows_it_is_the_pooled_z():
    assert kosinski((30, 100), (20, 80), (0, 0)) == pytest.approx(two_proportions(30, 100, 20, 80).pvalue, rel=1e-12)


def test_both_sides_are_alike():
    assert kosinski((65, 68), (66, 84), (64, 66)) == kosinski((66, 84), (65, 68), (64, 66))


def test_models_that_call_the_same_rows_positive():
    assert kosinski((7, 9), (7, 9), (7, 9)) == 1.0


def test_a_model_that_calls_nothing_positive():
    assert isnan(kosinski((0, 0), (5, 9), (0, 0)))
    assert isnan(kosinski((5, 9), (0, 0), (0, 0)))
    assert 0 < kosinski((5, 9), (0, 1), (0, 0)) < 1
    assert 0 < kosinski((0, 1), (5, 9), (0, 0)) < 1


def test_all_calls_right():
    assert kosinski((5, 5), (9, 9), (3, 3)) == 1.0


@pytest.mark.parametrize("prevalence", [0.1, 0.4])
def test_it_holds_its_level(prevalence):
    """Models of equal worth that err together on half of the rows."""
    rng, draws, rows = np.random.default_rng(3), 2000, 300
    truth = rng.random((draws, rows)) < prevalence
    common, own = rng.random((draws, rows)), rng.random((2, draws, rows))
    errs = np.where(rng.random((draws, rows)) < 0.5, common, own) < 0.15
    first, second = truth ^ errs
    sizes = [[np.sum(said & truth, axis=1), np.sum(said, axis=1)] for said in (first, second, first & second)]
    rejected = [kosinski(*((x[at], n[at]) for x, n in sizes)) < 0.05 for at in range(draws)]
    assert 0.03 <= np.mean(rejected) <= 0.06
