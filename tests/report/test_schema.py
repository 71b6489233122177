from __future__ import annotations

import json
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator, ValidationError

from heldout.errors import UsageError
from heldout.report.kinds import KINDS
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
    stored = json.loads((files("heldout.report") / "schemas.json").read_text(encoding="utf-8"))
    known = [made["title"] for made in stored["kinds"].values()]
    assert {"heldout.test/1", "heldout.version-space/1"} <= set(known)
    assert str(caught.value) == (
        "no schema is named 'heldout.evaluaton/1'; did you mean 'heldout.evaluation/1'?\n"
        f"  Fix: choose one of {', '.join(known)}"
    )


def test_every_kind_has_a_schema_of_its_own():
    stored = json.loads((files("heldout.report") / "schemas.json").read_text(encoding="utf-8"))
    frozen = "threshold"  # a file that the HTML report downloads, not a result
    assert sorted(stored["kinds"]) == sorted([*KINDS, frozen])
    for kind, made in stored["kinds"].items():
        assert made["title"] == f"heldout.{kind}/1"
        Draft202012Validator.check_schema(schema(f"heldout.{kind}/1"))


def test_every_definition_is_used():
    stored = json.loads((files("heldout.report") / "schemas.json").read_text(encoding="utf-8"))
    text = json.dumps(stored)
    assert [name for name in stored["$defs"] if f'"#/$defs/{name}"' not in text] == []
