"""Figures of hypotheses: what a version space says at each point, and errors of hypotheses."""

from __future__ import annotations

from heldout.charts.concept_figures import HypothesisErrors, InstanceSpace


def test_points_rows_and_rectangles(figures):
    figure = figures["instance_space, version space"]
    assert isinstance(figure, InstanceSpace)
    points = figure.parts["points"]
    assert len(points["says"]) == 20  # five values of x, four of y
    said = dict(zip(zip(points["x"], points["y"], strict=True), points["says"], strict=True))
    assert (said["2", "2"], said["1", "1"], said["4", "2"]) == ("yes", "no", "undecided")
    assert list(figure.boxes) == ["most specific", "most general", "the concept"]
    assert figure.boxes["most specific"] == [(1, 2, 1, 2)]
    assert "4 are decided as yes" in figure.alt


def test_every_hypothesis_is_counted_once(figures):
    figure = figures["overfitting, overfitting"]
    assert isinstance(figure, HypothesisErrors)
    assert figure.count.sum() == 4
    assert set(figure.parts) == {"hypotheses", "pair"}
