"""Learners and limited data: row F10 of what the system must do."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import heldout
from heldout.cli import verbs

SETS = (
    *("adult", "breast", "wisconsin", "cmc", "ionosphere", "iris", "liver"),
    *("lung", "lympho", "mushroom", "tumor", "rheum", "voting", "wine"),
)
SCORES = {
    "C4.5": [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.940, 0.619, 0.972, 0.957],
    "C4.5+m": [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981, 0.978],
    "C4.5+cf": [0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1.0, 0.965, 0.614, 0.975, 0.946],
    "C4.5+m+cf": [0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1.0, 0.962, 0.669, 0.975, 0.970],
}
"""Fourteen data sets, C4.5 and three variants, as Demšar (2006) prints them."""


@pytest.fixture
def printed():
    return {"dataset": SETS, **SCORES}


@pytest.fixture
def ranks(printed):
    """The paper's ranks: those of the printed scores, but for "voting", whose unrounded scores did not tie."""
    found = len(SCORES) + 1 - np.apply_along_axis(_rising, 1, np.array(list(SCORES.values())).T)
    found[SETS.index("voting")] = [4, 1, 2, 3]
    return {"dataset": SETS, **dict(zip(SCORES, found.T, strict=True))}


def _rising(scores):
    return np.array([np.sum(scores < one) + (np.sum(scores == one) + 1) / 2 for one in scores])


def test_F10_the_published_example_from_its_ranks(ranks):
    options = {"better": "lower", "tie_correction": False}
    found = heldout.compare_across_sets(ranks, post_hoc="nemenyi", **options)
    assert found.ranks == pytest.approx(
        {"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964}, abs=5e-4
    )
    assert found.friedman.chi_square == pytest.approx(9.28, abs=5e-3)
    assert found.friedman.f == pytest.approx(3.69, abs=5e-3)
    assert found.friedman.f_pvalue < 0.05
    assert found.critical_difference == pytest.approx(1.25, abs=5e-3)
    assert found.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    at_ten = heldout.compare_across_sets(ranks, post_hoc="nemenyi", confidence_level=0.9, **options)
    assert at_ten.critical_difference == pytest.approx(1.12, abs=5e-3)
    assert {(one.a, one.b) for one in at_ten.pairs if one.verdict == "BETTER"} == {
        ("C4.5+m", "C4.5"),
        ("C4.5+m+cf", "C4.5"),
    }


def test_F10_the_published_example_against_a_control(ranks):
    found = heldout.compare_across_sets(ranks, post_hoc="control", better="lower")
    assert [one.pvalue for one in found.pairs] == pytest.approx([0.0192, 0.6084, 0.0157], abs=5e-5)
    assert [one.verdict for one in found.pairs] == ["BETTER", "UNDECIDED", "BETTER"]


def test_F10_trap_the_printed_scores_tie_where_the_papers_ranks_do_not(printed):
    found = heldout.compare_across_sets(printed)
    assert found.ranks["C4.5+cf"] == pytest.approx(2.929, abs=5e-4)
    assert found.ranks["C4.5+m+cf"] == pytest.approx(1.929, abs=5e-4)
    assert found.friedman.chi_square == pytest.approx(10.952, abs=5e-4)
    plain = heldout.compare_across_sets(printed, tie_correction=False)
    assert plain.friedman.chi_square == pytest.approx(9.857, abs=5e-4)


def test_F10_wilcoxon_of_two_learners_splits_zeros(printed):
    found = heldout.compare_across_sets({name: printed[name] for name in ("dataset", "C4.5", "C4.5+m")})
    (pair,) = found.pairs
    assert (pair.statistic, pair.verdict) == (12.0, "BETTER")  # the critical value of 14 data sets is 21
    assert 0 < pair.low < pair.value < pair.high


def test_F10_on_the_command_line_with_an_effect_and_an_interval_for_every_p_value(printed, tmp_path):
    rows = zip(SETS, *SCORES.values(), strict=True)
    lines = [",".join(printed), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["compare", str(tmp_path / "scores.csv"), "--across-sets", "--rope", "0.01", "--format", "json"]
    result = CliRunner().invoke(verbs, command)
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert len(answer["pairs"]) == 6
    for one in answer["pairs"]:
        assert one["low"] <= one["value"] <= one["high"]
        assert sum(one["practical"].values()) == pytest.approx(1)
