"""Every swap counted: against all of them made one by one, and against McNemar's test."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from heldout.formulas import METRICS, metric
from heldout.inputs import from_arrays
from heldout.stats.mcnemar_tests import mcnemar
from heldout.verbs.compare.model_pair import Both
from heldout.verbs.compare.permutation import every_swap, is_countable
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

LABELS = [name for name, one in METRICS.items() if one.reads == "labels" and "binary" in one.tasks]


def measured(truth, prediction, **more):
    return Measurement(from_arrays(truth, prediction, **more).batch, Settings())


def two_models(rows=24, seed=3, differ=9):
    rng = np.random.default_rng(seed)
    truth = np.tile([0, 0, 1], rows // 3)
    first = np.where(rng.random(rows) < 0.75, truth, 1 - truth)
    second = first.copy()
    chosen = rng.choice(rows, differ, replace=False)
    second[chosen] = 1 - second[chosen]
    return truth, first, second


def by_hand(name, truth, first, second):
    """Mid-p over all 2^m ways of swapping the rows on which the models differ."""
    one = metric(name)
    at = np.flatnonzero(first != second)

    def value(prediction):
        return float(measured(truth, prediction).one(one).value)

    seen = abs(value(first) - value(second))
    beyond = []
    for swap in product([False, True], repeat=len(at)):
        a, b = first.copy(), second.copy()
        rows = at[np.array(swap)]
        a[rows], b[rows] = second[rows], first[rows]
        apart = abs(value(a) - value(b))
        beyond.append(0.5 if abs(apart - seen) <= 1e-12 else 0.0 if apart < seen else 1.0)
    return float(np.mean(beyond))


@pytest.mark.parametrize("name", ["f1", "mcc", "kappa", "balanced_accuracy", "precision", "recall", "accuracy"])
def test_as_all_swaps_one_by_one(name):
    truth, first, second = two_models(differ=7)
    counted = every_swap(metric(name), Both(measured(truth, first), measured(truth, second)))
    assert counted == pytest.approx(by_hand(name, truth, first, second), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_accuracy_is_mcnemar(seed):
    truth, first, second = two_models(rows=60, seed=seed, differ=20)
    right = first == truth, second == truth
    more, less = int(np.sum(right[0] & ~right[1])), int(np.sum(~right[0] & right[1]))
    counted = every_swap(metric("accuracy"), Both(measured(truth, first), measured(truth, second)))
    assert counted == pytest.approx(mcnemar(more, less, method="midp"), abs=1e-12)


@pytest.mark.parametrize("name", LABELS)
def test_no_metric_cares_which_model_comes_first(name):
    truth, first, second = two_models()
    a, b = measured(truth, first), measured(truth, second)
    assert 0 <= every_swap(metric(name), Both(a, b)) <= 1
    assert every_swap(metric(name), Both(a, b)) == pytest.approx(every_swap(metric(name), Both(b, a)), abs=1e-12)


def test_where_swaps_cannot_be_counted():
    truth, first, second = two_models()
    a, b = measured(truth, first), measured(truth, second)
    assert is_countable(metric("f1"), Both(a, b))
    grouped = {"groups": np.arange(len(truth)) // 2}
    assert not is_countable(metric("f1"), Both(measured(truth, first, **grouped), measured(truth, second, **grouped)))
    many = np.tile([0, 1], 2000)
    assert not is_countable(metric("f1"), Both(measured(many, many), measured(many, 1 - many)))
