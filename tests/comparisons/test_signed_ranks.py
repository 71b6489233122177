from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from heldout.comparisons.signed_ranks import bayes_signed_rank, signed_rank

RNG = np.random.default_rng


def by_counting(differences: np.ndarray) -> float:
    """All signs of the ranks of non-zero differences, zeros ranked."""
    ranks = stats.rankdata(np.abs(differences))[differences != 0]
    seen = abs(np.dot(np.sign(differences[differences != 0]), ranks))
    return float(np.mean([abs(np.dot(signs, ranks)) >= seen for signs in product((1, -1), repeat=len(ranks))]))


@pytest.mark.parametrize(
    "differences", [[1, 2, -3, 4, 5, 6, -7], [1, 1, 1, -2, 2, 3], [0, 0, 1, -2, 3, 4], [5, 5, 5, 5], [0, 1]]
)
def test_exact_counts_all_signs_with_ties_and_zeros(differences):
    d = np.array(differences, float)
    assert signed_rank(d).p == pytest.approx(by_counting(d))
    assert signed_rank(d, zeros="pratt").p == pytest.approx(by_counting(d))
    assert signed_rank(d, zeros="drop").p == pytest.approx(by_counting(d[d != 0]))
    assert signed_rank(d).plus + signed_rank(d).minus == len(d) * (len(d) + 1) / 2


def test_exact_and_normal_as_scipy_has_them():
    d = RNG(1).normal(0.3, 1, 40)
    assert signed_rank(d).p == pytest.approx(stats.wilcoxon(d, method="exact").pvalue)
    d = RNG(1).integers(-3, 5, 80).astype(float)
    for zeros, theirs in (("split", "zsplit"), ("pratt", "pratt"), ("drop", "wilcox")):
        want = stats.wilcoxon(d, zero_method=theirs, method="approx", correction=True)
        found = signed_rank(d, zeros=zeros, corrected=True)
        assert (min(found.plus, found.minus), found.p) == pytest.approx((want.statistic, want.pvalue))
        assert found.method == "normal"


def test_differences_equal_but_for_rounding_share_their_rank():
    d = np.array([0.3 - 0.2, 0.2 - 0.1, 0.7])
    assert d[0] != d[1]
    assert signed_rank(np.array([-d[0], d[1], d[2]])).minus == 1.5
    assert signed_rank(1e-20 * np.array([1.0, 2.0, -3.0])).plus == 3.0


def test_nothing_but_zeros():
    for zeros in ("split", "pratt", "drop"):
        assert signed_rank(np.zeros(4), zeros=zeros).p == 1.0
    assert signed_rank(np.array([])).p == 1.0


def test_bayes_is_symmetric_and_adds_up():
    d = RNG(2).normal(0.01, 0.02, 15)
    one, other = (bayes_signed_rank(sign * d, 0.01, draws=4000, seed=0) for sign in (1, -1))
    assert sum(one) == pytest.approx(1)
    assert one == pytest.approx(other[::-1])


def test_bayes_without_a_rope_never_calls_it_a_draw():
    below, within, above = bayes_signed_rank(RNG(2).normal(0.01, 0.02, 15), 0.0, draws=500, seed=0)
    assert within == 0
    assert below + above == pytest.approx(1)
    assert bayes_signed_rank(np.zeros(5), 0.0, draws=500, seed=0) == pytest.approx((0.5, 0.0, 0.5))


def test_bayes_within_the_rope():
    assert bayes_signed_rank(np.full(10, 0.001), 0.01, draws=200, seed=0) == (0.0, 1.0, 0.0)
