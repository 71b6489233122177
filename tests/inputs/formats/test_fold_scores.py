from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from heldout.errors import DataError, HeldoutError, UsageError
from heldout.inputs.formats.fold_scores import read_fold_scores

A, B = [0.81, 0.84, 0.79], [0.83, 0.86, 0.80]
BOTH = np.column_stack([A, B])


@pytest.fixture
def file(tmp_path):
    def write(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


def long_form(order=(0, 1, 2), learners="ab"):
    lines = [
        {"learner": name, "fold": fold, "accuracy": scores[fold]}
        for name, scores in zip(learners, (A, B), strict=True)
        for fold in order
    ]
    return pd.DataFrame(lines)


@pytest.mark.parametrize("text", ["0.81\n0.84\n0.79\n", "0.81\n0.84\n0.79", "accuracy\n0.81\n0.84\n0.79\n"])
def test_one_number_per_line(file, text):
    found = read_fold_scores(file("a.txt", text), np.array(B), learners=("tree", "forest"))
    assert found.learners == ("tree", "forest")
    np.testing.assert_array_equal(found.scores, BOTH)
    assert (found.by, found.repeats, found.folds, found.n_train) == ("position", 0, 0, None)
    assert found.metric == ("accuracy" if text.startswith("acc") else "")


def test_a_table_with_a_column_per_learner():
    found = read_fold_scores({"fold": [1, 2, 3], "tree": A, "forest": B, "n_train": [80] * 3, "n_test": [20, 20, 23]})
    assert found.learners == ("tree", "forest")
    np.testing.assert_array_equal(found.scores, BOTH)
    assert (found.by, found.repeats, found.folds) == ("name", 1, 3)
    assert (found.n_train, found.n_test) == (80, 21)


def test_two_columns_without_a_head(file):
    found = read_fold_scores(file("both.csv", "0.81,0.83\n0.84,0.86\n0.79,0.80\n"))
    assert found.learners == ("column 1", "column 2")
    np.testing.assert_array_equal(found.scores, BOTH)


def test_a_line_per_learner_and_fold():
    found = read_fold_scores(long_form())
    assert (found.learners, found.metric, found.by) == (("a", "b"), "accuracy", "name")
    np.testing.assert_array_equal(found.scores, BOTH)


def test_folds_are_matched_by_name_whatever_their_order(file):
    frame = long_form()
    one, two = frame[frame.learner == "a"], frame[frame.learner == "b"].iloc[::-1]
    found = read_fold_scores(one.drop(columns="learner"), two.drop(columns="learner"))
    np.testing.assert_array_equal(found.scores, BOTH)
    assert found.by == "name"


def test_repeats_stand_together():
    frame = pd.DataFrame(
        {"fold": [0, 0, 1, 1], "repeat": [1, 0, 1, 0], "a": [0.10, 0.00, 0.11, 0.01], "b": [0.5, 0.4, 0.51, 0.41]}
    )
    found = read_fold_scores(frame)
    assert found.scores[:, 0].tolist() == [0.00, 0.01, 0.10, 0.11]
    assert found.scores[:, 1].tolist() == [0.4, 0.41, 0.5, 0.51]
    assert (found.repeats, found.folds) == (2, 2)


@pytest.mark.parametrize(
    "content",
    [
        {"a": A, "b": B},
        [{"a": one, "b": two} for one, two in zip(A, B, strict=True)],
        {"fit_time": [1.0, 2.0, 3.0], "a": A, "b": B, "train_b": B},
    ],
)
def test_json(file, content):
    found = read_fold_scores(file("scores.json", json.dumps(content)))
    assert found.learners == ("a", "b")
    np.testing.assert_array_equal(found.scores, BOTH)


def test_json_lists_and_what_cross_validate_gives(file):
    plain = read_fold_scores(file("a.json", json.dumps(A)), file("b.json", json.dumps(B)))
    np.testing.assert_array_equal(plain.scores, BOTH)
    found = read_fold_scores(
        file("a.json", json.dumps({"test_accuracy": A})),
        file("b.json", json.dumps({"fit_time": [1, 1, 1], "test_accuracy": B, "test_f1": A})),
        metric="accuracy",
    )
    np.testing.assert_array_equal(found.scores, BOTH)
    assert len(found.sources) == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            (A, B[:2]),
            (
                "[H101] a has 3 scores and b has 2 scores, so they are not of the same splits\n"
                "  Fix: score both learners on the same splits, in the same order"
            ),
        ),
        (
            ([A, B], B),
            "[H112] the scores have 2 dimensions, not one\n  Fix: give one score per split",
        ),
        (
            ([0.8, float("nan"), 0.7], B),
            (
                "[H305] the score of 'a' is missing or infinite in row 2\n"
                "  Fix: score the learner on that split too, or leave the split out for both and say so"
            ),
        ),
        (
            ({"fold": [1, 2, 3], "a": A},),
            (
                "[H106] the dict has 1 column of scores, and a comparison takes two learners\n"
                "  Fix: give one score per line, or a column per learner, or columns learner, fold and score; "
                "or give a file for each learner"
            ),
        ),
        (
            ({"fold": [1, 2, 3], "accuracy": A, "f1": B}, {"fold": [1, 2, 3], "accuracy": A}),
            (
                "[H106] the dict has 2 columns of scores (accuracy, f1)\n"
                "  Fix: name the one that counts with metric=, or give one score per line"
            ),
        ),
        (
            ({"learner": ["a", "b"], "fold": [1, 1], "accuracy": [0.8, 0.9], "f1": [0.8, 0.9]},),
            ("[H106] the dict has 2 columns of scores (accuracy, f1)\n  Fix: name the one that counts with metric="),
        ),
        (
            ({"learner": ["a", "b", "c"], "fold": [1, 1, 1], "accuracy": A},),
            (
                "[H106] the dict has 3 learners ('a', 'b', 'c'), and two are compared\n"
                "  Fix: leave out the others; for many learners use heldout validate"
            ),
        ),
        (
            ({"fold": [1, 1, 2], "a": A, "b": B},),
            (
                "[H101] the dict: a has 2 scores of fold 1\n"
                "  Fix: number repeats and folds so that every split has a name of its own"
            ),
        ),
        (
            ({"fold": ["1", "", "2"], "a": A, "b": B},),
            "[H305] the dict: 'fold' is missing in row 2\n  Fix: number every split",
        ),
        (
            ({"learner": ["a", "a", "b"], "fold": [1, 2, 1], "accuracy": A},),
            (
                "[H101] the dict: b has no score of fold 2, which a has\n"
                "  Fix: score both learners on the same splits, or leave the split out for both and say so"
            ),
        ),
        (
            ({"a": A, "b": B, "n_train": [80, -1, 80]},),
            (
                "[H112] the dict: n_train is -1 in row 2, but every split has rows on both sides\n"
                "  Fix: give the number of rows, or leave the column out and pass --n-train"
            ),
        ),
        (
            ({"a": ["0.8", "high", "0.9"], "b": B},),
            (
                "[H108] the dict: a is 'high' in row 2, which is not a number\n"
                "  Fix: write a in plain decimal notation, such as 0.25 or 1e-3"
            ),
        ),
    ],
)
def test_what_is_refused(given, said):
    with pytest.raises(HeldoutError) as caught:
        read_fold_scores(*given)
    assert str(caught.value) == said


def test_a_metric_that_is_not_there():
    with pytest.raises(DataError) as caught:
        read_fold_scores({"fold": [1, 2, 3], "accuracy": A}, {"fold": [1, 2, 3], "accuracy": B}, metric="acuracy")
    assert str(caught.value) == (
        "[H106] the dict has no column 'acuracy'; did you mean 'accuracy'?\n  Fix: the columns are fold, accuracy"
    )


def test_json_that_holds_no_scores(file):
    with pytest.raises(DataError) as caught:
        read_fold_scores(file("x.json", '{"a": [1, 2], "b": 3}'))
    assert str(caught.value) == (
        "[H100] x.json holds no list of scores in 'b'\n"
        '  Fix: write [0.91, 0.88, …] or {"a": [0.91, …], "b": [0.89, …]}'
    )


def test_learners_of_one_table_by_name():
    found = read_fold_scores(long_form(), learners=("b", "a"))
    assert found.learners == ("b", "a")
    np.testing.assert_array_equal(found.scores, BOTH[:, ::-1])
    with pytest.raises(DataError, match=r"^\[H106\] the frame has no learner 'c'\n  Fix: it has a and b$"):
        read_fold_scores(long_form(), learners=("a", "c"))


def test_a_file_that_is_not_there(tmp_path):
    for name in ("a.json", "a.txt"):
        with pytest.raises(DataError, match=r"^\[H100\] there is no file"):
            read_fold_scores(tmp_path / name, A)


def test_an_object_that_is_no_table():
    with pytest.raises(UsageError, match="neither a path nor a frame"):
        read_fold_scores(object(), A)
