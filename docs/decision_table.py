"""Which interval and test heldout uses by default: asked of the code that chooses, beside the simulated rates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

import heldout
from docs.facts import TASKS, made_up, table
from docs.goals import behind
from heldout.cards.lookup import Card
from heldout.formulas import METRICS

Cards = Mapping[str, Mapping[str, Mapping[str, Sequence[Card]]]]
"""By design of the rows, metric, and method or test."""
SMALL = 100
"""Fewer rows than this are few."""


@dataclass(frozen=True, slots=True)
class Family:
    """Metrics with one kind of interval: what they are, one of them to ask about, and why the default is what it is."""

    words: str
    task: str
    metric: str
    why: str


FAMILIES = {
    "share": Family(
        "shares of rows", "binary", "accuracy", "Wilson's score interval stays within 0 and 1 and is never empty."
    ),
    "unit": Family(
        "averages over classes, and other metrics from 0 to 1",
        "multiclass",
        "f1_macro",
        "Wilson's formula with the number of rows that would give the variance of the delta method.",
    ),
    "mean_of_rates": Family(
        "means of rates",
        "binary",
        "balanced_accuracy",
        "MOVER combines the Wilson intervals of the rates, so that a rate of 0 or 1 has an interval, too.",
    ),
    "sum_of_rates": Family("sums of rates", "binary", "youden_j", "MOVER, as for means of rates."),
    "correlation": Family(
        "correlations of labels", "binary", "mcc", "Fisher's z keeps the interval within -1 and 1 and makes it skewed."
    ),
    "ratio": Family("ratios of rates", "binary", "lr_positive", "Ratios are symmetric on the log scale."),
    "area": Family(
        "area under the ROC curve",
        "binary",
        "roc_auc",
        "DeLong's variance on the logit scale stays within 0 and 1. With few positives or an AUC near 1 it is too "
        "small, and Newcombe's score interval or a raised variance replaces it.",
    ),
    "columns": Family(
        "areas averaged over classes", "multiclass", "roc_auc_ovr", "DeLong's variance of every class, combined."
    ),
    "precision": Family(
        "average precision",
        "binary",
        "average_precision",
        "The variance on the logit scale, never narrower than that of a share of as many positives.",
    ),
    "ranking": Family(
        "metrics at one point of the ROC curve",
        "binary",
        "ks",
        "A maximum or a quantile is not smooth, so the interval is resampled.",
    ),
    "depth": Family(
        "metrics of the highest scores",
        "binary",
        "gain@10%",
        "The cut-off moves with the rows; the delta method counts that.",
    ),
    "mean": Family(
        "means of losses",
        "binary",
        "log_loss",
        "Losses are skewed; Hall's transformation of t removes the skewness without resampling.",
    ),
    "bounded_mean": Family(
        "means of values from 0 to 1", "multilabel", "ndcg", "Wilson's formula stays within the bounds."
    ),
    "spread": Family("squared errors and deviances", "regression", "rmse", "Skewed even more than absolute errors."),
    "explained": Family(
        "explained variance", "regression", "r2", "1 - R² is a ratio of sums, so its logarithm is nearly normal."
    ),
    "weighted_kappa": Family("weighted kappa", "multiclass", "kappa_quadratic", "As for explained variance."),
    "middle": Family(
        "medians", "regression", "median_absolute_error", "Order statistics need no assumption on the distribution."
    ),
    "largest": Family(
        "the largest error", "regression", "max_error", "Only one side can be bounded from the rows that were seen."
    ),
    "ece": Family(
        "expected calibration error",
        "binary",
        "ece",
        "It is biased upwards by chance; the interval allows for the bias.",
    ),
    "calibration_error": Family(
        "debiased calibration error",
        "binary",
        "rms_calibration_error_debiased",
        "The bias is removed, then the delta method is used.",
    ),
    "recalibration": Family(
        "calibration slope and intercept",
        "binary",
        "calibration_slope",
        "Logistic regression of the labels on the scores, with a robust (sandwich) variance.",
    ),
}
"""By kind of interval (`heldout.estimates.interval_choice.KINDS`)."""

SITUATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "clusters": ("clustered", {"groups": np.arange(500) // 5}),
    "weights": ("weighted", {"sample_weight": 1.0 + np.arange(500) % 4}),
    "time order": ("serial", {"time": np.arange(500)}),
}
"""Rows that are not alike and independent: the design of the cards, and how one says so."""

WHY_TESTS = {
    "McNemar mid-p": "Only rows on which the models disagree count; mid-p is less conservative than the exact test.",
    "DeLong, paired": "Both AUCs come from the same rows; their covariance is part of the variance.",
    "paired t": "A t-test on the difference of the losses row by row, adjusted for skewness.",
    "paired influence": "A t-test on how much each row or cluster moves the difference; works for any smooth metric.",
    "HAC t": "A t-test on how much each time moves the difference, whose variance allows for autocorrelation (HAC).",
    "rank swaps, paired BCa": "Not smooth: a permutation test, and a bootstrap for the interval.",
    "Newcombe": "Two independent shares, from their Wilson intervals.",
    "MOVER": "Two independent estimates, from their own intervals, which may be skewed.",
    "Welch's t": "Two independent means with unequal variances.",
}
"""Why a test is the default, by its printed name."""


def pages(intervals: Cards, tests: Cards) -> dict[str, str]:
    """File name (without suffix) to Markdown."""
    return {
        "choice-intervals": independent_rows(intervals),
        "choice-designs": other_designs(intervals),
        "choice-tests": default_tests(tests),
    }


def independent_rows(intervals: Cards) -> str:
    """Independent rows: a line per family, with many rows and with few."""
    many, few = used_intervals(500), used_intervals(40)
    given = by_family(intervals["rows"])
    return table(
        ("metrics", "default interval", "coverage, n < 100", "coverage, n ≥ 100", "why"),
        (
            (
                members(kind),
                many[kind] if few[kind] == many[kind] else f"{many[kind]}; with 40 rows {few[kind]}",
                rates(one for one in given.get(kind, ()) if one.n < SMALL),
                rates(one for one in given.get(kind, ()) if one.n >= SMALL),
                family.why,
            )
            for kind, family in FAMILIES.items()
        ),
    )


def other_designs(intervals: Cards) -> str:
    """Clustered, weighted and dated rows: the default and its coverage, family by family."""
    used = {name: used_intervals(500, **options) for name, (_, options) in SITUATIONS.items()}
    given = {name: by_family(intervals[design]) for name, (design, _) in SITUATIONS.items()}
    head = ("metrics", *(cell for name in SITUATIONS for cell in (name, "coverage")))
    return table(
        head,
        (
            (
                f"{family.words} (`{family.metric}`)",
                *(cell for name in SITUATIONS for cell in (used[name][kind], rates(given[name].get(kind, ())))),
            )
            for kind, family in FAMILIES.items()
        ),
    )


def default_tests(tests: Cards) -> str:
    """A line per situation and test: the families that it compares by default, and how often it rejects a true null."""
    settings: dict[str, tuple[str, str, dict[str, Any]]] = {
        "same rows": ("rows", "auto", {}),
        **{f"same rows, {name}": (design, "auto", options) for name, (design, options) in SITUATIONS.items()},
        "different rows": ("rows", "unpaired", {"paired": False}),
    }
    lines = []
    for words, (design, method, options) in settings.items():
        alike: dict[str, list[str]] = {}
        for kind, test in used_tests(**options).items():
            alike.setdefault(test, []).append(kind)
        for test, kinds in alike.items():
            found = [
                one
                for name, named in tests[design].items()
                if behind(METRICS[name]).interval in kinds
                for one in named.get(method, ())
            ]
            examples = ", ".join(f"`{FAMILIES[kind].metric}`" for kind in kinds)
            lines.append((words, examples, test, rates(found), why(test)))
    return table(("rows", "metrics such as", "default test", "type I error at 5%", "why"), lines)


def used_intervals(rows: int, **options: Any) -> dict[str, str]:
    """The method of the default interval by family, as `evaluate` prints it on made-up data."""
    used = {}
    for task in TASKS:
        kinds = {kind: family.metric for kind, family in FAMILIES.items() if family.task == task}
        truth, models = made_up(task, rows)
        said = {"y_pred": models["a"]} if task == "regression" else {"y_score": models["a"]}
        found = heldout.evaluate(truth, metrics=list(kinds.values()), n_resamples=199, **said, **options)
        used |= {kind: plain(found[metric].method) for kind, metric in kinds.items()}
    return used


def used_tests(*, paired: bool = True, **options: Any) -> dict[str, str]:
    """The default test by family, as `compare` prints it; families that are not compared are left out."""
    used = {}
    for task in TASKS:
        kinds = {family.metric: kind for kind, family in FAMILIES.items() if family.task == task}
        truth, models = made_up(task, 500)
        given = models if paired else {name: (truth, said) for name, said in models.items()}
        found = heldout.compare(
            truth if paired else None, given, metrics=list(kinds), n_resamples=199, paired=paired, **options
        )
        used |= {kinds[one.metric]: plain(one.test) for one in found.differences if one.test != "none"}
    return used


def plain(method: str) -> str:
    """A method without what depends on these rows.

    >>> plain("DeLong, logit of roc_auc, clustered"), plain("bootstrap BCa, 199 resamples"), plain("sign test, 3 vs 4")
    ('DeLong, logit', 'bootstrap BCa', 'sign test')
    """
    return re.sub(r" of \w+(?=,|$)|, (clustered|weighted|HAC|\d+ resamples|\d+ vs \d+)(?=,|$)", "", method)


def why(test: str) -> str:
    return WHY_TESTS[test]


def by_family(cards: Mapping[str, Mapping[str, Sequence[Card]]]) -> dict[str, list[Card]]:
    """The cards of the defaults at 95%, by kind of interval."""
    found: dict[str, list[Card]] = {}
    for name, named in cards.items():
        found.setdefault(behind(METRICS[name]).interval, []).extend(named.get("auto", ()))
    return found


def rates(found: Iterable[Card]) -> str:
    """The median over simulated settings, and the lowest and highest.

    >>> rates([])
    'not simulated'
    """
    shares = [100 * one.rate for one in found]
    if not shares:
        return "not simulated"
    return f"{median(shares):.1f}% ({min(shares):.1f} to {max(shares):.1f})"


def members(kind: str) -> str:
    """A family by its words and its first metrics."""
    first = FAMILIES[kind].metric
    others = [name for name, metric in METRICS.items() if behind(metric).interval == kind and name != first]
    more = f" and {len(others) - 3} more" if len(others) > 3 else ""
    return f"{FAMILIES[kind].words}: {', '.join(f'`{name}`' for name in (first, *others[:3]))}{more}"
