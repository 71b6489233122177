"""Which task the columns pose, by the rule that `family` documents."""

from __future__ import annotations

import pytest

from heldout.inputs import from_arrays, read

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
