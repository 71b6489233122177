"""Errors of predicted numbers, of one target or several."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

import heldout
from tests.oracles.answers.asking import FAST, Answers, ends, named
from tests.oracles.reader import Case, columns, numbers

METRICS = {
    "mae": "mae",
    "mse": "mse",
    "rmse": "rmse",
    "mape": "mape",
    "r2": "r2",
    "medae": "median_absolute_error",
    "mdae": "median_absolute_error",
    "bias": "mean_error",
    "me": "mean_error",
    "max_error": "max_error",
    "msle": "msle",
    "explained_variance": "explained_variance",
    "d2_absolute": "d2_absolute_error",
    "poisson_deviance": "poisson_deviance",
    "gamma_deviance": "gamma_deviance",
    "rmspe_mlmetrics": "rmspe",
    "r2_mlmetrics": "r2",
}


@lru_cache(maxsize=16)
def errors(case: Case, method: str = FAST, level: float = 0.95) -> heldout.Evaluation:
    """Truth and prediction; one column each, or one per target."""
    truth, predicted = (_columns(case, case.params[name]) for name in ("truth", "predicted"))
    by_name = [name for name in METRICS.values() if heldout.metrics.metric(name).by_name]
    named_only = by_name if (truth > 0).all() else []
    options = {"method": method, "confidence_level": level, "metrics": ["all", *named_only]}
    return heldout.evaluate(truth, predicted, task="regression", **options)


def _columns(case: Case, name: str | list[str]) -> np.ndarray:
    if isinstance(name, str):
        return numbers(columns(case.file)[name])
    return np.stack([_columns(case, one) for one in name], axis=1)


def pinball(case: Case, quantile: str, column: str = "predicted") -> heldout.Estimate:
    truth, told = (_columns(case, case.params[name]) for name in ("truth", column))
    return heldout.metrics.mean_pinball_loss(truth, told, alpha=float(quantile), method=FAST)


def d2_pinball(case: Case, quantile: str, column: str) -> heldout.Estimate:
    truth, told = (_columns(case, case.params[name]) for name in ("truth", column))
    return heldout.metrics.d2_pinball_score(truth, told, alpha=float(quantile))


def against_constant(case: Case, metric: str) -> float:
    """The error as a share of that of the mean."""
    return errors(case)[metric] / errors(case).baseline.values[metric]


def t_interval(case: Case, entry: str, percent: str) -> list[float]:
    return ends(errors(case, "t", float(percent) / 100)[METRICS[entry]])


def per_target(case: Case, entry: str) -> list[float]:
    return [found[METRICS[entry]] for found in errors(case).classes.values()]


def by_variance(case: Case) -> float:
    truth, predicted = (_columns(case, case.params[name]) for name in ("truth", "predicted"))
    return heldout.metrics.r2_score(truth, predicted, multioutput="variance_weighted")


REGRESSION: Answers = {
    **named(METRICS, errors),
    r"pinball_0_(\d+)": lambda case, quantile: pinball(case, f"0.{quantile}"),
    "rae": lambda case: against_constant(case, "mae"),
    "rrse": lambda case: against_constant(case, "rmse"),
}
INTERVALS: Answers = {r"(mae|mse|me)_t(\d+)": t_interval}
SEVERAL: Answers = {
    "([a-z0-9]+)_raw_values": per_target,
    "r2_variance_weighted": by_variance,
    "([a-z0-9]+)_uniform_average": lambda case, entry: errors(case)[METRICS[entry]],
}
FORECAST: Answers = {
    r"pinball_q(\d+)": lambda case, q: pinball(case, f"0.{q}", f"q{q}"),
    r"d2_pinball_q(\d+)": lambda case, q: d2_pinball(case, f"0.{q}", f"q{q}"),
}
