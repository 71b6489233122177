"""Frames of probabilities and ordered categories beside a truth: matched by name, in the order of the categories."""

from __future__ import annotations

import json
from datetime import timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

import heldout
from heldout import metrics
from heldout.errors import DataError
from heldout.inputs import from_arrays, read

CLASSES = ["left", "centre", "right", "far left"]
LIBRARIES = {"pandas": lambda frame: frame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.fixture
def truth() -> np.ndarray:
    return np.random.default_rng(1).choice(CLASSES, 120)


@pytest.fixture
def probabilities(truth) -> pd.DataFrame:
    """Probabilities of the classes in sorted order."""
    names = sorted(CLASSES)
    values = np.random.default_rng(2).dirichlet(np.ones(4), 120) + (truth[:, None] == np.array(names))
    return pd.DataFrame(values / values.sum(axis=1, keepdims=True), columns=names)


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
@pytest.mark.parametrize("prefix", ["", "p_", "P(", "score of "])
def test_columns_are_matched_by_name(truth, probabilities, library, prefix):
    renamed = probabilities.rename(columns=lambda name: f"{prefix}{name}" + (")" if prefix == "P(" else ""))
    shuffled = library(renamed[renamed.columns[[2, 0, 3, 1]]])
    array = probabilities.to_numpy()
    straight = heldout.evaluate(truth, y_proba=array, n_resamples=100).to_dict()
    assert heldout.evaluate(truth, y_proba=shuffled, n_resamples=100).to_dict() == straight
    assert metrics.log_loss(truth, shuffled) == metrics.log_loss(truth, array)
    assert metrics.brier_score_loss(truth, shuffled) == metrics.brier_score_loss(truth, array)
    area = {"multi_class": "ovr"}
    assert metrics.roc_auc_score(truth, shuffled, **area) == metrics.roc_auc_score(truth, array, **area)
    assert metrics.top_k_accuracy_score(truth, shuffled) == metrics.top_k_accuracy_score(truth, array)
    same = heldout.compare(truth, {"array": array, "frame": shuffled})
    assert {one.test for one in same.differences} == {"identical"}


def test_columns_of_two_classes(said):
    truth = np.array(["Good", "Bad"] * 60)
    bad = np.random.default_rng(3).random(120) * 0.5 + (truth == "Bad") * 0.5
    frame = pd.DataFrame({"Good": 1 - bad, "Bad": bad})
    alone = heldout.evaluate(truth, y_score=bad, pos_label="Bad")["roc_auc"]
    for columns in (["Good", "Bad"], ["Bad", "Good"]):
        assert heldout.evaluate(truth, y_proba=frame[columns], pos_label="Bad")["roc_auc"] == alone
        assert metrics.log_loss(truth, frame[columns]) == metrics.log_loss(truth, 1 - bad)
    assert "name no class" in said(metrics.log_loss, truth, frame.rename(columns={"Good": "x", "Bad": "z"}))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_numbered_columns_are_in_the_order_of_the_classes(truth, probabilities, frame):
    array = probabilities.to_numpy()
    assert (from_arrays(truth, y_proba=frame(array)).batch.score == from_arrays(truth, y_proba=array).batch.score).all()


def test_numbers_as_names():
    truth, array = [1, 2, 1, 2], np.array([[0.9, 0.1], [0.4, 0.6], [0.7, 0.3], [0.2, 0.8]])
    for names in ([2, 1], [2.0, 1.0], ["2", "1"]):
        frame = pd.DataFrame(array[:, ::-1], columns=names)
        assert from_arrays(truth, y_proba=frame, pos_label=2).batch.score.tolist() == array[:, 1].tolist()


def test_labels_and_targets_by_name():
    rng = np.random.default_rng(4)
    truth = pd.DataFrame(rng.integers(0, 2, (50, 2)), columns=["cat", "dog"])
    output = pd.DataFrame(rng.random((50, 2)), columns=["cat", "dog"])
    swapped = output[["dog", "cat"]].add_prefix("p_")
    assert (from_arrays(truth, y_proba=swapped).batch.score == output.to_numpy()).all()
    numbers = from_arrays(output, swapped).batch
    assert (numbers.prediction == numbers.truth).all()
    assert (from_arrays(truth.to_numpy(), y_proba=swapped).batch.score == swapped.to_numpy()).all()


ORDER = ["low", "mid", "high"]
ORDERED = {
    "pandas": lambda values: pd.Series(pd.Categorical(values, categories=ORDER, ordered=True)),
    "Categorical": lambda values: pd.Categorical(values, categories=ORDER, ordered=True),
    "polars": lambda values: pl.Series(values, dtype=pl.Enum(ORDER)),
}


@pytest.mark.parametrize("ordered", ORDERED.values(), ids=ORDERED)
def test_ordered_categories_keep_their_order(ordered):
    values = ["high", "low", "mid", "low"]
    assert from_arrays(ordered(values), values[::-1]).batch.labels == ("low", "mid", "high")
    assert from_arrays(values, ordered(values)).batch.labels == ("low", "mid", "high")
    assert read({"y": ordered(values), "y_pred": values}).batch.labels == ("low", "mid", "high")
    two = from_arrays(ordered(["low", "high", "low"]), y_score=[0.1, 0.9, 0.4])
    assert two.batch.labels[two.batch.positive] == "high"
    assert two.checks[0].text == (
        "'high' is taken as the positive class of 'low', 'high' (the second in their order); choose it with pos_label=…"
    )
    compared = heldout.compare(ordered(values), {"a": ["mid"] * 4, "b": values})
    assert compared.batches["a"].labels == ("low", "mid", "high")


def test_unordered_categories_are_sorted():
    values = ["high", "low", "mid"]
    assert from_arrays(pd.Series(values, dtype="category"), values).batch.labels == ("high", "low", "mid")
    assert from_arrays(pl.Series(values, dtype=pl.Categorical), values).batch.labels == ("high", "low", "mid")


def test_arrays_frames_and_files_refuse_alike_an_unnamed_positive_class(tmp_path, said):
    truth = ["bad", "good"] * 30
    score = [0.8, 0.3] * 30
    frame = pd.DataFrame({"y": truth, "score": score})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    refusals = [
        said(heldout.evaluate, truth, y_score=score),
        said(heldout.compare, truth, {"a": score, "b": score}),
        said(heldout.choose_threshold, truth, score, fp=1, fn=1),
        said(heldout.evaluate, frame),
        said(heldout.evaluate, tmp_path / "rows.csv"),
    ]
    for refusal in refusals:
        assert "the positive class is ambiguous" in refusal
    assert metrics.roc_auc_score(truth, score) == 0  # scikit-learn's convention: the later label


def test_series_that_share_no_time_are_refused():
    truth = np.arange(6.0)
    with pytest.raises(DataError, match="no time of time is shared by two of the 2 series"):
        from_arrays(truth, truth + 1, time=np.arange(6), series=["a", "b"] * 3)
    assert from_arrays(truth, truth + 1, time=[0, 0, 1, 2, 3, 3], series=list("ababab")).batch.time.series == 2


def test_weights_beside_which_others_are_lost_are_refused():
    weight = np.array([1e13, 1.0, 1.0, 1.0])
    with pytest.raises(DataError, match=r"the weights in sample_weight go from 1 to 1e\+13 \(row 1\)"):
        from_arrays([1, 0, 1, 0], [1, 0, 1, 1], sample_weight=weight)


def test_a_heavy_row_leaves_the_counts_of_others():
    """Rows that are rightly not called positive are added up, not what is left of a large total."""
    found = heldout.evaluate([1, 0, 1, 0, 1, 0], [1, 0, 1, 1, 1, 0], sample_weight=[9e11, 1, 1, 1, 1, 1])
    assert found["specificity"].value == pytest.approx(2 / 3, rel=1e-12)


def as_categories(values: list[str], library: str, order: tuple[str, ...]) -> object:
    if library == "enum":
        return pl.Series(values, dtype=pl.Enum(list(order)))
    return pd.Categorical(values, categories=list(order), ordered=True) if library == "ordered" else values


@pytest.fixture(params=[("8", "9", "10", "text"), ("lo", "mid", "hi", "ordered"), ("lo", "mid", "hi", "enum")])
def sorted_columns(request):
    """A truth whose labels have an order other than that of text, and probabilities as scikit-learn has them."""
    *order, library = request.param
    rng = np.random.default_rng(7)
    values = rng.choice(order, 150)
    chances = rng.dirichlet(np.ones(3), 150) + 2 * (values[:, None] == np.unique(values))
    return values, as_categories(values.tolist(), library, tuple(order)), chances / chances.sum(axis=1, keepdims=True)


def test_columns_without_names_are_sorted_as_scikit_learn_sorts(sorted_columns):
    from sklearn import metrics as peers

    values, truth, chances = sorted_columns
    right = float(np.mean(np.unique(values)[chances.argmax(axis=1)] == values))
    found = heldout.evaluate(truth, y_proba=chances)
    assert found["accuracy"].value == pytest.approx(right)
    note = next(check.text for check in found.checks if "column 1 is" in check.text)
    assert f"column 1 is {np.unique(values)[0]}" in note.replace("'", "")
    assert float(metrics.log_loss(truth, chances)) == pytest.approx(peers.log_loss(values, chances))
    assert float(metrics.brier_score_loss(truth, chances)) == pytest.approx(peers.brier_score_loss(values, chances))
    assert float(metrics.top_k_accuracy_score(truth, chances)) == pytest.approx(
        peers.top_k_accuracy_score(values, chances)
    )
    for average in ("macro", None):
        area = {"multi_class": "ovr", "average": average}
        ours, theirs = metrics.roc_auc_score(truth, chances, **area), peers.roc_auc_score(values, chances, **area)
        assert np.array(ours, dtype=float) == pytest.approx(theirs)
    predicted = np.unique(values)[chances.argmax(axis=1)]
    compared = heldout.compare(truth, {"a": chances, "b": predicted}, metrics=["accuracy"])
    assert compared["accuracy"].test == "identical"
    assert note in [check.text.replace("y_pred", "y_proba") for check in compared.checks]
    decided = heldout.gate(truth, {"a": chances, "b": predicted}, primary="accuracy", margin=0.01)
    assert decided.hurdles[0].value == 0


def test_labels_give_the_order_of_columns_without_names(sorted_columns):
    values, truth, chances = sorted_columns
    order = np.unique(values)[::-1].tolist()
    given = heldout.evaluate(truth, y_proba=chances[:, ::-1], labels=order)
    assert given["accuracy"].value == heldout.evaluate(truth, y_proba=chances)["accuracy"].value
    assert not any("column 1 is" in check.text for check in given.checks)


def test_the_later_of_two_texts_is_positive():
    from sklearn import metrics as peers

    values, score = np.array(["9", "10"] * 30), np.random.default_rng(1).random(60)
    assert float(metrics.roc_auc_score(values, score)) == pytest.approx(peers.roc_auc_score(values, score))
    both = np.column_stack([1 - score, score])
    assert float(metrics.log_loss(values, both)) == pytest.approx(peers.log_loss(values, both))
    assert float(metrics.log_loss(values, score)) == pytest.approx(peers.log_loss(values, score))
    assert float(metrics.hinge_loss(values, score - 0.5)) == pytest.approx(peers.hinge_loss(values, score - 0.5))


def test_whole_numbers_beside_missing_ones_are_sorted_by_size():
    values = pd.Series([8, 9, 10] * 20 + [None], dtype="Int64")
    chances = np.eye(3)[[0, 1, 2] * 20 + [0]]
    assert heldout.evaluate(values, y_proba=chances, on_nan="drop")["accuracy"].value == 1


@pytest.mark.parametrize("names", [[0, 1, 2], ["0", "1", "2"]], ids=["numbers", "texts"])
@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_names_that_are_numbers_win_over_the_order_of_labels(names, library):
    truth = np.array([0, 1, 2, 2] * 20)
    chances = np.eye(3)[truth] * 0.7 + 0.1
    frame = pd.DataFrame(chances, columns=names)
    given = library(frame if library is LIBRARIES["pandas"] else frame.rename(columns=str))
    found = heldout.evaluate(truth, y_proba=given, labels=[2, 1, 0])
    assert found["accuracy"].value == 1
    backwards = heldout.evaluate(truth, y_proba=chances[:, ::-1], labels=[2, 1, 0])
    assert backwards["accuracy"].value == 1
    text = truth.astype(str)
    assert heldout.evaluate(text, y_proba=given, labels=["2", "1", "0"])["accuracy"].value == 1
    compared = heldout.compare(truth, {"a": given, "b": chances[:, ::-1]}, labels=[2, 1, 0], metrics=["accuracy"])
    assert compared["accuracy"].test == "identical"


def test_names_that_are_numbers_beside_text_of_digits():
    truth = np.random.default_rng(5).permutation(np.arange(120) % 12)
    frame = pd.DataFrame(np.eye(12)[truth] * 0.88 + 0.01, columns=range(12))
    assert heldout.evaluate(truth.astype(str), y_proba=frame)["accuracy"].value == 1
    assert float(metrics.log_loss(truth.astype(str), frame)) == pytest.approx(-np.log(0.89))


@pytest.mark.parametrize(("classes", "columns"), [([1, 2, 4], 5), ([0, 1, 2], 4)])
def test_more_columns_than_whole_labels_need_labels(classes, columns, said):
    truth = np.array(classes * 20)
    chances = np.eye(columns)[truth] * 0.5 + 0.5 / columns
    for given in (chances, pd.DataFrame(chances), chances.tolist()):
        assert f"y_proba has {columns} columns, and the classes are 3" in said(heldout.evaluate, truth, y_proba=given)
    assert "name all classes as labels" in said(heldout.compare, truth, {"a": chances, "b": chances})
    everything = list(range(columns))
    assert heldout.evaluate(truth, y_proba=chances, labels=everything)["accuracy"].value == 1
    named = pl.DataFrame(dict(zip(map(str, everything), chances.T, strict=True)))
    found = heldout.evaluate(truth, y_proba=named)
    assert found["accuracy"].value == 1
    assert any("no row has the class" in check.text for check in found.checks)


@pytest.mark.parametrize("kind", ["uint64", "uint8", "int8", ">i4", "float16", "float128", "bool"])
def test_labels_groups_and_weights_of_any_numeric_type(kind):
    y_true, y_pred = (np.array(values * 10) for values in ([0, 1, 1, 0], [0, 1, 0, 0]))
    groups, weight = np.arange(40) % 2, np.ones(40)
    plain = heldout.evaluate(y_true, y_pred, groups=groups, sample_weight=weight, metrics="accuracy")["accuracy"]
    typed = (values.astype(kind) for values in (y_true, y_pred))
    found = heldout.evaluate(*typed, groups=groups.astype(kind), sample_weight=weight.astype(kind), metrics="accuracy")[
        "accuracy"
    ]
    assert (found.value, found.low, found.high) == (plain.value, plain.low, plain.high)


SECONDS = np.arange(1, 41)
DURATIONS = {
    "arrow": lambda: pa.table({"y_true": pa.array(SECONDS, pa.duration("s")), "y_pred": SECONDS}),
    "dictionary": lambda: pa.table({"y_true": pa.array(SECONDS, pa.duration("ms")).dictionary_encode(), "p": SECONDS}),
    "pandas": lambda: pd.DataFrame({"y_true": pd.to_timedelta(SECONDS, "s"), "y_pred": SECONDS}),
    "polars": lambda: pl.DataFrame({"y_true": list(map(to_timedelta, SECONDS)), "y_pred": SECONDS}),
    "dict": lambda: {"y_true": SECONDS.astype("m8[ms]"), "y_pred": SECONDS},
    "objects": lambda: {"y_true": list(map(to_timedelta, SECONDS)), "y_pred": SECONDS},
}


def to_timedelta(seconds) -> timedelta:
    return timedelta(seconds=int(seconds))


@pytest.mark.parametrize("frame", DURATIONS.values(), ids=DURATIONS)
def test_durations_are_refused(frame, said):
    message = said(heldout.evaluate, frame())
    assert "y_true holds durations (" in message
    assert "write y_true as numbers of one unit" in message


@pytest.mark.parametrize("memory", [None, "1K"])
@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_durations_of_two_units_in_a_file_are_refused(tmp_path, suffix, memory, said):
    whole = {"y_true": pa.array(SECONDS, pa.duration("s")), "y_pred": pa.array(1000 * SECONDS, pa.duration("ms"))}
    path = tmp_path / f"took.{suffix}"
    if suffix == "parquet":
        pq.write_table(pa.table(whole), path)
    else:
        feather.write_feather(pa.table(whole), path)
    assert f"took.{suffix}: y_true holds durations (duration[s])" in said(heldout.evaluate, path, memory=memory)


@pytest.mark.parametrize("kind", [set, frozenset, lambda names: dict.fromkeys(names).keys()])
def test_columns_without_an_order_are_refused(kind, said):
    names = [f"a{at}" for at in range(12)]
    assert "y_true is a " in said(heldout.evaluate, kind(names), names)
    assert "which has no order" in said(heldout.evaluate, names, kind(names))


@pytest.mark.parametrize(
    "values", [[0, True] * 20, np.array([0, True] * 20, dtype=object), pd.Series([0, True] * 20, dtype=object)]
)
def test_true_beside_numbers_in_one_column_is_refused(values, said):
    message = said(heldout.evaluate, values, [0, 1] * 20)
    assert "y_true holds values that are not labels of one type: int ('0' in row 1), bool ('True' in row 2)" in message
    assert "not labels of one type" in said(heldout.evaluate, [0, 1] * 20, y_score=[0.5, True] * 20)


def test_true_beside_numbers_in_json_lines_is_refused(tmp_path, said):
    rows = [{"y_true": True if at == 7 else at % 2, "y_pred": at % 2} for at in range(60)]
    path = tmp_path / "mixed.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "bool ('True' in row 8)" in said(heldout.evaluate, path)


def test_columns_of_runs_are_read():
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 4], pa.int32()), pa.array(["a", "b"]))
    table = pa.table({"y_true": runs, "y_pred": pa.array(["a", "b", "b", "b"])})
    assert heldout.evaluate(table)["accuracy"].value == 0.75


def test_a_column_of_several_types_is_named():
    union = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 0]), pa.array(["a", "b"])])
    table = pa.table({"y_true": pa.chunked_array([union, union]), "y_pred": [1, 0, 1, 0]})
    with pytest.raises(DataError) as caught:
        heldout.evaluate(table)
    assert str(caught.value).startswith(
        "[H107] the table: y_true holds sparse_union<0: int64=0, 1: string=1> values, and"
    )
