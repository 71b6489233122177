"""What a textbook test is given: each refusal says what was seen."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.errors import HeldoutError
from heldout.stats.argument_checks import (
    LARGEST,
    MOST,
    checked_alpha,
    checked_counts,
    checked_mean,
    checked_share,
    checked_sigmas,
    counts_in,
    numbers_in,
)


@pytest.mark.parametrize("alpha", [1e-12, 0.05, 0.4999])
def test_levels(alpha):
    checked_alpha(alpha)


@pytest.mark.parametrize("counts", [[0, 1], [MOST], [3, 4, 5]])
def test_counts(counts):
    checked_counts(counts)


def test_a_part_may_be_the_whole_and_a_table_is_kept_as_numbers():
    checked_counts([7], of=7)
    assert counts_in([[1, 2], [3, 4]], 2).dtype == float
    assert numbers_in([1, -LARGEST], "the data").tolist() == [1.0, -LARGEST]
    checked_share(0.5, "share")
    checked_sigmas(1.0, 2.0)
    checked_sigmas(LARGEST, 1 / LARGEST)
    checked_sigmas(1 / LARGEST, LARGEST)
    checked_mean(-LARGEST)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: checked_alpha(0.0), "alpha is 0, which is not a significance level"),
        (lambda: checked_alpha(0.5, "--alpha"), "--alpha is 0.5, which is not a significance level"),
        (lambda: checked_alpha(float("nan")), "alpha is nan, which is not a significance level"),
        (lambda: checked_alpha(0.9e-12), "alpha is 9e-13, which is not a significance level"),
        (lambda: checked_mean(np.inf, "--mean"), "--mean is inf, but must be a number from -1e+60 to 1e+60"),
        (lambda: checked_mean(np.nan), "mean is nan, but must be a number from -1e+60 to 1e+60"),
        (lambda: checked_counts([3, 8], of=7), "[H110] 8 of 7 is more than there are"),
        (lambda: checked_share(0.0, "--share"), "--share is 0, which is not between 0 and 1"),
        (
            lambda: checked_sigmas(2 * LARGEST, 1.0),
            "sigma0 is 2e+60, but must be a standard deviation from 1e-60 to 1e+60",
        ),
        (
            lambda: checked_sigmas(1.0, 0.5 / LARGEST),
            "sigma1 is 5e-61, but must be a standard deviation from 1e-60 to 1e+60",
        ),
        (lambda: checked_counts([-1, 3]), "[H110] -1 is not a count"),
        (lambda: checked_counts([1.5, 3]), "[H110] 1.5 is not a count"),
        (lambda: checked_counts([MOST + 1]), "[H110] 1000000000000001 is not a count"),
        (lambda: checked_counts([0, 0]), "[H110] there is nothing to count: 0 in all"),
        (lambda: checked_counts([8], of=7), "[H110] 8 of 7 is more than there are"),
        (lambda: checked_share(1.0, "--share"), "--share is 1, which is not between 0 and 1"),
        (lambda: checked_sigmas(0.0, 1.0), "sigma0 is 0, but must be a standard deviation from 1e-60 to 1e+60"),
        (lambda: checked_sigmas(2.0, 2.0), "sigma0 and sigma1 are both 2: there is nothing to test"),
        (lambda: counts_in([1, 2], 2), "[H110] the counts are 2, not a table of lines and columns"),
        (lambda: counts_in([[1, 2]], 2), "[H110] a table of 1 x 2 has nothing to be independent of"),
        (lambda: counts_in([5], 1), "[H110] one count alone fits whatever is expected"),
        (lambda: counts_in(5, 1), "[H110] the counts are one number, not one row of counts"),
        (lambda: numbers_in(["a"], "the data"), "[H108] the data are not numbers"),
        (lambda: numbers_in([1, np.nan], "the data"), "[H305] number 2 of the data is nan, which is missing"),
        (lambda: numbers_in([2 * LARGEST], "the data"), "[H305] number 1 of the data is 2e+60, which is missing"),
    ],
)
def test_refusals(call, said):
    with pytest.raises(HeldoutError) as refused:
        call()
    assert str(refused.value).startswith(said)
    assert "\n  Fix: " in str(refused.value)
