"""--report writes a page and says where; --threshold-from takes what a page froze."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import verbs
from heldout.verbs.demo import clinic_csv
from heldout.verbs.evaluate.chosen_rows import chosen_rows


def run(*arguments):
    return CliRunner().invoke(verbs, [*map(str, arguments)])


@pytest.fixture
def files(tmp_path):
    paths = {model: tmp_path / f"{model}.csv" for model in ("champion", "challenger")}
    for model, path in paths.items():
        path.write_text(clinic_csv(200, model=model), encoding="utf-8")
    return paths


def test_evaluate_writes_a_page_beside_its_answer(files, tmp_path):
    page = tmp_path / "page.html"
    plain = run("evaluate", files["champion"])
    result = run("evaluate", files["champion"], "--report", page)
    assert (result.exit_code, result.stdout, result.stderr) == (0, plain.stdout, f"wrote {page}\n")
    text = page.read_text(encoding="utf-8")
    assert "<h1>Evaluation of champion.csv</h1>" in text
    assert "<dt>command</dt><dd>heldout" in text


def test_compare_writes_a_page(files, tmp_path):
    page = tmp_path / "page.html"
    result = run("compare", *files.values(), "--primary", "roc_auc", "--report", page, "--quiet")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert "<h1>Comparison of champion and challenger</h1>" in page.read_text(encoding="utf-8")


def test_counts_have_a_page_too(tmp_path):
    page = tmp_path / "page.html"
    assert run("evaluate", "--wrong", 3, "--of", 20, "--report", page, "--quiet").exit_code == 0
    assert "3/20" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("verb", [["evaluate"], ["compare", "champion.csv"]])
def test_an_input_is_not_written_over(files, monkeypatch, verb):
    monkeypatch.chdir(files["champion"].parent)
    before = files["challenger"].read_text(encoding="utf-8")
    result = run(*verb, "challenger.csv", "--report", "challenger.csv")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: --report challenger.csv is an input and would be overwritten\n  Fix: choose another file\n"
    )
    assert files["challenger"].read_text(encoding="utf-8") == before


def test_a_frozen_threshold_is_used_elsewhere_and_refused_here(files, tmp_path):
    rows = chosen_rows(heldout.evaluate(str(files["champion"]), threshold=0.5).batch)
    frozen = tmp_path / "threshold.json"
    frozen.write_text(
        json.dumps({"schema": "heldout.threshold/1", "threshold": 0.3, "positive": 1, "chosen_on": rows}),
        encoding="utf-8",
    )
    refused = run("evaluate", files["champion"], "--threshold-from", frozen)
    assert refused.exit_code == 2
    assert refused.stderr == (
        f"error[H302] the threshold 0.3 of {frozen} was chosen on these 200 rows\n"
        "  Fix: judge it on other rows, or pass --allow-overlap for a result that is "
        "flagged\n  See: heldout explain H302\n"
    )
    flagged = run("evaluate", files["champion"], "--threshold-from", frozen, "--allow-overlap")
    assert flagged.exit_code == 0
    assert "note H302  the threshold 0.3 was chosen on these 200 rows" in flagged.stdout
    other = tmp_path / "other.csv"
    other.write_text(clinic_csv(200, 99), encoding="utf-8")
    elsewhere = run("evaluate", other, "--threshold-from", frozen)
    assert elsewhere.exit_code == 0
    assert "threshold=0.3" in elsewhere.stdout
    assert "H302" not in elsewhere.stdout
    both = run("evaluate", other, "--threshold-from", frozen, "--threshold", 0.2)
    assert (both.exit_code, both.stderr) == (
        2,
        "error: --threshold and --threshold-from exclude each other\n  Fix: leave one of them out\n",
    )
