"""Models on samples that share no row: `compare(..., paired=False)`."""

from __future__ import annotations

import json
from math import sqrt

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from scipy import stats

import heldout
from heldout.report.schema import schema
from heldout.stats.independent_samples import newcombe
from tests.laws.data import multiclass, multilabel, regression


def sample(n, strength, seed):
    """A truth and the scores of a model, on rows of their own."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    return truth, 1 / (1 + np.exp(-(strength * (truth - 0.5) + rng.standard_normal(n))))


def hits(right, n):
    """Truth 1 in every row, of which so many are predicted."""
    return np.ones(n, int), (np.arange(n) < right).astype(int)


def unpaired(old, new, metric, **options):
    return heldout.compare({"old": old, "new": new}, paired=False, metrics=metric, **options)[metric]


def said(call):
    with pytest.raises(heldout.HeldoutError) as refused:
        call()
    return str(refused.value)


def test_shares_by_newcombe():
    found = unpaired(hits(48, 80), hits(56, 70), "accuracy")
    assert found.test == "Newcombe"
    assert found.value == pytest.approx(0.2)
    assert (round(found.low, 4), round(found.high, 4)) == (0.0524, 0.3339)


def test_the_p_value_of_shares_is_that_of_the_interval():
    p = unpaired(hits(20, 100), hits(30, 100), "accuracy").pvalue
    for level, inside in ((1 - p - 1e-6, False), (1 - p + 1e-6, True)):
        low, high = newcombe(30, 100, 20, 100, level)
        assert (low <= 0 <= high) is inside


def test_a_share_of_one_class_has_the_counts_of_that_class():
    old, new = sample(200, 1.0, 0), sample(300, 2.0, 1)
    found = unpaired(old, new, "recall")
    counts = [(int(np.sum((s >= 0.5) & (t == 1))), int(np.sum(t == 1))) for t, s in (new, old)]
    assert (found.low, found.high) == pytest.approx(newcombe(*counts[0], *counts[1], 0.95))


def test_means_by_welch():
    old, new = sample(120, 1.0, 2), sample(90, 2.0, 3)
    found = unpaired(old, new, "brier")
    losses = [(score - truth) ** 2 for truth, score in (new, old)]
    reference = stats.ttest_ind(*losses, equal_var=False)
    assert found.test == "Welch's t"
    assert found.pvalue == pytest.approx(reference.pvalue, rel=1e-9)
    assert (found.low, found.high) == pytest.approx(tuple(reference.confidence_interval(0.95)), rel=1e-9)


def test_delong_by_name_has_the_variances_of_both_samples():
    old, new = sample(60, 1.0, 4), sample(90, 2.0, 5)
    found = unpaired(old, new, "roc_auc", test="delong")
    values, squares = [], []
    for truth, score in (new, old):
        wins = np.sign(score[truth == 1][:, None] - score[truth == 0]) / 2 + 0.5
        rows, columns = wins.mean(axis=1), wins.mean(axis=0)
        values.append(wins.mean())
        squares.append(rows.var(ddof=1) / len(rows) + columns.var(ddof=1) / len(columns))
    df = sum(squares) ** 2 / (squares[0] ** 2 / 89 + squares[1] ** 2 / 59)
    statistic = (values[0] - values[1]) / sqrt(sum(squares))
    assert found.test == "DeLong, unpaired"
    assert found.pvalue == pytest.approx(2 * stats.t.sf(abs(statistic), df), rel=1e-9)


def test_gini_is_the_area_twice():
    old, new = sample(60, 1.0, 4), sample(90, 2.0, 5)
    area, gini = (unpaired(old, new, name) for name in ("roc_auc", "gini"))
    assert (gini.value, gini.low, gini.high) == pytest.approx((2 * area.value, 2 * area.low, 2 * area.high), rel=1e-6)


@pytest.mark.parametrize("metric", ["roc_auc", "gini", "f1", "mcc", "balanced_accuracy", "average_precision"])
def test_anything_else_joins_the_two_intervals(metric):
    old, new = sample(150, 1.0, 6), sample(120, 1.6, 7)
    found = heldout.compare({"old": old, "new": new}, paired=False, metrics=metric, n_resamples=200)
    one, other = found.estimates["new"][metric], found.estimates["old"][metric]
    below = sqrt((one.value - one.low) ** 2 + (other.high - other.value) ** 2)
    assert found[metric].test == "MOVER"
    assert found[metric].low == pytest.approx(one.value - other.value - below)
    excluded = not found[metric].low <= 0 <= found[metric].high
    assert excluded == (found[metric].pvalue < 0.05)


@pytest.mark.parametrize("metric", ["roc_auc", "gini", "f1", "mcc", "roc_auc_ovr"])
def test_the_p_value_is_the_level_at_which_the_joined_interval_ends_at_zero(metric):
    if metric == "roc_auc_ovr":
        rows = [multiclass(np.random.default_rng(seed), n) for seed, n in ((13, 90), (14, 70))]
        old, new = ((one["y_true"], one["y_proba"]) for one in rows)
    else:
        old, new = sample(90, 1.0, 13), sample(70, 2.0, 14)
    p = unpaired(old, new, metric).pvalue
    assert 1e-6 < p < 0.9
    for level, inside in ((1 - p * 1.001, False), (1 - p * 0.999, True)):
        found = unpaired(old, new, metric, confidence_level=level)
        assert (found.low <= 0 <= found.high) is inside


def test_a_small_sample_beside_a_large_one_rejects_equal_areas_rarely():
    draws = [(sample(40, 3.0, [1, seed]), sample(400, 3.0, [2, seed])) for seed in range(120)]
    rejected = np.mean([unpaired(*pair, "roc_auc").pvalue < 0.05 for pair in draws])
    assert rejected < 0.05 + 3 * sqrt(0.05 * 0.95 / len(draws))


def test_two_perfect_areas_are_not_proof_of_being_equal():
    perfect = np.tile([0, 1], 10), np.tile([0.2, 0.8], 10)
    found = heldout.compare({"a": perfect, "b": perfect}, paired=False, primary="roc_auc", margin=0.01)
    assert (found.verdict, found["roc_auc"].test, found["roc_auc"].pvalue) == ("UNDECIDED", "MOVER", 1.0)
    assert found["roc_auc"].low < -0.05 < 0.05 < found["roc_auc"].high


def test_rows_in_groups_widen_the_interval():
    old, new = ((np.repeat(t, 4), np.repeat(s, 4)) for t, s in (sample(60, 1.0, 8), sample(60, 1.5, 9)))
    frames = {
        name: {"y_true": t, "y_score": s, "patient": np.arange(240) // 4}
        for name, (t, s) in (("old", old), ("new", new))
    }
    for metric in ("accuracy", "brier", "roc_auc", "f1"):
        alone, grouped = (
            heldout.compare(frames, paired=False, metrics=metric, **options)[metric]
            for options in ({}, {"groups": "patient"})
        )
        assert grouped.high - grouped.low > 1.5 * (alone.high - alone.low)


def test_the_textbook_z():
    found = unpaired(hits(20, 100), hits(30, 100), "accuracy", test="z")
    assert found.test == "z, textbook"
    assert (round(found.low, 4), round(found.high, 4), round(found.pvalue, 4)) == (-0.0192, 0.2192, 0.1002)
    assert found.notes == ("z = 1.64; one-sided, P(d > 0) = 0.950",)


def test_how_many_rows_each_sample_would_need():
    found = unpaired(hits(20, 100), hits(30, 100), "accuracy", test="z")
    assert found.rows_needed == np.ceil((1.959964 + 0.841621) ** 2 * (0.2 * 0.8 + 0.3 * 0.7) / 0.1**2)
    uneven = unpaired(hits(40, 200), hits(30, 100), "accuracy", test="z")
    assert uneven.rows_needed == found.rows_needed


def test_many_models_are_corrected_for_their_number():
    models = {"a": sample(100, 1.0, 10), "b": sample(100, 1.4, 11), "c": sample(100, 1.8, 12)}
    found = heldout.compare(models, paired=False, primary="brier", metrics="brier,accuracy,roc_auc")
    primary = [one for one in found.differences if one.metric == "brier"]
    smaller, larger = sorted(one.pvalue for one in primary)
    assert sorted(one.pvalue_adjusted for one in primary) == pytest.approx([2 * smaller, max(2 * smaller, larger)])
    others = [one for one in found.differences if one.metric != "brier"]
    least = min(others, key=lambda one: one.pvalue)
    assert least.pvalue_adjusted == pytest.approx(min(4 * least.pvalue, 1))
    assert found.best_of_many is None


def test_the_contract_and_the_text():
    found = heldout.compare({"old": sample(100, 1.0, 13), "new": sample(80, 1.2, 14)}, paired=False, primary="brier")
    facts = json.loads(json.dumps(found.to_dict()))
    Draft202012Validator(schema(facts["schema"])).validate(facts)
    assert (facts["paired"], facts["matched"]["by"], facts["rows"]) == (False, None, 180)
    assert facts["samples"] == {"old": {"rows": 100, "units": 100}, "new": {"rows": 80, "units": 80}}
    assert str(found).startswith("100 rows in old, 80 rows in new; rows are not matched: two independent samples\n")
    assert "rows in each sample would settle a difference of this size" in " ".join(str(found).split())


def test_one_truth_means_the_same_rows():
    truth, score = sample(40, 1.0, 15)
    assert said(lambda: heldout.compare(truth, {"a": score, "b": score}, paired=False)) == (
        "models of one table share its rows, so they are not unpaired samples\n"
        "  Fix: give every model rows of its own, or leave out paired=False"
    )
    mixed = {"a": (truth, score), "b": {"y_true": truth, "y_score": score}}
    assert said(lambda: heldout.compare(mixed, paired=False)) == (
        "some models are pairs of truth and prediction, and others are not\n  Fix: give all models in one form"
    )


def test_samples_that_have_ids_in_common_are_told_so():
    truth, score = sample(40, 1.0, 16)
    frames = {
        name: {"id": np.arange(first, first + 40), "y_true": truth, "y_score": score}
        for name, first in (("a", 0), ("b", 39), ("c", 100))
    }
    found = heldout.compare(frames, paired=False, metrics="accuracy")
    (text,) = (check.text for check in found.checks if check.code == "H101")
    assert text == (
        "1 id is in more than one sample; if these are the same rows, compare them as such: "
        "leave out --unpaired (paired=False)"
    )
    apart = {name: frames[name] for name in ("a", "c")}
    assert [check.code for check in heldout.compare(apart, paired=False).checks if check.code == "H101"] == []
    assert said(lambda: heldout.compare(apart, paired=False, on_missing="intersect")) == (
        "unpaired samples have no rows to match, so on_missing has no effect\n  Fix: leave out on_missing="
    )


@pytest.mark.parametrize("world", [multiclass, multilabel, regression])
def test_every_task_has_differences_with_intervals(world):
    models = {}
    for seed, name in enumerate(("old", "new")):
        rows = world(np.random.default_rng(seed), 60 + 20 * seed)
        models[name] = rows["y_true"], rows.get("y_pred", rows.get("y_proba"))
    task = {"task": "regression"} if world is regression else {}
    found = heldout.compare(models, paired=False, n_resamples=100, **task)
    tested = [one for one in found.differences if np.isfinite(one.pvalue)]
    assert len(tested) == len(found.differences) > 5
    assert [one.metric for one in tested if not one.low <= one.value <= one.high] == []


def test_tests_of_matched_rows_are_refused():
    assert said(lambda: unpaired(hits(4, 9), hits(5, 9), "accuracy", test="exact")) == (
        "the test exact is for matched rows, and these are independent samples\n"
        "  Fix: choose one of z, delong, t, or compare on the same rows"
    )


@pytest.mark.simulation
@pytest.mark.parametrize("metric", ["accuracy", "recall", "f1", "mcc", "brier", "roc_auc"])
def test_no_difference_is_found_too_often(metric):
    """Two models of equal strength on their own rows: at 5%, no more than three Monte-Carlo errors above that."""
    times, found = 120, 0
    for k in range(times):
        found += unpaired(sample(80, 1.5, 2 * k), sample(120, 1.5, 2 * k + 1), metric, n_resamples=100).pvalue < 0.05
    assert found / times <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / times)
