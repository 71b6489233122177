"""Tables of probabilities: sums, conditionals, and the class that the Bayes classifier predicts."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.charts.probability_table import MOST, probability_table


def facts(points):
    return {
        "attributes": ["size"],
        "classes": ["no", "yes"],
        "class_marginal": [0.5, 0.5],
        "points": [
            {
                "x": [at], "p": 1 / points, "joint": [0.5 / points, 0.5 / points], "class_given_x": [0.5, None],
                "x_given_class": [1 / points, 1 / points], "bayes": "yes" if at % 2 else None,
            }
            for at in range(points)
        ],
    }  # fmt: skip


def test_a_joint_table_has_its_sums():
    figure = probability_table(facts(4), "joint")
    assert (figure.points[-1], figure.classes[-1]) == ("p(c)", "p(x)")
    assert figure.p[-1].tolist() == [0.5, 0.5, 1.0]
    assert figure.p[:-1, :-1].sum() == pytest.approx(1)


def test_the_axis_of_points_names_the_attributes():
    assert probability_table(facts(2), "joint").point == "x = size"
    assert probability_table({**facts(2), "attributes": ["sky", "wind"]}, "joint").point == "x = (sky, wind)"
    assert probability_table({**facts(2), "attributes": ["x"]}, "joint").point == "x"


def test_the_bayes_class_is_marked_where_there_is_one():
    figure = probability_table(facts(2), "class_given_x")
    assert figure.parts["cells"]["marked"] == [False, False, False, True]
    assert np.isnan(figure.p[0, 1])


def test_of_many_points_the_most_likely_are_shown():
    figure = probability_table(facts(50), "x_given_class")
    assert (len(figure.points), figure.left_out) == (MOST, 20)
    assert figure.caption.endswith("20 less likely points are left out.")
