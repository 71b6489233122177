from __future__ import annotations

import pytest

from heldout.errors import UsageError
from heldout.search import Range, candidates_in, candidates_named

TOML = """
[forest]
learner = "sklearn.ensemble:RandomForestClassifier(n_estimators=10)"
complexity = 9

[forest.parameters]
max_depth = 3

[forest.grid]
max_features = {low = 0.1, high = 1.0}

[lr]
learner = "sklearn.linear_model:LogisticRegression"

[lr.grid]
C = [0.1, 1, 10]
solver = ["lbfgs", "saga"]
"""
PYTHON = """
from sklearn.linear_model import LogisticRegression

candidates = {"lr": (LogisticRegression(), {"C": [0.1, 1]}), "plain": LogisticRegression}
nothing = 3
"""
EXAMPLE = 'a table per candidate: [lr], learner = "sklearn.linear_model:LogisticRegression", [lr.grid], C = [0.1, 1]'


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "candidates.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "choices_to_make.py").write_text(PYTHON, encoding="utf-8")
    return tmp_path


def test_a_table_per_candidate(here):
    forest, lr = candidates_in(here / "candidates.toml")
    assert forest.estimator.get_params()["n_estimators"] == 10
    assert forest.estimator.max_depth == 3
    assert forest.space == {"max_features": Range(low=0.1, high=1.0)}
    assert lr.space == {"C": (0.1, 1, 10), "solver": ("lbfgs", "saga")}
    assert (forest.complexity, lr.complexity) == (9, 2)


@pytest.mark.parametrize("path", ["choices_to_make.py", "choices_to_make.py:candidates"])
def test_a_dict_in_a_python_file(here, path):
    lr, plain = candidates_named(path)
    assert lr.space == {"C": (0.1, 1)}
    assert type(plain.estimator).__name__ == "LogisticRegression"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.toml", TOML.replace("lr.grid", "lr.gird"), ("a.toml: lr has an unknown key 'gird'; did you mean 'grid'?\n"
         "  Fix: the keys are learner, parameters, grid, complexity")),
        ("a.toml", TOML.replace("LogisticR", "LogistikR"), ("a.toml: sklearn.linear_model has no 'LogistikRegression'; "
         "did you mean 'LogisticRegression'?\n  Fix: check 'sklearn.linear_model:LogistikRegression'")),
        ("a.toml", "x = 1", f"a.toml has 'x' outside of any candidate\n  Fix: write {EXAMPLE}"),
        ("a.toml", "", f"a.toml has no candidate\n  Fix: write {EXAMPLE}"),
        ("a.toml", "[lr", ("[H100] a.toml is not valid TOML: Expected ']' at the end of a table declaration "
         f"(at end of document)\n  Fix: write {EXAMPLE}")),
        ("a.yaml", "", "a.yaml is not a file of candidates\n  Fix: give candidates.toml, candidates.py or module:name"),
        ("b.toml", None, "[H100] b.toml cannot be read: No such file or directory\n  Fix: check the path"),
        ("b.py", None, "[H100] there is no file b.py\n  Fix: check the path and the folder it starts from"),
    ],
)  # fmt: skip
def test_a_typo_is_one_sentence(here, name, text, said):
    if text is not None:
        (here / name).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        candidates_in(name)
    assert str(caught.value) == said


def test_what_is_no_dict_is_refused(here):
    with pytest.raises(UsageError) as caught:
        candidates_in("choices_to_make.py:nothing")
    assert str(caught.value) == (
        "choices_to_make.py:nothing gives a int, not a dict of candidates\n"
        '  Fix: write candidates = {"lr": (LogisticRegression(), {"C": [0.1, 1, 10]})}'
    )
