"""A column of patients that repeats is mentioned where no groups were given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.inputs import read
from heldout.inputs.checks.group_hint import GROUP_NAMES

ROWS = {"y": [0, 1] * 20, "y_pred": [0, 1, 1, 1] * 10}


def notes(columns, **options):
    return [check.text for check in read({**ROWS, **columns}, **options).checks if check.code == "H114"]


def test_it_is_mentioned(tmp_path):
    patients = np.arange(40) // 4
    assert notes({"patient_id": patients}) == [
        (
            "patient_id has 10 values in 40 rows, and no groups were given: if rows of one patient_id are not "
            "independent, pass groups='patient_id'"
        )
    ]
    lines = ["y,y_pred,Subject", *(f"{y},{p},s{g}" for y, p, g in zip(*ROWS.values(), patients, strict=True))]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    text = heldout.evaluate(tmp_path / "rows.csv").to_text()
    assert "groups='Subject'" in " ".join(text.split())


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ({"patient_id": np.arange(40) // 4}, {"group": "patient_id"}),
        ({"patient_id": np.arange(40) // 4}, {"segments": ["patient_id"]}),
        ({"patient_id": np.arange(40)}, {}),
        ({"session": np.arange(40) % 3}, {}),
        ({"age": np.arange(40) // 4}, {}),
        ({"group": np.arange(40) // 4, "patient_id": np.arange(40) // 2}, {}),
    ],
    ids=["named", "a subgroup", "no repeats", "a category", "another name", "other groups"],
)
def test_it_is_not_mentioned(columns, options):
    assert notes(columns, **options) == []


def test_names():
    known = ("patient_id", "user", "UserID", "document", "doc_id", "session id", "customers", "speaker-nr")
    assert all(GROUP_NAMES.fullmatch(name.lower()) for name in known)
    assert not any(GROUP_NAMES.fullmatch(name) for name in ("documented", "user_age", "id", "accountability"))


def test_forgotten_groups_are_mentioned_in_chunks_too(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"patient_id": np.arange(600) // 3, "y_true": rng.integers(0, 2, 600)})
    frame.assign(y_score=rng.random(600)).to_parquet(tmp_path / "rows.parquet", index=False)
    found = heldout.evaluate(tmp_path / "rows.parquet", engine="local", n_resamples=100)
    assert [check.text for check in found.checks if check.code == "H114"] == [
        (
            "patient_id has 200 values in 600 rows, and no groups were given: if rows of one patient_id are not "
            "independent, pass --group patient_id (groups='patient_id')"
        )
    ]
