"""`python -m benchmarks`, its profile, its doctests, and the versions of the peers."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import benchmarks
import benchmarks.__main__ as program
from benchmarks import profiles, results
from benchmarks.__main__ import TASKS, main

ROOT = Path(__file__).parents[2]
MODULES = sorted(found.name for found in pkgutil.walk_packages(benchmarks.__path__, "benchmarks."))


def run(*words: str):
    return CliRunner().invoke(main, words)


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return {package.lower(): version for package, version in (line.split("==") for line in lines)}


@pytest.fixture
def quick(monkeypatch):
    """One task beside scikit-learn, so quick that all of it can be run."""
    task = replace(TASKS["losses"], rows=2000)
    monkeypatch.setitem(TASKS, "losses", task)
    return task


def test_a_task_nobody_knows():
    ended = run("--task", "auk")
    assert ended.exit_code == 2
    assert ended.stderr.splitlines()[-1] == (
        f"Error: no task is named 'auk'; did you mean 'auc'?; choose among {', '.join(TASKS)}"
    )


@pytest.mark.usefixtures("quick")
def test_fewer_rows_write_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(results, "PATH", tmp_path / "results.json")
    ended = run("--task", "losses", "--rows", "1e3", "--rounds", "1", "--ratios")
    assert ended.exit_code == 0, ended.output
    assert "scikit-learn log_loss + brier_score_loss" in ended.stdout
    assert ended.stdout.splitlines()[-1] == "Fewer rows than the tasks are about: nothing is written."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("quick")
def test_a_task_run_again_is_written_beside_the_others(monkeypatch, tmp_path):
    path = tmp_path / "results.json"
    other = {"task": "auc", "ratio": 3.0}
    kept = {**results.results([], [], []), "results": [other]}
    results.write(kept, path)
    shown = []
    monkeypatch.setattr(results, "PATH", path)
    monkeypatch.setattr(program, "write_pages", lambda found: shown.append(found) or [])
    ended = run("--task", "losses", "--rounds", "1", "--ratios")
    assert ended.exit_code == 0, ended.output
    assert ended.stdout.splitlines()[-1] == "Wrote results.json."
    first, second = results.read(path)["results"]
    assert (first, second["task"], second["rows"]) == (other, "losses", 2000)
    assert shown == [results.read(path)]


@pytest.mark.usefixtures("quick")
def test_results_of_other_versions_are_not_mixed(monkeypatch, tmp_path):
    path = tmp_path / "results.json"
    results.write({**results.results([], [], []), "versions": {"numpy": "0"}}, path)
    before = path.read_bytes()
    monkeypatch.setattr(results, "PATH", path)
    ended = run("--task", "losses", "--rounds", "1", "--ratios")
    said = "Another machine or other versions than in results.json: run all tasks to replace it."
    assert (ended.exit_code, ended.stdout.splitlines()[-1]) == (0, said)
    assert path.read_bytes() == before


@pytest.mark.usefixtures("quick")
def test_numbers_that_do_not_agree_end_with_an_error(monkeypatch):
    (peer,) = TASKS["losses"].peers
    monkeypatch.setitem(TASKS, "losses", replace(TASKS["losses"], peers=(replace(peer, gap=lambda ours, theirs: 0.5),)))
    ended = run("--task", "losses", "--rows", "1e3", "--rounds", "1", "--ratios")
    assert ended.exit_code == 1
    assert ended.stderr.splitlines()[-2:] == [
        "Numbers that do not agree:",
        "losses: scikit-learn log_loss + brier_score_loss: differs by 5.0e-01",
    ]


@pytest.mark.usefixtures("quick")
def test_a_task_that_fails_does_not_lose_the_others(monkeypatch):
    def broken(data):
        raise RuntimeError("out of paper")

    monkeypatch.setitem(TASKS, "auc", replace(TASKS["auc"], ours=broken))
    ended = run("--task", "auc,losses", "--rows", "1e3", "--rounds", "1", "--ratios")
    assert ended.exit_code == 1
    assert "scikit-learn log_loss + brier_score_loss" in ended.stdout
    assert ended.stderr.splitlines()[-2:] == ["What did not run:", "auc: RuntimeError: out of paper"]


def test_the_profile_names_functions_without_paths():
    page = profiles.profile_page(profiles.profile(TASKS["losses"], rows=1000), rows=1000)
    assert page.startswith("<!-- profile -->\n\n10³ rows, ")
    assert "| `heldout.verbs.evaluate.evaluate: evaluate` | 1 | " in page
    assert str(ROOT) not in page
    assert "/" not in page


def test_functions_have_short_names():
    assert profiles.function_name("/a/site-packages/numpy/lib/_x.py", "f") == "numpy.lib._x: f"
    assert profiles.function_name("/a/lib/functools.py", "__get__") == "functools: __get__"
    assert profiles.function_name("~", "<built-in method numpy.zeros>") == "numpy.zeros"


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_run(name):
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.failed == 0


def test_the_peers_have_the_versions_the_tests_have():
    here, peers = pins("constraints.txt"), pins("benchmarks/requirements.txt")
    assert {name: version for name, version in peers.items() if name in here} == {
        name: version for name, version in here.items() if name in peers
    }
    assert {"scikit-learn", "numpy"} <= set(peers) & set(here)
    assert pins("benchmarks/requirements-nodeps.txt").keys() == {"confidenceinterval"}
