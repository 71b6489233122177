"""Which task the columns pose, by the rules that `task_family` documents: the same for every verb and every source."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.errors import HeldoutError
from heldout.inputs import from_arrays, read
from heldout.inputs.columns.column_values import column
from heldout.inputs.columns.task_guess import output_role

TASKS = {
    "two labels": ({"y": ["a", "b"], "yhat": ["a", "b"]}, "binary"),
    "three labels": ({"y": ["a", "b", "c"], "yhat": ["a", "b", "c"]}, "multiclass"),
    "one label": ({"y": ["a"], "yhat": ["a"]}, "binary"),
    "digits": ({"y": list(range(10)) * 3, "yhat": [0] * 30}, "multiclass"),
    "fractions": ({"y": [0.5, 1, 2], "yhat": [1, 1, 2]}, "regression"),
    "fractions as text": ({"y": ["0.5", "1"], "yhat": ["1", "1"]}, "regression"),
    "fractional predictions": ({"y": [0, 1, 2], "yhat": [0.1, 1.1, 1.8]}, "regression"),
    "a constant": ({"y": [3, 3, 3], "yhat": [2.9, 3.1, 3]}, "regression"),
    "huge": ({"y": ["1e30", "1e30"], "yhat": ["-1e30", "-1e30"]}, "regression"),
    "many whole numbers": ({"y": list(range(30)), "yhat": list(range(1, 31))}, "regression"),
    "many classes": ({"y": list(range(30)) * 3, "yhat": list(range(30)) * 3}, "multiclass"),
    "a score": ({"y": [0, 1], "p": [0.2, 0.7]}, "binary"),
    "one class and a score": ({"y": ["yes"], "p": [0.2]}, "binary"),
    "probabilities": ({"y": ["a", "b"], "p_a": [1, 0], "p_b": [0, 1], "p_c": [0, 0]}, "multiclass"),
    "two probabilities": ({"y": ["a", "b"], "p_a": [1, 0], "p_b": [0, 1]}, "binary"),
    "several 0 and 1": ({"y_a": [0, 1], "y_b": [1, 1], "p_a": [0.1, 0.2], "p_b": [0.5, 0.5]}, "multilabel"),
    "several true and false": (
        {"y_a": [False, True], "y_b": [True, True], "yhat_a": [0, 1], "yhat_b": [1, 1]},
        "multilabel",
    ),
    "several numbers": ({"y1": [0, 1], "y2": [5, 6], "yhat1": [0, 1], "yhat2": [5, 7]}, "regression"),
    "0 and 1 with fractions": ({"y1": [0, 1], "y2": [1, 1], "yhat1": [0.5, 1], "yhat2": [1, 1]}, "regression"),
}


@pytest.mark.parametrize("name", TASKS)
def test_task(name):
    table, task = TASKS[name]
    assert read(table).batch.task == task


def test_a_task_that_was_given_wins():
    assert from_arrays([0, 1], [0.2, 0.7], task="regression").batch.task == "regression"
    assert from_arrays([0, 1], [0, 1], task="multiclass").batch.task == "multiclass"
    assert from_arrays([0.5, 1.5], [0.5, 0.5], task="binary").batch.labels == (0.5, 1.5)
    assert from_arrays(list(range(30)), list(range(30)), task="multiclass").batch.task == "multiclass"


ROWS = 120
RNG = np.random.default_rng(5)
TRUTHS = {
    "text, 2 values": np.array(["no", "yes"])[np.arange(ROWS) % 2],
    "text, 3 values": np.array(["a", "b", "c"])[np.arange(ROWS) % 3],
    "bool": np.arange(ROWS) % 2 == 0,
    "int, 0 and 1": np.arange(ROWS) % 2,
    "int, -1 and 1": np.arange(ROWS) % 2 * 2 - 1,
    "int, 5 and 8": np.arange(ROWS) % 2 * 3 + 5,
    "int, 3 values": np.arange(ROWS) % 3,
    "int, 20 values": np.arange(ROWS) % 20,
    "int, 57 values": np.arange(ROWS) % 57,
    "int, 100 values": np.minimum(np.arange(ROWS), 99),
    "float, 0 and 1": (np.arange(ROWS) % 2).astype(float),
    "float, 57 whole values": (np.arange(ROWS) % 57).astype(float),
    "float, fractions": np.arange(ROWS) / 7,
}
FRACTIONS = np.round(RNG.random(ROWS), 4)
"""The output of a model that gives floats: between 0 and 1, so that they may be scores."""
ASKS = "asks"
"""`evaluate` was told that these are predictions, and they may be scores: it asks."""
BY_OUTPUT = {  # truth: (task with predictions of the type of the truth, evaluate with floats, compare with floats)
    "text, 2 values": ("binary", ASKS, "binary"),
    "text, 3 values": ("multiclass", ASKS, ASKS),
    "bool": ("binary", ASKS, "binary"),
    "int, 0 and 1": ("binary", ASKS, "binary"),
    "int, -1 and 1": ("binary", ASKS, "binary"),
    "int, 5 and 8": ("binary", ASKS, "binary"),
    "int, 3 values": ("multiclass", "regression", "regression"),
    "int, 20 values": ("multiclass", "regression", "regression"),
    "int, 57 values": ("multiclass", "regression", "regression"),
    "int, 100 values": ("regression", "regression", "regression"),
    "float, 0 and 1": ("binary", ASKS, "binary"),
    "float, 57 whole values": ("multiclass", "regression", "regression"),
    "float, fractions": ("regression", "regression", "regression"),
}


def found(call, *arguments):
    try:
        return call(*arguments, n_resamples=100).task
    except HeldoutError as error:
        return ASKS if error.code == "H107" else str(error)


def evaluated(truth, output, source, folder):
    if source == "arrays":
        return found(heldout.evaluate, truth, output)
    frame = pd.DataFrame({"y": truth, "yhat": output})
    if source == "frame":
        return found(heldout.evaluate, frame)
    frame.to_csv(folder / "rows.csv", index=False)
    return found(heldout.evaluate, folder / "rows.csv")


def compared(truth, output, source, folder):
    other = np.roll(output, 2)
    if source == "arrays":
        return found(heldout.compare, truth, {"a": output, "b": other})
    frame = pd.DataFrame({"y": truth, "a": output, "b": other})
    columns = {"a": "a", "b": "b"}
    if source == "frame":
        return found(heldout.compare, frame, columns)
    frame.to_csv(folder / "rows.csv", index=False)
    return found(heldout.compare, folder / "rows.csv", columns)


@pytest.mark.parametrize("source", ["arrays", "frame", "file"])
@pytest.mark.parametrize("name", TRUTHS)
def test_every_verb_finds_the_same_task(name, source, tmp_path):
    truth, (same, evaluates, compares) = TRUTHS[name], BY_OUTPUT[name]
    assert evaluated(truth, np.roll(truth, 1), source, tmp_path) == same
    assert compared(truth, np.roll(truth, 1), source, tmp_path) == same
    assert evaluated(truth, FRACTIONS, source, tmp_path) == evaluates
    assert compared(truth, FRACTIONS, source, tmp_path) == compares


@pytest.mark.parametrize("source", ["arrays", "frame", "file"])
def test_files_of_their_own_are_compared_by_the_task_of_evaluate(source, tmp_path):
    truth = TRUTHS["int, 57 values"]
    models = {name: {"y": truth, "yhat": np.roll(FRACTIONS, at)} for at, name in enumerate("ab")}
    if source == "arrays":
        models = {name: (table["y"], table["yhat"]) for name, table in models.items()}
        assert heldout.compare(models, paired=False).task == "regression"
        return
    frames = {name: pd.DataFrame(table) for name, table in models.items()}
    if source == "file":
        for name, frame in frames.items():
            frame.to_csv(tmp_path / f"{name}.csv", index=False)
        frames = {name: tmp_path / f"{name}.csv" for name in frames}
    assert heldout.compare(frames).task == "regression"


def test_a_regression_of_whole_numbers_has_the_numbers_of_evaluate():
    truth = TRUTHS["int, 57 values"]
    models = {"a": truth + FRACTIONS, "b": truth - 2 * FRACTIONS}
    result = heldout.compare(truth, models)
    for name, output in models.items():
        assert result.estimates[name]["rmse"] == heldout.evaluate(truth, output)["rmse"]
    stated = heldout.compare(truth, models, task="regression")
    assert [str(one) for one in stated.differences] == [str(one) for one in result.differences]


@pytest.mark.parametrize(
    ("truth", "outputs", "task", "role"),
    [
        ([[0, 1, 1]], [[0.2, 0.7, 0.4]], None, "score"),
        ([[0, 1, 1]], [[0.2, 0.7, 0.4]], "regression", "pred"),
        ([[3, 1, 2]], [[0.2, 0.7, 0.4]], None, "pred"),
        ([[3, 1, 2]], [[0.2, 0.7, 0.4]], "binary", "score"),
        ([["a", "b", "c"]], [[0.2, 0.7, 0.4]], None, "score"),
        ([[0, 1, 1]], [[0.0, 1.0, 0.0]], None, "pred"),  # decisions, whatever their type
        ([[0, 1, 1]], [[3.0, 7.0, 4.0]], None, "score"),  # floats that are no labels
        ([[0, 1, 1]], [[3, 7, 4]], None, "pred"),
        ([["no", "yes"]], [[3.0, 7.0]], None, "score"),
        ([[0, 1, None]], [[0.2, 0.7, 0.4]], None, "score"),  # a missing truth is no third value
        ([["0", "1", ""]], [["0.2", "0.7", "0.4"]], None, "score"),
        ([[3, 1, 2]], [[0.2, 0.7, 0.4], [0.8, 0.3, 0.6]], None, "score"),  # a probability per class
        ([[0.5, 1.5, 2]], [[0.2, 0.7, 0.4]], None, "pred"),
        ([[0, 1], [1, 1]], [[0.2, 0.7], [0.4, 0.9]], None, "score"),
        ([[0, 1], [1, 1]], [[0, 1], [1, 1]], None, "pred"),
        ([[0, 5], [1, 1]], [[0.2, 0.7], [0.4, 0.9]], None, "pred"),
        ([["a", "b"]], [["a", "b"]], None, "pred"),
        ([[0.5, 1.5, 1.5]], [[0.5, 1.5, 0.5]], "binary", "pred"),  # labels that happen to have fractions
        ([[0.5, 1.5, 1.5]], [[0.2, 0.7, 0.4]], "binary", "score"),
    ],
)
def test_outputs_are_predictions_or_scores(truth, outputs, task, role):
    columns = [[column(f"{name}{at}", values) for at, values in enumerate(side)] for name, side in
               (("y", truth), ("m", outputs))]  # fmt: skip
    assert output_role(*columns, task) == role


def refusal(call, *arguments, **options):
    with pytest.raises(HeldoutError) as refused:
        call(*arguments, **options)
    return refused.value.fix


def test_a_message_about_a_task_that_was_guessed_says_how_to_state_it(tmp_path):
    python = "task='regression'"
    file = tmp_path / "rows.csv"
    pd.DataFrame({"y": [0, 1, 1, 0], "yhat": [0.2, 0.9, 0.8, 0.3]}).to_csv(file, index=False)
    assert refusal(heldout.evaluate, [0, 1, 1, 0], [0.2, 0.9, 0.8, 0.3]).endswith(
        f"or {python} if these are numbers to predict"
    )
    assert refusal(heldout.evaluate, pd.read_csv(file)).endswith(f"or {python} if these are numbers to predict")
    assert refusal(heldout.evaluate, file).endswith(f"or --task regression ({python}) if these are numbers to predict")
    assert python in refusal(heldout.evaluate, [1, 2, 3], y_score=[0.1, 0.2, 0.3])
    assert python in refusal(heldout.evaluate, np.arange(10_001), np.zeros(10_001, int), task="multiclass")
    assert "task='binary'" in refusal(heldout.evaluate, [0.5, 1.5, 2.5], [0.5, 1.5, 2], pos_label=1)
    assert "task='binary'" in refusal(heldout.evaluate, [0.5, 1.5], y_score=[0.5, 1.5])
    different = {"a": ([0, 1] * 9, [0, 1] * 9), "b": ([0, 1, 2] * 6, [0.5, 1.5, 2.5] * 6)}
    assert "--task binary (task='binary')" in refusal(heldout.compare, different, paired=False)
