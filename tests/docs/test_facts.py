"""The tables in the documentation that are written from the code."""

from __future__ import annotations

from math import inf

from docs import docstrings, facts
from heldout.errors import CODES
from heldout.formulas import METRICS


def test_every_metric_and_code_has_its_line():
    assert facts.metrics().count("\n") == len(METRICS) + 2
    assert facts.errors().count("\n") == len(CODES) + 2
    assert [name for name in METRICS if f"| `{name}` |" not in facts.metrics()] == []


def test_no_cell_of_the_tables_is_empty():
    assert [line for line in (facts.metrics() + facts.intervals()).splitlines() if "|  |" in line] == []


def test_every_verb_has_its_help():
    assert "## `heldout`\n" in facts.commands()
    assert "## `heldout evaluate`\n" in facts.commands()


def test_a_table_escapes_what_would_end_a_cell():
    assert facts.table(("a", "b"), [("x|y", "2 * 3\n")]) == "| a | b |\n| --- | --- |\n| x\\|y | 2 \\* 3  |\n"


def test_a_range_shows_which_ends_are_open():
    assert [facts.between(0, 1), facts.between(-inf, 1), facts.between(0, inf)] == ["[0, 1]", "(−∞, 1]", "[0, ∞)"]


def test_a_docstring_is_plain_text_except_for_doctests():
    lines = ["a * b_ and `c * d`", "", ">>> 2 * 3", "6 *", "", "|x|"]
    docstrings.as_plain_text(None, "function", "f", None, None, lines)
    assert lines == ["a \\* b\\_ and `c * d`", "", ">>> 2 * 3", "6 *", "", "\\|x\\|"]
