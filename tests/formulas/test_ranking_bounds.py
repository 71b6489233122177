"""The value of the rows lies within the bounds, however coarse the places are and whatever the order inside them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from heldout.formulas import METRICS, metric
from heldout.formulas.ranking_bounds import partial_auc_within
from heldout.formulas.table import RANKED
from heldout.tallies.grid import edges
from heldout.tallies.grid_counts import filled_by
from heldout.tallies.scores import tally_scores

NAMES = [
    *(one.name for one in RANKED),
    *("lift@3%", "gain@50%", "gain@100%", "partial_auc@0.2-0.7", "partial_auc_standardized@0.3"),
    "partial_auc_standardized@0.2-0.7",
]
ROUNDING = 1e-12


@st.composite
def tables(draw):
    """Scores with ties, a label each, perhaps a weight, and how coarse the places are."""
    rows = draw(st.integers(2, 40))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    score = rng.integers(0, draw(st.sampled_from([3, 10, 1000])), rows) / 1000
    hits = rng.random(rows) < draw(st.sampled_from([0.1, 0.5, 0.9]))
    hits[:2] = True, False
    weight = rng.choice([0.01, 0.5, 1.0, 3.0], rows) if draw(st.booleans()) else None
    return score, hits, weight, draw(st.sampled_from([1, 2, 5, 20, 1000]))


def by_place(place, hits, weight):
    """Positives and negatives by place: counts as whole numbers, else weights."""
    kinds = np.unique(place)
    heavy = np.ones(len(place), dtype=np.int64) if weight is None else weight
    return [np.array([heavy[(place == one) & chosen].sum() for one in kinds]) for chosen in (hits, ~hits)]


@pytest.mark.parametrize("name", NAMES)
@given(table=tables())
@settings(max_examples=80, deadline=None)
def test_the_exact_value_lies_within(name, table):
    score, hits, weight, count = table
    one = metric(name)
    exact = tally_scores(score, hits, weight)
    value = float(one(exact.sums))
    positives, negatives = by_place(np.floor(score * count), hits, weight)
    low, high = one.within(positives, negatives)
    assert low - ROUNDING <= value <= high + ROUNDING
    coarse = float(one({"positives": positives.astype(float), "negatives": negatives.astype(float)}))
    assert low - ROUNDING <= coarse <= high + ROUNDING


@pytest.mark.parametrize("name", NAMES)
def test_bounds_are_reached(name):
    """Every end but the lower one of average precision is the value of some order of the rows."""
    one = metric(name)
    positives, negatives = np.array([2, 3, 1, 2]), np.array([4, 2, 3, 1])
    low, high = one.within(positives, negatives)
    worst = float(one(_spread(positives, negatives, first="positives")))
    best = float(one(_spread(positives, negatives, first="negatives")))
    if name == "ks":  # it cannot fall below what it is at the borders of places
        assert low <= worst <= best == pytest.approx(high)
        assert low == pytest.approx(float(one({"positives": positives * 1.0, "negatives": negatives * 1.0})))
        return
    low_value, high_value = sorted([worst, best])
    if name == "average_precision":
        assert low <= low_value < low + 0.003
        assert high == pytest.approx(_tied(one, positives, negatives))
        return
    assert (low, high) == pytest.approx((low_value, high_value))


def _spread(positives, negatives, first):
    """Rows of each place apart: by rising score, one class first."""
    order = ("positives", "negatives") if first == "positives" else ("negatives", "positives")
    lines = {"positives": [], "negatives": []}
    for p, n in zip(positives, negatives, strict=True):
        for name in order:
            count = p if name == "positives" else n
            for other in lines:
                lines[other] += [1.0 if other == name else 0.0] * count
    return {name: np.array(line) for name, line in lines.items()}


def _tied(one, positives, negatives):
    """Negatives of a place before its positives, which are tied."""
    lines = [(0.0, float(n), float(p), 0.0) for p, n in zip(positives, negatives, strict=True)]
    pairs = np.array(lines).reshape(-1, 2)
    return float(one({"positives": pairs[:, 0], "negatives": pairs[:, 1]}))


def test_counts_are_bounded_more_closely_than_weights():
    """Rows weigh one each; weights may hide many small rows."""
    positives, negatives = np.array([5, 5]), np.array([5, 5])
    one = METRICS["average_precision"]
    counts, weights = one.within(positives, negatives), one.within(positives * 1.0, negatives * 1.0)
    assert weights[0] < counts[0]
    assert weights[1] == counts[1]


def test_every_metric_of_the_order_has_bounds():
    assert [one.name for one in METRICS.values() if one.reads == "scores" and one.within is None] == []


def test_counts_of_many_rows_do_not_overflow():
    many = np.array([10**11, 10**11])
    assert METRICS["roc_auc"].within(many, many) == pytest.approx((0.25, 0.75))


def test_the_grid_bounds_more_closely_than_its_places_are_wide():
    rng = np.random.default_rng(3)
    score = rng.random(20_000)
    hits = rng.random(20_000) < score
    found = filled_by(score, hits, 2)
    least, largest = edges(found.place)
    assert np.max(largest - least) < 2**-13
    low, high = METRICS["roc_auc"].within(found.mass[1], found.mass[0])
    value = float(METRICS["roc_auc"](tally_scores(score, hits).sums))
    assert low <= value <= high < low + 2e-4


def test_bounds_of_an_area_are_those_of_the_plain_one_unless_said_otherwise():
    places = np.array([2, 3, 1, 2]), np.array([4, 2, 3, 1])
    assert partial_auc_within(0.1, 0.4)(*places) == metric("partial_auc@0.1-0.4").within(*places)
    assert partial_auc_within(0.1, 0.4)(*places)[1] <= 0.3
