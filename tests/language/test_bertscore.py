from __future__ import annotations

from math import log

import numpy as np
import pytest

from heldout.language.bertscore import greedy_match, idf_weights


def by_hand(said, wanted, weigh_said, weigh_wanted):
    """The formula of the paper, one pair of tokens at a time."""

    def cosine(x, y):
        return float(np.dot(x, y) / np.sqrt(np.dot(x, x) * np.dot(y, y)))

    precision = sum(w * max(cosine(x, y) for y in wanted) for x, w in zip(said, weigh_said, strict=True))
    recall = sum(w * max(cosine(x, y) for x in said) for y, w in zip(wanted, weigh_wanted, strict=True))
    precision, recall = precision / sum(weigh_said), recall / sum(weigh_wanted)
    return precision, recall, 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize("seed", range(5))
def test_figures_are_those_of_the_formula(seed):
    rng = np.random.default_rng(seed)
    said, wanted = rng.normal(size=(4, 6)), rng.normal(size=(7, 6)) + 1
    ones = np.ones(4), np.ones(7)
    weights = rng.random(4), rng.random(7)
    assert greedy_match(said, wanted) == pytest.approx(by_hand(said, wanted, *ones))
    assert greedy_match(said, wanted, *weights) == pytest.approx(by_hand(said, wanted, *weights))


def test_the_same_text_has_one_and_the_sides_trade_places():
    rng = np.random.default_rng(1)
    said, wanted = rng.normal(size=(3, 5)), rng.normal(size=(2, 5))
    assert greedy_match(said, said) == pytest.approx((1, 1, 1))
    p, r, f = greedy_match(said, wanted)
    assert greedy_match(wanted, said) == pytest.approx((r, p, f))


def test_nothing_to_match_is_zero():
    none, some = np.empty((0, 3)), np.ones((2, 3))
    assert greedy_match(none, some) == greedy_match(some, none) == (0, 0, 0)
    assert greedy_match(some, some, np.zeros(2), np.zeros(2)) == (0, 0, 0)
    assert greedy_match(np.zeros((1, 3)), some)[0] == 0


def test_a_token_of_every_reference_weighs_nothing():
    found = idf_weights([[1, 2], [1, 3], [1, 1]])
    assert found == {1: 0.0, 2: pytest.approx(log(4 / 2)), 3: pytest.approx(log(4 / 2))}
