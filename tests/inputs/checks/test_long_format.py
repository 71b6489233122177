"""Tables that stack the rows of several models: refused where they would be pooled, divided where they are compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import heldout
from heldout.inputs.checks.long_format import split_by_model
from heldout.inputs.formats.frames import table

MODELS = ("lr", "rf", "nb")


@pytest.fixture
def wide() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    scores = {name: np.clip(0.1 * (at + 1) * y + 0.7 * rng.random(120), 0, 1) for at, name in enumerate(MODELS)}
    return pd.DataFrame(
        {"loan_id": [f"L{at}" for at in range(120)], "y": y, "branch": rng.integers(0, 4, 120), **scores}
    )


@pytest.fixture
def stacked(wide) -> pd.DataFrame:
    """The rows of each model but the first in an order of their own."""
    parts = [wide[["loan_id", "y", "branch"]].assign(model=name, score=wide[name]) for name in MODELS]
    return pd.concat([parts[0], *(part.sample(frac=1, random_state=1) for part in parts[1:])], ignore_index=True)


def test_pooled_models_are_refused(stacked, said, tmp_path):
    stacked.to_csv(tmp_path / "long.csv", index=False)
    refusal = (
        "[H105] {}: model names 3 models ('lr', 'rf', 'nb'), and each has the same rows (by loan_id): pooled, they are "
    )
    refusal += "not independent\n  Fix: compare the models: {}, or keep the rows of one model"
    python = "heldout.compare(…, model_column='model')"
    assert said(heldout.evaluate, stacked) == refusal.format("the frame", python)
    assert said(heldout.evaluate, pl.DataFrame(stacked)) == refusal.format("the frame", python)
    shell = f"heldout compare FILE --model-column model ({python})"
    assert said(heldout.evaluate, tmp_path / "long.csv") == refusal.format("long.csv", shell)


def test_without_an_id_equal_truths_tell(wide, said):
    parts = [wide[["y"]].assign(model=name, score=wide[name]) for name in MODELS]
    assert "(the same truth in the same order)" in said(heldout.evaluate, pd.concat(parts))


def test_what_is_no_stack_of_models_is_read(wide, stacked):
    other_rows = wide.assign(model=np.repeat(["lr", "rf"], 60), score=wide["lr"])[["y", "model", "score"]]
    assert heldout.evaluate(other_rows).rows == 120  # each model has rows of its own
    assert heldout.evaluate(stacked[stacked["model"] == "rf"]).rows == 120
    assert heldout.evaluate(stacked, groups="loan_id").units == 120  # clusters were named: the caller knows


def test_evaluate_takes_one_model(stacked, said):
    alone = heldout.evaluate(stacked[stacked["model"] == "rf"], model_column="model")
    assert alone["roc_auc"] == heldout.evaluate(stacked[stacked["model"] == "rf"])["roc_auc"]
    assert said(heldout.evaluate, stacked, model_column="model") == (
        "[H106] the frame: model names 3 models ('lr', 'rf', 'nb'), and evaluate takes one\n"
        "  Fix: compare them: heldout.compare(…, model_column='model'), or keep the rows of one model"
    )
    assert "columns of a file or frame" in said(heldout.evaluate, [0, 1], [0, 1], model_column="model")


@pytest.mark.parametrize("form", ["pandas", "polars", "dict", "csv", "parquet"])
def test_compare_is_the_same_as_for_columns_of_a_wide_table(wide, stacked, form, tmp_path):
    stacked.to_csv(tmp_path / "long.csv", index=False)
    stacked.to_parquet(tmp_path / "long.parquet")
    given = {
        "pandas": stacked, "polars": pl.DataFrame(stacked), "dict": dict(stacked), "csv": tmp_path / "long.csv",
        "parquet": tmp_path / "long.parquet",
    }[form]  # fmt: skip
    options = {"metrics": "roc_auc, accuracy", "segments": ["branch"], "baseline": "rf"}
    long = heldout.compare(given, model_column="model", **options).to_dict()
    columns = heldout.compare(wide, {name: name for name in MODELS}, id="loan_id", **options).to_dict()
    assert long["matched"] == columns["matched"]
    for part in ("differences", "best_of_many", "verdicts"):
        assert long[part] == columns[part]


def test_rows_are_matched_by_id_or_not_at_all(stacked, said):
    assert said(heldout.compare, stacked.drop(columns="loan_id"), model_column="model") == (
        "[H101] the frame: the rows of the models in model cannot be matched: no column identifies them\n"
        "  Fix: name the column that is the same for one row under every model: id='NAME'"
    )
    assert said(heldout.compare, stacked, model_column="model", id="branch").startswith(
        "[H105] the frame: model lr has branch"
    )
    some = heldout.compare(stacked.iloc[1:], model_column="model", id="loan_id", on_missing="intersect")
    assert (some.rows, some.only) == (119, {"lr": 0, "rf": 1, "nb": 1})
    one = stacked[stacked["model"] == "nb"]
    assert said(heldout.compare, one, model_column="model").startswith("[H106] the frame: model names one model (nb)")
    gap = stacked.assign(model=stacked["model"].where(stacked.index != 4))
    assert said(heldout.compare, gap, model_column="model").startswith("[H305] the frame: model is missing in row 5")
    assert "leave out one of the two" in said(heldout.compare, stacked, {"a": "score"}, model_column="model")


def test_models_keep_the_order_in_which_they_occur(stacked):
    tables, key = split_by_model(table(stacked[::-1]), "model", None)
    assert (list(tables), key) == (["nb", "rf", "lr"], "loan_id")


def in_two_files(frame: pd.DataFrame, folder) -> object:
    half = len(frame) // 2
    for name, rows in (("a", frame.iloc[:half]), ("b", frame.iloc[half:])):
        rows.to_parquet(folder / f"{name}.parquet", index=False)
    return folder


def test_stacked_models_are_refused_in_chunks_too(stacked, tmp_path):
    with pytest.raises(heldout.DataError, match=r"model names 3 models .* and each has the same rows \(by loan_id\)"):
        heldout.evaluate(in_two_files(stacked, tmp_path), y_score="score", engine="local")


def test_models_of_a_table_too_large_for_a_look_at_all_rows_are_mentioned(stacked, tmp_path, monkeypatch):
    monkeypatch.setattr("heldout.inputs.chunked.sample_rows.HEAD", 100)
    found = heldout.evaluate(in_two_files(stacked, tmp_path), y_score="score", engine="local", n_resamples=100)
    assert [check.text for check in found.checks if check.code == "H105"] == [
        (
            "model names 3 models ('lr', 'rf', 'nb'): if each has the same rows, they are not independent; compare the "
            "models: heldout compare FILE --model-column model (heldout.compare(…, model_column='model'))"
        )
    ]
