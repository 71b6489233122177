"""Which test tells whether subgroups have one value, and what it is told."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from heldout.batch import Batch, Segment
from heldout.formulas import METRICS
from heldout.stats.multiplicity import holm
from heldout.verbs.evaluate.subgroup_heterogeneity import Parts, corrected, influence_in
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

RNG = np.random.default_rng(1)
ROWS = 120


def batch(**columns):
    truth = np.arange(ROWS) % 2
    said = np.where(RNG.random(ROWS) < 0.8, truth, 1 - truth)
    score = RNG.normal(size=ROWS) + truth
    return Batch(task="binary", truth=truth, prediction=said, score=score, labels=(0, 1), positive=1, **columns)


def parts(given, codes):
    chosen = {name: codes == at for at, name in enumerate("ab")}
    return Parts(batch=given, chosen=chosen)


def measured(given, found, metric):
    moved, values = {}, {}
    for name, rows in found.chosen.items():
        one = Measurement(given.take(rows), Settings())
        values[name], moved[name] = one.value(METRICS[metric]), influence_in(one, METRICS[metric])
    return values, moved


def test_rows_of_their_own_are_permuted_between_subgroups():
    given = batch()
    found = parts(given, np.arange(ROWS) // 60)
    p, test = found.tested(*measured(given, found, "accuracy"), draws=200, seed=0)
    assert (test, found.plain, found.overlap) == ("Q, segments permuted", True, False)
    assert 0 < p <= 1


def test_units_in_several_subgroups_are_tested_jointly():
    given = batch(unit=np.arange(ROWS) % 60)
    found = parts(given, np.arange(ROWS) // 60)
    assert found.overlap
    values, moved = measured(given, found, "accuracy")
    p, test = found.tested(values, moved, draws=200, seed=0)
    assert test == "joint Wald, F"
    joint = found.joint("ab", [moved["a"], moved["b"]])
    assert joint.shape == (60, 2)
    np.testing.assert_allclose(joint, np.stack([moved["a"], moved["b"]], axis=1))
    assert 0 < p <= 1


def test_units_that_lie_in_one_subgroup_each_do_not_overlap():
    given = batch(unit=np.arange(ROWS) // 2)
    found = parts(given, np.arange(ROWS) // 60)
    assert not found.overlap
    assert found.units("b").tolist() == list(range(30, 60))


def test_too_few_units_or_values_are_not_tested():
    given = batch(unit=np.arange(ROWS) // 30)
    found = parts(given, np.arange(ROWS) // 60)
    p, test = found.tested(*measured(given, found, "accuracy"), draws=200, seed=0)
    assert (isnan(p), test) == (True, "none")
    whole = parts(batch(), np.arange(ROWS) // 60)
    values, moved = measured(whole.batch, whole, "accuracy")
    assert whole.tested(values | {"a": np.nan}, moved, draws=200, seed=0)[1] == "none"


def test_an_area_is_permuted_within_classes_and_accuracy_is_not():
    """What the rows of one class move an area adds up to nothing."""
    given = batch()
    found = parts(given, np.arange(ROWS) // 60)
    classes = {
        metric: found._classes(["a", "b"], [*measured(given, found, metric)[1].values()])
        for metric in ("roc_auc", "accuracy")
    }
    assert classes["accuracy"] is None
    assert [part.tolist() for part in classes["roc_auc"]] == [given.truth[:60].tolist(), given.truth[60:].tolist()]


def test_p_values_are_corrected_for_the_number_of_metrics():
    tests = {"accuracy": (0.01, "Q"), "f1": (0.03, "Q"), "mcc": (0.5, "F")}
    found = corrected(tests)
    assert [one.pvalue_adjusted for one in found.values()] == pytest.approx(holm(np.array([0.01, 0.03, 0.5])).tolist())
    assert [(one.pvalue, one.test) for one in found.values()] == list(tests.values())


def test_segments_are_columns_of_a_batch():
    given = batch(segments={"site": Segment(codes=np.arange(ROWS) // 60, names=("a", "b"))})
    assert given.take(np.arange(ROWS) < 60).segments["site"].codes.tolist() == [0] * 60
