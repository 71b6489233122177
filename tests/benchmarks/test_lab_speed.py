"""The speed of the lab: what was measured, and that it can be measured again."""

from __future__ import annotations

import json

import pytest

from benchmarks.lab_speed import KINDS, PATH, line

KEPT = {one["title"]: one for one in json.loads(PATH.read_text(encoding="utf-8"))["lines"]}


def test_the_file_has_every_kind():
    assert [(one["world"], one["rows"], one["bar"]) for one in KEPT.values()] == [
        (kind.world, kind.rows, kind.bar) for kind in KINDS
    ]


def test_closed_forms_are_many_times_faster_than_one_call_per_repetition():
    assert {title: one["ratio"] for title, one in KEPT.items() if one["met"] is False} == {}


@pytest.mark.parametrize("kind", [KINDS[0], KINDS[-1]], ids=lambda kind: kind.title)
def test_a_kind_is_timed(kind):
    found = line(kind, part=0.05)
    assert found.single_us > 0
    assert found.together_us > 0
    assert 0 <= found.together <= 1
