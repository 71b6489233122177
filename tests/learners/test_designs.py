"""Which splits a word means, and what they are for."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)

from heldout.errors import HeldoutError, UsageError
from heldout.learners import dataset, designed
from heldout.learners.designs import turns

X = np.random.default_rng(4).normal(size=(40, 2))
DATA = dataset(X, [0, 1] * 20)
WORDS = "10, 10x10, 5x2, loo, lpo, holdout, holdout:0.25, boot:200, .632+, group:5, time:5, shuffle:30x0.33 or halves"
MORE = f"{WORDS}, nested:25x5 or conservative:10x12"


def design(cv, data=DATA, several=False, seed=0):
    return designed(cv, data, random_state=seed, several=several)


@pytest.mark.parametrize(
    ("cv", "kind", "splits", "repeats", "folds"),
    [
        (10, "folds", 10, 1, 10),
        ("10", "folds", 10, 1, 10),
        (" 3X5 ", "repeated", 15, 3, 5),
        ("5x2", "repeated", 10, 5, 2),
        ("loo", "loo", 40, 1, 40),
        ("lpo", "pairs", 400, 400, 0),
        ("holdout", "holdout", 1, 1, 0),
        ("holdout:0.25", "holdout", 1, 1, 0),
        ("shuffle:7x0.2", "random", 7, 7, 0),
        ("halves:4", "random", 4, 4, 0),
        ("time:4", "time", 4, 1, 0),
        ("boot:6", "bootstrap", 6, 6, 0),
        (".632+:6", "bootstrap", 6, 6, 0),
        ("nested:2x3", "nested", 6, 2, 3),
        ("conservative:3x2", "halves", 3, 2, 0),
        (KFold(4), "folds", 4, 1, 4),
        (RepeatedKFold(n_splits=4, n_repeats=2, random_state=1), "repeated", 8, 2, 4),
        (LeaveOneOut(), "loo", 40, 1, 40),
        (ShuffleSplit(5, test_size=0.1, random_state=1), "random", 5, 5, 0),
        (TimeSeriesSplit(3), "time", 3, 1, 0),
        (PredefinedSplit(np.r_[np.full(30, -1), np.zeros(10)]), "holdout", 1, 1, 0),
        ([(range(30), range(30, 40))], "holdout", 1, 1, 0),
    ],
)
def test_what_a_word_or_a_splitter_is(cv, kind, splits, repeats, folds):
    found = design(cv)
    assert (found.kind, len(found.splits), found.repeats, found.folds) == (kind, splits, repeats, folds)


def test_the_defaults_are_those_that_held_their_rates():
    one, several = design(None), design(None, several=True)
    assert ([len(split.test) for split in one.splits], one.kind) == ([4] * 25, "random")
    assert ([len(split.test) for split in several.splits], several.kind) == ([14] * 30, "random")
    assert one.ratio == pytest.approx(4 / 36)
    assert one.training_rows == 36


def test_the_ratio_of_bootstrap_samples_is_over_all_rows_drawn_and_their_training_rows_are_the_distinct_ones():
    found = design("boot:200")
    assert found.ratio == pytest.approx(0.368, abs=0.02)
    assert found.training_rows == pytest.approx(0.632 * 40, abs=1)


def test_groups_stay_together():
    data = dataset(X, [0, 1] * 20, groups=np.arange(40) // 4)
    for cv in (5, "2x5", "group:5", "loo", "holdout", "shuffle:4x0.3", GroupKFold(3), "boot:5"):
        for one in design(cv, data).every:
            assert not set(one.train // 4) & set(one.test // 4), cv
    assert len(design("loo", data).splits) == 10


def test_folds_within_folds():
    found = design("nested:2x4")
    assert len(found.beside) == 2 * 6
    pair = iter(found.beside)
    for repeat in range(2):
        folds = found.splits[repeat * 4 : repeat * 4 + 4]
        for one in range(4):
            for two in range(one + 1, 4):
                inner = next(pair)
                np.testing.assert_array_equal(inner.test, np.concatenate([folds[one].test, folds[two].test]))
                assert set(inner.train) == set(range(40)) - set(inner.test)


def test_turns_put_every_inner_loss_beside_the_fold_that_was_held_out():
    found = design("nested:1x3")
    losses = [np.full(len(one.test), 10.0 * at) for at, one in enumerate(found.splits)]
    for one, two in ((0, 1), (0, 2), (1, 2)):
        # the fold that is judged, and after the point the one held out with it
        parts = [
            np.full(len(found.splits[judged].test), judged + held / 10) for judged, held in ((one, two), (two, one))
        ]
        losses.append(np.concatenate(parts))
    every, turn, inner = turns(found, losses)
    assert len(every) == 3 * 40
    for held in range(3):
        assert set(every[(turn == held) & ~inner]) == {10.0 * held}
        assert set(every[(turn == held) & inner]) == {other + held / 10 for other in range(3) if other != held}
        assert np.sum(inner & (turn == held)) == 40 - len(found.splits[held].test)


def test_halves_test_as_many_rows_and_do_not_meet():
    found = design("conservative:3x2")
    assert (found.draws, len(found.beside)) == (3, 2 * 2 * 3)
    for halving in range(2):
        first, second = (
            {row for one in found.beside[at : at + 3] for row in (*one.train.tolist(), *one.test.tolist())}
            for at in (halving * 6, halving * 6 + 3)
        )
        assert not first & second
    assert {len(one.test) for one in found.every} == {4}


def test_the_same_seed_gives_the_same_splits_and_another_one_others():
    for cv in (None, 5, "2x5", "holdout", "boot:3", "nested:1x3", "conservative:2x2", ShuffleSplit(2)):
        one, same, other = design(cv), design(cv), design(cv, seed=1)
        assert all(np.array_equal(a.train, b.train) for a, b in zip(one.every, same.every, strict=True))
        assert not all(np.array_equal(a.train, b.train) for a, b in zip(one.every, other.every, strict=True)), cv


@pytest.mark.parametrize(
    ("cv", "said"),
    [
        ("ten", f"cv='ten' is not a way to split rows\n  Fix: choose {WORDS}"),
        ("halvez", f"cv='halvez' is not a way to split rows; did you mean 'halves'?\n  Fix: choose {WORDS}"),
        (1, f"cv='1' asks for 1 fold, and at least 2 are needed\n  Fix: choose {WORDS}"),
        ("0x5", "cv='0x5' asks for 0 repeats, and at least 1 is needed\n  Fix: write cv=5"),
        ("loo:3", f"cv='loo:3' is not understood: loo takes nothing\n  Fix: choose {WORDS}"),
        (
            "holdout:1.5",
            (
                "cv='holdout:1.5' is not understood: holdout takes a share of test rows, as in holdout:0.25\n"
                f"  Fix: choose {WORDS}"
            ),
        ),
        ("group", "cv='group' keeps groups together, and there are none\n  Fix: pass groups=…"),
        (
            "nested:2",
            f"cv='nested:2' is not understood: nested takes two numbers, as in nested:25x5\n  Fix: choose {MORE}",
        ),
        (
            "conservative:0x2",
            (
                "cv='conservative:0x2' is not understood: conservative takes two numbers, as in conservative:10x12\n"
                f"  Fix: choose {MORE}"
            ),
        ),
        ("nested:4x2", "cv='nested:4x2' has 2 folds, and folds within folds need 3\n  Fix: take cv='nested:25x5'"),
        (
            1.5,
            (
                "cv is of type float, which is not a way to split rows\n"
                f"  Fix: give a word ({WORDS}), a splitter of scikit-learn, or a list of (train, test)"
            ),
        ),
        ([], "[H311] the 40 rows give no split\n  Fix: choose another cv"),
        (
            [([0, 1], [1, 2])],
            (
                "[H201] split 1 has 1 of 2 test rows also in its training part: row 2\n"
                "  Fix: train on other rows than are tested"
            ),
        ),
        (41, "[H311] 40 rows are fewer than 41 folds (cv='41')\n  Fix: take fewer folds"),
        (
            21,
            "[H311] class 0 has 20 rows, fewer than 21 folds (cv='21')\n  Fix: take at most 20 folds, or merge classes",
        ),
    ],
)
def test_words_that_are_wrong(cv, said):
    with pytest.raises(HeldoutError) as caught:
        design(cv)
    assert str(caught.value) == said


def test_a_class_or_groups_fewer_than_folds():
    rare = dataset(X, np.r_[np.zeros(37), np.ones(3)].astype(int))
    with pytest.raises(HeldoutError) as caught:
        design(10, rare)
    assert str(caught.value) == (
        "[H311] class 1 has 3 rows, fewer than 10 folds (cv='10')\n  Fix: take at most 3 folds, or merge classes"
    )
    few = dataset(X, [0, 1] * 20, groups=np.arange(40) % 4)
    with pytest.raises(HeldoutError) as caught:
        design(10, few)
    assert str(caught.value) == (
        "[H311] 4 groups are fewer than 10 folds (cv='10')\n  Fix: take fewer folds, or other groups"
    )


def test_a_word_that_is_nearly_one_of_ours_is_told():
    data = dataset(np.zeros((20, 1)), [0, 1] * 10)
    with pytest.raises(UsageError) as caught:
        designed("nestd:3x5", data, random_state=0, several=False)
    assert caught.value.message == "cv='nestd:3x5' is not a way to split rows; did you mean 'nested'?"
