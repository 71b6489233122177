"""Recorded fits are used again only while the learner's code is as it was."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
    """The accuracy with a learner from a module or from the script itself, whose fits are recorded in a folder."""
    (folder / "helper.py").write_text(texts["helper"], encoding="utf-8")
    (folder / "learner.py").write_text(MODULE.format(constant=texts["module"]), encoding="utf-8")
    learner = MODULE.format(constant=texts["script"]) if where == "script" else "from learner import Sign"
    (folder / "script.py").write_text(learner + CALL, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-B", "script.py"], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert run.returncode == 0, run.stderr
    return float(run.stdout)


@pytest.mark.parametrize("where", ["module", "script"])
def test_fits_of_an_edited_learner_or_helper_are_not_used_again(tmp_path, where):
    first = accuracy(tmp_path, where, PLAIN)
    assert first > 0.6
    for edited in (where, "helper"):
        assert accuracy(tmp_path, where, PLAIN | {edited: EDITED[edited]}) == pytest.approx(1 - first)
    assert accuracy(tmp_path, where, PLAIN) == first
