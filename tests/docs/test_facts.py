"""The tables in the documentation that are written from the code."""

from __future__ import annotations

from math import inf

from docs import docstrings, facts
from heldout.errors import CODES
from heldout.formulas import METRICS
from heldout.inputs.limits import LIMITS
from heldout.verbs.compare.paired_difference import TESTS
from heldout.verbs.test_names import NAMED_TESTS


def test_every_metric_and_code_has_its_line():
    assert facts.metrics().count("\n") == len(METRICS) + 2
    assert facts.errors().count("\n") == len(CODES) + 2
    assert [name for name in METRICS if f"| `{name}` |" not in facts.metrics()] == []


def test_every_limit_has_its_line():
    assert facts.limits().count("\n") == len(LIMITS) + 2
    assert "| 268,435,456 | pixels | " in facts.limits()


def test_no_cell_of_the_tables_is_empty():
    assert [line for line in (facts.metrics() + facts.intervals()).splitlines() if "|  |" in line] == []


def test_the_test_of_a_metric_is_the_one_that_was_used():
    used = facts.used_tests("regression", rows=60), facts.used_tests("regression", rows=500)
    assert [one["mae"] for one in used] == ["paired t", "paired t"]
    apart = facts.used_tests("regression", rows=60, paired=False)
    assert apart["mae"] == "Welch's t"


def test_metrics_that_are_tested_alike_share_a_line(monkeypatch):
    monkeypatch.setattr(facts, "TASKS", ("regression",))
    monkeypatch.setattr(facts, "SETTINGS", {"500 rows": {"rows": 500}, "60 rows": {"rows": 60}})
    lines = facts.default_tests().splitlines()
    assert lines[0] == "| task | metrics | 500 rows | 60 rows |"
    assert lines[2].startswith("| regression | `mae`, `mse`, ")
    assert lines[2].endswith(" | paired t | same |")
    assert lines[-1].startswith("Not compared: ")
    assert "`max_error`" in lines[-1]


def test_counts_of_one_data_set_are_no_part_of_a_name():
    assert facts.used_tests("multiclass", rows=60)["accuracy"] == "McNemar mid-p"


def test_every_test_with_a_name_has_its_line():
    assert [name for name in TESTS if f"| `{name}` | same rows |" not in facts.named_tests()] == []


def test_every_test_has_its_line_in_words():
    lines = facts.tests_in_words().splitlines()
    assert lines[0] == "| test | asks | formula | used for |"
    assert len(lines) == 2 + len(NAMED_TESTS)
    assert r"share of all 2^m swaps with \|d\*\| >= \|d\|" in facts.tests_in_words()


def test_a_table_escapes_what_would_end_a_cell():
    assert facts.table(("a", "b"), [("x|y", "2 * 3\n")]) == "| a | b |\n| --- | --- |\n| x\\|y | 2 \\* 3  |\n"


def test_a_range_shows_which_ends_are_open():
    assert [facts.between(0, 1), facts.between(-inf, 1), facts.between(0, inf)] == ["[0, 1]", "(−∞, 1]", "[0, ∞)"]


def test_a_docstring_is_plain_text_except_for_doctests():
    lines = ["a * b_ and `c * d`", "", ">>> 2 * 3", "6 *", "", "|x|"]
    docstrings.as_plain_text(None, "function", "f", None, None, lines)
    assert lines == ["a \\* b\\_ and `c * d`", "", ">>> 2 * 3", "6 *", "", "\\|x\\|"]
