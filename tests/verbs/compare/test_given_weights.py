"""Weights that a table has: said, and the same for all models."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.errors import DataError

RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 2, 200)


def model(**more):
    return {
        "id": np.arange(200),
        "y_true": TRUTH,
        "y_score": np.clip(0.3 * TRUTH + RNG.random(200) * 0.7, 0, 1),
        **more,
    }


WEIGHTED, ONES, PLAIN = model(weight=RNG.integers(1, 4, 200)), model(weight=np.ones(200)), model()


def test_weights_found_by_name_are_said():
    found = heldout.compare({"a": WEIGHTED, "b": {**WEIGHTED, "y_score": PLAIN["y_score"]}}, primary="roc_auc")
    said = "rows are weighted by the column weight, which was found by its name"
    assert said in [check.text for check in found.checks if check.code == "H111"]
    gate = heldout.gate({"a": WEIGHTED, "b": {**WEIGHTED, "y_score": PLAIN["y_score"]}}, primary="roc_auc", margin=0.1)
    assert said in [check.text for check in gate.checks]
    named = heldout.compare(
        {"a": WEIGHTED, "b": {**WEIGHTED, "y_score": PLAIN["y_score"]}}, primary="roc_auc", sample_weight="weight"
    )
    assert said not in [check.text for check in named.checks]


@pytest.mark.parametrize("models", [{"a": WEIGHTED, "b": ONES}, {"b": ONES, "a": WEIGHTED}])
def test_weights_of_one_beside_others_are_different_weights(models):
    with pytest.raises(DataError, match="have different weights"):
        heldout.compare(models, primary="roc_auc")


def test_weights_of_one_beside_none_are_none():
    assert heldout.compare({"a": PLAIN, "b": ONES}, primary="roc_auc")["roc_auc"].pvalue == (
        heldout.compare({"a": PLAIN, "b": {**ONES, "weight": np.ones(200)}}, primary="roc_auc")["roc_auc"].pvalue
    )
