"""Splits by word, by splitter and by hand."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest
from sklearn.model_selection import KFold, StratifiedKFold

from heldout.errors import HeldoutError
from heldout.splits import halved, nested, split_checks, splits, splitter

TRUTH = np.repeat([0, 1], [60, 40])
GROUPS = np.arange(100) % 20


def said(cv, y=TRUTH, **options):
    with pytest.raises(HeldoutError) as caught:
        splits(cv, y, **{"task": "binary", **options})
    return str(caught.value)


@pytest.mark.parametrize(
    ("word", "count", "tested"),
    [
        *((10, 10, 10), ("10", 10, 10), ("10x10", 100, 10), ("5x2", 10, 50), ("loo", 100, 1)),
        *(("holdout:0.25", 1, 25), ("time", 5, 16), ("shuffle:30x0.33", 30, 33), ("shuffle:0.2", 30, 20)),
        *(("halves", 10, 50), ("lpo", 2400, 2)),
    ],
)
def test_words(word, count, tested):
    found = splits(word, TRUTH, task="binary")
    assert len(found) == count
    assert {len(one.test) for one in found} == {tested}
    assert all(not np.intersect1d(one.train, one.test).size for one in found)


def test_repeats_and_folds_are_numbered():
    found = splits("3x4", TRUTH, task="binary")
    assert [(one.repeat, one.fold) for one in found] == [(r, f) for r in range(3) for f in range(4)]
    assert [(one.repeat, one.fold) for one in splits("boot:3", TRUTH, task="binary")] == [(0, 0), (1, 0), (2, 0)]


def test_the_seed_decides():
    def tested(word, seed, groups=None):
        return [one.test.tolist() for one in splits(word, TRUTH, task="binary", groups=groups, random_state=seed)]

    for word in ("10", "2x5", "boot:3", "halves", "holdout"):
        assert tested(word, 1) == tested(word, 1) != tested(word, 2)
    assert tested("2x5", 1, GROUPS) == tested("2x5", 1, GROUPS) != tested("2x5", 2, GROUPS)
    assert tested(KFold(5, shuffle=True), 1) == tested(KFold(5, shuffle=True), 1) != tested(KFold(5, shuffle=True), 2)


@pytest.mark.parametrize("word", ["5", "3x4", "loo", "holdout", "boot:5", "group", "group:4", "shuffle", "halves"])
def test_groups_stay_together(word):
    for one in splits(word, TRUTH, task="binary", groups=GROUPS):
        assert not np.intersect1d(GROUPS[one.train], GROUPS[one.test]).size


def test_the_bootstrap_tests_what_it_did_not_draw():
    found = splits("boot:50", TRUTH, task="binary")
    assert all(len(one.train) == 100 for one in found)
    assert all(np.array_equal(np.setdiff1d(np.arange(100), one.train), one.test) for one in found)
    assert np.mean([len(one.test) for one in found]) == pytest.approx(36.6, abs=2)


def test_several_strata_are_kept():
    site = np.tile([0, 0, 0, 1], 25)
    for one in splits(5, TRUTH, task="binary", strata=[site]):
        assert np.bincount(2 * TRUTH[one.test] + site[one.test]).tolist() == [9, 3, 6, 2]


@pytest.mark.parametrize("word", ["loo", "lpo", "boot:5", ".632+", "time:3", "holdout", "shuffle:2x0.3", "halves:2"])
def test_strata_that_the_splits_would_not_keep_are_refused(word):
    """Whole groups are drawn at random, and other words do not stratify at all."""
    groups = GROUPS if word.partition(":")[0] in ("holdout", "shuffle", "halves") else None
    remedy = "cv='group:5'" if groups is not None else "cv=10"
    with pytest.raises(HeldoutError, match=rf"strata= has no effect with cv='{re.escape(word)}'.*\n.*{remedy}"):
        splits(word, TRUTH, task="binary", groups=groups, strata=[np.tile([0, 0, 0, 1], 25)])


def test_nested_folds_leave_both_out():
    outer = splits(4, TRUTH, task="binary")
    for one, inner in nested(outer, TRUTH, task="binary"):
        assert [len(part.train) for part in inner] == [50, 50, 50]
        assert all(not np.intersect1d(part.train, np.append(one.test, part.test)).size for part in inner)
    for one, inner in nested(outer, TRUTH, task="binary", cv=3):
        assert np.array_equal(np.sort(np.concatenate([part.test for part in inner])), one.train)


def test_halves_are_split_apart():
    for first, second in halved(TRUTH, task="binary", halvings=3, draws=2):
        ours, theirs = (np.unique(np.concatenate([[*p.train, *p.test] for p in half])) for half in (first, second))
        assert not np.intersect1d(ours, theirs).size
        assert {len(part.test) for part in (*first, *second)} == {10}


def test_what_cannot_be_split():
    assert said(10, np.repeat(["a", "b"], [50, 3])) == (
        "[H311] class 'b' has 3 rows, fewer than 10 folds (cv='10')\n  Fix: take at most 3 folds, or merge classes"
    )
    assert said("holdout", [0] * 9 + [1]) == (
        "[H311] class 1 has 1 row, and both parts need one (cv='holdout')\n  Fix: merge it with another or leave it out"
    )
    assert said(StratifiedKFold(5), [0] * 9 + [1] * 3).startswith("[H311] class 1 has 3 rows, fewer than 5 folds\n")
    assert said("group:5", groups=np.arange(100) % 3) == (
        "[H311] 3 groups are fewer than 5 folds (cv='group:5')\n  Fix: take fewer folds, or other groups"
    )
    assert said(9, np.arange(5.0), task="regression") == (
        "[H311] 5 rows are fewer than 9 folds (cv='9')\n  Fix: take fewer folds"
    )
    assert said("5", groups=[1]).startswith("[H112] groups has 1 values, and there are 100 rows\n")


def test_given_parts_are_checked():
    assert [one.test.tolist() for one in splits([([0, 1], [2]), ([2], [0, 1])], [0, 1, 0], task="binary")] == [
        [2],
        [0, 1],
    ]
    three = [0, 1, 0]
    assert said([([0, 1], [1, 2])], three) == (
        "[H201] split 1 has 1 of 2 test rows also in its training part: row 2\n"
        "  Fix: train on other rows than are tested"
    )
    assert said([([0], [1]), ([0], [])], three).startswith("[H311] split 2 has no test rows\n")
    assert said([([0], [3])], three).startswith("[H311] split 1 names row 3, and positions go from 0 to 2\n")
    assert said([([0], [-1])], three).startswith("[H311] split 1 names row -1, and positions go from 0 to 2\n")
    assert said([([0], [1, 1])], three).startswith("[H311] split 1 tests row 2 twice\n")
    assert said([5], three).startswith("[H311] split 1 is not a pair (train, test)\n")
    assert said([], three).startswith("[H311] the 3 rows give no split\n")


def test_words_that_are_not_known():
    assert said("holdot").startswith("cv='holdot' is not a way to split rows; did you mean 'holdout'?\n")
    assert said("1").startswith("cv='1' asks for 1 fold, and at least 2 are needed\n")
    assert said("group") == "cv='group' keeps groups together, and there are none\n  Fix: pass groups=…"
    assert said("holdout:2").startswith("cv='holdout:2' is not understood: holdout takes a share of test rows")
    assert said("lpo", task="regression").startswith("cv='lpo' leaves out a row of each of two classes")
    assert said(2.5).startswith("cv is of type float, which is not a way to split rows\n")
    assert said("10", random_state=-1).startswith("the seed is -1, but must be")


def test_a_splitter_is_handed_through():
    given = KFold(3)
    assert splitter(given, task="binary") is given


def test_missing_classes_are_told():
    truth = [0] * 50 + [1] * 50
    found = split_checks(splits(KFold(2), truth, task="binary"), truth, task="binary")
    assert [one.text for one in found] == [
        "class 0 is missing from 1 of 2 training parts: it cannot be learned there",
        "class 1 is missing from 1 of 2 training parts: it cannot be learned there",
        "class 0 is missing from 1 of 2 test parts: its recall is undefined there",
        "class 1 is missing from 1 of 2 test parts: its recall is undefined there",
    ]


def test_without_scikit_learn_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    assert said(10) == ("splits of rows need scikit-learn, which is not installed\n  Fix: pip install 'heldout[learn]'")
