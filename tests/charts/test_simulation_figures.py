"""Lines, rates and verdicts of simulations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from heldout.charts.simulation_figures import Line, Rate, RateForest, SimulatedLines, Verdicts, rate


def test_bands_are_as_wide_as_errors():
    line = Line(x=np.array([1.0, 2.0]), y=np.array([0.5, 0.6]), error=np.array([0.1, 0.2]))
    figure = SimulatedLines(
        view="errors",
        heading="Errors",
        x="rows",
        y="error",
        lines={"true": line},
        reading="Bands.",
        level={"best": 0.3},
    )
    assert figure.parts["lines"]["low"] == pytest.approx([0.4, 0.4])
    assert figure.parts["lines"]["high"] == pytest.approx([0.6, 0.8])
    assert figure.caption == "Bands. Dashed, best: 0.3."
    assert figure.alt == "Errors. true goes from 0.5 at 1 to 0.6 at 2."


def test_a_rate_has_two_errors_to_either_side():
    found = rate("wilson", 0.9, 0.01, 0.95)
    assert (found.low, found.high, found.wanted) == (pytest.approx(0.88), pytest.approx(0.92), 0.95)
    assert rate("wilson", None, None) is None


def test_a_share_is_not_below_zero_whatever_its_error(figures):
    figure = figures["rates, coverage"]
    assert all(0 <= one.low <= one.value <= one.high <= 1 for one in figure.rates)


def test_verdicts_add_up_to_one(figures):
    figure = figures["verdicts, two learners"]
    assert isinstance(figure, Verdicts)
    assert [sum(shares) for shares in figure.shares.values()] == pytest.approx([1, 1])


def test_marks_are_spoken_of_only_where_there_are_any():
    """Once the chart of a power spoke of marks at alpha that it does not have."""
    one = Rate(name="mcnemar", value=0.6, low=0.6, high=0.6)
    told = {"view": "rates", "heading": "Simulated rejections", "x": "rejection rate", "wanted": "alpha"}
    assert "Upright marks" not in RateForest(rates=[one], **told).caption
    assert "Upright marks: alpha." in RateForest(rates=[replace(one, wanted=0.05)], **told).caption
