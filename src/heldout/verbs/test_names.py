"""The tests by the names under which `compare` takes and prints them: what each asks, its formula, when it is used."""

from __future__ import annotations

import re
from dataclasses import dataclass

BY_NAME = "only by name"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedTest:
    """A test in words."""

    asks: str
    formula: str
    default: str
    """Where it is used without being asked for."""
    also: tuple[str, ...] = ()
    """Other names under which it is printed."""


NAMED_TESTS = {
    "mcnemar": NamedTest(
        asks="Of the rows that only one of two models gets right, has either model more than half?",
        formula="p = 2 P(X < k) + P(X = k), X binomial(b + c, 1/2), k = min(b, c); the interval is Tango's",
        default="accuracy, error_rate, recall and specificity of rows without groups and weights",
        also=("McNemar mid-p",),
    ),
    "exact": NamedTest(
        asks="McNemar's question, never rejecting too often, and so too rarely.",
        formula="p = 2 P(X <= k), X binomial(b + c, 1/2), k = min(b, c); the interval is Tango's",
        default=f"{BY_NAME}: --test exact",
        also=("McNemar exact",),
    ),
    "asymptotic": NamedTest(
        asks="McNemar's question, for many rows.",
        formula="(b - c)^2 / (b + c) is chi-square with 1 degree of freedom; the interval is Tango's",
        default=f"{BY_NAME}: --test asymptotic",
        also=("McNemar asymptotic",),
    ),
    "corrected": NamedTest(
        asks="McNemar's question as textbooks have it, with a correction that makes it too careful.",
        formula="(|b - c| - 1)^2 / (b + c) is chi-square with 1 degree of freedom; the interval is Tango's",
        default=f"{BY_NAME}: --test corrected",
        also=("McNemar corrected",),
    ),
    "kosinski": NamedTest(
        asks="Of the rows that each model calls positive (npv: negative), is the share that is right the same?",
        formula="z^2 = (p1 - p2)^2 / ((p (1 - p) - 2 c) (1/n1 + 1/n2)), c from the rows that both call positive",
        default=f"{BY_NAME}: --test kosinski",
        also=("Kosinski score",),
    ),
    "swaps, counted": NamedTest(
        asks="Were the models equally good, how often would what they said, swapped row by row, differ as much?",
        formula="p = share of all 2^m swaps with |d*| >= |d|, m rows on which they disagree; none is drawn",
        default=f"{BY_NAME}: --test permutation, metrics of labels as long as swaps can be counted",
    ),
    "delong": NamedTest(
        asks="Do the areas under two ROC curves differ?",
        formula="t = (A1 - A2) / s, s^2 from the rows' shares in both areas, one less the other; groups are added up; "
        "as paired influence, and with --test delong the normal z",
        default="roc_auc and gini; by name with --unpaired",
        also=(
            "DeLong, paired",
            "DeLong, paired, clustered",
            "DeLong, paired, z",
            "DeLong, paired, clustered, z",
            "DeLong, unpaired",
        ),
    ),
    "rank swaps": NamedTest(
        asks="Were the models equally good, how often would their ranks, swapped row by row, differ as much?",
        formula="p = (1 + #{|d*| >= |d|}) / (resamples + 1); the interval is a paired BCa of resampled rows",
        default="eer, ks and partial_auc of up to 1,000 rows without groups and weights",
        also=("rank swaps, paired BCa",),
    ),
    "paired influence": NamedTest(
        asks="Do the two models have the same value? A t test on how much each row or cluster changes the difference "
        "(its influence).",
        formula="t = d / s, s^2 = n / (n - 1) sum (L - mean L)^2, L how far a unit left out moves the difference; "
        "adjusted for skewness (Hall 1992), degrees of freedom: effective units less 1",
        default="every smooth metric without a test of its own",
        also=("paired t on influence",),
    ),
    "paired t": NamedTest(
        asks="Is the mean of the units' differences in loss zero?",
        formula="t = mean(d) / (sd(d) / sqrt(n)), n - 1 degrees of freedom, adjusted for skewness (Hall 1992)",
        default="means such as log_loss, brier, mae",
    ),
    "sign flips": NamedTest(
        asks="Is the mean of the units' differences in loss zero, whatever their distribution?",
        formula="p = share of sign patterns of d whose mean is as far from 0; the interval is that of paired t",
        default=f"{BY_NAME}: --test permutation, for means",
    ),
    "t": NamedTest(
        asks="Student's t by name: paired t for means, paired influence elsewhere; of independent samples Welch's.",
        formula="t = d / s, s the standard error of the difference d, not adjusted for skewness",
        default=f"{BY_NAME}: --test t; and for rankings in the JSON that no table shows",
    ),
    "permutation": NamedTest(
        asks="Swaps by name: sign flips for means, rank swaps for rankings, prediction swaps for labels.",
        formula="p = (1 + #{|d*| >= |d|}) / (resamples + 1), each unit's outputs swapped with chance 1/2",
        default=f"{BY_NAME}: --test permutation",
        also=("prediction swaps", "prediction swaps, paired BCa"),
    ),
    "HAC t": NamedTest(
        asks="Do two models differ on rows whose errors depend on those before?",
        formula="t = d / s, s^2 the long-run variance of what each time moves d: cosine sums of what an autoregression "
        "of one lag leaves, 0.4 n^(2/3) of them; degrees of freedom after Satterthwaite",
        default="all metrics that a row can move, with --time",
        also=("HAC", "heteroskedasticity and autocorrelation consistent"),
    ),
    "diebold_mariano": NamedTest(
        asks="Do two forecasts of the same series have the same expected loss?",
        formula="t = sqrt((n + 1 - 2 h + h (h - 1) / n) / n) d / s, s^2 from the autocovariances up to lag h - 1, h "
        "the --horizon; Harvey, Leybourne and Newbold's correction",
        default=f"{BY_NAME}: --time COLUMN --test diebold_mariano",
        also=("Diebold-Mariano",),
    ),
    "bootstrap": NamedTest(
        asks="Does the difference stay on one side of 0 when units are resampled, the same for both models?",
        formula="p = 1 less the lowest level at which the BCa interval of the differences holds 0",
        default=f"{BY_NAME}: --test bootstrap",
        also=("paired BCa",),
    ),
    "betting confidence sequence": NamedTest(
        asks="Is the mean of bounded row differences zero, at any number of looks while rows are added?",
        formula="wealth = average over c of prod (1 + c (x - m) / (1 + m)); m is left out where it reaches 2 / alpha",
        default="with --sequential: accuracy, recall, brier and other bounded means of rows without groups and weights",
    ),
    "asymptotic confidence sequence": NamedTest(
        asks="Is the difference zero, at any number of looks from about 100 units on?",
        formula="normal mixture of t = d / s worth 114 units, widened by Hall's transformation for skewed units",
        default="with --sequential: every other smooth metric",
    ),
    "Newcombe": NamedTest(
        asks="Do two shares of independent samples differ?",
        formula="d - sqrt((p1 - l1)^2 + (u2 - p2)^2) and its mirror, l and u Wilson's ends; p inverts it",
        default="shares with --unpaired, rows without groups and weights",
    ),
    "Welch's t": NamedTest(
        asks="Do two means of independent samples differ, spreads being different?",
        formula="t = (m1 - m2) / sqrt(s1^2 / n1 + s2^2 / n2), degrees of freedom after Welch",
        default="means with --unpaired, if neither sample has more than twice the rows or clusters of the other",
        also=("Welch", "Welch's t on influence"),
    ),
    "MOVER": NamedTest(
        asks="Do two values of independent samples differ, each with an interval of its own?",
        formula="d - sqrt((v1 - l1)^2 + (u2 - v2)^2) and its mirror, l and u the ends; p inverts it",
        default="all other metrics with --unpaired",
    ),
    "z": NamedTest(
        asks="The textbook's question: do two shares of independent samples differ?",
        formula="z = (p1 - p2) / sqrt(p1 (1 - p1) / n1 + p2 (1 - p2) / n2)",
        default=f"{BY_NAME}: --unpaired --test z",
        also=("z, textbook",),
    ),
    "max-T": NamedTest(
        asks="Which of several models differ from the baseline, the chance of any false one being held?",
        formula="p = P(max over models of |T| >= |t|), T joint with the covariance of the models' differences",
        default="the primary metric of three or more models on the same rows; their intervals hold together",
    ),
    "Holm": NamedTest(
        asks="Which of several tests are significant, if the probability of any false positive among them is at most "
        "alpha? An h stands behind such p-values.",
        formula="the i-th smallest of m p-values becomes max over j <= i of (m - j + 1) p_j, at most 1",
        default="all metrics but the primary one",
    ),
    "identical": NamedTest(
        asks="Nothing: both models say the same of every row.",
        formula="d = 0, p = 1, interval -+ z^2 / (n + z^2) at least",
        default="identical predictions",
    ),
}
"""By the name that `--test` takes, or under which it is printed."""


def named_test(name: str) -> str | None:
    """The key of a test, from any of its names, with or without the counts that are printed behind; None: no test.

    >>> named_test("McNemar mid-p, 32 vs 22"), named_test("Max T"), named_test("f1")
    ('mcnemar', 'max-T', None)
    """
    wanted = _plain(re.sub(r",? *(\d+ vs \d+|h=\d+)$", "", name.strip()))
    for key, test in NAMED_TESTS.items():
        if wanted in map(_plain, (key, *test.also)):
            return key
    return None


def _plain(name: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", name.lower()))
