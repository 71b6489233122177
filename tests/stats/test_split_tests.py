from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from heldout.errors import HeldoutError
from heldout.stats.split_tests import (
    bayes_correlated_t,
    corrected_resampled_t,
    five_by_two_f,
    five_by_two_t,
    kfold_paired_t,
    naive_fold_t,
)

D = np.random.default_rng(3).normal(0.02, 0.03, 30)
P = np.random.default_rng(4).normal(0.02, 0.03, (5, 2))
NO_SPREAD = "so nothing says how much it varies\n  Fix: check that the learners and the splits differ; else compare two models on one holdout"  # noqa: E501


@pytest.mark.parametrize("test", [naive_fold_t, kfold_paired_t])
def test_the_uncorrected_ones_are_students_and_say_so(test):
    found, want = test(D, 0.9), stats.ttest_1samp(D, 0)
    assert (found.statistic, found.pvalue, found.df) == pytest.approx((want.statistic, want.pvalue, 29))
    assert (found.low, found.high) == pytest.approx(tuple(want.confidence_interval(0.9)))
    assert "not valid" in found.test or "approximate" in found.test
    assert found.level == 0.9
    assert len(found.notes) == 1


def test_the_correction_widens_by_the_ratio():
    plain, corrected = naive_fold_t(D, 0.95), corrected_resampled_t(D, 0.95, ratio=0.5)
    assert corrected.high - corrected.low == pytest.approx((plain.high - plain.low) * np.sqrt((1 / 30 + 0.5) * 30))
    assert corrected.pvalue > plain.pvalue


def test_dietterichs_t_has_the_interval_of_its_first_difference():
    error = np.sqrt(np.mean([np.var(pair, ddof=1) for pair in P]))
    found = five_by_two_t(P, 0.9)
    assert (found.low, found.high) == pytest.approx(stats.t.interval(0.9, 5, P[0, 0], error))
    assert (found.level, found.df, found.notes) == (0.9, 5, ("the value is the first of the ten differences",))


def test_alpaydins_interval_ends_where_its_f_is_just_significant():
    found = five_by_two_f(P, 0.9)
    assert (found.level, found.df, found.value) == (0.9, 5, pytest.approx(P.mean()))
    for end in (found.low, found.high):
        f = np.sum((P - end) ** 2) / (2 * np.sum(np.var(P, axis=1, ddof=1)))
        assert stats.f.sf(f, 10, 5) == pytest.approx(0.1)
    far = five_by_two_f(1000 * P, 0.9)
    assert (far.low, far.notes) == (pytest.approx(1000 * found.low), ())


@pytest.mark.parametrize("scale", [1e-13, 1e13])
def test_a_scale_changes_no_test_over_splits(scale):
    for test, given in ((five_by_two_t, P), (five_by_two_f, P), (kfold_paired_t, D)):
        assert test(scale * given).pvalue == pytest.approx(test(given).pvalue)


def test_folds_that_share_no_rows_are_allowed():
    found, plain = bayes_correlated_t(D, 0.01, correlation=0.0), stats.ttest_1samp(D, 0)
    assert found.mean / found.scale == pytest.approx(plain.statistic)


@pytest.mark.parametrize("test", [five_by_two_t, five_by_two_f])
@pytest.mark.parametrize("shift", [0.0, 0.05, 0.1])
def test_an_interval_of_five_by_two_excludes_zero_where_the_test_rejects(test, shift):
    found = test(P + shift, 0.95)
    assert found.low <= found.value <= found.high
    assert (found.pvalue < 0.05) == (not found.low <= 0 <= found.high)


def test_five_by_two_keeps_no_shift_of_differences_that_are_too_far_apart():
    found = five_by_two_f([[0.1, 0.101], [-0.1, -0.099], [0.1, 0.101], [-0.1, -0.099], [0.1, 0.101]], 0.95)
    assert np.isnan(found.low)
    assert found.notes == ("no interval: the ten differences are further apart than any shift explains",)


def test_the_posterior_is_that_of_the_corrected_t():
    found, corrected = bayes_correlated_t(D, 0.01, correlation=1 / 3), corrected_resampled_t(D, 0.95, ratio=0.5)
    assert found.below + found.within + found.above == pytest.approx(1)
    assert found.mean / found.scale == pytest.approx(corrected.statistic)
    none = bayes_correlated_t(D, 0.0, correlation=1 / 3)
    assert (none.within, 2 * min(none.below, none.above)) == pytest.approx((0, corrected.pvalue))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: naive_fold_t([0.1] * 10, 0.95), f"[H310] all 10 splits gave the same difference, 0.1, {NO_SPREAD}"),
        (
            lambda: corrected_resampled_t([0.0, 0.0], 0.95, ratio=1),
            f"[H310] all 2 splits gave the same difference, 0, {NO_SPREAD}",
        ),
        (
            lambda: five_by_two_t(np.full((5, 2), 0.2), 0.95),
            f"[H310] all 10 splits gave the same difference, 0.2, {NO_SPREAD}",
        ),
        (
            lambda: five_by_two_f([[i, i] for i in range(5)], 0.95),
            (
                "[H310] both halves gave the same difference in all 5 repetitions, so nothing says how much it varies\n"
                "  Fix: use more rows, or another test"
            ),
        ),
        (
            lambda: kfold_paired_t([0.1], 0.95),
            (
                "[H310] the difference of 1 split says nothing about how much it varies\n"
                "  Fix: give the differences of at least two splits, better 30"
            ),
        ),
        (
            lambda: kfold_paired_t(P, 0.95),
            "the differences are 5 x 2, not one row of numbers\n  Fix: give one difference per split",
        ),
        (
            lambda: five_by_two_t(D, 0.95),
            "the differences are 30, not 5 x 2\n  Fix: give five repetitions (lines) of two halves (columns)",
        ),
        (
            lambda: corrected_resampled_t(D, 0.95, ratio=0),
            (
                "ratio is 0, but splits have rows on both sides\n"
                "  Fix: give test rows / training rows, 1 / (k - 1) for k folds"
            ),
        ),
        (
            lambda: bayes_correlated_t(D, 0.1, correlation=1),
            (
                "correlation is 1, which is not between 0 and 1\n"
                "  Fix: give the share of rows that are tested, 1 / k for k folds"
            ),
        ),
        (
            lambda: bayes_correlated_t(D, np.inf, correlation=0.1),
            "rope is inf, but must be 0 or more\n  Fix: give the largest difference of no consequence",
        ),
        (
            lambda: naive_fold_t([0.3, 0.1 + 0.2], 0.95),
            f"[H310] all 2 splits gave the same difference, 0.3, {NO_SPREAD}",
        ),
        (
            lambda: five_by_two_t(np.zeros((5, 2)), 0.95),
            f"[H310] all 10 splits gave the same difference, 0, {NO_SPREAD}",
        ),
        (
            lambda: five_by_two_t([[0.3, 0.1 + 0.2], [0.0, 0.0], [0.2, 0.2], [0.1, 0.1], [0.1, 0.1]], 0.95),
            (
                "[H310] both halves gave the same difference in all 5 repetitions, so nothing says how much it varies\n"
                "  Fix: use more rows, or another test"
            ),
        ),
        (
            lambda: bayes_correlated_t(D, -0.1, correlation=0.1),
            "rope is -0.1, but must be 0 or more\n  Fix: give the largest difference of no consequence",
        ),
    ],
)
def test_what_cannot_be_tested_is_refused(call, said):
    with pytest.raises(HeldoutError) as refused:
        call()
    assert str(refused.value) == said


SPLITS = [0.02, 0.01, -0.01, 0.03, 0.02, 0.0, 0.04, 0.01, 0.02, 0.03]
PAIRS = np.reshape(SPLITS, (5, 2))


@pytest.mark.parametrize(
    ("test", "given"),
    [(naive_fold_t, SPLITS), (kfold_paired_t, SPLITS), (five_by_two_t, PAIRS), (five_by_two_f, PAIRS)],
)
def test_learners_are_compared_at_95_percent_unless_said_otherwise(test, given):
    assert test(given) == test(given, 0.95)


def test_corrected_splits_are_compared_at_95_percent_unless_said_otherwise():
    assert corrected_resampled_t(SPLITS, ratio=1 / 9) == corrected_resampled_t(SPLITS, 0.95, ratio=1 / 9)


def test_an_interval_of_five_by_two_that_is_there_needs_no_note():
    found = five_by_two_f(PAIRS)
    assert found.low < found.value < found.high
    assert found.notes == ()
