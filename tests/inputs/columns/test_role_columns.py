"""Columns found by name, and columns named."""

from __future__ import annotations

import pytest

from heldout.inputs import read
from heldout.inputs.columns.column_names import class_columns, find_column
from heldout.inputs.columns.role_columns import role_columns, several_truths
from heldout.inputs.formats.files import Table

TWO = ["no", "yes"]


def header(*names):
    """A table of which only the names of the columns are known."""
    return Table(place="t", names=names, raw=(None,) * len(names))


def named(columns):
    return tuple(column.name for column in columns)


NAMINGS = {
    "scikit-learn": ({"y_true": TWO, "y_pred": TWO, "y_score": [0.2, 0.7]}, "y_true", "y_pred", "y_score"),
    "words": ({"truth": TWO, "prediction": TWO, "score": [0.2, 0.7]}, "truth", "prediction", "score"),
    "short": ({"y": TWO, "yhat": TWO, "p": [0.2, 0.7]}, "y", "yhat", "p"),
    "label and prob": ({"label": TWO, "pred": TWO, "prob": [0.2, 0.7]}, "label", "pred", "prob"),
    "target and proba": ({"target": TWO, "preds": TWO, "y_proba": [0.2, 0.7]}, "target", "preds", "y_proba"),
    "hugging face": (
        {"references": TWO, "predictions": TWO, "y_prob": [0.2, 0.7]},
        "references",
        "predictions",
        "y_prob",
    ),
}


@pytest.mark.parametrize("naming", NAMINGS)
def test_common_namings(naming):
    table, truth, pred, score = NAMINGS[naming]
    assert read(table).columns == {"truth": truth, "pred": pred, "score": score}


def test_the_first_name_wins_and_an_exact_one_before_it():
    assert find_column(["y", "label", "y_true"], ["y_true", "label", "y"], "t") == 2
    assert find_column(["Label", "y"], ["label", "y"], "t") == 1
    assert find_column(["Label", "x"], ["label", "y"], "t") == 0
    assert find_column(["y", "x"], ["y"], "t", taken=[0]) is None


def test_names_given_win_over_names_found():
    table = {"y": TWO, "outcome": ["yes", "no"], "yhat": TWO, "guess": ["yes", "yes"]}
    reading = read(table, truth="outcome", pred="guess")
    assert reading.columns == {"truth": "outcome", "pred": "guess"}
    assert reading.batch.truth.tolist() == [1, 0]


def test_a_score_that_was_named_is_not_also_the_prediction():
    assert read({"label": TWO, "prediction": [0.2, 0.7]}, score="prediction").columns == {
        "truth": "label",
        "score": "prediction",
    }


def test_a_prediction_that_was_named_is_not_also_the_score():
    reading = read({"y": [0, 1, 1], "y_score": [0, 1, 0]}, pred="y_score")
    assert reading.columns == {"truth": "y", "pred": "y_score"}
    assert reading.batch.score is None


@pytest.mark.parametrize(
    ("names", "prefix"),
    [
        (["prob_a", "prob_b"], "prob_<label>"),
        (["p_a", "p_b"], "p_<label>"),
        (["p[a]", "p[b]"], "p[<label>]"),
        (["proba_a", "proba_b"], "proba_<label>"),
        (["P_a", "P_b"], "p_<label>"),
    ],
)
def test_probabilities_by_class(names, prefix):
    assert class_columns(["y", *names], None, "t") == (prefix, {"a": 1, "b": 2})


def test_a_prefix_that_was_given():
    table = {"y": ["a", "b", "c"], "q_a": [1, 0, 0], "q_b": [0, 1, 0], "q_c": [0, 0, 1], "score": [1, 2, 3]}
    reading = read(table, prob_prefix="q_")
    assert reading.columns == {"truth": "y", "prob": "q_<label>"}
    assert reading.batch.score.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_a_prediction_called_after_its_truth():
    assert named(role_columns(header("price", "pred_price"), truth="price").prediction) == ("pred_price",)


@pytest.mark.parametrize(
    ("names", "truth", "prediction"),
    [
        (["y1", "y2", "yhat1", "yhat2"], (0, 1), (2, 3)),
        (["y_1", "y_2", "y_pred_2", "y_pred_1"], (0, 1), (3, 2)),
        (["y1", "y2", "pred_1", "pred_2"], (0, 1), (2, 3)),
        (["Weight", "Waist", "pred_Weight", "pred_Waist"], (0, 1), (2, 3)),
        (["y_cat", "y_dog", "yhat_cat", "yhat_dog"], (0, 1), (2, 3)),
    ],
)
def test_several_truths(names, truth, prediction):
    known = role_columns(header(*names))
    assert named(known.truth) == tuple(names[at] for at in truth)
    assert named(known.prediction) == tuple(names[at] for at in prediction)
    assert several_truths(names, "t") == truth
    assert known.weight is None


def test_several_labels_with_probabilities():
    known = role_columns(header("y_cat", "y_dog", "p_cat", "p_dog", "weight", "group", "id"))
    assert {label: column.name for label, column in known.classes.items()} == {"cat": "p_cat", "dog": "p_dog"}
    assert named((known.weight, known.group, known.id)) == ("weight", "group", "id")
    assert known.targets == ("cat", "dog")
    brackets = role_columns(header("y_cat", "y_dog", "p[cat]", "p[dog]"))
    assert {label: column.name for label, column in brackets.classes.items()} == {"cat": "p[cat]", "dog": "p[dog]"}


def test_roles_beside():
    reading = read(
        {"y": TWO, "yhat": TWO, "group": ["g", "g"], "sample_weight": ["1", "2.5"], "id": [5, 6], "site": ["b", "a"]},
        segments=["site"],
    )
    batch = reading.batch
    assert batch.unit.tolist() == [0, 0]
    assert batch.weight.tolist() == [1, 2.5]
    assert reading.ids.tolist() == [5, 6]
    assert batch.segments["site"].names == ("a", "b")
    assert batch.segments["site"].codes.tolist() == [1, 0]
    assert reading.columns == {
        "truth": "y",
        "pred": "yhat",
        "group": "group",
        "weight": "sample_weight",
        "id": "id",
        "segment": "site",
    }


def test_ids_may_repeat_where_they_are_the_group():
    reading = read({"y": TWO, "yhat": TWO, "id": ["u", "u"]}, group="id")
    assert reading.batch.units == 1
    assert reading.ids.tolist() == ["u", "u"]
