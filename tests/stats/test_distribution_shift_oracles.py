"""Each part of the tests for a shift beside another way to compute it: scipy, scikit-learn, or all arrangements."""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb, log, nan, sqrt

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from heldout.intervals.auc import newcombe
from heldout.stats.distribution_shift import (
    Shift,
    _areas,
    _counts_apart,
    _design,
    _means,
    _null_variance,
    _ranks,
    _variance,
    shift_checks,
    shifts,
    size_words,
    told_apart,
)

RNG = np.random.default_rng


def column(before, after, **options) -> Shift:
    """The shift of one column."""
    return shifts({"x": before}, {"x": after}, **{"draws": 9} | options)[0]


def test_the_largest_gap_is_that_of_kolmogorov_and_smirnov():
    before, after = RNG(1).integers(0, 30, 70).astype(float), RNG(2).integers(3, 33, 50).astype(float)
    found, want = column(before, after), stats.ks_2samp(before, after)
    assert (found.test, found.gap) == ("Kolmogorov-Smirnov", pytest.approx(want.statistic))
    assert found.pvalue == pytest.approx(stats.kstwobign.sf(want.statistic * sqrt(70 * 50 / 120)))


def test_missing_numbers_lie_below_all_others():
    before = np.arange(40.0)
    after = np.where(before < 20, np.nan, before + 20)
    # half of one side is missing and half lies above the other side: above all others, the gap would be 1
    assert column(before, after).gap == 0.5


def test_the_difference_of_means_is_cohens_d_with_its_large_sample_error():
    before, after = RNG(3).normal(10, 2, 31), RNG(4).normal(11.5, 3, 24)
    found = column(before, after, level=0.9)
    pooled = sqrt((np.sum((before - before.mean()) ** 2) + np.sum((after - after.mean()) ** 2)) / (31 + 24 - 2))
    d = (after.mean() - before.mean()) / pooled
    # t of the two-sample test is d over sqrt(1 / n + 1 / m)
    assert d == pytest.approx(stats.ttest_ind(after, before).statistic * sqrt(1 / 31 + 1 / 24))
    reach = stats.norm.ppf(0.95) * sqrt((31 + 24) / (31 * 24) + d**2 / (2 * (31 + 24)))  # Hedges and Olkin 1985
    assert found.measure == "mean"
    assert (found.before, found.after) == pytest.approx((before.mean(), after.mean()))
    assert (found.size, found.low, found.high) == pytest.approx((d, d - reach, d + reach))


def test_means_of_too_few_numbers_or_without_spread_have_no_size():
    some = np.arange(12.0)
    alone = column(some, np.array([np.nan] * 11 + [4.0]))
    assert (alone.measure, np.isnan([alone.before, alone.after, alone.size]).all()) == ("mean", True)
    two = column(some, np.array([np.nan] * 10 + [4.0, 6.0]))
    assert (two.before, two.after) == (5.5, 5.0)
    assert np.isfinite([two.size, two.low, two.high]).all()
    infinite = np.repeat([np.inf, -np.inf, np.nan], 4)
    flat = _means(np.append(np.full(12, 2.0), infinite), np.append(np.full(9, 2.0), infinite), 0.95)
    assert flat == {"measure": "mean", "before": 2.0, "after": 2.0}


def test_the_share_that_changed_most_has_newcombes_published_interval():
    # Newcombe 1998, Statistics in Medicine 17, 873-890, Table II, method 10: 56 of 70 and 48 of 80
    before, after = np.repeat(["yes", "zero"], [48, 32]), np.repeat(["yes", "zero"], [56, 14])
    found = column(before, after)
    assert (found.test, found.measure, found.of) == ("chi-square", "share", "yes")
    assert (found.before, found.after, found.size) == pytest.approx((0.6, 0.8, 0.2))
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    wide = column(before, after, level=0.99)
    assert wide.low < found.low < found.high < wide.high


def test_of_several_values_the_one_that_changed_most_is_named():
    before, after = np.repeat(["a", "b", "c"], [60, 30, 10]), np.repeat(["a", "b", "c"], [40, 5, 5])
    found = column(before, after)
    assert (found.of, found.before, found.after, found.size) == ("a", 0.6, 0.8, pytest.approx(0.2))
    assert found.gap == pytest.approx(0.2)  # b has the same: 0.3 and 0.1
    found = column(np.repeat(["a", "b", "c"], [50, 40, 10]), np.repeat(["a", "b", "c"], [24, 6, 20]))
    assert (found.of, found.before, found.after, found.gap) == ("c", 0.1, 0.4, pytest.approx(0.3))


@pytest.mark.parametrize("sizes", [([60, 30, 10], [40, 5, 5]), ([9, 8], [5, 6])])
def test_enough_rows_have_the_chi_square_of_scipy(sizes):
    first, second = sizes
    words = [f"value {at}" for at in range(len(first))]
    found = column(np.repeat(words, first), np.repeat(words, second))
    assert found.pvalue == pytest.approx(stats.chi2_contingency([first, second], correction=False).pvalue)


def by_all_arrangements(codes: np.ndarray, first: int) -> float:
    """The share of all ways to choose the first part whose chi-square is at least that of the one seen."""

    def distance(chosen: tuple[int, ...]) -> float:
        table = np.array([np.bincount(codes[list(chosen)], minlength=3), np.zeros(3)])
        table[1] = np.bincount(codes, minlength=3) - table[0]
        expected = table.sum(axis=1)[:, None] * table.sum(axis=0) / table.sum()
        return float(((table - expected) ** 2 / expected).sum())

    seen = distance(tuple(range(first)))
    return float(np.mean([distance(one) >= seen - 1e-9 for one in combinations(range(len(codes)), first)]))


@pytest.mark.parametrize(
    "codes", [[0, 0, 0, 1, 2, 1, 1, 2, 0], [0, 1, 2, 0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1, 1, 2, 2]]
)
def test_few_rows_have_the_p_value_of_all_arrangements(codes):
    exact = by_all_arrangements(np.array(codes), 4)
    gap, p = _counts_apart(np.array(codes), 4, 20_000, RNG(5))
    assert p == pytest.approx(exact, abs=4 * sqrt(0.25 / 20_000))
    before, after = (np.bincount(side, minlength=3) / len(side) for side in (codes[:4], codes[4:]))
    assert gap == pytest.approx(np.abs(before - after).max())


def test_p_values_by_changed_sides_are_whole_parts_of_the_draws_and_one():
    # the most extreme arrangement: of 6 rows all 3 of a kind on either side, 2 of 20 arrangements
    p = _counts_apart(np.array([0, 0, 0, 1, 1, 1]), 3, 999, RNG(6))[1]
    assert p == pytest.approx(0.1, abs=0.03)
    assert round(p * 1000, 9) == int(round(p * 1000, 9))
    assert _counts_apart(np.array([0, 1]), 1, 9, RNG(6)) == (1.0, 1.0)  # both arrangements are as far
    assert _counts_apart(np.array([0] * 9 + [1] * 9), 9, 99, RNG(6))[1] == 0.01  # 2 of 48,620: none was drawn


@pytest.mark.parametrize(("less", "exact"), [(0, True), (1, False)])
def test_chi_square_is_taken_where_five_rows_are_expected_everywhere(less, exact):
    """Of 40 rows, 10 in the smaller part: a value that 20 rows have is expected 5 times in it."""
    codes = np.repeat([0, 1, 0, 1], [7, 3, 13 - less, 17 + less])
    want = stats.chi2_contingency([[7, 3], [13 - less, 17 + less]], correction=False).pvalue
    assert (_counts_apart(codes, 10, 99, RNG(1))[1] == pytest.approx(want, rel=1e-9)) == exact
    turned = np.repeat([0, 1, 0, 1], [13 - less, 17 + less, 7, 3])  # the smaller part may be the second
    assert (_counts_apart(turned, 30, 99, RNG(1))[1] == pytest.approx(want, rel=1e-9)) == exact


def test_one_value_on_both_sides_is_no_shift():
    assert _counts_apart(np.zeros(9, int), 4, 99, RNG(1)) == (0.0, 1.0)


def test_a_value_that_occurs_once_and_codes_that_do_not_occur():
    codes = np.array([0, 2, 2, 4, 2, 0, 2, 2])
    assert _counts_apart(codes, 4, 99, RNG(1)) == _counts_apart(np.unique(codes, return_inverse=True)[1], 4, 99, RNG(1))


@pytest.mark.parametrize(("distinct", "test"), [(10, "chi-square"), (11, "Kolmogorov-Smirnov")])
def test_numbers_of_few_values_are_counted(distinct, test):
    found = column(np.arange(50.0) % distinct, np.append(np.arange(40.0) % distinct, [3.0] * 20))
    assert (found.test, found.of) == (test, "3" if distinct == 10 else "")


def test_numbers_against_words_are_words():
    found = column(np.arange(30.0), np.repeat(["a", "b"], 15))
    assert (found.test, found.gap) == ("chi-square", 0.5)
    assert (found.of, found.before, found.after) == ("a", 0.0, 0.5)


@pytest.mark.parametrize(("distinct", "named"), [(50, "w49"), (51, "other values")])
def test_beyond_fifty_values_the_rarest_count_as_one(distinct, named):
    """Every word comes 12 times, the last ones 11 times and all on one side."""
    words = np.array([f"w{at:02d}" for at in range(distinct)])
    before, after = np.repeat(words[:49], 6), np.concatenate([np.repeat(words[:49], 6), np.repeat(words[49:], 11)])
    found = column(before, after, draws=1)
    share = 11 * (distinct - 49) / len(after)
    assert (found.of, found.before, found.after, found.gap) == (named, 0.0, pytest.approx(share), pytest.approx(share))


def test_of_equally_frequent_values_the_first_are_kept():
    words = np.array([f"w{at:02d}" for at in range(70)])
    before = np.repeat(words, np.where(np.arange(70) == 48, 10, 5))
    found = column(before, np.repeat(words, np.where(np.arange(70) == 48, 0, 5)), draws=1)
    assert (found.of, found.before, found.after) == ("w48", pytest.approx(10 / 355), 0.0)


def test_the_other_values_can_be_what_changed_most():
    words = np.array([f"w{at:02d}" for at in range(70)])
    before = np.repeat(words, np.where(np.arange(70) < 49, 20, 1))
    after = np.repeat(words, np.where(np.arange(70) < 49, 1, 3))
    found = column(before, after, draws=1)
    assert (found.of, found.before, found.after) == ("other values", pytest.approx(21 / 1001), pytest.approx(63 / 112))


def test_columns_are_adjusted_together_by_holm_and_each_half_of_the_error_counts_twice():
    rng = RNG(7)
    train = {"a": rng.normal(size=60), "b": rng.normal(size=60), "c": rng.normal(size=60)}
    test = {"a": rng.normal(0.5, 1, 50), "b": rng.normal(0.4, 1, 50), "c": rng.normal(size=50)}
    *columns, whole = shifts(train, test, draws=99)
    assert [one.name for one in columns] == ["a", "b", "c"]
    p = np.array([one.pvalue for one in columns])
    ordered, want, most = np.argsort(p), {}, 0.0
    for place, at in enumerate(ordered):
        most = max(most, (3 - place) * p[at])
        want[int(at)] = min(2 * most, 1.0)
    assert [one.adjusted for one in columns] == pytest.approx([want[at] for at in range(3)])
    assert whole.adjusted == min(2 * whole.pvalue, 1.0)
    assert (whole.name, whole.test, whole.measure) == ("", "classifier", "auc")
    same = shifts(train, train, draws=99)[-1]
    assert (same.pvalue > 0.5, same.adjusted) == (True, 1.0)


def test_the_whole_is_a_classifier_of_all_columns():
    """Numbers and whether they are missing; a column for each value of others."""
    rng = RNG(9)
    age = np.where(rng.random(50) < 0.2, np.nan, rng.normal(50, 5, size=50))
    site = rng.choice(["a", "b", "c"], 50)
    whole = shifts(
        {"age": age[:30], "site": site[:30]}, {"age": age[30:], "site": site[30:]}, draws=19, seed=3, level=0.8
    )[-1]
    filled = np.where(np.isnan(age), np.nanmean(age), age)
    features = np.column_stack([filled, np.isnan(age), *(site == one for one in "abc")])
    alone = told_apart(features, np.repeat([0, 1], [30, 20]), draws=19, seed=3, level=0.8)
    assert (whole.size, whole.pvalue, whole.low, whole.high) == pytest.approx(
        (alone.size, alone.pvalue, alone.low, alone.high)
    )


def test_only_columns_of_both_sides_are_compared_in_the_order_asked():
    rng = RNG(8)
    train = {"a": rng.normal(size=30), "b": rng.normal(size=30), "c": rng.normal(size=30)}
    test = {"b": rng.normal(size=20), "a": rng.normal(size=20), "d": rng.normal(size=20)}
    assert [one.name for one in shifts(train, test, draws=9)] == ["a", "b", ""]
    assert [one.name for one in shifts(train, test, draws=9, names=["b", "c", "a", "d"])] == ["b", "a", ""]
    assert shifts(train, {name: column[:0] for name, column in test.items()}, draws=9) == []
    assert shifts({name: column[:0] for name, column in train.items()}, test, draws=9) == []


def test_the_null_variance_of_an_area_is_that_over_all_orders():
    for above, below in ((1, 2), (2, 3), (3, 2)):
        labels = np.array([1.0] * above + [0.0] * below)
        orders = np.array(list(permutations(range(above + below))))
        areas = (orders[:, :above, None] > orders[:, None, above:]).mean(axis=(1, 2))
        assert _null_variance(labels) == pytest.approx(np.var(areas))
    assert _null_variance(np.ones(3)) == _null_variance(np.zeros(3)) == 0.0


def delongs(score: np.ndarray, labels: np.ndarray) -> float:
    """DeLong's variance, pair by pair."""
    above, below = score[labels == 1], score[labels == 0]
    wins = np.array([[1.0 if a > b else 0.5 if a == b else 0.0 for b in below] for a in above])
    of_above, of_below = wins.mean(axis=1), wins.mean(axis=0)
    return float(np.var(of_above, ddof=1) / len(above) + np.var(of_below, ddof=1) / len(below))


@pytest.mark.parametrize(("above", "below"), [(2, 2), (2, 7), (9, 2), (8, 6)])
def test_delongs_variance_pair_by_pair(above, below):
    labels = np.array([1.0] * above + [0.0] * below)
    score = RNG(above).integers(0, 6, above + below).astype(float)  # with ties
    assert _variance(score, labels) == pytest.approx(delongs(score, labels))
    assert _variance(score[above - 1 :], labels[above - 1 :]) == 0.0  # one row of a side says nothing
    assert _variance(score[: above + 1], labels[: above + 1]) == 0.0


def test_areas_are_those_of_scikit_learn_and_one_half_of_one_side():
    score, labels = RNG(1).normal(size=(9, 4)), np.array([[1, 1, 1, 0]] * 4 + [[0, 1, 0, 0]] * 4 + [[0, 1, 0, 1]])
    found = _areas(score, labels.astype(float))
    assert found[[0, 2, 3]] == pytest.approx([roc_auc_score(labels[:, at], score[:, at]) for at in (0, 2, 3)])
    assert found[1] == 0.5
    tied = RNG(1).integers(0, 3, (9, 4)).astype(float)
    assert _areas(tied, labels.astype(float))[0] == pytest.approx(roc_auc_score(labels[:, 0], tied[:, 0]))
    assert _areas(np.array([[0.1], [0.2]]), np.array([[0.0], [1.0]])).tolist() == [1.0]


def test_the_design_has_a_constant_scores_squares_and_products():
    rng = RNG(2)
    x, two, y = rng.normal(5, 3, 120), rng.integers(0, 2, 120), rng.integers(0, 3, 120)
    features = np.column_stack([x, np.full(120, 7.0), two, y])
    z = [stats.zscore(one) for one in (x, two, y)]
    want = [np.ones(120), *z, z[0] ** 2, z[2] ** 2, z[0] * z[1], z[0] * z[2], z[1] * z[2]]
    assert _design(features) == pytest.approx(np.column_stack(want))


@pytest.mark.parametrize(
    ("rows", "columns", "crossed"),
    # with k columns: ten rows for each of 1 + 2 k + k (k - 1) / 2 numbers; 20 columns at most
    [(60, 2, True), (59, 2, False), (2310, 20, True), (2309, 20, False), (2530, 21, False)],
)
def test_products_need_ten_rows_for_each_number_and_twenty_columns_at_most(rows, columns, crossed):
    design = _design(RNG(3).normal(size=(rows, columns)))
    assert design.shape == (rows, 1 + 2 * columns + (comb(columns, 2) if crossed else 0))


def written_out(features, sides, draws, seed):
    """Area, p-value and variance.

    The ridge regression is one of least squares with a further row per coefficient; areas are counted by pairs.
    """
    rng = RNG([seed, 32])
    order = rng.permutation(len(sides))
    design, labels = _design(features[order]), sides[order].astype(float)
    shuffled = rng.permuted(np.tile(labels[:, None], draws), axis=0)
    truths = np.column_stack([labels, shuffled])
    areas, variance, alike = np.zeros((5, draws + 1)), 0.0, 0.0
    for fold in range(5):
        out = np.arange(len(labels)) % 5 == fold
        rows = np.vstack([design[~out], np.eye(design.shape[1])])
        wanted = np.vstack([truths[~out], np.zeros((design.shape[1], draws + 1))])
        scores = design[out] @ np.linalg.lstsq(rows, wanted)[0]
        for at in range(draws + 1):
            above, below = (scores[truths[out, at] == side, at] for side in (1, 0))
            areas[fold, at] = np.mean(above[:, None] > below) if len(above) and len(below) else 0.5
        variance += delongs(scores[:, 0], labels[out]) / 25
        m = labels[out].sum()
        alike += (out.sum() + 1) / (12 * m * (out.sum() - m)) / 25
    means = areas.mean(axis=0)
    p = np.mean([True, *(means[1:] >= means[0] - 1e-12)])
    area, drawn = means[0], np.var(means[1:])
    return area, p, max(variance * max(1.0, drawn / alike), 4 * area * (1 - area) * drawn)


@pytest.mark.parametrize(
    ("rows", "moved", "seed"), [(60, 0.0, 0), (60, 0.8, 1), (40, 0.3, 2), (40, 1.6, 3), (100, 0.5, 4)]
)
def test_the_classifier_written_out(rows, moved, seed):
    sides = np.repeat([0, 1], rows // 2)
    features = RNG(seed).normal(size=(rows, 2)) + moved * sides[:, None]
    area, p, variance = written_out(features, sides, 39, seed)
    found = told_apart(features, sides, draws=39, seed=seed, level=0.9)
    assert (found.size, found.gap, found.pvalue) == pytest.approx((area, area - 0.5, p))
    reach = stats.norm.ppf(0.95) * sqrt(variance) / (area * (1 - area))
    ends = [1 / (1 + np.exp(-(log(area / (1 - area)) + side * reach))) for side in (-1, 1)]
    assert (found.low, found.high) == pytest.approx(tuple(ends))


def test_sides_that_are_told_apart_without_error_have_newcombes_interval():
    sides = np.repeat([0, 1], [30, 20])
    found = told_apart(100.0 * sides[:, None] + np.arange(50.0)[:, None] % 7, sides, draws=99, level=0.9)
    assert (found.size, found.pvalue) == (1.0, 0.01)
    assert (found.low, found.high) == pytest.approx(newcombe(1.0, 20, 30, 0.9))


def test_a_row_in_every_fold_has_no_area():
    found = told_apart(np.arange(5.0)[:, None], np.array([0, 0, 0, 1, 1]), draws=9)
    assert (found.size, found.pvalue) == (0.5, 1.0)
    assert 0 <= found.low < 0.5 < found.high <= 1


def test_constant_columns_tell_nothing():
    found = told_apart(np.ones((40, 2)), np.repeat([0, 1], 20), draws=19)
    assert (found.size, found.pvalue) == (0.5, 1.0)
    assert 0 <= found.low <= 0.5 <= found.high <= 1


def test_rows_that_are_alike_are_tied():
    """A column of two values gives each fold an area of one half and half the difference of its shares."""
    rng = RNG(6)
    sides, value = np.repeat([0.0, 1.0], 100), np.append(rng.random(100) < 0.3, rng.random(100) < 0.7)
    order = RNG([0, 32]).permutation(200)
    folds = [order[at::5] for at in range(5)]
    apart = [value[one][sides[one] == 1].mean() - value[one][sides[one] == 0].mean() for one in folds]
    found = told_apart(value[:, None].astype(float), sides, draws=19)
    assert found.size == pytest.approx(0.5 + np.mean(apart) / 2)


def test_ranks_are_those_of_scipy():
    score = RNG(7).integers(0, 4, (12, 5)).astype(float)
    assert _ranks(score).tolist() == stats.rankdata(score, axis=0).tolist()
    assert _ranks(score + 1e-12 * RNG(8).normal(size=(12, 5))).tolist() == stats.rankdata(score, axis=0).tolist()


def test_more_rows_than_the_classifier_is_shown_are_drawn_from(monkeypatch):
    monkeypatch.setattr("heldout.stats.distribution_shift.MOST_ROWS", 50)
    sides = np.repeat([0, 1], 300)
    features = RNG(5).normal(size=(600, 1)) + sides[:, None]
    chosen = RNG([0, 32]).permutation(600)[:50]
    few = told_apart(features, sides, draws=19)
    assert few.high - few.low > 0.2  # as wide as 50 rows give it, not 600
    assert sides[chosen].sum() == pytest.approx(25, abs=12)


def shift(name: str, **facts) -> Shift:
    defaults = {"test": "Kolmogorov-Smirnov", "gap": 0.4, "pvalue": 0.001, "adjusted": 0.004, "measure": "mean"}
    defaults |= {"before": 40.0, "after": 45.0, "size": 0.6, "low": 0.3, "high": 0.9}
    return Shift(name=name, **(defaults | facts))


def test_a_note_names_three_columns_by_p_value_and_then_by_gap():
    found = [
        shift("d", pvalue=0.02, adjusted=0.049),
        shift("b", pvalue=0.001, gap=0.2),
        shift("a", pvalue=0.001, gap=0.5),
        shift("c", pvalue=0.002, adjusted=0.00001),
        shift("e", adjusted=0.05),
    ]
    (note,) = shift_checks(found, target="b")
    sizes = "mean 40 → 45, +0.60 sd [+0.30, +0.90]"
    assert note.code == "H205"
    assert note.text == (
        f"the test rows are not like the training rows: a ({sizes}, adjusted p = 0.0040); "
        f"b (the target) ({sizes}, adjusted p = 0.0040); c ({sizes}, adjusted p < 0.0001); 1 more columns"
    )
    (three,) = shift_checks(found[1:], against="last year's")
    assert three.text.startswith("the test rows are not like last year's: a (")
    assert "more columns" not in three.text
    assert shift_checks(found[-1:]) == ()
    assert len(shift_checks(found[-1:], alpha=0.06)) == 1


def test_a_note_gives_the_area_of_the_classifier():
    whole = shift("", test="classifier", measure="auc", size=0.71, low=0.62, high=0.79, adjusted=0.0001)
    assert shift_checks([whole])[0].text == (
        "the test rows are not like the training rows: "
        "a classifier distinguishes them (AUC 0.71 [0.62, 0.79], adjusted p = 0.0001)"
    )


def test_sizes_in_words():
    share = shift("x", measure="share", of="yes", before=0.4, after=0.2, size=-0.2, low=-0.334, high=-0.052)
    assert size_words(share) == "share of yes 40.0% → 20.0%, -20.0 points [-33.4, -5.2]"
    missing = shift("x", measure="share", of="", before=0.4, after=0.2, size=-0.2)
    assert size_words(missing).startswith("share of missing ")
    assert size_words(shift("x", size=nan, gap=0.25)) == "largest gap 0.25"


def test_what_is_not_defined_is_none():
    plain = shift("x", size=nan, low=-np.inf).to_dict()
    assert (plain["name"], plain["gap"], plain["size"], plain["low"], plain["high"]) == ("x", 0.4, None, None, 0.9)
