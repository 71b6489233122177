"""Cards of intervals and tests over splits: complete, reproducible, by learner."""

from __future__ import annotations

import pytest

from heldout.cards import SplitCard, split_interval_card, split_test_card
from heldout.lab import split_coverage, split_size
from heldout.lab.folds.split_cards import FIRST, INTERVAL_WORLD, ROWS, TEST_WORLD
from heldout.lab.folds.split_interval_methods import METHODS
from heldout.lab.folds.split_test_methods import RIVALS
from heldout.lab.folds.vectorised_fits import MODELS
from heldout.report.kinds.estimates import split_card_line

LEARNERS = list(MODELS)


@pytest.mark.parametrize("n", ROWS)
def test_everything_has_a_card_of_every_learner(n):
    for one in METHODS:
        found = split_interval_card(one.method, n, splits=one.splits)
        assert [card.learner for card in found] == LEARNERS
        assert {(card.n, card.splits, card.target) for card in found} == {(n, one.splits, one.target)}
        assert split_interval_card(one.words, n, splits=one.splits) == found
    for one in RIVALS:
        found = split_test_card(one.test, n, splits=one.splits)
        assert [card.learner for card in found] == LEARNERS
        assert split_test_card(one.words, n, splits=one.splits) == found


def test_without_splits_it_is_those_that_the_method_is_meant_for():
    found = {f"{card.method}@{card.splits}" for card in split_interval_card("corrected_t", 100)}
    found |= {f"{card.method}@{card.splits}" for card in split_test_card("corrected_resampled_t", 100)}
    found |= {f"{card.method}@{card.splits}" for card in split_test_card("mcnemar", 100, splits="7x7")}
    assert found == set(FIRST)


def test_the_nearest_number_of_rows():
    assert [split_test_card("mcnemar", n)[0].n for n in (10, 150, 190, 5000)] == [100, 100, 300, 300]


def test_an_interval_for_some_models_has_a_card_for_the_learner_too():
    own, learner = (split_interval_card("all_pairs", 100, target=target) for target in (None, "this learner"))
    assert {card.target for card in own} == {"these k models"}
    assert {card.target for card in learner} == {"this learner"}


def test_what_was_not_measured_has_no_card():
    assert split_interval_card("wilson", 100) == split_test_card("mcnemar", 0) == ()
    assert split_interval_card("corrected_t", 100, target="these k models") == ()


def test_in_words():
    facts = {"method": "t", "words": "t", "splits": "10", "world": "w", "n": 100, "target": "this learner"}
    facts |= {"error": 0.01, "width": None, "refused": 0.0, "repeats": 500}
    cards = [
        SplitCard(learner="linear", stable=True, rate=0.04, **facts),
        SplitCard(learner="knn", stable=False, rate=0.058, **facts),
        SplitCard(learner="tree", stable=False, rate=0.07, **facts),
    ]
    rates = [card.to_dict() for card in cards]
    assert split_card_line("t", rates, 0.05) == (
        "simulated type I error of t: 4.0% ± 1.0 with stable learners, 7.0% ± 1.0 with unstable learners, "
        "at n = 100 with a signal to learn (nominal 5%)"
    )
    assert split_card_line("t", rates[:1], 0.05) == (
        "simulated type I error of t: 4.0% ± 1.0 with stable learners, at n = 100 with a signal to learn (nominal 5%)"
    )
    assert split_card_line("t", rates, 0.95) == (  # of an interval less is worse
        "simulated coverage of t: 4.0% ± 1.0 with stable learners, 5.8% ± 1.0 with unstable learners, "
        "at n = 100 with a signal to learn (nominal 95%)"
    )
    conservative = [*rates, {**rates[2], "rate": 0.001}]  # farther from 5%, and no worse for that
    assert split_card_line("t", conservative, 0.05) == split_card_line("t", rates, 0.05)
    assert cards[0].to_dict()["rate"] == 0.04


def test_H3_the_default_test_of_learners_holds_its_level_and_the_naive_one_does_not():
    assert all(card.rate - 3 * card.error <= 0.06 for card in split_test_card("corrected_resampled_t", 300))
    assert all(card.rate > 0.5 for card in split_test_card("naive_fold_t", 300, splits="10x10"))


def test_a_card_of_a_test_can_be_measured_again():
    card = next(one for one in split_test_card("kfold_paired_t", 100) if one.learner == "linear")
    (found,) = split_size("kfold_paired_t", models="linear", world=TEST_WORLD, n=100, repeats=100)
    again = (found.rejected - card.rate) / (found.error**2 + card.error**2) ** 0.5
    assert abs(again) < 3


def test_a_card_of_an_interval_can_be_measured_again(monkeypatch):
    monkeypatch.setattr("heldout.lab.folds.true_errors.SAMPLES", 100)  # the learner's error is not looked at
    card = next(one for one in split_interval_card("all_pairs", 100) if one.learner == "linear")
    (found,) = split_coverage("all_pairs", models="linear", world=INTERVAL_WORLD, n=100, repeats=100)
    assert abs(found.covers_target - card.rate) < 3 * (found.error**2 + card.error**2) ** 0.5
    assert 2 * found.half_width == pytest.approx(card.width, rel=0.05)
