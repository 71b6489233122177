from __future__ import annotations

import numpy as np
import pytest

from heldout.errors import DataError, UsageError
from heldout.verbs.validate.training_sizes import nested_parts, training_sizes


def test_sizes_are_shares_or_rows():
    assert training_sizes([1.0, 0.5, 20, 0.1], 200, 2) == [20, 100, 200]
    assert training_sizes((1,), 200, 1) == [1]


def test_sizes_by_default_leave_out_what_is_too_small():
    assert training_sizes(None, 1000, 2) == [100, 200, 400, 600, 800, 1000]
    assert training_sizes(None, 30, 2) == [12, 18, 24, 30]
    assert training_sizes(None, 5, 2) == [5]


@pytest.mark.parametrize(
    ("sizes", "kind", "said"),
    [
        ([], UsageError, "there is no size to train on\n  Fix: give shares such as 0.5, or numbers of rows"),
        (["half"], UsageError, "'half' is not a size\n  Fix: give shares such as 0.5, or numbers of rows"),
        ([True], UsageError, "True is not a size\n  Fix: give shares such as 0.5, or numbers of rows"),
        (
            [1.5],
            UsageError,
            "the share 1.5 is not between 0 and 1\n  Fix: give a whole number for a number of rows",
        ),
        (
            [91],
            DataError,
            (
                "[H311] 91 training rows were asked for, and a training part has 90\n"
                "  Fix: give a smaller number, or shares up to 1.0"
            ),
        ),
        (
            [0.01],
            DataError,
            "[H311] a size of 0.01 is 1 training row, and one row of every class needs 3\n  Fix: give larger sizes",
        ),
    ],
)
def test_sizes_that_are_none(sizes, kind, said):
    with pytest.raises(kind) as caught:
        training_sizes(sizes, 90, 3)
    assert str(caught.value) == said


def test_parts_lie_within_one_another_with_classes_in_proportion():
    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1, 2], [140, 50, 10])
    train = rng.permutation(500)[:200]
    parts = nested_parts(train, [20, 60, 200], rng, classes=classes, unit=None)
    assert [len(part) for part in parts] == [20, 60, 200]
    assert set(parts[0]) < set(parts[1]) < set(parts[2]) == set(train)
    where = {row: at for at, row in enumerate(train.tolist())}
    for part in parts:
        counts = np.bincount(classes[[where[row] for row in part.tolist()]], minlength=3)
        assert np.abs(counts - len(part) * np.array([0.7, 0.25, 0.05])).max() <= 1


def test_every_class_is_in_the_smallest_part():
    classes = np.array([0] * 97 + [1, 2, 2])
    for seed in range(20):
        (part,) = nested_parts(np.arange(100), [3], np.random.default_rng(seed), classes=classes, unit=None)
        assert sorted(classes[part].tolist()) == [0, 1, 2]


def test_units_stay_whole():
    unit = np.repeat(np.arange(20), 5)
    classes = np.repeat([0, 1], 50)
    for seed in range(10):
        parts = nested_parts(np.arange(100), [12, 50], np.random.default_rng(seed), classes=classes, unit=unit)
        for part, size in zip(parts, (12, 50), strict=True):
            counts = np.bincount(unit[part], minlength=20)
            assert set(counts.tolist()) <= {0, 5}
            assert abs(len(part) - size) <= 2
            assert len(np.unique(classes[part])) == 2


def test_numbers_are_drawn_at_random():
    parts = [nested_parts(np.arange(100), [10], np.random.default_rng(s), classes=None, unit=None)[0] for s in (0, 1)]
    assert set(parts[0]) != set(parts[1])
