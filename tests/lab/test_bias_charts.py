"""Figures of what simulations measure: the numbers are those of the results."""

from __future__ import annotations

import numpy as np

from heldout import lab
from heldout.lab.bias_charts import ceiling_figure, estimation_bias_figure, selection_bias_figure, threshold_bias_figure

FEW = {"repeats": 20, "random_state": 1}


def test_estimates_stand_beside_the_truth_that_they_are_for():
    d = lab.estimation_bias("linear", n=40, folds=(5,), **FEW).to_dict()
    figure = estimation_bias_figure(d)
    assert [one.value for one in figure.rates] == [one["mean"]["value"] for one in d["estimators"]]
    assert [one.wanted for one in figure.rates] == [one["truth"]["value"] for one in d["estimators"]]


def test_the_choice_of_folds_is_drawn_where_there_are_folds():
    assert list(lab.estimation_bias("linear", n=40, **FEW).plot()) == ["estimates"]
    found = lab.estimation_bias("linear", n=40, folds=(5, 2), **FEW)
    assert found.plot.figure("fold_choice").folds.tolist() == [2, 5]


def test_biases_and_costs():
    biases = selection_bias_figure(lab.selection_bias(40, 10, n_resamples=100, **FEW).to_dict())
    assert {one.wanted for one in biases.rates} == {0.0}
    costs = threshold_bias_figure(lab.threshold_bias(60, **FEW).to_dict())
    assert len({one.wanted for one in costs.rates}) == 1


def test_bounds_have_confidence_intervals():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(90, 2))
    d = lab.ceiling(X, (X[:, 0] > 0).astype(int)).to_dict()
    figure = ceiling_figure(d)
    assert (figure.rates[0].low, figure.rates[0].high) == (d["upper"]["low"], d["upper"]["high"])
    assert figure.caption == "Lines: 95% confidence intervals."
