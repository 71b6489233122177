"""Options that would change nothing are refused with one sentence and a fix, never accepted in silence."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import heldout
from heldout import lab, plan
from heldout.cli import verbs
from heldout.errors import HeldoutError


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


def table(name, columns):
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    with open(name, "w", encoding="utf-8") as file:  # noqa: PTH123 the names are short
        file.write("\n".join(lines) + "\n")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Labels, scores, numbers and texts, in small files."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    truth = np.tile([0, 1], 50)
    score = np.clip(rng.normal(0.4 + 0.2 * truth, 0.2), 0.01, 0.99).round(3)
    other = np.clip(rng.normal(0.4 + 0.2 * truth, 0.2), 0.01, 0.99).round(3)
    table("labels.csv", {"y_true": truth, "y_pred": (score > 0.5).astype(int)})
    table("more.csv", {"y_true": truth, "y_pred": (other > 0.5).astype(int)})
    table("scores.csv", {"y_true": truth, "y_score": score})
    table("other.csv", {"y_true": truth, "y_score": other})
    table("logits.csv", {"y_true": truth, "y_score": (10 * score - 5).round(3)})
    table("numbers.csv", {"y_true": rng.normal(size=40).round(3), "y_pred": rng.normal(size=40).round(3)})
    table("train.csv", {"age": np.arange(60), "target": np.tile([0, 1, 1], 20)})
    table("rows.csv", {"a": rng.normal(size=60).round(3), "b": np.arange(60), "y": np.tile(["n", "p"], 30)})
    (tmp_path / "costs.csv").write_text(",n,p\nn,0,1\np,10,0\n", encoding="utf-8")
    lines = "\n".join(f"people number {i} like foreign cars" for i in range(9)) + "\n"
    for name in ("references.txt", "system.txt"):
        (tmp_path / name).write_text(lines, encoding="utf-8")


VALIDATE = ("validate", "sklearn.naive_bayes:GaussianNB", "--data", "rows.csv", "--target", "y", "--cv", "3")
NO_SCORES = "y_pred holds predictions, and there are no scores"
NAME_SCORES = "leave it out, or name the scores: --score"
RANKING = "roc_auc, computed from scores, not from predicted labels"
PILOTS = ("--pilot", "scores.csv", "--pilot", "other.csv")
COUNTED = ("--world", "coin:p=0.1", "--n", "20", "--n-resamples", "99")
PAIRED = ("--world", "pair-coin:p=0.8", "--n", "50", "--n-resamples", "99")
REFUSED = {
    (*VALIDATE[:-2], "--time", "a", "--stratify", "y"): (
        "--stratify COLUMN has no effect with --cv time: its splits do not stratify",
        "leave it out, or take folds, which do: --cv 10",
    ),
    (*VALIDATE, "--drop", "y"): (
        "--drop y is the target, which is never a feature",
        "leave it out, or name another target than y",
    ),
    (*VALIDATE, "--cost", "costs.csv", "-m", "accuracy"): (
        "the costs have no effect on accuracy",
        "add the metric: --metric cost, or leave out the costs",
    ),
    ("text", "references.txt", "system.txt", "--smoothing-value", "0.1"): (
        "--smoothing-value has no effect on the smoothing exp",
        "choose --smoothing floor or add-k, or leave it out",
    ),
    ("text", "references.txt", "system.txt", "--layer", "3"): (
        "--layer has no effect without bertscore",
        "add --metric bertscore, or leave out --layer",
    ),
    ("text", "references.txt", "system.txt", "--embedder", "bert"): (
        "--embedder has no effect without bertscore",
        "add --metric bertscore, or leave out --embedder",
    ),
    ("text", "references.txt", "system.txt", "--idf"): (
        "--idf has no effect without bertscore",
        "add --metric bertscore, or leave out --idf",
    ),
    ("text", "references.txt", "system.txt", "--test", "t"): (
        "--test has no effect with one system: there is no difference",
        "leave out --test",
    ),
    ("text", "references.txt", "system.txt", "--margin", "1"): (
        "--margin has no effect with one system: there is no difference",
        "leave out --margin",
    ),
    ("evaluate", "labels.csv", "--threshold", "0.3"): (f"the threshold has no effect: {NO_SCORES}", NAME_SCORES),
    ("evaluate", "labels.csv", "--link", "logit"): (f"the link has no effect: {NO_SCORES}", NAME_SCORES),
    ("evaluate", "labels.csv", "--threshold", "0.3", "--engine", "local"): (
        f"the threshold has no effect: {NO_SCORES}",
        NAME_SCORES,
    ),
    ("compare", "labels.csv", "more.csv", "--threshold", "0.3"): (
        f"the threshold has no effect: {NO_SCORES}",
        NAME_SCORES,
    ),
    ("compare", "labels.csv", "more.csv", "--link", "logit"): (f"the link has no effect: {NO_SCORES}", NAME_SCORES),
    ("compare", "labels.csv", "more.csv", "--link", "logit", "--unpaired"): (
        f"the link has no effect: {NO_SCORES}",
        NAME_SCORES,
    ),
    ("compare", "labels.csv", "more.csv", "--link", "logit", "--engine", "local"): (
        f"the link has no effect: {NO_SCORES}",
        NAME_SCORES,
    ),
    ("gate", "scores.csv", "other.csv", "--primary", "roc_auc", "--margin", "0.1", "--threshold", "0.3"): (
        f"the threshold has no effect on {RANKING}",
        "leave out --threshold",
    ),
    ("compare", "scores.csv", "other.csv", "--metric", "roc_auc", "--threshold", "0.3"): (
        f"the threshold has no effect on {RANKING}",
        "leave out --threshold",
    ),
    ("plan", "difference", "roc_auc", "--gain", "0.05", *PILOTS, "--threshold", "0.3"): (
        f"the threshold has no effect on {RANKING}",
        "leave out --threshold",
    ),
    ("plan", "interval", "roc_auc", "--half-width", "0.05", *PILOTS[:2], "--threshold", "0.3"): (
        f"the threshold has no effect on {RANKING}",
        "leave out --threshold",
    ),
    ("plan", "power", "roc_auc", "0.8", "--rows", "100", "--prevalence", "0.3", "--correlation", "0.5"): (
        "--correlation has no effect without a gain: one area is compared with 1/2",
        "give --gain, or leave out --correlation",
    ),
    ("lab", "bias-variance", "--learner", "linear", "--world", "gaussian:distance=2", "--design", "random"): (
        "--design has no effect in the world gaussian:distance=2: x is sampled again for every training set",
        "leave out --design",
    ),
    ("lab", "coverage", "wilson", *COUNTED): (
        "--n-resamples has no effect on wilson, which does not resample",
        "leave out --n-resamples",
    ),
    ("lab", "size", "mcnemar", "exact", *PAIRED): (
        "--n-resamples has no effect on mcnemar, exact, which do not resample",
        "leave out --n-resamples",
    ),
    ("lab", "power", "mcnemar", "--world", "pair-coin:p=0.8,gain=0.1", *PAIRED[2:]): (
        "--n-resamples has no effect on mcnemar, which does not resample",
        "leave out --n-resamples",
    ),
    ("evaluate", "scores.csv", "--allow-overlap"): (
        "--allow-overlap has no effect: there is nothing that rows could be shared with",
        "leave it out, or give --train FILE or --threshold-from FILE",
    ),
}


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_what_has_no_effect_is_refused(arguments):
    message, fix = REFUSED[arguments]
    found = run(*arguments)
    assert (found.exit_code, found.stderr) == (2, f"error: {message}\n  Fix: {fix}\n")


def test_labels_of_numbers_to_predict():
    assert run("evaluate", "numbers.csv", "--labels", "a,b").stderr == (
        "error[H107] labels ('a', 'b') were given, and the task is regression\n"
        "  Fix: leave them out, or state the task: --task multiclass\n  See: heldout explain H107\n"
    )


def test_training_data_that_cannot_be_compared():
    assert run("evaluate", "scores.csv", "--train", "train.csv").stderr == (
        "error[H106] train.csv and scores.csv share no id, group, time or feature columns, so the two cannot be "
        "compared\n"
        "  Fix: name a column of both with --id or --group, export the features with the predictions, "
        "or leave out --train\n  See: heldout explain H106\n"
    )


def test_costs_of_learners_are_computed():
    found = json.loads(run(*VALIDATE, "--cost", "costs.csv", "--json").stdout)
    (estimates,) = found["estimates"].values()
    assert list(estimates) == ["accuracy", "roc_auc", "log_loss", "brier", "cost", "cost_minimum_risk"]


def test_the_same_in_python():
    truth, labels, scores = [0, 1] * 20, [0, 1, 1, 1] * 10, np.linspace(0.1, 0.9, 40)
    for call, message in (
        (lambda: heldout.evaluate(truth, labels, threshold=0.3), f"the threshold has no effect: {NO_SCORES}"),
        (
            lambda: heldout.compare(truth, {"a": labels, "b": truth}, link="logit"),
            f"the link has no effect: {NO_SCORES}",
        ),
        (
            lambda: heldout.gate(truth, {"a": scores, "b": scores}, primary="roc_auc", margin=0.1, threshold=0.2),
            f"the threshold has no effect on {RANKING}",
        ),
        (
            lambda: heldout.evaluate(truth, labels, allow_overlap=True),
            "allow_overlap has no effect: there is nothing that rows could be shared with",
        ),
        (
            lambda: lab.coverage("wilson", "coin:p=0.1", 20, n_resamples=99),
            "n_resamples has no effect on wilson, which does not resample",
        ),
        (
            lambda: plan.power("roc_auc", 0.8, rows=100, prevalence=0.3, correlation=0.5),
            "correlation has no effect without a gain: one area is compared with 1/2",
        ),
    ):
        with pytest.raises(HeldoutError) as problem:
            call()
        assert problem.value.message == message


def test_a_threshold_counts_where_one_of_two_models_has_scores():
    truth = [0, 1] * 20
    found = heldout.compare(truth, {"a": [0, 1, 1, 1] * 10, "b": np.tile([0.1, 0.4], 20)}, threshold=0.3)
    assert found["accuracy"].value == 0.25


def test_logits_that_look_like_probabilities():
    found = json.loads(run("evaluate", "scores.csv", "--link", "logit", "--threshold", "0.6", "--json").stdout)
    assert [check["text"] for check in found["checks"][:2]] == [
        "y_score lies in [0, 1], so these look like probabilities, not logits: leave out --link (link=)",
        "the threshold 0.6 is on the scale of probabilities, to which logits are converted",
    ]
    found = json.loads(run("evaluate", "logits.csv", "--link", "logit", "--json").stdout)
    assert [check["code"] for check in found["checks"] if check["code"] == "H306"] == []
