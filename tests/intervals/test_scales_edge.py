from __future__ import annotations

from heldout.intervals.scales import edge


def test_edge_works_in_both_directions_to_the_last_digit() -> None:
    assert abs(edge(lambda p: p >= 1 / 3, 0.0, 1.0) - 1 / 3) < 1e-16
    assert abs(edge(lambda p: p <= 1 / 3, 1.0, 0.0) - 1 / 3) < 1e-16


def test_edge_of_nothing_is_where_it_began() -> None:
    assert edge(lambda p: False, 0.0, 0.75) == 0.75


def test_edge_of_everything_is_the_outside() -> None:
    assert edge(lambda p: True, 0.25, 0.75) == 0.25
