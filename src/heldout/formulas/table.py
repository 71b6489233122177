"""The table of metrics: one line each, facts as fields."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from math import log, sqrt

from heldout.errors import UsageError
from heldout.formulas import labels, losses, ranking, ranking_bounds, regression
from heldout.formulas.families import (
    ANY,
    AVERAGES,
    BINARY,
    CLASSES,
    MANY,
    MARKS,
    RATIO,
    SHARE,
    SIGNED,
    SKILL,
    class_average,
    class_metric,
    columns,
    d2_pinball,
    dcg,
    ece,
    error,
    fbeta,
    gain_at,
    label_ranking,
    lift_at,
    loss,
    ndcg,
    over_labels,
    overall,
    partial_auc,
    ranked,
    rate,
    row_average,
    top_k_accuracy,
    weighted_kappa,
    with_parameter,
)
from heldout.formulas.metric_type import Metric
from heldout.inputs.message_text import quoted
from heldout.rows import label_rankings, null_losses, probabilities
from heldout.rows.labels import every_row

ONE_CLASS = (
    rate(name="precision", formula=labels.precision, share=("tp", "fp"), aliases=("ppv",), printed=True),
    rate(name="recall", formula=labels.recall, share=("tp", "fn"), aliases=("sensitivity", "tpr"), printed=True),
    rate(name="specificity", formula=labels.specificity, share=("tn", "fp"), aliases=("tnr",), printed=True),
    rate(name="npv", formula=labels.npv, share=("tn", "fn"), printed=True),
    rate(name="fpr", formula=labels.fpr, share=("fp", "tn"), better="lower"),
    rate(name="fnr", formula=labels.fnr, share=("fn", "tp"), better="lower"),
    rate(name="f1", formula=labels.f1, via=("jaccard", lambda q: 2 * q / (1 + q)), aliases=("dice",), printed=True),
    fbeta(0.5),
    fbeta(2),
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

AVERAGED_METRICS = tuple(one for one in ONE_CLASS if one.name in ("precision", "recall", "f1", "f0.5", "f2", "jaccard"))
AVERAGED = tuple(class_average(one, average) for one in AVERAGED_METRICS for average in AVERAGES)
ROW_AVERAGED = tuple(row_average(one) for one in AVERAGED_METRICS if one.name not in ("f0.5", "f2"))
KAPPAS = (weighted_kappa("kappa_linear", 1), weighted_kappa("kappa_quadratic", 2))

WHOLE_ROWS = (
    loss(
        name="subset_accuracy",
        formula=losses.subset_accuracy,
        tasks=MARKS,
        uses="prediction",
        interval="share",
        share=("rows",),
        range=SHARE,
        better="higher",
        printed=True,
    ),
    loss(
        name="hamming_loss",
        formula=losses.hamming_loss,
        tasks=MARKS,
        uses="prediction",
        interval="unit",
        range=SHARE,
        printed=True,
    ),
)

RANKED = (
    ranked(
        name="roc_auc",
        formula=ranking.roc_auc,
        of_counts=ranking.roc_auc_of_counts,
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
    partial_auc(0, 0.1, "partial_auc"),
    ranked(
        name="gini",
        formula=ranking.gini,
        within=ranking_bounds.gini_within,
        via=("roc_auc", lambda area: 2 * area - 1),
        range=SIGNED,
    ),
    ranked(name="ks", formula=ranking.ks, slopes=ranking.ks_slopes, within=ranking_bounds.ks_within),
    lift_at(0.1, "lift@10%"),
    gain_at(0.1, "gain@10%"),
)

AREA, PRECISION = (one for one in RANKED if one.name in ("roc_auc", "average_precision"))
COLUMNS = (
    columns(name="roc_auc_ovr", formula=ranking.roc_auc_ovr, contest=AREA, tasks=MANY, by_name=False, printed=True),
    columns(
        name="roc_auc_ovo",
        formula=ranking.roc_auc_ovo,
        contest=AREA,
        tasks=MANY,
        by_name=False,
        aliases=("hand_till",),
    ),
    columns(name="roc_auc_ovo_weighted", formula=ranking.roc_auc_ovo_weighted, contest=AREA, tasks=MANY),
    columns(name="roc_auc_macro", formula=ranking.roc_auc_ovr, contest=AREA, tasks=MARKS),
    columns(name="roc_auc_micro", formula=ranking.roc_auc_ovr_micro, contest=AREA),
    columns(name="roc_auc_weighted", formula=ranking.roc_auc_ovr_weighted, contest=AREA),
    columns(name="average_precision_macro", formula=ranking.average_precision_macro, contest=PRECISION),
    columns(name="average_precision_micro", formula=ranking.average_precision_micro, contest=PRECISION),
    columns(name="average_precision_weighted", formula=ranking.average_precision_weighted, contest=PRECISION),
)

LABEL_RANKINGS = (
    ndcg(),
    dcg(),
    label_ranking(
        name="lrap",
        formula=losses.mean_over_rows(
            "Precision at each relevant label of a row, averaged over its relevant labels and over rows [schapire00]."
        ),
        rows={"row_values": label_rankings.label_precisions, "counted_rows": every_row},
        aliases=("label_ranking_average_precision",),
    ),
    label_ranking(
        name="label_ranking_loss",
        formula=losses.mean_over_rows(
            "Share of pairs of a relevant and an irrelevant label of a row in the wrong order, averaged over rows."
        ),
        rows={"row_values": label_rankings.label_misorderings, "counted_rows": every_row},
        better="lower",
    ),
    label_ranking(
        name="coverage_error",
        formula=losses.mean_over_rows(
            "How many labels of a row, by falling score, cover its relevant ones, averaged over rows."
        ),
        rows={"row_values": label_rankings.label_coverages, "counted_rows": every_row},
        better="lower",
        interval="mean",
        range=RATIO,
    ),
    label_ranking(
        name="roc_auc_samples",
        formula=losses.mean_over_rows(
            "Area under the ROC curve of the labels of a row, averaged over rows with relevant and irrelevant labels."
        ),
        rows={"row_values": label_rankings.row_areas, "counted_rows": label_rankings.row_has_both},
    ),
    label_ranking(
        name="average_precision_samples",
        formula=losses.mean_over_rows(
            "Average precision of the labels of a row, averaged over rows with a relevant label."
        ),
        rows={"row_values": label_rankings.row_average_precisions, "counted_rows": label_rankings.row_has_relevant},
    ),
)

PROBABILITIES = (
    loss(name="log_loss", formula=losses.log_loss, tasks=CLASSES, aliases=("cross_entropy",), printed=True),
    loss(
        name="log_loss_bits",
        formula=losses.log_loss_bits,
        tasks=CLASSES,
        via=("log_loss", lambda nats: nats / log(2)),
        aliases=("informational_loss",),
    ),
    loss(name="brier", formula=losses.brier, tasks=BINARY, range=SHARE, printed=True),
    loss(name="quadratic_loss", formula=losses.quadratic_loss, tasks=CLASSES, range=(0.0, 2.0)),
    replace(ece(10), name="ece", aliases=("expected_calibration_error",), printed=True),
    Metric(
        name="rms_calibration_error_debiased",
        formula=losses.rms_calibration_error_debiased,
        reads="reliability",
        tasks=CLASSES,
        interval="calibration_error",
        better="lower",
        bins=(15, "mass"),
    ),
    Metric(
        name="calibration_slope",
        formula=losses.calibration_slope,
        reads="reliability",
        tasks=BINARY,
        interval="recalibration",
        better=None,
        range=ANY,
        printed=True,
    ),
    Metric(
        name="calibration_intercept",
        formula=losses.calibration_intercept,
        reads="reliability",
        tasks=BINARY,
        interval="recalibration",
        better=None,
        range=ANY,
    ),
)

SCORED_CLASSES = (
    loss(name="hinge_loss", formula=losses.hinge_loss, tasks=CLASSES, uses="score", by_name=True),
    top_k_accuracy(2),
)

share_saved = partial(loss, tasks=CLASSES, uses="probabilities", whole=True, interval="explained", by_name=True)
EXPLAINED_CLASSES = tuple(
    share_saved(
        name=name,
        formula=losses.explained(
            f"Share of the {word} of always predicting the class shares of these rows that is saved."
        ),
        rows={"losses": row_losses, "null_losses": row_null_losses},
        against="the class shares of these rows",
        better="higher",
        range=SKILL,
    )
    for name, word, row_losses, row_null_losses in (
        ("d2_log_loss", "log loss", probabilities.log_losses, null_losses.null_log_losses),
        ("d2_brier", "Brier score", probabilities.quadratic_losses, null_losses.null_quadratic_losses),
    )
)

COSTS = (
    loss(name="cost", formula=losses.cost, tasks=CLASSES, uses="prediction", range=ANY, printed=True),
    loss(name="cost_minimum_risk", formula=losses.cost_minimum_risk, tasks=CLASSES, range=ANY, printed=True),
)

REGRESSION = (
    error(name="mae", formula=regression.mae, aliases=("mean_absolute_error",), printed=True),
    error(name="mse", formula=regression.mse, interval="spread", aliases=("mean_squared_error",)),
    error(name="rmse", formula=regression.rmse, via=("mse", sqrt), aliases=("root_mean_squared_error",), printed=True),
    error(name="mape", formula=regression.mape),
    error(name="mspe", formula=regression.mspe, interval="spread"),
    error(name="rmspe", formula=regression.rmspe, via=("mspe", sqrt)),
    error(name="wmape", formula=regression.wmape, interval="mean"),
    error(
        name="r2",
        formula=regression.r2,
        better="higher",
        interval="explained",
        range=SKILL,
        against="the mean of these rows",
        printed=True,
    ),
    error(
        name="explained_variance",
        formula=regression.explained_variance,
        better="higher",
        interval="explained",
        range=SKILL,
        against="the mean of these rows",
        by_name=True,
    ),
    replace(
        d2_pinball(0.5),
        name="d2_absolute_error",
        formula=losses.explained(
            "Share of the absolute error of always predicting the median of these rows that is saved."
        ),
        against="the median of these rows",
    ),
    error(name="msle", formula=regression.msle, interval="spread", by_name=True),
    error(name="rmsle", formula=regression.rmsle, via=("msle", sqrt), by_name=True),
    error(name="poisson_deviance", formula=regression.poisson_deviance, interval="spread", by_name=True),
    error(name="gamma_deviance", formula=regression.gamma_deviance, interval="spread", by_name=True),
    error(
        name="median_absolute_error",
        formula=regression.median_absolute_error,
        reads="ordered",
        interval="middle",
        printed=True,
    ),
    error(name="max_error", formula=regression.max_error, reads="ordered", interval="largest"),
    error(name="mean_error", formula=regression.mean_error, better=None, range=ANY, printed=True),
)

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        *(*RANKED, *COLUMNS, *LABEL_RANKINGS, *PROBABILITIES, *SCORED_CLASSES, *EXPLAINED_CLASSES),
        *(*WHOLE_ROWS, *OVERALL, *KAPPAS, *ONE_CLASS, *AVERAGED, *ROW_AVERAGED, *COSTS, *REGRESSION),
    )
}
"""Every metric by its name; metrics with a parameter (`lift@5%`, `f3`, `pinball@0.9`) are made by `metric`."""

BUILT_IN = frozenset(METRICS)
"""The names that a metric of the user's cannot have."""

MARK_METRICS: dict[str, Metric] = {metric.name: over_labels(metric) for metric in AVERAGED}
"""The averages over labels where a row carries several: same names and formulas, other sampling."""

SCIKIT_LEARN: dict[str, str] = {
    "accuracy_score": "accuracy",
    "average_precision_score": "average_precision",
    "balanced_accuracy_score": "balanced_accuracy",
    "brier_score_loss": "brier",
    "cohen_kappa_score": "kappa",
    "d2_absolute_error_score": "d2_absolute_error",
    "d2_brier_score": "d2_brier",
    "d2_log_loss_score": "d2_log_loss",
    "dcg_score": "dcg",
    "explained_variance_score": "explained_variance",
    "f1_score": "f1",
    "jaccard_score": "jaccard",
    "label_ranking_average_precision_score": "lrap",
    "matthews_corrcoef": "mcc",
    "mean_absolute_percentage_error": "mape",
    "mean_gamma_deviance": "gamma_deviance",
    "mean_poisson_deviance": "poisson_deviance",
    "mean_squared_log_error": "msle",
    "ndcg_score": "ndcg",
    "precision_score": "precision",
    "r2_score": "r2",
    "recall_score": "recall",
    "roc_auc_score": "roc_auc",
    "root_mean_squared_log_error": "rmsle",
    "top_k_accuracy_score": "top_2_accuracy",
    "zero_one_loss": "error_rate",
}
"""Functions of scikit-learn, with their default arguments → the metric that is the same, where its name is another."""

WITH_A_NUMBER: dict[str, str] = {
    "d2_pinball_score": "d2_pinball@0.9",
    "d2_tweedie_score": "d2_tweedie@1.5",
    "fbeta_score": "f2",
    "mean_pinball_loss": "pinball@0.9",
    "mean_tweedie_deviance": "tweedie_deviance@1.5",
}
"""Functions of scikit-learn that need a number → an example of the metric's name with that number."""

ALIASES: dict[str, str] = {alias: metric.name for metric in METRICS.values() for alias in metric.aliases} | SCIKIT_LEARN
"""Every other name of a metric."""


def metric(name: str) -> Metric:
    """The metric of a name, an alias or a pattern such as lift@5%.

    Parameters
    ----------
    name : str
        The name; upper and lower case make no difference, unless a metric of your own has that name.

    Returns
    -------
    Metric
        The metric, with its formula, range and which values are better.

    Raises
    ------
    UsageError
        If no metric has that name; the message suggests the nearest one.

    Examples
    --------
    >>> metric("sensitivity").name, metric("lift@5%").name, metric("f3").name, metric("AUC").name
    ('recall', 'lift@5%', 'f3', 'roc_auc')
    """
    for spelled in dict.fromkeys((name, name.lower())):
        known = ALIASES.get(spelled, spelled)
        made = METRICS.get(known) or with_parameter(known, {one.name: one for one in ONE_CLASS})
        if made is not None:
            return made
    raise UsageError(f"no metric is named {quoted(name)}{_suggestion(name)}", fix="heldout explain metrics lists all")


def _suggestion(name: str) -> str:
    """The metric that an unknown name may mean, as the end of a sentence.

    >>> _suggestion("neg_mean_squared_error"), _suggestion("acuracy_score"), _suggestion("macro_f1")
    ("; did you mean 'mse', which is not negated?", "; did you mean 'accuracy'?", "; did you mean 'f1_macro'?")
    """
    spelled = name.lower().replace(" ", "_").replace("-", "_")
    example = WITH_A_NUMBER.get(spelled)
    if example is not None:
        return f"; its name has the number in it, such as {example!r}"
    plain = spelled.removeprefix("neg_")
    known = ALIASES.get(plain, plain)
    if known in METRICS:  # a scorer of scikit-learn, or another spelling
        return f"; did you mean {known!r}{', which is not negated' if plain != spelled else ''}?"
    names = {one.lower(): one for one in (*METRICS, *ALIASES)}
    reordered = [one for one in names if sorted(one.split("_")) == sorted(spelled.split("_"))]
    close = reordered or get_close_matches(spelled, [*names], n=1)
    return f"; did you mean {ALIASES.get(names[close[0]], names[close[0]])!r}?" if close else ""


def name_among(name: str, names: Collection[str]) -> str:
    """The one of `names` that a name means: itself, or what it is an alias of, in any case; else the name as it is.

    >>> name_among("AUC", ["f1", "roc_auc"]), name_among("ap50", ["AP", "AP50"]), name_among("acuracy", ["accuracy"])
    ('roc_auc', 'AP50', 'acuracy')
    """
    in_any_case = {known.lower(): known for known in names}
    name = str(name)  # a number is the name of nothing, as the caller says then
    for spelled in (name, ALIASES.get(name, name), ALIASES.get(name.lower(), name)):
        if spelled in names or spelled.lower() in in_any_case:
            return spelled if spelled in names else in_any_case[spelled.lower()]
    return name
