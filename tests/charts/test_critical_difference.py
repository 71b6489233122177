"""Average ranks of learners over data sets."""

from __future__ import annotations


def test_ranks_are_ordered_and_groups_are_those_of_the_ranking(ranking):
    figure = ranking.plot.figure("ranks")
    assert list(figure.ranks.values()) == sorted(ranking.ranks.values())
    assert figure.groups == tuple(group for group in ranking.groups if len(group) > 1)
    assert figure.critical_difference == ranking.critical_difference
    assert figure.title == "Average ranks over 10 data sets"


def test_pairs_of_learners(ranking):
    frame = ranking.plot.figure("differences").data
    assert frame["low"].tolist() == [pair.low for pair in ranking.pairs]
    assert frame["verdict"].tolist() == [pair.verdict for pair in ranking.pairs]
