from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from heldout.errors import UsageError
from heldout.learners import dataset
from heldout.search import parts_of


@pytest.fixture
def data():
    return dataset(np.arange(180.0).reshape(90, 2), np.arange(90) % 2, groups=None)


@pytest.fixture
def grouped():
    return dataset(np.arange(180.0).reshape(90, 2), np.arange(90) % 2, groups=np.arange(90) // 3)


def test_single_divides_the_rows_in_three(data):
    found = parts_of("single", data, test_size=0.2, validation_size=0.25)
    ((inner,),), (outer,) = found.searches, found.judges
    assert [len(part) for part in (inner.train, inner.test, outer.test)] == [54, 18, 18]
    assert np.array_equal(np.sort(np.concatenate([inner.train, inner.test, outer.test])), np.arange(90))
    assert (found.outer.word, found.inner) == ("holdout:0.2", "holdout:0.25")


def test_single_may_have_several_validation_parts(data):
    found = parts_of("single", data, inner=5)
    (parts,), (outer,) = found.searches, found.judges
    assert len(parts) == 5
    assert np.array_equal(np.sort(np.concatenate([one.test for one in parts])), np.sort(outer.train))


@pytest.mark.parametrize("inner", [4, "4", StratifiedKFold(4)])
def test_nested_chooses_inside_every_training_part_and_then_on_all_rows(data, inner):
    found = parts_of("nested", data, outer=5, inner=inner)
    assert [len(parts) for parts in found.searches] == [4] * 6
    for outer, parts in zip(found.judges, found.searches, strict=False):
        for part in parts:
            assert not np.intersect1d(outer.test, np.concatenate([part.train, part.test])).size
            assert np.array_equal(np.sort(np.concatenate([part.train, part.test])), np.sort(outer.train))
    assert np.array_equal(np.sort(np.concatenate([part.test for part in found.searches[-1]])), np.arange(90))


def test_groups_are_kept_whole_inside_and_outside(grouped):
    found = parts_of("nested", grouped, outer=3, inner=3)
    for split in [*found.judges, *(part for parts in found.searches for part in parts)]:
        assert not set(split.train // 3) & set(split.test // 3)


def test_time_order_is_kept_inside_and_outside(data):
    found = parts_of("nested", data, outer="time:3", inner="time:2")
    for split in [*found.judges, *(part for parts in found.searches for part in parts)]:
        assert split.train.max() < split.test.min()


@pytest.mark.parametrize("method", ["nested", "single"])
def test_rows_in_order_of_time_are_chosen_and_judged_by_later_ones(data, method):
    found = parts_of(method, data, ordered=True)
    for split in [*found.judges, *(part for parts in found.searches for part in parts)]:
        assert split.train.max() < split.test.min()
    sizes = [len(found.searches[0][0].train), len(found.searches[0][0].test), len(found.judges[0].test)]
    assert sizes == {"single": [40, 20, 30], "nested": [5, 2, 15]}[method]


def test_bbc_tests_every_row_once(data):
    found = parts_of("bbc", data, inner=10)
    assert found.outer is None
    assert found.judges == ()
    (parts,) = found.searches
    assert np.array_equal(np.sort(np.concatenate([part.test for part in parts])), np.arange(90))


@pytest.mark.parametrize(
    ("method", "options", "said"),
    [
        ("nestd", {}, "no protocol is named 'nestd'; did you mean 'nested'?\n  Fix: choose nested, bbc, single"),
        (
            "bbc",
            {"inner": "5x2"},
            (
                "bbc needs every row tested once, and inner_cv='5x2' gives repeated\n"
                "  Fix: take inner_cv=5 or inner_cv=10, or protocol='nested'"
            ),
        ),
        (
            "nested",
            {"outer": "boot:9"},
            (
                "cv='boot:9' gives bootstrap, whose parts cannot evaluate a search\n"
                "  Fix: take cv=5, cv='5x5' or cv='shuffle:25x0.1'"
            ),
        ),
        (
            "single",
            {"test_size": 1.5},
            "test_size is 1.5, but must lie between 0 and 1\n  Fix: a third is 0.33",
        ),
        (
            "single",
            {"validation_size": 0},
            "validation_size is 0, but must lie between 0 and 1\n  Fix: a third is 0.33",
        ),
    ],
)
def test_what_no_protocol_has_is_refused(data, method, options, said):
    with pytest.raises(UsageError) as caught:
        parts_of(method, data, **options)
    assert str(caught.value) == said
