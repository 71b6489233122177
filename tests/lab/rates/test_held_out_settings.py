"""The held-out check of the look-up: halves of the settings, how often a printed rate is too good."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from heldout import lab, schema
from heldout.cards.lookup import shipped_cards
from heldout.errors import DataError, UsageError


def test_rates_of_one_half_predict_the_other():
    """In no more than 5% of cells the printed rate is too good by more than 2 points."""
    result = lab.held_out(halves=2)
    Draft202012Validator(schema("heldout.held-out/1")).validate(json.loads(result.to_json()))
    for rate in result:
        assert rate.holds
        assert rate.optimistic <= 0.05
        # a simulation that is held out with all of its sizes may have been the only one of its kind
        assert rate.printed > (0.8 if rate.held_out == "settings" else 0.6)
        assert rate.mean_gap < 0
    assert [rate.held_out for rate in result] == ["settings"] * 3 + ["simulations"] * 3
    assert result[2].cells == result[0].cells + result[1].cells
    assert result.to_dict() == lab.held_out(halves=2).to_dict()
    assert "worst cell" in result.to_text()


def test_a_look_up_that_ignores_the_data_is_found_out(monkeypatch):
    """The nearest setting alone is too good in more cells than the worst of the neighbours."""
    held = lab.held_out(halves=1)[2].optimistic
    monkeypatch.setattr("heldout.cards.lookup.REACH", 0.0)
    assert lab.held_out(halves=1)[2].optimistic > 1.5 * held


def test_a_cards_file(tmp_path):
    path = tmp_path / "cards.json"
    path.write_text(json.dumps({**shipped_cards(), "features": {}}), encoding="utf-8")
    with pytest.raises(UsageError) as problem:
        lab.held_out(path)
    fix = "\n  Fix: make it anew: heldout lab cards"
    assert str(problem.value) == f"cards.json has no features to be looked up by{fix}"
    path.write_text(json.dumps({**shipped_cards(), "intervals": {"plain": [3]}}), encoding="utf-8")
    with pytest.raises(DataError) as problem:
        lab.held_out(path)
    said = "AttributeError(\"'list' object has no attribute 'items'\")"
    assert str(problem.value) == f"[H100] cards.json is not a file of cards: {said}{fix}"
    with pytest.raises(UsageError, match="halves is 0, but must be one or more"):
        lab.held_out(halves=0)
