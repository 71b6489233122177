"""Binary and multiclass batches: the positive class, scores, probabilities, thresholds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from heldout.inputs import from_arrays, positive_of, read
from heldout.inputs.columns.score_checks import area

POSITIVE = {
    "0 and 1": ([0, 1], 1),
    "-1 and 1": ([-1, 1], 1),
    "true": ([False, True], True),
    "yes": (["Yes", "no"], "Yes"),
    "pos": (["neg", "POS"], "POS"),
    "positive, though it sorts first": (["Positive", "negative"], "Positive"),
    "the second": (["a", "b"], "b"),
    "two that say yes": (["p", "y"], "y"),
    "1 and 2": ([1, 2], 1),
    "2 and 3": ([2, 3], 3),
    "only 0": ([0, 0], 1),
    "only 1": ([1, 1], 1),
    "only no": (["no", "no"], "not no"),
    "only yes": (["yes", "yes"], "yes"),
    "only cat": (["cat", "cat"], "cat"),
    "only False": ([False, False], True),
}


@pytest.mark.parametrize("name", POSITIVE)
def test_the_positive_class(name):
    truth, positive = POSITIVE[name]
    batch = from_arrays(truth, truth).batch
    assert len(batch.labels) == 2
    assert batch.labels[batch.positive] == positive
    assert [batch.labels[code] for code in batch.truth] == truth


def test_the_positive_class_that_was_given():
    assert from_arrays([0, 1], [0, 1], pos_label="0").batch.positive == 0
    assert from_arrays(["a", "b"], ["a", "b"], pos_label="a").batch.positive == 0
    only = from_arrays(["no", "no"], ["no", "no"], pos_label="yes").batch
    assert (only.labels, only.positive) == (("no", "yes"), 1)
    assert from_arrays([0, 0], [0, 0], pos_label="1").batch.labels == (0, 1)
    assert positive_of(("yes", "no")) == 0


def test_a_tie_with_the_threshold_is_positive():
    reading = from_arrays([0, 1, 1], y_score=[0.5, 0.49, 0.51])
    assert reading.threshold == 0.5
    assert reading.batch.prediction.tolist() == [1, 0, 1]


def test_a_threshold_that_was_given():
    reading = read({"y": ["no", "yes"], "p": [0.3, 0.2], "yhat": ["yes", "yes"]}, threshold=0.3)
    assert reading.threshold == 0.3
    assert reading.batch.prediction.tolist() == [1, 0]
    assert "pred" not in reading.columns


def test_predictions_given_need_no_threshold():
    reading = from_arrays([0, 1], [1, 1], y_score=[0.2, 0.7])
    assert reading.threshold is None
    assert reading.batch.prediction.tolist() == [1, 1]


def test_scores_beyond_one_are_only_scores():
    batch = from_arrays([0, 1], y_score=[-3, 4.5]).batch
    assert not batch.probabilities
    assert batch.prediction is None


def test_rounding_beyond_one_is_clipped():
    batch = from_arrays([0, 1, 1], y_proba=[-1e-12, 1.0000000000000002, 0.3]).batch
    assert batch.score.tolist() == [0, 1, 0.3]
    assert batch.probabilities


def test_logits():
    assert from_arrays([0, 1], y_proba=[0, 2], link="logit").batch.score.tolist() == [
        0.5,
        pytest.approx(1 / (1 + np.exp(-2))),
    ]
    many = from_arrays([0, 1, 2], y_score=np.zeros((3, 3)), link="logit").batch
    assert np.allclose(many.score, 1 / 3)
    assert many.probabilities


def test_decisions_of_a_constant_or_of_two_rows_are_scores():
    assert from_arrays([0, 1, 1], y_score=[1, 1, 1]).batch.score.tolist() == [1, 1, 1]
    assert from_arrays([0, 1], y_score=[0, 1]).batch.probabilities


def test_two_columns_of_probabilities():
    table = {"y": ["bad", "good"], "p[bad]": [0.8, 0.3], "p[good]": [0.2, 0.7]}
    assert read(table, positive="bad").batch.score.tolist() == [0.8, 0.3]
    assert read(table, positive="good").batch.score.tolist() == [0.2, 0.7]
    assert from_arrays([0, 1], y_proba=[[0.8, 0.2], [0.3, 0.7]]).batch.score.tolist() == [0.2, 0.7]
    assert from_arrays([0, 1], y_proba=[[0.8, 0.2], [0.3, 0.7]], pos_label=0).batch.score.tolist() == [0.8, 0.3]


def test_one_column_that_names_its_class():
    table = {"y": ["a", "b"], "p_a": [0.25, 0.75]}
    assert read(table).batch.positive == 0
    other = read(table, positive="b").batch
    assert other.score.tolist() == [0.75, 0.25]
    assert other.prediction.tolist() == [1, 0]


def test_classes_in_the_order_of_the_labels():
    table = {"y": ["b", "a", "c"], "p_c": [0.1, 0.2, 0.7], "p_a": [0.2, 0.5, 0.1], "p_b": [0.7, 0.3, 0.2]}
    batch = read(table).batch
    assert batch.labels == ("a", "b", "c")
    assert batch.score.tolist() == [[0.2, 0.7, 0.1], [0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]
    assert batch.prediction.tolist() == [1, 0, 2]
    assert batch.positive is None


def test_a_tie_between_classes_goes_to_the_first():
    assert from_arrays([0, 1, 2], y_proba=[[0.4, 0.4, 0.2]] * 3).batch.prediction.tolist() == [0, 0, 0]


def test_whole_labels_name_their_columns():
    table = {"y": [0, 1, 2], **{f"p[{k}]": [float(k == row) for row in range(3)] for k in range(3)}}
    assert read(table).batch.labels == (0, 1, 2)


def test_rounding_of_a_sum_is_taken_away():
    batch = from_arrays([0, 1, 2], y_proba=[[0.7, 0.2, 0.1000001], [0.2, 0.5, 0.3], [0, 0, 1]]).batch
    assert np.allclose(batch.score.sum(axis=1), 1, atol=1e-15)


def test_class_scores_that_are_no_probabilities():
    batch = from_arrays([0, 1, 2], y_score=[[3, 1, 0], [1, 2, 0], [0, 1, 5]]).batch
    assert not batch.probabilities
    assert batch.prediction.tolist() == [0, 1, 2]


def test_a_random_score_is_never_called_ambiguous():
    # 30 rows of noise reach an AUC below 0.35 now and then; that is chance, not the wrong class
    rng = np.random.default_rng(0)
    for _ in range(100):
        from_arrays(np.arange(30) % 2, y_score=rng.random(30))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=2, max_size=30))
def test_area_is_the_share_of_pairs(rows):
    truth, score = np.array([t for t, _ in rows]), np.array([float(s) for _, s in rows])
    if truth.all() or not truth.any():
        return
    above = score[truth][:, None] - score[~truth]
    assert area(truth, score) == pytest.approx(((above > 0) + (above == 0) / 2).mean())


def test_a_missing_score_leaves_the_others_in_their_precision():
    scores = pa.array([0.7, None, 0.2], pa.float32())
    reading = read(pa.table({"y": [1, 0, 0], "p": scores}), threshold=0.7, on_nan="drop")
    assert reading.batch.score.dtype == np.float32
    assert reading.batch.prediction.tolist() == [1, 0]  # as 0.7 in double precision the first would lie below


def test_probabilities_of_a_row_do_not_depend_on_the_rows_beside_it():
    rows = {"y": ["a", "b"], "p_a": [0.1, 0.3], "p_b": [0.9 + 5e-13, 0.7 + 5e-7]}
    both = read(rows | {"yhat": ["a", "b"]}).batch.score
    alone = read({name: values[:1] for name, values in rows.items()} | {"yhat": ["b"]}).batch.score
    assert both[0] == alone[0] == 0.9 + 5e-13
    assert both[1] == pytest.approx((0.7 + 5e-7) / (1 + 5e-7), rel=1e-15)
