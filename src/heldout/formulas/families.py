"""Families of metrics: what their members have in common, and metrics that carry a number in their name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from inspect import signature
from math import inf, isnan, nan

import numpy as np

from heldout.batch import Array, Batch, Task
from heldout.formulas import labels, losses, ranking, ranking_bounds, regression
from heldout.formulas.metric_type import Metric, RowStatistic
from heldout.rows import label_rankings, labels as label_rows, null_losses, numbers as number_rows, probabilities

Tasks = tuple[Task, ...]
Average = Callable[[Callable[..., Array]], Callable[..., Array]]
CLASSES: Tasks = ("binary", "multiclass")
BINARY: Tasks = ("binary",)
MANY: Tasks = ("multiclass",)
MARKS: Tasks = ("multilabel",)
NUMBERS: Tasks = ("regression",)
SHARE = (0.0, 1.0)
RATIO = (0.0, inf)
SIGNED = (-1.0, 1.0)
ANY = (-inf, inf)
SKILL = (-inf, 1.0)

# of one class: the positive one, or each class in turn
rate = partial(Metric, reads="labels", tasks=BINARY, interval="share", one_class=True)
class_metric = partial(Metric, reads="labels", tasks=BINARY, interval="unit", one_class=True)
# of all classes at once
overall = partial(Metric, reads="labels", tasks=CLASSES, interval="unit")
# of the order of rows by score
ranked = partial(Metric, reads="scores", tasks=BINARY, interval="ranking")
# of one score column per class or label
columns = partial(Metric, reads="columns", tasks=(*MANY, *MARKS), interval="columns", by_name=True)
# of what each row adds
loss = partial(Metric, reads="losses", uses="probabilities", interval="mean", better="lower", range=RATIO)
error = partial(Metric, reads="numbers", tasks=NUMBERS, interval="mean", better="lower", range=RATIO)
# of how a row ranks its own labels: a mean over rows in [0, 1]
label_ranking = partial(
    Metric, reads="losses", tasks=MARKS, interval="bounded_mean", rests_on="all rows", uses="score", by_name=True
)

AVERAGES: dict[str, Average] = {"macro": labels.macro, "micro": labels.micro, "weighted": labels.weighted}


def fbeta(beta: float) -> Metric:
    """F measure of one class, recall counting beta times as much as precision."""
    return class_metric(name=f"f{beta:g}", formula=labels.fbeta(beta))


def class_average(of: Metric, average: str) -> Metric:
    """The macro, micro or weighted average over classes of a metric of one class, each row having one label.

    >>> class_average(fbeta(3), "macro").name
    'f3_macro'
    """
    via: tuple[str, Callable[[float], float]] | None = None
    if average == "micro":
        # with one label a row, every wrong row is one false positive and one false negative
        via = ("accuracy", (lambda share: share / (2 - share)) if of.name == "jaccard" else lambda share: share)
    return overall(
        name=f"{of.name}_{average}",
        formula=AVERAGES[average](of.formula),
        tasks=MANY,
        rests_on="smallest class" if average == "macro" else "all rows",
        printed=(of.name, average) == ("f1", "macro"),
        interval="mean_of_rates" if (of.name, average) == ("recall", "macro") else "unit",
        via=via,
    )


def over_labels(average: Metric) -> Metric:
    """The same average where a row carries several labels: same name and formula, other sampling."""
    return replace(average, reads="marks", tasks=MARKS, interval="unit", via=None, printed=False)


def row_average(of: Metric, undefined: float = nan) -> Metric:
    """The mean over rows of a metric of one class, taken over the labels of each row.

    Rows on which the metric is 0/0 are left out, or count as `undefined` where that is a number.

    >>> row_average(fbeta(2)).name
    'f2_samples'
    """
    needs = tuple(signature(of.formula).parameters)
    values = partial(label_rows.row_value, formula=of.formula, needs=needs)
    counted = partial(label_rows.row_is_defined, formula=of.formula, needs=needs)
    # rows that are left out add nothing to either sum
    rows: dict[str, RowStatistic] = {"row_values": partial(values, undefined=0.0), "counted_rows": counted}
    if not isnan(undefined):
        rows = {"row_values": partial(values, undefined=undefined), "counted_rows": label_rows.every_row}
    return Metric(
        name=f"{of.name}_samples",
        formula=losses.mean_over_rows(f"Mean over rows of the value on the row's own labels: {of.definition}"),
        reads="losses",
        tasks=MARKS,
        interval="bounded_mean",
        rests_on="all rows",
        rows=rows,
        by_name=True,
    )


def gain_at(depth: float, name: str) -> Metric:
    """Share of all positives among the top rows."""
    return ranked(
        name=name,
        formula=ranking.gain_at(depth),
        slopes=ranking.gain_slopes(depth),
        within=ranking_bounds.gain_within(depth),
        interval="depth",
    )


def lift_at(depth: float, name: str) -> Metric:
    """How many times denser positives are among the top rows."""
    return ranked(
        name=name,
        formula=ranking.lift_at(depth),
        slopes=ranking.gain_slopes(depth, 1 / depth),
        within=ranking_bounds.gain_within(depth, 1 / depth),
        interval="depth",
        range=(0.0, 1 / depth),
    )


def partial_auc(low: float, high: float, name: str, *, standardized: bool = False) -> Metric:
    """Area under a part of the ROC curve."""
    return ranked(
        name=name,
        formula=ranking.partial_auc(low, high, standardized=standardized),
        slopes=ranking.partial_auc_slopes(low, high, standardized=standardized),
        within=ranking_bounds.partial_auc_within(low, high, standardized=standardized),
        range=(0.0, 1.0 if standardized else high - low),
    )


def ece(bins: int) -> Metric:
    """Expected calibration error with so many bins of equal width."""
    return Metric(
        name=f"ece@{bins}",
        formula=losses.ece,
        reads="reliability",
        tasks=CLASSES,
        interval="ece",
        better="lower",
        bins=(bins, "width"),
    )


def pinball(quantile: float) -> Metric:
    """Mean loss of a predicted quantile."""
    own = {"pinball_losses": partial(number_rows.pinball, quantile=quantile)}
    return error(name=f"pinball@{quantile:g}", formula=regression.pinball, rows=own, rare=min(quantile, 1 - quantile))


def floored_mape() -> Metric:
    """The mean absolute percentage error with targets kept a rounding error away from zero, as scikit-learn does."""
    own = {"floored_relative_errors": _floored_relative_errors}
    return error(name="mape", formula=regression.floored_mape, rows=own)


def _floored_relative_errors(batch: Batch) -> Array:
    return np.asarray(number_rows.absolute_errors(batch) / np.maximum(np.abs(batch.truth), np.finfo(float).eps))


def tweedie_deviance(power: float) -> Metric:
    """Mean deviance of the Tweedie family."""
    own = {"deviances": partial(number_rows.tweedie_deviances, power=power)}
    return error(name=f"tweedie_deviance@{power:g}", formula=regression.tweedie_deviance, rows=own, interval="spread")


def d2_pinball(quantile: float) -> Metric:
    """Share of the pinball loss of a constant quantile that is saved."""
    return _explained(
        f"d2_pinball@{quantile:g}",
        f"Share of the pinball loss of always predicting the {quantile:g} quantile of these rows that is saved.",
        {
            "losses": partial(number_rows.pinball, quantile=quantile),
            "null_losses": partial(null_losses.null_pinball, quantile=quantile),
        },
        against=f"the {quantile:g} quantile of these rows",
        rare=min(quantile, 1 - quantile),
    )


def d2_tweedie(power: float) -> Metric:
    """Share of the deviance of the mean that is saved."""
    return _explained(
        f"d2_tweedie@{power:g}",
        f"Share of the Tweedie deviance (power {power:g}) of always predicting the mean of these rows that is saved.",
        {
            "losses": partial(number_rows.tweedie_deviances, power=power),
            "null_losses": partial(null_losses.null_deviances, power=power),
        },
        against="the mean of these rows",
    )


def _explained(
    name: str, definition: str, rows: dict[str, Callable[..., Array]], *, against: str, rare: float = 1.0
) -> Metric:
    return error(
        name=name,
        formula=losses.explained(definition),
        rows=rows,
        whole=True,
        against=against,
        rare=rare,
        better="higher",
        interval="explained",
        range=SKILL,
        by_name=True,
    )


def weighted_kappa(name: str, power: int) -> Metric:
    """Cohen's kappa with disagreements weighed by the distance of classes in the order of the labels."""
    word = "distance" if power == 1 else "squared distance"
    return loss(
        name=name,
        formula=losses.explained(
            f"Cohen's kappa weighed by the {word} of classes in order: 1 - disagreement / that of chance [cohen68]."
        ),
        tasks=CLASSES,
        uses="prediction",
        rows={
            "losses": partial(label_rows.rank_disagreements, power=power),
            "null_losses": partial(null_losses.null_rank_disagreements, power=power),
        },
        whole=True,
        against="chance agreement with the margins of these rows",
        better="higher",
        interval="weighted_kappa",
        range=SIGNED,
        rests_on="all rows",
        by_name=True,
    )


def top_k_accuracy(k: int) -> Metric:
    """Share of the rows whose true class is among the k highest scores."""
    definition = f"Share of the rows whose true class has one of the {k} highest scores."
    return loss(
        name=f"top_{k}_accuracy",
        formula=losses.mean_over_rows(definition),
        tasks=CLASSES,
        rows={"row_values": partial(probabilities.top_k_hits, k=k), "counted_rows": label_rows.every_row},
        uses="score",
        interval="share",
        share=("counted_rows",),
        better="higher",
        range=SHARE,
        by_name=True,
    )


def ndcg(k: int | None = None, *, ties: bool = True) -> Metric:
    """Normalized discounted cumulative gain of each row, averaged."""
    upto = "" if k is None else f" of the {k} highest scores"
    return label_ranking(
        name="ndcg" if k is None else f"ndcg@{k}",
        formula=losses.mean_over_rows(
            f"Normalized discounted cumulative gain{upto}, averaged over rows; a row is one query [jarvelin02]."
        ),
        rows={
            "row_values": partial(label_rankings.normalized_gains, k=k, ties=ties),
            "counted_rows": label_rows.every_row,
        },
    )


def dcg(k: int | None = None, *, log_base: float = 2, ties: bool = True) -> Metric:
    """Discounted cumulative gain of each row, averaged."""
    upto = "" if k is None else f" of the {k} highest scores"
    return label_ranking(
        name="dcg" if k is None else f"dcg@{k}",
        formula=losses.mean_over_rows(
            f"Discounted cumulative gain{upto}, averaged over rows: sum of relevance / log(1 + rank) [jarvelin02]."
        ),
        rows={
            "row_values": partial(label_rankings.discounted_gains, k=k, log_base=log_base, ties=ties),
            "counted_rows": label_rows.every_row,
        },
        interval="mean",
        range=RATIO,
    )


NUMBER = r"([0-9]*\.?[0-9]+)"


def with_parameter(name: str, of_one_class: dict[str, Metric]) -> Metric | None:
    """The metric of a name that carries a number; None where it is no such name."""
    if match := re.fullmatch(rf"(lift|gain)@{NUMBER}%", name):
        depth = float(match[2]) / 100
        build = lift_at if match[1] == "lift" else gain_at
        return build(depth, name) if 0 < depth <= 1 else None
    if match := re.fullmatch(rf"(partial_auc|partial_auc_standardized)@{NUMBER}(?:-{NUMBER})?", name):
        ends = (float(match[2]), float(match[3])) if match[3] else (0.0, float(match[2]))
        standardized = match[1].endswith("standardized")
        return partial_auc(*ends, name, standardized=standardized) if 0 <= ends[0] < ends[1] <= 1 else None
    if match := re.fullmatch(rf"f{NUMBER}(?:_(macro|micro|weighted|samples))?", name):
        one = of_one_class.get(f"f{float(match[1]):g}") or fbeta(float(match[1]))
        if match[2] is None:
            return replace(one, name=name, aliases=())
        made = row_average(one) if match[2] == "samples" else class_average(one, match[2])
        return replace(made, name=name)
    for pattern, build_one, fits in WITH_ONE_NUMBER:
        if match := re.fullmatch(pattern, name):
            number = float(match[1])
            return replace(build_one(number), name=name) if fits(number) else None
    return None


WITH_ONE_NUMBER: tuple[tuple[str, Callable[[float], Metric], Callable[[float], bool]], ...] = (
    (rf"pinball@{NUMBER}", pinball, lambda q: 0 < q < 1),
    (rf"d2_pinball@{NUMBER}", d2_pinball, lambda q: 0 < q < 1),
    (rf"tweedie_deviance@(-?{NUMBER[1:-1]})", tweedie_deviance, lambda p: p <= 0 or p >= 1),
    (rf"d2_tweedie@(-?{NUMBER[1:-1]})", d2_tweedie, lambda p: p <= 0 or p >= 1),
    (r"top_([0-9]+)_accuracy", lambda k: top_k_accuracy(int(k)), lambda k: k >= 1),
    (r"ece@([0-9]+)", lambda bins: ece(int(bins)), lambda bins: 1 <= bins <= 10_000),
    (r"ndcg@([0-9]+)", lambda k: ndcg(int(k)), lambda k: k >= 1),
    (r"dcg@([0-9]+)", lambda k: dcg(int(k)), lambda k: k >= 1),
)
"""Names with one number: the pattern, what builds the metric, and which numbers make sense."""
