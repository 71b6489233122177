"""What a paired difference says where few units carry it, where a class is rare, and where nothing varies."""

from __future__ import annotations

from math import inf, isnan, sqrt
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import heldout
from heldout.formulas import METRICS
from heldout.inputs import from_arrays
from heldout.intervals.unit_spread import Carriers, UnitSpread
from heldout.verbs.compare.paired_difference import (
    _by_spread,
    _carried,
    _cautions,
    _rests_on_few,
    _too_few,
    difference,
)
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings


def pair(*, unit=None, time=None, independent=True, task="binary", truth=None):
    """As much of two models as the notes look at."""
    batch = SimpleNamespace(unit=unit, time=time, task=task, truth=np.zeros(3) if truth is None else truth)
    return SimpleNamespace(a=SimpleNamespace(batch=batch, independent=independent))


def apart(*, units=60, few=None, sizes=(30, 30), tail=0.0):
    return SimpleNamespace(
        units=units, sizes=sizes, tail=tail, spread=UnitSpread(units=units, variance=1.0, carriers=few)
    )


@pytest.mark.parametrize(
    ("both", "kind"),
    [
        (pair(), "rows"),
        (pair(unit=np.arange(3)), "clusters"),
        (pair(time=np.arange(3)), "times"),
        (pair(time=np.arange(3), unit=np.arange(3)), "times"),
    ],
)
def test_few_units_that_carry_a_metric_are_called_what_they_are(both, kind):
    few = Carriers(df=4.0, seen=0.8, fewest=9.96)
    (note,) = _carried(METRICS["recall"], both, apart(few=few))
    assert note.startswith(f"recall rests on 10.0 effective {kind} of 60: its variance is known badly, so ")
    fewer = apart(few=Carriers(df=0.5, seen=0.8, fewest=5.0))
    assert _too_few(METRICS["recall"], both, 0.1, fewer, "t").notes == (
        f"recall rests on 1.5 effective {kind}: too few for a test (needs 3)",
    )


def test_ten_units_carry_a_metric_without_a_note():
    assert _carried(METRICS["recall"], pair(), apart(few=Carriers(df=9.0, fewest=10.0))) == ()
    assert _carried(METRICS["recall"], pair(), apart()) == ()


def test_all_units_are_few_where_they_are_worth_few_of_equal_size():
    """A mean rests on all rows: 60 of unequal weight, or 60 clusters of unequal size."""
    mae, clusters = METRICS["mae"], pair(unit=np.arange(3))
    rough = "60 rows of unequal weight are worth 29.9 of equal weight: the interval is rough"
    assert _carried(mae, pair(), apart(few=Carriers(df=28.9))) == (rough,)
    assert _carried(mae, pair(), apart(few=Carriers(df=29.0))) == ()  # half of the rows
    assert _carried(mae, clusters, apart(few=Carriers(df=28.9))) == ()
    for both, kind in ((pair(), "rows"), (clusters, "clusters")):
        (note,) = _carried(mae, both, apart(few=Carriers(df=8.9)))
        assert note.startswith(f"mae rests on 9.9 effective {kind} of 60: its variance is known badly, so ")
        assert _carried(mae, both, apart(units=9, few=Carriers(df=8.0))) == ()  # all of equal size
    assert _carried(mae, clusters, apart(few=Carriers(df=9.0))) == ()


@pytest.mark.parametrize("few", [Carriers(df=1.96, fewest=2.96), Carriers(df=1.99, fewest=7.0)])
def test_units_just_too_few_are_not_rounded_to_enough(few):
    (note,) = _too_few(METRICS["recall"], pair(), 0.1, apart(few=few), "t").notes
    assert note.startswith("recall rests on 2.9 effective rows: ")


def test_two_units_may_be_too_few_and_one_is_no_question_of_carriers():
    few = Carriers(df=0.0, fewest=1.0)
    assert [_rests_on_few(apart(units=units, few=few)) for units in (1, 2, 3)] == [False, True, True]
    assert not _rests_on_few(apart())


@pytest.mark.parametrize(("sizes", "kind"), [((3, 50), "positive"), ((50, 3), "negative")])
def test_a_rare_class_is_named_where_rows_are_independent_and_classes_are_two(sizes, kind):
    area, seen = METRICS["roc_auc"], apart(sizes=sizes)
    assert _cautions(area, pair(), seen) == (
        f"3 {kind} rows: with so few, the simulated type I error of this test is up to 15% ± 1.1 (nominal 5%)",
    )
    assert _cautions(area, pair(independent=False), seen) == ()
    assert _cautions(METRICS["log_loss"], pair(), seen) == ()
    assert _cautions(METRICS["balanced_accuracy"], pair(task="multiclass"), seen) == ()


def test_one_row_of_a_class_is_rare_and_no_row_is_no_class():
    assert _cautions(METRICS["roc_auc"], pair(), apart(sizes=(1, 50)))[0].startswith("1 positive rows: ")
    assert _cautions(METRICS["roc_auc"], pair(), apart(sizes=(0, 50))) == ()


@pytest.mark.parametrize(
    ("units", "variance", "df", "note"),
    [
        (1, 0.0, 0.0, "fewer than two units"),
        (2, 0.0, 1.0, "no variance between units"),
        (2, 1.0, 0.0, "no variance between units"),
        (3, 0.0, 2.0, "no variance between units"),
        (3, 1.0, 0.0, "one of the two classes has one row: too few for a test"),
        (9, 1.0, 0.0, "one of the two classes has one row: too few for a test"),
    ],
)
def test_why_a_spread_tells_nothing(units, variance, df, note):
    found = _by_spread(0.5, UnitSpread(units=units, variance=variance, df=df), 0.95, "t")
    assert found.notes == (note,)
    assert isnan(found.pvalue)


def test_one_degree_of_freedom_is_a_test():
    found = _by_spread(0.5, UnitSpread(units=2, variance=0.01, df=1.0), 0.95, "t")
    assert found.pvalue == pytest.approx(2 * stats.t.sf(5, 1))
    assert _by_spread(0.5, UnitSpread(units=2, variance=0.01, df=inf), 0.95, "t").df is None


def test_many_units_that_differ_by_more_than_rounding_are_a_test():
    """Each unit differs by 5e-8 of the value, and their mean by a tenth of it: slopes are known up to 1e-8."""
    found = _by_spread(1.0, UnitSpread(units=100, variance=(5e-9) ** 2, df=99.0), 0.95, "t")
    assert (found.notes, found.pvalue) == ((), pytest.approx(0.0, abs=1e-100))
    assert _by_spread(1.0, UnitSpread(units=100, variance=(5e-10) ** 2, df=99.0), 0.95, "t").notes != ()


def test_one_discordant_row_has_the_error_of_its_share():
    truth = np.arange(100) % 2
    other = np.where(np.arange(100) == 7, 1 - truth, truth)
    a, b = (Measurement(from_arrays(truth, said).batch, Settings()) for said in (truth, other))
    found = difference(METRICS["accuracy"], a, b)
    assert found.error == pytest.approx(sqrt(1 - 1 / 100) / 100)


def test_a_t_test_of_rows_with_times_allows_for_their_dependence():
    rng = np.random.default_rng(2)
    truth = rng.normal(size=80)
    models = {"a": truth + rng.normal(size=80), "b": truth + 1.5 * rng.normal(size=80)}
    options = {"time": np.arange(80), "metrics": ["mae"], "task": "regression"}
    named, own = (heldout.compare(truth, models, **options, **more)["mae"] for more in ({"test": "t"}, {}))
    assert named.test == own.test == "HAC t"
    assert (named.pvalue, named.low) == (own.pvalue, own.low)


def test_a_class_that_is_never_true_is_left_out_of_balanced_accuracy_and_undefines_macro_recall():
    """The two are one test elsewhere; here only one of them has a p-value."""
    rng = np.random.default_rng(0)
    truth = np.arange(60) % 3
    old = np.where(rng.random(60) < 0.8, truth, 3)
    new = np.where(rng.random(60) < 0.7, truth, (truth + 1) % 3)
    found = heldout.compare(truth, {"old": old, "new": new}, metrics=["balanced_accuracy", "recall_macro"])
    assert found["balanced_accuracy"].notes == ("mean of 3 of 4 classes; left out, because never true: 3",)
    assert (found["recall_macro"].verdict, found["recall_macro"].notes) == (
        None,
        ("recall_macro is undefined for a model",),
    )
    one = np.ones(60, dtype=int)
    wrong = [np.where(rng.random(60) < share, 1, 0) for share in (0.8, 0.7)]
    only = heldout.compare(
        one, {"old": wrong[0], "new": wrong[1]}, metrics=["balanced_accuracy", "recall_macro"], pos_label=1
    )
    assert "recall_macro" not in str(only).split("VERDICT")[1].split("note")[0]
