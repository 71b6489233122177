"""How far units move a difference: by classes, clusters, weights and times, against sums that are made row by row."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from scipy import stats

from heldout.estimates.question import Question
from heldout.estimates.ranking import misranked, raised_variance
from heldout.formulas import METRICS
from heldout.inputs import from_arrays
from heldout.intervals.long_run import long_run
from heldout.intervals.unit_spread import (
    Carriers,
    UnitSpread,
    hidden_by_sizes,
    hidden_by_weights,
    spread_of_units,
)
from heldout.verbs.compare import model_pair
from heldout.verbs.compare.model_pair import (
    Apart,
    Both,
    carriers_of,
    hidden_in_rows,
    kinds_of,
    raised,
    row_sizes,
    unit_sizes,
    with_carriers,
)
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

RNG = np.random.default_rng


def measured(truth, said=None, **more):
    return Measurement(from_arrays(truth, said, **more).batch, Settings())


def numbers(truth, said, **more):
    return measured(truth, said, task="regression", **more)


def labelled(n, seed, right=0.75, **more):
    truth = (np.arange(n) % 3 == 0).astype(int)
    said = np.where(RNG(seed).random(n) < right, truth, 1 - truth)
    return measured(truth, said, pos_label=1, **more)


def placements(truth, score):
    """What each row moves the area under the ROC curve, one by one [delong88]."""
    wins = np.sign(score[truth == 1][:, None] - score[truth == 0]) / 2 + 0.5
    moved = np.empty(len(truth))
    moved[truth == 1] = (wins.mean(axis=1) - wins.mean()) / wins.shape[0]
    moved[truth == 0] = (wins.mean(axis=0) - wins.mean()) / wins.shape[1]
    return moved


def test_an_area_is_raised_where_few_rows_rank_wrong(monkeypatch):
    rng = RNG(0)
    truth = np.arange(60) % 2
    one = measured(truth, y_score=rng.normal(2.5 * truth, 1), pos_label=1)
    asked = Question(metric=METRICS["roc_auc"], tally=one.tally(METRICS["roc_auc"]), level=0.95)
    want = (raised_variance(asked) / asked.variance) ** 0.25
    assert want > 1.005
    assert raised(one, METRICS["roc_auc"]) == raised(one, METRICS["gini"]) == pytest.approx(want)
    monkeypatch.setattr(model_pair, "MANY_MISRANKED", misranked(asked))
    assert raised(one, METRICS["roc_auc"]) == pytest.approx(want)
    monkeypatch.setattr(model_pair, "MANY_MISRANKED", misranked(asked) - 1e-9)
    assert raised(one, METRICS["roc_auc"]) == 1.0
    monkeypatch.undo()
    perfect = measured(truth, y_score=truth + 0.01 * np.arange(60), pos_label=1)
    assert raised(perfect, METRICS["roc_auc"]) == 1.0


def test_rows_move_the_difference_of_areas_by_their_placements():
    rng = RNG(1)
    truth = np.repeat([1, 0], [8, 22])
    scores = [rng.normal(1.5 * truth, 1) for _ in range(2)]
    a, b = (measured(truth, y_score=score, pos_label=1) for score in scores)
    apart = Both(a, b).apart(METRICS["roc_auc"])
    moved = [placements(truth, score) for score in scores]
    assert apart.each == pytest.approx(moved[0] - moved[1], abs=1e-9)
    farther = moved[0] * raised(a, METRICS["roc_auc"]) - moved[1] * raised(b, METRICS["roc_auc"])
    farther *= np.where(truth == 1, (1 - 1 / 30) / (1 - 1 / 8), (1 - 1 / 30) / (1 - 1 / 22))
    assert apart.spread.variance == pytest.approx(30 * np.var(farther, ddof=1), rel=1e-6)
    assert (apart.df, apart.squares) == (
        29.0,
        pytest.approx([np.sum(apart.each[:8] ** 2), np.sum(apart.each[8:] ** 2)]),
    )
    lone = np.repeat([1, 0], [1, 22])
    few = Both(*(measured(lone, y_score=rng.normal(lone, 1), pos_label=1) for _ in range(2)))
    assert few.apart(METRICS["roc_auc"]).df == 0.0
    ranks = Both(a, b).apart(METRICS["average_precision"])
    factors = np.where(truth == 1, (1 - 1 / 30) / (1 - 1 / 8), (1 - 1 / 30) / (1 - 1 / 22))
    assert ranks.spread.variance == pytest.approx(30 * np.var(ranks.each * factors, ddof=1), rel=1e-9)


def test_several_labels_are_ranked_by_rows():
    rng = RNG(2)
    truth = rng.integers(0, 2, (40, 3))
    a, b = (measured(truth, y_score=rng.normal(truth, 1), task="multilabel") for _ in range(2))
    metric = METRICS["roc_auc_macro"]
    apart = Both(a, b).apart(metric)
    assert apart.spread.variance == pytest.approx(40 * np.var(apart.each, ddof=1), rel=1e-9)
    assert apart.df == 39.0


def test_units_that_carry_a_difference_lower_its_degrees_of_freedom_and_raise_its_variance():
    spread = UnitSpread(units=60, variance=2.0, df=50.0)
    few = Carriers(df=3.5, seen=0.8, fewest=5.0)
    found = with_carriers(spread, few, by_class=False)
    assert (found.df, found.variance, found.carriers, found.units) == (3.5, pytest.approx(2.5), few, 60)
    assert with_carriers(spread, few, by_class=True).variance == 2.0
    assert with_carriers(spread, Carriers(df=70.0, seen=0.8), by_class=False).variance == 2.0
    assert with_carriers(spread, Carriers(df=70.0, seen=0.8), by_class=False).df == 50.0
    assert with_carriers(spread, Carriers(df=0.0, seen=0.0, fewest=1.0), by_class=False).variance == pytest.approx(2e6)


def clustered():
    """Two models of which the second predicts the positive class in few clusters."""
    unit = np.arange(120) // 4
    truth = (np.arange(120) % 3 == 0).astype(int)
    seldom = np.where(unit < 6, truth, 0)
    seldom[5] = 1 - seldom[5]
    return labelled(120, 3, groups=unit), measured(truth, seldom, pos_label=1, groups=unit)


def test_the_model_that_fewer_units_carry_decides():
    often, seldom = clustered()
    precision, recall = METRICS["precision"], METRICS["recall"]
    each = [carriers_of(precision, one) for one in (often, seldom)]
    assert each[1].df < each[0].df
    assert carriers_of(precision, often, seldom) == carriers_of(precision, seldom, often) == each[1]
    # positive rows of equal number in all 30 clusters or in 5 of them
    positive = measured(
        np.r_[np.ones(20, int), np.zeros(100, int)], np.arange(120) % 2, pos_label=1, groups=seldom.batch.unit
    )
    assert carriers_of(recall, positive).fewest == pytest.approx(5.0)
    # a recall does not rest on negative rows, though one cluster has them all
    most = measured(
        np.r_[np.zeros(4, int), np.ones(116, int)], np.arange(120) % 2, pos_label=1, groups=often.batch.unit
    )
    assert carriers_of(recall, most).df > 20
    assert carriers_of(METRICS["roc_auc"], measured(
        positive.batch.truth, y_score=RNG(4).normal(size=120), pos_label=1, groups=seldom.batch.unit
    )).fewest == pytest.approx(5.0)  # fmt: skip


@pytest.mark.parametrize("name", ["precision", "f1"])
def test_clusters_have_the_spread_of_their_sums(name):
    often, seldom = clustered()
    metric = METRICS[name]
    apart = Both(often, seldom).apart(metric)
    want = with_carriers(
        spread_of_units(apart.each, unit_sizes(metric, often.batch)), carriers_of(metric, often, seldom), by_class=True
    )
    assert apart.spread == want
    assert (apart.sizes, apart.squares, apart.units) == ((0, 0), (0.0, 0.0), 30)


def raised_by(spread, hidden):
    """The spread with the variance that units do not show."""
    assert hidden > 0
    return replace(spread, variance=spread.variance + hidden)


def test_clusters_of_numbers_and_rows_of_unequal_weight():
    rng = RNG(5)
    truth, unit = rng.normal(size=60), np.repeat(np.arange(10), [1, 2, 3, 4, 5, 6, 7, 8, 9, 15])
    for more in ({"groups": unit}, {"sample_weight": rng.exponential(size=60)}):
        said = [truth + rng.normal(size=60) for _ in range(2)]
        a, b = (numbers(truth, one, **more) for one in said)
        apart, few = Both(a, b).apart(METRICS["mae"]), carriers_of(METRICS["mae"], a, b)
        sizes = unit_sizes(METRICS["mae"], a.batch) if "groups" in more else None
        weight = a.batch.weight if sizes is None else np.ones(60)
        losses = [np.abs(one - truth) for one in said]
        moved = np.subtract(*(weight * (one - np.average(one, weights=weight)) / weight.sum() for one in losses))
        hidden = hidden_in_rows(moved, weight[None], a.batch.unit)
        spread = raised_by(spread_of_units(apart.each, sizes), hidden)
        want = with_carriers(spread, few, by_class=False)
        assert apart.spread.variance == pytest.approx(want.variance, rel=1e-12)
        assert replace(apart.spread, variance=0.0) == replace(want, variance=0.0)
    three = np.where(np.arange(120) < 20, 2, np.arange(120) % 2)  # the third class lies in five of 30 clusters
    a, b = (
        measured(three, np.where(rng.random(120) < 0.7, three, 0), groups=np.arange(120) // 4) for _ in range(2)
    )  # fmt: skip
    apart, few = Both(a, b).apart(METRICS["f1_macro"]), carriers_of(METRICS["f1_macro"], a, b)
    sizes = unit_sizes(METRICS["f1_macro"], a.batch)
    assert apart.spread == with_carriers(spread_of_units(apart.each, sizes), few, by_class=False)
    assert few.seen < 1


def test_rows_of_each_class_are_compared_with_rows_of_their_class():
    """Negative rows weigh nine times as much as positive ones, as in a sample weighted to its population."""
    truth = np.arange(40) % 2
    weight = np.where(truth == 1, 1.0, 9.0) * np.where(np.arange(40) < 4, 3.0, 1.0)
    moved = RNG(3).normal(size=40)
    a = measured(truth, truth, pos_label=1, sample_weight=weight)
    weight = a.batch.weight
    sides = [np.where(truth == side, weight, 0.0) for side in (1, 0)]
    found = [hidden_by_weights(moved[truth == side], weight[truth == side]) for side in (1, 0)]
    for name, lines, want in (("recall", sides, sum(found)), ("mcc", sides, sum(found)),
                              ("accuracy", [weight], hidden_by_weights(moved, weight))):  # fmt: skip
        sizes = row_sizes(a.batch, kinds_of(METRICS[name], a.batch))
        assert sizes.tolist() == np.array(lines).tolist()
        assert want > 0
        assert hidden_in_rows(moved, sizes, None) == pytest.approx(want)
    assert kinds_of(METRICS["recall"], numbers(truth, truth).batch) == ()


def test_clusters_are_as_large_as_what_their_rows_of_each_class_move():
    moved, unit = RNG(4).normal(size=12), np.repeat(np.arange(4), [1, 2, 3, 6])
    first = np.arange(12) % 3 == 0
    sizes = np.stack([first * 2.0, ~first * 1.0, np.zeros(12)])
    mean = np.array([np.sum(moved[first] ** 2) / 2 / 8, np.sum(moved[~first] ** 2) / 8])
    each = [sum((mean[:2] @ sizes[:2] ** 2)[unit == k]) for k in range(4)]
    root = [sum((np.sqrt(mean) @ sizes[:2])[unit == k]) for k in range(4)]
    want = hidden_by_sizes(np.bincount(unit, weights=moved), np.array(root), np.array(each))
    assert want > 0
    assert hidden_in_rows(moved, sizes, unit) == pytest.approx(want)
    more = np.append(moved, 0.0), np.column_stack([sizes, np.zeros(3)]), np.append(unit, 4)
    assert hidden_in_rows(*more) == pytest.approx(want)  # a cluster without rows that count


@pytest.mark.parametrize("name", ["accuracy", "recall", "mcc"])
def test_few_heavy_rows_on_which_models_agree_raise_the_variance(name):
    rng = RNG(11)
    truth, weight = np.arange(200) % 2, np.where(np.arange(200) < 10, 20.0, 1.0)
    both = [np.where((rng.random(200) < 0.2) & (weight == 1), 1 - truth, truth) for _ in range(2)]
    a, b = (measured(truth, said, pos_label=1, sample_weight=weight) for said in both)
    apart = Both(a, b).apart(METRICS[name])
    hidden = hidden_in_rows(apart.each, row_sizes(a.batch, kinds_of(METRICS[name], a.batch)), None)
    assert hidden > 4 * spread_of_units(apart.each).variance
    spread = raised_by(spread_of_units(apart.each), hidden)
    assert apart.spread == with_carriers(spread, carriers_of(METRICS[name], a, b), by_class=True)


def test_times_that_carry_a_difference():
    truth = (np.arange(80) % 3 == 0).astype(int)
    often = labelled(80, 6, time=np.arange(80))
    seldom = measured(truth, np.where(np.arange(80) < 12, truth, 0), pos_label=1, time=np.arange(80))
    metric = METRICS["precision"]
    for pair in ((often, seldom), (seldom, often)):
        apart = Both(*pair).apart(metric)
        found, few = long_run(apart.each, None), carriers_of(metric, seldom)
        assert few.fewest < inf
        assert apart.spread == with_carriers(
            UnitSpread(units=80, variance=found.variance, df=found.df), few, by_class=False
        )
    plain = Both(*(numbers(truth, truth + RNG(k).normal(size=80), time=np.arange(80)) for k in (7, 8)))
    apart = plain.apart(METRICS["mae"])
    found = long_run(apart.each, None)
    assert apart.spread == UnitSpread(units=80, variance=found.variance, df=found.df)


def test_what_is_not_known_of_rows_is_nothing():
    """Of clusters that are read in chunks, neither classes nor tails are known."""
    apart = Apart(spread=UnitSpread(units=9, variance=0.25, df=8.0), moves=True)
    assert (apart.sizes, apart.squares, apart.each, apart.long_run, apart.tail) == ((0, 0), (0.0, 0.0), None, None, 0.0)
    assert (apart.units, apart.df, apart.error) == (9, 8.0, 0.5)


def test_one_row_is_enough_to_move_a_difference_on_any_scale():
    rng = RNG(9)
    truth = rng.normal(size=30)
    said = truth + rng.normal(size=30)
    other = said.copy()
    other[3] += 0.5
    for scale in (1e-12, 1.0, 1e9):
        both = Both(numbers(scale * truth, scale * said), numbers(scale * truth, scale * other))
        assert both.apart(METRICS["mae"]).moves
    near = Both(numbers(truth, said), numbers(truth, said + 1e-13 * (np.arange(30) == 3)))
    assert not near.apart(METRICS["mae"]).moves  # less than 1e-12 of what rows move the values


@pytest.mark.parametrize("n", [999, 1000])
def test_the_tails_of_many_losses_are_not_looked_at(n):
    rng = RNG(10)
    truth = rng.normal(size=n)
    a, b = (numbers(truth, truth + rng.normal(size=n)) for _ in range(2))
    tail = max(stats.skew(np.abs(one.batch.truth - one.batch.prediction)) for one in (a, b))
    assert Both(a, b).apart(METRICS["mae"]).tail == (pytest.approx(tail, rel=1e-6) if n < 1000 else 0.0)
