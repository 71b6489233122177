"""Rows that are wrong, named by their number from 1, and rows on which two models disagree."""

from __future__ import annotations

import numpy as np

import heldout
from heldout.verbs.evaluate.wrong_rows import MOST, disagreements, worst_rows


def texts(table):
    return [tuple(cell.text for cell in row) for row in table.rows]


def test_the_surest_errors_come_first():
    truth = [0, 1, 0, 1, 1, 0]
    score = [0.9, 0.1, 0.55, 0.8, 0.45, 0.2]
    (table,) = worst_rows(heldout.evaluate(truth, y_score=score, threshold=0.5).batch)
    assert table.title.text == "the most confident errors, of 4 wrong rows"
    assert [cell.text for cell in table.head] == ["row", "truth", "prediction", "score"]
    assert texts(table)[:2] == [("2", "1", "0", "0.100"), ("1", "0", "1", "0.900")]
    assert {row[0] for row in texts(table)} == {"1", "2", "3", "5"}


def test_no_more_than_ten_are_named():
    truth = np.zeros(40, dtype=int)
    truth[0] = 1
    (table,) = worst_rows(heldout.evaluate(truth, 1 - truth).batch)
    assert table.title.text == "the first errors, of 40 wrong rows"
    assert len(table.rows) == MOST


def test_where_nothing_is_wrong_nothing_is_shown():
    assert worst_rows(heldout.evaluate([0, 1] * 4, [0, 1] * 4).batch) == []


def test_of_several_classes_the_probability_of_the_chosen_one_counts():
    chances = np.array([[0.2, 0.7, 0.1], [0.1, 0.0, 0.9], [0.3, 0.3, 0.4], [1.0, 0.0, 0.0]])
    (table,) = worst_rows(heldout.evaluate(["a", "b", "c", "a"], y_proba=chances, labels=["a", "b", "c"]).batch)
    assert texts(table) == [("2", "b", "c", "0.900"), ("1", "a", "b", "0.700")]


def test_of_numbers_the_largest_errors_are_shown_as_truth_less_prediction():
    found = heldout.evaluate([1.5, 2.5, 3.5, 4.25], [1.0, 6.5, 3.5, 4.0], task="regression")
    (table,) = worst_rows(found.batch)
    assert texts(table)[:2] == [("2", "2.5", "6.5", "-4"), ("1", "1.5", "1", "0.5")]


def test_rows_on_which_one_model_is_right_are_what_mcnemar_counts():
    truth = [1, 1, 1, 0, 0, 0]
    found = heldout.compare(truth, {"old": [1, 0, 0, 0, 1, 0], "new": [1, 1, 1, 1, 1, 0]}, primary="accuracy")
    counts, named = disagreements(found.batches, "old")
    assert texts(counts) == [("old right", "2", "1"), ("old wrong", "2", "1")]
    assert "2 vs 1" in found["accuracy"].test
    assert named.title.text == "where one is right: 3 of 3 rows"
    assert texts(named) == [("2", "1", "0", "1"), ("3", "1", "0", "1"), ("4", "0", "0", "1")]


def test_of_numbers_no_row_is_right():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=30)
    found = heldout.compare(truth, {"a": truth + 0.1, "b": truth - rng.random(30)}, primary="mae")
    assert disagreements(found.batches, "a") == []
