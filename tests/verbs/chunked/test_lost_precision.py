"""What chunks or floating-point numbers cannot tell apart is refused, and never answered as if it were equal."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.errors import DataError


def offset_scores(path, model, offset):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 2000)
    score = offset + rng.normal(truth * 30 * model, 10)
    pd.DataFrame({"id": np.arange(2000), "y_true": truth, "y_score": score}).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("verb", ["evaluate", "compare", "gate"])
def test_scores_whose_order_the_grid_would_lose_are_refused(tmp_path, verb):
    good, bad = (offset_scores(tmp_path / f"{name}.csv", model, 1e6) for name, model in (("good", 1), ("bad", 0)))
    calls = {
        "evaluate": lambda: heldout.evaluate(good, metrics="roc_auc", memory="1K"),
        "compare": lambda: heldout.compare({"good": good, "bad": bad}, metrics="roc_auc", memory="1K"),
        "gate": lambda: heldout.gate({"good": good, "bad": bad}, primary="roc_auc", margin=0.02, memory="1K"),
    }
    with pytest.raises(DataError, match="lie too close together to be ranked in chunks: roc_auc would be known within"):
        calls[verb]()


def test_equal_scores_are_ranked_in_chunks_as_in_memory(tmp_path):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 2000)
    frame = pd.DataFrame({"y_true": truth, "y_score": 1e6 + 1000 * np.round(truth + rng.normal(0, 1, 2000))})
    frame.to_csv(tmp_path / "few.csv", index=False)
    inside, outside = (
        heldout.evaluate(tmp_path / "few.csv", metrics="roc_auc", memory=memory)["roc_auc"] for memory in (None, "1K")
    )
    assert float(outside) == pytest.approx(float(inside), abs=1e-12)


@pytest.mark.parametrize("exponent", [-310, -290, -200, -160, 200])
def test_weights_whose_squares_are_no_numbers_are_refused(tmp_path, exponent):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 400)
    weight = 10.0**exponent * rng.integers(1, 5, 400)
    frame = pd.DataFrame({"y_true": truth, "y_pred": rng.integers(0, 2, 400), "weight": weight})
    frame.to_csv(tmp_path / "weights.csv", index=False)
    with pytest.raises(DataError, match="the largest weight in weight is"):
        heldout.evaluate(tmp_path / "weights.csv", sample_weight="weight", metrics="accuracy", memory="1K")


def test_a_group_of_minus_zero_is_that_of_zero(tmp_path):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 5, 80).astype(float)
    group[60:] = -0.0
    frame = pd.DataFrame({"y_true": rng.integers(0, 2, 80), "y_pred": rng.integers(0, 2, 80), "group": group})
    frame.to_parquet(tmp_path / "zero.parquet")
    inside, outside = (
        heldout.evaluate(tmp_path / "zero.parquet", groups="group", metrics="accuracy", memory=memory)["accuracy"]
        for memory in (None, "1K")
    )
    assert inside.units == outside.units == 5
    assert (outside.low, outside.high) == pytest.approx((inside.low, inside.high), rel=1e-9)


@pytest.mark.parametrize("memory", [None, "1K"])
def test_errors_lost_between_two_floating_point_numbers_are_refused(tmp_path, memory):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({name: 2**60 + rng.integers(0, 100, 50) for name in ("y_true", "y_pred")})
    frame.to_csv(tmp_path / "nanoseconds.csv", index=False)
    with pytest.raises(DataError, match=r"reach 1.15292e\+18, where floating-point numbers are 256 apart"):
        heldout.evaluate(tmp_path / "nanoseconds.csv", task="regression", metrics="mae", memory=memory)
    apart = frame - 2**60
    apart.to_csv(tmp_path / "apart.csv", index=False)
    found = heldout.evaluate(tmp_path / "apart.csv", task="regression", metrics="mae", memory=memory)
    assert float(found["mae"]) == pytest.approx(np.mean(np.abs(apart.y_true - apart.y_pred)))
