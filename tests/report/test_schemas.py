from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator, ValidationError

import heldout
from heldout.errors import UsageError
from heldout.report.schema import schema

EVALUATION = "heldout.evaluation/1"


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(schema(EVALUATION))


@pytest.mark.parametrize("name", ["binary", "multiclass", "regression", "grouped", "undefined", "hostile", "crowded"])
def test_results_are_valid(name, request):
    Draft202012Validator(schema(EVALUATION)).validate(request.getfixturevalue(name))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.update(schema="heldout.evaluation/2"),
        lambda d: d.update(extra=1),
        lambda d: d.pop("seed"),
        lambda d: d.update(level=1.5),
        lambda d: d["estimates"]["roc_auc"].pop("method"),
        lambda d: d["estimates"]["roc_auc"].update(value=None),  # undefined without a note
        lambda d: d["estimates"]["roc_auc"].update(better="more"),
        lambda d: d["checks"].append({"code": "204", "text": "x"}),
        lambda d: d["confusion"].update(counts=[[-1]]),
    ],
)
def test_what_is_wrong_is_refused(binary, spoil):
    spoil(binary)
    with pytest.raises(ValidationError):
        Draft202012Validator(schema(EVALUATION)).validate(binary)


def test_unknown_schema():
    with pytest.raises(UsageError) as caught:
        schema("heldout.evaluaton/1")
    folder = Path(heldout.__file__).parent / "schemas"
    known = sorted(json.loads(file.read_text(encoding="utf-8"))["title"] for file in folder.iterdir())
    assert {"heldout.test/1", "heldout.version-space/1"} <= set(known)
    assert str(caught.value) == (
        "no schema is named 'heldout.evaluaton/1'; did you mean 'heldout.evaluation/1'?\n"
        f"  Fix: choose one of {', '.join(known)}"
    )
