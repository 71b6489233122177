"""Sums as a tree: every task once, the same neighbours whoever is faster, few totals that wait."""

from __future__ import annotations

import random

import pytest

from heldout.engines.tree import FAN, Hands, tree_sum


class Cluster:
    """Futures that are finished in any order; a total is the list of what was added up, with its brackets."""

    def __init__(self, seed):
        self.luck, self.under_way, self.waiting, self.most = random.Random(seed), set(), set(), 0

    def start(self, task):
        return self._future([str(task)])

    def join(self, some):
        self.waiting -= {id(one) for one in some}
        return self._future(["(" + " ".join(one[0] for one in some) + ")"])

    def _future(self, total):
        self.under_way.add(id(total))
        return total

    def wait(self, some):
        done = self.luck.sample(some, self.luck.randint(1, len(some)))
        self.waiting |= {id(one) for one in done}
        self.under_way -= {id(one) for one in done}
        self.most = max(self.most, len(self.waiting))
        return done

    @property
    def hands(self):
        return Hands(start=self.start, join=self.join, wait=self.wait, at_once=4)


@pytest.mark.parametrize("tasks", [1, 2, FAN, FAN + 1, 200])
def test_who_is_faster_changes_nothing(tasks):
    found = {tree_sum(range(tasks), Cluster(seed).hands)[0] for seed in range(5)}
    assert len(found) == 1
    assert found.pop().replace("(", "").replace(")", "").split() == [str(at) for at in range(tasks)]


def test_few_totals_wait():
    cluster = Cluster(0)
    tree_sum(range(1000), cluster.hands)
    assert cluster.most <= 4 * FAN


def test_progress_counts_parts():
    seen = []
    tree_sum(range(3), Cluster(1).hands, weights=[2, 2, 1], progress=lambda *some: seen.append(some))
    assert seen[-1] == (5, 5)


def test_the_first_error_ends_it():
    cluster = Cluster(0)

    def wait(some):
        raise OSError("a worker said no")

    with pytest.raises(OSError, match=r"^a worker said no$"):
        tree_sum(range(10), Hands(start=cluster.start, join=cluster.join, wait=wait, at_once=2))
