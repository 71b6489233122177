"""Code of the user that calls sys.exit, or cannot be imported, ends in a sentence and never in exit code 0."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import verbs
from heldout.formulas import METRICS

LEARNER = """
import sys
class Base:
    def fit(self, X, y): return self
    def predict(self, X): return [0] * len(X)
class InFit(Base):
    def fit(self, X, y): sys.exit(0)
class InPredict(Base):
    def predict(self, X): sys.exit(0)
class InInit(Base):
    def __init__(self): sys.exit(0)
"""


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    before = dict(METRICS)
    rows = "".join(f"{i % 7},{i % 5},{int(i % 7 > 3)}\n" for i in range(60))
    (tmp_path / "rows.csv").write_text("a,b,y\n" + rows, encoding="utf-8")
    pairs = "".join(f"{i % 2},{(i % 2) * 0.4 + (i % 9) / 20}\n" for i in range(60))
    for name in ("old.csv", "new.csv"):
        (tmp_path / name).write_text("y_true,y_score\n" + pairs, encoding="utf-8")
    (tmp_path / "exits_now.py").write_text("import sys\nsys.exit(0)\n", encoding="utf-8")
    (tmp_path / "broken_syntax.py").write_text("def (:\n", encoding="utf-8")
    (tmp_path / "exits_later.py").write_text(LEARNER, encoding="utf-8")
    yield tmp_path
    METRICS.clear()
    METRICS.update(before)
    for name in ("exits_now", "broken_syntax", "exits_later"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    "text",
    [
        "import sys\nsys.exit(0)",
        "import heldout, sys\nheldout.define('m1', lambda t, p: sys.exit(0))",
        "import argparse, heldout\nargparse.ArgumentParser().parse_args(['--help'])",
    ],
)
def test_a_metric_that_exits_never_passes_a_gate(folder, text):
    (folder / "own.py").write_text(text, encoding="utf-8")
    found = run("gate", "old.csv", "new.csv", "--define", "own.py", "--primary", "m1", "--margin", "0.1")
    assert found.exit_code == 2, found.output
    assert "SystemExit" in found.stderr


@pytest.mark.parametrize("name", ["InFit", "InPredict", "InInit"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_learner_that_exits_is_an_error_of_the_learner(folder, name, jobs):
    found = run(
        "validate", f"exits_later.py:{name}", "--data", "rows.csv", "--target", "y", "--cv", "3", "--n-jobs", jobs
    )
    assert found.exit_code == 2, found.output
    assert "SystemExit" in found.stderr


@pytest.mark.parametrize(("module", "reason"), [("exits_now", "SystemExit"), ("broken_syntax", "SyntaxError")])
@pytest.mark.parametrize("form", ["{}:X", "{}.py:X"])
def test_a_module_that_cannot_be_imported_is_told_in_one_sentence(folder, module, reason, form):
    found = run("validate", form.format(module), "--data", "rows.csv", "--target", "y")
    assert (found.exit_code, reason in found.stderr) == (2, True), found.output


def test_in_python_too_a_metric_that_exits_is_a_usage_error(folder):
    heldout.define("leaves", lambda truth, prediction: sys.exit(0))
    with pytest.raises(heldout.UsageError, match="SystemExit"):
        heldout.evaluate([0, 1] * 10, [0, 1] * 10, metrics="leaves")
