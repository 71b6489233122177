"""Learners by object, by import path, by name; what is none is named."""

from __future__ import annotations

import sys

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from heldout.errors import UsageError
from heldout.learners import learner_at, learners_named

EXAMPLE = "sklearn.linear_model:LogisticRegression, sklearn.svm:SVC(C=10) or models.py:pipeline"
LEARNER = """
class Mean:
    def fit(self, X, y):
        self.mean_ = {what}
        return self

    def predict(self, X):
        return [self.mean_] * len(X)

thing = Mean()
"""


class Bare:
    """Nothing can be learned by this."""


def refusal(call, *given):
    with pytest.raises(UsageError) as caught:
        call(*given)
    return str(caught.value)


def test_one_several_and_named():
    assert list(learners_named(GaussianNB())) == ["GaussianNB"]
    assert list(learners_named([GaussianNB, SVC(C=2), SVC(C=3), SVC(C=4)])) == ["GaussianNB", "SVC", "SVC 2", "SVC 3"]
    assert list(learners_named({"old": GaussianNB(), 2: SVC()})) == ["old", "2"]


def test_a_pipeline_is_called_by_its_last_step():
    made = make_pipeline(StandardScaler(), LogisticRegression())
    assert learners_named([made, make_pipeline(SVC())]).keys() == {"LogisticRegression", "SVC"}


def test_an_object_is_taken_as_it_is():
    given = SVC(C=7)
    assert learners_named(given)["SVC"] is given


@pytest.mark.parametrize(
    ("path", "kind", "parameters"),
    [
        ("sklearn.svm:SVC", SVC, {}),
        ("sklearn.svm:SVC(C=10)", SVC, {"C": 10}),
        ("sklearn.svm:SVC(C=0.5, kernel='linear', class_weight={0: 2})", SVC, {"kernel": "linear"}),
    ],
)
def test_an_import_path(path, kind, parameters):
    ((name, found),) = learners_named(path).items()
    assert name == path.partition(":")[2]
    assert type(found) is kind
    assert {one: found.get_params()[one] for one in parameters} == parameters


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("sklearn.svm", f"'sklearn.svm' is not an import path\n  Fix: write module:name, as in sklearn:svm, {EXAMPLE}"),
        ("sklearn.svm:", f"'sklearn.svm:' is not an import path\n  Fix: write module:name, as in {EXAMPLE}"),
        (
            "sklearn.swm:SVC",
            f"there is no module 'sklearn.swm' (in 'sklearn.swm:SVC')\n  Fix: write an import path, as in {EXAMPLE}",
        ),
        ("sklearn.svm:SVK", "sklearn.svm has no 'SVK'; did you mean 'SVR'?\n  Fix: check 'sklearn.svm:SVK'"),
        (
            "sklearn.svm:SVC(D=1)",
            (
                "'sklearn.svm:SVC(D=1)' cannot be made: SVC.__init__() got an unexpected keyword argument 'D'\n"
                "  Fix: check the names and values of its parameters"
            ),
        ),
        (
            "sklearn.svm:SVC(C=ten)",
            (
                "the parameters of 'sklearn.svm:SVC(C=ten)' are not understood\n"
                "  Fix: write plain values by name, as in SVC(C=10)"
            ),
        ),
        (
            "sklearn.svm:SVC(10)",
            (
                "the parameters of 'sklearn.svm:SVC(10)' are not understood\n"
                "  Fix: write plain values by name, as in SVC(C=10)"
            ),
        ),
        (
            "sklearn.pipeline:Pipeline",
            (
                "Pipeline cannot be made without parameters: Pipeline.__init__() missing 1 required positional "
                "argument: 'steps'\n  Fix: give an object, or its parameters in brackets"
            ),
        ),
        (
            "numpy:mean",
            (
                "mean is of type _ArrayFunctionDispatcher and has no fit and no predict\n"
                "  Fix: give something with fit(X, y) and predict(X)"
            ),
        ),
        (
            "subprocess:Popen(args=['false'])",
            (
                "subprocess belongs to Python's standard library, which has no learners\n"
                f"  Fix: write module:name, as in {EXAMPLE}"
            ),
        ),
        (
            "heldout.store:Store(path='made')",
            "the class Store has no fit and no predict\n  Fix: give something with fit(X, y) and predict(X)",
        ),
        (
            Bare(),
            "an object of type Bare has no fit and no predict\n  Fix: give something with fit(X, y) and predict(X)",
        ),
        (
            {"mine": Bare},
            "mine is of type Bare and has no fit and no predict\n  Fix: give something with fit(X, y) and predict(X)",
        ),
        (
            [StandardScaler()],
            "an object of type StandardScaler has no predict\n  Fix: give something with fit(X, y) and predict(X)",
        ),
        ([], "there is no learner\n  Fix: give one learner or several"),
        (
            "models_nobody_wrote.py:thing",
            "[H100] there is no file models_nobody_wrote.py\n  Fix: check the path and the folder it starts from",
        ),
    ],
)
def test_what_is_no_learner(given, said):
    assert refusal(learners_named, given) == said


def test_a_module_that_needs_another_one(tmp_path, monkeypatch):
    (tmp_path / "needs_more.py").write_text("import nobody_has_this\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    said = "needs_more needs nobody_has_this, which is not installed\n  Fix: install it"
    assert refusal(learner_at, "needs_more:x") == said


def test_a_learner_from_a_file(tmp_path):
    file = tmp_path / "own_models_a.py"
    file.write_text(LEARNER.format(what="y[0]"), encoding="utf-8")
    found = learners_named(f"{file}:thing")["thing"]
    assert found is learner_at(f"{file}:thing")  # loaded once
    assert type(found).__module__ == "own_models_a"
    assert type(learners_named(f"{file}:Mean")["Mean"]).__name__ == "Mean"


def test_a_file_that_fails_leaves_modules_of_its_name_alone(tmp_path):
    file = tmp_path / "json.py"
    file.write_text("1 / 0\n", encoding="utf-8")
    before = sys.modules["json"]
    said = refusal(learner_at, f"{file}:thing")
    assert said == f"{file} raised ZeroDivisionError: division by zero\n  Fix: correct the file"
    assert sys.modules["json"] is before


@pytest.mark.parametrize(
    "path",
    [
        "sklearn.datasets._base:os.system(command='touch {mark}')",
        "numpy.f2py:os.system(command='touch {mark}')",
        "numpy.f2py:subprocess.Popen(args=['touch', '{mark}'])",
        "joblib.externals.loky.backend.spawn:os.system(command='touch {mark}')",
        "sklearn.datasets._base:Path.touch(self='{mark}')",
        "numpy:builtins.exec(source='1')",
    ],
)
def test_what_packages_import_of_the_standard_library_is_not_called(tmp_path, path):
    """Packages have os, subprocess and the like among their names."""
    mark = tmp_path / "called"
    given = path.format(mark=mark)
    message = refusal(learners_named, {"a": given})
    belongs = f"{given.partition('(')[0]} belongs to Python's standard library, which has no learners\n"
    assert message.startswith((belongs, "numpy has no "))
    assert not mark.exists()


def test_a_file_name_that_no_system_takes():
    assert refusal(learner_at, f"{'x' * 5000}.py:model").splitlines()[0] == f"[H100] there is no file {'x' * 5000}.py"
