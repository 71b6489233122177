"""The same figures on axes of matplotlib."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

from heldout.errors import UsageError

mpl.use("Agg")
from matplotlib import pyplot as plt


def test_curves_on_matplotlib_axes(comparison):
    _, ax = plt.subplots()
    assert comparison.plot.roc(ax=ax) is ax
    lines = {line.get_label(): line for line in ax.lines}
    points = comparison.plot.figure("roc").curves["good"].points
    np.testing.assert_allclose(lines[comparison.plot.figure("roc").names["good"]].get_ydata(), points["tpr"])
    assert len(ax.collections) == 2
    plt.close("all")


def test_calibration_and_confusion_on_matplotlib_axes(evaluation):
    _, (left, right, third) = plt.subplots(1, 3)
    evaluation.plot.calibration(ax=left)
    evaluation.plot.confusion(ax=right)
    evaluation.plot.precision_recall(ax=third)
    happened = evaluation.plot.figure("calibration").curves["model"].points["happened"]
    np.testing.assert_allclose(left.lines[1].get_ydata(), happened)
    counts = evaluation.plot.figure("confusion").counts
    assert right.texts[0].get_text().startswith(f"{counts[0, 0]:g}\n")
    assert third.get_ylabel() == "precision: share of the predicted positives that are right"
    plt.close("all")


def test_a_chart_that_matplotlib_does_not_get(evaluation):
    with pytest.raises(UsageError) as caught:
        evaluation.plot.metrics(ax=object())
    assert str(caught.value) == (
        "the metrics chart is not drawn with matplotlib\n  Fix: take its numbers, plot.metrics().data, or leave out ax"
    )
