"""The table of metrics: one line each, facts as fields."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf, log, sqrt

from heldout.batch import Task
from heldout.errors import UsageError, did_you_mean
from heldout.formulas import labels, ranking, ranking_bounds, regression
from heldout.formulas import losses as calibration
from heldout.formulas import losses as costs
from heldout.formulas import ranking as columns
from heldout.formulas.metric_type import Metric, Reads

Tasks = tuple[Task, ...]
CLASSES: Tasks = ("binary", "multiclass")
BINARY: Tasks = ("binary",)
MANY: Tasks = ("multiclass",)
MARKS: Tasks = ("multilabel",)
NUMBERS: Tasks = ("regression",)
RATIO = (0.0, inf)
SIGNED = (-1.0, 1.0)
ANY = (-inf, inf)

# of one class: the positive one, or each class in turn
rate = partial(Metric, reads="labels", tasks=BINARY, interval="share", one_class=True)
class_metric = partial(Metric, reads="labels", tasks=BINARY, interval="unit", one_class=True)
# of all classes at once
overall = partial(Metric, reads="labels", tasks=CLASSES, interval="unit")
# of the order of rows by score
ranked = partial(Metric, reads="scores", tasks=BINARY, interval="ranking")
# of what each row adds
loss = partial(Metric, reads="losses", interval="mean", better="lower", range=RATIO)
error = partial(Metric, reads="numbers", tasks=NUMBERS, interval="mean", better="lower", range=RATIO)

ONE_CLASS = (
    rate(name="precision", formula=labels.precision, share=("tp", "fp"), aliases=("ppv",), printed=True),
    rate(name="recall", formula=labels.recall, share=("tp", "fn"), aliases=("sensitivity", "tpr"), printed=True),
    rate(name="specificity", formula=labels.specificity, share=("tn", "fp"), aliases=("tnr",), printed=True),
    rate(name="npv", formula=labels.npv, share=("tn", "fn"), printed=True),
    rate(name="fpr", formula=labels.fpr, share=("fp", "tn"), better="lower"),
    rate(name="fnr", formula=labels.fnr, share=("fn", "tp"), better="lower"),
    rate(name="f1", formula=labels.f1, via=("jaccard", lambda q: 2 * q / (1 + q)), aliases=("dice",), printed=True),
    class_metric(name="f0.5", formula=labels.fbeta(0.5)),
    class_metric(name="f2", formula=labels.fbeta(2)),
    rate(name="jaccard", formula=labels.jaccard, share=("tp", "fp", "fn"), aliases=("iou",)),
    class_metric(
        name="youden_j", formula=labels.youden_j, interval="sum_of_rates", range=SIGNED, aliases=("informedness",)
    ),
    class_metric(name="lr_positive", formula=labels.lr_positive, interval="ratio", range=RATIO, aliases=("lr+",)),
    class_metric(
        name="lr_negative", formula=labels.lr_negative, interval="ratio", range=RATIO, better="lower", aliases=("lr-",)
    ),
    class_metric(
        name="diagnostic_odds_ratio",
        formula=labels.diagnostic_odds_ratio,
        interval="ratio",
        range=RATIO,
        aliases=("dor",),
    ),
    rate(name="prevalence", formula=labels.prevalence, share=("tp", "fp", "fn", "tn"), better=None),
)

OVERALL = (
    overall(name="accuracy", formula=labels.accuracy, interval="share", share=("tp", "fn"), printed=True),
    overall(name="error_rate", formula=labels.error_rate, interval="share", share=("tp", "fn"), better="lower"),
    overall(name="balanced_accuracy", formula=labels.balanced_accuracy, interval="mean_of_rates", printed=True),
    overall(name="mcc", formula=labels.mcc, interval="correlation", range=SIGNED, aliases=("matthews",), printed=True),
    overall(name="kappa", formula=labels.kappa, interval="correlation", range=SIGNED, aliases=("cohen_kappa",)),
)

SEVERAL: tuple[tuple[Reads, Tasks], ...] = (("labels", MANY), ("marks", MARKS))


def _of_accuracy(name: str, reads: Reads, average: object) -> tuple[str, Callable[[float], float]] | None:
    """Pooled over classes, with one label a row, every wrong row is one false positive and one false negative."""
    if reads != "labels" or average is not labels.micro:
        return None
    return ("accuracy", (lambda share: share / (2 - share)) if name == "jaccard" else float)


AVERAGED = tuple(
    overall(
        name=f"{of.name}_{average.__name__}",
        formula=average(of.formula),
        reads=reads,
        tasks=tasks,
        rests_on="smallest class" if average is labels.macro else "all rows",
        printed=reads == "labels" and of.name == "f1" and average is labels.macro,
        interval="mean_of_rates" if reads == "labels" and (of.name, average) == ("recall", labels.macro) else "unit",
        via=_of_accuracy(of.name, reads, average),
    )
    for reads, tasks in SEVERAL
    for of in ONE_CLASS
    if of.name in ("precision", "recall", "f1", "f0.5", "f2", "jaccard")
    for average in (labels.macro, labels.micro, labels.weighted)
)

WHOLE_ROWS = (
    loss(
        name="subset_accuracy",
        formula=costs.subset_accuracy,
        tasks=MARKS,
        interval="share",
        share=("rows",),
        range=(0.0, 1.0),
        better="higher",
        printed=True,
    ),
    loss(name="hamming_loss", formula=costs.hamming_loss, tasks=MARKS, interval="unit", range=(0.0, 1.0), printed=True),
)

RANKED = (
    ranked(
        name="roc_auc",
        formula=ranking.roc_auc,
        slopes=ranking.roc_auc_slopes,
        within=ranking_bounds.roc_auc_within,
        interval="area",
        aliases=("auc", "auroc"),
        printed=True,
    ),
    ranked(
        name="average_precision",
        formula=ranking.average_precision,
        slopes=ranking.average_precision_slopes,
        within=ranking_bounds.average_precision_within,
        apart=True,
        interval="precision",
        aliases=("ap", "auprc"),
        printed=True,
    ),
    ranked(
        name="eer",
        formula=ranking.eer,
        slopes=ranking.eer_slopes,
        within=ranking_bounds.eer_within,
        better="lower",
        aliases=("equal_error_rate",),
    ),
    ranked(
        name="partial_auc",
        formula=ranking.partial_auc(0, 0.1),
        slopes=ranking.partial_auc_slopes(0, 0.1),
        within=ranking_bounds.partial_auc_within(0, 0.1),
        range=(0.0, 0.1),
    ),
    ranked(
        name="gini",
        formula=ranking.gini,
        within=ranking_bounds.gini_within,
        via=("roc_auc", lambda area: 2 * area - 1),
        range=SIGNED,
    ),
    ranked(name="ks", formula=ranking.ks, slopes=ranking.ks_slopes, within=ranking_bounds.ks_within),
    ranked(
        name="lift@10%",
        formula=ranking.lift_at(0.1),
        slopes=ranking.gain_slopes(0.1, 10.0),
        within=ranking_bounds.gain_within(0.1, 10.0),
        interval="depth",
        range=(0.0, 10.0),
    ),
    ranked(
        name="gain@10%",
        formula=ranking.gain_at(0.1),
        slopes=ranking.gain_slopes(0.1),
        within=ranking_bounds.gain_within(0.1),
        interval="depth",
    ),
)

COLUMNS = (
    Metric(
        name="roc_auc_ovr", formula=columns.roc_auc_ovr, reads="columns", tasks=MANY, interval="columns", printed=True
    ),
    Metric(
        name="roc_auc_ovo",
        formula=columns.roc_auc_ovo,
        reads="columns",
        tasks=MANY,
        interval="columns",
        aliases=("hand_till",),
    ),
)

PROBABILITIES = (
    loss(name="log_loss", formula=costs.log_loss, tasks=CLASSES, aliases=("cross_entropy",), printed=True),
    loss(
        name="log_loss_bits",
        formula=costs.log_loss_bits,
        tasks=CLASSES,
        via=("log_loss", lambda nats: nats / log(2)),
        aliases=("informational_loss",),
    ),
    loss(name="brier", formula=costs.brier, tasks=BINARY, range=(0.0, 1.0), printed=True),
    loss(name="quadratic_loss", formula=costs.quadratic_loss, tasks=CLASSES, range=(0.0, 2.0)),
    Metric(
        name="calibration_error",
        formula=calibration.calibration_error,
        reads="reliability",
        tasks=CLASSES,
        interval="calibration_error",
        better="lower",
        aliases=("ece",),
    ),
    Metric(
        name="calibration_slope",
        formula=calibration.calibration_slope,
        reads="reliability",
        tasks=BINARY,
        interval="recalibration",
        better=None,
        range=ANY,
        printed=True,
    ),
    Metric(
        name="calibration_intercept",
        formula=calibration.calibration_intercept,
        reads="reliability",
        tasks=BINARY,
        interval="recalibration",
        better=None,
        range=ANY,
    ),
)

COSTS = (
    loss(name="cost", formula=costs.cost, tasks=CLASSES, range=ANY, printed=True),
    loss(name="cost_minimum_risk", formula=costs.cost_minimum_risk, tasks=CLASSES, range=ANY, printed=True),
)

REGRESSION = (
    error(name="mae", formula=regression.mae, aliases=("mean_absolute_error",), printed=True),
    error(name="mse", formula=regression.mse, interval="spread", aliases=("mean_squared_error",)),
    error(name="rmse", formula=regression.rmse, via=("mse", sqrt), aliases=("root_mean_squared_error",), printed=True),
    error(name="mape", formula=regression.mape),
    error(name="mspe", formula=regression.mspe, interval="spread"),
    error(name="rmspe", formula=regression.rmspe, via=("mspe", sqrt)),
    error(name="wmape", formula=regression.wmape, interval="mean"),
    error(name="r2", formula=regression.r2, better="higher", interval="explained", range=(-inf, 1.0), printed=True),
    error(
        name="median_absolute_error",
        formula=regression.median_absolute_error,
        reads="ordered",
        interval="middle",
        printed=True,
    ),
    error(name="max_error", formula=regression.max_error, reads="ordered", interval="largest"),
    error(name="mean_error", formula=regression.mean_error, better=None, range=ANY, aliases=("bias",), printed=True),
)

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (*RANKED, *COLUMNS, *PROBABILITIES, *WHOLE_ROWS, *OVERALL, *ONE_CLASS, *AVERAGED, *COSTS, *REGRESSION)
    if metric.reads != "marks"
}
"""Every metric by its name; metrics with a parameter (`lift@5%`, `f3`, `pinball@0.9`) are made by `metric`."""

MARK_METRICS: dict[str, Metric] = {metric.name: metric for metric in AVERAGED if metric.reads == "marks"}
"""The averages over labels where a row carries several: same names and formulas, other sampling."""

ALIASES: dict[str, str] = {alias: metric.name for metric in METRICS.values() for alias in metric.aliases}


def metric(name: str) -> Metric:
    """The metric of that name, alias or pattern.

    >>> metric("sensitivity").name, metric("lift@5%").name, metric("f3").name
    ('recall', 'lift@5%', 'f3')
    """
    name = ALIASES.get(name, name)
    if name in METRICS:
        return METRICS[name]
    made = _with_parameter(name)
    if made is not None:
        return made
    raise UsageError(
        f"no metric is named {name!r}{did_you_mean(name, [*METRICS, *ALIASES])}",
        fix="heldout explain metrics lists all",
    )


def _with_parameter(name: str) -> Metric | None:
    """Metrics that carry a number in their name."""
    if found := re.fullmatch(r"(lift|gain)@([0-9.]+)%", name):
        depth = float(found[2]) / 100
        return _at_depth(found[1], depth, name) if 0 < depth <= 1 else None
    if found := re.fullmatch(r"(partial_auc|partial_auc_standardized)@([0-9.]+)(?:-([0-9.]+))?", name):
        ends = (float(found[2]), float(found[3])) if found[3] else (0.0, float(found[2]))
        return _between(found[1], *ends, name) if 0 <= ends[0] < ends[1] <= 1 else None
    if found := re.fullmatch(r"pinball@(0?\.[0-9]+)", name):
        return _pinball(float(found[1]), name)
    if found := re.fullmatch(r"f([0-9]*\.?[0-9]+)", name):
        return replace(METRICS["f2"], name=name, formula=labels.fbeta(float(found[1])), aliases=())
    return None


def _at_depth(kind: str, depth: float, name: str) -> Metric:
    if kind == "lift":
        return replace(
            METRICS["lift@10%"],
            name=name,
            formula=ranking.lift_at(depth),
            slopes=ranking.gain_slopes(depth, 1 / depth),
            within=ranking_bounds.gain_within(depth, 1 / depth),
            range=(0.0, 1 / depth),
        )
    return replace(
        METRICS["gain@10%"],
        name=name,
        formula=ranking.gain_at(depth),
        slopes=ranking.gain_slopes(depth),
        within=ranking_bounds.gain_within(depth),
    )


def _between(kind: str, low: float, high: float, name: str) -> Metric:
    standardized = kind.endswith("standardized")
    return replace(
        METRICS["partial_auc"],
        name=name,
        formula=ranking.partial_auc(low, high, standardized=standardized),
        slopes=ranking.partial_auc_slopes(low, high, standardized=standardized),
        within=ranking_bounds.partial_auc_within(low, high, standardized=standardized),
        range=(0.0, 1.0 if standardized else high - low),
    )


def _pinball(quantile: float, name: str) -> Metric:
    from heldout import rows

    return error(
        name=name, formula=regression.pinball, rows={"pinball_losses": partial(rows.pinball, quantile=quantile)}
    )
