from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from heldout.errors import HeldoutError
from heldout.lab.concepts.domains import domain, line_domain
from heldout.lab.concepts.hypotheses import SPACES, conjunctions, hypothesis_space, labelings, rectangles, unions
from heldout.lab.concepts.version_space import (
    borders,
    contradicting_rows,
    empty_because,
    first_found,
    list_then_eliminate,
    unanimous,
    unanimous_coverage,
    votes,
    wrong_rows,
)

GRID = domain({"a": [1, 2, 3], "b": [1, 2]})
rows_of_the_grid = st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=8)


@settings(max_examples=60, deadline=None)
@given(rows_of_the_grid, st.sampled_from(sorted(SPACES)))
def test_what_is_left_is_what_agrees_row_by_row(rows, name):
    one = hypothesis_space(name, GRID)
    points, labels = [x for x, _ in rows], [yes for _, yes in rows]
    found = list_then_eliminate(one, points, labels)
    alive, left = np.ones(one.size, dtype=bool), [one.size]
    for x, yes in rows:
        alive &= one.members[:, x] == yes
        left.append(int(alive.sum()))
    assert found.kept.tolist() == np.flatnonzero(alive).tolist()
    assert found.remaining.tolist() == left
    wrong = [sum(line[x] != yes for x, yes in rows) for line in one.members]
    assert wrong_rows(one, points, labels).tolist() == wrong
    assert (empty_because(found) is None) == bool(alive.any())


@settings(max_examples=60, deadline=None)
@given(rows_of_the_grid)
def test_a_language_without_bias_predicts_nothing_unseen(rows):
    truth = dict(rows)  # the last label of a point, so that there is no contradiction
    found = list_then_eliminate(labelings(GRID), list(truth), list(truth.values()))
    unseen = ~found.seen
    assert (votes(found)[unseen] == 0.5).all()
    assert (unanimous(found) >= 0).tolist() == found.seen.tolist()
    assert unanimous_coverage(found) == pytest.approx(len(truth) / 6)


def test_a_narrower_language_decides_more():
    rows = [0, 3, 5], [True, True, False]
    decided = [
        unanimous_coverage(list_then_eliminate(one, *rows), unseen=True)
        for one in (labelings(GRID), unions(GRID, 2), rectangles(GRID))
    ]
    assert decided[0] == 0
    assert decided == sorted(decided)
    assert decided[-1] > 0


def test_the_textbook_example_of_a_version_space():
    """Four rows leave six conjunctions, between one most specific and two most general ones [mitchell97]."""
    where = domain({name: range(2 + (name == "sky")) for name in ("sky", "air", "humid", "wind", "water", "later")})
    rows = [[0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [1, 1, 1, 0, 0, 1], [0, 0, 1, 0, 1, 1]]
    found = list_then_eliminate(
        conjunctions(where), np.ravel_multi_index(np.transpose(rows), where.shape), [True, True, False, True]
    )
    specific, general = ([found.space.words(h) for h in side] for side in borders(found))
    assert len(found.kept) == 6
    assert specific == ["sky=0 and air=0 and wind=0"]
    assert sorted(general) == ["air=0", "sky=0"]


def test_borders_enclose_everything_left():
    found = list_then_eliminate(rectangles(domain({"a": range(5), "b": range(5)})), [12, 0], [True, False])
    specific, general = borders(found)
    members = found.space.members
    for line in found.members:
        assert (members[specific] <= line).all(axis=1).any()
        assert (members[general] >= line).all(axis=1).any()


def test_too_many_are_not_compared():
    assert borders(list_then_eliminate(labelings(line_domain(13)), [0], [True])) is None


def test_the_search_picks_one_and_the_order_matters():
    found = list_then_eliminate(rectangles(line_domain(7)), [3, 6], [True, False])
    specific, general = (found.space.members[first_found(found, order)] for order in ("specific", "general"))
    assert np.flatnonzero(specific).tolist() == [3]
    assert np.flatnonzero(general).tolist() == [0, 1, 2, 3, 4, 5]
    differ = specific != general
    assert (unanimous(found)[differ] == -1).all()  # only where the language has not decided


def test_the_same_point_with_both_labels_empties_every_space():
    for name in SPACES:
        found = list_then_eliminate(hypothesis_space(name, GRID), [0, 1, 0], [True, True, False])
        assert (len(found.kept), empty_because(found)) == (0, "contradiction")
        assert contradicting_rows(found).tolist() == [0, 2]
        assert first_found(found) is None
        assert (unanimous(found) == -1).all()
        assert np.isnan(votes(found)).all()
        assert unanimous_coverage(found) == 0


def test_a_language_may_be_too_narrow_for_the_truth():
    two_corners = [0, 5, 2], [True, True, False]
    assert empty_because(list_then_eliminate(rectangles(GRID), *two_corners)) == "language"
    assert empty_because(list_then_eliminate(unions(GRID, 2), *two_corners)) is None


def test_coverage_by_the_chance_of_points():
    found = list_then_eliminate(rectangles(line_domain(4)), [0, 2], [True, True])
    assert unanimous(found).tolist() == [1, 1, 1, -1]
    assert unanimous_coverage(found, weight=[0.1, 0.2, 0.1, 0.6]) == pytest.approx(0.4)
    assert unanimous_coverage(found, weight=[0.1, 0.2, 0.1, 0.6], unseen=True) == pytest.approx(0.25)
    assert np.isnan(unanimous_coverage(found, weight=[0, 0, 0, 0]))


def test_without_rows_nothing_falls():
    found = list_then_eliminate(rectangles(GRID), [], [])
    assert found.remaining.tolist() == [19]
    assert unanimous_coverage(found) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: list_then_eliminate(rectangles(GRID), [0, 1], [True]),
            "[H112] there are 2 points and 1 labels\n  Fix: give one each",
        ),
        (
            lambda: list_then_eliminate(rectangles(GRID), [6], [True]),
            (
                "point 6 is not among the positions 0 to 5 of the domain\n"
                "  Fix: give positions of points in the domain of the space"
            ),
        ),
        (
            lambda: first_found(list_then_eliminate(rectangles(GRID), [0], [True]), "random"),
            "there is no order of search 'random'\n  Fix: choose specific or general",
        ),
        (
            lambda: unanimous_coverage(list_then_eliminate(rectangles(GRID), [0], [True]), weight=[1, 2]),
            "the weight has the shape (2,) for 6 points\n  Fix: give p(x), zero or more, for each point of the domain",
        ),
    ],
)
def test_messages(call, message):
    with pytest.raises(HeldoutError) as caught:
        call()
    assert str(caught.value) == message
