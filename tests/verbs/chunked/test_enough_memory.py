"""Where rows in chunks are refused, the amount of memory that the message names is enough, and no more than that."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.errors import HeldoutError
from heldout.verbs.chunked import table_source

ROWS = 400
TEST = {"primary": "accuracy", "margin": 0.1}


@pytest.fixture(autouse=True)
def exact(monkeypatch):
    """Amounts in bytes: rounded up to megabytes, an amount that is too small could pass by chance."""
    monkeypatch.setattr(table_source, "memory_text", lambda size: str(int(size)))


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Tables with the same rows, one larger than the other, with columns that have a role and others."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, ROWS)
    frame = pd.DataFrame({
        "id": [f"row {at}" for at in range(ROWS)], "y_true": truth,
        "y_pred": np.where(rng.random(ROWS) < 0.2, 0, truth),
        "y_score": np.clip(0.3 * truth + 0.6 * rng.random(ROWS), 0, 1), "day": np.arange(ROWS), "spare": "x" * 40,
    })  # fmt: skip
    labels = frame.drop(columns="y_score")
    for name, one in (("small", labels), ("large", labels.assign(id=frame["id"].astype("category"), weight=1.0))):
        one.to_parquet(f"{name}.parquet", index=False)
        one.assign(y_pred=one["y_pred"].astype(str), y_true=one["y_true"].astype(str)).to_csv(
            f"{name}.csv", index=False
        )
    frame.drop(columns="y_pred").to_csv("scores.csv", index=False)
    frame.assign(other=frame["y_pred"][::-1].to_numpy()).drop(columns="y_score").to_csv("columns.csv", index=False)
    frame.assign(truth_a=truth, truth_b=1 - truth, pred_a=truth, pred_b=truth)[
        ["truth_a", "truth_b", "pred_a", "pred_b"]
    ].to_csv("several.csv", index=False)
    pd.concat([labels.assign(model=name) for name in ("old", "new")]).to_csv("stacked.csv", index=False)


TWO = {"old": "small.csv", "new": "large.csv"}
CALLS = {
    "metric": lambda **given: heldout.evaluate("scores.csv", metrics="ece", **given),
    "time": lambda **given: heldout.evaluate("small.csv", time="day", **given),
    "costs": lambda **given: heldout.evaluate("scores.csv", choose_threshold=(1, 5), **given),
    "training data": lambda **given: heldout.evaluate("small.csv", train="stacked.csv", allow_overlap=True, **given),
    "several truths": lambda **given: heldout.evaluate("several.csv", **given),
    "curve": lambda **given: heldout.evaluate("scores.csv", **given).curve("calibration"),
    "chart": lambda **given: heldout.evaluate("scores.csv", **given).plot.scores(),
    "segments": lambda **given: heldout.evaluate("small.csv", segments="day", **given),
    "permutation": lambda **given: heldout.compare(TWO, test="permutation", metrics="accuracy", **given),
    "the larger first": lambda **given: heldout.compare(dict(reversed(TWO.items())), on_missing="intersect", **given),
    "sequential": lambda **given: heldout.compare(
        TWO, sequential=True, metrics="accuracy", primary="accuracy", **given
    ),
    "parquet": lambda **given: heldout.compare({"a": "small.parquet", "b": "large.parquet"}, paired=False, **given),
    "columns": lambda **given: heldout.compare(
        "columns.csv", {"old": "y_pred", "new": "other"}, test="permutation", metrics="accuracy", **given
    ),
    "model column": lambda **given: heldout.compare("stacked.csv", model_column="model", **given),
    "gate": lambda **given: heldout.gate(TWO, test="permutation", **TEST, **given),
    "anchor": lambda **given: heldout.gate(
        {"old": "small.csv", "new": "small.csv"}, anchor="large.csv", test="permutation", **TEST, **given
    ),
    "noise floor": lambda **given: heldout.gate(
        TWO, noise_floor=("small.csv", "small.csv"), test="permutation", **TEST, **given
    ),
    "budget": lambda **given: heldout.gate(TWO, looks_budget=50, **TEST, **given),
}


@pytest.mark.parametrize("given", [{"memory": 50}, {"engine": "local"}], ids=["memory", "engine"])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_amount_that_a_message_names_is_enough(call, given):
    with pytest.raises(HeldoutError) as refused:
        call(**given)
    found = re.search(r"memory='(\d+)'( and no engine)?", str(refused.value))
    assert found is not None, str(refused.value)
    assert (found[2] is not None) == ("engine" in given)
    call(memory=int(found[1]))
