"""Coverage: exact where every sample can be counted, and the published figures."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.errors import UsageError
from heldout.intervals.shares import SHARES
from heldout.lab import Coverage, coverage


@pytest.mark.parametrize(
    ("n", "p", "known"),
    [
        (17, 0.5, 0.951), (18, 0.5, 0.904), (19, 0.5, 0.936), (20, 0.5, 0.959), (40, 0.5, 0.919), (100, 0.5, 0.943),
        (7, 0.2, 0.757), (16, 0.2, 0.852), (30, 0.2, 0.946), (98, 0.2, 0.928),
        (591, 0.005, 0.945), (592, 0.005, 0.792), (953, 0.005, 0.948), (954, 0.005, 0.852),
    ],
)  # fmt: skip
def test_lucky_and_unlucky_numbers_of_rows(n, p, known):
    (one,) = coverage("normal", f"coin:p={p}", n)
    assert one.coverage == pytest.approx(known, abs=6e-4)
    assert (one.error, one.repeats) == (0, 0)


@pytest.mark.parametrize(
    ("n", "p", "known"),
    [
        (30, 0.05, (0.782, 0.939, 0.984)),
        (50, 0.01, (0.395, 0.911, 0.986)),
        (100, 0.05, (0.878, 0.966, 0.983)),
        (100, 0.3, (0.950, 0.937, 0.963)),
    ],
)
def test_cells_of_the_table(n, p, known):
    found = coverage(["normal", "wilson", "clopper_pearson"], f"coin:p={p}", n)
    assert [one.coverage for one in found] == pytest.approx(known, abs=6e-4)


def test_counting_agrees_with_drawing():
    (counted,) = coverage("wilson", "coin:p=0.1", 30)
    # weights of no spread to speak of: the same world, but no longer one that is counted
    (drawn,) = coverage("wilson", "coin:p=0.1,weights=1e-9", 30, repeats=400)
    assert drawn.repeats == 400
    assert drawn.coverage == pytest.approx(counted.coverage, abs=4 * drawn.error)
    assert drawn.width == pytest.approx(counted.width, rel=0.05)


def test_exact_intervals_never_hold_less_than_their_level():
    for name in ("clopper_pearson", "blaker"):
        (one,) = coverage(name, "coin:p=0.2", 20, window=0.5)
        assert one.minimum >= 0.95


def test_what_is_missed_below_and_above_adds_up():
    for one in coverage(list(SHARES), "coin:p=0.07", 40):
        assert one.coverage + one.below + one.above == pytest.approx(1)


def test_accuracy_and_error_rate_are_one_question():
    right, wrong = coverage("wilson", "coin:p=0.8", 25, metrics=["accuracy", "error_rate"])
    assert right.coverage == pytest.approx(wrong.coverage)
    assert (right.below, right.above) == pytest.approx((wrong.above, wrong.below))


def test_a_window_has_a_mean_and_a_minimum():
    (alone,) = coverage("wilson", "coin:p=0.01", 50)
    (window,) = coverage("wilson", "coin:p=0.01", 50, window=0.2)
    assert alone.minimum == alone.coverage
    assert window.minimum < alone.coverage < window.coverage


def test_several_metrics_of_one_draw():
    found = coverage(["auto", "normal"], "labels", 40, metrics=["accuracy", "f1"], repeats=20)
    assert [(one.metric, one.method) for one in found] == [
        ("accuracy", "auto"), ("accuracy", "normal"), ("f1", "auto"), ("f1", "normal"),
    ]  # fmt: skip
    assert all(0 < one.error < 0.12 for one in found)


def test_no_interval_is_counted_nowhere_but_said():
    (one,) = coverage("delong", "binormal:prevalence=0.02", 20, metrics="roc_auc", repeats=50)
    assert 0 <= one.undefined <= 1
    assert np.isnan(one.coverage) or one.coverage + one.below + one.above == pytest.approx(1)


def word(rate, error=0.0):
    facts = {"method": "m", "metric": "f1", "world": "w", "n": 5, "truth": 0.5, "width": 0.1, "below": 0, "above": 0}
    return Coverage(**facts, level=0.95, coverage=rate, error=error, undefined=0, minimum=rate, repeats=1).word


def test_words():
    assert [word(0.92), word(0.94), word(0.98), word(0.92, 0.006)] == ["too low", "ok", "wide", "ok"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: coverage("wilsn", "coin", 10),
            "no interval method is named 'wilsn'; did you mean 'wilson'?\n  Fix: heldout explain methods lists all",
        ),
        (
            lambda: coverage("delong", "coin", 10),
            (
                "delong is not an interval method for accuracy\n  Fix: it has auto, wilson, wilson_cc, "
                "clopper_pearson, midp, "
                "blaker, likelihood_ratio, logit, jeffreys, agresti_coull, normal, percentile, basic, bca"
            ),
        ),
        (lambda: coverage("wilson", "coin", 0), ("n is 0, but must be one row or more\n  Fix: write n=50")),
        (
            lambda: coverage("wilson", "coin", 9, confidence_level=95),
            "the level is 95, but must lie between 0 and 1\n  Fix: for 95% write 0.95",
        ),
        (
            lambda: coverage("wilson", "coin", 9, window=20),
            "the window is 20, but must lie between 0 and 1\n  Fix: for 20% write 0.2",
        ),
    ],
)
def test_messages(call, message):
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == message


def test_the_interval_of_a_cost_is_measured_as_users_get_it():
    """Between the least and the largest cost, which the simulation knows: never infinitely wide."""
    cost, least_risk = coverage(
        "auto", "probabilities:prevalence=0.5,noise=0.5", 12, metrics=["cost", "cost_minimum_risk"], repeats=300
    )
    for one in (cost, least_risk):
        assert one.coverage > 0.93
        assert 0 < one.width < 5


def test_an_interval_that_stands_in_for_one_without_width_is_not_counted():
    """At 0 errors of 20 the normal interval has no width: it misses, whatever is shown in its place."""
    world = "labels:prevalence=0.05,precision=0.9,recall=0.9"
    error_rate, mcc = coverage("normal", world, 20, metrics=["error_rate", "mcc"])
    assert error_rate.coverage == pytest.approx(coverage("normal", "coin:p=0.99", 20)[0].coverage, abs=1e-6)
    assert mcc.coverage < 0.6
