"""The parts of an expected loss as a value."""

from __future__ import annotations

import json

import pytest

from heldout.lab.learning.bias_variance_result import BiasVariance, Decomposition, Measured


@pytest.fixture
def result():
    parts = {"noise": Measured(value=1.0, error=0.0), "bias²": Measured(value=0.25, error=0.01)}
    return BiasVariance(
        loss="squared", learner="a line", world="sine", design="random", n=10, repeats=20, points=3, seed=0,
        expected_loss=Measured(value=1.25, error=0.01), measured=None, curve=(), notes=("a note",),
        decompositions=(
            Decomposition(name="first", parts=parts),
            Decomposition(name="second", parts={"noise": Measured(value=2.0, error=0.0)}),
        ),
    )  # fmt: skip


def test_parts_are_those_of_the_first_decomposition(result):
    assert result["noise"].value == 1.0
    with pytest.raises(KeyError):
        result["variance"]


def test_plain_values_keep_parts_in_order_and_what_is_missing_missing(result):
    plain = result.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["schema"] == "heldout.bias-variance/1"
    assert [one["name"] for one in plain["decompositions"]] == ["first", "second"]
    assert plain["decompositions"][0]["parts"][1] == {"name": "bias²", "value": 0.25, "error": 0.01}
    assert plain["measured"] is None


def test_it_is_printed_with_every_part(result):
    assert all(word in str(result) for word in ("a line", "sine", "noise", "bias²", "a note"))
