"""Size and power: exact for coins, and the waste of forgetting that rows are the same."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.errors import UsageError
from heldout.lab import Size, power, size
from heldout.lab.rates.size import discordance, rejected
from heldout.lab.worlds import several_models
from heldout.stats.mcnemar_tests import mcnemar


def test_counting_all_tables_agrees_with_counting_them_one_by_one():
    more, less, n = 0.15, 0.1, 12
    total = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            if mcnemar(b, c, method="midp") < 0.05:
                rest = n - b - c
                ways = np.prod(np.arange(1, n + 1.0)) / np.prod([np.prod(np.arange(1, k + 1.0)) for k in (b, c, rest)])
                total += ways * more**b * less**c * (1 - more - less) ** rest
    assert rejected(more, less, n, "midp", 0.05) == pytest.approx(total, rel=1e-9)


def test_discordance_is_what_draws_show():
    pair = several_models("pair-coin:p=0.7,gain=0.1,correlation=0.5")
    drawn = pair.draw(40_000, np.random.default_rng(1))
    right = [one.prediction == one.truth for one in drawn.values()]
    more, less = discordance(0.7, 0.8, 0.5)
    assert np.mean(right[1] & ~right[0]) == pytest.approx(more, abs=0.01)
    assert np.mean(right[0] & ~right[1]) == pytest.approx(less, abs=0.01)


def test_sizes_of_mcnemar_tests():
    """Mid-p is near its level, the exact and the corrected test waste half of it."""
    midp, exact, corrected, plain = size(
        ["mcnemar", "exact", "corrected", "asymptotic"], "pair-coin:p=0.8,correlation=0.6", 200
    )
    assert 0.045 <= midp.rejected <= 0.052
    assert exact.rejected < 0.04
    assert corrected.rejected < 0.04
    assert 0.045 <= plain.rejected <= 0.056
    assert [one.word for one in (midp, exact)] == ["ok", "ok"]


def test_drawing_agrees_with_counting():
    (counted,) = power("mcnemar", "pair-coin:p=0.7,gain=0.15", 60)
    (simulated,) = power("permutation", "pair-coin:p=0.7,gain=0.15", 60, repeats=50, n_resamples=100)
    assert simulated.rejected == pytest.approx(counted.rejected, abs=4 * simulated.error)


def test_forgetting_that_rows_are_the_same_wastes_power():
    world = "pair-coin:p=0.8,gain=0.06,correlation=0.8"
    paired, unpaired = power(["t", "unpaired"], world, 300, repeats=100)
    assert paired.rejected > unpaired.rejected + 0.15
    assert paired.width < unpaired.width


def test_several_models():
    auto, max_t, holm = size(["auto", "max_t", "holm"], "pair-labels:models=4", 60, metrics="accuracy", repeats=20)
    assert auto.models == 4
    assert auto.rejected == max_t.rejected
    assert max(auto.rejected, holm.rejected) <= 0.3


def word(rate, error=0.0, difference=0.0):
    facts = {"test": "t", "metric": "f1", "world": "w", "n": 5, "models": 2, "undefined": 0, "coverage": 1, "width": 1}
    return Size(**facts, alpha=0.05, difference=difference, rejected=rate, error=error, repeats=1).word


def test_words():
    assert [word(0.07), word(0.07, 0.005), word(0.05), word(0.02), word(0.9, 0, 0.1)] == [
        "too high", "ok", "ok", "timid", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: size("mcnemer", "pair-coin", 10),
            (
                "no test is named 'mcnemer'; did you mean 'mcnemar'?\n  Fix: choose one of auto, unpaired, mcnemar, "
                "exact, asymptotic, corrected, delong, kosinski, permutation, bootstrap, t, diebold_mariano"
            ),
        ),
        (
            lambda: size("t", "pair-coin:models=3", 10),
            "no test for 3 models is named 't'\n  Fix: choose one of auto, max_t, holm",
        ),
        (
            lambda: size("delong", "pair-labels", 10, metrics="f1"),
            "delong is not a test for f1 in 'pair-labels'\n  Fix: it is for roc_auc and gini",
        ),
        (
            lambda: size("auto", "pair-coin:gain=0.05", 10),
            (
                "the models of 'pair-coin:gain=0.05' differ by 0.05 in accuracy\n"
                "  Fix: leave out gain=, or ask for the power: heldout lab power"
            ),
        ),
        (
            lambda: power("auto", "pair-coin", 10),
            (
                "the models of 'pair-coin' are equally good in accuracy\n"
                "  Fix: write gain=0.05, or ask for the size: heldout lab size"
            ),
        ),
        (lambda: size("auto", "pair-coin", 1), ("n is 1, but must be two rows or more\n  Fix: write n=50")),
        (
            lambda: size("auto", "pair-coin", 10, alpha=0.5),
            "alpha is 0.5, which is not a significance level\n  Fix: write a number such as 0.05",
        ),
    ],
)
def test_messages(call, message):
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == message
