"""The spread of scores by class."""

from __future__ import annotations

import numpy as np

import heldout
from heldout.charts.score_distribution import score_spread


def test_scores_by_class(binary, evaluation):
    truth, score, *_ = binary
    figure = score_spread(evaluation.batch, 0.5)
    for label in (0, 1):
        counts = np.histogram(score[truth == label], bins=40, range=(0, 1))[0]
        np.testing.assert_allclose(figure.shares[str(label)], counts / counts.sum())
    assert figure.caption.endswith("Line: the threshold 0.5.")


def test_scores_that_are_no_probabilities_span_their_range():
    result = heldout.evaluate([0, 1, 0, 1], y_score=[-3.0, 2.0, 0.0, 5.0])
    figure = result.plot.figure("scores")
    assert (figure.edges[0], figure.edges[-1]) == (-3.0, 5.0)
    assert "calibration" not in result.plot()
