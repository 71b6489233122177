"""What `evaluate` gives, as a value: by name, as plain values, as a frame, as curves."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import heldout
from heldout.errors import UsageError
from heldout.verbs.evaluate.evaluation import Evaluation

RNG = np.random.default_rng(1)
TRUTH = np.arange(90) % 3 % 2
CHANCE = np.clip(0.3 + 0.3 * TRUTH + 0.2 * RNG.standard_normal(90), 0.01, 0.99)
SITE = np.repeat(["a", "b"], 45)


@pytest.fixture(scope="module")
def result():
    return heldout.evaluate(TRUTH, y_proba=CHANCE, segments={"site": SITE}, max_fpr=0.4, n_resamples=100)


def test_estimates_by_name_and_alias(result):
    assert isinstance(result, Evaluation)
    assert result["sensitivity"] is result["recall"] is result.estimates["recall"]
    with pytest.raises(UsageError, match=r"^no estimate is named 'acuracy'; did you mean 'accuracy'\?"):
        result["acuracy"]


def test_plain_values_survive_json_and_counts_are_whole(result):
    plain = result.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    counts = plain["confusion"]["counts"]
    assert all(isinstance(cell, int) for line in counts for cell in line)
    assert sum(map(sum, counts)) == plain["rows"] == 90
    weighted = heldout.evaluate(TRUTH, y_proba=CHANCE, sample_weight=RNG.random(90), n_resamples=100).to_dict()
    assert all(isinstance(cell, float) for line in weighted["confusion"]["counts"] for cell in line)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_a_line_per_estimate(result, backend):
    frame = result.to_frame(backend)
    names = list(frame["metric"].to_pylist() if backend == "pyarrow" else frame["metric"])
    segments = list(frame["segment"].to_pylist() if backend == "pyarrow" else frame["segment"])
    shown = sum(len(found) for _, _, found in result.segments["site"].shown.values())
    point = [f"operating_point.{name}" for name in ("threshold", "recall", "beta")]
    assert len(names) == len(result.estimates) + len(point) + shown
    assert names[len(result.estimates) :][: len(point)] == point
    assert set(segments) == {"", "site=a", "site=b"}


def test_values_in_the_frame_are_those_of_the_estimates(result):
    frame = result.to_frame().iloc[: len(result.estimates)].set_index("metric")
    for name, one in result.estimates.items():
        assert (frame.loc[name, "low"], frame.loc[name, "high"]) == pytest.approx((one.low, one.high), nan_ok=True)


def test_curves_come_from_the_rows_and_counts_have_none(result):
    curve = result.curve("roc")
    assert curve.points["tpr"][-1] == 1.0
    with pytest.raises(UsageError, match="counts have no curves"):
        heldout.evaluate_counts(wrong=3, of=10).curve("roc")


def test_curves_of_one_result_share_the_order_of_its_rows(monkeypatch):
    from heldout.verbs.evaluate import evaluation

    result = replace(heldout.evaluate([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8]), order=None)
    made, score_order = [], evaluation.score_order
    monkeypatch.setattr(evaluation, "score_order", lambda batch: made.append(batch) or score_order(batch))
    for name in ("roc", "precision_recall", "calibration", "gain"):
        assert len(result.curve(name).points) > 1
    assert len(made) == 1
