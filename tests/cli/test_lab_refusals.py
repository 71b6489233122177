"""The lab refuses learners that fail, numbers that are none and options without effect, each in a sentence."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from click.testing import CliRunner

from heldout import lab
from heldout.cli import verbs

OWN = """
import sys
import numpy as np

class Base:
    def fit(self, X, y): return self
    def predict(self, X): return np.zeros(len(X), int)
class Fine(Base): pass
class Fails(Base):
    def fit(self, X, y): raise RuntimeError("boom")
class FailsPredict(Base):
    def predict(self, X): raise KeyError("zz")
class Exits(Base):
    def fit(self, X, y): sys.exit(0)
class WrongLength(Base):
    def predict(self, X): return np.zeros(3)
class Nothing(Base):
    def predict(self, X): return None
class Words(Base):
    def predict(self, X): return np.array(["zzz"] * len(X))
class Gaps(Base):
    def predict(self, X): return np.full(len(X), np.nan)
class Infinite(Base):
    def predict(self, X): return np.full(len(X), np.inf)
"""
BAD = ("Fails", "FailsPredict", "Exits", "WrongLength", "Nothing", "Words", "Gaps", "Infinite")


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "own_learners.py").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield "own_learners"
    sys.modules.pop("own_learners", None)


COMMANDS = {
    "estimation-bias": ("lab", "estimation-bias", "--n", "20", "--repeats", "20", "--learner"),
    "with folds": ("lab", "estimation-bias", "--n", "20", "--repeats", "20", "--folds", "2", "--learner"),
    "bias-variance": ("lab", "bias-variance", "--world", "gaussian", "--n", "20", "--repeats", "20", "--learner"),
    "numbers": ("lab", "bias-variance", "--world", "sine", "--n", "20", "--repeats", "20", "--learner"),
    "true-error": ("lab", "true-error", "--world", "gaussian", "--learner"),
    "compare": ("lab", "compare", "linear", "--n", "40", "--repeats", "3"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_learner_that_fails_is_an_error_of_the_learner(own, command, name):
    found = run(*COMMANDS[command], f"{own}:{name}")
    assert found.exit_code == 2, found.output
    assert found.stderr.startswith(("error[H313]", "error[H314]")), found.stderr
    assert "Fix:" in found.stderr


def test_a_module_of_your_own_is_read_as_validate_reads_it(own):
    assert run(*COMMANDS["true-error"], f"{own}:Fine").exit_code == 0
    typing_error = run(*COMMANDS["true-error"], "lineer:k=3")
    assert "no learner is named 'lineer'; did you mean 'linear'?" in typing_error.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("estimation-bias --learner sklearn.neighbors:KNeighborsClassifier --n 5 --repeats 20", "raised ValueError"),
        ("estimation-bias --learner sklearn.linear_model:LogisticRegression --n 4 --repeats 50", "rows of 1 class"),
        ("bias-variance --learner sklearn.tree:DecisionTreeClassifier --world sine --repeats 20", "Unknown label"),
        ("compare linear sklearn.linear_model:LinearRegression --repeats 5", "which is not a class of the simulation"),
        ("compare linear sklearn.svm:SVC(C=-1) --repeats 5", "The 'C' parameter of SVC"),
        ("estimation-bias --repeats 20 --test-size nan", "--test-size is nan"),
        ("bias-variance --learner poly --world sine --repeats 20 --sweep n=1e400,2", "must be finite"),
        ("bias-variance --learner poly --world sine --repeats 20 --sweep degree=a,b", "values of a sweep are numbers"),
        ("true-error --world gaussian:distance=nan --learner linear", "not a finite number"),
        ("true-error --world gaussian:dimensions=1000000 --learner linear", "but must be from 1 to 1,000"),
        ("world gaussian:distance=inf --json", "not a finite number"),
        ("true-error --world gaussian:distance=2 --linear nan,1,0", "must be finite"),
        ("true-error --world gaussian:distance=2 --linear inf,1,0", "must be finite"),
        ("true-error --world gaussian:distance=2 --linear 1,1,nan --json", "must be finite"),
        ("true-error --world gaussian --class c --learner linear", "--class has no effect with --world"),
        ("world nope", "amounts, flat, sine"),
        ("world coin:p=0", "Fix: such as p=0.5"),
        ("estimation-bias --repeats 20 --n-jobs 0", "--n-jobs is 0"),
        ("estimation-bias --repeats 20 --sweep n=20,30 --sweep n=30,40", "--sweep was given 2 times"),
    ],
)
def test_what_cannot_be_simulated_is_refused_in_a_sentence(arguments, words):
    found = run("lab", *arguments.split())
    assert (found.exit_code, words in found.stderr) == (2, True), found.output


def test_rectangles_without_unions_are_refused(tmp_path):
    (tmp_path / "rows.csv").write_text("sky,wind,class\na,c,y\nb,d,n\n", encoding="utf-8")
    for verb, more in (("overfitting", ()), ("version-space", ("--target", "class"))):
        found = run("lab", verb, tmp_path / "rows.csv", *more, "--space", "conjunctions", "--rectangles", "3")
        assert (found.exit_code, "--rectangles has no effect" in found.stderr) == (2, True), found.output


def test_a_rule_without_finite_numbers_is_refused_in_python_too():
    with pytest.raises(ValueError, match="must be finite"):
        lab.LinearRule(weights=(1.0, np.inf), offset=0.0)
