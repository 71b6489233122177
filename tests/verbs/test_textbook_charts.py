"""Charts of tests and plans: where they reject, and with which power."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2, norm

from heldout import plan, test as textbook
from heldout.verbs.textbook_charts import textbook_charts


def area(figure, heights, where):
    return float(np.sum(np.asarray(heights)[where]) * (figure.x[1] - figure.x[0]))


def test_chi_square_rejects_its_upper_tail():
    figure = textbook_charts(textbook.chi_square([10, 15, 8, 20])).figure("critical_region")
    assert figure.x[figure.rejected].min() == pytest.approx(chi2.isf(0.05, 3), abs=0.06)
    assert area(figure, figure.null, figure.rejected) == pytest.approx(0.05, abs=0.003)


@pytest.mark.parametrize(("sigma1", "upper"), [(2, True), (0.5, False)])
def test_the_likelihood_ratio_rejects_on_the_side_of_the_alternative(sigma1, upper):
    found = textbook.likelihood_ratio([0.3, -1.2, 2.2, 0.8, -1.9, 0.1, 2.7, -0.4], 1, sigma1)
    figure = found.plot.figure("critical_region")
    assert bool(figure.rejected[-1]) is upper
    assert area(figure, figure.alternative, figure.rejected) == pytest.approx(found.found.power, abs=0.02)


def test_z_rejects_both_tails():
    figure = textbook.proportions(45, 100, 60, 100).plot.figure("critical_region")
    assert np.abs(figure.x[~figure.rejected]).max() == pytest.approx(norm.isf(0.025), abs=0.03)


def test_the_power_of_the_binomial_test_is_that_of_the_result():
    found = textbook.binomial(15, 20, against=0.8)
    line = found.plot.figure("power").lines["power"]
    assert line.y[np.abs(line.x - 0.8).argmin()] == pytest.approx(found.found.power)
    assert line.y[100] <= 0.05


def test_a_plan_has_its_power_at_its_rows():
    found = plan.difference("accuracy", 0.85, gain=0.02, disagree=0.08)
    figure = found.plot.figure("power")
    for design in found.designs:
        line = figure.lines[design.name]
        assert np.interp(np.log(design.rows), np.log(line.x), line.y) == pytest.approx(0.8, abs=0.02)
    region = found.plot.figure("critical_region")
    assert area(region, region.alternative, region.rejected) == pytest.approx(found.power, abs=0.01)


def test_a_plan_of_one_interval_has_no_power():
    assert list(plan.interval("accuracy", 0.9, half_width=0.02).plot()) == []
    assert list(plan.looks(3).plot()) == ["power"]
