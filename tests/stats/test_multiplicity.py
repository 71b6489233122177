from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from heldout.stats.multiplicity import benjamini_hochberg, bonferroni, hochberg, holm, sidak

P = np.array([0.001, 0.01, 0.02, 0.03, 0.04, 0.049, 0.2, 0.7])
# By p.adjust of R.
ADJUSTED = {
    bonferroni: [0.008, 0.08, 0.16, 0.24, 0.32, 0.392, 1, 1],
    holm: [0.008, 0.07, 0.12, 0.15, 0.16, 0.16, 0.4, 0.7],
    hochberg: [0.008, 0.07, 0.12, 0.147, 0.147, 0.147, 0.4, 0.7],
    benjamini_hochberg: [0.008, 0.04, 0.16 / 3, 0.06, 0.064, 0.392 / 6, 1.6 / 7, 0.7],
    sidak: 1 - (1 - P) ** 8,
}


@pytest.mark.parametrize("rule", ADJUSTED)
def test_as_p_adjust_has_them_in_any_order(rule):
    order = np.random.default_rng(0).permutation(len(P))
    assert rule(P) == pytest.approx(np.asarray(ADJUSTED[rule]))
    assert rule(P[order]) == pytest.approx(np.asarray(ADJUSTED[rule])[order])


@pytest.mark.parametrize("rule", ADJUSTED)
def test_nan_stays_nan_and_is_no_test(rule):
    with_nan = rule(np.insert(P, 3, np.nan))
    assert np.isnan(with_nan[3])
    assert np.delete(with_nan, 3) == pytest.approx(rule(P))
    assert np.isnan(rule(np.array([np.nan]))).all()
    assert rule(np.array([])).shape == (0,)


@pytest.mark.parametrize("rule", ADJUSTED)
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_never_below_the_p_value_never_above_one_and_alone_unchanged(rule, p):
    found = rule(np.array(p))
    assert np.all(found >= np.array(p) * (1 - 1e-12))
    assert np.all(found <= 1)
    assert rule(np.array(p[:1])) == pytest.approx(p[:1])


def test_sidak_of_a_p_value_of_one():
    assert sidak([1.0, 0.5]).tolist() == [1.0, 0.75]
