"""What is said of a version space: how it shrank, what is left, on what all agree."""

from __future__ import annotations

import pytest

from heldout.lab.concepts import version_space_result as module
from heldout.lab.concepts.concept_rows import read_concept
from heldout.lab.concepts.hypotheses import hypothesis_space
from heldout.lab.concepts.version_space_result import version_space_result

ROWS = "sky,warm,class\nsunny,yes,yes\nrainy,yes,no\nsunny,no,\n"


@pytest.fixture
def result(tmp_path):
    def made(text=ROWS, space="conjunctions", **options):
        path = tmp_path / "rows.csv"
        path.write_text(text, encoding="utf-8")
        read = read_concept(path, target="class")
        return version_space_result(read, hypothesis_space(space, read.domain), **options).to_dict()

    return made


def test_the_trace_counts_what_is_left_after_each_row(result):
    """Of sky x warm with two values each: 3 x 3 conjunctions and the empty one."""
    found = result()
    assert found["size"] == 10
    assert [one["left"] for one in found["trace"]] == [4, 2]
    assert [one["row"] for one in found["trace"]] == [1, 2]
    assert found["consistent"] == 2
    assert found["empty"] is None


def test_the_borders_and_what_the_search_finds_first(result):
    specific, general = result(), result(order="general")
    assert len(specific["most_specific"]) == len(specific["most_general"]) == 1
    assert specific["search"]["hypothesis"] == specific["most_specific"][0]
    assert general["search"]["hypothesis"] == general["most_general"][0]
    assert (specific["search"]["points"], general["search"]["points"]) == (1, 2)


def test_questions_are_answered_by_votes(result):
    """sunny and cold: one of the two hypotheses left says yes."""
    (question,) = result()["questions"]
    assert (question["row"], question["unanimous"], question["votes"]) == (3, None, 0.5)
    assert question["search"] == "no"


def test_on_how_many_points_all_agree(result):
    found = result()["unanimous"]
    assert (found["yes"], found["no"], found["divided"]) == (1, 2, 1)
    assert found["coverage"] == 0.75
    assert (found["unseen"], found["unseen_decided"], found["unseen_coverage"]) == (2, 1, 0.5)


def test_rows_that_contradict_each_other_leave_nothing(result):
    found = result("sky,warm,class\nsunny,yes,yes\nrainy,yes,no\nsunny,yes,no\n")
    assert found["consistent"] == 0
    assert found["empty"]["at_row"] == 3
    assert found["empty"]["contradicting_rows"] == [1, 3]
    assert found["search"] is None
    assert found["fewest_wrong"]["rows"] == 1


def test_of_many_rows_the_trace_has_those_that_struck_something_out(result, monkeypatch):
    text = ROWS + 3 * "sunny,yes,yes\n"
    monkeypatch.setattr(module, "MOST_TRACED", 2)
    found = result(text)
    assert [one["row"] for one in found["trace"]] == [1, 2]
    assert found["notes"][-1] == "the trace has only the rows that struck a hypothesis out"
