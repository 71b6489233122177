"""Nasty files through the command line: those we make ourselves, and those of the folder that HELDOUT_ORACLES names."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.nasty.make import make
from tests.nasty.run import KINDS, Answer, judged, main, verdicts

ORACLES = os.environ.get("HELDOUT_ORACLES")


@pytest.mark.slow
def test_our_own_nasty_files(tmp_path):
    made = make(tmp_path)
    found = list(verdicts(tmp_path))
    assert [f"{verdict.file}: {verdict.why}" for verdict in found if verdict.ending != "agree"] == []
    assert len(found) == made


@pytest.mark.oracles
@pytest.mark.skipif(not ORACLES, reason="HELDOUT_ORACLES names no folder of reference files")
def test_every_nasty_file_of_the_oracles(capsys):
    found = list(verdicts(Path(ORACLES) / "nasty"))
    answered = [verdict for verdict in found if verdict.kind in KINDS]
    with capsys.disabled():
        print(f" {len(answered)} of {len(found)} nasty files ran", end="")
    assert [f"{verdict.file}: {verdict.why}" for verdict in answered if verdict.ending != "agree"] == []
    assert answered


def test_the_runner_notices_what_is_wrong(tmp_path, capsys):
    (tmp_path / "good.csv").write_text("y,p\nYes,0.9\nNo,0.2\n", encoding="utf-8")
    wrong = [
        ("ok", [], {"roc_auc": 0.5}),
        ("error", [], {}),
        ("warn", ["nothing of the kind"], {}),
        ("ok", [], {"roc_auc": 1.0}),
    ]
    files = [
        {
            "file": "good.csv",
            "kind": "predictions",
            "expect": {"outcome": outcome, "must_mention": words},
            "expected": figures,
        }
        for outcome, words, figures in wrong
    ]
    files.append({"file": "x.wav", "kind": "sound", "expect": {"outcome": "ok", "must_mention": []}})
    (tmp_path / "manifest.json").write_text(json.dumps({"files": files}), encoding="utf-8")
    assert main(tmp_path) == 1
    *told, predictions, sounds = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in told if line.startswith("good.csv")] == [
        "good.csv (predictions): roc_auc is 1.0, expected 0.5",
        "good.csv (predictions): exit 0 where a refusal (2) was expected",
        "good.csv (predictions): 'nothing of the kind' is not mentioned",
    ]
    assert predictions == "predictions     1 agree    3 differ    0 not answered"
    assert sounds == "sound           0 agree    0 differ    1 not answered"


def test_a_traceback_is_never_a_good_answer():
    entry = {"file": "a.csv", "kind": "predictions", "expect": {"outcome": "ok or clear error", "must_mention": []}}
    assert judged(entry, Answer(code=2, said="error a.csv\n  Fix: b", result=None)) == []
    assert judged(entry, Answer(code=2, said="Traceback a.csv\n  Fix: b", result=None)) != []
    assert judged(entry, Answer(code=5, said="error a.csv\n  Fix: b", result=None)) != []
