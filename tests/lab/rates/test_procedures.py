"""Bands, subgroups, data sets, thresholds, gates and plans: each is one call of the product, and has an answer."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.lab.rates.procedures import PROCEDURES, Procedural, asked_procedures, band, binormal_law
from heldout.lab.worlds import one_model

QUICK = {asked.metrics[0]: asked for asked in reversed(list(asked_procedures()))}
"""Of each procedure its first setting."""


@pytest.mark.parametrize("name", PROCEDURES)
def test_every_procedure_answers(name):
    asked = QUICK[name]
    yes, answered = Procedural(name, asked.world, asked.n)(np.random.default_rng(1), 3)
    assert 0 <= yes <= answered == 3


def test_the_same_seed_gives_the_same_rate():
    job = Procedural("roc_band", "binormal:auc=0.8,prevalence=0.3", 60)
    first, again = (job(np.random.default_rng(2), 5) for _ in range(2))
    assert first.tolist() == again.tolist()


@pytest.mark.parametrize("name", ["roc", "precision_recall", "gain"])
def test_the_true_curve_is_that_of_many_rows(name):
    """With so many rows, a band is narrow and holds the curve that it is compared with; a wrong one would be left."""
    place = one_model("binormal:auc=0.8,prevalence=0.3")
    held = [band(name)(place, 4000, np.random.default_rng(seed)) for seed in range(6)]
    assert np.mean(held) >= 0.5


def test_the_law_of_a_binormal_world():
    shift, prevalence = binormal_law(one_model("binormal:auc=0.8,prevalence=0.3"))
    assert (round(shift, 4), prevalence) == (1.1902, 0.3)


def test_a_plan_asks_for_as_many_rows_as_are_drawn():
    assert QUICK["plan_accuracy"].n > 100


def test_a_sample_of_one_class_has_no_curve():
    drawn = band("roc")(one_model("binormal:auc=0.8,prevalence=0.001"), 20, np.random.default_rng(0))
    assert np.isnan(drawn)
