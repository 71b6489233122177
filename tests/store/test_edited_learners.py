"""Recorded fits are used again only while the learner's code is as it was."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from heldout.store import hashes

MODULE = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
import helper
{constant}

class Sign(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[((np.asarray(X)[:, 0] > 0) ^ (FLIPPED or helper.flipped())).astype(int)]
"""
CALL = """
import numpy as np
import heldout
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 2))
y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
found = heldout.validate({"sign": Sign()}, X, y, metrics="accuracy", cv=5, run="run")
print(found["accuracy"].value)
"""
PLAIN = {"module": "FLIPPED = False", "script": "FLIPPED = False", "helper": "def flipped():\n    return False\n"}
EDITED = {"module": "FLIPPED = True", "script": "FLIPPED = True", "helper": "def flipped():\n    return True\n"}


def accuracy(folder, where, texts):
    """The accuracy with a learner from a module, a package or the script itself, whose fits are recorded."""
    if where == "package":
        (folder / "pack").mkdir(exist_ok=True)
        (folder / "pack" / "__init__.py").write_text("__version__ = '1.0'\n", encoding="utf-8")
        (folder / "pack" / "helper.py").write_text(texts["helper"], encoding="utf-8")
        learner = MODULE.format(constant=texts["module"]).replace("import helper", "from pack import helper")
        (folder / "pack" / "learner.py").write_text(learner, encoding="utf-8")
    (folder / "helper.py").write_text(texts["helper"], encoding="utf-8")
    (folder / "learner.py").write_text(MODULE.format(constant=texts["module"]), encoding="utf-8")
    module = "pack.learner" if where == "package" else "learner"
    learner = MODULE.format(constant=texts["script"]) if where == "script" else f"from {module} import Sign"
    (folder / "script.py").write_text(learner + CALL, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-B", "script.py"], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert run.returncode == 0, run.stderr
    return float(run.stdout)


@pytest.mark.parametrize("where", ["module", "script", "package"])
def test_fits_of_an_edited_learner_or_helper_are_not_used_again(tmp_path, where):
    first = accuracy(tmp_path, where, PLAIN)
    assert first > 0.6
    for edited in ("module" if where == "package" else where, "helper"):
        assert accuracy(tmp_path, where, PLAIN | {edited: EDITED[edited]}) == pytest.approx(1 - first)
    assert accuracy(tmp_path, where, PLAIN) == first


def test_another_build_of_an_installed_package_is_another_learner(tmp_path, monkeypatch):
    (tmp_path / "installed_learners").mkdir()
    (tmp_path / "installed_learners" / "__init__.py").write_text(
        "__version__ = '1.0'\nclass Own: pass\n", encoding="utf-8"
    )
    facts = tmp_path / "installed_learners-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: installed-learners\nVersion: 1.0\n", encoding="utf-8")
    (facts / "top_level.txt").write_text("installed_learners\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(hashes, "INSTALLED", (str(tmp_path),))
    own = importlib.import_module("installed_learners").Own

    def found(*lines):
        (facts / "RECORD").write_text("\n".join(lines), encoding="utf-8")
        for kept in (hashes._distributions, hashes._installed_files):
            kept.cache_clear()
        return hashes.fingerprint(own())

    before = found("installed_learners/helper.py,sha256=a,10", "installed_learners/data.csv,sha256=x,5")
    assert found("installed_learners/helper.py,sha256=a,10", "installed_learners/data.csv,sha256=y,5") == before
    assert found("installed_learners/helper.py,sha256=b,10", "installed_learners/data.csv,sha256=x,5") != before
