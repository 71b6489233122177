"""What the laboratory has written down: in the form it promises, and part of it measured again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from docs import facts
from heldout.lab import size
from heldout.lab.rates.size_settings import settings
from heldout.report.schema import schema

FOLDER = Path(facts.__file__).parent / "measured"
FILE = FOLDER / "size.json"
RESULTS = sorted(path.stem for path in FOLDER.glob("*.json") if path.stem != "peers")
"""Every stored result; peers.json holds times and rates of other packages, which no verb gives."""


@pytest.fixture(scope="module")
def measured():
    return json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", RESULTS)
def test_it_has_the_form_that_is_promised(name):
    stored = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema(stored["schema"])).validate(stored)


def test_the_rates_of_tests_are_a_result(measured):
    assert measured["schema"] == "heldout.size/1"


def test_every_result_is_of_the_grid(measured):
    known = {(one.world, one.n, name) for one in settings() for name in one.metrics}
    assert {(one["world"], one["n"], one["metric"]) for one in measured["results"]} <= known


def test_the_page_shows_every_result(measured):
    page = facts.sizes()
    assert page.count("| `") == len(measured["results"])
    assert "## `pair-labels:prevalence=0.2,precision=0.7,recall=0.7`" in page


def test_part_of_it_measured_again_gives_the_same(measured):
    world, n = "pair-labels:prevalence=0.2,precision=0.7,recall=0.7", 200
    (written,) = [
        one for one in measured["results"] if (one["world"], one["n"], one["metric"]) == (world, n, "accuracy")
    ]
    (again,) = size("auto", world, n, metrics="accuracy", repeats=written["repeats"], random_state=measured["seed"])
    assert again.rejected == pytest.approx(written["rejected"])
    assert again.width == pytest.approx(written["width"])
