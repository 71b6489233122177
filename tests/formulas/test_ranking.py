from __future__ import annotations

import numpy as np
import pytest

from heldout.formulas import METRICS, metric, ranking

rng = np.random.default_rng(0)


def of_rows(name, truth, score):
    values = np.unique(score)
    return float(
        metric(name)(
            {
                "positives": [np.sum(truth[score == v]) for v in values],
                "negatives": [np.sum(1 - truth[score == v]) for v in values],
            }
        )
    )


def test_area_of_ties_counts_half():
    assert of_rows("roc_auc", np.array([0, 1]), np.array([0.5, 0.5])) == 0.5
    assert of_rows("roc_auc", np.array([0, 1, 0, 1]), np.array([1, 2, 3, 4])) == 0.75
    assert of_rows("gini", np.array([0, 1, 0, 1]), np.array([1, 2, 3, 4])) == 0.5


def test_average_precision_treats_ties_as_one_threshold():
    truth, score = np.array([1, 0, 1, 0]), np.array([2, 2, 1, 0])
    assert of_rows("average_precision", truth, score) == pytest.approx(0.5 * 1 / 2 + 0.5 * 2 / 3)


def test_largest_distance():
    assert of_rows("ks", np.array([0, 0, 1, 1]), np.array([1, 2, 3, 4])) == 1.0
    assert of_rows("ks", np.array([0, 1, 0, 1]), np.array([1, 2, 3, 4])) == 0.5
    assert of_rows("ks", np.array([1, 1, 0, 0]), np.array([1, 2, 3, 4])) == 0.0


def test_equal_error_rate_lies_on_the_line_between_thresholds():
    assert of_rows("eer", np.array([0, 0, 1, 1]), np.array([1, 2, 3, 4])) == 0.0
    assert of_rows("eer", np.array([1, 1, 0, 0]), np.array([1, 2, 3, 4])) == 1.0
    assert of_rows("eer", np.array([0, 1]), np.array([1, 1])) == 0.5
    truth = (np.arange(30_000) % 3 == 0).astype(int)
    score = rng.standard_normal(30_000) + 2 * truth
    assert of_rows("eer", truth, score) == pytest.approx(0.158655, abs=0.006)  # Phi(-1)


@pytest.mark.parametrize("depth", [10, 25, 50, 100])
def test_gain_and_lift_are_one_number(depth):
    truth, score = rng.integers(0, 2, 40), rng.permutation(40)
    top = np.argsort(-score)[: depth * 40 // 100]
    assert of_rows(f"gain@{depth}%", truth, score) == pytest.approx(truth[top].sum() / truth.sum())
    assert of_rows(f"lift@{depth}%", truth, score) == pytest.approx(truth[top].mean() / truth.mean())


def test_a_tie_at_the_cut_counts_in_proportion():
    truth, score = np.array([1, 1, 0, 0, 0, 0, 0, 0, 0, 1]), np.array([1] * 4 + [0] * 6)
    assert of_rows("gain@20%", truth, score) == pytest.approx((2 / 3) / 2)


def test_partial_areas_add_up():
    truth, score = rng.integers(0, 2, 60), rng.integers(0, 20, 60)
    parts = [of_rows(f"partial_auc@{low}-{low + 0.25}", truth, score) for low in (0.0, 0.25, 0.5, 0.75)]
    assert sum(parts) == pytest.approx(of_rows("roc_auc", truth, score))
    assert of_rows("partial_auc@1", truth, score) == pytest.approx(of_rows("roc_auc", truth, score))
    assert of_rows("partial_auc@0.1", truth, score) == of_rows("partial_auc", truth, score)


def test_standardized_partial_area():
    perfect, tied = (np.array([0, 0, 1, 1]), np.array([1, 2, 3, 4])), (np.array([0, 1]), np.array([1, 1]))
    assert of_rows("partial_auc_standardized@0.1", *perfect) == pytest.approx(1.0)
    assert of_rows("partial_auc_standardized@0.1", *tied) == pytest.approx(0.5)


@pytest.mark.parametrize(
    "name", ["lift@0%", "lift@101%", "gain@x%", "partial_auc@0.3-0.2", "partial_auc@2", "pinball@1.5"]
)
def test_parameters_outside_their_range_are_no_metrics(name):
    with pytest.raises(ValueError, match="no metric is named"):
        metric(name)


def test_points_of_the_curve_start_and_end_in_the_corners():
    fpr, tpr = ranking.roc_points(np.array([1.0, 2.0]), np.array([3.0, 1.0]))
    assert (fpr.tolist(), tpr.tolist()) == ([0, 0.25, 1], [0, pytest.approx(2 / 3), 1])


@pytest.mark.parametrize("name", [one.name for one in METRICS.values() if one.reads == "scores"])
def test_many_draws_at_once(name):
    positives, negatives = rng.integers(0, 5, (6, 20)) + 1.0, rng.integers(0, 5, (6, 20)) + 1.0
    together = METRICS[name]({"positives": positives, "negatives": negatives})
    alone = [float(METRICS[name]({"positives": p, "negatives": n})) for p, n in zip(positives, negatives, strict=True)]
    np.testing.assert_allclose(together, alone)


def test_a_class_without_rows_weighs_nothing():
    values, sizes = np.array([0.9, np.nan, 0.6, 0.5]), np.array([1.0, 0.0, 3.0, 1.0])
    assert float(ranking.roc_auc_ovr_weighted(values, sizes)) == pytest.approx((0.9 + 3 * 0.6 + 0.5) / 5)
    assert float(ranking.roc_auc_ovo_weighted(values, sizes)) == pytest.approx((0.9 + 3 * 0.6 + 0.5) / 5)
    assert float(ranking.average_precision_weighted(values, sizes)) == pytest.approx((0.9 + 3 * 0.6 + 0.5) / 5)
    for mean in (
        ranking.roc_auc_ovr, ranking.roc_auc_ovr_micro, ranking.roc_auc_ovo, ranking.average_precision_macro,
        ranking.average_precision_micro,
    ):  # fmt: skip
        assert float(mean(np.array([0.9, 0.6, 0.3]))) == pytest.approx(0.6)


@pytest.mark.parametrize("seed", range(20))
def test_the_equal_error_rate_is_where_two_lines_cross(seed):
    """Missed positives and false alarms as lines over the thresholds, crossed on a fine grid."""
    local = np.random.default_rng(seed)
    positives, negatives = local.integers(0, 4, 6).astype(float), local.integers(0, 4, 6).astype(float)
    positives[5] += 1
    negatives[0] += 1
    missed = np.append(0, np.cumsum(positives)) / positives.sum()
    alarms = 1 - np.append(0, np.cumsum(negatives)) / negatives.sum()
    grid = np.linspace(0, 6, 60_001)
    apart = np.interp(grid, np.arange(7), missed) - np.interp(grid, np.arange(7), alarms)
    want = np.interp(grid[np.argmax(apart >= 0)], np.arange(7), missed)
    assert float(ranking.eer(positives, negatives)) == pytest.approx(want, abs=1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_influence_on_the_equal_error_rate_adds_up_to_nothing_in_each_class(seed):
    """Where rows of both classes tie at the crossing, they are missed in the part that the crossing lies at."""
    local = np.random.default_rng(seed)
    positives, negatives = local.integers(1, 9, 12).astype(float), local.integers(1, 9, 12).astype(float)
    found = ranking.eer_slopes(positives, negatives)
    assert float(positives @ found["positives"]) == pytest.approx(0, abs=1e-12)
    assert float(negatives @ found["negatives"]) == pytest.approx(0, abs=1e-12)


def test_the_equal_error_rate_of_classes_apart_moves_with_neither():
    found = ranking.eer_slopes(np.array([0.0, 0.0, 5.0]), np.array([4.0, 3.0, 0.0]))
    assert np.isfinite([*found["positives"], *found["negatives"]]).all()
    assert np.ptp(found["negatives"][:2]) == 0  # the same for all rows: none moves it more than another
    turned = ranking.eer_slopes(np.array([5.0, 0.0]), np.array([0.0, 4.0]))
    assert np.isfinite([*turned["positives"], *turned["negatives"]]).all()


def test_errors_that_meet_at_the_highest_score():
    positives, negatives = np.array([1.0, 9.0]), np.array([2.0, 8.0])
    found = ranking.eer_slopes(positives, negatives)
    assert float(positives @ found["positives"]) == pytest.approx(0, abs=1e-12)
    assert float(negatives @ found["negatives"]) == pytest.approx(0, abs=1e-12)


def test_a_window_of_all_rows_counts_half_a_row_more_of_each_class():
    """Six positives and two negatives: densities are 6.5 / 6 and 2.5 / 2, by hand."""
    positives, negatives = np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 1.0])
    value = float(ranking.eer(positives, negatives))
    share = (6.5 / 6) / (6.5 / 6 + 2.5 / 2)
    found = ranking.eer_slopes(positives, negatives)
    assert found["positives"][0] == pytest.approx((1 - share) * (1 - value) / 6)
    assert found["negatives"][2] == pytest.approx(share * (1 - value) / 2)


@pytest.mark.parametrize("depth", [0.05, 0.31, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_influence_on_gain_adds_up_to_nothing(depth, seed):
    local = np.random.default_rng(seed)
    positives, negatives = local.integers(1, 9, 15).astype(float), local.integers(1, 9, 15).astype(float)
    found = ranking.gain_slopes(depth)(positives, negatives)
    assert float(positives @ found["positives"] + negatives @ found["negatives"]) == pytest.approx(0, abs=1e-12)
    lift = ranking.gain_slopes(depth, 1 / depth)(positives, negatives)
    assert lift["positives"] == pytest.approx(found["positives"] / depth)
    assert lift["negatives"] == pytest.approx(found["negatives"] / depth)


def test_rows_that_are_pushed_below_the_cut_are_like_those_near_it():
    """The top twenty of a thousand rows are positive. At 1% rows near the cut are positive, at 50% none is."""
    positives = np.append(np.zeros(980), np.ones(20))
    negatives = 1 - positives
    for depth, mix in ((0.01, 1.0), (0.5, 0.0)):
        found = ranking.gain_slopes(depth)(positives, negatives)
        pushed = found["negatives"][-1] * 20 / (depth - 1)  # a negative row at the top pushes one row below
        assert pushed == pytest.approx(mix, abs=0.05)


def test_the_window_around_a_cut_has_at_least_ten_rows_or_all_that_are_allowed():
    """Shares of each class in the window, half a row more: counted by hand."""
    below = np.arange(101.0)
    found, rest = ranking.densities_at(below / 2, below / 2, np.array([0, 50, 99]))
    reach = 100**0.8 / 2  # 19.9 rows to each side of 1, 51 and 100
    assert found.tolist() == rest.tolist()
    assert found * 50 - 0.5 == pytest.approx([10.5, 20.0, 10.0])
    assert reach == pytest.approx(19.9, abs=0.01)
    above, _ = ranking.densities_at(below / 2, below / 2, np.array([100]))  # a cut above all rows is at the last
    assert above.tolist() == found[2:].tolist()
    few, _ = ranking.densities_at(below / 2, below / 2, np.array([50]), 3.0)
    assert few * 50 - 0.5 == pytest.approx([3.5])
    heavy = np.append(below[:-1] / 2, 550.0)  # a thousand rows at the highest score make the window wider
    wide, _ = ranking.densities_at(heavy, heavy, np.array([0]))
    assert wide * 550 - 0.5 == pytest.approx([550.0])
    small, _ = ranking.densities_at(below[:21] / 2, below[:21] / 2, np.array([10]))
    assert small * 10 - 0.5 == pytest.approx([10.0])  # ten rows to each side: all of them


@pytest.mark.parametrize("standardized", [False, True])
@pytest.mark.parametrize(("low", "high"), [(0.0, 0.3), (0.1, 0.4), (0.25, 1.0)])
def test_partial_areas_by_interpolation(low, high, standardized):
    local = np.random.default_rng(3)
    positives, negatives = local.integers(0, 5, 30).astype(float), local.integers(0, 5, 30).astype(float)
    fpr, tpr = ranking.roc_points(positives, negatives)
    grid = np.linspace(low, high, 200_001)
    want = float(np.mean(np.interp(grid, fpr, tpr))) * (high - low)
    if standardized:  # 0.5 is the diagonal, 1 is a curve at the top
        diagonal, top = (low + high) / 2 * (high - low), high - low
        want = (1 + (want - diagonal) / (top - diagonal)) / 2
    found = ranking.partial_auc(low, high, standardized=standardized)
    assert float(found(positives, negatives)) == pytest.approx(want, abs=1e-4)
    together = found(np.stack([positives, negatives]), np.stack([negatives, positives]))
    assert together == pytest.approx([float(found(positives, negatives)), float(found(negatives, positives))])


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.3), (0.1, 0.4)])
def test_influence_on_a_standardised_area_is_that_on_the_area_times_its_scale(low, high):
    local = np.random.default_rng(4)
    positives, negatives = local.integers(1, 5, 30).astype(float), local.integers(1, 5, 30).astype(float)
    plain = ranking.partial_auc_slopes(low, high)(positives, negatives)
    scaled = ranking.partial_auc_slopes(low, high, standardized=True)(positives, negatives)
    values = [float(ranking.partial_auc(low, high, standardized=kind)(positives, negatives)) for kind in (False, True)]
    moved = [float(ranking.partial_auc(low, high, standardized=kind)(negatives, positives)) for kind in (False, True)]
    scale = (moved[1] - values[1]) / (moved[0] - values[0])
    for part in ("positives", "negatives"):
        assert scaled[part] == pytest.approx(scale * plain[part])


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.3), (0.1, 0.4), (0.3, 1.0)])
def test_influence_on_a_partial_area_is_its_derivative(low, high):
    local = np.random.default_rng(5)
    positives, negatives = local.uniform(1, 2, 400), local.uniform(1, 2, 400)
    area = ranking.partial_auc(low, high)
    found = ranking.partial_auc_slopes(low, high)(positives, negatives)
    for part, at in (("positives", 20), ("positives", 200), ("positives", 390), ("negatives", 10), ("negatives", 350)):
        sums = {"positives": positives, "negatives": negatives}
        more, less = ({**sums, part: sums[part].copy()} for _ in range(2))
        more[part][at] += 0.01
        less[part][at] -= 0.01
        numeric = (float(area(**more)) - float(area(**less))) / 0.02
        assert found[part][at] == pytest.approx(numeric, abs=2e-6)


def test_one_class_alone_has_no_curve_and_no_warning():
    fpr, tpr = ranking.roc_points(np.array([1.0, 2.0]), np.zeros(2))
    assert (np.isnan(fpr[1:]).all(), tpr.tolist()) == (True, [0.0, 2 / 3, 1.0])
