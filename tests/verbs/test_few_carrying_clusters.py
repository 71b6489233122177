"""A metric rests on the clusters that have rows of its denominator: intervals and tests count these, not all."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow.parquet import write_table
from scipy import stats

import heldout

UNITS, EACH = 60, 5
GROUPS = np.repeat(np.arange(UNITS), EACH)
RESTING = ("specificity", "balanced_accuracy", "youden_j", "mcc", "roc_auc")


def rows(few, seed, *, predicted=False):
    """Labels and scores of two models that are equally good; few clusters have negative rows, or positive scores."""
    rng = np.random.default_rng([few, seed])
    truth = np.where(few > GROUPS, 0, 1)
    if predicted:
        truth = rng.binomial(1, 0.4, len(GROUPS))
    scores = [
        1.2 * truth - 0.6 + 0.8 * rng.standard_normal(UNITS)[GROUPS] + 0.8 * rng.standard_normal(len(GROUPS))
        for _ in range(2)
    ]
    return truth, [np.where(few > GROUPS, score, score - 9) for score in scores] if predicted else scores


def compared(few, seed, metrics, **shape):
    truth, (old, new) = rows(few, seed, **shape)
    threshold = None if metrics == ["roc_auc"] else 0.0
    return heldout.compare(
        truth, {"old": old, "new": new}, metrics=metrics, groups=GROUPS, threshold=threshold, pos_label=1
    ).differences


def evaluated(few, metrics, **shape):
    truth, (score, _) = rows(few, 0, **shape)
    threshold = None if metrics == ["roc_auc"] else 0.0
    return heldout.evaluate(truth, y_score=score, metrics=metrics, groups=GROUPS, threshold=threshold, pos_label=1)


@pytest.mark.parametrize("metric", RESTING)
@pytest.mark.parametrize("few", [1, 2])
def test_what_rests_on_one_or_two_clusters_is_not_tested(metric, few):
    (found,) = compared(few, 0, [metric])
    assert np.isnan(found.pvalue)
    assert found.notes == (f"{metric} rests on {few}.0 effective clusters: too few for a test (needs 3)",)
    assert found.verdict is None


@pytest.mark.parametrize("metric", ["precision", "mcc"])
def test_predictions_in_two_clusters_are_two(metric):
    (found,) = compared(2, 1, [metric], predicted=True)
    assert np.isnan(found.pvalue)
    assert found.notes[0].startswith(f"{metric} rests on ")


@pytest.mark.parametrize("metric", ["recall", "f1", "accuracy"])
def test_what_does_not_rest_on_the_rare_class_is_tested(metric):
    (found,) = compared(1, 0, [metric])
    assert 0 < found.pvalue < 1
    assert found.notes == ()


@pytest.mark.parametrize("metric", RESTING)
def test_an_interval_that_rests_on_one_cluster_says_so_and_excludes_little(metric):
    found = evaluated(1, [metric])[metric]
    low, high = {"youden_j": (-1, 1), "mcc": (-1, 1)}.get(metric, (0, 1))
    assert found.high - found.low > 0.95 * (high - low)
    said = f"{metric} rests on 1.0 effective clusters of 60: too few to estimate their variance"
    assert f"{said}, do not rely on this interval" in found.notes


def test_six_clusters_are_rough_and_twelve_are_enough():
    assert "specificity rests on 6.0 effective clusters of 60: the interval is rough" in (
        evaluated(6, ["specificity"])["specificity"].notes
    )
    assert not any("effective clusters" in note for note in evaluated(12, ["specificity"])["specificity"].notes)
    assert not any("effective clusters" in note for note in evaluated(1, ["recall"])["recall"].notes)


@pytest.mark.parametrize("weighted", [False, True])
def test_few_clusters_count_alike_in_memory_and_in_chunks(weighted, tmp_path):
    truth, (old, new) = rows(4, 0)
    table = pa.table({"y_true": truth, "patient": GROUPS, "weight": 1 + GROUPS % 3, "old": old > 0, "new": new > 0})
    write_table(table, tmp_path / "rows.parquet")
    path = str(tmp_path / "rows.parquet")
    options = {"groups": "patient", "sample_weight": "weight" if weighted else None, "pos_label": 1}
    compared = [
        heldout.compare(path, {"old": "old", "new": "new"}, engine=engine, **options) for engine in (None, "local")
    ]
    evaluations = [heldout.evaluate(path, y_pred="old", engine=engine, **options) for engine in (None, "local")]
    (exact, chunked), (whole, parts) = compared, evaluations
    assert whole["specificity"].notes
    for name, one in whole.estimates.items():
        assert [parts[name].low, parts[name].high] == pytest.approx([one.low, one.high], rel=1e-9), name
        assert parts[name].notes == one.notes
    for one, other in zip(exact.differences, chunked.differences, strict=True):
        assert [other.pvalue, other.low] == pytest.approx([one.pvalue, one.low], rel=1e-9, nan_ok=True), one.metric


@pytest.mark.parametrize(("few", "metric"), [(3, "specificity"), (6, "specificity"), (6, "roc_auc"), (4, "mcc")])
def test_true_nulls_are_rarely_rejected(few, metric):
    """60 samples: at 5%, more than 8 rejections have a chance of 0.2%."""
    rejected = sum(one.pvalue < 0.05 for seed in range(60) for one in compared(few, seed, [metric]))
    assert rejected <= 8


def classes(few, seed):
    """Probabilities of two models of four classes, one of which is in few clusters."""
    rng = np.random.default_rng([few, seed])
    truth = np.where(few > np.arange(UNITS), 3, np.arange(UNITS) % 3)[GROUPS]
    chances = []
    for _ in range(2):
        odds = rng.gumbel(size=(len(truth), 4))
        odds[np.arange(len(truth)), truth] += 1.5 + rng.standard_normal(UNITS)[GROUPS]
        chances.append(np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True))
    return truth, dict(zip(("old", "new"), chances, strict=True))


@pytest.mark.parametrize("metric", ["balanced_accuracy", "roc_auc_ovr"])
def test_a_mean_over_classes_is_not_tested_where_one_is_in_one_cluster(metric):
    truth, models = classes(1, 0)
    (found,) = heldout.compare(truth, models, metrics=[metric], groups=GROUPS).differences
    assert found.notes == (f"{metric} rests on 1.0 effective clusters: too few for a test (needs 3)",)
    alone = heldout.evaluate(truth, y_proba=models["old"], metrics=[metric], groups=GROUPS)[metric]
    assert alone.high - alone.low > 0.8  # the other classes are well known
    truth, models = classes(4, 0)
    (found,) = heldout.compare(truth, models, metrics=[metric], groups=GROUPS).differences
    assert 0 < found.pvalue < 1


def test_several_models_are_not_ranked_by_what_rests_on_one_cluster():
    truth, (old, new) = rows(1, 0)
    options = {"groups": GROUPS, "threshold": 0.0, "pos_label": 1, "primary": "specificity"}
    assert heldout.compare(truth, {"old": old, "new": new, "third": -old}, **options).best_of_many is None
    truth, (old, new) = rows(20, 0)
    assert heldout.compare(truth, {"old": old, "new": new, "third": -old}, **options).best_of_many is not None


def test_clusters_of_the_other_class_say_nothing_about_a_specificity():
    """All positive rows lie in one cluster; a specificity rests on the negative rows of twelve equal ones."""
    truth = [0] * 240 + [1] * 5
    groups = [at // 20 for at in range(240)] + [0] * 5
    model = [int(at % 20 < 4 + (at // 20) % 3) for at in range(240)] + [1] * 5
    both = heldout.compare(truth, {"a": truth, "b": model}, groups=groups, primary="specificity", metrics="specificity")
    apart = np.repeat([0.2, 0.25, 0.3], 4)  # errors of b in each cluster
    reach = stats.t.ppf(0.975, 11) * apart.std(ddof=1) / np.sqrt(12)
    found = both["specificity", "b"]
    assert (found.low, found.high) == pytest.approx((-0.25 - reach, -0.25 + reach), abs=0.001)
    assert found.notes == ()


def test_a_difference_ends_where_it_must():
    """All positive rows in one cluster of twelve: nothing is known of f1, and it cannot differ by more than 1."""
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(12), 20)
    truth = np.where(groups == 0, rng.integers(0, 2, 240), 0)
    models = {name: np.where(rng.random(240) < 0.8, truth, 1 - truth) for name in ("a", "b")}
    found = heldout.compare(truth, models, groups=groups, primary="f1", metrics="f1")["f1", "b"]
    assert (found.low, found.high) == (-1.0, 1.0)


def test_a_comparison_says_how_few_clusters_carry_it():
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(12), 25)
    truth = np.where(np.isin(groups, [0, 1, 2, 3]), rng.integers(0, 2, 300), 0)
    models = {name: truth + rng.normal(0, 1, 300) for name in ("a", "b")}
    found = heldout.compare(truth, models, groups=groups, primary="roc_auc", metrics="roc_auc")["roc_auc", "b"]
    assert any(
        note.startswith("roc_auc rests on 4.0 effective clusters of 12: its variance is known badly")
        for note in found.notes
    )


def test_a_calibration_slope_rests_on_clusters_with_both_outcomes():
    """Rows are independent, outcomes lie in three clusters: no shorter than without clusters, and marked as weak."""
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(12), [60, 45, 40, 35, 30, 28, 22, 18, 15, 12, 9, 5])
    logit = np.where(np.isin(groups, [1, 4, 8]), -0.5, -9.0) + rng.normal(0, 1, len(groups))
    truth = (rng.random(len(groups)) < 1 / (1 + np.exp(-logit))).astype(int)
    chance = 1 / (1 + np.exp(-logit))
    alone, clustered = (
        heldout.evaluate(truth, y_score=chance, groups=units, metrics="calibration_slope").estimates[
            "calibration_slope"
        ]
        for units in (None, groups)
    )
    assert clustered.low < alone.low < alone.high < clustered.high
    assert clustered.low < 1 < clustered.high
    assert any("effective clusters of 12: too few to estimate their variance" in note for note in clustered.notes)
