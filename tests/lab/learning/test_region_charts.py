"""Pictures of simulations to learn from."""

from __future__ import annotations

import numpy as np
import pytest

from heldout import lab
from heldout.lab.learning.region_charts import class_picture, function_picture


def test_a_rule_on_one_feature_has_thresholds():
    figure = class_picture(lab.gaussian(dimensions=1), {"mine": lambda X: (X[:, 0] > 0.5).astype(int)})
    assert figure.thresholds["mine"] == (pytest.approx(0.5, abs=0.02),)
    assert "mine changes its prediction" in figure.caption


def test_more_features_are_a_slice():
    figure = class_picture(lab.gaussian(dimensions=4))
    assert figure.caption.count("All other features are 0.") == 1


def test_a_rule_that_never_changes_has_no_border():
    figure = class_picture(lab.gaussian(), {"always 0": lambda X: np.zeros(len(X), int)})
    assert len(figure.borders["always 0"]) == 0


def test_a_function_has_the_noise_as_its_band():
    line = function_picture(lab.Function(shape="slope", noise=0.2)).lines["f(x)"]
    assert line.y[-1] == 1.0
    assert (line.error == 0.2).all()
