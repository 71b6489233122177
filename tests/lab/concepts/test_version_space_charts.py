"""Charts of a version space: hypotheses left, and rectangles only where hypotheses are rectangles."""

from __future__ import annotations

from heldout import lab
from heldout.lab.concepts.version_space_charts import instance_space, remaining

FACTS = {"space": "all", "negative": "no", "positive": "yes"}


def found(space):
    where = lab.domain({"x": range(4), "y": range(3)})
    return lab.list_then_eliminate(lab.hypothesis_space(space, where), [0, 5, 7], [False, True, True])


def test_the_trace_is_drawn_as_it_is():
    left = found("rectangles")
    assert remaining(left, FACTS).lines["consistent hypotheses"].y.tolist() == left.remaining.tolist()


def test_hypotheses_that_are_no_rectangles_have_no_outline():
    assert instance_space(found("rectangles"), FACTS, None).boxes
    drawn = instance_space(found("all"), FACTS, None)
    assert "most specific" not in drawn.boxes  # two points apart
    assert drawn.seen == {"no": [0], "yes": [5, 7]}


def test_one_attribute_is_a_line():
    left = lab.list_then_eliminate(
        lab.hypothesis_space("rectangles", lab.domain({"x": range(6)})), [1, 3, 5], [True, True, False]
    )
    figure = instance_space(left, FACTS, None)
    assert figure.boxes == {"most specific": [(1, 3, 0, 0)], "most general": [(0, 4, 0, 0)]}
