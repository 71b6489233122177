"""Every swap counted: against all of them made one by one, and against McNemar's test."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from heldout.formulas import METRICS, metric
from heldout.inputs import from_arrays
from heldout.stats.mcnemar_tests import mcnemar
from heldout.tallies.units import Units
from heldout.verbs.compare import permutation
from heldout.verbs.compare.model_pair import Both
from heldout.verbs.compare.permutation import (
    _apart,
    drawn,
    error_of_swaps,
    every_swap,
    is_countable,
    pair_order,
    ranks,
    swapped,
    swapped_sums,
    too_few_swaps,
)
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
    uneven = np.array([1] * 4 + [0] * 20)
    said = [np.where(np.random.default_rng(seed).random(24) < 0.8, uneven, 1 - uneven) for seed in (1, 2)]
    counted = every_swap(metric(name), Both(*(measured(uneven, one, pos_label=1) for one in said)))
    assert counted == pytest.approx(by_hand(name, uneven, *said), abs=1e-12)


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
    halves = [np.where(np.arange(4000) % 4 < 2, many, 1 - many), np.where(np.arange(4000) % 4 < 2, 1 - many, many)]
    assert not is_countable(metric("f1"), Both(*(measured(many, one) for one in halves)))


def scored(truth, score, **more):
    return Measurement(from_arrays(truth, y_score=score, pos_label=1, **more).batch, Settings())


def test_most_that_is_counted(monkeypatch):
    """Rows that differ in each class, plus one, multiplied: 3 x 4 tables."""
    truth = np.array([1] * 5 + [0] * 6)
    first, second = truth.copy(), truth.copy()
    second[:2], second[5:8] = 0, 1
    both = Both(measured(truth, first), measured(truth, second))
    monkeypatch.setattr(permutation, "MOST", 12)
    assert is_countable(metric("f1"), both)
    monkeypatch.setattr(permutation, "MOST", 11)
    assert not is_countable(metric("f1"), both)
    monkeypatch.undo()
    assert not is_countable(metric("roc_auc"), both)
    weight = {"sample_weight": np.arange(1.0, 12.0)}
    assert not is_countable(metric("f1"), Both(measured(truth, first, **weight), measured(truth, second, **weight)))
    three = np.array([0, 1, 2] * 4)
    assert not is_countable(metric("accuracy"), Both(measured(three, three), measured(three, np.roll(three, 1))))


def by_every_swap(value, outputs, units=None):
    """The share of all swaps of units that put the two models at least as far apart."""
    first, second = outputs
    unit = np.arange(len(first)) if units is None else units
    seen = abs(value(first) - value(second))
    beyond = []
    for swap in product([False, True], repeat=int(unit.max()) + 1):
        rows = np.array(swap)[unit]
        apart = abs(value(np.where(rows, second, first)) - value(np.where(rows, first, second)))
        beyond.append(not apart < seen - 1e-12)
    return float(np.mean(beyond))


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("name", ["roc_auc", "ks", "f1", "mae"])
def test_swaps_come_near_all_swaps(name, grouped, monkeypatch):
    rng = np.random.default_rng(4)
    one, n = metric(name), 16 if grouped else 8
    truth = np.tile([0, 1], n // 2)
    unit = np.arange(n) // 2 if grouped else None
    more = {"groups": unit} if grouped else {}
    if one.reads == "scores":  # ranks are swapped, not scores
        outputs = [stats.rankdata(np.round(rng.normal(truth, 2), 1)) for _ in range(2)]
        made = lambda said: scored(truth, said, **more)  # noqa: E731
    elif name == "mae":
        outputs = [rng.normal(truth, 1) for _ in range(2)]
        made = lambda said: measured(truth.astype(float) + 0.25, said, task="regression", **more)  # noqa: E731
    else:
        outputs = [np.where(rng.random(n) < 0.7, truth, 1 - truth) for _ in range(2)]
        made = lambda said: measured(truth, said, pos_label=1, **more)  # noqa: E731
    exact = by_every_swap(lambda said: made(said).value(one), outputs, unit)
    a, b = map(made, outputs)
    value = a.value(one) - b.value(one)
    for cells in (permutation.CELLS, 2 * n * 37):  # 37 swaps at a time
        monkeypatch.setattr(permutation, "CELLS", cells)
        p = swapped(one, a, b, value, draws=4000, seed=[3])
        assert p == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 4000))
        assert round(p * 4001, 6) == round(p * 4001)
    assert swapped(one, b, a, -value, draws=500, seed=[3]) == swapped(one, a, b, value, draws=500, seed=[3])


def summed(values, rows=None):
    ones = np.ones(len(values)) if rows is None else rows
    return Units({"absolute_errors": values, "rows": ones}, {"absolute_errors": np.float64(0), "rows": np.float64(0)})


@pytest.mark.parametrize("scale", [1.0, 1e6])
@pytest.mark.parametrize("units", [5, 11])
def test_swaps_of_what_units_add_come_near_all_swaps(units, scale, monkeypatch):
    rng = np.random.default_rng(units)
    a, b = (np.round(scale * rng.exponential(size=units), 1) for _ in range(2))
    one = metric("mae")
    exact = by_every_swap(np.mean, (a, b))
    found = swapped_sums(one, summed(a), summed(b), draws=4000, seed=[1])
    assert found == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 4000))
    assert round(found * 4001, 6) == round(found * 4001)
    monkeypatch.setattr(permutation.weights, "lines_at_once", lambda units: 37)
    assert swapped_sums(one, summed(a), summed(b), draws=4000, seed=[1]) == pytest.approx(exact, abs=0.04)
    assert swapped_sums(one, summed(a), summed(a), draws=99, seed=[1]) == 1.0


def test_ranks_are_those_of_scipy():
    score = np.random.default_rng(1).integers(0, 5, 20)
    assert ranks(score).tolist() == stats.rankdata(score).tolist()


def test_the_rarest_swap():
    """All one way: 2 of 2^n swaps, at most 1 - level."""
    for level, fewest in ((0.95, 6), (0.9, 5), (0.99, 8), (0.5, 2)):
        assert 2 / 2**fewest <= 1 - level + 1e-12 < 2 / 2 ** (fewest - 1) + 1e-12
        assert too_few_swaps(fewest, level) == ()
        assert too_few_swaps(fewest - 1, level, "images") == (
            f"{fewest - 1} images: no swap is rare enough to reject (needs {fewest})",
        )


def test_an_error_that_gives_the_p_value_of_the_swaps():
    error = error_of_swaps(0.2, 0.01, 0.03, 12)
    assert 2 * stats.t.sf(0.2 / error, 12) == pytest.approx(0.03)
    assert error_of_swaps(-0.2, 0.01, 0.03, 12) == error
    assert error_of_swaps(0.2, 5.0, 0.03, 12) == 5.0
    assert error_of_swaps(0.0, 0.1, 1.0, 12) == 0.1
    assert error_of_swaps(0.2, 0.01, 0.9, 12) == error_of_swaps(0.2, 0.01, 0.5, 12)


def test_resamples_are_the_same_for_both_models():
    """Of accuracy: the difference in a resample is the mean of the difference in its rows."""
    truth, first, second = two_models(rows=60, differ=20)
    a, b = measured(truth, first), measured(truth, second)
    one = metric("accuracy")
    values = drawn(one, a, b, a.value(one) - b.value(one), draws=4000, seed=[1])
    apart = (first == truth).astype(float) - (second == truth)
    assert values.mean() == pytest.approx(apart.mean(), abs=4 * apart.std() / np.sqrt(60 * 4000))
    assert values.std() == pytest.approx(apart.std() / np.sqrt(60), rel=0.06)
    same = drawn(one, a, measured(truth, first), 0.0, draws=50, seed=[1])
    assert same.tolist() == [0.0] * 50


def test_resamples_in_which_a_value_is_undefined_are_left_out():
    truth = np.array([1, 0, 0, 0])
    a, b = measured(truth, np.array([1, 0, 0, 1]), pos_label=1), measured(truth, np.array([1, 1, 0, 0]), pos_label=1)
    values = drawn(metric("recall"), a, b, 0.0, draws=400, seed=[1])
    assert len(values) == pytest.approx(400 * (1 - (3 / 4) ** 4), abs=45)  # the positive row is drawn


def test_values_that_are_infinite_under_both_models_count_as_larger():
    """A likelihood ratio without false positives is infinite, and infinite less infinite is undefined."""
    truth = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    first, second = np.array([1, 1, 1, 0, 0, 0, 0, 0]), np.array([1, 0, 0, 0, 1, 0, 0, 0])
    a, b = measured(truth, first, pos_label=1), measured(truth, second, pos_label=1)
    one = metric("lr_positive")
    assert every_swap(one, Both(a, b)) == 1.0
    assert swapped(one, a, b, a.value(one) - b.value(one), draws=50, seed=[1]) == 1.0


@pytest.mark.parametrize("at_once", [None, 7])
def test_where_every_swap_is_as_far_apart_p_is_one(at_once, monkeypatch):
    """However many are made at once: as many as asked for, and no more."""
    truth, first, second = two_models()
    if at_once:
        monkeypatch.setattr(permutation, "CELLS", 2 * len(truth) * at_once)
    a, b = measured(truth, first), measured(truth, second)
    assert swapped(metric("accuracy"), a, b, 0.0, draws=20, seed=[1]) == 1.0


def test_swaps_of_rows_of_unequal_weight_come_near_all_swaps():
    rng = np.random.default_rng(7)
    truth, weight = rng.normal(size=8), rng.exponential(size=8)
    outputs = [truth + rng.normal(size=8) for _ in range(2)]

    def made(said):
        return measured(truth, said, task="regression", sample_weight=weight)

    exact = by_every_swap(lambda said: np.average(np.abs(truth - said), weights=weight), outputs)
    a, b = map(made, outputs)
    value = a.value(metric("mae")) - b.value(metric("mae"))
    assert swapped(metric("mae"), a, b, value, draws=4000, seed=[3]) == pytest.approx(exact, abs=0.032)


@pytest.mark.parametrize("name", ["roc_auc", "f1", "mae"])
@pytest.mark.parametrize("equal", [False, True])
def test_neither_the_order_of_rows_nor_that_of_models_changes_a_swap_or_a_resample(name, equal):
    """Also where both models have the same value, and what they predict tells which is the first."""
    rng = np.random.default_rng(8)
    one, n = metric(name), 30
    truth = np.arange(n) % 2
    outputs = [rng.normal(truth, 1) for _ in range(2)]
    if name == "f1":
        outputs = [np.where(rng.random(n) < right, truth, 1 - truth) for right in (0.8, 0.6)]

    def made(said, rows):
        if name == "mae":
            return measured(truth[rows] + 0.25, said[rows], task="regression")
        return (scored if name == "roc_auc" else measured)(truth[rows], said[rows])

    results = []
    for rows in (np.arange(n), rng.permutation(n)):
        a, b = (made(said, rows) for said in outputs)
        value = 0.0 if equal else a.value(one) - b.value(one)
        far = abs(a.value(one) - b.value(one)) if equal else value
        for first, second, sign in ((a, b, 1), (b, a, -1)):
            values = sign * drawn(one, first, second, sign * value, draws=40, seed=[2])
            p = swapped(one, first, second, sign * value if not equal else 0.0, draws=99, seed=[2])
            results.append((p, *values))
        assert far != 0
    for other in results[1:]:
        assert other == pytest.approx(results[0], abs=1e-12)


def test_rounding_is_no_difference_in_a_resample():
    one, other = np.array([1e6, 1e6, 1e-6, 0.0]), np.array([1e6 + 1e-8, 1e6 + 1e-5, 1e-6 + 1e-15, 0.0])
    assert _apart(one, other).tolist() == [0.0, 1e6 - (1e6 + 1e-5), 1e-6 - (1e-6 + 1e-15), 0.0]


def several_labels(rng, n):
    truth = rng.integers(0, 2, (n, 3))
    return truth, [np.where(rng.random((n, 3)) < 0.8, truth, 1 - truth) for _ in range(2)]


def test_rows_with_several_labels_are_drawn():
    rng = np.random.default_rng(9)
    truth, outputs = several_labels(rng, 60)
    a, b = (measured(truth, said, task="multilabel") for said in outputs)
    (one,) = (each for each in a.metrics() if each.name == "f1_micro")

    def f1(said, rows):
        return 2 * np.sum(truth[rows] & said[rows]) / (np.sum(truth[rows]) + np.sum(said[rows]))

    resamples = [rng.integers(0, 60, 60) for _ in range(1000)]
    want = [f1(outputs[0], rows) - f1(outputs[1], rows) for rows in resamples]
    values = drawn(one, a, b, a.value(one) - b.value(one), draws=1000, seed=[1])
    assert values.mean() == pytest.approx(np.mean(want), abs=5 * np.std(want) * np.sqrt(2 / 1000))
    assert values.std() == pytest.approx(np.std(want), rel=0.15)


def test_units_are_swapped_by_fair_coins_each():
    """All eight one way: 2 of 256 swaps. Of 18, of which the two last differ: half of all swaps."""
    one, zero = metric("mae"), np.zeros(8)
    found = swapped_sums(one, summed(zero + 1), summed(zero), draws=50_000, seed=[1])
    assert found == pytest.approx(2 / 256, abs=4 * np.sqrt(2 / 256 / 50_000))
    last = np.r_[np.zeros(16), 1.0, 1.0]
    assert swapped_sums(one, summed(last), summed(np.zeros(18)), draws=2000, seed=[1]) == pytest.approx(0.5, abs=0.05)
    assert swapped_sums(one, summed(np.zeros(18)), summed(last), draws=2000, seed=[1]) == pytest.approx(0.5, abs=0.05)


def by_class(columns):
    """What units add to counts of each class."""
    nothing = np.zeros(columns["tp"].shape[1])
    return Units(columns, dict.fromkeys(columns, nothing))


def test_swaps_of_what_units_add_do_not_hang_on_order_or_on_classes_that_do_not_occur():
    rng = np.random.default_rng(10)
    one = metric("accuracy")
    counts = [{name: rng.integers(0, 4, (20, 3)).astype(float) for name in ("tp", "fn")} for _ in range(2)]
    rows = rng.permutation(20)

    def made(side, order=slice(None), spare=0):
        added = {name: np.hstack([part, np.zeros((20, spare))])[order] for name, part in counts[side].items()}
        return by_class(added)

    keys = {tuple(row) for row in np.hstack([part for side in counts for part in side.values()])}
    assert len(keys) == 20  # no two units hold the same
    first = swapped_sums(one, made(0), made(1), draws=99, seed=[4])
    assert 0.05 < first < 0.95
    assert swapped_sums(one, made(1), made(0), draws=99, seed=[4]) == first
    assert swapped_sums(one, made(0, rows), made(1, rows), draws=99, seed=[4]) == first
    order = pair_order(one, made(0), made(1))
    assert pair_order(one, made(1), made(0)).tolist() == order.tolist()
    assert rows[pair_order(one, made(0, rows), made(1, rows))].tolist() == order.tolist()
    assert pair_order(one, made(0, spare=2), made(1, spare=2)).tolist() == order.tolist()
    apart = [
        {name: np.where(np.arange(3) == side, part, 0.0) for name, part in counts[side].items()} for side in (0, 1)
    ]  # each model has a class that the other has not
    order = pair_order(one, *map(by_class, apart))
    turned = pair_order(one, *(by_class({name: part[rows] for name, part in side.items()}) for side in apart))
    assert rows[turned].tolist() == order.tolist()


def test_swaps_and_resamples_of_a_ranking_see_ranks_only():
    rng = np.random.default_rng(11)
    truth, one = np.arange(40) % 2, metric("roc_auc")
    outputs = [rng.normal(truth, 1) for _ in range(2)]
    results = []
    for scale in (lambda score: score, np.exp, lambda score: 3 * score - 7):
        a, b = (scored(truth, scale(said)) for said in outputs)
        for value in (a.value(one) - b.value(one), 0.0):
            p = swapped(one, a, b, value, draws=99, seed=[2])
            results.append((p, *drawn(one, a, b, value, draws=20, seed=[2])))
    for at in (2, 3, 4, 5):
        assert results[at] == pytest.approx(results[at % 2], abs=1e-12)


def test_infinite_less_infinite_is_undefined_and_no_warning():
    """Odds ratios that are finite, and both infinite where one false positive and one false negative are swapped."""
    truth = np.repeat([1, 0], 4)
    first, second = truth.copy(), truth.copy()
    first[[0, 4]], second[[1, 5]] = 1 - first[[0, 4]], 1 - second[[1, 5]]
    a, b = measured(truth, first, pos_label=1), measured(truth, second, pos_label=1)
    one = metric("diagnostic_odds_ratio")
    assert a.value(one) == b.value(one) == 9.0
    assert swapped(one, a, b, 0.0, draws=99, seed=[1]) == 1.0
    values = drawn(one, a, b, 0.0, draws=99, seed=[1])
    assert 0 < len(values) < 99
    assert np.isfinite(values).all()
