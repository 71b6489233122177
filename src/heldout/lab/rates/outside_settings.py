"""The table of settings that `lab outside` goes through: what is drawn, what is asked, and which rate is allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from inspect import signature
from math import e, exp, pi, sqrt
from typing import Any

from heldout.lab.rates import outside_data as data, outside_images as images, outside_questions as ask
from heldout.lab.rates.outside_data import Draw
from heldout.lab.rates.outside_questions import Setting
from heldout.lab.rates.repetition import coverage_goal
from heldout.verbs.compare.compare import compare
from heldout.verbs.evaluate.evaluate import evaluate
from heldout.verbs.gate import gate

COVERAGE, FEW = coverage_goal(0.95), (0.90, 1.0)
"""Coverage allowed at 95%: with at least 5 expected events, and with fewer."""
SIZE, ALPHA, NEVER = (0.0, 0.06), (0.0, 0.05), (0.0, 0.0)
"""Allowed type I errors; verdicts that are promised to be wrong in at most 5%; what may not happen."""
LOGNORMAL = (
    "the mean of lognormal squares rests on rows that a sample of this size rarely has; no method holds without"
    " assuming the distribution"
)
ZEROS = "few rows have any demand: 4 or 5 of 15, and their errors are skewed"
WIDE_R2 = "wide, not narrow: the low end allows for losses that are as skewed as those seen, and a few decide it"
WIDE_PRECISION = "wide, not narrow: a useless model's precision varies less than that of the positives it is judged by"
WIDE_CLASSES = "wide, not narrow: a class of two or three rows counts as if one more ranked as rows do on average"
WIDE_BAND = "wide, not narrow: a band of so few rows of a class changes in steps"
FEW_CLUSTERS = "with so few clusters of such unequal sizes two or three of them carry the variance"
ONE_LOOK = "the verdict is promised for one look; sequential=True holds for any number of them"
UNSAID = "without time= rows count as independent; a note gives the autocorrelation, and time= holds"


def takes(verb: Callable[..., Any], parameter: str) -> bool:
    """Whether a verb has a parameter: settings of what is not there yet are left out.

    >>> takes(evaluate, "groups"), takes(evaluate, "moon")
    (True, False)
    """
    return parameter in signature(verb).parameters


@cache
def outside_settings() -> tuple[Setting, ...]:
    """Every setting, by area.

    >>> len({setting.key for setting in outside_settings()}) == len(outside_settings())
    True
    """
    return (
        *_weights(),
        *_few_denominators(),
        *_verdicts(),
        *_losses(),
        *_classes(),
        *_rankings(),
        *_clusters(),
        *_tests(),
        *_time(),
        *_looks(),
        *_subgroups(),
        *_thresholds(),
        *_levels(),
        *images.image_settings(),
    )


def areas() -> tuple[str, ...]:
    """The areas, in order.

    >>> areas()[:3]
    ('weights', 'denominators', 'verdicts')
    """
    return tuple(dict.fromkeys(setting.area for setting in outside_settings()))


def _covered(  # noqa: PLR0917 each is in every line of the table
    area: str, name: str, draw: Draw, n: int, lines: str | Sequence[str], truths: Mapping[str, float] | None = None, *,
    bound: tuple[float, float] = COVERAGE, resamples: bool = False, reason: str = "", **options: Any,
) -> Setting:  # fmt: skip
    listed = (lines,) if isinstance(lines, str) else tuple(lines)
    return Setting(
        area=area, name=name, n=f"{n:,}", asks="coverage", lines=listed, bound=bound, resamples=resamples,
        sample=ask.covers(draw, n, listed, truths, **options), reason=reason,
    )  # fmt: skip


def _tested(
    area: str, name: str, draw: Draw, n: int | tuple[int, str], lines: str | Sequence[str], *,
    bound: tuple[float, float] = SIZE, resamples: bool = False, reason: str = "", **options: Any,
) -> Setting:  # fmt: skip
    listed = (lines,) if isinstance(lines, str) else tuple(lines)
    rows, shown = n if isinstance(n, tuple) else (n, f"{n:,}")
    return Setting(
        area=area, name=name, n=shown, asks="rejections", lines=listed, bound=bound, resamples=resamples,
        sample=ask.rejects(draw, rows, listed, **options), reason=reason,
    )  # fmt: skip


def _weights() -> Iterator[Setting]:
    for n in (500, 2000, 8000):
        yield _covered("weights", "nine-fold weights on 2% hard rows", data.weighted_by_difficulty, n, "accuracy",
                       {"accuracy": data.DIFFICULT})  # fmt: skip
    for n in (60, 400):
        yield _covered("weights", "lognormal weights, unrelated to errors", data.weighted_at_random, n,
                       ("accuracy", "f1", "recall"))  # fmt: skip


def _few_denominators() -> Iterator[Setting]:
    area = "denominators"
    for k in (1, 2, 3, 4, 6):
        yield _tested(area, f"negatives in {k} of 60 clusters", data.few_negative_clusters(k), (60, "60 clusters"),
                      ("specificity", "mcc", "balanced_accuracy"))  # fmt: skip
    for k in (1, 2, 3, 5, 8):
        yield _tested(area, f"weights, {k} negative rows", data.few_negative_rows(k), 120,
                      ("specificity", "mcc", "balanced_accuracy"))  # fmt: skip


def _verdicts() -> Iterator[Setting]:
    for n, margin in ((100, 0.01), (200, 0.01), (300, 0.005), (300, 0.02)):
        draw = data.nearly_identical(margin)
        yield _wrong(f"gate, worse by the margin of {margin:g} and else identical", n, "accuracy",
                     ask.passes(draw, n, "accuracy", margin))  # fmt: skip
    for n in (150, 600):
        draw = data.nearly_identical(0.12, gain=0.07)
        yield _wrong("gate, worse by the margin of 0.05", n, "accuracy", ask.passes(draw, n, "accuracy", 0.05))
        yield _wrong("gate, lognormal errors, worse by the margin of 0.2", n, "mae",
                     ask.passes(data.worse_numbers(0.2), n, "mae", 0.2), reason="")  # fmt: skip
    for n, margin in ((27, 0.1), (60, 0.05), (200, 0.05)):
        draw = data.nearly_identical(margin)
        yield _wrong(f"EQUIVALENT, apart by the margin of {margin:g}", n, "accuracy",
                     ask.equivalent(draw, n, "accuracy", margin))  # fmt: skip


def _wrong(name: str, n: int, line: str, sample: ask.Sample, reason: str = "") -> Setting:
    return Setting(area="verdicts", name=name, n=f"{n:,}", asks="wrong verdicts", lines=(line,), sample=sample,
                   bound=ALPHA, reason=reason)  # fmt: skip


def _losses() -> Iterator[Setting]:
    cost = [[0, 1], [5, 0]]
    for n, recall, fpr in ((15, 0.7, 0.2), (30, 0.7, 0.2), (150, 0.975, 0.1)):  # one to three misses are expected
        yield _covered("losses", f"costs 0/1/5, recall {recall:g}, fpr {fpr:g}", data.decided(0.3, recall, fpr), n,
                       "cost", {"cost": 0.3 * (1 - recall) * 5 + 0.7 * fpr}, bound=FEW, cost=cost)  # fmt: skip
    lognormal = {"mae": exp(0.5), "rmse": e}
    for n in (15, 30, 60, 150, 2000):
        yield _covered("losses", "errors of lognormal size", data.signed_lognormal, n, "rmse", lognormal,
                       reason=LOGNORMAL)  # fmt: skip
    for n in (15, 30, 150):
        yield _covered("losses", "errors of lognormal size", data.signed_lognormal, n, "mae", lognormal,
                       reason=LOGNORMAL if n < 60 else "")  # fmt: skip
        yield _covered("losses", "errors that grow with the target", data.multiplied, n,
                       ("mae", "r2", "mape", "wmape"), reason=LOGNORMAL if n < 60 else "")  # fmt: skip
        yield _covered("losses", "demand that is 0 in 70% of rows", data.zero_inflated, n, ("mae", "rmse"),
                       reason=ZEROS if n < 60 else "")  # fmt: skip
        yield _covered("losses", "demand that is 0 in 70% of rows", data.zero_inflated, n, "r2", reason=WIDE_R2)
    for n in (60, 300):
        yield _covered("losses", "probabilities, heavy-tailed logits", data.chances(0.7), n, ("log_loss", "brier"))
        yield _covered("losses", "calibrated probabilities", data.chances(0.0), n, "calibration_slope",
                       {"calibration_slope": 1.0})  # fmt: skip
        yield _covered("losses", "overconfident probabilities", data.chances(0.0, slope=2.0), n, "calibration_slope",
                       {"calibration_slope": 0.5})  # fmt: skip
    for n in (6, 200):
        yield Setting(area="losses", name="separable probabilities: a slope is printed", n=str(n), asks="violations",
                      lines=("calibration_slope",), sample=ask.defined_slope(n), bound=NEVER)  # fmt: skip


def _classes() -> Iterator[Setting]:
    for n in (150, 500):
        yield _covered("classes", "12 classes with a long tail", data.twelve_classes, n,
                       ("f1_macro", "precision_macro", "recall_macro", "balanced_accuracy", "accuracy"))  # fmt: skip
        yield _covered("classes", "12 classes with a long tail", data.twelve_classes, n, "roc_auc_ovr", resamples=True,
                       reason=WIDE_CLASSES)  # fmt: skip
    for n in (30, 60, 200):
        yield _covered("classes", "5 labels, the rarest on 5% of rows", data.rare_labels, n,
                       ("f1_macro", "recall_macro", "f1_micro"))  # fmt: skip


def _rankings() -> Iterator[Setting]:
    for n in (15, 30, 500, 2000):
        yield _covered("rankings", "scores rounded to 0.05", data.tied(0.3, 1.0), n, ("lift@10%", "gain@10%"),
                       bound=FEW if n < 60 else COVERAGE, resamples=True)  # fmt: skip
    useless = data.scored(0.4, 0.0)
    for n in (150, 600):
        yield _covered("rankings", "useless model", useless, n, "ks", {"ks": 0.0}, resamples=True,
                       reason="the true value is the end of the range, and a sample's ks lies above it")  # fmt: skip
        yield _covered("rankings", "useless model", useless, n, "roc_auc", {"roc_auc": 0.5})
    for n, shift in ((100, 1.0), (400, 2.0)):
        yield Setting(area="rankings", name=f"ROC band, scores {shift:g} apart", n=f"{n:,}", asks="coverage",
                      lines=("whole curve",), sample=ask.roc_band(data.scored(0.4, shift), n, shift),
                      bound=COVERAGE, resamples=True, reason=WIDE_BAND)  # fmt: skip
    for n, share, shift, spread in (
        (100, 0.5, 0.7, 1.0), (300, 0.1, 1.5, 1.0), (300, 0.1, 2.5, 3.0), (600, 0.03, 2.0, 1.0), (2000, 0.02, 0.0, 1.0),
    ):  # fmt: skip
        words = f"{share:.0%} positive, scores {shift:g} apart, spread {spread:g}"
        yield _covered("rankings", words, data.scored(share, shift, spread=spread), n, "average_precision",
                       {"average_precision": data.average_precision(share, shift, spread)}, resamples=True,
                       reason="" if shift else WIDE_PRECISION)  # fmt: skip
    yield _covered("rankings", "5% positive, spread 3", data.scored(0.05, 5.57, spread=3.0), 400, "roc_auc")
    yield _covered("rankings", "scores rounded to 0.05", data.tied(0.3, 1.0), 150, ("roc_auc", "average_precision"))


def _clusters() -> Iterator[Setting]:
    for groups in (12, 25, 60, 200):
        for icc in (0.1, 0.5):
            reason = FEW_CLUSTERS if groups * (1 - icc) < 15 else ""
            name = f"clusters of 1 to 50 rows, ICC {icc:g}"
            yield _covered("clusters", name, data.clustered(icc), groups, ("recall", "mcc", "accuracy"), reason=reason)
            yield _covered("clusters", name, data.clustered(icc), groups, ("roc_auc", "average_precision"),
                           resamples=True, reason=reason)  # fmt: skip
            yield _covered("clusters", name, data.clustered_numbers(icc), groups, ("rmse", "mae"),
                           {"rmse": 1.0, "mae": sqrt(2 / pi)}, reason=reason)  # fmt: skip


def _tests() -> Iterator[Setting]:
    for first, n, share, area in ((40, 400, 0.3, 0.9), (100, 1000, 0.1, 0.95), (100, 1000, 0.1, 0.8)):
        yield _tested("tests", f"unpaired, {share:.0%} positive, AUC {area:g}", data.two_samples(first, share, area),
                      (n, f"{first} and {n:,}"), "roc_auc")  # fmt: skip
    yield _tested("tests", "unpaired, accuracy 0.95", data.two_shares(40, 0.95), (400, "40 and 400"), "accuracy")
    for n in (60, 150, 600):
        points = data.operating_points(0.2, (0.9, 0.4), (0.6, 0.1))
        yield _tested("tests", "equal balanced accuracy, other operating points", points, n, "balanced_accuracy")
        yield _tested("tests", "equal f1, other operating points",
                      data.operating_points(0.3, (0.9, 0.3), (0.6, 2 / 35)), n, "f1")  # fmt: skip
        yield _tested("tests", "equal f2, other operating points",
                      data.operating_points(0.3, (0.9, 0.3), (0.85, 0.188095238)), n, "f2")  # fmt: skip
    for n in (15, 30, 60, 300):
        reason = LOGNORMAL if n <= 60 else ""
        yield _tested("tests", "lognormal and normal errors, equal rmse", data.same_rmse, n, "rmse", reason=LOGNORMAL)
        yield _tested("tests", "lognormal and normal errors, equal mae", data.same_mae, n, "mae", reason=reason)
        yield _tested("tests", "sure and less sure, equal log loss", data.same_log_loss, n, "log_loss",
                      reason="a rare large loss decides the mean" if n < 60 else "")  # fmt: skip
    yield _tested("tests", "AUC 0.961, 5% positive, unequal spread", data.same_area(0.05, 0.961, 3.0), 400, "roc_auc")
    yield _tested("tests", "equal AP, 3% positive, unequal spread", data.same_average_precision(0.03, 2.0, 2.0), 600,
                  "average_precision", resamples=True)  # fmt: skip
    for groups in (8, 15, 40):
        draw = data.clustered_models()
        reason = FEW_CLUSTERS if groups < 10 else ""
        yield _tested("tests", "clusters of 1 to 24 rows", draw, (groups, f"{groups} clusters"), "roc_auc",
                      reason=reason)  # fmt: skip
        yield _tested("tests", "clusters of 1 to 24 rows", data.decided_models(draw, 0.75),
                      (groups, f"{groups} clusters"), ("accuracy", "mcc", "f1"), reason=reason)  # fmt: skip
    yield _tested("tests", "equal accuracy, shared difficulty", data.equal_models(), 80, ("accuracy", "f1", "kappa"))
    yield Setting(area="tests", name="any of four models against a fifth", n="200", asks="rejections",
                  lines=("accuracy",), sample=ask.holm_over_models(200, 5), bound=SIZE, resamples=True)  # fmt: skip


def _time() -> Iterator[Setting]:
    normal = {"mae": sqrt(2 / pi), "rmse": 1.0}
    for rho in (0.5, 0.8):
        yield Setting(area="time", name=f"AR(1) losses, rho {rho:g}: wrong without a word", n="150", asks="violations",
                      lines=("mae",), sample=ask.rejects_silently(data.two_in_time(rho), 150, ("mae",)),
                      bound=SIZE)  # fmt: skip
        for n in (50, 150, 500):
            name = f"AR(1) errors, rho {rho:g}, time= given"
            reason = f"{n} rows of rho {rho:g} are worth {n * (1 - rho) / (1 + rho):.0f}" if n * (1 - rho) < 20 else ""
            if takes(evaluate, "time"):
                yield _covered("time", name, data.in_time(rho), n, ("mae", "rmse"), normal, reason=reason,
                               time=range(n))  # fmt: skip
            if takes(compare, "time"):
                yield _tested("time", name, data.two_in_time(rho), n, "mae", reason=reason, time=range(n))


def _looks() -> Iterator[Setting]:
    ten, five = ask.LOOKS, ask.LOOKS[1::2]
    for verb, looks in (("compare", ten), ("gate", five)):
        words = f"{verb}, {len(looks)} looks"
        yield Setting(area="looks", name=words, n="50 to 500", asks="wrong verdicts", lines=("accuracy",),
                      sample=ask.looked_at(looks, verb), bound=ALPHA, reason=ONE_LOOK)  # fmt: skip
        if takes(compare if verb == "compare" else gate, "sequential"):
            yield Setting(area="looks", name=f"{words}, sequential=True", n="50 to 500", asks="wrong verdicts",
                          lines=("accuracy",), sample=ask.looked_at(looks, verb, sequential=True),
                          bound=ALPHA)  # fmt: skip


def _subgroups() -> Iterator[Setting]:
    for compared, words in ((False, "evaluate"), (True, "compare")):
        for n in (150, 600):
            yield Setting(area="subgroups", name=f"heterogeneity of lognormal losses, {words}", n=f"{n:,}",
                          asks="rejections", lines=("mae",), sample=ask.subgroups_differ(compared, n), bound=SIZE,
                          resamples=True)  # fmt: skip


def _thresholds() -> Iterator[Setting]:
    for n in (200, 800):
        yield Setting(area="thresholds", name="cost of a chosen threshold, 20% positive", n=f"{n:,}", asks="coverage",
                      lines=("cost",), sample=ask.chosen_cost(n, 0.2, 1.5), bound=COVERAGE, resamples=True)  # fmt: skip
        yield Setting(area="thresholds", name="certified max_fpr 0.1, scores rounded to 0.05", n=f"{n:,}",
                      asks="violations", lines=("fpr",), bound=ALPHA,
                      sample=ask.certificate_broken(data.tied(0.3, 1.0), n, 0.1))  # fmt: skip


def _levels() -> Iterator[Setting]:
    draw, shift = data.decided(0.3, 0.8, 0.15), data.scored(0.3, 1.2)
    for level in (0.8, 0.99):
        yield _covered("levels", f"level {level:g}", draw, 150, ("accuracy", "recall", "f1", "mcc"),
                       bound=coverage_goal(level), confidence_level=level)  # fmt: skip
        yield _covered("levels", f"level {level:g}", shift, 150, "roc_auc", bound=coverage_goal(level),
                       confidence_level=level)  # fmt: skip
    for side in ("lower", "upper"):
        yield _covered("levels", f"one-sided, {side}", draw, 150, ("accuracy", "recall", "f1"), side=side)
        yield _covered("levels", f"one-sided, {side}", shift, 150, "roc_auc", side=side)
