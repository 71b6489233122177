"""Arrays of many samples act as the array of one sample would, on each."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.lab.rates.sample_arrays import MATH, Many, Numpy, OneByOne, Split, largest, number, smallest

RNG = np.random.default_rng(0)
TABLES = RNG.random((5, 3, 4))
LINES = RNG.random((5, 4))
NUMBERS = RNG.random(5)
FIXED = RNG.random((2, 3))

SAME = {
    "sum": lambda table, line, one: table.sum() + line.sum() * one,
    "axis": lambda table, line, one: table.sum(axis=0) + line + one,
    "last axis": lambda table, line, one: np.mean(table, axis=-1) - one,
    "extremes": lambda table, line, one: np.max(table) + np.min(line, initial=0.2) + np.ptp(table),
    "broadcast": lambda table, line, one: table * line - one,
    "kept axis": lambda table, line, one: table / table.sum(axis=-1, keepdims=True),
    "dot": lambda table, line, one: line @ line,
    "matrix": lambda table, line, one: table @ line,
    "of a constant": lambda table, line, one: FIXED @ table,
    "of a constant and a line": lambda table, line, one: FIXED.T @ np.array([1.0, 2.0]) * (FIXED @ table)[0, :3],
    "einsum": lambda table, line, one: np.einsum("i,i,i", line, line, line),
    "batched einsum": lambda table, line, one: np.einsum("...i,...i", table, line),
    "where": lambda table, line, one: np.where(table > one, table, 0.0),
    "cumsum": lambda table, line, one: np.cumsum(line)[::-1],
    "concatenate": lambda table, line, one: np.concatenate([line, np.ones(2), line]),
    "stack": lambda table, line, one: np.stack([line, line * 2], axis=1),
    "bincount": lambda table, line, one: np.bincount(np.array([0, 2, 2, 1]), weights=line, minlength=4),
    "split": lambda table, line, one: np.split(line, [1, 3])[1],
    "tile": lambda table, line, one: np.tile(line, (4, 2, 1)),
    "outer": lambda table, line, one: np.outer(line, line),
    "diagonal": lambda table, line, one: np.diag(np.diag(table[:, :3])),
    "reduceat": lambda table, line, one: np.add.reduceat(table, [0, 2], axis=1),
    "indices": lambda table, line, one: table[1, ..., 2] + table[:, [0, 2]][0, 1] + line[..., 1],
    "argmax": lambda table, line, one: table.argmax() + line.argmax(axis=-1),
    "transposed": lambda table, line, one: table.T[1],
    "sorted": lambda table, line, one: np.sort(table, axis=1)[:, 1],
}


@pytest.mark.parametrize("name", SAME)
def test_each_sample_is_as_by_itself(name):
    found = SAME[name](Many(TABLES), Many(LINES), Many(NUMBERS))
    expected = np.array([SAME[name](*parts) for parts in zip(TABLES, LINES, NUMBERS, strict=True)])
    assert found.data == pytest.approx(expected, rel=1e-14)
    assert found.shape == expected.shape[1:]


def test_a_question_that_differs_between_samples_splits_them():
    with pytest.raises(Split) as parted:
        bool(Many(NUMBERS) > 0.5)
    assert parted.value.yes.tolist() == (NUMBERS > 0.5).tolist()
    assert bool(Many(NUMBERS) >= 0)
    assert not Many(NUMBERS) > 2


def test_positions_have_to_be_the_same():
    assert int(Many(np.array([3, 3]))) == round(Many(np.array([3.0, 3.0]))) == 3
    with pytest.raises(Split) as parted:
        Many(LINES[:3])[Many(np.array([1, 2, 1]))]
    assert parted.value.yes.tolist() == [True, False, True]
    some = Many(LINES)[Many(np.tile([True, False, True, False], (5, 1)))]
    assert np.array_equal(some.data, LINES[:, ::2])


def test_smallest_and_largest_are_those_of_python():
    one, other = np.array([1.0, np.nan, 3.0]), np.array([2.0, 1.0, np.nan])
    for ours, pythons in ((smallest, min), (largest, max)):
        found = ours(Many(one), Many(other), 2.5).data
        expected = [pythons(a, b, 2.5) for a, b in zip(one, other, strict=True)]
        assert np.array_equal(found, expected, equal_nan=True)
        assert ours(3, 1, 2) == pythons(3, 1, 2)
        assert ours([3, 1]) == pythons([3, 1])


def test_floats_and_mathematics_take_one_sample_and_many():
    assert number("2.5") == 2.5
    assert number(Many(NUMBERS)).data is not None
    assert MATH.sqrt(4) == 2
    assert MATH.sqrt(Many(NUMBERS)).data.tolist() == np.sqrt(NUMBERS).tolist()
    assert Numpy().asarray(Many(LINES), dtype=float).shape == (4,)
    assert Numpy().full(3, Many(NUMBERS)).shape == (3,)


@pytest.mark.parametrize(
    "call",
    [
        float,
        np.asarray,
        np.fft.fft,
        lambda many: np.multiply.outer(many, many),
        bool,
        number,
        lambda many: np.bincount(many.astype(int)),
        np.unique,
    ],
)
def test_what_is_not_known_for_many_is_refused(call):
    with pytest.raises(OneByOne):
        call(Many(LINES))
