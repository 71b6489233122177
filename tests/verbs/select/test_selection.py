"""What `select` gives, as a value: the winner, its own score, the corrected one, and the model to use."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.errors import UsageError
from heldout.verbs.select.selection import Selection, plain_values
from tests.search.learners import Stump, planted

STUMPS = {"stump": (Stump(), {"column": [0, 3, 7]})}


@pytest.fixture(scope="module")
def result():
    return heldout.select(STUMPS, *planted(), metrics=["accuracy", "f1"])


def test_the_corrected_number_is_that_of_the_primary_metric(result):
    assert isinstance(result, Selection)
    assert result.corrected is result["accuracy"]
    assert result.optimism == pytest.approx(result.apparent - result.corrected.value)
    with pytest.raises(UsageError, match=r"^no estimate is named 'acuracy'; did you mean 'accuracy'\?"):
        result["acuracy"]


def test_of_a_loss_optimism_is_turned():
    found = heldout.select(STUMPS, *planted(), metrics="error_rate")
    assert found.better == "lower"
    assert found.optimism == pytest.approx(found.corrected.value - found.apparent)


def test_configurations_are_ranked_and_framed_best_first(result):
    values = [one.value for one in result.ranked()]
    assert values == sorted(values, reverse=True)
    frame = result.to_frame()
    assert frame["configuration"].tolist() == [one.name for one in result.ranked()]
    assert frame["configuration"].iloc[0] == result.winner
    assert frame["within_noise"].tolist() == [one.name in result.within for one in result.ranked()]


def test_the_model_to_use_is_fitted_to_all_rows(result):
    X, y = planted()
    model = result.fitted()
    by_hand = Stump(7).fit(X, y)
    assert (model.column, model.cut_) == (7, by_hand.cut_)
    assert result.fitted("stump(column=0)").column == 0
    with pytest.raises(UsageError, match="no configuration is named 'stump"):
        result.fitted("stump(column=1)")


def test_plain_values():
    assert plain_values(np.array([1, 2.5])) == (1.0, 2.5)
