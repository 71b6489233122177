"""Laws of comparisons: nothing differs from itself, and what a metric cannot see changes no test of it."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings as effort, strategies as st

import heldout
from heldout.formulas import METRICS, metric
from tests.laws.data import WORLDS, binary, multiclass, regression

RANKINGS = ("roc_auc", "average_precision", "ks")
seeds = st.integers(0, 10_000)


@pytest.mark.parametrize("world", [binary, multiclass, regression])
@pytest.mark.parametrize("test", [None, "t", "permutation", "bootstrap"])
def test_nothing_differs_from_itself(world, test):
    rows = world(np.random.default_rng(1), 40)
    output = rows["y_pred"] if "y_pred" in rows else rows["y_proba"]
    task = {"task": rows["task"]} if "task" in rows else {}
    found = heldout.compare(rows["y_true"], {"one": output, "same": output}, test=test, n_resamples=100, **task)
    assert len(found.differences) > 3
    assert {(one.value, one.pvalue) for one in found.differences} == {(0.0, 1.0)}
    assert all(one.low == -one.high < 0 for one in found.differences)  # rows not seen may still differ
    assert found.verdict == "UNDECIDED"


NAMED = [name for name in WORLDS if name.endswith("by name") and not name.startswith("rankings")]


@pytest.mark.parametrize("world", NAMED)
@pytest.mark.parametrize("test", [None, "t", "bootstrap"])
def test_metrics_that_are_asked_for_by_name_have_a_paired_test(world, test):
    """A model does not differ from itself; one that is worse on purpose has a p-value and an interval."""
    rng = np.random.default_rng(2)
    rows = WORLDS[world](rng, 60)
    names = [name for name in rows["metrics"] if not name.startswith("ece")]  # which has none
    output = rows["y_pred"] if "y_pred" in rows else rows["y_proba"]
    worse = output[rng.permutation(60)]
    task = {"task": rows["task"]} if "task" in rows else {}
    for name in names:
        if test == "bootstrap" and METRICS.get(name, metric(name)).reads == "columns":
            continue  # rankings of several columns are not drawn
        options = {"metrics": name, "test": test, "n_resamples": 100, **task}
        same = heldout.compare(rows["y_true"], {"one": output, "same": output}, **options)[name]
        assert (same.value, same.pvalue) == (0.0, 1.0), name
        apart = heldout.compare(rows["y_true"], {"one": output, "worse": worse}, **options)[name]
        if apart.value != 0:
            assert 0 <= apart.pvalue <= 1, name
            assert apart.low <= apart.value <= apart.high, name


def two_models(seed):
    rng = np.random.default_rng(seed)
    rows = binary(rng, 50)
    return rows["y_true"], rows["y_proba"], np.round(np.clip(rows["y_proba"] + 0.2 * rng.standard_normal(50), 0, 1), 2)


@effort(max_examples=5, deadline=None)
@given(seed=seeds, shift=st.sampled_from([-7.0, 5.0, 100.0]), metric=st.sampled_from(RANKINGS))
@example(seed=818, shift=-7.0, metric="roc_auc")  # as many rows of each class, and other labels after the shift
def test_a_shift_of_scores_changes_no_test_of_a_ranking(seed, shift, metric):
    truth, old, new = two_models(seed)
    ranked = [np.unique(part, return_inverse=True)[1] for part in (new, new + shift)]
    assert np.array_equal(*ranked)  # the shift did not round scores together
    for test in (None, "permutation", "t"):
        with patch("heldout.verbs.compare.paired_difference.DRAWS", 60):
            first, second = (
                heldout.compare(truth, {"old": old, "new": part}, metrics=metric, test=test, pos_label=1)[metric]
                for part in (new, new + shift)
            )
        assert (first.value, first.pvalue, first.low, first.high) == (
            second.value,
            second.pvalue,
            second.low,
            second.high,
        )


@effort(max_examples=6, deadline=None)
@given(seed=seeds, metric=st.sampled_from(["accuracy", "f1", "brier", "roc_auc"]))
def test_turning_the_models_round_turns_the_difference(seed, metric):
    truth, old, new = two_models(seed)
    for models in ((truth, {"a": old, "b": new}), (None, {"a": (truth, old), "b": (truth[:40], new[:40])})):
        options = {"metrics": metric, "pos_label": 1, "paired": models[0] is not None}
        given_first, given_models = models
        turned = dict(reversed(given_models.items()))
        one = heldout.compare(given_first, given_models, **options)[metric]
        other = heldout.compare(given_first, turned, **options)[metric]
        assert other.value == pytest.approx(-one.value, abs=1e-12)
        assert other.pvalue == pytest.approx(one.pvalue, rel=1e-6)
        assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=0.02)  # bootstrap-t draws anew
