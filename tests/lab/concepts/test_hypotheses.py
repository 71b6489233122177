from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
import pytest

from heldout.errors import UsageError
from heldout.lab.concepts.domains import domain, line_domain
from heldout.lab.concepts.hypotheses import SPACES, conjunctions, hypothesis_space, labelings, rectangles, unions

GRID = domain({"a": [1, 2, 3], "b": [1, 2]})


def lines(one):
    return {tuple(line) for line in one.members.tolist()}


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("where", [GRID, line_domain(1), line_domain(5), domain({"a": [1], "b": [1, 2], "c": "xy"})])
def test_no_hypothesis_is_listed_twice(name, where):
    found = hypothesis_space(name, where)
    assert len(lines(found)) == found.size


@pytest.mark.parametrize(("sizes", "count"), [((3, 2, 2, 2, 2, 2), 973), ((2, 2), 10), ((5,), 7)])
def test_conjunctions_are_one_more_than_the_product_of_values_and_any(sizes, count):
    """973 is the count of the textbook's weather example [mitchell97]."""
    where = domain({f"x{i}": range(size) for i, size in enumerate(sizes)})
    assert conjunctions(where).size == count


def test_a_conjunction_is_true_where_every_attribute_fits():
    found = conjunctions(GRID)
    every = {tuple(False for _ in range(6))}
    for a, b in product([1, 2, 3, None], [1, 2, None]):
        every.add(tuple(a in (None, x) and b in (None, y) for x, y in product([1, 2, 3], [1, 2])))
    assert lines(found) == every


def test_a_rectangle_is_an_interval_of_each_attribute():
    every = {tuple(False for _ in range(6))}
    for low, high in product(range(1, 4), range(1, 4)):
        for left, right in product(range(1, 3), range(1, 3)):
            every.add(tuple(low <= x <= high and left <= y <= right for x, y in product([1, 2, 3], [1, 2])))
    assert lines(rectangles(GRID)) == every
    assert rectangles(domain({"a": range(10), "b": range(10)})).size == 1 + 55 * 55


@pytest.mark.parametrize("most", [1, 2, 3])
def test_unions_are_what_rectangles_make_together(most):
    single = rectangles(GRID).members
    every = {
        tuple(np.any(single[list(chosen)], axis=0).tolist())
        for k in range(1, most + 1)
        for chosen in combinations(range(len(single)), k)
    }
    assert lines(unions(GRID, most)) == every


def test_each_language_says_all_that_the_narrower_one_says():
    order = [lines(one) for one in (conjunctions(GRID), rectangles(GRID), unions(GRID, 2), labelings(GRID))]
    assert all(small < large for small, large in pairwise(order))
    assert len(order[-1]) == 2**6


def test_three_rectangles_say_anything_here():
    assert lines(unions(GRID, 3)) == lines(labelings(GRID))


@pytest.mark.parametrize("name", SPACES)
def test_words_mean_what_the_hypothesis_says(name):
    """The words, read as Python, give back the line of yes and no."""
    found = hypothesis_space(name, GRID)
    for at in range(found.size):
        said = found.words(at).replace("=", "==").replace("<==", "<=").replace("nothing", "False")
        said = said.replace("everything", "True").replace(", ", " and ")
        meant = [eval(said, {}, {"a": a, "b": b}) for a, b in product([1, 2, 3], [1, 2])]
        assert meant == found.members[at].tolist(), said


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: labelings(line_domain(30)),
            (
                "all labelings of 30 points are 1,073,741,824 hypotheses, and at most 333,333 can be listed over so "
                "many points\n  Fix: use a smaller space, fewer attributes or fewer values"
            ),
        ),
        (
            lambda: labelings(line_domain(100)),
            (
                "all labelings of 100 points are about 1.3e+30 hypotheses, and at most 100,000 can be listed over so "
                "many points\n  Fix: use a smaller space, fewer attributes or fewer values"
            ),
        ),
        (
            lambda: labelings(line_domain(2000)),
            (
                "all labelings of 2,000 points are more than 1e300 hypotheses, and at most 5,000 can be listed over so "
                "many points\n  Fix: use a smaller space, fewer attributes or fewer values"
            ),
        ),
        (
            lambda: rectangles(domain({"a": range(30), "b": range(30)})),
            (
                "rectangles of 900 points are 216,226 hypotheses, and at most 11,111 can be listed over so many "
                "points\n  Fix: use a smaller space, fewer attributes or fewer values"
            ),
        ),
        (
            lambda: unions(domain({"a": range(8), "b": range(8)}), 2),
            (
                "unions of up to 2 rectangles of 64 points are 840,457 hypotheses, and at most 156,250 can be listed "
                "over so many points\n  Fix: use a smaller space, fewer attributes or fewer values"
            ),
        ),
        (
            lambda: hypothesis_space("conjunction", GRID),
            (
                "no hypothesis space is named 'conjunction'; did you mean 'conjunctions'?\n"
                "  Fix: choose one of all, conjunctions, rectangles, unions"
            ),
        ),
        (lambda: unions(GRID, 0), "a union of 0 rectangles says nothing\n  Fix: give 1 or more"),
    ],
)
def test_messages(call, message):
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == message
