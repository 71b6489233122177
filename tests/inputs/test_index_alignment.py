"""Series with an index: matched by it, or refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import heldout
from heldout import metrics
from heldout.inputs.index_alignment import aligned


@pytest.fixture
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    score = np.clip(0.3 * y + rng.random(200) * 0.7, 0, 1)
    return pd.DataFrame(
        {
            "y": y,
            "score": score,
            "weight": rng.random(200),
            "group": rng.integers(0, 40, 200),
            "site": y ^ (score > 0.5),
        }
    ).rename(index=lambda at: f"row {at}")


def shuffled(column: pd.Series, seed: int) -> pd.Series:
    return column.sample(frac=1, random_state=seed)


def test_series_in_another_order_give_the_same_result(rows):
    arrays = {"sample_weight": "weight", "groups": "group", "segments": "site"}
    given = {name: shuffled(rows[column], at) for at, (name, column) in enumerate(arrays.items())}
    straight = heldout.evaluate(rows["y"], y_score=rows["score"], **{name: rows[c] for name, c in arrays.items()})
    moved = heldout.evaluate(rows["y"], y_score=shuffled(rows["score"], 9), **given)
    assert moved["roc_auc"] == straight["roc_auc"]
    note, *others = moved.to_dict()["checks"]
    assert note["text"] == (
        "the rows of y_score, groups, sample_weight, segments are matched with those of y_true by index, which is in "
        "another order"
    )
    assert {**moved.to_dict(), "checks": others} == straight.to_dict()


def test_frames_and_dicts_of_series(rows):
    frame = rows[["site"]].sample(frac=1, random_state=3)
    for segments in (frame, {"site": frame["site"]}):
        moved = heldout.evaluate(rows["y"], y_score=rows["score"], segments=segments).to_dict()
        straight = heldout.evaluate(rows["y"], y_score=rows["score"], segments=rows["site"]).to_dict()
        assert moved["segments"] == straight["segments"]


def test_models_of_a_comparison(rows):
    truth, score = rows["y"], rows["score"]
    for y_true in (truth, truth.to_numpy()):  # without a truth's index, the first model's
        found = heldout.compare(y_true, {"a": score, "b": shuffled(score, 1)}, metrics="roc_auc")
        assert found["roc_auc"].test == "identical"


@pytest.mark.filterwarnings("ignore:the rows of")
def test_drop_in_metrics(rows):
    y, score = rows["y"], rows["score"]
    called = shuffled(score >= 0.5, 2).astype(int)
    assert metrics.roc_auc_score(y, shuffled(score, 1)) == metrics.roc_auc_score(y.to_numpy(), score.to_numpy())
    assert metrics.log_loss(y, shuffled(score, 1)) == metrics.log_loss(y.to_numpy(), score.to_numpy())
    assert metrics.accuracy_score(y, called) == metrics.accuracy_score(y, (score >= 0.5).astype(int).to_numpy())
    both = pd.DataFrame({"0": 1 - score, "1": score})
    assert metrics.log_loss(y, shuffled(both, 4)) == metrics.log_loss(y.to_numpy(), score.to_numpy())


def test_different_labels_are_refused(rows, said):
    other = rows["score"].rename(index={"row 3": "row 300"})
    assert said(heldout.evaluate, rows["y"], y_score=other) == (
        "[H101] y_true and y_score have different indexes: 1 of 200 labels of y_true are not in that of y_score "
        "('row 3')\n  Fix: give both the same index, or pass y_score.to_numpy() if its rows are in the order of y_true"
    )


def test_a_label_twice_is_refused(rows, said):
    twice = rows["score"].rename(index={"row 3": "row 4"})
    assert said(heldout.compare, rows["y"], {"a": rows["score"], "b": twice}) == (
        "[H101] y_true and model b have different indexes, and that of model b has 'row 4' more than once, so rows "
        "cannot be matched by index\n"
        "  Fix: give both the same index, or pass arrays (.to_numpy()) if their rows are in the order of y_true"
    )


def test_equal_indexes_may_repeat_a_label():
    index = [1, 1, 2]
    values, notes = aligned({"y_true": pd.Series([0, 1, 1], index), "y_pred": pd.Series([0, 1, 0], index)})
    assert (values["y_pred"].tolist(), notes) == ([0, 1, 0], ())


def test_arrays_and_polars_have_no_index():
    given = {"y_true": pd.Series([0, 1], [1, 0]), "y_pred": np.array([0, 1]), "groups": pl.Series([5, 6])}
    values, notes = aligned(given)
    assert notes == ()
    assert all(values[name] is given[name] for name in given)


@pytest.mark.parametrize(
    "call",
    [
        lambda y, score: heldout.evaluate(y, y_score=score),
        lambda y, score: heldout.compare(y, {"a": score, "b": score}),
        lambda y, score: heldout.choose_threshold(y, score, fp=1, fn=1),
        heldout.curves.roc,
        metrics.roc_auc_score,
        metrics.brier_score_loss,
        lambda y, score: metrics.accuracy_score(y, (score > 0.5).astype(int)),
    ],
)
def test_an_index_that_only_counts_rows_does_not_match_them(rows, call, said):
    y = rows["y"].reset_index(drop=True).sample(frac=1, random_state=1)
    score = pd.Series(rows["score"].to_numpy()[y.index])  # predictions in the order of y, as a model gives them
    message = said(call, y, score)
    assert "have the same index in different orders" in message
    assert "only counts its rows (0, 1, …), which may as well be in the order of y_true" in message
    call(y, score.to_numpy())
    call(y, score.set_axis(y.index))


def test_metrics_and_curves_warn_of_another_order(rows):
    y, score = rows["y"], shuffled(rows["score"], 1)
    for call in (metrics.roc_auc_score, metrics.brier_score_loss, metrics.log_loss, heldout.curves.roc):
        with pytest.warns(UserWarning, match="matched with those of y_true by index, which is in another order"):
            moved = call(y, score)
        assert str(moved) == str(call(y.to_numpy(), rows["score"].to_numpy()))
    (check,) = heldout.choose_threshold(y, score, fp=1, fn=1).checks
    assert check.code == "H101"
