"""Few rows, one class, constant scores, all right, all wrong: answered, inside the range, never with no width."""

from __future__ import annotations

from math import isfinite, isnan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import heldout
from heldout.formulas import metric

ONE_CLASS = {"y_true": [1, 1, 1], "y_proba": [0.9, 0.4, 0.6], "labels": [0, 1]}
EDGES = {
    "one row": {"y_true": [1], "y_proba": [0.7], "labels": [0, 1]},
    "one row of the other class": {"y_true": [0], "y_proba": [0.7], "labels": [0, 1]},
    "one row, wrong": {"y_true": [1], "y_pred": [0]},
    "one of each": {"y_true": [0, 1], "y_proba": [0.2, 0.8]},
    "one of each, wrong": {"y_true": [0, 1], "y_proba": [0.8, 0.2]},
    "one class": ONE_CLASS,
    "one class, in groups": ONE_CLASS | {"groups": [1, 1, 2]},
    "one class, weighted": ONE_CLASS | {"sample_weight": [1, 2, 3]},
    "the other class only": {"y_true": [0, 0, 0], "y_proba": [0.9, 0.4, 0.6], "labels": [0, 1]},
    "constant scores": {"y_true": [0, 1] * 10, "y_proba": [0.3] * 20},
    "constant scores, in groups": {"y_true": [0, 1] * 10, "y_proba": [0.3] * 20, "groups": np.arange(20) // 4},
    "all right": {"y_true": [0, 1] * 10, "y_proba": [0.2, 0.8] * 10},
    "all wrong": {"y_true": [0, 1] * 10, "y_proba": [0.8, 0.2] * 10},
    "nearly all certain and right": {"y_true": [0, 1] * 10, "y_proba": [0.0, 1.0] * 9 + [0.5, 1.0]},
    "nearly all certain and wrong": {"y_true": [0, 1] * 10, "y_proba": [1.0, 0.0] * 9 + [0.5, 0.0]},
    "right, in groups": {"y_true": [0, 1] * 10, "y_proba": [0.2, 0.8] * 10, "groups": np.arange(20) // 4},
    "wrong, in groups": {"y_true": [0, 1] * 10, "y_proba": [0.8, 0.2] * 10, "groups": np.arange(20) // 4},
    "right, weighted": {"y_true": [0, 1] * 10, "y_proba": [0.2, 0.8] * 10, "sample_weight": np.arange(1, 21)},
    "one group": {"y_true": [0, 1] * 10, "y_proba": [0.2, 0.8, 0.6, 0.4] * 5, "groups": [7] * 20},
    "two groups": {"y_true": [0, 1] * 10, "y_proba": [0.2, 0.8, 0.6, 0.4] * 5, "groups": [7] * 10 + [8] * 10},
    "one error": {"y_true": [0, 1] * 10, "y_proba": [0.2, 0.8] * 9 + [0.8, 0.8]},
    "a zero weight": {"y_true": [0, 1] * 10, "y_proba": [0.2, 0.8, 0.6, 0.4] * 5, "sample_weight": [0] + [1] * 19},
    "three classes, one row each": {"y_true": [0, 1, 2], "y_proba": np.eye(3) * 0.4 + 0.2},
    "three classes, all wrong": {"y_true": [0, 1, 2] * 4, "y_pred": [1, 2, 0] * 4},
    "three classes, one never said": {"y_true": [0, 1, 2] * 4, "y_pred": [0, 1, 1] * 4},
    "three classes, one never true": {"y_true": [0, 1] * 6, "y_pred": [0, 1, 2] * 4, "labels": [0, 1, 2]},
    "one number": {"y_true": [1.5], "y_pred": [1.0], "task": "regression"},
    "two numbers": {"y_true": [1.5, 2.5], "y_pred": [1.0, 2.5], "task": "regression"},
    "no error at all": {"y_true": [1.5, 2.5, 3.5], "y_pred": [1.5, 2.5, 3.5], "task": "regression"},
    "the same error": {"y_true": [1.5, 2.5, 3.5], "y_pred": [1.0, 2.0, 3.0], "task": "regression"},
    "constant truth": {"y_true": [2.5, 2.5, 2.5], "y_pred": [1.5, 2.0, 3.0], "task": "regression"},
    "numbers in one group": {
        "y_true": [1.5, 2.5, 4.0],
        "y_pred": [1.0, 2.5, 3.0],
        "task": "regression",
        "groups": [1, 1, 1],
    },
    "labels all right": {"y_true": np.array([[0, 1], [1, 0], [1, 1]]), "y_pred": np.array([[0, 1], [1, 0], [1, 1]])},
    "labels all wrong": {"y_true": np.array([[0, 1], [1, 0], [1, 1]]), "y_pred": np.array([[1, 0], [0, 1], [0, 0]])},
}


def answered(found):
    """Every estimate says something true: inside its range, around its value, with a reason where there is none."""
    several = found.estimates | {
        f"{label} {name}": one for label, part in found.classes.items() for name, one in part.items()
    }
    for name, one in several.items():
        low, high = metric(one.name).range
        said = f"{name}: {one!r} by {one.method}, {one.notes}"
        assert not isnan(one.low), said
        assert not isnan(one.high), said
        assert low - 1e-9 <= one.low <= one.high <= high + 1e-9, said
        if isnan(one.value):
            assert any("undefined" in note or "0/0" in note for note in one.notes), said
            continue
        assert one.low - 1e-9 <= one.value <= one.high + 1e-9, said
        if isfinite(one.value) and name.split()[-1] != "median_absolute_error":
            assert one.low < one.high, said


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.filterwarnings("error")
def test_edges_are_answered(edge):
    answered(heldout.evaluate(**EDGES[edge], n_resamples=100))


@pytest.mark.parametrize("side", ["lower", "upper"])
@pytest.mark.parametrize("edge", ["one of each", "all right", "constant truth", "three classes, all wrong"])
def test_one_sided_bounds_are_answered(edge, side):
    answered(heldout.evaluate(**EDGES[edge], n_resamples=100, side=side))


@given(data=st.data())
@settings(max_examples=40, deadline=None, derandomize=True)
@pytest.mark.filterwarnings("error")
def test_random_binary_rows_are_answered(data):
    rows = data.draw(st.integers(1, 12))
    truth = data.draw(st.lists(st.integers(0, 1), min_size=rows, max_size=rows))
    chance = data.draw(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), min_size=rows, max_size=rows))
    options = {}
    if data.draw(st.booleans()):
        options["groups"] = data.draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    if data.draw(st.booleans()):
        options["sample_weight"] = data.draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=rows, max_size=rows))
    answered(heldout.evaluate(truth, y_proba=chance, labels=[0, 1], n_resamples=100, **options))


@given(data=st.data())
@settings(max_examples=25, deadline=None, derandomize=True)
@pytest.mark.filterwarnings("error")
def test_random_numbers_are_answered(data):
    rows = data.draw(st.integers(1, 10))
    numbers = st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-3)
    truth = data.draw(st.lists(numbers, min_size=rows, max_size=rows))
    said = data.draw(st.lists(numbers, min_size=rows, max_size=rows))
    answered(heldout.evaluate(truth, said, task="regression", n_resamples=100))


CONSTANT = {
    "one class of three": ([1] * 40, [0, 1, 2, 1] * 10, {"labels": [0, 1, 2]}),
    "one prediction of three": ([0, 1, 2, 1] * 10, [1] * 40, {"labels": [0, 1, 2]}),
    "one class of two": ([1] * 40, [0, 1, 1, 1] * 10, {"labels": [0, 1]}),
    "one target": ([0.1] * 40, [0.1 + i % 7 for i in range(40)], {"task": "regression"}),
}


@pytest.mark.parametrize("case", CONSTANT)
def test_rounding_of_weights_defines_nothing(case):
    """What is undefined without weights, because the truth or the prediction is constant, is so with any weights."""
    truth, said, options = CONSTANT[case]
    plain = heldout.evaluate(truth, said, **options)
    for seed in range(12):
        weight = np.round(3 * np.random.default_rng(seed).random(40) + 0.1, 2) / 3
        found = heldout.evaluate(truth, said, sample_weight=weight, **options)
        known = {name: str(plain[name].value) for name in plain.names if not isfinite(plain[name].value)}
        assert {name: str(found[name].value) for name in found.names if not isfinite(found[name].value)} == known
