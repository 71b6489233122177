"""Learning curves, the values of folds, and the parts of a loss."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.charts.learner_figures import FoldChoice, FoldValues, LearningCurve


def test_a_learning_curve_without_training_values():
    line = {"value": [0.6, 0.8], "low": [0.5, 0.7], "high": [0.7, 0.9]}
    figure = LearningCurve(metric="accuracy", sizes=np.array([10, 100]), learners={"a": line, "b": line})
    frame = figure.data
    assert frame["rows"].tolist() == [10, 100, 10, 100]
    assert frame["training"].isna().all()
    assert figure.caption == "Band: 95% interval at each size alone. Higher is better."


def test_bias_and_spread_by_the_number_of_folds():
    figure = FoldChoice(
        metric="error_rate",
        folds=np.array([2, 50]),
        rows=50,
        bias=np.array([0.03, 0]),
        variance=np.array([16e-4, 1e-4]),
    )
    assert figure.parts["folds"]["error"].tolist() == pytest.approx([0.05, 0.01])
    assert figure.names == ["2", "one out"]
    assert figure.alt == (
        "error_rate by the number of folds. K = 2: bias +0.03, standard deviation 0.04; "
        "K = one out: bias +0, standard deviation 0.01."
    )


def test_fold_values_by_repetition():
    values = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    mean = {"value": 0.35, "low": 0.2, "high": 0.5}
    figure = FoldValues(metric="recall", learners={"a": values}, means={"a": mean}, method="corrected t")
    folds = figure.to_frame("folds")
    assert folds["repetition"].tolist() == [0, 0, 0, 1, 1, 1]
    assert folds["fold"].tolist() == [0, 1, 2, 0, 1, 2]
    assert folds["value"].tolist() == values.ravel().tolist()
    assert figure.caption == (
        "Dots: folds. They share training rows, so their spread is not the uncertainty of the mean. "
        "Line: 95% interval of the mean (corrected t)."
    )


def test_the_parts_of_a_loss_add_up(figures):
    frame = figures["bias_variance"].data.set_index("part")
    assert frame.loc[["noise", "bias²", "variance"], "value"].sum() == pytest.approx(
        frame.loc["expected loss", "value"]
    )
