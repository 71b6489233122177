"""What the laboratory has written down, in the form it promises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from docs import facts
from heldout.report.schema import schema

FOLDER = Path(facts.__file__).parent / "measured"
OTHERS = ("peers", "by-hand", "page-rates", "selection", "soak", "kills", "fuzz", "mutants", "coverage")
"""Rates of other packages, of code by hand and of simulations that are no verb of the lab; runs of the tests."""
RESULTS = sorted(path.stem for path in FOLDER.glob("*.json") if path.stem not in OTHERS)
"""Every stored result of a verb."""


@pytest.mark.parametrize("name", RESULTS)
def test_it_has_the_form_that_is_promised(name):
    stored = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema(stored["schema"])).validate(stored)
