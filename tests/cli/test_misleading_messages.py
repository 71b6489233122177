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
    (tmp_path / "f2.csv").write_text("\n".join(["y_true,y_score,fold", *rows]) + "\n", encoding="utf-8")
    for name, prefix in (("ids", "a"), ("others", "b"), ("twice", "")):
        named = [f"{prefix}{i if prefix else 0},{row}" for i, row in enumerate(rows)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,y_true,y_score,fold", *named]) + "\n", encoding="utf-8")
    (tmp_path / "t.jsonl").write_text('{"text": "a b", "d": 1}\n{"text": "c", "d": 2}\n', encoding="utf-8")
    (tmp_path / "wide.csv").write_text("a\n1\n", encoding="utf-8")
    truth, said = np.arange(200) + 0.25, np.arange(200) + 0.5
    rows = [f"{t},{s}" for t, s in zip(truth, said, strict=True)]
    (tmp_path / "ra.csv").write_text("\n".join(["y_true,y_pred", *rows]) + "\n", encoding="utf-8")


SD = ("--sd has no effect on {}: its spread follows from its value", "leave out --sd")
AREA = ("plan", "interval", "roc_auc", "0.8", "--half-width", "0.05")
TWICE = ("standard input (-) is named twice", "give - once, and name a file for the other")
MESSAGES = {
    (*AREA, "--prevalence", "0.3", "--sd", "2"): (SD[0].format("roc_auc"), SD[1]),
    ("plan", "difference", "accuracy", "0.85", "--gain", "0.02", "--disagree", "0.08", "--sd", "2"): (
        SD[0].format("accuracy"),
        SD[1],
    ),
    ("plan", "power", "roc_auc", "--rows", "1000", "--pilot", "f.csv", "--pilot", "f.csv"): (
        "--gain is missing: the power of two models in a pilot is that to find a gain",
        "say by how much the better model is better, such as --gain 0.02",
    ),
    ("plan", "accuracy", "0.85"): (
        "--lower-bound or --upper-bound is missing for accuracy",
        "heldout plan accuracy 0.85 --lower-bound B, or name a question: interval, bound, difference, power, looks",
    ),
    ("compare", "-", "-"): ("standard input (-) is named twice", "give - once, and name a file for the other"),
    ("evaluate", "-", "--train", "-"): (
        "standard input (-) is named twice",
        "give - once, and name a file for the other",
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
    ("compare", "f.csv", "f.csv", "--model", "x=y_score"): (
        "--model names 1 model, and makes the 2 files one table",
        "leave out --model to compare the files, or name a second column of their table: --model NAME=COLUMN",
    ),
    ("compare", "twice.csv", "--model", "x=y_score"): (
        "1 model was given, and a comparison needs two",
        "name another model or file",
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


def test_models_without_a_common_id_are_not_told_to_intersect():
    for more in ((), ("--on-missing", "intersect")):
        assert run("compare", "ids.csv", "others.csv", *more).stderr == (
            "error[H101] the models have no id in common, such as a0 in ids, b0 in others\n"
            "  Fix: score the same rows with every model, and write every id alike\n  See: heldout explain H101\n"
        )


def test_a_field_called_text_holds_no_references():
    assert run("text", "t.jsonl", "t.jsonl").stderr == (
        "error[H106] t.jsonl has no field of references: its fields are text, d\n"
        "  Fix: call the field of references references, or one of reference, refs, ref, targets, target, truth, "
        "y_true\n  See: heldout explain H106\n"
    )


def test_classes_are_those_of_the_truth():
    assert run("evaluate", "ra.csv", "--task", "binary").stderr == (
        "error[H107] ra.csv: the task binary needs two classes, and y_true has 200: "
        "0.25, 1.25, 2.25, 3.25, 4.25 and 195 more\n"
        "  Fix: give one column of probabilities per class (p_<class>), or predicted labels, or pass --task regression "
        "if these are numbers to predict\n  See: heldout explain H107\n"
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


@pytest.mark.parametrize(
    ("arguments", "option", "example"),
    [
        (("evaluate", "f.csv", "--n-resamples"), "--n-resamples", "a whole number, such as 2000"),
        (
            ("validate", "m:M", "--data", "f.csv", "--target", "y_true", "--n-jobs"),
            "--n-jobs",
            "a whole number, such as 100",
        ),
        (("lab", "coverage", "--n"), "--n", "a whole number, such as 100"),
        (("demo", "--repeat"), "--repeat", "a whole number of 1 or more"),
    ],
)
def test_whole_numbers_that_no_array_counts(arguments, option, example):
    outcome = run(*arguments, 99999999999999999999)
    assert outcome.exit_code == 2
    assert outcome.stderr.partition("\n\n")[2] == (
        f"Error: Invalid value for '{option}': 99999999999999999999 is more than 9223372036854775807, the largest that "
        f"is read.\n  Fix: give {option} {example}\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("split", "f.csv", "--parts", f"{'x' * 300}=1,test=1"),
        ("runs", "x" * 300),
        ("evaluate", "f.csv", "--save", "x" * 5000),
    ],
    ids=["split", "runs", "save"],
)
def test_names_that_are_too_long_for_a_file(arguments):
    outcome = run(*arguments)
    assert outcome.exit_code == 2
    name = f"f-{'x' * 75}..." if arguments[0] == "split" else f"{'x' * 77}..."
    assert outcome.stderr == (
        f"error: a name is too long for a file: {name}: File name too long\n  Fix: choose a shorter name\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message", "fix"),
    [
        (
            ("compare", "f.csv", "f.csv", "--spending", "pocock"),
            "--spending has no effect without the number of planned looks",
            "add --looks K and --look k, or leave out --spending",
        ),
        (
            ("compare", "f.csv", "f.csv", "--look", "1"),
            "--look has no effect without the number of planned looks",
            "add --looks K, or leave out --look",
        ),
        (
            ("evaluate", "f.csv", "--alpha", "1e-300"),
            "--alpha is 1e-300, too near 0 for an interval",
            "for 5% write 0.05",
        ),
        (
            ("test", "likelihood-ratio", "0.3", "1.2", "--sigma0", "1e-300", "--sigma1", "1"),
            "--sigma0 is 1e-300, but must be a standard deviation from 1e-60 to 1e+60",
            "give a number such as 1",
        ),
        (
            (
                "validate",
                "sklearn.naive_bayes:GaussianNB",
                "--data",
                "f.csv",
                "--target",
                "y_true",
                "--holdout",
                "1e-9",
            ),
            "--holdout is 1e-09, but must be from 0.000001 to 0.999999",
            "for a third write 0.33",
        ),
    ],
)
def test_a_message_names_what_was_typed_and_a_fix_that_works(arguments, message, fix):
    outcome = run(*arguments)
    assert outcome.exit_code == 2
    assert outcome.stderr == f"error: {message}\n  Fix: {fix}\n"
