"""Worlds as plain values, by their names."""

from __future__ import annotations

import pytest

from heldout.lab.world_catalogue import all_worlds, one_world
from heldout.lab.worlds.registry import FAMILIES


def test_worlds_as_plain_values():
    names = [one["name"] for one in all_worlds().worlds]
    to_learn_from = ["flat", "sine", "slope", "square", "step", "gaussian", "twins", "noise"]
    assert names == [*FAMILIES, "any of these", "pair-", *to_learn_from]
    assert all(one["about"] for one in all_worlds().worlds)
    found = one_world("pair-coin:p=0.8,gain=0.05")
    assert found.worlds[0]["parameters"] == {"p": "0.8", "gain": "0.05"}
    assert found.values["error_rate"] == pytest.approx(-0.05)
