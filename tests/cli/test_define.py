"""A metric of the user's own is one mechanism in every verb: `--define FILE`."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from heldout.cli import verbs
from heldout.formulas import METRICS

FILE = """
import numpy as np
import heldout

heldout.define("lateness", lambda truth, told: np.maximum(truth - told, 0))
"""


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    truth = rng.normal(5, 1, 80)
    for name, spread in (("old", 1.0), ("new", 0.3)):
        said = truth + rng.normal(0, spread, 80)
        lines = [f"{a:.4f},{b:.4f}" for a, b in zip(truth, said, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["y_true,y_pred", *lines]) + "\n", encoding="utf-8")
    x = rng.normal(size=80)
    lines = [f"{a:.4f},{b:.4f}" for a, b in zip(x, x + rng.normal(size=80), strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["x,y", *lines]) + "\n", encoding="utf-8")
    (tmp_path / "own.py").write_text(FILE, encoding="utf-8")
    yield tmp_path
    METRICS.pop("lateness", None)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("evaluate", "old.csv"), 0),
        (("compare", "old.csv", "new.csv"), 0),
        (("compare", "old.csv", "new.csv", "--primary", "lateness"), 0),
        (("validate", "sklearn.linear_model:Ridge", "--data", "rows.csv", "--target", "y", "--cv", 5), 0),
        (("validate", "sklearn.linear_model:Ridge", "--data", "rows.csv", "--target", "y", "--primary", "lateness"), 0),
        (("gate", "old.csv", "new.csv", "--primary", "lateness", "--margin", 0.1), 0),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_own_metrics_are_computed_in_every_verb(folder, arguments, code):
    found = run(*arguments, "--define", "own.py")
    assert found.exit_code == code, found.output
    assert "lateness" in found.stdout


def test_a_definition_that_decides_nothing_is_refused(folder):
    found = run("gate", "old.csv", "new.csv", "--primary", "mae", "--margin", 0.1, "--define", "own.py")
    assert found.exit_code == 2
    assert "--define has no effect: mae decides" in found.stderr


@pytest.mark.parametrize("verb", ["evaluate", "compare", "gate", "validate"])
def test_pinball_takes_its_quantile_in_every_verb(folder, verb):
    asked = {
        "evaluate": ("old.csv", "-m", "pinball@0.9"),
        "compare": ("old.csv", "new.csv", "-m", "pinball@0.9"),
        "gate": ("old.csv", "new.csv", "--primary", "pinball@0.9", "--margin", "0.1"),
        "validate": ("sklearn.linear_model:Ridge", "--data", "rows.csv", "--target", "y", "-m", "pinball@0.9"),
    }[verb]
    found = run(verb, *asked)
    assert found.exit_code == 0, found.output
    assert "pinball@0.9" in found.stdout
