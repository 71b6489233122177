"""What the laboratory has written down, in the form it promises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from docs import facts
from heldout.report.schema import schema

FOLDER = Path(facts.__file__).parent / "measured"
RESULTS = sorted(path.stem for path in FOLDER.glob("*.json") if path.stem not in ("peers", "by-hand"))
"""Every stored result of a verb; peers.json and by-hand.json hold rates of other packages and of code by hand."""


@pytest.mark.parametrize("name", RESULTS)
def test_it_has_the_form_that_is_promised(name):
    stored = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema(stored["schema"])).validate(stored)
