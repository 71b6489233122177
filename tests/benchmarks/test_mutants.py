"""The tool that tests the tests: which changes it makes, that they take effect, and what was measured with it."""

from __future__ import annotations

import ast
import importlib.util
import json
import sys
import textwrap

import pytest

from benchmarks.mutants import results
from benchmarks.mutants.operators import mutants_of
from benchmarks.mutants.rooms import ROOMS, files_of, own_tests
from benchmarks.mutants.trials import LiveFunctions

SOURCE = '''
"""A module."""
from functools import wraps

LIMIT = 3
NAMES = {"left": 1, "a text for readers": 2}


def doubled(function):
    @wraps(function)
    def inner(x):
        return 2 * function(x)

    return inner


@doubled
def plain(x: "int" = 5) -> "int":
    """Two lines of

    documentation."""
    if x > LIMIT and not x == 7:
        raise ValueError(f"too large: {x}")
    return max(x, -1)


def sums(values):
    total = 0
    for value in values:
        if value is None:
            continue
        total += value * 1.5
    print("done", end="")
    return total, sorted(values, key=lambda one: one[0])
'''


@pytest.fixture
def made(tmp_path):
    path = tmp_path / "sample.py"
    path.write_text(textwrap.dedent(SOURCE), encoding="utf-8")
    return path, *mutants_of(path, tmp_path)


def test_every_operator_changes_what_it_should(made):
    _, _, mutants = made
    changes = {(one.function, one.before, one.after) for one in mutants}
    assert changes >= {
        ("<module>", "3", "4"),
        ("<module>", "{'left': 1, 'a text for readers': 2}", "{'right': 1, 'a text for readers': 2}"),
        ("<module>", "5", "6"),
        ("doubled.inner", "2 * function(x)", "2 / function(x)"),
        ("doubled.inner", "2 * function(x)", "3 * function(x)"),
        ("plain", "x > LIMIT and (not x == 7)", "x > LIMIT or not x == 7"),
        ("plain", "x > LIMIT and (not x == 7)", "not (x > LIMIT and (not x == 7))"),
        ("plain", "x > LIMIT", "x >= LIMIT"),
        ("plain", "not x == 7", "x == 7"),
        ("plain", "max(x, -1)", "min(x, -1)"),
        ("plain", "max(x, -1)", "max(x)"),
        ("plain", "-1", "1"),
        ("sums", "continue", "break"),
        ("sums", "total += value * 1.5", "total -= value * 1.5"),
        ("sums", "print('done', end='')", "(removed)"),
        ("sums", "print('done', end='')", "print('done')"),
        ("sums", "value is None", "value is not None"),
        ("sums.<lambda>", "one[0]", "one[1]"),
    }
    texts = " ".join(one.after for one in mutants)
    assert "documentation" not in texts
    assert "XXa text" not in texts
    assert "XXint" not in texts
    assert len({one.name for one in mutants}) == len(mutants)


def test_a_change_is_undone(made):
    path, tree, mutants = made
    before = ast.dump(tree)
    for one in mutants:
        undo = one.apply()
        changed = ast.dump(tree)
        compile(tree, str(path), "exec")
        undo()
        assert changed != before
        assert ast.dump(tree) == before


def test_functions_that_exist_are_changed_wherever_they_are_held(made, tmp_path):
    path, tree, mutants = made
    spec = importlib.util.spec_from_file_location("sample", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    held = {"plain": module.plain}
    live = LiveFunctions(tmp_path, {"sample.py": tree})
    assert held["plain"](2) == 4
    (one,) = [one for one in mutants if (one.function, one.after) == ("doubled.inner", "3 * function(x)")]
    assert live.can_change(one)
    live.change(one)
    assert held["plain"](2) == 6  # behind a decorator, in a dictionary
    (default,) = [one for one in mutants if (one.function, one.after) == ("<module>", "6")]
    assert not default.scopes  # runs at import
    assert not live.can_change(default)
    assert "sample" not in sys.modules


def test_every_room_has_files_and_every_file_its_tests():
    for room in ROOMS:
        for file in files_of(room):
            assert (results.ROOT / file).exists()
    assert own_tests("src/heldout/stats/wilcoxon.py") == ("src/heldout/stats/wilcoxon.py", "tests/stats/test_wilcoxon")


MEASURED = json.loads(results.TARGET.read_text(encoding="utf-8")) if results.TARGET.exists() else {"rooms": {}}


@pytest.mark.parametrize("room", MEASURED["rooms"])
def test_nine_of_ten_mutants_are_killed_and_every_survivor_has_a_reason(room):
    one = MEASURED["rooms"][room]
    assert one["killed"] / one["mutants"] >= 0.9
    assert results.UNEXPLAINED not in one["survivors"]
    assert sum(map(len, one["survivors"].values())) == one["mutants"] - one["killed"]
    assert set(one["survivors"]) <= set(MEASURED["reasons"])


def test_the_tables_for_the_documentation():
    found = {
        "rooms": {"stats": {"mutants": 1200, "killed": 1180, "survivors": {"rounding": ["a"] * 15, "seed": ["b"] * 5}}},
        "reasons": {"rounding": "equal but for rounding", "seed": "any seed is as good"},
    }
    assert results.room_table(found).splitlines()[-1] == "| `stats` | 1,200 | 1,180 | 98.3% | 20 |"
    assert results.reason_table(found).splitlines()[-2:] == [
        "| 15 | rounding: equal but for rounding |",
        "| 5 | seed: any seed is as good |",
    ]


def test_files_that_are_tried_again_replace_what_was_known_of_them():
    survivors = {"rounding": ["a.py f: 1 -> 2", "b.py g: 1 -> 2"], "seed": ["a.py h: 0 -> 1"]}
    known = {"mutants": 12, "killed": 9, "minutes": 5.0, "survivors": survivors}
    tried = {"mutants": 7, "killed": 6, "minutes": 0.1, "survivors": {"rounding": ["a.py f: 3 -> 4"]}}
    assert results.joined(tried, None, {"a.py", "b.py"}, {"a.py"}) == tried
    assert results.joined(tried, known, {"a.py"}, {"a.py"}) == tried
    other = "src/heldout/stats/outcome.py"
    found = results.joined(tried, known, {"a.py", other}, {"a.py"})
    assert found == {
        "mutants": 7 + results.count_of(other),
        "killed": 5 + results.count_of(other),
        "minutes": 5.0,
        "survivors": {"rounding": ["a.py f: 3 -> 4", "b.py g: 1 -> 2"]},
    }
