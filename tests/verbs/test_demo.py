from __future__ import annotations

import subprocess
import sys
import tempfile
from hashlib import sha256

import numpy as np
import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import verbs
from heldout.verbs.demo import (
    SITES,
    clinic,
    clinic_csv,
    clinic_truth,
    holds,
    true_differences,
    truth_line,
)


def test_the_demo_writes_the_same_file_everywhere():
    assert (
        sha256(clinic_csv().encode()).hexdigest() == "62b7e91b9a3c886d8513a708ae64e144ad88e4f0dfdb43eaf726672945a92b3f"
    )


def test_another_seed_is_another_file_from_the_same_world():
    assert clinic_csv(seed=1) == clinic_csv(seed=1)
    assert clinic_csv(seed=1) != clinic_csv(seed=2)


def test_visits():
    visits = clinic()
    assert len(set(visits["id"])) == 2000
    sizes = np.unique(visits["patient_id"], return_counts=True)[1]
    assert (len(sizes), set(sizes.tolist())) == (1001, {1, 2, 3})
    assert set(visits["site"]) == set(SITES)
    site_of = {(p, s) for p, s in zip(visits["patient_id"].tolist(), visits["site"].tolist(), strict=True)}
    assert len(site_of) == 1001  # a patient keeps to one site


@pytest.mark.parametrize("model", ["challenger", "champion"])
def test_the_truth_is_what_a_large_file_shows(model):
    visits, truth = clinic(rows=300_000, seed=5, model=model), clinic_truth(model=model)
    y, p = visits["y_true"], visits["y_prob"]
    said = p >= 0.2
    order = np.argsort(p, kind="stable")
    ranks = np.empty(len(p))
    ranks[order] = np.arange(1, len(p) + 1)
    positives = y.sum()
    area = (ranks[y == 1].sum() - positives * (positives + 1) / 2) / (positives * (len(y) - positives))
    assert y.mean() == pytest.approx(0.149, abs=0.003)
    assert area == pytest.approx(truth["roc_auc"], abs=0.004)
    assert (said == y).mean() == pytest.approx(truth["accuracy"], abs=0.003)
    assert said[y == 1].mean() == pytest.approx(truth["recall"], abs=0.008)
    assert 1 - said[y == 0].mean() == pytest.approx(truth["specificity"], abs=0.003)


def test_both_models_see_the_same_visits():
    old, new = clinic(rows=60_000, seed=5, model="champion"), clinic(rows=60_000, seed=5)
    for column in ("id", "patient_id", "site", "y_true"):
        assert np.array_equal(old[column], new[column])
    negative = new["y_true"] == 0
    latent = [np.log(one["y_prob"][negative] / (1 - one["y_prob"][negative])) for one in (old, new)]
    assert np.corrcoef(*latent)[0, 1] == pytest.approx(0.9, abs=0.01)


def test_the_challenger_is_really_better():
    new, old = clinic_truth(), clinic_truth(model="champion")
    assert true_differences() == {
        name: new[name] - old[name] for name in ("roc_auc", "accuracy", "recall", "specificity")
    }
    assert min(true_differences().values()) > 0


def test_visits_of_one_patient_are_alike():
    visits = clinic(rows=60_000, seed=5)
    second = visits["y_true"][1::6]
    third = visits["y_true"][2::6]
    assert np.corrcoef(second, third)[0, 1] > 0.1


def test_the_model_is_too_sure_of_itself():
    """Where the model says about 0.5 the true chance is lower odds ** 0.8 of it: log odds 0 stay 0, others shrink."""
    visits = clinic(rows=300_000, seed=6)
    near = (visits["y_prob"] > 0.88) & (visits["y_prob"] < 0.92)
    odds = (0.9 / 0.1) ** 0.8
    assert visits["y_true"][near].mean() == pytest.approx(odds / (1 + odds), abs=0.03)


def test_an_open_end_holds_everything_on_its_side():
    assert holds({"low": 0.1, "high": None}, 5.0)
    assert not holds({"low": 0.1, "high": None}, 0.05)
    assert not holds({"low": None, "high": 0.2}, 0.3)


def test_truth_line():
    found = {"roc_auc": {"low": 0.7, "high": 0.9}, "recall": {"low": 0.1, "high": 0.2}}
    assert truth_line(found, {"roc_auc": 0.82101, "recall": 0.5646, "npv": 0.5}) == (
        "TRUTH  The data are simulated, so the truth is known: roc_auc 0.8210, recall\n"
        "       0.5646. 1 of 2 intervals contain it; not that of recall."
    )
    assert truth_line({"roc_auc": found["roc_auc"]}, {"roc_auc": 0.82101}) == (
        "TRUTH  The data are simulated, so the truth is known: roc_auc 0.8210. The\n       interval contains it."
    )
    apart = {"roc_auc": {"low": -0.01, "high": 0.02}}
    assert truth_line(apart, {"roc_auc": 0.0291}, signed=True) == (
        "TRUTH  The data are simulated, so the true differences are known: roc_auc\n"
        "       +0.0291. 0 of 1 intervals contain them; not that of roc_auc."
    )


def run(*arguments):
    return CliRunner().invoke(verbs, list(map(str, arguments)))


@pytest.mark.parametrize("name", ["champion.csv", "challenger.csv", "challenger.html"])
def test_the_demo_writes_over_no_other_file(tmp_path, name):
    (tmp_path / name).write_text("mine", encoding="utf-8")
    found = run("demo", "--output", tmp_path)
    message = f"error: {tmp_path / name} exists already and is not written over\n"
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == f"{message}  Fix: remove it, or choose another folder\n"
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["mine"]
    if name.endswith(".csv"):
        with pytest.raises(heldout.UsageError, match="exists already and is not written over"):
            heldout.demo(tmp_path, rows=300)


def test_the_same_demo_may_be_run_again(tmp_path):
    first, second = (run("demo", "--output", tmp_path) for _ in range(2))
    assert (first.exit_code, second.exit_code, second.stdout) == (0, 0, first.stdout), second.stderr
    assert run("demo", "--output", tmp_path, "--seed", 5).exit_code == 2


def test_the_report_of_the_demo_is_written_though_its_reader_has_gone(tmp_path):
    command = [sys.executable, "-m", "heldout", "demo", "--output", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        started.stdout.close()
        errors = started.stderr.read()
    assert (started.returncode, errors) == (0, b"")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["challenger.csv", "challenger.html", "champion.csv"]


@pytest.mark.parametrize("where", ["evaluate.evaluate", "evaluation.Evaluation.report"])
def test_an_interrupted_demo_leaves_no_temporary_folder(where, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def interrupted(*_given, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"heldout.verbs.evaluate.{where}", interrupted)
    CliRunner().invoke(verbs, ["demo"])
    assert list(tmp_path.iterdir()) == []
