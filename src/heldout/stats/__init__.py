"""Statistics of numbers: tests, p-values and confidence intervals, by name and without a choice made for you.

    >>> from heldout import stats
    >>> round(stats.mcnemar(15, 6), 4)
    0.0525
    >>> stats.wilson(45, 50)
    (0.7863..., 0.9565...)

What is named here is loaded when it is first used. Every p-value is two-sided unless a function asks for the side.
"""

from __future__ import annotations

from inspect import isfunction
from typing import TYPE_CHECKING, Any

from heldout.lazy import attach

if TYPE_CHECKING:
    from heldout.intervals.auc import delong_logit as delong_logit
    from heldout.intervals.shares import (
        agresti_coull as agresti_coull,
        blaker as blaker,
        clopper_pearson as clopper_pearson,
        jeffreys as jeffreys,
        normal as normal,
        wilson as wilson,
    )
    from heldout.stats.forecast_tests import diebold_mariano as diebold_mariano
    from heldout.stats.independent_samples import (
        agresti_caffo as agresti_caffo,
        miettinen_nurminen as miettinen_nurminen,
        newcombe as newcombe,
        textbook_z as textbook_z,
        welch as welch,
    )
    from heldout.stats.mcnemar_tests import (
        agresti_min as agresti_min,
        kosinski as kosinski,
        mcnemar as mcnemar,
        newcombe_paired as newcombe_paired,
        tango as tango,
    )
    from heldout.stats.multiplicity import (
        benjamini_hochberg as benjamini_hochberg,
        bonferroni as bonferroni,
        hochberg as hochberg,
        holm as holm,
        sidak as sidak,
    )
    from heldout.stats.neyman_pearson import threshold_at as threshold_at
    from heldout.stats.outcome import Outcome as Outcome
    from heldout.stats.paired_means import paired_mean as paired_mean, paired_t as paired_t, sign_flip as sign_flip
    from heldout.stats.rank_tests import (
        friedman as friedman,
        nemenyi as nemenyi,
        sign_test_wins as sign_test_wins,
    )
    from heldout.stats.split_tests import (
        bayes_correlated_t as bayes_correlated_t,
        corrected_resampled_t as corrected_resampled_t,
        five_by_two_f as five_by_two_f,
        five_by_two_t as five_by_two_t,
        kfold_paired_t as kfold_paired_t,
    )
    from heldout.stats.wilcoxon import (
        bayes_signed_rank as bayes_signed_rank,
        pseudomedian as pseudomedian,
        signed_rank as signed_rank,
    )

PUBLIC = {
    "heldout.intervals.auc": ("delong_logit",),
    "heldout.intervals.shares": ("agresti_coull", "blaker", "clopper_pearson", "jeffreys", "normal", "wilson"),
    "heldout.stats.forecast_tests": ("diebold_mariano",),
    "heldout.stats.independent_samples": ("agresti_caffo", "miettinen_nurminen", "newcombe", "textbook_z", "welch"),
    "heldout.stats.mcnemar_tests": ("agresti_min", "kosinski", "mcnemar", "newcombe_paired", "tango"),
    "heldout.stats.multiplicity": ("benjamini_hochberg", "bonferroni", "hochberg", "holm", "sidak"),
    "heldout.stats.neyman_pearson": ("threshold_at",),
    "heldout.stats.outcome": ("Outcome",),
    "heldout.stats.paired_means": ("paired_mean", "paired_t", "sign_flip"),
    "heldout.stats.rank_tests": ("friedman", "nemenyi", "sign_test_wins"),
    "heldout.stats.split_tests": (
        "bayes_correlated_t",
        "corrected_resampled_t",
        "five_by_two_f",
        "five_by_two_t",
        "kfold_paired_t",
    ),
    "heldout.stats.wilcoxon": ("bayes_signed_rank", "pseudomedian", "signed_rank"),
}
"""Module → the public names that live in it."""

_loaded, __dir__, __all__ = attach(__name__, PUBLIC)


def __getattr__(name: str) -> Any:
    """What is named here, which checks what it is given."""
    from heldout.stats.checked_arguments import with_checked_arguments

    found = _loaded(name)
    if name in __all__ and isfunction(found):
        found = globals()[name] = with_checked_arguments(found, __name__)
    return found
