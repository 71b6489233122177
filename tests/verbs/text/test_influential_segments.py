"""The segments that tell most of a system, or of two."""

from __future__ import annotations

import heldout
from heldout.verbs.text.influential_segments import SHOWN

REFERENCES = [f"the {word} cat sat on the mat number {at}" for at, word in enumerate("abcdefghijklmnop")]


def with_mistakes(*wrong):
    return [text.replace("cat sat on", "dog lay by") if at in wrong else text for at, text in enumerate(REFERENCES)]


def test_of_one_system_those_that_lower_its_value_most():
    said = with_mistakes(3, 7)
    said[7] = "something else entirely"
    found = heldout.text(REFERENCES, {"one": said}, metrics="bleu", n_resamples=100).segments["one"]
    assert [line["segment"] for line in found] == [8, 4]
    assert all(line["moved"] < 0 for line in found)
    assert {line["baseline"] for line in found} == {None}


def test_of_two_the_worst_first_and_then_the_best():
    found = heldout.text(
        REFERENCES, {"old": with_mistakes(1, 2), "new": with_mistakes(5)}, metrics="bleu", n_resamples=100
    ).segments["new"]
    assert found[0]["segment"] == 6  # speaks against the new one
    assert {line["segment"] for line in found[1:]} == {2, 3}  # and two for it
    worst, best = found[0], found[1]
    assert worst["moved"] < 0 < best["moved"]
    assert worst["text"] == with_mistakes(5)[5]
    assert (worst["baseline"], worst["reference"]) == (REFERENCES[5], REFERENCES[5])
    assert worst["value"] < worst["baseline_value"]


def test_segments_that_both_wrote_alike_are_not_told():
    found = heldout.text(REFERENCES, {"old": REFERENCES, "new": with_mistakes(4)}, metrics="chrf", n_resamples=100)
    assert [line["segment"] for line in found.segments["new"]] == [5]


def test_no_more_than_a_few_in_each_direction():
    found = heldout.text(
        REFERENCES,
        {"old": with_mistakes(*range(8)), "new": with_mistakes(*range(8, 16))},
        metrics="bleu",
        n_resamples=100,
    ).segments["new"]
    assert len(found) == 2 * SHOWN
    assert [line["moved"] < 0 for line in found] == [True] * SHOWN + [False] * SHOWN


def test_of_a_metric_where_lower_is_better_the_sign_is_turned():
    found = heldout.text(REFERENCES, {"old": REFERENCES, "new": with_mistakes(4)}, metrics="ter", n_resamples=100)
    (line,) = found.segments["new"]
    assert line["moved"] > 0  # more edits
    assert line["segment"] == 5
