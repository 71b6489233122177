"""Test sets are recognised by their content, whatever the order of rows and columns and whichever model judged them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.inputs import read
from heldout.inputs.row_identity import row_hashes
from heldout.store import rows_keys


def table(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, rows)
    return pd.DataFrame(
        {"id": [f"row {i}" for i in range(rows)], "age": rng.integers(20, 90, rows),
         "site": rng.choice(list("abc"), rows), "income": rng.normal(size=rows), "y": truth,
         "p": np.clip(truth * 0.3 + rng.random(rows) * 0.7, 0, 1)}
    )  # fmt: skip


def key(frame, **options):
    """The first hash, that of the rows in any order."""
    return rows_keys(read(frame, **options).batch)[0]


def shuffled(frame, seed=1):
    return frame.sample(frac=1, random_state=seed)[list(frame.columns[::-1])]


@pytest.mark.parametrize("dropped", [[], ["id"], ["id", "site"]])
def test_the_order_of_rows_and_columns_changes_nothing(dropped):
    frame = table().drop(columns=dropped)
    assert key(frame) == key(shuffled(frame))


def test_another_model_has_the_same_test_set():
    frame = table()
    other = frame.assign(p=frame["p"][::-1].to_numpy())
    assert key(frame) == key(shuffled(other))
    without = other.drop(columns="id").rename(columns={"p": "y_score"})
    assert key(without) == key(frame.drop(columns="id"))
    assert key(without.assign(pred_old=1, score_b=0.3)) == key(without)  # outputs of other models do not count


def test_with_an_id_other_columns_do_not_count():
    frame = table()
    assert key(frame) == key(frame[["p", "y", "id"]])


@pytest.mark.parametrize("dropped", [[], ["id"]])
def test_other_rows_are_another_test_set(dropped):
    frame = table().drop(columns=dropped)
    assert key(frame) != key(frame.iloc[:-1])
    assert key(frame) != key(frame.assign(y=1 - frame["y"]), positive=1)
    if dropped:
        assert key(frame) != key(frame.assign(age=frame["age"] + 1))


def test_a_file_and_a_frame_of_the_same_rows_are_one_test_set(tmp_path):
    frame = table()
    frame.to_csv(tmp_path / "a.csv", index=False)
    shuffled(frame).to_parquet(tmp_path / "b.parquet")
    assert key(frame) == key(str(tmp_path / "a.csv")) == key(str(tmp_path / "b.parquet"))


def test_rows_that_were_dropped_do_not_count():
    frame = table()
    gone = frame.assign(p=frame["p"].where(frame.index >= 5))
    assert key(gone, on_nan="drop") == key(frame.iloc[5:])
    assert key(gone.drop(columns="id"), on_nan="drop") == key(frame.iloc[5:].drop(columns="id"))


def test_rows_that_look_alike_are_known_by_their_order_only():
    frame = table()[["y", "p"]]
    assert row_hashes(read(frame).batch) is None
    assert key(frame) != key(frame.iloc[::-1])
    assert key(frame) == key(frame.assign(p=0.5))


def test_numbers_to_predict_tell_rows_apart_by_themselves():
    rng = np.random.default_rng(3)
    truth = rng.normal(size=100)
    order = rng.permutation(100)
    keys = [rows_keys(heldout.evaluate(one, one + 1).batch)[0] for one in (truth, truth[order])]
    assert keys[0] == keys[1]


def test_several_labels():
    rng = np.random.default_rng(4)
    marks = pd.DataFrame(rng.integers(0, 2, (60, 4)), columns=["y_a", "y_b", "pred_a", "pred_b"]).assign(
        x=rng.random(60)
    )
    assert key(marks, truth="y_a,y_b", pred="pred_a,pred_b") == key(
        shuffled(marks), truth="y_a,y_b", pred="pred_a,pred_b"
    )


def test_the_rows_of_a_comparison_are_those_that_were_matched():
    frame = table()
    found = heldout.compare({"a": frame, "b": shuffled(frame).iloc[10:]}, on_missing="intersect", metrics="accuracy")
    kept = frame[frame["id"].isin(shuffled(frame).iloc[10:]["id"])]
    assert rows_keys(found.batch_of_rows)[0] == key(kept)
