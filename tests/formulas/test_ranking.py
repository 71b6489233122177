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
