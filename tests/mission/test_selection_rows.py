"""Model selection: rows G1 to G4 of what the system must do, and A9."""

from __future__ import annotations

import json
from math import isnan, sqrt

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.metrics import accuracy_score

import heldout
from heldout.cli import verbs
from tests.search.learners import Cut, Stump, beyond, coins, planted

STUMPS = {"stump": (Stump(), {"column": list(range(10))})}


@pytest.fixture
def screen(tmp_path, monkeypatch):
    """Run `heldout select` on rows of a file and give what its JSON says."""
    monkeypatch.chdir(tmp_path)
    X, y = planted(rows=150, columns=4, which=2)
    lines = [",".join([*(f"{x:.3f}" for x in row), str(kind)]) for row, kind in zip(X, y, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,c,d,y", *lines]) + "\n", encoding="utf-8")
    (tmp_path / "candidates.toml").write_text(
        '[tree]\nlearner = "sklearn.tree:DecisionTreeClassifier"\n[tree.grid]\nmax_depth = [1, 2, 9]\n',
        encoding="utf-8",
    )

    def run(*options):
        words = ["select", "candidates.toml", "--data", "rows.csv", "--target", "y", "--format", "json", *options]
        ended = CliRunner().invoke(verbs, words)
        assert ended.exit_code == 0, ended.output
        return json.loads(ended.stdout)

    return run


def test_G1_chosen_on_validation_retrained_judged_on_test_and_delivered_on_all_rows():
    X, y = planted(rows=180)
    found = heldout.select(STUMPS, X, y, protocol="single", test_size=1 / 3, validation_size=1 / 3)
    chosen, judged, final = found.models
    assert [(one.role, one.rows) for one in found.models] == [("chosen", 80), ("judged", 120), ("final", 180)]
    (outer,) = found.outside.splits
    test, rest = outer.test, np.setdiff1d(np.arange(180), outer.test)
    again = Stump(found.parameters["column"]).fit(X[rest], y[rest])
    assert judged.value == found.corrected.value == pytest.approx(accuracy_score(y[test], again.predict(X[test])))
    assert found.corrected.low < found.corrected.value < found.corrected.high
    assert chosen.value == found.apparent != found.corrected.value
    assert "not to be reported" in chosen.says
    assert "the number to report" in judged.says
    assert isnan(final.value)
    delivered, of_all = found.fitted(), Stump(7).fit(X, y)
    assert (delivered.column, delivered.cut_) == (7, pytest.approx(of_all.cut_))
    assert delivered.cut_ != again.cut_


def test_G1_on_the_command_line(screen):
    said = screen("--protocol", "single")
    assert [(one["role"], one["rows"]) for one in said["models"]] == [("chosen", 66), ("judged", 100), ("final", 150)]
    assert said["models"][0]["value"] == said["winner"]["apparent"]
    assert said["models"][1]["value"] == said["estimates"]["accuracy"]["value"]
    assert said["models"][2]["value"] is None


def test_G2_k_validation_sets_with_the_same_protocol():
    X, y = planted(rows=180)
    found = heldout.select(STUMPS, X, y, protocol="single", inner_cv=4)
    assert [(one.role, one.rows) for one in found.models] == [("chosen", 90), ("judged", 120), ("final", 180)]
    assert {len(one.values) for one in found.configurations} == {4}
    assert found.winner == "stump(column=7)"


def test_G2_nested_cross_validation_makes_every_choice_without_the_rows_that_judge_it():
    X, y = planted(rows=120, columns=3, which=0)
    looked = []

    class Watched(Stump):
        def fit(self, X, y):
            looked.append((self.column, len(X)))
            return super().fit(X, y)

    found = heldout.select({"stump": (Watched(), {"column": [0, 1, 2]})}, X, y, cv=4, inner_cv=3)
    # 3 columns on 3 inner parts of each of 4 outer parts (60 of 90 rows), then on 3 parts of all rows (80 of 120)
    assert looked.count((1, 60)) == looked.count((2, 60)) == 12
    assert looked.count((1, 80)) == looked.count((2, 80)) == 3
    assert looked.count((0, 90)) == 4
    assert looked.count((0, 120)) == 1
    assert found.choices == ("stump(column=0)",) * 4
    assert found.corrected.target == "this search on about 90 rows"


@pytest.mark.parametrize(
    ("search", "options"),
    [
        ("grid", {}),
        ("random", {"n_trials": 60}),
        *(("guided", {"n_trials": 60, "sampler": sampler}) for sampler in ("tpe", "nsgaii", "annealing")),
    ],
)
def test_G3_grid_random_and_guided_search_find_the_planted_configuration(search, options):
    X, y = beyond(at=0.7, rows=900)
    values = [-2, -1.3, -0.6, 0.1, 0.7, 1.4, 2.1] if search == "grid" else {"low": -3.0, "high": 3.0}
    given = {"cut": (Cut(), {"at": values})}
    found = heldout.select(given, X, y, protocol="single", search=search, **options)
    assert found.parameters["at"] == pytest.approx(0.7, abs=0.25)
    assert found.corrected > 0.85


def test_G3_on_the_command_line(screen):
    for search, trials in (("grid", []), ("random", ["--n-trials", "4"]), ("guided", ["--n-trials", "4"])):
        said = screen("--protocol", "single", "--search", search, *trials)
        assert said["search"]["kind"] == search
        assert 1 <= said["search"]["configurations"] <= 3


@pytest.mark.slow
def test_G4_without_true_differences_the_honest_score_is_unbiased_and_the_winners_own_is_not():
    given = {"stump": (Stump(), {"column": list(range(50))})}
    options = {"inner_cv": 3, "checks": False}
    nested = [heldout.select(given, *coins(seed, rows=40), cv=4, **options, random_state=seed) for seed in range(9)]
    honest = np.array([one.corrected.value for one in nested])
    own = np.array([one.apparent for one in nested])
    assert abs(honest.mean() - 0.5) < 3 * honest.std(ddof=1) / sqrt(len(honest))
    assert own.mean() - 0.5 > 0.12
    assert np.mean([one.optimism for one in nested]) > 0.1


@pytest.mark.slow
def test_G4_bbc_removes_the_optimism_without_a_further_fit():
    given = {"stump": (Stump(), {"column": list(range(50))})}
    drawn = [
        heldout.select(given, *coins(seed), protocol="bbc", inner_cv=3, random_state=seed)
        for seed in range(12)
    ]  # fmt: skip
    left = np.array([one.corrected.value - 0.5 for one in drawn])
    optimism = np.array([one.apparent - 0.5 for one in drawn])
    assert {one.fits for one in drawn} == {50 * 3 + 1}
    assert optimism.mean() > 0.12
    assert abs(left.mean()) < 0.25 * optimism.mean()
    assert all(one.corrected.low < 0.5 < one.corrected.high for one in drawn)


def test_A9_the_model_to_use_is_of_all_rows_and_says_which_estimate_belongs_to_it():
    X, y = planted(rows=120)
    for method in ("nested", "bbc", "single"):
        found = heldout.select(STUMPS, X, y, protocol=method, inner_cv=3)
        final = found.models[-1]
        assert (final.role, final.rows) == ("final", 120)
        assert "no rows are left to evaluate it, and the corrected score, of models of fewer rows" in final.says
        assert found.fitted().cut_ == pytest.approx(Stump(7).fit(X, y).cut_)
