"""Messages that name what is wrong, and not something else that was typed."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from heldout.cli import verbs

TESTS = "mcnemar, exact, asymptotic, corrected, delong, kosinski, permutation, bootstrap, t, diebold_mariano"


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Two classes with a column of folds, and 200 numbers with predictions of their own."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 2},{0.3 + 0.4 * (i % 2)},{i % 5}" for i in range(40)]
    (tmp_path / "f.csv").write_text("\n".join(["y_true,y_score,fold", *rows]) + "\n", encoding="utf-8")
    (tmp_path / "wide.csv").write_text("a\n1\n", encoding="utf-8")
    truth, said = np.arange(200) + 0.25, np.arange(200) + 0.5
    rows = [f"{t},{s}" for t, s in zip(truth, said, strict=True)]
    (tmp_path / "ra.csv").write_text("\n".join(["y_true,y_pred", *rows]) + "\n", encoding="utf-8")


SD = ("--sd has no effect on {}: its spread follows from its value", "leave out --sd")
AREA = ("plan", "interval", "roc_auc", "0.8", "--half-width", "0.05")
MESSAGES = {
    (*AREA, "--prevalence", "0.3", "--sd", "2"): (SD[0].format("roc_auc"), SD[1]),
    ("plan", "difference", "accuracy", "0.85", "--gain", "0.02", "--disagree", "0.08", "--sd", "2"): (
        SD[0].format("accuracy"),
        SD[1],
    ),
    ("plan", "power", "roc_auc", "--rows", "1000", "--pilot", "f.csv", "--pilot", "f.csv"): (
        "gain is missing: the power of two models in a pilot is that to find a gain",
        "say by how much the better model is better, such as --gain 0.02",
    ),
    ("plan", "accuracy", "0.85"): (
        "--lower-bound or --upper-bound is missing for accuracy",
        "heldout plan accuracy 0.85 --lower-bound B, or name a question: interval, bound, difference, power, looks",
    ),
    ("evaluate", "f.csv", "--fold", "fold"): (
        "folds are there to choose a threshold across, and none is to be chosen",
        "pass --choose-threshold FP:FN, or leave out the folds",
    ),
    ("evaluate", "f.csv", "--fold", "split"): (
        "folds are there to choose a threshold across, and none is to be chosen",
        "pass --choose-threshold FP:FN, or leave out the folds",
    ),
    ("evaluate", "f.csv", "--of", "40"): (
        "FILE and --of exclude each other",
        "give a FILE of predictions, or --confusion FILE, --class-counts FILE, or --wrong K --of N",
    ),
    ("compare", "f.csv", "f.csv", "--test", "corrected_t"): (
        "the test corrected_t is for scores of folds, and these are predictions",
        f"pass --fold-scores (compare_fold_scores), or choose one of {TESTS}",
    ),
    ("lab", "world", "coin:p=0.1,p=0.2"): (
        "the world 'coin:p=0.1,p=0.2' has the parameter 'p' twice",
        "give p= once",
    ),
    ("lab", "bias-variance", "--learner", "knn:k=1,k=2", "--world", "sine"): (
        "the learner knn has the parameter 'k' twice",
        "give k= once",
    ),
    ("lab", "split-coverage", "--learner", "linear", "--n", "50", "--repeats", "5"): (
        "linear learns classes, and noise:features=20 has none",
        "take least_squares, or the world gaussian",
    ),
}


@pytest.mark.parametrize("arguments", MESSAGES, ids=" ".join)
def test_the_message_names_what_is_wrong(arguments):
    message, fix = MESSAGES[arguments]
    found = run(*arguments)
    assert (found.exit_code, found.stderr) == (2, f"error: {message}\n  Fix: {fix}\n")


def test_classes_are_those_of_the_truth():
    assert run("evaluate", "ra.csv", "--task", "binary").stderr == (
        "error[H107] ra.csv: the task binary needs two classes, and y_true has 200: "
        "'0.25', '1.25', '10.25', '100.25', '101.25' and 195 more\n"
        "  Fix: give one column of probabilities per class (p_<class>), or predicted labels\n  See: heldout "
        "explain H107\n"
    )


def test_a_class_that_only_the_prediction_has():
    with open("p.csv", "w", encoding="utf-8") as file:  # noqa: PTH123 the name is short
        file.write("y_true,y_pred\nno,no\nyes,maybe\nno,yes\n")
    assert run("evaluate", "p.csv", "--task", "binary").stderr == (
        "error[H107] p.csv: the task binary needs two classes, and y_true and y_pred have 3: 'maybe', 'no', 'yes'\n"
        "  Fix: give one column of probabilities per class (p_<class>), or predicted labels\n  See: heldout "
        "explain H107\n"
    )


@pytest.mark.parametrize(
    ("name", "hint"),
    [("nope.csv", ""), ("wid.csv", "; did you mean 'wide.csv'?"), ("Wide.cvs", "; did you mean 'wide.csv'?")],
)
def test_only_close_names_are_suggested(name, hint):
    assert run("evaluate", name).stderr == (
        f"error[H100] there is no file {name}{hint}\n  Fix: check the path and the folder it starts from\n  See: "
        f"heldout explain H100\n"
    )


def test_the_help_lists_the_learner_that_the_message_names():
    assert "least_squares on noise" in run("lab", "split-coverage", "--help").stdout
