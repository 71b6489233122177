"""Pictures of Gaussian classes: regions on two features, densities on one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from heldout.charts.class_regions import ClassDensities, ClassRegions


def test_the_border_lies_where_both_classes_are_equally_likely(figures):
    figure = figures["bayes_regions, plane"]
    assert isinstance(figure, ClassRegions)
    border = figure.borders["the Bayes classifier"]
    assert border[:, 0] == pytest.approx(np.ones(len(border)), abs=0.05)
    assert (figure.best[:, figure.x < 0.9] == 0).all()
    assert (figure.best[:, figure.x > 1.1] == 1).all()


def test_the_shaded_area_is_the_bayes_error(figures):
    figure = figures["bayes_regions, line"]
    assert isinstance(figure, ClassDensities)
    area = figure.lost.sum() * (figure.x[1] - figure.x[0])
    assert area == pytest.approx(ndtr(-1), abs=1e-3) == pytest.approx(figure.bayes_error, abs=1e-3)
