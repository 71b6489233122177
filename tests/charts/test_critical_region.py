"""The critical region of a test: alpha and beta are the areas that the picture shades."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from heldout import test as textbook
from heldout.charts.critical_region import CriticalRegion


def test_alpha_and_beta_of_the_binomial_test():
    figure = textbook.binomial(15, 20, against=0.8).plot.figure("critical_region")
    assert isinstance(figure, CriticalRegion)
    rejected = [*range(6), *range(15, 21)]
    assert figure.size == pytest.approx(binom.pmf(rejected, 20, 0.5).sum())
    assert figure.power == pytest.approx(binom.pmf(rejected, 20, 0.8).sum())
    assert figure.x[figure.rejected].tolist() == [at for at in rejected if at >= figure.x[0]]
    assert "beta, strong orange" in figure.caption


def test_one_side_rejects_on_one_side():
    figure = textbook.binomial(15, 20, alternative="greater", alpha=0.05).plot.figure("critical_region")
    assert figure.x[figure.rejected].min() == 15
    assert figure.size == pytest.approx(binom.sf(14, 20, 0.5))


def test_the_normal_approximation_lies_beside_the_bars():
    figure = textbook.binomial(200, 400).plot.figure("critical_region")
    x, density = figure.normal
    at = abs(x - 200).argmin()
    assert density[at] == pytest.approx(figure.null[figure.x == 200][0], rel=0.01)


@pytest.mark.parametrize(("x", "n"), [(0, 10), (10, 10), (1, 1)])
def test_the_ends_are_drawn(x, n):
    figure = textbook.binomial(x, n).plot.figure("critical_region")
    assert x in figure.x
    assert figure.alt.endswith(f"Observed: {x}.")


def test_many_trials_are_drawn_by_some_of_their_counts(tmp_path):
    """Two million trials: the chart has some thousand counts, and the report is small."""
    result = textbook.binomial(15, 2_000_000)
    figure = result.plot.figure("critical_region")
    assert len(figure.x) <= 2001
    assert 15 in figure.x
    power = result.plot.figure("power").lines["power"].y
    assert power[0] == pytest.approx(1.0)
    assert power[100] == pytest.approx(0.05, abs=0.001)
    assert result.report(tmp_path / "r.html").stat().st_size < 3_000_000
