"""Configurations fitted and judged on validation parts."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from heldout.learners import Effort, dataset, designed
from heldout.search import Search, Work, candidates_named, fits_counted
from heldout.search.strategies import proposed
from heldout.search.trials import tried
from tests.search.learners import Stump, planted

CANDIDATES = candidates_named({"stump": (Stump(), {"column": [0, 7]})})


def share_right(_, told):
    right = told.batch.prediction == told.batch.truth
    return np.bincount(told.split, weights=right) / np.bincount(told.split)


@pytest.fixture
def data():
    return dataset(*planted(rows=90))


def worked(data, measure=share_right, **effort):
    fits = fits_counted(data, Effort(scores=False, **effort), 99)
    return Work(data=data, fits=fits, measure=measure, better="higher")


def parts_of(data, folds=5):
    return designed(folds, data, random_state=0, several=False).splits


def test_the_value_is_the_mean_over_parts_each_counting_by_its_rows(data):
    parts = parts_of(data, 4)
    (found,) = tried(list(proposed(CANDIDATES, Search())), worked(data), [parts])
    rows = [len(split.test) for split in parts]
    assert len(set(rows)) > 1
    for trial in found:
        assert trial.value == pytest.approx(np.average(trial.values, weights=rows))
        right = trial.predictions.batch.prediction == trial.predictions.batch.truth
        assert trial.value == pytest.approx(right.mean())
    assert [one.name for one in found] == ["stump(column=0)", "stump(column=7)"]
    assert found[1].value > found[0].value


def test_parts_without_a_value_are_left_out_and_none_at_all_is_no_number(data):
    def first_is_undefined(name, told):
        values = share_right(name, told)
        values[0] = np.nan
        return values

    parts = parts_of(data)
    configurations = list(proposed(CANDIDATES, Search()))
    (found,) = tried(configurations, worked(data, first_is_undefined), [parts])
    rows = [len(split.test) for split in parts]
    assert found[0].value == pytest.approx(np.average(found[0].values[1:], weights=rows[1:]))
    (none,) = tried(configurations, worked(data, lambda *_: np.full(5, np.nan)), [parts])
    assert isnan(none[0].value)


def test_several_lists_of_parts_are_fitted_at_once_and_kept_apart(data):
    parts = parts_of(data)
    both = tried(list(proposed(CANDIDATES, Search())), worked(data), [parts[:2], parts[2:]])
    (whole,) = tried(list(proposed(CANDIDATES, Search())), worked(data), [parts])
    assert [len(found[0].values) for found in both] == [2, 3]
    np.testing.assert_array_equal(np.concatenate([found[0].values for found in both]), whole[0].values)


def test_progress_is_told_as_one_piece_of_work(data):
    seen = []
    work = worked(data, progress=lambda done, total: seen.append((done, total)))
    configurations = list(proposed(CANDIDATES, Search()))
    tried(configurations, work, [parts_of(data)])
    tried(configurations, work, [parts_of(data)])
    assert {total for _, total in seen} == {99}
    done = [one for one, _ in seen]
    assert done == sorted(done)
    assert done[-1] == 2 * 2 * 5
