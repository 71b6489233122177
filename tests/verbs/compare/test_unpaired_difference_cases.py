"""Independent samples: which test each metric gets, its level, its error and size, and what is left where none is."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest
from scipy import stats

from heldout.formulas import METRICS
from heldout.inputs import from_arrays
from heldout.stats.independent_samples import newcombe
from heldout.verbs.compare.unpaired_difference import INDEPENDENT_TESTS, _normal_tails, _size, independent_difference
from heldout.verbs.measurement import Measurement
from heldout.verbs.settings import Settings

RNG = np.random.default_rng


def measured(truth, said=None, *, level=0.95, method="auto", **more):
    return Measurement(from_arrays(truth, said, **more).batch, Settings(level=level, method=method))


def numbers(n, seed, *, scale=1.0, level=0.95, **more):
    rng = RNG(seed)
    truth = rng.normal(size=n)
    return measured(truth, truth + scale * rng.normal(size=n), task="regression", level=level, **more)


def labelled(n, seed, *, level=0.95, method="auto", **more):
    rng = RNG(seed)
    truth = (np.arange(n) % 3 == 0).astype(int)
    said = np.where(rng.random(n) < 0.75, truth, 1 - truth)
    return measured(truth, said, pos_label=1, level=level, method=method, **more)


def ranked(n, seed, **more):
    truth = np.arange(n) % 2
    return measured(truth, y_score=RNG(seed).normal(truth, 1.5), pos_label=1, **more)


def losses(one):
    return np.abs(one.batch.truth - one.batch.prediction)


def joined(one, other, metric, level):
    """MOVER from the two intervals at a level."""
    a, b = (measure.interval_at(METRICS[metric])(level) for measure in (one, other))
    first, second = (measure.value(METRICS[metric]) for measure in (one, other))
    value = first - second
    below = np.hypot(first - a[0], b[1] - second)
    return value - below, value + np.hypot(a[1] - first, second - b[0])


def test_a_value_that_one_model_does_not_have_is_not_tested():
    truth = np.arange(20) % 2
    none = measured(truth, np.zeros(20, int), pos_label=1)
    for pair in ((none, labelled(30, 0)), (labelled(30, 0), none)):
        found = independent_difference(METRICS["precision"], *pair)
        assert (found.test, found.notes, isnan(found.value)) == ("none", ("precision is undefined for a model",), True)


def test_a_test_by_name_must_suit_both_samples():
    plain, grouped = labelled(60, 1), labelled(60, 2, groups=np.arange(60) // 3)
    for pair in ((plain, grouped), (grouped, plain)):
        found = independent_difference(METRICS["accuracy"], *pair, "z")
        own = independent_difference(METRICS["accuracy"], *pair)
        assert (found.test, found.low, found.pvalue) == (own.test, own.low, own.pvalue)
        assert found.notes == (*own.notes, "z does not suit it: its own test was used")
        assert (own.test, own.notes) == ("MOVER", ())


def test_shares_have_newcombes_interval_at_every_level():
    a, b = labelled(70, 3, level=0.8), labelled(90, 4, level=0.8)
    found = independent_difference(METRICS["recall"], a, b)
    counts = [one.one(METRICS["recall"]).count for one in (a, b)]
    assert (found.test, found.low, found.high) == ("Newcombe", *newcombe(*counts[0], *counts[1], 0.8))
    assert found.interval_at(0.99) == newcombe(*counts[0], *counts[1], 0.99)
    assert found.error == pytest.approx((found.high - found.low) / 2 / stats.norm.ppf(0.9))
    widths = [(one.one(METRICS["recall"]).high - one.one(METRICS["recall"]).low) ** 2 for one in (a, b)]
    assert found.size == pytest.approx(np.average([70, 90], weights=widths))


def test_areas_without_spread_are_joined():
    truth = np.arange(20) % 2
    perfect = measured(truth, y_score=truth + 0.01 * np.arange(20), pos_label=1)
    found = independent_difference(METRICS["roc_auc"], perfect, perfect, "delong")
    assert (found.test, found.value, found.pvalue) == ("MOVER", 0.0, 1.0)
    assert found.low < 0 < found.high


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(("n", "more"), [(2, 3), (40, 30), (20, 40)])
def test_means_have_welchs_t_from_two_rows_on(n, more, level):
    a, b = numbers(n, 5, level=level), numbers(more, 6, scale=2.0, level=level)
    for one, other in ((a, b), (b, a)):
        found = independent_difference(METRICS["mae"], one, other)
        want = stats.ttest_ind(losses(one), losses(other), equal_var=False)
        assert (found.test, found.pvalue) == ("Welch's t", pytest.approx(want.pvalue, rel=1e-6))
        assert (found.low, found.high) == pytest.approx(tuple(want.confidence_interval(level)), rel=1e-6)
        squares = [stats.sem(losses(part)) ** 2 for part in (one, other)]
        assert found.error == pytest.approx(np.sqrt(sum(squares)), rel=1e-6)
        sizes = [len(losses(part)) for part in (one, other)]
        assert found.size == pytest.approx(np.average(sizes, weights=squares), rel=1e-6)


def test_means_of_samples_of_unequal_size_are_joined():
    """Twice as many rows are Welch's, more are not: the skewness of two means does not cancel."""
    a, b = numbers(20, 5), numbers(41, 6)
    for pair in ((a, b), (b, a)):
        assert independent_difference(METRICS["mae"], *pair).test == "MOVER"
        assert independent_difference(METRICS["mae"], *pair, "t").test == "Welch's t"


def test_long_tailed_errors_of_a_small_sample_beside_a_large_one_rarely_differ():
    """Welch's t found 17% of such pairs of equal models different."""
    found = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        pair = [measured(np.zeros(n), rng.standard_t(3, size=n), task="regression") for n in (30, 300)]
        found += independent_difference(METRICS["rmse"], *pair).pvalue < 0.05
    assert found <= 16


def test_a_mean_of_one_row_has_no_test():
    for pair in ((numbers(1, 7), numbers(30, 8)), (numbers(30, 8), numbers(1, 7))):
        found = independent_difference(METRICS["mae"], *pair)
        assert (found.test, isnan(found.pvalue)) == ("none", True)
        assert found.notes == ("an interval of the two estimates has no end",)


def test_means_without_spread_are_joined():
    truth = np.arange(12.0)
    a, b = (measured(truth, truth + off, task="regression") for off in (1.0, 2.0))
    assert independent_difference(METRICS["mae"], a, b).test != "Welch's t"


def test_t_by_name_of_what_is_no_mean_is_on_influence():
    found = independent_difference(METRICS["f1"], labelled(60, 9), labelled(80, 10), "t")
    assert found.test == "Welch's t on influence"


def test_joined_intervals_at_every_level():
    a, b = labelled(60, 11, level=0.8), labelled(90, 12, level=0.8)
    found = independent_difference(METRICS["mcc"], a, b)
    assert (found.low, found.high) == pytest.approx(joined(a, b, "mcc", 0.8))
    assert found.interval_at(0.99) == pytest.approx(joined(a, b, "mcc", 0.99))
    assert found.error == pytest.approx((found.high - found.low) / 2 / stats.norm.ppf(0.9))


def test_resampled_intervals_give_the_p_value_of_a_normal_difference():
    """The median of clusters has no interval but that of resamples, at one level."""
    plain, grouped = numbers(80, 13, level=0.9), numbers(80, 14, level=0.9, groups=np.arange(80) // 4)
    metric = METRICS["median_absolute_error"]
    assert grouped.interval_at(metric) is None
    for pair in ((plain, grouped), (grouped, plain)):
        found = independent_difference(metric, *pair)
        reach = found.value - found.low if found.value > 0 else found.high - found.value
        want = 2 * stats.norm.sf(abs(found.value) / reach * stats.norm.ppf(0.95))
        assert (found.test, found.interval_at) == ("MOVER", None)
        assert found.pvalue == pytest.approx(want)


@pytest.mark.parametrize(
    ("value", "low", "high", "want"),
    [
        (0.3, 0.1, 0.9, 2 * stats.norm.sf(1.5 * 1.959964)),
        (-0.3, -0.9, -0.1, 2 * stats.norm.sf(1.5 * 1.959964)),
        (3.0, 1.0, 9.0, 2 * stats.norm.sf(1.5 * 1.959964)),
        (0.0, -0.2, 0.1, 1.0),
        (0.0, -0.2, 0.0, nan),
        (0.5, 0.5, 0.9, nan),
    ],
)
def test_the_end_towards_zero_gives_the_p_value(value, low, high, want):
    assert _normal_tails(value, low, high, 0.95) == pytest.approx(want, nan_ok=True, rel=1e-5)


def test_the_textbook_z_has_the_level_asked_for():
    a, b = labelled(70, 15, level=0.8), labelled(90, 16, level=0.8)
    found = independent_difference(METRICS["accuracy"], a, b, "z")
    shares = [one.value(METRICS["accuracy"]) for one in (a, b)]
    error = np.sqrt(shares[0] * (1 - shares[0]) / 70 + shares[1] * (1 - shares[1]) / 90)
    assert (found.low, found.high) == pytest.approx(stats.norm.interval(0.8, shares[0] - shares[1], error))


def test_two_samples_are_worth_one_of_their_mean_size_by_error():
    assert _size([1.0, 3.0], [10, 20]) == 17.5
    assert _size([0.0, 0.0], [10, 20]) is None


def test_a_t_test_suits_all_that_a_unit_can_move():
    suits = INDEPENDENT_TESTS["t"][0]
    found = {name: suits(METRICS[name], labelled(60, 9)) for name in ("f1", "mae", "roc_auc", "max_error", "ece")}
    assert found == {"f1": True, "mae": True, "roc_auc": True, "max_error": False, "ece": False}
