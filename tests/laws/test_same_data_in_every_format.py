"""CSV, Parquet and JSON lines of the same data are read the same: a result has the same bytes."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import heldout

RNG = np.random.default_rng(5)
ROWS = 120
CODES, OTHER = RNG.integers(0, 2, (2, ROWS))
HALVES = RNG.integers(0, 3, ROWS) / 2
LABELS = {"y_true": CODES, "y_pred": OTHER}
LARGE = np.array([5, 2**63 + 1], np.uint64)
USERS = np.arange(20).astype(np.uint64) + np.uint64(2**63)


def of_groups(names):
    return {**LABELS, "group": RNG.permutation(np.repeat(names, ROWS // len(names)))}


DATA = {
    "groups 2 to 61": (of_groups(np.arange(2, 62)), {"groups": "group"}),
    "groups -5 to 14": (of_groups(np.arange(-5, 15)), {"groups": "group"}),
    "groups of halves": (of_groups(np.arange(98, 118) / 2), {"groups": "group"}),
    "groups beyond 63 bits": (of_groups(USERS), {"groups": "group"}),
    "segments 9, 10, 100": (of_groups([9, 10, 100]), {"segments": "group"}),
    "segments 9.0, 10.0": (of_groups([9.0, 10.0]), {"segments": "group"}),
    "segments beyond 63 bits": (of_groups(USERS[:2]), {"segments": "group"}),
    "missing segments": (
        {**LABELS, "site": pd.array([None, *np.resize([8, 9, 10], ROWS - 1)], dtype="Int64")},
        {"segments": "site"},
    ),
    "labels beyond 63 bits": ({"y_true": LARGE[CODES], "y_pred": LARGE[OTHER]}, {}),
    "truth 1.0": ({"y_true": CODES.astype(float), "y_pred": OTHER}, {}),
    "both 1.0": ({"y_true": CODES.astype(float), "y_pred": OTHER.astype(float)}, {}),
    "truth true, prediction 1.0": ({"y_true": CODES == 1, "y_pred": OTHER.astype(float)}, {}),
    "truth missing": ({"y_true": [np.nan, *CODES[1:]], "y_pred": OTHER}, {"on_nan": "drop"}),
    "labels 0.0, 0.5, 1.0": ({"y_true": HALVES, "y_pred": RNG.permutation(HALVES)}, {"task": "multiclass"}),
    "truth 0.5, prediction 1": ({"y_true": HALVES, "y_pred": OTHER}, {"task": "multiclass"}),
}


@pytest.mark.parametrize("name", DATA)
def test_formats_give_the_same_bytes(name, tmp_path):
    columns, options = DATA[name]
    frame = pd.DataFrame(columns)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_parquet(tmp_path / "rows.parquet")
    frame.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    found = {}
    for ending in ("csv", "parquet", "jsonl"):
        result = heldout.evaluate(tmp_path / f"rows.{ending}", **options)
        found[ending] = re.sub(r'"inputs": \[.*?\]', "", result.to_json(), flags=re.DOTALL)
    assert found["csv"] == found["parquet"] == found["jsonl"]
