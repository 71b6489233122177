"""--segment on the command line: evaluate and compare by the values of a column."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from heldout.cli import verbs
from heldout.report.schema import schema


def run(*arguments):
    return CliRunner().invoke(verbs, [str(argument) for argument in arguments])


@pytest.fixture
def files(tmp_path):
    """Two models on the same 200 rows: the second is better in the north and worse in the south."""
    at = np.arange(200)
    truth, site = at % 2, np.where(at < 100, "north", "south")
    wrong = {"old": at % 5 == 0, "new": np.where(at < 100, at % 20 == 0, at % 2 == 0)}
    paths = []
    for name, off in wrong.items():
        lines = [f"{i},{t},{s},{p}" for i, t, s, p in zip(at, truth, site, truth ^ off, strict=True)]
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("\n".join(["id,y_true,site,y_pred", *lines]) + "\n", encoding="utf-8")
    return paths


def test_compare_by_segment(files):
    result = run("compare", *files, "--segment", "site", "--primary", "accuracy")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    at = lines.index("accuracy: new - old by site, simultaneous: 97.5% each")
    assert [line.split()[:3] for line in lines[at + 2 : at + 4]] == [
        ["north", "100", "+0.150"],
        ["south", "100", "-0.300"],
    ]
    assert lines[at + 4] == "the difference varies by site: p <0.001"


def test_the_json_of_both_verbs_is_valid(files):
    for arguments in (["compare", *files], ["evaluate", files[1]]):
        result = run(*arguments, "--segment", "site", "--metric", "accuracy", "--format", "json")
        found = json.loads(result.stdout)
        Draft202012Validator(schema(found["schema"])).validate(found)
        assert list(found["segments"]) == ["site"]


@pytest.mark.parametrize("form", ["md", "latex"])
def test_other_formats_have_the_segments(files, form):
    result = run("compare", *files, "--segment", "site", "--primary", "accuracy", "--format", form)
    assert result.exit_code == 0
    assert "he difference varies by site: p" in result.stdout


def test_the_csv_of_both_verbs_has_a_line_per_segment(files):
    for arguments in (["compare", *files], ["evaluate", files[1]]):
        lines = run(*arguments, "--by", "site", "--metric", "accuracy", "--format", "csv").stdout.splitlines()
        at = lines[0].split(",").index("segment")
        assert [line.split(",")[at] for line in lines[1:]] == ["", "site=north", "site=south"]


def test_without_segments_nothing_is_said_of_them(files):
    found = json.loads(run("compare", *files, "--metric", "accuracy", "--format", "json").stdout)
    assert found["segments"] == {}


def test_samples_of_their_own_have_no_segments_in_common(files):
    result = run("compare", *files, "--segment", "site", "--unpaired")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: segments need the same rows under every model\n  Fix: leave out --segment, or --unpaired\n"
    )


def test_a_log_with_small_segments_has_a_plain_heading(tmp_path):
    log = tmp_path / "samples.jsonl"
    sample = {"doc_id": 0, "doc": {"kind": "sum"}, "target": "4", "arguments": [], "resps": [["4"]],
              "filtered_resps": ["4"], "filter": "none", "metrics": ["acc"], "acc": 1.0}  # fmt: skip
    lines = [json.dumps({**sample, "doc_id": at, "acc": float(at % 3 > 0)}) for at in range(8)]
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = run("evaluate", log, "--from", "lm-eval", "--segment", "doc.kind")
    assert result.exit_code == 0
    assert "\nby doc.kind, simultaneous: 95% each\n" in result.stdout
