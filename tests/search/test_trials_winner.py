from __future__ import annotations

from math import isnan, nan, sqrt

import numpy as np
import pytest

from heldout.errors import DataError
from heldout.search import Configuration, Trial, chosen


def trial(name, *values, simplicity=(0, 0)):
    one = Configuration(name=name, candidate=name, parameters={}, estimator=None, simplicity=simplicity)
    found = np.array(values, float)
    value = float(np.nanmean(found)) if np.isfinite(found).any() else nan
    return Trial(configuration=one, value=value, values=found, predictions=None)


def names(trials):
    return [one.name for one in trials]


def test_the_simplest_within_one_standard_error_is_named():
    # the winner's error is 0.1 / sqrt(4) = 0.05 with values 0.8 -+ 0.1 * sqrt(3) / 2
    step = 0.1 * sqrt(3) / 2
    winner = trial("best", 0.8 - step, 0.8 - step, 0.8 + step, 0.8 + step, simplicity=(3, 0))
    near = trial("near", 0.76, 0.76, 0.76, 0.76, simplicity=(2, 1))
    nearer = trial("nearer", 0.77, 0.77, 0.77, 0.77, simplicity=(2, 1))
    far = trial("far", 0.74, 0.74, 0.74, 0.74, simplicity=(1, 0))
    found = chosen([far, near, winner, nearer], "higher")
    assert found.winner is winner
    assert found.error == pytest.approx(0.05)
    assert names(found.within) == ["near", "best", "nearer"]
    assert found.simplest is nearer  # as simple as near, and better


def test_less_is_better_where_it_is():
    found = chosen([trial("a", 1.0, 1.2), trial("b", 3.0, 3.2), trial("c", 1.15, 1.2)], "lower")
    assert found.winner.name == "a"
    assert names(found.within) == ["a", "c"]


def test_of_equals_the_first_wins_and_rounding_makes_none_unequal():
    found = chosen([trial("a", 0.1 + 0.2, 0.3), trial("b", 0.3, 0.1 + 0.2), trial("c", 0.3 + 1e-8, 0.3)], "higher")
    assert found.winner.name == "c"
    assert chosen([trial("a", 0.3, 0.3), trial("b", 0.1 + 0.2, 0.3)], "higher").winner.name == "a"


def test_one_part_tells_its_error_by_the_spread_of_its_rows():
    found = chosen([trial("a", 0.8), trial("b", 0.75)], "higher", lambda _: 0.06)
    assert (found.error, names(found.within)) == (0.06, ["a", "b"])
    without = chosen([trial("a", 0.8), trial("b", 0.75)], "higher")
    assert isnan(without.error)
    assert names(without.within) == ["a"]


def test_what_is_undefined_never_wins():
    found = chosen([trial("a", nan, nan), trial("b", nan, 0.5), trial("c", 0.4, 0.4)], "higher")
    assert found.winner.name == "b"
    assert isnan(found.error)
    with pytest.raises(DataError) as caught:
        chosen([trial("a", nan, nan)], "higher")
    assert str(caught.value) == (
        "[H312] no configuration has a value on any validation part\n  Fix: take fewer folds, or another metric"
    )
